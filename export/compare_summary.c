#include "export/compare_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "export/stats.h"

/*
 * How much one visit moves the mean of a workload's logarithms. Visits of one
 * round share what hit the device then, so the variance of the mean comes
 * from the sums over whole rounds (clusters: Liang and Zeger, Biometrika 73,
 * 1986): R / (R - 1) times the sum of their squares, with R - 1 degrees of
 * freedom. Without missing visits it is the plain spread of the rounds.
 */
struct influence {
	uint32_t run;
	uint32_t part; /* 0 base, 1 other, 2 differences within rounds */
	uint32_t round;
	double z;
};

struct work {
	const struct compare_work *all;
	struct compare *c;
	const struct compare_visits *visits;
	struct influence *influences;
	uint32_t influence_count;
	struct compare_cell *cells;
};

static int by_cluster(const void *a, const void *b)
{
	const struct influence *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->round > y->round) - (x->round < y->round);
}

/* count cells of one pair; a single one tells no spread. */
static void add_cells(struct work *w, uint32_t run, uint32_t part,
		      uint32_t count)
{
	double mean = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		mean += w->cells[i].y / count;
	for (i = 0; i < count; i++)
		w->influences[w->influence_count++] =
		    (struct influence){run, part, w->cells[i].round,
				       (w->cells[i].y - mean) / count};
}

/* True when the pair has visits that tell a spread. */
static bool add_pair(struct work *w, const struct compare_pair *p,
		     enum compare_metric m)
{
	const struct compare *c = w->c;
	uint32_t base = compare_point(c, p->base_run, p->base);
	uint32_t other = compare_point(c, p->other_run, p->other);
	const struct compare_visits *x = &w->visits[p->base_run];
	const struct compare_visits *y = &w->visits[p->other_run];
	uint32_t before = w->influence_count;
	uint32_t n;

	if (!(p->df[m] > 0))
		return false;
	if (compare_shares_rounds(c, p)) {
		n = compare_differences(c, w->visits, p, m, w->cells);
		if (n) {
			add_cells(w, p->base_run, 2, n);
			return n > 1;
		}
	}
	n = compare_cells(x, base, m, w->cells);
	add_cells(w, p->base_run, 0, n);
	if (n > 1) {
		n = compare_cells(y, other, m, w->cells);
		add_cells(w, p->other_run, 1, n);
	}
	if (n > 1)
		return true;
	w->influence_count = before;
	return false;
}

/* Variance and degrees of freedom of one part of one run. */
static struct stats_variance cluster_variance(const struct influence *from,
					      const struct influence *end,
					      double pairs)
{
	struct stats_variance out = {.value = 0, .df = -1};

	while (from < end) {
		uint32_t round = from->round;
		double sum = 0;

		for (; from < end && from->round == round; from++)
			sum += from->z;
		out.value += sum * sum / (pairs * pairs);
		out.df++;
	}
	if (out.df > 0)
		out.value *= (out.df + 1) / out.df;
	return out;
}

/* Of the mean over a number of pairs: parts add up, degrees of freedom after
 * Satterthwaite. df 0 where a part has one round only. */
static struct stats_variance sum_clusters(struct work *w, uint32_t pairs)
{
	const struct influence *at = w->influences;
	const struct influence *last = at + w->influence_count;
	struct stats_variance out = {.value = 0};
	double weight = 0, least_df = 0;

	qsort(w->influences, w->influence_count, sizeof(*at), by_cluster);
	while (at < last) {
		const struct influence *end = at;
		struct stats_variance part;

		while (end < last && end->run == at->run &&
		       end->part == at->part)
			end++;
		part = cluster_variance(at, end, pairs);
		at = end;
		if (!(part.df > 0))
			return (struct stats_variance){.value = NAN};
		out.value += part.value;
		weight += part.value * part.value / part.df;
		least_df = least_df > 0 ? fmin(least_df, part.df) : part.df;
	}
	out.df = weight > 0 ? out.value * out.value / weight : least_df;
	return out;
}

/* One visit a point: what the points claim for themselves, or how far their
 * ratios lie apart, whatever is more. */
static struct stats_variance
variance_of_ratios(const struct compare_pair *pairs, uint32_t count,
		   enum compare_metric m)
{
	struct stats_variance own = {.value = 0}, apart = {.value = NAN};
	double mean = 0, sum_sq = 0, weight = 0;
	uint32_t n = 0, i;

	for (i = 0; i < count; i++) {
		const struct compare_pair *p = &pairs[i];
		double variance = p->se[m] * p->se[m];
		double y = log(p->ratio[m].value), delta = y - mean;

		if (!(p->df[m] > 0))
			continue;
		n++;
		own.value += variance;
		weight += variance * variance / p->df[m];
		mean += delta / n;
		sum_sq += delta * (y - mean);
	}
	if (!n)
		return apart;
	own.df = weight > 0 ? own.value * own.value / weight : n;
	own.value /= (double)n * n;
	if (n > 1)
		apart = (struct stats_variance){sum_sq / (n - 1) / n, n - 1};
	return apart.value > own.value ? apart : own;
}

static struct stats_variance variance_of_mean(struct work *w,
					      const struct compare_workload *l,
					      enum compare_metric m)
{
	const struct compare_pair *pairs = &w->c->pairs[l->first];
	struct stats_variance v = {.value = NAN};
	uint32_t known = 0, i;

	if (l->count == 1)
		return (struct stats_variance){pairs->se[m] * pairs->se[m],
					       pairs->df[m]};
	w->influence_count = 0;
	for (i = 0; i < l->count; i++)
		known += add_pair(w, &pairs[i], m);
	if (known)
		v = sum_clusters(w, known);
	if (!(v.df > 0))
		v = variance_of_ratios(pairs, l->count, m);
	/* One device on each side: of the first pair as of all. */
	return stats_add(v, compare_drift(w->all, pairs, m));
}

/* The geometric mean over the pairs that have the ratio. */
static void fill_mean(struct work *w, struct compare_workload *l,
		      enum compare_metric m)
{
	struct stats_variance v;
	double sum = 0, half;
	uint32_t n = 0, i;

	for (i = 0; i < l->count; i++) {
		double ratio = w->c->pairs[l->first + i].ratio[m].value;

		if (isnan(ratio))
			continue;
		sum += log(ratio);
		n++;
	}
	l->mean[m] = (struct interval){n ? exp(sum / n) : NAN, NAN, NAN};
	v = variance_of_mean(w, l, m);
	half = stats_half_width_95(sqrt(v.value), v.df);
	if (isfinite(half)) {
		l->mean[m].low = l->mean[m].value * exp(-half);
		l->mean[m].high = l->mean[m].value * exp(half);
	}
	if (m == l->by) {
		l->se = sqrt(v.value);
		l->df = v.df;
		l->p = stats_p_value(
		    (struct stats_estimate){sum / n, l->se, l->df}, 0);
	}
}

static enum compare_verdict judge(struct interval ratio, bool told)
{
	if (told)
		return ratio.value > 1 ? COMPARE_FASTER : COMPARE_SLOWER;
	if (ratio.low >= 1 / COMPARE_MARGIN && ratio.high <= COMPARE_MARGIN)
		return COMPARE_SAME;
	return COMPARE_UNSURE;
}

static int judge_pairs(struct compare *c)
{
	double *p = malloc((c->pair_count + (size_t)1) * sizeof(*p));
	uint32_t i;
	int rc = -ENOMEM;

	if (!p)
		return rc;
	for (i = 0; i < c->pair_count; i++) {
		struct compare_pair *pair = &c->pairs[i];

		pair->p = stats_p_value(
		    (struct stats_estimate){log(compare_ratio(pair).value),
					    pair->se[pair->by],
					    pair->df[pair->by]},
		    0);
		p[i] = pair->p;
	}
	rc = stats_adjust_bh(p, c->pair_count, p);
	for (i = 0; !rc && i < c->pair_count; i++)
		c->pairs[i].verdict = judge(compare_ratio(&c->pairs[i]),
					    p[i] <= COMPARE_POINTS_RATE);
	free(p);
	return rc;
}

static int by_p(const void *a, const void *b)
{
	double x = (*(struct compare_workload *const *)a)->p;
	double y = (*(struct compare_workload *const *)b)->p;

	return (x > y) - (x < y);
}

/* Holm's adjusted p values of the workloads. */
static int judge_workloads(struct compare *c)
{
	struct compare_workload **sorted =
	    calloc(c->workload_count + (size_t)1, sizeof(*sorted));
	double most = 0;
	uint32_t known = 0, i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < c->workload_count; i++)
		if (!isnan(c->workloads[i].p))
			sorted[known++] = &c->workloads[i];
	qsort(sorted, known, sizeof(*sorted), by_p);
	for (i = 0; i < known; i++) {
		most = fmax(most, fmin(1, sorted[i]->p * (known - i)));
		sorted[i]->p = most;
	}
	free(sorted);
	for (i = 0; i < c->workload_count; i++) {
		struct compare_workload *l = &c->workloads[i];

		l->verdict = judge(l->mean[l->by], l->p <= COMPARE_MEANS_RATE);
	}
	return 0;
}

static void count_pairs(const struct compare *c, struct compare_workload *l)
{
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const struct compare_pair *p = &c->pairs[l->first + i];
		double ratio = compare_ratio(p).value;

		l->verdicts[p->verdict]++;
		l->optimistic |= p->optimistic;
		if (isnan(ratio))
			continue;
		if (!l->best || ratio > compare_ratio(l->best).value)
			l->best = p;
		if (!l->worst || ratio < compare_ratio(l->worst).value)
			l->worst = p;
	}
}

/* The change that a two-sided test at that level tells with COMPARE_POWER, as
 * a ratio: from the normal approximation of the noncentral t distribution
 * (N. L. Johnson, B. L. Welch, Biometrika 31, 1940; Abramowitz and Stegun
 * 26.7.10). */
static double seen(double se, double df, double level)
{
	double t = stats_t_quantile(1 - level / 2, df);

	return exp(se * (t * (1 - 1 / (4 * df)) +
			 stats_normal_quantile(COMPARE_POWER) *
			     sqrt(1 + t * t / (2 * df))));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void find_seen(const struct compare *c, struct compare_workload *l,
		      double *scratch)
{
	uint32_t known = 0, i;

	for (i = 0; i < l->count; i++) {
		const struct compare_pair *p = &c->pairs[l->first + i];
		double x = seen(p->se[p->by], p->df[p->by],
				COMPARE_POINTS_RATE / c->pair_count);

		if (isfinite(x))
			scratch[known++] = x;
	}
	qsort(scratch, known, sizeof(*scratch), by_value);
	l->seen_point = known ? scratch[known / 2] : NAN;
	l->seen_mean =
	    seen(l->se, l->df, COMPARE_MEANS_RATE / c->workload_count);
}

static const struct sweetspot *find_spot(const struct compare *c, uint32_t run,
					 const struct result *r)
{
	uint32_t group = sides_group(&c->sides, run, compare_point(c, run, r));
	const struct sweetspot_list *list = &c->spots[run];
	uint32_t i;

	for (i = 0; i < list->count; i++) {
		const struct point *first = list->spots[i].group;
		uint32_t at = (uint32_t)(first - c->sides.runs[run]->points);

		if (sides_group(&c->sides, run, at) == group)
			return &list->spots[i];
	}
	return NULL;
}

static bool same_workload(const struct compare *c, const struct compare_pair *a,
			  const struct compare_pair *b)
{
	return a->side == b->side && a->base_run == b->base_run &&
	       sides_group(&c->sides, a->base_run,
			   compare_point(c, a->base_run, a->base)) ==
		   sides_group(&c->sides, b->base_run,
			       compare_point(c, b->base_run, b->base));
}

static int divide(struct compare *c)
{
	uint32_t i;

	c->workloads = calloc(c->pair_count + (size_t)1, sizeof(*c->workloads));
	if (!c->workloads)
		return -ENOMEM;
	for (i = 0; i < c->pair_count; i++) {
		const struct compare_pair *p = &c->pairs[i];
		struct compare_workload *l;

		if (i > 0 && same_workload(c, p - 1, p)) {
			c->workloads[c->workload_count - 1].count++;
			continue;
		}
		l = &c->workloads[c->workload_count++];
		l->side = p->side;
		l->first = i;
		l->by = p->by;
		l->count = 1;
		l->base_spot = find_spot(c, p->base_run, p->base);
		l->other_spot = find_spot(c, p->other_run, p->other);
		l->group = l->base_spot ? l->base_spot->group : p->base->point;
	}
	return 0;
}

/* What tells the workloads of the base apart. */
static int name_workloads(struct compare *c)
{
	struct point *points =
	    calloc(c->workload_count + (size_t)1, sizeof(*points));
	struct label_axes axes;
	uint32_t i;

	if (!points)
		return -ENOMEM;
	for (i = 0; i < c->workload_count; i++)
		points[i] = *c->workloads[i].group;
	label_axes_find(points, c->workload_count, &axes);
	axes.variant = axes.cache = axes.engine = false;
	axes.target &= !c->sides.by_target;
	for (i = 0; i < c->workload_count; i++)
		label_group(&axes, &points[i], c->workloads[i].name,
			    sizeof(c->workloads[i].name));
	free(points);
	return 0;
}

static int work_new(struct work *w, const struct compare_work *all)
{
	const struct compare *c = all->c;
	size_t most = 1;
	uint32_t i;

	*w = (struct work){.all = all, .c = all->c, .visits = all->visits};
	for (i = 0; i < c->sides.run_count; i++)
		most += c->sides.runs[i]->visit_count;
	w->influences = malloc(2 * most * sizeof(*w->influences));
	w->cells = malloc(most * sizeof(*w->cells));
	return w->influences && w->cells ? 0 : -ENOMEM;
}

int compare_summarize(struct compare_work *all)
{
	struct compare *c = all->c;
	double *scratch = malloc((c->pair_count + (size_t)1) * sizeof(double));
	struct work w;
	uint32_t i;
	int rc = work_new(&w, all);
	int m;

	if (!scratch)
		rc = -ENOMEM;
	if (!rc)
		rc = judge_pairs(c);
	if (!rc)
		rc = divide(c);
	if (!rc)
		rc = name_workloads(c);
	for (i = 0; !rc && i < c->workload_count; i++) {
		for (m = 0; m < COMPARE_METRIC_COUNT; m++)
			fill_mean(&w, &c->workloads[i], (enum compare_metric)m);
		count_pairs(c, &c->workloads[i]);
		find_seen(c, &c->workloads[i], scratch);
	}
	if (!rc)
		rc = judge_workloads(c);
	free(w.influences);
	free(w.cells);
	free(scratch);
	return rc;
}
