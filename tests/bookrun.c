#include "tests/bookrun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

#define START_NS (INT64_C(1767225600) * 1000000000) /* 2026-01-01 */

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void bookrun_axes_default(struct bookrun_axes *axes)
{
	uint32_t i;

	for (i = 0; i < 8; i++) {
		axes->block_sizes[i] = 8 * KIB << i;
		axes->outstandings[i] = 1u << i;
	}
}

static void set_defaults(struct bookrun_axes *a)
{
	if (!a->label)
		a->label = "fake";
	if (!a->block_sizes[0])
		a->block_sizes[0] = 8 * KIB;
	if (!a->outstandings[0])
		a->outstandings[0] = 1;
	if (!a->targets[0])
		a->targets[0] = "/data/test.dat";
	if (!a->variants[0])
		a->variants[0] = "";
	if (!a->sections[0])
		a->sections[0] = "";
	if (!a->threads[0])
		a->threads[0] = 1;
	if (!a->cache_count)
		a->cache_count = 1;
	if (!a->rounds)
		a->rounds = 5;
}

/* Percents end with a negative number, or are all zeros: the default. */
static uint32_t percents(double *list)
{
	uint32_t n = 0;

	while (n <= BOOKRUN_AXIS_MAX && list[n] >= 0)
		n++;
	if (n <= BOOKRUN_AXIS_MAX)
		return n;
	list[0] = 100;
	return 1;
}

static uint32_t texts(const char *const *list)
{
	uint32_t n = 0;

	while (list[n])
		n++;
	return n;
}

static double truth(const struct bookrun_axes *a, const struct point *p)
{
	double size = (double)p->workload.stream.block_size_bytes;
	double service = 90e-6 + size / 2.5e9;
	double ceiling = fmin(250e3, 2.2e9 / size);
	double offered = point_outstanding(p) / service;
	double iops = 1 / cbrt(pow(offered, -3) + pow(ceiling, -3));

	if (p->workload.stream.random_pct <= 0)
		iops *= 1.2;
	if (p->workload.stream.read_pct <= 0)
		iops *= 0.8;
	if (p->cache == CACHE_BUFFERED || strcmp(p->variant, "cached") == 0)
		iops *= 3;
	if (a->targets[1] && strcmp(p->target, a->targets[1]) == 0)
		iops *= 0.5;
	return iops;
}

static struct interval around(double value, double share)
{
	return (struct interval){value, value * (1 - share),
				 value * (1 + share)};
}

static void set_total(struct visit *v, const struct point *p, double iops,
		      double lat_us, uint32_t rounds)
{
	double reads = p->workload.stream.read_pct / 100;
	double ios = iops * rounds;
	int d;

	visit_init(v);
	v->state = VISIT_DONE;
	v->point = p->index;
	v->measured_ns = rounds * NS_PER_SEC;
	v->engine_used = ENGINE_IO_URING;
	v->ios[DIR_READ] = (uint64_t)(ios * reads);
	v->ios[DIR_WRITE] = (uint64_t)(ios * (1 - reads));
	for (d = 0; d < DIR_COUNT; d++) {
		v->bytes[d] = v->ios[d] * p->workload.stream.block_size_bytes;
		v->lat_sum_ns[d] = (uint64_t)((double)v->ios[d] * lat_us * 1e3);
	}
}

static void set_latencies(struct result *r, double us)
{
	static const double factors[PCT_COUNT] = {0.9, 1.6, 2.1, 3, 5, 9};
	int i;

	r->lat_mean_us = around(us, 0.01);
	for (i = 0; i < PCT_COUNT; i++)
		r->lat_us[i] = around(us * factors[i], 0.03);
	r->lat_min_us = us * 0.5;
	r->lat_max_us = us * 20;
	r->lat_stddev_us = us * 0.6;
}

/* Everything unknown. */
static void set_unknown(struct result *r)
{
	const struct interval unknown = {NAN, NAN, NAN};
	double *const numbers[] = {
	    &r->lat_min_us,	  &r->lat_max_us,	 &r->lat_stddev_us,
	    &r->read_lat_mean_us, &r->write_lat_mean_us, &r->read_p99_us,
	    &r->write_p99_us,	  &r->read_iops,	 &r->write_iops,
	    &r->cpu_pct,	  &r->cpu_peak_pct,	 &r->device_depth,
	    &r->little,		  &r->best_share_pct,
	};
	size_t i;

	r->done = r->failed = r->skipped = 0;
	r->verdicts = 0;
	r->iops = r->mibps = r->lat_mean_us = unknown;
	for (i = 0; i < PCT_COUNT; i++)
		r->lat_us[i] = unknown;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = NAN;
	for (i = 0; i < VERDICT_COUNT; i++)
		r->verdict_value[i] = NAN;
	visit_init(&r->total);
	r->reason = "";
}

/* Log-normal around 0.9 of the mean, by the width of each bucket. */
static void set_histogram(struct result *r, double us)
{
	struct hist_span *span = &r->latency[DIR_READ];
	uint64_t ios = r->total.ios[DIR_READ] + r->total.ios[DIR_WRITE];
	uint32_t i;

	span->first = hist_index((uint64_t)(us * 300));
	span->count = hist_index((uint64_t)(us * 20000)) - span->first + 1;
	span->bucket = must(calloc(span->count, sizeof(*span->bucket)));
	for (i = 0; i < span->count; i++) {
		double low = (double)hist_bucket_lower(span->first + i) / 1e3;
		double high = (double)hist_bucket_upper(span->first + i) / 1e3;
		double z = log(high / (0.9 * us)) / 0.45;
		double density = exp(-z * z / 2) / 2.5066 / 0.45;

		span->bucket[i] =
		    (uint64_t)((double)ios * density * log(high / low));
	}
}

static void set_samples(struct visit *v, uint32_t count, const struct result *r)
{
	double ios = r->iops.value / 10;
	uint64_t size = r->point->workload.stream.block_size_bytes;
	uint32_t i;

	v->samples = must(calloc(count, sizeof(*v->samples)));
	v->sample_count = v->sample_capacity = count;
	v->interval_ns = NS_PER_SEC / 10;
	for (i = 0; i < count; i++) {
		struct sample *s = &v->samples[i];
		double factor = 1 + 0.05 * sin(i * 0.9 + v->round);
		double us = r->lat_mean_us.value / factor;

		if (i < count / 3)
			factor *= 0.6;
		s->ios[DIR_READ] = (uint64_t)(ios * factor);
		s->bytes[DIR_READ] = s->ios[DIR_READ] * size;
		s->lat_sum_ns = (uint64_t)((double)s->ios[DIR_READ] * us * 1e3);
		s->lat_max_ns =
		    (uint64_t)(us * 1e3 * (i == count / 2 ? 50 : 5));
	}
}

static void set_result(const struct bookrun_axes *a, const struct point *p,
		       struct result *r)
{
	double iops = truth(a, p);
	double us = point_outstanding(p) / iops * 1e6;

	set_unknown(r);
	r->point = p;
	r->done = a->rounds;
	set_total(&r->total, p, iops, us, a->rounds);
	r->iops = around(iops, 0.015);
	r->mibps = around(
	    iops * (double)p->workload.stream.block_size_bytes / MIB, 0.015);
	r->read_iops = iops * p->workload.stream.read_pct / 100;
	r->write_iops = iops - r->read_iops;
	r->cpu_pct = iops / 5000;
	r->little = 1;
	if (!a->no_latency)
		set_latencies(r, us);
	if (a->samples)
		set_histogram(r, us);
}

/* Shares of the best of the same size and threads in its group: group_size
 * points behind each other. */
static void set_shares(struct run *run, uint32_t group_size)
{
	uint32_t i, j;

	for (i = 0; i < run->point_count; i++) {
		const struct workload *w = &run->points[i].workload;
		uint32_t first = i / group_size * group_size;
		double best = 0;

		for (j = first; j < first + group_size; j++) {
			const struct workload *o = &run->points[j].workload;

			if (o->stream.block_size_bytes ==
				w->stream.block_size_bytes &&
			    o->threads == w->threads)
				best = fmax(best, run->results[j].iops.value);
		}
		run->results[i].best_share_pct =
		    100 * run->results[i].iops.value / best;
	}
}

static void add_point(struct run *run, const struct point *point)
{
	run->points = must(realloc(run->points, (run->point_count + 1) *
						    sizeof(*run->points)));
	run->points[run->point_count] = *point;
	run->points[run->point_count].index = run->point_count;
	run->point_count++;
}

/* All block sizes, outstandings and threads of one group. */
static void add_group(const struct bookrun_axes *a, struct run *run,
		      struct point *point)
{
	struct workload *w = &point->workload;
	uint32_t s, o, t;

	for (t = 0; a->threads[t]; t++)
		for (s = 0; a->block_sizes[s]; s++)
			for (o = 0; a->outstandings[o]; o++) {
				if (a->outstandings[o] % a->threads[t])
					continue;
				w->stream.block_size_bytes = a->block_sizes[s];
				w->threads = a->threads[t];
				w->queue_depth =
				    a->outstandings[o] / a->threads[t];
				add_point(run, point);
			}
}

/* The next digit of a number whose digits have different bases. */
static uint32_t digit(uint32_t *number, uint32_t base)
{
	uint32_t value = *number % base;

	*number /= base;
	return value;
}

/* Returns how many points a group has. */
static uint32_t add_all(struct bookrun_axes *a, struct run *run)
{
	uint32_t randoms = percents(a->randoms), reads = percents(a->reads);
	uint32_t targets = texts(a->targets), sections = texts(a->sections);
	uint32_t variants = texts(a->variants);
	uint32_t groups =
	    reads * randoms * a->cache_count * variants * sections * targets;
	uint32_t i;

	for (i = 0; i < groups; i++) {
		uint32_t rest = i;
		struct point point;

		memset(&point, 0, sizeof(point));
		point.workload.stream.read_pct = a->reads[digit(&rest, reads)];
		point.workload.stream.random_pct =
		    a->randoms[digit(&rest, randoms)];
		point.cache = a->caches[digit(&rest, a->cache_count)];
		point.variant = a->variants[digit(&rest, variants)];
		point.section = a->sections[digit(&rest, sections)];
		point.target = a->targets[digit(&rest, targets)];
		add_group(a, run, &point);
	}
	return run->point_count / groups;
}

static void add_visits(const struct bookrun_axes *a, struct run *run)
{
	uint32_t i, n = 0;

	run->visit_count = run->point_count * a->rounds;
	run->visits = must(calloc(run->visit_count, sizeof(*run->visits)));
	for (i = 0; i < run->visit_count; i++) {
		struct visit *v = &run->visits[n++];

		visit_init(v);
		v->id = n;
		v->point = i % run->point_count;
		v->round = i / run->point_count + 1;
		v->state = VISIT_DONE;
		v->started_utc_ns = START_NS + (int64_t)(i * NS_PER_SEC);
		v->measured_ns = NS_PER_SEC;
		if (a->samples)
			set_samples(v, a->samples, &run->results[v->point]);
	}
}

void bookrun_init(struct bookrun_axes *axes, struct run *run)
{
	uint32_t i, group_size;

	memset(run, 0, sizeof(*run));
	set_defaults(axes);
	run->folder = must(strdup("results/fake"));
	run->label = must(strdup(axes->label));
	group_size = add_all(axes, run);
	run->results =
	    must(calloc(run->point_count + 1, sizeof(*run->results)));
	for (i = 0; i < run->point_count; i++)
		set_result(axes, &run->points[i], &run->results[i]);
	set_shares(run, group_size);
	add_visits(axes, run);
}

void bookrun_fini(struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		free(run->facts[i].section);
		free(run->facts[i].name);
		free(run->facts[i].value);
	}
	free(run->facts);
	free(run->folder);
	free(run->label);
	free(run->points);
	for (i = 0; i < run->point_count; i++)
		free(run->results[i].latency[DIR_READ].bucket);
	free(run->results);
	for (i = 0; i < run->visit_count; i++)
		free(run->visits[i].samples);
	free(run->visits);
}

void bookrun_forget(struct run *run, uint32_t point)
{
	set_unknown(&run->results[point]);
}

void bookrun_fail(struct run *run, uint32_t point, const char *reason)
{
	bookrun_forget(run, point);
	run->results[point].failed = 1;
	run->results[point].reason = reason;
}

void bookrun_skip(struct run *run, uint32_t point, const char *reason)
{
	bookrun_forget(run, point);
	run->results[point].skipped = 1;
	run->results[point].reason = reason;
}

void bookrun_fact(struct run *run, const char *section, const char *name,
		  const char *value)
{
	struct run_fact *fact;

	run->facts = must(
	    realloc(run->facts, (run->fact_count + 1) * sizeof(*run->facts)));
	fact = &run->facts[run->fact_count++];
	fact->section = must(strdup(section));
	fact->name = must(strdup(name));
	fact->value = must(strdup(value));
}
