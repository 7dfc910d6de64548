#include "export/precision.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "export/rounds.h"

/* Visits of a point by what became of them. */
struct tally {
	uint32_t done, failed, skipped;
};

static void count_visits(const struct visit *visits, uint32_t visit_count,
			 uint32_t point_count, struct tally *tallies)
{
	uint32_t i;

	for (i = 0; i < visit_count; i++) {
		const struct visit *v = &visits[i];

		if (v->point >= point_count)
			continue;
		tallies[v->point].done += v->state == VISIT_DONE;
		tallies[v->point].failed += v->state == VISIT_FAILED;
		tallies[v->point].skipped += v->state == VISIT_SKIPPED;
	}
}

/* Visits until the half width, which falls with their root, is small enough;
 * as many as are allowed where it is not known. */
static uint32_t expect_visits(const struct tally *t,
			      const struct rounds_doubt *doubt,
			      const struct precision_rule *rule)
{
	double short_by = doubt->half_width / log1p(rule->precision_pct / 100);
	double visits = ceil(doubt->visits * short_by * short_by);
	uint32_t least = t->done + t->failed + 1;

	if (least < rule->min_visits)
		least = rule->min_visits;
	if (doubt->visits < t->done || !(visits < rule->max_visits))
		return rule->max_visits;
	return visits > least ? (uint32_t)visits : least;
}

static bool has_reached(const struct tally *t, const struct rounds_doubt *doubt,
			const struct precision_rule *rule)
{
	/* An interval that is unknown (NAN), or leaves out a visit without
	 * any I/O, has not reached anything. */
	return doubt->visits >= t->done &&
	       100 * expm1(doubt->half_width) <= rule->precision_pct;
}

static uint32_t need_more(const struct tally *t,
			  const struct rounds_doubt *doubt,
			  const struct precision_rule *rule)
{
	uint32_t tried = t->done + t->failed;

	if (t->skipped || tried >= rule->max_visits)
		return 0;
	if (tried >= rule->min_visits &&
	    (!t->done || has_reached(t, doubt, rule)))
		return 0;
	return expect_visits(t, doubt, rule) - tried;
}

int precision_more(const struct point *points, uint32_t point_count,
		   const struct visit *visits, uint32_t visit_count,
		   const struct precision_rule *rule, uint32_t *more)
{
	size_t room = point_count + (size_t)1;
	struct tally *tallies = calloc(room, sizeof(*tallies));
	struct rounds_doubt *doubts = malloc(room * sizeof(*doubts));
	int count = -ENOMEM;
	uint32_t i;

	if (!tallies || !doubts ||
	    rounds_estimate(points, point_count, visits, visit_count,
			    visit_iops, doubts))
		goto out;
	count_visits(visits, visit_count, point_count, tallies);
	count = 0;
	for (i = 0; i < point_count; i++) {
		more[i] = need_more(&tallies[i], &doubts[i], rule);
		count += more[i] > 0;
	}
out:
	free(doubts);
	free(tallies);
	return count;
}
