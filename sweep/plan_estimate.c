#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/measure.h"
#include "engine/saturate.h"
#include "engine/units.h"
#include "export/group.h"
#include "export/precision.h"
#include "export/steady.h"
#include "sweep/plan.h"
#include "sweep/schedule_search.h"
#include "sweep/search.h"

/* Workloads of a search: groups of points that have a sweet spot each. */
static uint32_t count_workloads(const struct plan *plan)
{
	uint32_t *group_of =
	    calloc(plan->point_count + (size_t)1, sizeof(*group_of));
	int groups =
	    group_of ? group_by_sweep(plan->points, plan->point_count, group_of)
		     : 0;

	free(group_of);
	return groups > 0 ? (uint32_t)groups : 1; /* out of memory: a guess */
}

static void estimate_search(const struct plan *plan, uint64_t visit_ns,
			    struct plan_estimate *out)
{
	uint64_t workloads = count_workloads(plan);

	out->least_visit_count = SEARCH_VISITS_MIN * workloads;
	out->visit_count = schedule_search_visits(&plan->settings) * workloads;
	out->least_time_ns =
	    saturate_multiply(visit_ns, out->least_visit_count);
	out->time_ns = saturate_multiply(visit_ns, out->visit_count);
}

static uint32_t least_rounds(const struct plan_settings *s)
{
	if (s->precision_pct > 0)
		return PRECISION_MIN_VISITS;
	return s->steady ? STEADY_ROUNDS : s->rounds;
}

void plan_estimate(const struct plan *plan, struct plan_estimate *out)
{
	const struct plan_settings *s = &plan->settings;
	uint64_t visit_ns =
	    saturate_add(saturate_add(s->time_ns, s->ramp_ns), s->pause_ns);
	uint32_t i;

	memset(out, 0, sizeof(*out));
	out->least_rounds = least_rounds(s);
	out->least_visit_count =
	    (uint64_t)plan->point_count * out->least_rounds;
	out->visit_count = (uint64_t)plan->point_count * s->rounds;
	out->least_time_ns =
	    saturate_multiply(visit_ns, out->least_visit_count);
	out->time_ns = saturate_multiply(visit_ns, out->visit_count);
	out->grid_time_ns = out->time_ns;
	if (s->budget_ns)
		estimate_search(plan, visit_ns, out);
	out->cut_by_max_time = s->max_time_ns && out->time_ns > s->max_time_ns;
	for (i = 0; i < plan->point_count; i++) {
		const struct point *p = &plan->points[i];
		uint64_t bytes = measure_memory_bytes(p);

		if (bytes > out->memory_bytes)
			out->memory_bytes = bytes;
		out->writing_points += point_writes(p);
	}
}

char *plan_format_rounds(const struct plan *plan, char *buf, size_t size)
{
	const struct plan_settings *s = &plan->settings;
	uint32_t least = least_rounds(s);
	char budget[UNITS_TEXT_MAX];
	uint32_t workloads;
	int used = 0;

	if (s->budget_ns) {
		workloads = count_workloads(plan);
		snprintf(buf, size,
			 "a search of %" PRIu32 " workload%s, up to "
			 "%s each",
			 workloads, workloads == 1 ? "" : "s",
			 units_format_duration(budget, s->budget_ns));
		return buf;
	}

	if (least < s->rounds)
		used = snprintf(buf, size, "%" PRIu32 " to ", least);
	used += snprintf(buf + used, size - (size_t)used, "%" PRIu32 " round%s",
			 s->rounds, s->rounds == 1 ? "" : "s");
	if (s->precision_pct > 0)
		snprintf(buf + used, size - (size_t)used, " until +-%g%%",
			 s->precision_pct);
	if (s->steady)
		snprintf(buf + used, size - (size_t)used, " until steady");
	return buf;
}

char *plan_format_time(const struct plan_estimate *e, char *buf, size_t size)
{
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];

	units_format_duration(least, e->least_time_ns);
	units_format_duration(most, e->time_ns);
	snprintf(buf, size, "%s%s%s%s",
		 e->least_time_ns < e->time_ns ? least : "",
		 e->least_time_ns < e->time_ns ? " to " : "", most,
		 e->cut_by_max_time ? ", cut short by --max-time" : "");
	return buf;
}
