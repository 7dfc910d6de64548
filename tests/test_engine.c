/* The engine on real targets: /dev/zero, /dev/null and scratch files. Counts
 * and rules only; nothing here judges a speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/backend.h"
#include "engine/units.h"
#include "tests/measure_rig.h"

static const enum engine_kind engines[] = {ENGINE_IO_URING, ENGINE_LIBAIO,
					   ENGINE_SYNC};

static bool is_there(enum engine_kind kind)
{
	return (kind != ENGINE_IO_URING || backend_uring_probe() >= 0) &&
	       (kind != ENGINE_LIBAIO || backend_aio_probe() >= 0);
}

static void init(struct measure_rig *r, const char *path, enum target_kind kind)
{
	assert_true(measure_rig_init(r, path, kind));
	r->opts.time_ns = 60 * NS_PER_MS;
	r->opts.ramp_ns = 10 * NS_PER_MS;
	r->point.engine = ENGINE_AUTO;
}

/* A scratch file of that size in the rig, in place of what init opens. */
static void init_file(struct measure_rig *r, char *path, uint64_t bytes)
{
	char block[4096];
	uint64_t at;
	int fd;

	sprintf(path, "/tmp/test_engine.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	memset(block, 0x5a, sizeof(block));
	for (at = 0; at < bytes; at += sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)),
				 sizeof(block));
	close(fd);
	init(r, path, TARGET_FILE);
	r->target.size_bytes = bytes;
	r->point.cache = CACHE_BUFFERED;
}

static void fini_file(struct measure_rig *r, const char *path)
{
	measure_rig_fini(r);
	unlink(path);
}

static uint64_t ios(const struct visit *v)
{
	return v->ios[DIR_READ] + v->ios[DIR_WRITE];
}

static void assert_clean(const struct measure_rig *r)
{
	const struct visit *v = &r->visit;

	if (v->state != VISIT_DONE)
		print_error("%s\n", v->reason);
	assert_int_equal(v->state, VISIT_DONE);
	assert_int_equal(v->error_count, 0);
	assert_true(ios(v) > 0);
	assert_true(v->latency[DIR_READ]->count == v->ios[DIR_READ]);
	assert_true(v->latency[DIR_WRITE]->count == v->ios[DIR_WRITE]);
	assert_true(visit_little(v, &r->point) > 0);
}

static void every_engine_reads_dev_zero(void **state)
{
	struct measure_rig r;
	size_t i;

	(void)state;
	init(&r, "/dev/zero", TARGET_ZERO);
	for (i = 0; i < 3; i++) {
		if (!is_there(engines[i])) {
			print_message("skip: no %s here\n",
				      engine_kind_name(engines[i]));
			continue;
		}
		r.point.engine = engines[i];
		r.point.workload.threads = 2;
		r.point.workload.queue_depth = 4;
		measure_rig_visit(&r, 1);
		assert_clean(&r);
		assert_int_equal(r.visit.engine_used, engines[i]);
		assert_int_equal(r.visit.ios[DIR_WRITE], 0);
		assert_int_equal(r.visit.bytes[DIR_READ],
				 r.visit.ios[DIR_READ] * 4096);
		assert_non_null(strstr(r.visit.note, "measures the tool"));
		assert_true(isnan(r.visit.device_depth));
		/* Unknown where the caller got no CPU inside the window. */
		assert_false(r.visit.machine_cpu_pct < 0);
		assert_true(r.visit.cpu_peak_pct >= 0);
		assert_true(r.visit.switches_involuntary >= 0);
		assert_true(r.visit.started_utc_ns > 0);
	}
	measure_rig_fini(&r);
}

static void every_engine_writes_dev_null_in_any_mix(void **state)
{
	static const double mixes[] = {0, 0.5};
	struct measure_rig r;
	size_t i, m;

	(void)state;
	init(&r, "/dev/null", TARGET_NULL);
	r.point.workload.stream.block_size_bytes = 8192;
	for (i = 0; i < 3; i++) {
		for (m = 0; m < 2 && is_there(engines[i]); m++) {
			r.point.engine = engines[i];
			r.point.workload.queue_depth = 8;
			r.point.workload.stream.read_pct = mixes[m];
			measure_rig_visit(&r, 1);
			/* Reads of /dev/null come back empty: counted. */
			assert_int_equal(r.visit.state, VISIT_DONE);
			assert_true(r.visit.ios[DIR_WRITE] > 0);
			assert_true((r.visit.error_count > 0) == (m > 0));
			assert_int_equal(r.visit.errors[0].errnum, 0);
		}
	}
	measure_rig_fini(&r);
}

static void reading_dev_null_fails_with_what_to_do(void **state)
{
	struct measure_rig r;

	(void)state;
	init(&r, "/dev/null", TARGET_NULL);
	measure_rig_visit(&r, 1);
	assert_int_equal(r.visit.state, VISIT_FAILED);
	assert_non_null(strstr(r.visit.reason, "write to it"));
	measure_rig_fini(&r);
}

/* Sizes, depths, threads and engines in turn, as a shuffled sweep has them:
 * rings, buffers and threads are used again. */
static void a_sweep_of_all_shapes_reuses_what_it_has(void **state)
{
	static const uint32_t depths[] = {1, 33, 4, 128};
	static const uint64_t sizes[] = {512, 4096, 65536};
	char path[64];
	struct measure_rig r;
	int i;

	(void)state;
	init_file(&r, path, 8 * MIB);
	r.opts.time_ns = 60 * NS_PER_MS;
	r.opts.ramp_ns = 2 * NS_PER_MS;
	for (i = 0; i < 40; i++) {
		struct workload *w = &r.point.workload;

		r.point.index = (uint32_t)i;
		r.point.engine =
		    is_there(engines[i % 3]) ? engines[i % 3] : ENGINE_SYNC;
		w->threads = 1 + (uint32_t)i % 3;
		w->queue_depth =
		    r.point.engine == ENGINE_SYNC ? 2 : depths[i % 4];
		w->stream.block_size_bytes = sizes[i % 3];
		w->stream.read_pct = i % 5 * 25;
		w->stream.random_pct = i % 3 * 50;
		measure_rig_visit(&r, 1);
		if (r.visit.state != VISIT_DONE)
			print_error("visit %d: %s\n", i, r.visit.reason);
		assert_int_equal(r.visit.state, VISIT_DONE);
		assert_int_equal(r.visit.error_count, 0);
	}
	fini_file(&r, path);
}

static void sync_takes_a_thread_for_each_io_outstanding(void **state)
{
	struct measure_rig r;

	(void)state;
	init(&r, "/dev/zero", TARGET_ZERO);
	r.point.engine = ENGINE_SYNC;
	r.point.workload.threads = 2;
	r.point.workload.queue_depth = 3;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	measure_rig_fini(&r);
}

static void busy_wait_counts_the_same(void **state)
{
	char path[64];
	struct measure_rig r;
	size_t i;

	(void)state;
	init_file(&r, path, 8 * MIB);
	r.opts.busy_wait = true;
	r.point.workload.queue_depth = 4;
	for (i = 0; i < 2; i++) {
		if (!is_there(engines[i]))
			continue;
		r.point.engine = engines[i];
		measure_rig_visit(&r, 1);
		assert_clean(&r);
		assert_non_null(strstr(r.visit.note, "busy wait"));
	}
	fini_file(&r, path);
}

/* Nothing here has polled completions; where something has, it is measured. */
static void polling_is_refused_in_one_sentence(void **state)
{
	char path[64];
	struct measure_rig r;

	(void)state;
	if (!is_there(ENGINE_IO_URING)) {
		print_message("skip: no io_uring here\n");
		skip();
	}
	init_file(&r, path, MIB);
	r.opts.poll = true;
	r.point.engine = ENGINE_IO_URING;
	measure_rig_visit(&r, 1);
	assert_int_equal(r.visit.state, VISIT_FAILED);
	assert_non_null(strstr(r.visit.reason, "without --poll"));
	r.point.engine = ENGINE_LIBAIO;
	measure_rig_visit(&r, 1);
	assert_int_equal(r.visit.state, VISIT_FAILED);
	assert_non_null(strstr(r.visit.reason, "--engine io_uring"));
	fini_file(&r, path);
}

/* ---- progress and stop ---- */

struct ticks {
	struct measure_rig *rig;
	int ramping, measuring, prefilling;
	uint64_t last_ios;
	bool stops; /* asks to stop at the first tick in the window */
	bool went_back;
};

static void on_tick(void *arg, const struct measure_tick *tick)
{
	struct ticks *t = arg;

	if (tick->prefilling) {
		t->prefilling++;
		return;
	}
	if (tick->ramping) {
		t->ramping++;
		assert_int_equal(t->measuring, 0);
		return;
	}
	t->went_back |= tick->ios < t->last_ios;
	t->last_ios = tick->ios;
	t->measuring++;
	assert_int_equal(tick->bytes, tick->ios * 4096);
	if (t->stops)
		t->rig->stop = 2;
}

static void ticks_tell_of_ramp_and_window(void **state)
{
	struct measure_rig r;
	struct ticks t = {.rig = &r};

	(void)state;
	init(&r, "/dev/zero", TARGET_ZERO);
	r.opts.tick = on_tick;
	r.opts.tick_arg = &t;
	r.opts.ramp_ns = 300 * NS_PER_MS;
	r.opts.time_ns = 700 * NS_PER_MS;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	assert_true(t.ramping > 0);
	assert_true(t.measuring > 0);
	assert_false(t.went_back);
	assert_true(t.last_ios > 0 && t.last_ios <= ios(&r.visit));
	measure_rig_fini(&r);
}

static void a_second_interrupt_ends_the_visit_at_once(void **state)
{
	struct measure_rig r;
	struct ticks t = {.rig = &r, .stops = true};
	size_t i;

	(void)state;
	init(&r, "/dev/zero", TARGET_ZERO);
	r.opts.tick = on_tick;
	r.opts.tick_arg = &t;
	r.opts.time_ns = 3600 * NS_PER_SEC;
	for (i = 0; i < 3; i++) {
		if (!is_there(engines[i]))
			continue;
		r.stop = 0;
		t.measuring = 0;
		t.last_ios = 0;
		r.point.engine = engines[i];
		measure_rig_visit(&r, 1);
		assert_int_equal(r.visit.state, VISIT_STOPPED);
		assert_true(r.visit.measured_ns < 3600 * NS_PER_SEC);
	}
	measure_rig_fini(&r);
}

static void a_first_interrupt_lets_the_visit_finish(void **state)
{
	struct measure_rig r;

	(void)state;
	init(&r, "/dev/zero", TARGET_ZERO);
	r.stop = 1;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	measure_rig_fini(&r);
}

/* ---- the page cache ---- */

static void buffered_points_find_the_region_in_the_page_cache(void **state)
{
	char path[64];
	struct measure_rig r;
	struct ticks t = {.rig = &r};

	(void)state;
	init_file(&r, path, 8 * MIB);
	r.opts.tick = on_tick;
	r.opts.tick_arg = &t;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	assert_int_equal(t.prefilling, 1);
	assert_non_null(strstr(r.visit.note, "read into the page cache"));
	/* Another point on the same region: it is there. */
	r.point.index = 1;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	assert_int_equal(t.prefilling, 1);
	assert_non_null(strstr(r.visit.note, "since an earlier"));
	/* Direct writes throw it out. */
	r.point.cache = CACHE_DIRECT;
	r.point.workload.stream.read_pct = 0;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	assert_int_equal(t.prefilling, 1);
	assert_null(strstr(r.visit.note, "page cache"));
	r.point.cache = CACHE_BUFFERED;
	measure_rig_visit(&r, 1);
	assert_int_equal(t.prefilling, 2);
	fini_file(&r, path);
}

static void a_file_that_shrank_is_told_before_the_point(void **state)
{
	char path[64];
	struct measure_rig r;

	(void)state;
	init_file(&r, path, MIB);
	r.target.size_bytes = 2 * MIB;
	measure_rig_visit(&r, 1);
	assert_int_equal(r.visit.state, VISIT_FAILED);
	assert_non_null(strstr(r.visit.reason, "smaller"));
	fini_file(&r, path);
}

static void nothing_holds_the_target_between_visits(void **state)
{
	char path[64];
	struct measure_rig r;
	size_t i;
	int fd;

	(void)state;
	init_file(&r, path, MIB);
	for (i = 0; i < 3; i++) {
		if (!is_there(engines[i]))
			continue;
		r.point.engine = engines[i];
		measure_rig_visit(&r, 1);
		assert_clean(&r);
	}
	close(r.target.fd[0][0]);
	/* A write lease is given only where nobody else has the file open. */
	fd = open(path, O_RDWR);
	r.target.fd[0][0] = fd;
	if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0) {
		assert_int_equal(errno, EINVAL);
		print_message("skip: no leases here\n");
		fini_file(&r, path);
		skip();
	}
	fini_file(&r, path);
}

/* ---- fallbacks ---- */

/* From now on the kernel answers EPERM to these calls, as a container does. */
static bool forbid(long first, long second)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)first, 1, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)second, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    .len = sizeof(code) / sizeof(code[0]),
	    .filter = code,
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define CANNOT_FORBID 77

/* In a child: what an engine does where those calls are forbidden. */
static int visit_without(long first, long second, enum engine_kind asked,
			 struct visit *out)
{
	struct measure_rig r;

	if (!measure_rig_init(&r, "/dev/zero", TARGET_ZERO))
		return 1;
	r.opts.time_ns = 30 * NS_PER_MS;
	r.opts.ramp_ns = 0;
	r.point.engine = asked;
	if (!forbid(first, second))
		return CANNOT_FORBID;
	measure_rig_visit(&r, 1);
	*out = r.visit;
	return 0;
}

static int falls_back_to_libaio(void)
{
	struct visit v;
	int ret = visit_without(__NR_io_uring_setup, __NR_io_uring_setup,
				ENGINE_AUTO, &v);

	if (ret)
		return ret;
	if (v.state != VISIT_DONE || v.engine_used != ENGINE_LIBAIO)
		return 2;
	return strstr(v.note, "no io_uring here (Operation not permitted)") ? 0
									    : 3;
}

static int falls_back_to_sync(void)
{
	struct visit v;
	int ret =
	    visit_without(__NR_io_uring_setup, __NR_io_setup, ENGINE_AUTO, &v);

	if (ret)
		return ret;
	if (v.state != VISIT_DONE || v.engine_used != ENGINE_SYNC)
		return 2;
	return strstr(v.note, "no io_uring") && strstr(v.note, "no libaio") ? 0
									    : 3;
}

static int enter_alone_is_forbidden(void)
{
	struct visit v;
	int ret = visit_without(__NR_io_uring_enter, __NR_io_uring_enter,
				ENGINE_AUTO, &v);

	if (ret)
		return ret;
	return v.state == VISIT_DONE && v.engine_used == ENGINE_LIBAIO ? 0 : 2;
}

static int asked_for_by_name_fails(void)
{
	struct visit v;
	int ret = visit_without(__NR_io_uring_setup, __NR_io_uring_setup,
				ENGINE_IO_URING, &v);

	if (ret)
		return ret;
	if (v.state != VISIT_FAILED || v.engine_used != ENGINE_IO_URING)
		return 2;
	return strstr(v.reason, "--engine libaio") ? 0 : 3;
}

static void check_in_child(int (*what)(void))
{
	int status;
	pid_t pid;

#ifdef __SANITIZE_THREAD__
	print_message("skip: no threads after a fork under this sanitizer\n");
	skip();
#endif
	pid = fork();
	if (pid == 0)
		_exit(what());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT_FORBID) {
		print_message("skip: no seccomp here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void auto_takes_libaio_where_io_uring_is_forbidden(void **state)
{
	(void)state;
	if (!is_there(ENGINE_LIBAIO)) {
		print_message("skip: no libaio here\n");
		skip();
	}
	check_in_child(falls_back_to_libaio);
	check_in_child(enter_alone_is_forbidden);
}

static void auto_takes_sync_where_both_are_forbidden(void **state)
{
	(void)state;
	check_in_child(falls_back_to_sync);
}

static void an_engine_asked_for_by_name_does_not_fall_back(void **state)
{
	(void)state;
	check_in_child(asked_for_by_name_fails);
}

/* ---- punted I/O ---- */

static void io_that_io_uring_punts_is_marked(void **state)
{
	char path[] = "/dev/shm/test_engine.XXXXXX";
	struct measure_rig r;
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0 || !is_there(ENGINE_IO_URING)) {
		print_message("skip: needs /dev/shm and io_uring\n");
		skip();
	}
	assert_int_equal(ftruncate(fd, MIB), 0);
	close(fd);
	init(&r, path, TARGET_FILE);
	r.target.size_bytes = MIB;
	r.point.engine = ENGINE_IO_URING;
	r.point.cache = CACHE_BUFFERED;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	if (r.visit.punted_threads == 0) {
		print_message("skip: this kernel does not punt tmpfs\n");
		fini_file(&r, path);
		skip();
	}
	assert_true(r.visit.punted_threads >= 1);
	/* Its threads still idle, but this visit does not use them. */
	r.point.engine = ENGINE_SYNC;
	measure_rig_visit(&r, 1);
	assert_clean(&r);
	assert_true(r.visit.punted_threads == 0);
	fini_file(&r, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_engine_reads_dev_zero),
	    cmocka_unit_test(every_engine_writes_dev_null_in_any_mix),
	    cmocka_unit_test(reading_dev_null_fails_with_what_to_do),
	    cmocka_unit_test(a_sweep_of_all_shapes_reuses_what_it_has),
	    cmocka_unit_test(sync_takes_a_thread_for_each_io_outstanding),
	    cmocka_unit_test(busy_wait_counts_the_same),
	    cmocka_unit_test(polling_is_refused_in_one_sentence),
	    cmocka_unit_test(ticks_tell_of_ramp_and_window),
	    cmocka_unit_test(a_second_interrupt_ends_the_visit_at_once),
	    cmocka_unit_test(a_first_interrupt_lets_the_visit_finish),
	    cmocka_unit_test(buffered_points_find_the_region_in_the_page_cache),
	    cmocka_unit_test(a_file_that_shrank_is_told_before_the_point),
	    cmocka_unit_test(nothing_holds_the_target_between_visits),
	    cmocka_unit_test(auto_takes_libaio_where_io_uring_is_forbidden),
	    cmocka_unit_test(auto_takes_sync_where_both_are_forbidden),
	    cmocka_unit_test(an_engine_asked_for_by_name_does_not_fall_back),
	    cmocka_unit_test(io_that_io_uring_punts_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
