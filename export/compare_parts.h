/*
 * compare_parts: what the files compare*.c share. Internal to export/.
 */
#ifndef EXPORT_COMPARE_PARTS_H
#define EXPORT_COMPARE_PARTS_H

#include "export/compare.h"
#include "export/stats.h"

/* Number of a result's point in its run. */
static inline uint32_t compare_point(const struct compare *c, uint32_t run,
				     const struct result *r)
{
	return (uint32_t)(r - c->sides.runs[run]->results);
}

/* compare_match.c: fill c->pairs (points and runs only) and c->lost. 0 or
 * -ENOMEM. */
int compare_match(struct compare *c);

/* The done visits of a run by point: those of point i are
 * order[start[i] .. start[i + 1]], in the order of their time. */
struct compare_visits {
	uint32_t *start;
	const struct visit **order;
};
int compare_visits_new(const struct run *run, struct compare_visits *out);
void compare_visits_free(struct compare_visits *v);

/* What a visit has of a metric; NAN where unknown. */
double compare_measure(const struct visit *v, enum compare_metric m);

/* The logarithm of a metric in a visit. */
struct compare_cell {
	uint32_t round;
	double y;
};
/* Of all visits of a point, into cells, which has room for them; returns how
 * many: 0 where one of the visits has no value. */
uint32_t compare_cells(const struct compare_visits *visits, uint32_t point,
		       enum compare_metric m, struct compare_cell *cells);
/* The same of a pair: other less base, in the rounds that both saw. visits
 * are those of all runs. */
uint32_t compare_differences(const struct compare *c,
			     const struct compare_visits *visits,
			     const struct compare_pair *p,
			     enum compare_metric m, struct compare_cell *cells);

/* What is computed once for all files. */
struct compare_work {
	struct compare *c;
	struct compare_visits *visits; /* one a run */
	struct compare_spell *spells;  /* what is known of drift */
};

/* Both sides of these pairs were visited in the same rounds. */
static inline bool compare_shares_rounds(const struct compare *c,
					 const struct compare_pair *p)
{
	return c->about[p->side].itself ||
	       (p->base_run == p->other_run && c->about[p->side].interleaved);
}

/*
 * compare_drift.c: where two sides were measured one after the other, how far
 * the whole device may have gone in between, on logarithms. Within each run
 * its rounds tell how far it goes from one to the next, what their own noise
 * makes of it taken off; as a random walk it goes on like that, and the means
 * over two spells of R rounds that follow each other differ with R times that
 * variance. A longer pause between the runs is beyond what can be known. 0
 * where the sides are interleaved, a run has one round only, or no drift is
 * seen.
 *
 * compare_find_drift fills w->spells: 0 or -ENOMEM; compare_drift is the
 * variance that it adds to the ratio of a pair.
 */
int compare_find_drift(struct compare_work *w);
struct stats_variance compare_drift(const struct compare_work *w,
				    const struct compare_pair *p,
				    enum compare_metric m);

/* compare_estimate.c: ratio, se and df of all pairs. 0 or -ENOMEM. */
int compare_estimate(struct compare_work *w);

/* compare_summary.c: c->workloads from c->pairs, verdicts of pairs and
 * workloads. 0 or -ENOMEM. */
int compare_summarize(struct compare_work *w);

#endif
