/* The measured path takes no memory: every allocation of the process is
 * counted, those of the C library included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/backend.h"
#include "engine/units.h"
#include "tests/measure_rig.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#else
#define COUNTS 1
#endif

static atomic_int allocations;

#if COUNTS
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

void *malloc(size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	*out = __libc_memalign(align, size);
	return *out ? 0 : ENOMEM;
}
#endif

/* What was allocated between the first two ticks of the window, by workers
 * and caller together. */
struct span {
	int ticks;
	int first, second;
};

static void on_tick(void *arg, const struct measure_tick *tick)
{
	struct span *s = arg;

	if (tick->ramping || tick->prefilling)
		return;
	s->ticks++;
	if (s->ticks == 1)
		s->first = atomic_load(&allocations);
	if (s->ticks == 2)
		s->second = atomic_load(&allocations);
}

static const enum engine_kind engines[] = {ENGINE_IO_URING, ENGINE_LIBAIO,
					   ENGINE_SYNC};

static bool is_there(enum engine_kind kind)
{
	return (kind != ENGINE_IO_URING || backend_uring_probe() >= 0) &&
	       (kind != ENGINE_LIBAIO || backend_aio_probe() >= 0);
}

static void need_counts(void)
{
	void *volatile p;
	int before = atomic_load(&allocations);

	p = malloc(100);
	free(p);
	if (atomic_load(&allocations) == before) {
		print_message("skip: the sanitizer has its own allocator\n");
		skip();
	}
}

static void the_measured_path_allocates_nothing(void **state)
{
	struct measure_rig r;
	struct span s;
	size_t i;

	(void)state;
	need_counts();
	assert_true(measure_rig_init(&r, "/dev/null", TARGET_NULL));
	r.point.workload.threads = 2;
	r.point.workload.queue_depth = 8;
	/* Reads of /dev/null come back short: failures are on the path too. */
	r.point.workload.stream.read_pct = 10;
	r.opts.tick = on_tick;
	r.opts.tick_arg = &s;
	r.opts.ramp_ns = 10 * NS_PER_MS;
	r.opts.time_ns = 700 * NS_PER_MS;
	r.opts.interval_ns = 10 * NS_PER_MS;
	for (i = 0; i < 3; i++) {
		if (!is_there(engines[i]))
			continue;
		s = (struct span){0};
		r.point.engine = engines[i];
		measure_rig_visit(&r, 1);
		assert_int_equal(r.visit.state, VISIT_DONE);
		assert_true(r.visit.error_count > 0);
		assert_true(s.ticks >= 2);
		assert_int_equal(s.second, s.first);
	}
	measure_rig_fini(&r);
}

/* Threads, rings, buffers, histograms and series outlive the first visit. */
static void a_point_visited_again_allocates_nothing_at_all(void **state)
{
	struct measure_rig r;
	size_t i;
	int before;

	(void)state;
	need_counts();
	assert_true(measure_rig_init(&r, "/dev/zero", TARGET_ZERO));
	r.point.workload.queue_depth = 4;
	r.point.workload.stream.random_pct = 50;
	r.opts.time_ns = 30 * NS_PER_MS;
	r.opts.ramp_ns = NS_PER_MS;
	for (i = 0; i < 3; i++) {
		if (!is_there(engines[i]))
			continue;
		r.point.engine = engines[i];
		measure_rig_visit(&r, 1);
		before = atomic_load(&allocations);
		measure_rig_visit(&r, 2);
		assert_int_equal(r.visit.state, VISIT_DONE);
		assert_int_equal(atomic_load(&allocations), before);
	}
	measure_rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_measured_path_allocates_nothing),
	    cmocka_unit_test(a_point_visited_again_allocates_nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
