#include "tests/fakerun.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/store.h"
#include "tests/prng.h"

void fakerun_points(struct point *points, uint32_t count)
{
	static const char *const targets[] = {"/data/test.dat",
					      "/dev/disk/by-path/a:b,c d"};
	static const double mixes[] = {100, 0, 65.5};
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct point *p = &points[i];

		memset(p, 0, sizeof(*p));
		p->index = i;
		p->workload.stream.block_size_bytes = 512u << (i % 12);
		p->workload.stream.read_pct = mixes[i % 3];
		p->workload.stream.random_pct = i % 5 * 25;
		p->workload.working_set_bytes = i % 4 ? 0 : 1u << 30;
		p->workload.threads = 1 + i % 4;
		p->workload.queue_depth = 1u << (i % 8);
		p->workload.rate_iops = i % 6 == 4 ? 500 + i : 0;
		p->target = targets[i % 2];
		p->variant = i % 2 ? "cached" : "";
		p->section = i % 7 ? "" : "Max \"Throughput\", 100%";
		p->cache = (enum cache_mode)(i % CACHE_COUNT);
		p->engine = (enum engine_kind)(i % ENGINE_COUNT);
	}
}

static double draw_real(uint64_t *seed)
{
	return prng_below(seed, 8) ? (double)prng_below(seed, 1u << 30) / 997
				   : NAN;
}

static void draw_latency(struct visit *v, enum direction d, uint64_t *seed)
{
	uint64_t n = prng_below(seed, 200);
	uint64_t i;

	for (i = 0; i < n; i++)
		hist_record(v->latency[d],
			    20000 + prng_below(seed, (uint64_t)1 << (i % 40)));
	v->ios[d] = n;
	v->bytes[d] = n * 4096;
	v->lat_sum_ns[d] = v->latency[d]->sum_ns;
	v->lat_min_ns[d] = v->latency[d]->min_ns;
	v->lat_max_ns[d] = v->latency[d]->max_ns;
}

static void draw_samples(struct visit *v, uint32_t count, uint64_t *seed)
{
	uint32_t i;
	int d;

	v->interval_ns = 10000000 + prng_below(seed, 1000);
	v->sample_count = count;
	for (i = 0; i < count; i++) {
		struct sample *x = &v->samples[i];

		for (d = 0; d < DIR_COUNT; d++) {
			x->ios[d] = prng_below(seed, 100000);
			x->bytes[d] = x->ios[d] * 4096;
		}
		x->lat_sum_ns = prng_next(seed);
		x->lat_max_ns = prng_next(seed);
	}
}

static void draw_machine(struct visit *v, uint64_t *seed)
{
	v->cpu_user_ns = prng_below(seed, 1u << 31);
	v->cpu_system_ns = prng_below(seed, 1u << 31);
	v->switches_voluntary = draw_real(seed);
	v->switches_involuntary = draw_real(seed);
	v->cpu_wait_ns = 1e3 * (double)prng_below(seed, 1u << 20);
	v->cpu_peak_pct = draw_real(seed);
	v->machine_cpu_pct = draw_real(seed);
	v->machine_steal_pct = draw_real(seed);
	v->device_depth = draw_real(seed);
	v->device_read_bytes = draw_real(seed);
	v->device_write_bytes = draw_real(seed);
	v->punted_threads = draw_real(seed);
	v->origin_read_bytes = draw_real(seed);
	v->origin_write_bytes = draw_real(seed);
	/* Below 0 as well. */
	v->hit_pct = 100 - draw_real(seed);
	v->hit_source = (enum hit_source)prng_below(seed, HIT_SOURCE_COUNT);
	v->resident_before_pct = (double)prng_below(seed, 101);
	v->resident_after_pct = (double)prng_below(seed, 101);
	v->touched_bytes = draw_real(seed);
	v->state_reached = (enum state_reached)prng_below(seed, REACHED_COUNT);
	v->cold_left_pct = (double)prng_below(seed, 101);
	v->warm_passes = (double)prng_below(seed, 11);
	if (visit_add_counter(v, "target", "sd,a", "read_bytes", 4096.5) ||
	    visit_add_counter(v, "probe", "probe", "said \"x\"", -1))
		abort();
	v->verified_blocks = draw_real(seed);
	v->corrupt_blocks = draw_real(seed);
}

static void draw_service(struct visit *v, uint64_t *seed)
{
	uint64_t n = v->ios[DIR_READ] + v->ios[DIR_WRITE];
	uint64_t i;

	for (i = 0; i < n; i++)
		hist_record(v->latency[LATENCY_SERVICE],
			    10000 + prng_below(seed, 1u << 20));
	v->service_sum_ns = v->latency[LATENCY_SERVICE]->sum_ns;
	v->mean_depth = draw_real(seed);
	v->edge_ns = draw_real(seed) - draw_real(seed);
}

void fakerun_visit(struct visit *v, const struct point *p, uint32_t round,
		   uint32_t samples, uint64_t seed)
{
	int d;

	visit_reset(v);
	if (visit_reserve(v, samples))
		abort();
	seed = seed * 2 + 1;
	v->point = p->index;
	v->round = round;
	v->seed = prng_next(&seed);
	v->state = VISIT_DONE;
	v->started_utc_ns =
	    1767225600000000000 + (int64_t)prng_next(&seed) % 1000000000000;
	v->ramp_ns = prng_below(&seed, 1000000000);
	v->measured_ns = 1 + prng_below(&seed, 100000000000);
	for (d = 0; d < DIR_COUNT; d++)
		draw_latency(v, (enum direction)d, &seed);
	if (!prng_below(&seed, 3)) {
		visit_count_error(v, EIO, 1 + prng_below(&seed, 1000));
		visit_count_error(v, 0, 1);
	}
	v->engine_used = ENGINE_IO_URING;
	snprintf(v->note, sizeof(v->note), "a \"note\", no %d",
		 (int)prng_below(&seed, 1000));
	draw_machine(v, &seed);
	if (p->workload.rate_iops)
		draw_service(v, &seed);
	draw_samples(v, samples, &seed);
}

static void must(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "fakerun: %s\n", err->text);
	abort();
}

static void append(struct store *store, const struct point *p, uint32_t id,
		   const struct fakerun_folder *f)
{
	struct err err = {0};
	struct visit v;

	visit_init(&v);
	fakerun_visit(&v, p, (id - 1) / f->points + 1, f->samples, id);
	must(store_append(store, p, &v, &err), &err);
	visit_fini(&v);
}

void fakerun_store(const char *path, const struct fakerun_folder *f)
{
	static char section[] = "run", name[] = "label";
	char *label = strdup(f->label);
	const struct run_fact fact = {section, name, label};
	struct point *points = calloc(f->points, sizeof(*points));
	struct store *store;
	struct err err = {0};
	uint32_t id;

	if (!points || !label)
		abort();
	fakerun_points(points, f->points);
	must(store_create(path, &fact, 1, points, f->points, &store, &err),
	     &err);
	for (id = 1; id <= f->visits; id++)
		append(store, &points[(id - 1) % f->points], id, f);
	must(store_close(store, &err), &err);
	free(points);
	free(label);
}

static bool same_real(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static bool same_counts(const uint64_t *a, const uint64_t *b)
{
	return a[DIR_READ] == b[DIR_READ] && a[DIR_WRITE] == b[DIR_WRITE];
}

static bool same_errors(const struct visit *a, const struct visit *b)
{
	int i;

	for (i = 0; i < VISIT_ERROR_KINDS; i++)
		if (a->errors[i].errnum != b->errors[i].errnum ||
		    a->errors[i].count != b->errors[i].count)
			return false;
	return a->error_count == b->error_count;
}

static bool same_machine(const struct visit *a, const struct visit *b)
{
	return a->cpu_user_ns == b->cpu_user_ns &&
	       a->cpu_system_ns == b->cpu_system_ns &&
	       same_real(a->switches_voluntary, b->switches_voluntary) &&
	       same_real(a->switches_involuntary, b->switches_involuntary) &&
	       same_real(a->cpu_wait_ns, b->cpu_wait_ns) &&
	       same_real(a->cpu_peak_pct, b->cpu_peak_pct) &&
	       same_real(a->machine_cpu_pct, b->machine_cpu_pct) &&
	       same_real(a->machine_steal_pct, b->machine_steal_pct) &&
	       same_real(a->device_depth, b->device_depth) &&
	       same_real(a->device_read_bytes, b->device_read_bytes) &&
	       same_real(a->device_write_bytes, b->device_write_bytes) &&
	       same_real(a->punted_threads, b->punted_threads) &&
	       same_real(a->origin_read_bytes, b->origin_read_bytes) &&
	       same_real(a->origin_write_bytes, b->origin_write_bytes) &&
	       same_real(a->hit_pct, b->hit_pct) &&
	       a->hit_source == b->hit_source &&
	       same_real(a->resident_before_pct, b->resident_before_pct) &&
	       same_real(a->resident_after_pct, b->resident_after_pct) &&
	       same_real(a->touched_bytes, b->touched_bytes) &&
	       a->state_reached == b->state_reached &&
	       same_real(a->cold_left_pct, b->cold_left_pct) &&
	       same_real(a->warm_passes, b->warm_passes) &&
	       same_real(a->verified_blocks, b->verified_blocks) &&
	       same_real(a->corrupt_blocks, b->corrupt_blocks);
}

bool fakerun_same_visit(const struct visit *a, const struct visit *b)
{
	return a->id == b->id && a->point == b->point && a->round == b->round &&
	       a->seed == b->seed && a->state == b->state &&
	       !strcmp(a->reason, b->reason) && !strcmp(a->note, b->note) &&
	       a->started_utc_ns == b->started_utc_ns &&
	       a->ramp_ns == b->ramp_ns && a->measured_ns == b->measured_ns &&
	       same_counts(a->ios, b->ios) && same_counts(a->bytes, b->bytes) &&
	       same_counts(a->lat_sum_ns, b->lat_sum_ns) &&
	       same_counts(a->lat_min_ns, b->lat_min_ns) &&
	       same_counts(a->lat_max_ns, b->lat_max_ns) && same_errors(a, b) &&
	       a->service_sum_ns == b->service_sum_ns &&
	       same_real(a->mean_depth, b->mean_depth) &&
	       same_real(a->edge_ns, b->edge_ns) &&
	       a->engine_used == b->engine_used && same_machine(a, b) &&
	       a->interval_ns == b->interval_ns;
}

bool fakerun_same_samples(const struct visit *a, const struct visit *b)
{
	uint32_t i;

	if (a->sample_count != b->sample_count)
		return false;
	for (i = 0; i < a->sample_count; i++) {
		const struct sample *x = &a->samples[i];
		const struct sample *y = &b->samples[i];

		if (!same_counts(x->ios, y->ios) ||
		    !same_counts(x->bytes, y->bytes) ||
		    x->lat_sum_ns != y->lat_sum_ns ||
		    x->lat_max_ns != y->lat_max_ns)
			return false;
	}
	return true;
}

bool fakerun_same_point(const struct point *a, const struct point *b)
{
	return a->index == b->index &&
	       workload_same(&a->workload, &b->workload) &&
	       !strcmp(a->target, b->target) &&
	       !strcmp(a->variant, b->variant) &&
	       !strcmp(a->section, b->section) && a->cache == b->cache &&
	       a->engine == b->engine;
}
