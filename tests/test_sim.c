/* sim: the simulator keeps the laws that the tests on top of it rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/sim.h"
#include "engine/units.h"

#define START_UTC_NS ((int64_t)1767225600 * 1000000000)

static const struct sim_device device = {.service_ns = 100e3,
					 .bytes_per_ns = 2,
					 .max_iops = 100e3,
					 .max_bytes_per_s = 2e9};
static const struct sim_noise quiet;
static const struct measure_opts opts = {
    .time_ns = NS_PER_SEC, .ramp_ns = 150 * NS_PER_MS, .run_seed = 42};

static bool near(double a, double b, double relative)
{
	return fabs(a - b) <= relative * fabs(b);
}

static struct point make_point(uint64_t size, uint32_t depth)
{
	return (struct point){.workload = {.stream = {.block_size_bytes = size,
						      .read_pct = 100,
						      .random_pct = 100},
					   .threads = 1,
					   .queue_depth = depth},
			      .target = "/sim",
			      .variant = "",
			      .section = ""};
}

static void one_at_a_time_takes_the_service_time(void **state)
{
	struct point p = make_point(4096, 1);

	(void)state;
	/* 100 us + 4096 / 2 ns, and the ceiling is far away. */
	assert_true(near(sim_true_iops(&device, &p), 1e9 / 102048, 0.001));
}

static void iops_saturate_at_the_ceilings(void **state)
{
	struct point small = make_point(4096, 1024);
	struct point large = make_point(1024 * KIB, 64);

	(void)state;
	assert_true(near(sim_true_iops(&device, &small), 100e3, 0.01));
	assert_true(
	    near(sim_true_iops(&device, &large), 2e9 / (1024 * 1024), 0.01));
}

static void iops_dip_around_a_depth_or_a_size(void **state)
{
	struct sim_device dipped = device;
	struct point at = make_point(4096, 16);
	double straight = sim_true_iops(&device, &at);

	(void)state;
	dipped.dip_to = 0.6;
	dipped.dip_outstanding = 16;
	assert_true(near(sim_true_iops(&dipped, &at), 0.6 * straight, 1e-9));
	at.workload.queue_depth = 128;
	straight = sim_true_iops(&device, &at);
	assert_true(near(sim_true_iops(&dipped, &at), straight, 1e-3));
	dipped.dip_outstanding = 0;
	dipped.dip_size_bytes = 4096;
	assert_true(near(sim_true_iops(&dipped, &at), 0.6 * straight, 1e-9));
}

static void iops_fall_beyond_the_peak(void **state)
{
	struct sim_device falling = device;
	struct point at = make_point(4096, 32);
	struct point beyond = make_point(4096, 128);
	double straight = sim_true_iops(&device, &beyond);

	(void)state;
	falling.fall_from = 32;
	falling.fall_to = 0.7;
	assert_true(sim_true_iops(&falling, &at) ==
		    sim_true_iops(&device, &at));
	assert_true(
	    near(sim_true_iops(&falling, &beyond), 0.7 * straight, 1e-9));
}

static void kinds_of_io_have_their_factors(void **state)
{
	struct sim_device d = device;
	struct point p = make_point(4096, 8);
	double base = sim_true_iops(&d, &p);

	(void)state;
	d.seq_factor = 2;
	d.write_factor = 4;
	d.buffered_factor = 10;
	d.fast_variant = "cached";
	d.variant_factor = 3;
	assert_true(near(sim_true_iops(&d, &p), base, 1e-9));
	p.variant = "cached";
	assert_true(near(sim_true_iops(&d, &p), 3 * base, 1e-9));
	p.variant = "";
	p.cache = CACHE_BUFFERED;
	assert_true(near(sim_true_iops(&d, &p), 10 * base, 1e-9));
	p.cache = CACHE_DIRECT;
	p.workload.stream.random_pct = 0;
	assert_true(near(sim_true_iops(&d, &p), 2 * base, 1e-9));
	p.workload.stream.read_pct = 0;
	assert_true(near(sim_true_iops(&d, &p), base / 4, 1e-9));
}

/* A visit by a fresh simulator. */
static void measure_once(const struct sim_noise *noise, const struct point *p,
			 uint32_t round, struct visit *v)
{
	struct measurer *m;

	assert_int_equal(sim_new(&opts, &device, noise, &m), 0);
	m->ops->measure(m, p, round, v);
	m->ops->free(m);
}

static void a_visit_obeys_littles_law_and_adds_up(void **state)
{
	struct point p = make_point(8192, 16);
	struct visit v;
	uint64_t ios = 0;
	uint32_t i;
	int d;

	(void)state;
	p.workload.stream.read_pct = 70;
	visit_init(&v);
	measure_once(&quiet, &p, 1, &v);
	assert_int_equal(v.state, VISIT_DONE);
	assert_int_equal(v.engine_used, ENGINE_SIM);
	assert_true(near(visit_iops(&v), sim_true_iops(&device, &p), 1e-4));
	assert_true(near(visit_little(&v, &p), 1, 1e-6));
	assert_true(near((double)v.ios[DIR_READ],
			 0.7 * (double)(v.ios[0] + v.ios[1]), 1e-3));
	for (d = 0; d < DIR_COUNT; d++) {
		assert_true(v.bytes[d] == v.ios[d] * 8192);
		assert_true(v.latency[d]->count == v.ios[d]);
		assert_true(near(hist_mean_ns(v.latency[d]),
				 (double)v.lat_sum_ns[d] / (double)v.ios[d],
				 0.005));
		assert_true(v.latency[d]->min_ns == v.lat_min_ns[d]);
		assert_true(v.latency[d]->max_ns == v.lat_max_ns[d]);
	}
	assert_int_equal(v.sample_count, 10);
	for (i = 0; i < v.sample_count; i++)
		ios += v.samples[i].ios[0] + v.samples[i].ios[1];
	assert_true(near((double)ios, (double)(v.ios[0] + v.ios[1]), 1e-3));
	visit_fini(&v);
}

static void a_rate_is_kept_or_missed(void **state)
{
	struct point p = make_point(4096, 16);
	double most = sim_true_iops(&device, &p);
	struct visit v;

	(void)state;
	visit_init(&v);
	p.workload.rate_iops = (uint32_t)(most / 4);
	measure_once(&quiet, &p, 1, &v);
	assert_true(near(visit_iops(&v), most / 4, 1e-3));
	assert_true(near(visit_little(&v, &p), 1, 1e-3));
	assert_true(v.mean_depth < 16);
	assert_true(
	    near(visit_lat_mean_us(&v), visit_service_mean_us(&v), 1e-3));
	p.workload.rate_iops = (uint32_t)(2 * most);
	measure_once(&quiet, &p, 1, &v);
	assert_true(near(visit_iops(&v), most, 1e-3));
	assert_true(near(v.mean_depth, 16, 1e-6));
	/* Half of the window behind at its end. */
	assert_true(near(visit_lat_mean_us(&v) - visit_service_mean_us(&v),
			 (double)v.measured_ns / 4e3, 1e-3));
	visit_fini(&v);
}

static void the_clock_is_virtual_and_starts_in_2026(void **state)
{
	struct point p = make_point(4096, 1);
	struct measurer *m;
	struct visit v;

	(void)state;
	visit_init(&v);
	assert_int_equal(sim_new(&opts, &device, &quiet, &m), 0);
	m->ops->measure(m, &p, 1, &v);
	assert_true(v.started_utc_ns == START_UTC_NS);
	m->ops->measure(m, &p, 2, &v);
	assert_true(v.started_utc_ns == START_UTC_NS + 1150000000);
	assert_true(sim_elapsed_ns(m) == 2 * 1150000000u);
	m->ops->free(m);
	visit_fini(&v);
}

static void the_same_seed_gives_the_same_visits(void **state)
{
	static const struct sim_noise noise = {.independent = 0.05,
					       .within = 0.05,
					       .correlated = 0.05,
					       .correlation_s = 10,
					       .drift = 0.05,
					       .pink = 0.05,
					       .burst_probability = 0.3,
					       .burst_depth = 0.5};
	struct point p = make_point(4096, 4), other = make_point(4096, 4);
	struct visit a, b, c;

	(void)state;
	other.index = 1;
	visit_init(&a);
	visit_init(&b);
	visit_init(&c);
	measure_once(&noise, &p, 3, &a);
	measure_once(&noise, &p, 3, &b);
	measure_once(&noise, &other, 3, &c);
	assert_true(a.ios[DIR_READ] == b.ios[DIR_READ]);
	assert_int_equal(
	    memcmp(a.samples, b.samples, a.sample_count * sizeof(*a.samples)),
	    0);
	assert_true(a.ios[DIR_READ] != c.ios[DIR_READ]);
	visit_fini(&a);
	visit_fini(&b);
	visit_fini(&c);
}

/* Standard deviation of log IOPS over many visits of one point, and the
 * correlation of visits `lag` apart. */
static void spread_of(const struct sim_noise *noise, int lag, double *sd,
		      double *correlation)
{
	enum { N = 4000 };
	static double x[N];
	struct point p = make_point(4096, 4);
	struct measurer *m;
	struct visit v;
	double mean = 0, square = 0, product = 0;
	int i;

	visit_init(&v);
	assert_int_equal(sim_new(&opts, &device, noise, &m), 0);
	for (i = 0; i < N; i++) {
		m->ops->measure(m, &p, (uint32_t)i + 1, &v);
		x[i] = log(visit_iops(&v));
		mean += x[i] / N;
	}
	for (i = 0; i < N; i++)
		square += (x[i] - mean) * (x[i] - mean);
	for (i = 0; i + lag < N; i++)
		product += (x[i] - mean) * (x[i + lag] - mean);
	*sd = sqrt(square / N);
	*correlation = product / square;
	m->ops->free(m);
	visit_fini(&v);
}

static void noise_has_the_size_that_was_asked_for(void **state)
{
	static const struct sim_noise independent = {.independent = 0.05};
	static const struct sim_noise slow = {.correlated = 0.05,
					      .correlation_s = 20};
	double sd, correlation;

	(void)state;
	spread_of(&independent, 1, &sd, &correlation);
	assert_true(near(sd, 0.05, 0.1));
	assert_true(fabs(correlation) < 0.05);
	/* Visits are 1.15 s apart and average over 1 s. */
	spread_of(&slow, 10, &sd, &correlation);
	assert_true(near(sd, 0.05, 0.15));
	assert_true(fabs(correlation - exp(-11.5 / 20)) < 0.15);
}

static void the_truth_is_the_mean_of_what_visits_see(void **state)
{
	static const struct sim_noise noise = {
	    .drift = 0.1, .pink = 0.05, .correlated = 0.1, .correlation_s = 9};
	struct point p = make_point(4096, 4);
	struct measure_opts gapless = opts;
	struct measurer *m;
	struct visit v;
	double sum = 0;
	int i;

	(void)state;
	gapless.ramp_ns = 0;
	visit_init(&v);
	assert_int_equal(sim_new(&gapless, &device, &noise, &m), 0);
	for (i = 0; i < 100; i++) {
		m->ops->measure(m, &p, (uint32_t)i + 1, &v);
		sum += visit_iops(&v);
	}
	assert_true(
	    near(sum / 100, sim_mean_iops(m, &p, 0, 100 * NS_PER_SEC), 1e-4));
	assert_true(isnan(sim_mean_iops(m, &p, 5, 5)));
	m->ops->free(m);
	visit_fini(&v);
}

static void bursts_and_fresh_noise_are_in_the_truth(void **state)
{
	static const struct sim_noise noise = {
	    .independent = 0.1, .burst_probability = 0.2, .burst_depth = 0.7};
	struct point p = make_point(4096, 4);
	struct measurer *m;
	struct visit v;
	double sum = 0;
	int i;

	(void)state;
	visit_init(&v);
	assert_int_equal(sim_new(&opts, &device, &noise, &m), 0);
	for (i = 0; i < 4000; i++) {
		m->ops->measure(m, &p, (uint32_t)i + 1, &v);
		sum += visit_iops(&v) / 4000;
	}
	assert_true(near(sum, sim_mean_iops(m, &p, 0, 1), 0.02));
	m->ops->free(m);
	visit_fini(&v);
}

static void every_nth_visit_fails_with_a_reason(void **state)
{
	struct sim_device failing = device;
	struct point p = make_point(4096, 1);
	struct measurer *m;
	struct visit v;
	int i, failed = 0;

	(void)state;
	failing.fail_every = 3;
	visit_init(&v);
	assert_int_equal(sim_new(&opts, &failing, &quiet, &m), 0);
	for (i = 0; i < 9; i++) {
		m->ops->measure(m, &p, 1, &v);
		if (v.state == VISIT_FAILED) {
			failed++;
			assert_true(v.reason[0] != '\0');
			assert_true(isnan(visit_iops(&v)));
		}
	}
	assert_int_equal(failed, 3);
	m->ops->free(m);
	visit_fini(&v);
}

static void a_second_stop_request_ends_the_visit(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct measure_opts stoppable = opts;
	struct point p = make_point(4096, 1);
	struct measurer *m;
	struct visit v;

	(void)state;
	stoppable.stop = &stop;
	visit_init(&v);
	assert_int_equal(sim_new(&stoppable, &device, &quiet, &m), 0);
	m->ops->measure(m, &p, 1, &v);
	assert_int_equal(v.state, VISIT_DONE);
	stop = 2;
	m->ops->measure(m, &p, 2, &v);
	assert_int_equal(v.state, VISIT_STOPPED);
	m->ops->free(m);
	visit_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_at_a_time_takes_the_service_time),
	    cmocka_unit_test(iops_saturate_at_the_ceilings),
	    cmocka_unit_test(iops_dip_around_a_depth_or_a_size),
	    cmocka_unit_test(iops_fall_beyond_the_peak),
	    cmocka_unit_test(kinds_of_io_have_their_factors),
	    cmocka_unit_test(a_visit_obeys_littles_law_and_adds_up),
	    cmocka_unit_test(a_rate_is_kept_or_missed),
	    cmocka_unit_test(the_clock_is_virtual_and_starts_in_2026),
	    cmocka_unit_test(the_same_seed_gives_the_same_visits),
	    cmocka_unit_test(noise_has_the_size_that_was_asked_for),
	    cmocka_unit_test(the_truth_is_the_mean_of_what_visits_see),
	    cmocka_unit_test(bursts_and_fresh_noise_are_in_the_truth),
	    cmocka_unit_test(every_nth_visit_fails_with_a_reason),
	    cmocka_unit_test(a_second_stop_request_ends_the_visit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
