#include "export/transient.h"

#include <math.h>

#include "export/stats.h"

/* A window in equal parts; what does not divide is left at its end. */
struct series {
	uint32_t count;
	double value[TRANSIENT_BATCHES];
};

static double mean_of(const double *values, uint32_t count)
{
	return stats_summarize(values, count).mean;
}

uint32_t transient_mser(const double *values, uint32_t n)
{
	double least = INFINITY;
	uint32_t cut, best = 0;

	for (cut = 0; cut <= n / 2; cut++) {
		uint32_t rest = n - cut, i;
		double mean = mean_of(values + cut, rest);
		double squares = 0;

		for (i = cut; i < n; i++)
			squares += (values[i] - mean) * (values[i] - mean);
		/* The square of the standard error, but for a constant. */
		if (squares / rest / rest < least) {
			least = squares / rest / rest;
			best = cut;
		}
	}
	return best;
}

/* The parts that every visit can be cut into; 0: too few intervals. */
static uint32_t batch_count(const struct visit *const *visits, uint32_t count)
{
	uint32_t least = TRANSIENT_BATCHES, i;

	for (i = 0; i < count; i++)
		if (!visits[i]->samples || visits[i]->sample_count < least)
			least =
			    visits[i]->samples ? visits[i]->sample_count : 0;
	if (count < TRANSIENT_VISITS_MIN)
		return least == TRANSIENT_BATCHES ? least : 0;
	return least >= TRANSIENT_BATCHES_MIN ? least : 0;
}

/* A visit in parts, as shares of its mean. False where it did nothing. */
static bool cut_up(const struct visit *v, uint32_t parts, struct series *out)
{
	uint32_t per = v->sample_count / parts, i;
	double mean;

	out->count = parts;
	for (i = 0; i < parts; i++)
		out->value[i] = 0;
	for (i = 0; i < per * parts; i++)
		out->value[i / per] += (double)v->samples[i].ios[DIR_READ] +
				       (double)v->samples[i].ios[DIR_WRITE];
	mean = mean_of(out->value, parts);
	for (i = 0; i < parts; i++)
		out->value[i] /= mean;
	return mean > 0;
}

static bool average(const struct visit *const *visits, uint32_t count,
		    uint32_t parts, struct series *out)
{
	struct series one;
	uint32_t i, k;

	*out = (struct series){.count = parts};
	for (i = 0; i < count; i++) {
		if (!cut_up(visits[i], parts, &one))
			return false;
		for (k = 0; k < parts; k++)
			out->value[k] += one.value[k] / count;
	}
	return true;
}

/* Farther from the mean of the rest than so many times any part of it. */
static bool stands_out(const struct series *s, uint32_t cut, double times)
{
	double rest = mean_of(s->value + cut, s->count - cut);
	double begin = mean_of(s->value, cut);
	double farthest = 0;
	uint32_t i;

	for (i = cut; i < s->count; i++)
		farthest = fmax(farthest, fabs(s->value[i] - rest));
	return fabs(begin - rest) > times * farthest;
}

/* The begin of a visit against its rest, logarithm of the ratio; a standstill
 * counts as a thousandth. */
static double begin_against_rest(const struct series *s, uint32_t cut)
{
	double rest = mean_of(s->value + cut, s->count - cut);

	return log(fmax(mean_of(s->value, cut), 1e-3) / fmax(rest, 1e-3));
}

static bool visits_agree(const struct visit *const *visits, uint32_t count,
			 uint32_t parts, uint32_t cut)
{
	double sum = 0, squares = 0;
	struct stats_estimate e;
	struct series one;
	uint32_t i;

	for (i = 0; i < count; i++) {
		double log_ratio;

		cut_up(visits[i], parts, &one);
		log_ratio = begin_against_rest(&one, cut);
		sum += log_ratio;
		squares += log_ratio * log_ratio;
	}
	e.value = sum / count;
	e.df = count - 1;
	/* Equal ones, as on a virtual clock, leave less than nothing. */
	e.se = sqrt(fmax(squares - sum * e.value, 1e-12) / e.df / count);
	return stats_p_value(e, 0) < TRANSIENT_P;
}

bool transient_find(const struct visit *const *visits, uint32_t count,
		    struct transient *out)
{
	bool alone = count < TRANSIENT_VISITS_MIN;
	uint32_t parts = count ? batch_count(visits, count) : 0, cut;
	struct series s;
	double rest;

	if (!parts || !average(visits, count, parts, &s))
		return false;
	cut = transient_mser(s.value, parts);
	if (!cut)
		return false;
	/* The mean of the whole is 1. */
	rest = mean_of(s.value + cut, parts - cut);
	if (fabs(1 / rest - 1) < TRANSIENT_EFFECT_PCT / 100 ||
	    !stands_out(&s, cut,
			alone ? TRANSIENT_CLEAR_ALONE : TRANSIENT_CLEAR) ||
	    (!alone && !visits_agree(visits, count, parts, cut)))
		return false;
	out->share_pct = 100.0 * cut / parts;
	out->change_pct = 100 * (mean_of(s.value, cut) / rest - 1);
	return true;
}
