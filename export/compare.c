#include "export/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/columns.h"
#include "export/compare_parts.h"

static const char *const compare_verdict_names[COMPARE_VERDICT_COUNT] = {
    [COMPARE_UNSURE] = "unsure",
    [COMPARE_SAME] = "same",
    [COMPARE_FASTER] = "faster",
    [COMPARE_SLOWER] = "slower",
};

static const char *const compare_metric_names[COMPARE_METRIC_COUNT] = {
    [COMPARE_IOPS] = "iops",
    [COMPARE_MIBPS] = "mibps",
    [COMPARE_LATENCY] = "lat_mean",
    [COMPARE_P99] = "lat_p99",
};

const char *compare_verdict_name(enum compare_verdict v)
{
	return (unsigned)v < COMPARE_VERDICT_COUNT ? compare_verdict_names[v]
						   : NULL;
}

const char *compare_metric_name(enum compare_metric m)
{
	return (unsigned)m < COMPARE_METRIC_COUNT ? compare_metric_names[m]
						  : NULL;
}

struct interval compare_ratio(const struct compare_pair *p)
{
	return p ? p->ratio[p->by] : (struct interval){NAN, NAN, NAN};
}

/* Place of a pair among all: side, run, group, point. */
struct place {
	uint32_t side, run, group, point;
};

static struct place place_of(const struct compare *c, uint32_t side,
			     uint32_t run, const struct result *r)
{
	struct place p = {
	    .side = side, .run = run, .point = compare_point(c, run, r)};

	p.group = sides_group(&c->sides, run, p.point);
	return p;
}

static int compare_places(const struct place *a, const struct place *b)
{
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->point > b->point) - (a->point < b->point);
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct compare_pair *x = a, *y = b;
	const struct compare *c = arg;
	struct place p = place_of(c, x->side, x->base_run, x->base);
	struct place q = place_of(c, y->side, y->base_run, y->base);

	return compare_places(&p, &q);
}

const struct compare_pair *
compare_find(const struct compare *c, const struct result *base, uint32_t side)
{
	uint32_t low = 0, high = c->pair_count, run;
	struct place wanted;

	for (run = 0; run < c->sides.run_count; run++)
		if (base >= c->sides.runs[run]->results &&
		    base < c->sides.runs[run]->results +
			       c->sides.runs[run]->point_count)
			break;
	if (!base || run == c->sides.run_count)
		return NULL;
	wanted = place_of(c, side, run, base);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct compare_pair *p = &c->pairs[middle];
		struct place at = place_of(c, p->side, p->base_run, p->base);
		int d = compare_places(&at, &wanted);

		if (!d)
			return p;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int find_spots(struct compare *c, const struct latency_limit *limit)
{
	uint32_t i;
	int rc = 0;

	c->spots = calloc(c->sides.run_count + (size_t)1, sizeof(*c->spots));
	if (!c->spots)
		return -ENOMEM;
	for (i = 0; !rc && i < c->sides.run_count; i++)
		rc = sweetspot_find(c->sides.runs[i], limit, &c->spots[i]);
	return rc;
}

/* When a side was visited. */
struct span {
	int64_t from_ns, to_ns;
};

static void extend(struct span *s, const struct compare_visits *visits,
		   uint32_t point)
{
	uint32_t i;

	for (i = visits->start[point]; i < visits->start[point + 1]; i++) {
		const struct visit *v = visits->order[i];

		if (v->started_utc_ns < s->from_ns)
			s->from_ns = v->started_utc_ns;
		if (v->started_utc_ns > s->to_ns)
			s->to_ns = v->started_utc_ns;
	}
}

/* One folder read twice, or a copy of it. */
static bool same_visits(const struct run *a, const struct run *b)
{
	uint64_t ios = 0;
	uint32_t i;

	if (a == b || a->visit_count != b->visit_count)
		return false;
	for (i = 0; i < a->visit_count; i++) {
		const struct visit *u = &a->visits[i], *v = &b->visits[i];

		if (u->started_utc_ns != v->started_utc_ns ||
		    u->point != v->point ||
		    memcmp(u->ios, v->ios, sizeof(u->ios)) != 0 ||
		    memcmp(u->lat_sum_ns, v->lat_sum_ns,
			   sizeof(u->lat_sum_ns)) != 0)
			return false;
		ios += u->ios[DIR_READ] + u->ios[DIR_WRITE];
	}
	return ios > 0;
}

static void tell_about(struct compare *c, const struct compare_visits *visits)
{
	uint32_t side, i;

	for (side = 1; side < c->sides.count; side++) {
		struct span base = {INT64_MAX, INT64_MIN}, other = base;
		struct compare_side *about = &c->about[side];
		const struct compare_pair *before = NULL;

		for (i = 0; i < c->pair_count; i++) {
			const struct compare_pair *p = &c->pairs[i];

			if (p->side != side)
				continue;
			if (!before)
				about->itself = true;
			if (!before || before->base_run != p->base_run ||
			    before->other_run != p->other_run)
				about->itself &=
				    same_visits(c->sides.runs[p->base_run],
						c->sides.runs[p->other_run]);
			before = p;
			extend(&base, &visits[p->base_run],
			       compare_point(c, p->base_run, p->base));
			extend(&other, &visits[p->other_run],
			       compare_point(c, p->other_run, p->other));
			about->other_offsets |=
			    strcmp(run_fact(c->sides.runs[p->base_run], "plan",
					    "seed"),
				   run_fact(c->sides.runs[p->other_run], "plan",
					    "seed")) != 0;
		}
		about->interleaved =
		    base.from_ns <= other.to_ns && other.from_ns <= base.to_ns;
	}
}

bool compare_passes(double sequential_hit_pct, double random_hit_pct)
{
	return sequential_hit_pct < COMPARE_PASSED_HIT_PCT &&
	       random_hit_pct >= COMPARE_SERVED_HIT_PCT;
}

/* The hit ratio of a point, where a column tells it. */
static double hit_pct(const struct compare *c, const struct compare_pair *p)
{
	const struct column *column = column_find("hit_pct");
	struct column_row row = {.point = p->other->point,
				 .result = p->other,
				 .run = c->sides.runs[p->other_run]};
	struct column_value value = {.known = false};

	if (column)
		column->get(&row, &value);
	return value.known ? value.real : NAN;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void mark_passed(struct compare *c, uint32_t side, double *scratch)
{
	double random = NAN;
	uint32_t n = 0, i;

	for (i = 0; i < c->pair_count; i++) {
		const struct compare_pair *p = &c->pairs[i];
		const struct stream *s = &p->other->point->workload.stream;

		if (p->side == side && s->random_pct >= 100 &&
		    s->read_pct > 0 && !isnan(hit_pct(c, p)))
			scratch[n++] = hit_pct(c, p);
	}
	qsort(scratch, n, sizeof(*scratch), by_value);
	if (n)
		random = scratch[n / 2];
	for (i = 0; i < c->pair_count; i++) {
		struct compare_pair *p = &c->pairs[i];
		const struct stream *s = &p->other->point->workload.stream;

		if (p->side != side || s->random_pct > 0 || s->read_pct <= 0)
			continue;
		p->passed = compare_passes(hit_pct(c, p), random);
		c->about[side].passed += p->passed;
	}
}

static int mark_all_passed(struct compare *c)
{
	double *scratch = malloc((c->pair_count + (size_t)1) * sizeof(double));
	uint32_t side;

	if (!scratch)
		return -ENOMEM;
	for (side = 1; side < c->sides.count; side++)
		mark_passed(c, side, scratch);
	free(scratch);
	return 0;
}

static int fill(struct compare_work *w, const struct latency_limit *limit)
{
	struct compare *c = w->c;
	uint32_t i;
	int rc = find_spots(c, limit);

	c->about = calloc(c->sides.count + (size_t)1, sizeof(*c->about));
	if (!c->about)
		return -ENOMEM;
	for (i = 0; !rc && i < c->sides.run_count; i++)
		rc = compare_visits_new(c->sides.runs[i], &w->visits[i]);
	if (!rc)
		rc = compare_match(c);
	if (rc)
		return rc;
	if (c->pair_count)
		qsort_r(c->pairs, c->pair_count, sizeof(*c->pairs), by_place,
			c);
	tell_about(c, w->visits);
	rc = compare_find_drift(w);
	if (!rc)
		rc = compare_estimate(w);
	if (!rc)
		rc = compare_summarize(w);
	return rc ? rc : mark_all_passed(c);
}

int compare_runs(const struct run *const *runs, uint32_t run_count,
		 const struct sides_opts *opts,
		 const struct latency_limit *limit, struct compare *out,
		 struct err *err)
{
	struct compare c = {0};
	struct compare_work w = {.c = &c};
	uint32_t i;
	int rc = sides_find(runs, run_count, opts, &c.sides, err);

	if (rc)
		return rc;
	w.visits = calloc(run_count + (size_t)1, sizeof(*w.visits));
	rc = w.visits ? fill(&w, limit) : -ENOMEM;
	for (i = 0; w.visits && i < run_count; i++)
		compare_visits_free(&w.visits[i]);
	free(w.visits);
	free(w.spells);
	if (rc) {
		compare_free(&c);
		return err_failed(err, -rc, "out of memory for the comparison");
	}
	*out = c;
	return 0;
}

void compare_free(struct compare *c)
{
	uint32_t i;

	for (i = 0; c->spots && i < c->sides.run_count; i++)
		sweetspot_free(&c->spots[i]);
	free(c->spots);
	free(c->workloads);
	free(c->lost);
	free(c->pairs);
	free(c->about);
	sides_free(&c->sides);
	memset(c, 0, sizeof(*c));
}
