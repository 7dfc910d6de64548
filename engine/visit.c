#include "engine/visit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void visit_init(struct visit *v)
{
	memset(v, 0, sizeof(*v));
	visit_reset(v);
}

void visit_reset(struct visit *v)
{
	struct hist *latency[LATENCY_COUNT];
	struct sample *samples = v->samples;
	uint32_t capacity = v->sample_capacity;
	struct visit_counter *counters = v->counters;
	uint32_t counter_capacity = v->counter_capacity;
	int d;

	memcpy(latency, v->latency, sizeof(latency));
	memset(v, 0, sizeof(*v));
	memcpy(v->latency, latency, sizeof(latency));
	v->samples = samples;
	v->sample_capacity = capacity;
	v->counters = counters;
	v->counter_capacity = counter_capacity;
	v->state = VISIT_SKIPPED;
	for (d = 0; d < DIR_COUNT; d++)
		v->lat_min_ns[d] = UINT64_MAX;
	for (d = 0; d < LATENCY_COUNT; d++)
		if (v->latency[d])
			hist_reset(v->latency[d]);
	v->lat_p99_ns = NAN;
	v->mean_depth = NAN;
	v->edge_ns = NAN;
	v->switches_voluntary = NAN;
	v->switches_involuntary = NAN;
	v->cpu_wait_ns = NAN;
	v->cpu_peak_pct = NAN;
	v->machine_cpu_pct = NAN;
	v->machine_steal_pct = NAN;
	v->device_depth = NAN;
	v->device_read_bytes = NAN;
	v->device_write_bytes = NAN;
	v->punted_threads = NAN;
	v->origin_read_bytes = NAN;
	v->origin_write_bytes = NAN;
	v->hit_pct = NAN;
	v->resident_before_pct = NAN;
	v->resident_after_pct = NAN;
	v->touched_bytes = NAN;
	v->cold_left_pct = NAN;
	v->warm_passes = NAN;
	v->verified_blocks = NAN;
	v->corrupt_blocks = NAN;
}

int visit_reserve(struct visit *v, uint32_t samples)
{
	struct sample *grown;
	int d;

	for (d = 0; d < LATENCY_COUNT; d++) {
		if (!v->latency[d])
			v->latency[d] = malloc(sizeof(*v->latency[d]));
		if (!v->latency[d])
			return -ENOMEM;
		hist_reset(v->latency[d]);
	}
	if (samples <= v->sample_capacity)
		return 0;
	grown = realloc(v->samples, samples * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	v->samples = grown;
	v->sample_capacity = samples;
	return 0;
}

void visit_fini(struct visit *v)
{
	int d;

	for (d = 0; d < LATENCY_COUNT; d++) {
		free(v->latency[d]);
		v->latency[d] = NULL;
	}
	free(v->samples);
	v->samples = NULL;
	v->sample_capacity = 0;
	v->sample_count = 0;
	free(v->counters);
	v->counters = NULL;
	v->counter_capacity = 0;
	v->counter_count = 0;
}

int visit_add_counter(struct visit *v, const char *role, const char *source,
		      const char *name, double value)
{
	struct visit_counter *c;

	if (v->counter_count == v->counter_capacity) {
		uint32_t room =
		    v->counter_capacity ? 2 * v->counter_capacity : 32;

		c = realloc(v->counters, room * sizeof(*c));
		if (!c)
			return -ENOMEM;
		v->counters = c;
		v->counter_capacity = room;
	}
	c = &v->counters[v->counter_count++];
	c->role = role;
	snprintf(c->source, sizeof(c->source), "%s", source);
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->value = value;
	return 0;
}

void visit_count_error(struct visit *v, int errnum, uint64_t count)
{
	int i;

	v->error_count += count;
	for (i = 0; i < VISIT_ERROR_KINDS - 1; i++)
		if (!v->errors[i].count || v->errors[i].errnum == errnum)
			break;
	if (!v->errors[i].count)
		v->errors[i].errnum = errnum;
	else if (v->errors[i].errnum != errnum)
		v->errors[i].errnum = VISIT_ERROR_OTHER;
	v->errors[i].count += count;
}

double visit_iops(const struct visit *v)
{
	if (!v->measured_ns)
		return NAN;
	return (double)(v->ios[DIR_READ] + v->ios[DIR_WRITE]) * 1e9 /
	       (double)v->measured_ns;
}

double visit_mibps(const struct visit *v)
{
	if (!v->measured_ns)
		return NAN;
	return (double)(v->bytes[DIR_READ] + v->bytes[DIR_WRITE]) * 1e9 /
	       (double)v->measured_ns / (1024.0 * 1024.0);
}

double visit_lat_mean_us(const struct visit *v)
{
	uint64_t ios = v->ios[DIR_READ] + v->ios[DIR_WRITE];

	if (!ios)
		return NAN;
	return (double)(v->lat_sum_ns[DIR_READ] + v->lat_sum_ns[DIR_WRITE]) /
	       (double)ios / 1e3;
}

double visit_service_mean_us(const struct visit *v)
{
	uint64_t ios = v->ios[DIR_READ] + v->ios[DIR_WRITE];

	if (!ios || !v->service_sum_ns)
		return NAN;
	return (double)v->service_sum_ns / (double)ios / 1e3;
}

/* What Little's law is about, of this visit. */
static double depth_of(const struct visit *v, const struct point *p)
{
	return p->workload.rate_iops ? v->mean_depth
				     : (double)point_outstanding(p);
}

double visit_edges(const struct visit *v, const struct point *p)
{
	return v->edge_ns / (double)v->measured_ns / depth_of(v, p);
}

double visit_little(const struct visit *v, const struct point *p)
{
	double mean_us = p->workload.rate_iops ? visit_service_mean_us(v)
					       : visit_lat_mean_us(v);
	double inside = visit_iops(v) * mean_us / 1e6 / depth_of(v, p);

	return isnan(v->edge_ns) ? inside : inside + visit_edges(v, p);
}
