#include "export/compare_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "export/batch.h"
#include "export/fit.h"
#include "export/rounds.h"

double compare_measure(const struct visit *v, enum compare_metric m)
{
	switch (m) {
	case COMPARE_IOPS:
		return visit_iops(v);
	case COMPARE_MIBPS:
		return visit_mibps(v);
	case COMPARE_LATENCY:
		return visit_lat_mean_us(v);
	case COMPARE_P99:
		return v->lat_p99_ns;
	case COMPARE_METRIC_COUNT:
		break;
	}
	return NAN;
}

static double measure_p99(const struct visit *v)
{
	return v->lat_p99_ns;
}

static rounds_measure *const measures[COMPARE_METRIC_COUNT] = {
    [COMPARE_IOPS] = visit_iops,
    [COMPARE_MIBPS] = visit_mibps,
    [COMPARE_LATENCY] = visit_lat_mean_us,
    [COMPARE_P99] = measure_p99,
};

/* Is it one that results rest on? */
static bool counts(const struct visit *v)
{
	return v->state == VISIT_DONE && !v->aside;
}

int compare_visits_new(const struct run *run, struct compare_visits *out)
{
	uint32_t *next;
	uint32_t i;

	out->start = calloc(run->point_count + (size_t)2, sizeof(*out->start));
	out->order =
	    calloc(run->visit_count + (size_t)1, sizeof(const struct visit *));
	if (!out->start || !out->order)
		return -ENOMEM;
	/* Counting sort: next[i] moves from the start of point i to that of
	 * point i + 1. */
	next = out->start + 1;
	for (i = 0; i < run->visit_count; i++)
		if (counts(&run->visits[i]) &&
		    run->visits[i].point + 1 < run->point_count)
			next[run->visits[i].point + 1]++;
	for (i = 1; i < run->point_count; i++)
		next[i] += next[i - 1];
	for (i = 0; i < run->visit_count; i++)
		if (counts(&run->visits[i]))
			out->order[next[run->visits[i].point]++] =
			    &run->visits[i];
	return 0;
}

void compare_visits_free(struct compare_visits *v)
{
	free(v->start);
	free(v->order);
}

static double log_of(const struct visit *v, enum compare_metric m)
{
	double value = compare_measure(v, m);

	return value > 0 && isfinite(value) ? log(value) : NAN;
}

uint32_t compare_cells(const struct compare_visits *visits, uint32_t point,
		       enum compare_metric m, struct compare_cell *cells)
{
	uint32_t from = visits->start[point], to = visits->start[point + 1];
	uint32_t i;

	for (i = from; i < to; i++) {
		const struct visit *v = visits->order[i];

		cells[i - from] = (struct compare_cell){v->round, log_of(v, m)};
		if (isnan(cells[i - from].y))
			return 0;
	}
	return to - from;
}

uint32_t compare_differences(const struct compare *c,
			     const struct compare_visits *visits,
			     const struct compare_pair *p,
			     enum compare_metric m, struct compare_cell *cells)
{
	uint32_t base = compare_point(c, p->base_run, p->base);
	uint32_t other = compare_point(c, p->other_run, p->other);
	const struct compare_visits *u = &visits[p->base_run];
	const struct compare_visits *v = &visits[p->other_run];
	uint32_t a = u->start[base], a_end = u->start[base + 1];
	uint32_t b = v->start[other], b_end = v->start[other + 1];
	uint32_t count = 0;

	while (a < a_end && b < b_end) {
		const struct visit *x = u->order[a];
		const struct visit *y = v->order[b];

		if (x->round == y->round) {
			double d = log_of(y, m) - log_of(x, m);

			if (isnan(d))
				return 0;
			cells[count++] = (struct compare_cell){x->round, d};
		}
		a += x->round <= y->round;
		b += y->round <= x->round;
	}
	return count;
}

double compare_value(const struct result *r, enum compare_metric m)
{
	if (!r)
		return NAN;
	switch (m) {
	case COMPARE_IOPS:
		return r->iops.value;
	case COMPARE_MIBPS:
		return r->mibps.value;
	case COMPARE_LATENCY:
		return r->lat_mean_us.value;
	case COMPARE_P99:
		return r->lat_us[PCT_99].value;
	case COMPARE_METRIC_COUNT:
		break;
	}
	return NAN;
}

static bool less_is_better(enum compare_metric m)
{
	return m == COMPARE_LATENCY || m == COMPARE_P99;
}

static void fill_ratios(struct compare_pair *p)
{
	int m;

	p->by =
	    p->base->point->workload.rate_iops ? COMPARE_LATENCY : COMPARE_IOPS;
	for (m = 0; m < COMPARE_METRIC_COUNT; m++) {
		double base = compare_value(p->base, (enum compare_metric)m);
		double other = compare_value(p->other, (enum compare_metric)m);
		double ratio = less_is_better((enum compare_metric)m)
				   ? base / other
				   : other / base;

		p->ratio[m].value = ratio > 0 && isfinite(ratio) ? ratio : NAN;
		p->ratio[m].low = p->ratio[m].high = NAN;
		p->se[m] = NAN;
		p->df[m] = 0;
	}
	p->p = NAN;
}

static void set_estimate(struct compare_pair *p, enum compare_metric m,
			 double se, double df)
{
	double half = stats_half_width_95(se, df);

	if (!isfinite(half))
		return;
	p->se[m] = se;
	p->df[m] = df;
	p->ratio[m].low = p->ratio[m].value * exp(-half);
	p->ratio[m].high = p->ratio[m].value * exp(half);
}

/* All pairs of one side whose points are of one run, and one metric. */
struct blocks {
	struct compare *c;
	const struct compare_visits *visits;
	uint32_t first, count; /* of c->pairs */
	enum compare_metric metric;
	struct fit_cell *cells;
	uint32_t cell_count;
	struct compare_cell *scratch;
};

static int by_round(const void *a, const void *b)
{
	const struct fit_cell *x = *(struct fit_cell *const *)a;
	const struct fit_cell *y = *(struct fit_cell *const *)b;

	return (x->round > y->round) - (x->round < y->round);
}

/* Rounds from 0 on without gaps; how many, or -ENOMEM. */
static int number_rounds(struct fit_cell *cells, uint32_t count)
{
	struct fit_cell **sorted =
	    calloc(count + (size_t)1, sizeof(struct fit_cell *));
	uint32_t before = 0, i;
	int rounds = 0;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		sorted[i] = &cells[i];
	qsort(sorted, count, sizeof(struct fit_cell *), by_round);
	for (i = 0; i < count; i++) {
		if (i == 0 || sorted[i]->round != before)
			rounds++;
		before = sorted[i]->round;
		sorted[i]->round = (uint32_t)rounds - 1;
	}
	free(sorted);
	return rounds;
}

static void gather_differences(struct blocks *b)
{
	uint32_t i, k;

	b->cell_count = 0;
	for (i = 0; i < b->count; i++) {
		const struct compare_pair *p = &b->c->pairs[b->first + i];
		uint32_t n = 0;

		if (compare_shares_rounds(b->c, p))
			n = compare_differences(b->c, b->visits, p, b->metric,
						b->scratch);
		for (k = 0; k < n; k++)
			b->cells[b->cell_count++] = (struct fit_cell){
			    i, b->scratch[k].round, b->scratch[k].y};
	}
}

static int estimate_blocks(struct blocks *b)
{
	struct fit fit;
	uint32_t i;
	int rounds, rc;

	gather_differences(b);
	rounds = number_rounds(b->cells, b->cell_count);
	if (rounds < 0)
		return rounds;
	rc = fit_new(b->cells, b->cell_count, b->count, (uint32_t)rounds, &fit);
	if (rc)
		return rc;
	for (i = 0; i < b->count; i++) {
		struct compare_pair *p = &b->c->pairs[b->first + i];
		struct stats_estimate e = fit_level(&fit, i);

		if (!fit.point[i].n || !(e.df > 0))
			continue;
		set_estimate(p, b->metric, e.se, e.df);
		p->within_rounds = true;
	}
	fit_free(&fit);
	return 0;
}

/* The pairs of one base run and side stand together. */
static int estimate_within(struct compare *c,
			   const struct compare_visits *visits,
			   enum compare_metric m)
{
	struct blocks b = {.c = c, .visits = visits, .metric = m};
	size_t most = 1;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < c->sides.run_count; i++)
		most += c->sides.runs[i]->visit_count;
	b.cells = malloc(most * sizeof(*b.cells));
	b.scratch = malloc(most * sizeof(*b.scratch));
	if (!b.cells || !b.scratch)
		rc = -ENOMEM;
	for (i = 0; !rc && i < c->pair_count; i += b.count) {
		const struct compare_pair *p = &c->pairs[i];

		b.first = i;
		b.count = 1;
		while (i + b.count < c->pair_count &&
		       p[b.count].side == p->side &&
		       p[b.count].base_run == p->base_run)
			b.count++;
		rc = estimate_blocks(&b);
	}
	free(b.cells);
	free(b.scratch);
	return rc;
}

/* Batches tell of the IOPS, and by them of the latency of a closed loop. */
static bool batches_tell(const struct result *r, enum compare_metric m)
{
	if (m == COMPARE_LATENCY)
		return !r->point->workload.rate_iops;
	return m != COMPARE_P99;
}

/* What is known of a point's level by itself. */
struct level {
	struct stats_variance of_mean;
	bool optimistic;
};

static struct level level_of(const struct result *r, enum compare_metric m,
			     const struct rounds_doubt *doubt,
			     const struct visit *first)
{
	struct level l = {.of_mean = {.value = NAN}};

	/* A visit without a value has no logarithm. */
	if (doubt->visits < r->done || !first)
		return l;
	if (doubt->df > 0) {
		l.of_mean =
		    (struct stats_variance){doubt->se * doubt->se, doubt->df};
	} else if (r->done == 1 && batches_tell(r, m)) {
		l.of_mean = batch_variance(first);
		l.optimistic = true;
	}
	return l;
}

static struct level level_at(const struct compare *c,
			     const struct compare_visits *visits,
			     struct rounds_doubt *const *doubts, uint32_t run,
			     const struct result *r, enum compare_metric m)
{
	uint32_t point = compare_point(c, run, r);
	uint32_t first = visits[run].start[point];
	bool any = first < visits[run].start[point + 1];

	return level_of(r, m, &doubts[run][point],
			any ? visits[run].order[first] : NULL);
}

static void estimate_across(const struct compare_work *w,
			    struct rounds_doubt *const *doubts,
			    enum compare_metric m)
{
	const struct compare_visits *visits = w->visits;
	struct compare *c = w->c;
	uint32_t i;

	for (i = 0; i < c->pair_count; i++) {
		struct compare_pair *p = &c->pairs[i];
		struct level a, b;
		struct stats_variance sum;

		if (p->df[m] > 0)
			continue;
		a = level_at(c, visits, doubts, p->base_run, p->base, m);
		b = level_at(c, visits, doubts, p->other_run, p->other, m);
		sum = stats_add(a.of_mean, b.of_mean);
		sum = stats_add(sum, compare_drift(w, p, m));
		set_estimate(p, m, sqrt(sum.value), sum.df);
		if (m == p->by && p->df[m] > 0)
			p->optimistic = a.optimistic || b.optimistic;
	}
}

static int find_doubts(const struct compare *c, enum compare_metric m,
		       struct rounds_doubt **doubts)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < c->sides.run_count; i++) {
		const struct run *run = c->sides.runs[i];

		doubts[i] =
		    calloc(run->point_count + (size_t)1, sizeof(**doubts));
		if (!doubts[i])
			return -ENOMEM;
		rc = rounds_estimate(run->points, run->point_count, run->visits,
				     run->visit_count, measures[m], doubts[i]);
	}
	return rc;
}

int compare_estimate(struct compare_work *w)
{
	struct compare *c = w->c;
	uint32_t runs = c->sides.run_count, i;
	int rc = 0;
	int m;

	for (i = 0; i < c->pair_count; i++)
		fill_ratios(&c->pairs[i]);
	for (m = 0; !rc && m < COMPARE_METRIC_COUNT; m++) {
		struct rounds_doubt **doubts =
		    calloc(runs + (size_t)1, sizeof(*doubts));

		if (!doubts)
			return -ENOMEM;
		rc = estimate_within(c, w->visits, (enum compare_metric)m);
		if (!rc)
			rc = find_doubts(c, (enum compare_metric)m, doubts);
		if (!rc)
			estimate_across(w, doubts, (enum compare_metric)m);
		for (i = 0; i < runs; i++)
			free(doubts[i]);
		free(doubts);
	}
	return rc;
}
