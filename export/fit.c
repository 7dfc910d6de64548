#include "export/fit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Degrees of freedom that the pool of the other points is worth. */
#define PRIOR_DF 4
/* One in so many variances may be wild without reaching the pool. */
#define WINSOR_SHARE 16

#define SWEEPS_MAX 1000
#define SWEEP_ENOUGH 1e-13

static int by_point_and_round(const void *a, const void *b)
{
	const struct fit_cell *x = a, *y = b;

	if (x->point != y->point)
		return x->point < y->point ? -1 : 1;
	return (x->round > y->round) - (x->round < y->round);
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Scratch of one fit: a value a point or round. */
struct work {
	double *level;	    /* of points, least squares */
	double *sum;	    /* of points or rounds */
	uint32_t *in_round; /* cells of a round */
	struct stats_variance *raw;
	double *sorted;
};

static void work_free(struct work *w)
{
	free(w->level);
	free(w->sum);
	free(w->in_round);
	free(w->raw);
	free(w->sorted);
}

static int work_new(const struct fit *f, struct work *w)
{
	size_t most = (f->points > f->rounds ? f->points : f->rounds) + 1u;

	w->level = calloc(most, sizeof(*w->level));
	w->sum = calloc(most, sizeof(*w->sum));
	w->in_round = calloc(most, sizeof(*w->in_round));
	w->raw = calloc(most, sizeof(*w->raw));
	w->sorted = calloc(most, sizeof(*w->sorted));
	if (w->level && w->sum && w->in_round && w->raw && w->sorted)
		return 0;
	work_free(w);
	return -ENOMEM;
}

static void find_means(struct fit *f, struct work *w)
{
	uint32_t i;

	for (i = 0; i < f->cell_count; i++) {
		struct fit_point *p = &f->point[f->cells[i].point];

		p->n++;
		p->mean += f->cells[i].y;
		w->in_round[f->cells[i].round]++;
	}
	for (i = 0; i < f->points; i++) {
		f->point[i].mean /= f->point[i].n; /* NAN when empty */
		w->level[i] = f->point[i].mean;
	}
}

/* One sweep of the alternating least squares; the largest change. */
static double refine(struct fit *f, struct work *w)
{
	double change = 0;
	uint32_t i;

	memset(w->sum, 0, f->rounds * sizeof(*w->sum));
	for (i = 0; i < f->cell_count; i++) {
		const struct fit_cell *c = &f->cells[i];

		w->sum[c->round] += c->y - w->level[c->point];
	}
	for (i = 0; i < f->rounds; i++) {
		double effect = w->in_round[i] ? w->sum[i] / w->in_round[i] : 0;

		change = fmax(change, fabs(effect - f->effect[i]));
		f->effect[i] = effect;
	}
	memset(w->sum, 0, f->points * sizeof(*w->sum));
	for (i = 0; i < f->cell_count; i++) {
		const struct fit_cell *c = &f->cells[i];

		w->sum[c->point] += c->y - f->effect[c->round];
	}
	for (i = 0; i < f->points; i++)
		w->level[i] = w->sum[i] / f->point[i].n;
	return change;
}

static uint32_t count_seen(const uint32_t *n, uint32_t count)
{
	uint32_t seen = 0, i;

	for (i = 0; i < count; i++)
		seen += n[i] > 0;
	return seen;
}

static uint32_t points_seen(const struct fit *f)
{
	uint32_t seen = 0, i;

	for (i = 0; i < f->points; i++)
		seen += f->point[i].n > 0;
	return seen;
}

/* Each variance moderated by the pool of all the others. */
static void moderate(const struct fit *f, const struct stats_variance *raw,
		     double *sorted, bool residual)
{
	double limit = INFINITY, sum = 0, df = 0;
	uint32_t known = 0, i;

	for (i = 0; i < f->points; i++)
		if (raw[i].df > 0)
			sorted[known++] = raw[i].value;
	qsort(sorted, known, sizeof(*sorted), descending);
	if (known)
		limit = sorted[known / WINSOR_SHARE];
	for (i = 0; i < f->points; i++) {
		if (!(raw[i].df > 0))
			continue;
		sum += raw[i].df * fmin(raw[i].value, limit);
		df += raw[i].df;
	}
	for (i = 0; i < f->points; i++) {
		bool own = raw[i].df > 0;
		double others = df - (own ? raw[i].df : 0);
		struct stats_variance prior = {.df = fmin(PRIOR_DF, others)};
		struct stats_variance *to =
		    residual ? &f->point[i].residual : &f->point[i].spread;

		if (prior.df > 1e-9)
			prior.value =
			    (sum - (own ? raw[i].df * fmin(raw[i].value, limit)
					: 0)) /
			    others;
		else
			prior.df = 0;
		*to = stats_moderate(raw[i], prior);
	}
}

/* Sum of squares around w->level + effects into w->sum, a value a point. */
static void sum_squares(const struct fit *f, struct work *w, bool residual)
{
	uint32_t i;

	memset(w->sum, 0, f->points * sizeof(*w->sum));
	for (i = 0; i < f->cell_count; i++) {
		const struct fit_cell *c = &f->cells[i];
		double off =
		    residual ? c->y - w->level[c->point] - f->effect[c->round]
			     : c->y - f->point[c->point].mean;

		w->sum[c->point] += off * off;
	}
}

/* Spread of the visits of each point around its mean; returns the sum of
 * squares over all. */
static double find_spread(struct fit *f, struct work *w)
{
	double all = 0;
	uint32_t i;

	sum_squares(f, w, false);
	for (i = 0; i < f->points; i++) {
		double df = f->point[i].n > 1 ? f->point[i].n - 1.0 : 0;

		w->raw[i] = (struct stats_variance){
		    .value = df > 0 ? w->sum[i] / df : NAN, .df = df};
		all += w->sum[i];
	}
	moderate(f, w->raw, w->sorted, false);
	return all;
}

/* The same around level + effect. A point's share of the residual degrees of
 * freedom goes by its visits. */
static void find_residual(struct fit *f, struct work *w, double within_df)
{
	double all = 0;
	uint32_t i;

	sum_squares(f, w, true);
	for (i = 0; i < f->points; i++) {
		double df = f->point[i].n > 1 ? (f->point[i].n - 1.0) *
						    f->residual.df / within_df
					      : 0;

		w->raw[i] = (struct stats_variance){
		    .value = df > 0 ? w->sum[i] / df : NAN, .df = df};
		all += w->sum[i];
	}
	f->residual.value = all / f->residual.df;
	if (points_seen(f) > 2) {
		moderate(f, w->raw, w->sorted, true);
		return;
	}
	/* The residuals of two points are each other's mirror image: the
	 * other one tells nothing new. */
	for (i = 0; i < f->points; i++)
		f->point[i].residual = w->raw[i];
}

/* Shrink each effect by the share of its square that is no noise. */
static void shrink_effects(struct fit *f, struct work *w)
{
	double mean = 0;
	uint32_t i;

	memset(w->sum, 0, f->rounds * sizeof(*w->sum));
	for (i = 0; i < f->cell_count; i++) {
		const struct fit_cell *c = &f->cells[i];

		w->sum[c->round] += f->point[c->point].residual.df > 0
					? f->point[c->point].residual.value
					: f->residual.value;
	}
	for (i = 0; i < f->rounds; i++) {
		double n = w->in_round[i];
		double noise = n > 0 ? w->sum[i] / (n * n) : 0;

		if (f->effect_variance > 0)
			f->effect[i] *=
			    f->effect_variance / (f->effect_variance + noise);
		else
			f->effect[i] = 0;
		mean += n * f->effect[i];
	}
	mean /= f->cell_count;
	for (i = 0; i < f->rounds; i++)
		if (w->in_round[i])
			f->effect[i] -= mean;
}

/* Points that saw every round stay what they are, the plain mean. */
static void find_shifts(struct fit *f, uint32_t rounds)
{
	uint32_t i;

	for (i = 0; i < f->cell_count; i++) {
		const struct fit_cell *c = &f->cells[i];
		struct fit_point *p = &f->point[c->point];

		if (p->n < rounds)
			p->shift -= f->effect[c->round] / p->n;
	}
}

static void solve(struct fit *f, struct work *w)
{
	double within, within_df;
	uint32_t points, rounds, i;

	find_means(f, w);
	within = find_spread(f, w);
	points = points_seen(f);
	rounds = count_seen(w->in_round, f->rounds);
	within_df = (double)f->cell_count - points;
	f->residual.df = within_df - (rounds ? rounds - 1.0 : 0);
	if (points < 2 || rounds < 2 || f->residual.df < 1) {
		f->residual.df = 0;
		return;
	}
	for (i = 0; i < SWEEPS_MAX; i++)
		if (refine(f, w) < SWEEP_ENOUGH)
			break;
	find_residual(f, w, within_df);
	f->effect_variance = fmax(0, within / within_df - f->residual.value);
	shrink_effects(f, w);
	find_shifts(f, rounds);
}

int fit_new(const struct fit_cell *cells, uint32_t cell_count, uint32_t points,
	    uint32_t rounds, struct fit *out)
{
	struct fit f = {.points = points,
			.rounds = rounds,
			.cell_count = cell_count,
			.residual = {.value = NAN}};
	struct work w = {0};

	f.point = calloc(points + 1u, sizeof(*f.point));
	f.effect = calloc(rounds + 1u, sizeof(*f.effect));
	f.cells = malloc((cell_count + (size_t)1) * sizeof(*f.cells));
	if (!f.point || !f.effect || !f.cells || work_new(&f, &w)) {
		fit_free(&f);
		return -ENOMEM;
	}
	if (cell_count)
		memcpy(f.cells, cells, cell_count * sizeof(*cells));
	qsort(f.cells, cell_count, sizeof(*f.cells), by_point_and_round);
	solve(&f, &w);
	work_free(&w);
	*out = f;
	return 0;
}

void fit_free(struct fit *f)
{
	free(f->point);
	free(f->effect);
	free(f->cells);
	memset(f, 0, sizeof(*f));
}

struct stats_estimate fit_level(const struct fit *f, uint32_t point)
{
	const struct fit_point *p = &f->point[point];
	struct stats_estimate e = {.value = p->mean + p->shift, .se = NAN};

	if (p->n && p->spread.df > 0) {
		e.se = sqrt(p->spread.value / p->n);
		e.df = p->spread.df;
	}
	return e;
}

/* First cell of a point, by binary search. */
static const struct fit_cell *first_cell(const struct fit *f, uint32_t point)
{
	uint32_t low = 0, high = f->cell_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->cells[middle].point < point)
			low = middle + 1;
		else
			high = middle;
	}
	return f->cells + low;
}

/* Mean difference over the rounds that both saw; their number is returned. */
static uint32_t mean_difference(const struct fit *f, uint32_t a, uint32_t b,
				double *mean)
{
	const struct fit_cell *x = first_cell(f, a), *y = first_cell(f, b);
	const struct fit_cell *x_end = x + f->point[a].n;
	const struct fit_cell *y_end = y + f->point[b].n;
	uint32_t common = 0;
	double sum = 0;

	while (x < x_end && y < y_end) {
		if (x->round == y->round) {
			sum += x++->y - y++->y;
			common++;
		} else if (x->round < y->round) {
			x++;
		} else {
			y++;
		}
	}
	*mean = sum / common;
	return common;
}

struct stats_estimate fit_difference(const struct fit *f, uint32_t a,
				     uint32_t b)
{
	const struct fit_point *p = &f->point[a], *q = &f->point[b];
	struct stats_estimate e;
	double mean;
	uint32_t common = mean_difference(f, a, b, &mean);

	if (common && f->residual.df > 0) {
		e = stats_welch(mean, p->residual, common, 0, q->residual,
				common);
		return e;
	}
	return stats_welch(p->mean + p->shift, p->spread, p->n,
			   q->mean + q->shift, q->spread, q->n);
}
