/* Why nothing was done in a window: no processor, or a slow target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "engine/backend_null.h"
#include "engine/clock.h"
#include "engine/units.h"
#include "tests/measure_rig.h"

/* A thread that leaves nobody else processor 0, for some time. */
struct hog {
	pthread_t thread;
	atomic_bool runs;
	bool refused;
};

static bool pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void *spin(void *arg)
{
	const struct sched_param priority = {.sched_priority = 1};
	const uint64_t end_ns = clock_now_ns() + 400 * NS_PER_MS;
	struct hog *h = arg;

	h->refused = !pin_to(0) || pthread_setschedparam(pthread_self(),
							 SCHED_FIFO, &priority);
	atomic_store(&h->runs, true);
	while (!h->refused && clock_now_ns() < end_ns)
		;
	return NULL;
}

/* The hook of a visit, in its ramp: what is prepared before has had its
 * processor. */
static void start_hog(void *arg, const struct measure_tick *tick)
{
	struct hog *h = arg;

	if (!tick->ramping || atomic_load(&h->runs))
		return;
	assert_int_equal(pthread_create(&h->thread, NULL, spin, h), 0);
	while (!atomic_load(&h->runs))
		sched_yield();
}

/* Workers are pinned beside the hog, and we are not. */
static void a_window_without_a_processor_is_not_the_targets_fault(void **state)
{
	struct measure_rig r;
	struct hog h = {.refused = false};

	(void)state;
	assert_true(measure_rig_init(&r, "/dev/zero", TARGET_ZERO));
	r.point.engine = ENGINE_SYNC;
	r.opts.cpus = "0";
	r.opts.ramp_ns = 300 * NS_PER_MS;
	r.opts.tick = start_hog;
	r.opts.tick_arg = &h;
	r.opts.time_ns = 50 * NS_PER_MS;
	measure_rig_start(&r);
	if (!pin_to(1)) {
		measure_rig_fini(&r);
		print_message("skip: no second processor\n");
		skip();
	}
	measure_rig_visit(&r, 1);
	assert_true(atomic_load(&h.runs));
	pthread_join(h.thread, NULL);
	if (!h.refused) {
		assert_int_equal(r.visit.state, VISIT_FAILED);
		assert_non_null(strstr(r.visit.reason, "for a processor"));
		assert_null(strstr(r.visit.reason, "is slower"));
	}
	measure_rig_fini(&r);
	if (h.refused) {
		print_message("skip: no real-time priority here\n");
		skip();
	}
}

static void ten_seconds(void *arg, const struct null_io *io,
			struct null_answer *answer)
{
	(void)arg;
	(void)io;
	answer->latency_ns = 10 * NS_PER_SEC;
}

static void a_target_that_is_slower_than_the_window_is_called_so(void **state)
{
	struct measure_rig r;

	(void)state;
	assert_true(measure_rig_init(&r, "/dev/zero", TARGET_ZERO));
	backend_null_script(ten_seconds, NULL);
	measure_rig_visit(&r, 1);
	assert_int_equal(r.visit.state, VISIT_FAILED);
	assert_non_null(strstr(r.visit.reason, "the target is slower"));
	backend_null_script(NULL, NULL);
	measure_rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		a_window_without_a_processor_is_not_the_targets_fault),
	    cmocka_unit_test(
		a_target_that_is_slower_than_the_window_is_called_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
