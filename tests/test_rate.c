/* I/Os at a rate: when they start, what their latency counts from, and what
 * becomes of a rate that the storage does not keep up with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/backend_null.h"
#include "engine/units.h"
#include "tests/measure_rig.h"

static int set_up(void **state)
{
	struct measure_rig *r = malloc(sizeof(*r));

	assert_non_null(r);
	assert_true(measure_rig_init(r, "/dev/null", TARGET_FILE));
	r->point.workload.rate_iops = 1000;
	r->point.workload.queue_depth = 8;
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(NULL, NULL);
	measure_rig_fini(r);
	free(r);
	return 0;
}

static uint64_t ios(const struct visit *v)
{
	return v->ios[DIR_READ] + v->ios[DIR_WRITE];
}

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		print_error("%g is not within %g of %g\n", value, tolerance,
			    expected);
	assert_true(fabs(value - expected) <= tolerance);
}

/* ---- on the virtual clock ---- */

/* The starts of one worker: every 1 ms, and how many are in flight. */
struct starts {
	uint64_t count;
	uint64_t off_beat;
	uint64_t latency_ns;
};

static void note_start(void *arg, const struct null_io *io,
		       struct null_answer *answer)
{
	struct starts *s = arg;

	s->off_beat += io->at_ns != io->number * NS_PER_MS;
	s->count++;
	answer->latency_ns = s->latency_ns;
}

static void starts_are_evenly_spaced(void **state)
{
	struct measure_rig *r = *state;
	struct starts s = {.latency_ns = 3500000};

	backend_null_script(note_start, &s);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(s.off_beat, 0);
	assert_int_equal(s.count, 1100); /* ramp and window */
	assert_int_equal(ios(&r->visit), 1000);
	assert_near(visit_lat_mean_us(&r->visit), 3500, 1e-6);
	assert_near(visit_service_mean_us(&r->visit), 3500, 1e-6);
	assert_near(r->visit.mean_depth, 3.5, 0.01);
	assert_near(visit_little(&r->visit, &r->point), 1, 0.01);
	assert_int_equal(r->visit.latency[LATENCY_SERVICE]->count, 1000);
}

static void threads_take_turns(void **state)
{
	struct measure_rig *r = *state;
	uint32_t t;

	for (t = 2; t <= 5; t++) {
		r->point.workload.threads = t;
		measure_rig_visit(r, 1);
		assert_int_equal(r->visit.state, VISIT_DONE);
		assert_near((double)ios(&r->visit), 1000, 1);
		assert_near(visit_lat_mean_us(&r->visit), 100, 1e-6);
		assert_near(r->visit.mean_depth, 0.1, 0.001);
	}
}

/* Nothing comes back between 500 and 700 ms. */
static void stall(void *arg, const struct null_io *io,
		  struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns >= 500 * NS_PER_MS && io->at_ns < 700 * NS_PER_MS)
		answer->latency_ns = 700 * NS_PER_MS - io->at_ns;
}

static void a_stall_is_in_the_latency_of_all_that_were_due(void **state)
{
	struct measure_rig *r = *state;
	struct visit *v = &r->visit;

	backend_null_script(stall, NULL);
	r->point.workload.queue_depth = 1;
	measure_rig_visit(r, 1);
	assert_int_equal(v->state, VISIT_DONE);
	/* None was left out for the stall ... */
	assert_int_equal(ios(v), 1000);
	/* ... the service time knows it of one I/O only ... */
	assert_int_equal(v->latency[LATENCY_SERVICE]->max_ns, 200 * NS_PER_MS);
	assert_near(hist_percentile_ns(v->latency[LATENCY_SERVICE], 0.9), 1e5,
		    1e3);
	assert_near(visit_service_mean_us(v), 100 + 200, 1);
	/* ... where the 200 and more that were due meanwhile waited for it,
	 * and for their turn, 100 ms on average. */
	assert_int_equal(v->lat_max_ns[DIR_READ], 200 * NS_PER_MS);
	assert_true(hist_percentile_ns(v->latency[DIR_READ], 0.9) > 50e6);
	assert_near(visit_lat_mean_us(v), 22000, 1500);
	assert_near(visit_little(v, &r->point), 1, 0.01);
}

static void a_closed_loop_hides_the_same_stall(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(stall, NULL);
	r->point.workload.rate_iops = 0;
	r->point.workload.queue_depth = 1;
	measure_rig_visit(r, 1);
	assert_near(visit_lat_mean_us(&r->visit), 125, 5);
	assert_true(isnan(r->visit.mean_depth));
	assert_true(isnan(visit_service_mean_us(&r->visit)));
	assert_int_equal(r->visit.latency[LATENCY_SERVICE]->count, 0);
}

static void a_rate_beyond_the_storage_is_missed_at_all_slots(void **state)
{
	struct measure_rig *r = *state;

	/* 8 in flight of 100 us each: 80,000 a second. */
	r->point.workload.rate_iops = 100000;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_near(visit_iops(&r->visit), 80000, 100);
	assert_near(r->visit.mean_depth, 8, 0.01);
	assert_near(visit_service_mean_us(&r->visit), 100, 1e-6);
	/* Of 1.1 s, a fifth behind at the end. */
	assert_near((double)r->visit.lat_max_ns[DIR_READ], 220e6, 5e6);
}

static void hang_one(void *arg, const struct null_io *io,
		     struct null_answer *answer)
{
	(void)arg;
	answer->hangs = io->number == 300;
}

static void an_io_that_never_returns_is_found(void **state)
{
	struct measure_rig *r = *state;

	r->opts.io_timeout_ns = 200 * NS_PER_MS;
	backend_null_script(hang_one, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "1 of 8 I/Os did not return"));
}

static void fail_some(void *arg, const struct null_io *io,
		      struct null_answer *answer)
{
	(void)arg;
	if (io->number % 10 == 0)
		answer->res = -EIO;
}

static void failures_are_counted_and_are_no_ios(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(fail_some, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 900);
	assert_int_equal(r->visit.error_count, 100);
	assert_int_equal(r->visit.latency[LATENCY_SERVICE]->count, 900);
}

/* ---- with real I/O ---- */

/* A machine that is busy with other things may be late at an edge of the
 * window: one of so many tries has to hold. */
#define TRIES 20

static bool keeps_rate(struct measure_rig *r)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		measure_rig_visit(r, 1);
		assert_int_equal(r->visit.state, VISIT_DONE);
		assert_true(visit_lat_mean_us(&r->visit) >=
			    visit_service_mean_us(&r->visit));
		if (fabs(visit_iops(&r->visit) - 2000) <= 20 &&
		    fabs(visit_little(&r->visit, &r->point) - 1) <= 0.02)
			return true;
	}
	return false;
}

static void every_engine_keeps_a_modest_rate(void **state)
{
	static const enum engine_kind kinds[] = {ENGINE_IO_URING, ENGINE_LIBAIO,
						 ENGINE_SYNC};
	struct measure_rig r;
	uint32_t i, threads;

	(void)state;
	assert_true(measure_rig_init(&r, "/dev/zero", TARGET_ZERO));
	r.point.workload.rate_iops = 2000;
	r.point.workload.queue_depth = 4;
	r.opts.time_ns = 200 * NS_PER_MS;
	for (i = 0; i < 3; i++) {
		if ((kinds[i] == ENGINE_IO_URING &&
		     backend_uring_probe() < 0) ||
		    (kinds[i] == ENGINE_LIBAIO && backend_aio_probe() < 0))
			continue;
		r.point.engine = kinds[i];
		for (threads = 1; threads <= 2; threads++) {
			r.point.workload.threads = threads;
			assert_true(keeps_rate(&r));
		}
	}
	measure_rig_fini(&r);
}

static void a_busy_wait_keeps_it_too(void **state)
{
	struct measure_rig r;

	(void)state;
	if (backend_aio_probe() < 0)
		skip();
	assert_true(measure_rig_init(&r, "/dev/zero", TARGET_ZERO));
	r.point.engine = ENGINE_LIBAIO;
	r.point.workload.rate_iops = 2000;
	r.opts.busy_wait = true;
	r.opts.time_ns = 200 * NS_PER_MS;
	assert_true(keeps_rate(&r));
	measure_rig_fini(&r);
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(starts_are_evenly_spaced),
	    WITH_RIG(threads_take_turns),
	    WITH_RIG(a_stall_is_in_the_latency_of_all_that_were_due),
	    WITH_RIG(a_closed_loop_hides_the_same_stall),
	    WITH_RIG(a_rate_beyond_the_storage_is_missed_at_all_slots),
	    WITH_RIG(an_io_that_never_returns_is_found),
	    WITH_RIG(failures_are_counted_and_are_no_ios),
	    cmocka_unit_test(every_engine_keeps_a_modest_rate),
	    cmocka_unit_test(a_busy_wait_keeps_it_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
