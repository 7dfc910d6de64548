/*
 * schedule_search: the schedule of a search (search.h): one search for every
 * workload of the plan, side by side, so that a round is one block of points
 * of all of them and the visits of each point lie spread over the whole time.
 */
#ifndef SWEEP_SCHEDULE_SEARCH_H
#define SWEEP_SCHEDULE_SEARCH_H

#include <stdint.h>

#include "engine/err.h"
#include "export/sweetspot.h"
#include "sweep/plan.h"
#include "sweep/schedule.h"

/* Visits that settings.budget_ns pays for, a workload. */
uint32_t schedule_search_visits(const struct plan_settings *s);

/* Whether the plan can be searched: 0, or -EINVAL with a sentence on a budget
 * that is too small or a workload with more than SEARCH_POINTS_MAX points. */
int schedule_search_check(const struct plan *plan, struct err *err);

/* For a plan with settings.budget_ns, which outlives it as limit does not have
 * to; limit may be NULL. NULL when out of memory. */
struct schedule *schedule_search_new(const struct plan *plan,
				     const struct latency_limit *limit);

struct schedule_search_summary {
	uint32_t workloads;
	uint32_t settled; /* of them: nothing was open at the end */
	uint32_t points;  /* visited */
	uint64_t visits;
};
/* s is one of schedule_search_new. */
struct schedule_search_summary
schedule_search_summarize(const struct schedule *s);

#endif
