#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/measure.h"
#include "engine/saturate.h"
#include "engine/units.h"
#include "export/precision.h"
#include "export/steady.h"
#include "sweep/plan.h"

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
	int used = 0;

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
