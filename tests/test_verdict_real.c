/*
 * Each verdict on a point that the engine really measured: provoked by a
 * device, a file, a neighbour or a script that behaves so, and silent beside
 * it. What a verdict says to given numbers is in test_verdict.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/backend.h"
#include "engine/backend_null.h"
#include "engine/measure.h"
#include "engine/units.h"
#include "export/result.h"
#include "tests/loopdev.h"

#define VISITS_MAX 10
#define FILE_BYTES (32 * MIB)

/* One point on one target, its visits, and what is said of them. */
struct trial {
	struct target target;
	struct measure_opts opts;
	struct point point;
	struct measurer *measurer;
	struct visit visits[VISITS_MAX];
	struct result result;
	struct run run;
};

/* 4K random reads at depth 1, direct, windows of 60 ms. */
static void trial_init(struct trial *t, const char *path)
{
	struct err err = {0};
	int i;

	memset(t, 0, sizeof(*t));
	if (target_probe(path, &t->target, &err))
		fail_msg("%s", err.text);
	t->opts = (struct measure_opts){.time_ns = 60 * NS_PER_MS,
					.ramp_ns = 10 * NS_PER_MS};
	t->point = (struct point){
	    .workload = {.stream = {.block_size_bytes = 4096,
				    .read_pct = 100,
				    .random_pct = 100},
			 .threads = 1,
			 .queue_depth = 1},
	    .target = t->target.path,
	    .variant = "",
	    .section = "",
	};
	for (i = 0; i < VISITS_MAX; i++)
		visit_init(&t->visits[i]);
	t->result.point = &t->point;
	t->run = (struct run){.points = &t->point,
			      .point_count = 1,
			      .visits = t->visits,
			      .results = &t->result};
}

static void trial_fini(struct trial *t)
{
	int i;

	measure_free(t->measurer);
	for (i = 0; i < VISITS_MAX; i++)
		visit_fini(&t->visits[i]);
	target_fini(&t->target);
	backend_null_script(NULL, NULL);
}

/* One more visit of the point as it is now. */
static const struct visit *measure(struct trial *t)
{
	uint32_t n = t->run.visit_count++;
	struct visit *v = &t->visits[n];
	struct err err = {0};

	assert_true(n < VISITS_MAX);
	if (!t->measurer &&
	    measure_engine_new(&t->opts, &t->target, 1, &t->measurer, &err))
		fail_msg("%s", err.text);
	measure_visit(t->measurer, &t->point, n + 1, v);
	if (v->state != VISIT_DONE)
		fail_msg("%s", v->reason);
	return v;
}

static void measure_times(struct trial *t, uint32_t count)
{
	while (count--)
		measure(t);
}

/* Whether the verdict is reached on the visits so far; its number is in
 * t->result. */
static bool judged(struct trial *t, enum verdict v)
{
	assert_int_equal(analyse_run(&t->run), 0);
	return t->result.verdicts & (1u << v);
}

static double number_of(const struct trial *t, enum verdict v)
{
	return t->result.verdict_value[v];
}

/* Start over: the visits so far are forgotten. */
static void forget(struct trial *t)
{
	t->run.visit_count = 0;
}

/* A whole file of data, on the disk, in the scratch folder. */
static void make_file(char *path, const char *name, uint64_t bytes)
{
	int fd;

	assert_non_null(scratch_file(path, name, bytes, 0x5a));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fsync(fd), 0);
	close(fd);
}

static void skip_for(const char *why)
{
	print_message("skip: %s\n", why);
	skip();
}

/* A disk that only we use, under "own/" of the scratch folder; stays until the
 * end. */
static struct loopdev own_disk;

static void need_own_disk(void)
{
	static int made = 1;
	const char *why = loopdev_unavailable();

	if (why)
		skip_for(why);
	if (made > 0)
		made = loopdev_own_disk(&own_disk, "own", 4 * FILE_BYTES);
	if (made) {
		print_message("disk in memory: %s\n", strerror(-made));
		skip_for("no disk of our own in memory here");
	}
}

/* A loop device past the page cache, over a file of data. */
static void make_loop(struct loopdev *loop, const char *name)
{
	const char *why = loopdev_unavailable();
	char path[PATH_MAX];
	int ret;

	if (why)
		skip_for(why);
	make_file(path, name, FILE_BYTES);
	ret = loopdev_attach(loop, path, LOOPDEV_DIRECT, 4096);
	if (ret) {
		print_message("loop device: %s\n", strerror(-ret));
		skip_for("no loop device past the page cache here");
	}
}

static void skip_without(enum engine_kind kind)
{
	if ((kind == ENGINE_IO_URING && backend_uring_probe() < 0) ||
	    (kind == ENGINE_LIBAIO && backend_aio_probe() < 0))
		skip_for("the engine is not available here");
}

/* ---- from the visits: on a scripted device ---- */

struct device {
	uint64_t latency_ns;
	uint64_t slow_until_ns; /* of a visit: twice that latency */
	uint64_t fail_every;	/* reads, the first of so many; 0: none */
	uint64_t hold_every;	/* likewise held for hold_ns */
	uint64_t hold_ns;
};

static void device_script(void *arg, const struct null_io *io,
			  struct null_answer *answer)
{
	const struct device *d = arg;

	answer->latency_ns = d->latency_ns;
	if (io->at_ns < d->slow_until_ns)
		answer->latency_ns *= 2;
	if (d->fail_every && io->dir == DIR_READ &&
	    io->number % d->fail_every == 0)
		answer->res = -EIO;
	if (d->hold_every && io->number % d->hold_every == 0)
		answer->latency_ns = d->hold_ns;
}

/* The scripted engine on a virtual clock: windows of a second. */
static void trial_init_scripted(struct trial *t, struct device *d)
{
	trial_init(t, "/dev/zero");
	t->point.engine = ENGINE_NULL;
	t->opts.time_ns = NS_PER_SEC;
	*d = (struct device){.latency_ns = 100 * NS_PER_US};
	backend_null_script(device_script, d);
}

/* A visit at each of these latencies. */
static void measure_at(struct trial *t, struct device *d,
		       const uint64_t *latency_us, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		d->latency_ns = latency_us[i] * NS_PER_US;
		measure(t);
	}
}

static void one_visit_is_one_and_two_are_not(void **state)
{
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure(&t);
	assert_true(judged(&t, VERDICT_ONE_VISIT));
	measure(&t);
	assert_false(judged(&t, VERDICT_ONE_VISIT));
	trial_fini(&t);
}

static void a_device_of_two_minds_is_unsteady(void **state)
{
	static const uint64_t steady[] = {100, 104, 98, 103, 99};
	static const uint64_t restless[] = {100, 140, 100, 140, 100};
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure_at(&t, &d, steady, 5);
	assert_false(judged(&t, VERDICT_UNSTEADY));
	forget(&t);
	measure_at(&t, &d, restless, 5);
	assert_true(judged(&t, VERDICT_UNSTEADY));
	assert_true(number_of(&t, VERDICT_UNSTEADY) > 30);
	assert_false(t.result.verdicts & (1u << VERDICT_TREND));
	trial_fini(&t);
}

static void a_device_that_warms_up_has_a_trend(void **state)
{
	static const uint64_t warming[] = {120, 114, 108, 103, 100};
	static const uint64_t warm[] = {100, 102, 99, 101, 100};
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure_at(&t, &d, warming, 5);
	assert_true(judged(&t, VERDICT_TREND));
	assert_true(number_of(&t, VERDICT_TREND) > 10);
	forget(&t);
	measure_at(&t, &d, warm, 5);
	assert_false(judged(&t, VERDICT_TREND));
	trial_fini(&t);
}

static void a_device_that_throttles_fell(void **state)
{
	static const uint64_t throttled[] = {100, 101, 99, 200, 201, 199};
	static const uint64_t recovered[] = {100, 101, 200, 199, 99, 100};
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure_at(&t, &d, throttled, 6);
	assert_true(judged(&t, VERDICT_FELL));
	assert_true(fabs(number_of(&t, VERDICT_FELL) - 50) < 2);
	forget(&t);
	measure_at(&t, &d, recovered, 6);
	assert_false(judged(&t, VERDICT_FELL));
	trial_fini(&t);
}

/* A ramp of 100 ms before windows of a second. */
static void a_start_longer_than_the_ramp_is_a_transient(void **state)
{
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	t.opts.ramp_ns = 100 * NS_PER_MS;
	d.slow_until_ns = 100 * NS_PER_MS;
	measure_times(&t, 3);
	assert_false(judged(&t, VERDICT_TRANSIENT));
	forget(&t);
	d.slow_until_ns = 300 * NS_PER_MS;
	measure_times(&t, 3);
	assert_true(judged(&t, VERDICT_TRANSIENT));
	assert_true(number_of(&t, VERDICT_TRANSIENT) == 20);
	trial_fini(&t);
}

static void a_noisy_device_does_not_converge(void **state)
{
	static const uint64_t noisy[] = {100, 110, 93, 105};
	static const uint64_t quiet[] = {100, 101, 100, 101};
	static char plan[] = "plan", name[] = "precision", value[] = "2%";
	struct run_fact fact = {plan, name, value};
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	t.run.facts = &fact;
	t.run.fact_count = 1;
	measure_at(&t, &d, noisy, 4);
	assert_true(judged(&t, VERDICT_NOT_CONVERGED));
	forget(&t);
	measure_at(&t, &d, quiet, 4);
	assert_false(judged(&t, VERDICT_NOT_CONVERGED));
	trial_fini(&t);
}

static void
a_device_that_swings_is_not_steady_where_that_was_asked(void **state)
{
	static const uint64_t swings[] = {100, 140, 100, 140, 100, 140};
	static const uint64_t settles[] = {60, 80, 100, 101, 100, 99, 100};
	static char plan[] = "plan", name[] = "steady", value[] = "yes";
	struct run_fact fact = {plan, name, value};
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure_at(&t, &d, swings, 6);
	assert_false(judged(&t, VERDICT_NOT_STEADY));
	t.run.facts = &fact;
	t.run.fact_count = 1;
	assert_true(judged(&t, VERDICT_NOT_STEADY));
	assert_true(number_of(&t, VERDICT_NOT_STEADY) == 6);
	forget(&t);
	measure_at(&t, &d, settles, 7);
	assert_false(judged(&t, VERDICT_NOT_STEADY));
	trial_fini(&t);
}

/* Two points in rounds that slow down, one of which misses the last ones. */
static void a_point_that_missed_rounds_is_corrected(void **state)
{
	static const uint64_t latency_us[] = {100, 102, 98, 130, 131, 129};
	struct point points[2];
	struct result results[2];
	struct device d;
	struct trial t;
	uint32_t i;

	(void)state;
	trial_init_scripted(&t, &d);
	/* Point 0 in all six rounds, point 1 in the first four. */
	for (i = 0; i < 10; i++) {
		d.latency_ns = latency_us[i % 6] * NS_PER_US;
		measure(&t);
		t.visits[i].point = i / 6;
		t.visits[i].round = i % 6 + 1;
	}
	memset(results, 0, sizeof(results));
	for (i = 0; i < 2; i++) {
		points[i] = t.point;
		points[i].index = i;
		points[i].workload.queue_depth = 1;
		results[i].point = &points[i];
	}
	t.run.points = points;
	t.run.results = results;
	t.run.point_count = 2;
	assert_int_equal(analyse_run(&t.run), 0);
	assert_false(results[0].verdicts & (1u << VERDICT_CORRECTED));
	assert_true(results[1].verdicts & (1u << VERDICT_CORRECTED));
	assert_true(results[1].verdict_value[VERDICT_CORRECTED] < -1);
	trial_fini(&t);
}

static void a_clock_set_back_is_said(void **state)
{
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	measure_times(&t, 2);
	/* On a virtual clock a visit of a second takes no time. */
	t.visits[0].measured_ns = t.visits[0].ramp_ns = 1;
	t.visits[1].measured_ns = t.visits[1].ramp_ns = 1;
	assert_false(judged(&t, VERDICT_CLOCK));
	t.visits[1].started_utc_ns -= (int64_t)(60 * NS_PER_SEC);
	assert_true(judged(&t, VERDICT_CLOCK));
	trial_fini(&t);
}

static void a_device_that_fails_reads_is_off_the_mix(void **state)
{
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	t.point.workload.stream.read_pct = 70;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_MIX_OFF));
	assert_false(judged(&t, VERDICT_ERRORS));
	forget(&t);
	d.fail_every = 3;
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_MIX_OFF));
	assert_true(number_of(&t, VERDICT_MIX_OFF) < 65);
	assert_true(judged(&t, VERDICT_ERRORS));
	trial_fini(&t);
}

/* What is held for longer than the window is missing in it. */
static void ios_that_outlast_the_window_break_little(void **state)
{
	struct device d;
	struct trial t;

	(void)state;
	trial_init_scripted(&t, &d);
	t.point.workload.queue_depth = 8;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_LITTLE));
	forget(&t);
	/* Of the first eight the first one, and soon another. */
	d.hold_every = 5000;
	d.hold_ns = 2 * NS_PER_SEC;
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_LITTLE));
	assert_true(number_of(&t, VERDICT_LITTLE) < 0.9);
	trial_fini(&t);
}

/* ---- on real files and devices ---- */

/* Whoever else runs: a worker that waits for a core lacks one too. */
static void reading_dev_zero_is_cpu_bound(void **state)
{
	struct trial t;
	bool bound = false;
	int tries;

	(void)state;
	trial_init(&t, "/dev/zero");
	t.point.workload.queue_depth = 32;
	/* What a hypervisor takes away is neither had nor waited for. */
	for (tries = 0; tries < 10 && !bound; tries++) {
		forget(&t);
		measure_times(&t, 3);
		bound = judged(&t, VERDICT_CPU_BOUND);
	}
	assert_true(bound);
	trial_fini(&t);
}

static void a_rate_beyond_the_storage_is_missed(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "/dev/zero");
	t.point.engine = ENGINE_SYNC;
	t.point.workload.rate_iops = 1000000000;
	measure(&t);
	assert_true(judged(&t, VERDICT_RATE_MISSED));
	assert_true(number_of(&t, VERDICT_RATE_MISSED) < 10);
	trial_fini(&t);
}

static void a_rate_that_is_kept_is_not_missed(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "/dev/zero");
	t.point.engine = ENGINE_NULL;
	t.point.workload.rate_iops = 5000;
	measure(&t);
	assert_false(judged(&t, VERDICT_RATE_MISSED));
	assert_int_equal(t.visits[0].ios[DIR_READ], 300);
	trial_fini(&t);
}

static void waiting_for_a_disk_is_not_cpu_bound(void **state)
{
	char path[PATH_MAX];
	struct trial t;

	(void)state;
	make_file(path, "idle", FILE_BYTES);
	trial_init(&t, path);
	if (!t.target.direct_offset_align) {
		trial_fini(&t);
		skip_for("no O_DIRECT in the scratch folder");
	}
	t.point.workload.stream.block_size_bytes = MIB;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_CPU_BOUND));
	trial_fini(&t);
}

static void a_file_in_memory_is_punted_by_io_uring_alone(void **state)
{
	char path[] = "/dev/shm/iosweep-test.XXXXXX";
	struct trial t;
	int fd;
	bool punted;

	(void)state;
	skip_without(ENGINE_IO_URING);
	fd = mkstemp(path);
	if (fd < 0)
		skip_for("no /dev/shm");
	assert_int_equal(ftruncate(fd, MIB), 0);
	close(fd);
	trial_init(&t, path);
	t.point.cache = CACHE_BUFFERED;
	t.point.engine = ENGINE_SYNC;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_PUNTED));
	forget(&t);
	t.point.engine = ENGINE_IO_URING;
	measure_times(&t, 2);
	punted = judged(&t, VERDICT_PUNTED);
	trial_fini(&t);
	unlink(path);
	if (!punted)
		skip_for("this kernel does not punt tmpfs");
}

static void set_nr_requests(const struct loopdev *loop, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%.31s/queue/nr_requests",
		 loop->name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		print_message("nr_requests %s: %s\n", value, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Large blocks keep the device busy whoever else wants the CPU; small ones wait
 * for a place in the queue. */
static void a_short_queue_is_shallow(void **state)
{
	struct loopdev loop;
	struct trial t;

	(void)state;
	skip_without(ENGINE_LIBAIO);
	make_loop(&loop, "queue");
	trial_init(&t, loop.node);
	t.point.engine = ENGINE_LIBAIO;
	t.opts.time_ns = 300 * NS_PER_MS;
	t.point.workload.stream.block_size_bytes = 2 * MIB;
	t.point.workload.queue_depth = 2;
	measure_times(&t, 3);
	assert_false(judged(&t, VERDICT_SHALLOW));
	forget(&t);
	set_nr_requests(&loop, "4");
	t.point.workload.stream.block_size_bytes = 4096;
	t.point.workload.queue_depth = 16;
	measure_times(&t, 3);
	assert_true(judged(&t, VERDICT_SHALLOW));
	assert_true(number_of(&t, VERDICT_SHALLOW) <= 6);
	trial_fini(&t);
	loopdev_detach(&loop);
}

/* On a file system of our own: nobody else uses its device. */
static void holes_never_reach_the_device(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct loopdev loop;
	struct trial t;

	(void)state;
	make_loop(&loop, "disk");
	if (run_tool("mkfs.ext4", "-q", "-F", loop.node, NULL) ||
	    mount_scratch(loop.node, "mounted", "ext4", NULL, point)) {
		loopdev_detach(&loop);
		skip_for("no ext4 here");
	}
	make_file(path, "mounted/whole", FILE_BYTES / 4);
	trial_init(&t, path);
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_CACHE_BELOW));
	trial_fini(&t);
	assert_non_null(
	    scratch_file(path, "mounted/hollow", FILE_BYTES / 4, 0));
	trial_init(&t, path);
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_CACHE_BELOW));
	assert_true(number_of(&t, VERDICT_CACHE_BELOW) < 50);
	trial_fini(&t);
	loopdev_detach(&loop);
}

/* The mean of the visits; NAN where one is not known, or not from there. */
static double hit_pct(const struct trial *t, uint32_t count,
		      enum hit_source from)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		sum += t->visits[i].hit_source == from ? t->visits[i].hit_pct
						       : NAN;
	return sum / count;
}

/* A loop device over a file is a disk when it goes past the page cache, and a
 * true read cache when it does not. */
static void a_loop_through_the_page_cache_serves_from_below(void **state)
{
	char path[PATH_MAX];
	struct loopdev loop;
	struct trial t;

	(void)state;
	need_own_disk();
	make_loop(&loop, "own/pair");
	trial_init(&t, loop.node);
	t.opts.time_ns = 200 * NS_PER_MS;
	measure_times(&t, 3);
	assert_true(hit_pct(&t, 3, HIT_DEVICES) < 5);
	assert_false(judged(&t, VERDICT_CACHE_BELOW));
	trial_fini(&t);
	loopdev_detach(&loop);

	/* Just written, the file lies in the page cache. */
	make_file(path, "own/cached", FILE_BYTES);
	assert_int_equal(loopdev_attach(&loop, path, 0, 4096), 0);
	trial_init(&t, loop.node);
	t.opts.time_ns = 200 * NS_PER_MS;
	measure_times(&t, 3);
	assert_true(hit_pct(&t, 3, HIT_PAGE_CACHE) == 100);
	assert_true(judged(&t, VERDICT_CACHE_BELOW));
	assert_true(number_of(&t, VERDICT_CACHE_BELOW) < 5);
	trial_fini(&t);
	loopdev_detach(&loop);
	unlink(path);
}

/* Pages that a program has mapped stay, whatever is done to drop them. */
static void a_file_that_is_mapped_is_not_cold(void **state)
{
	char path[PATH_MAX];
	struct trial t;
	void *mapped;
	int fd;

	(void)state;
	make_file(path, "mapped", FILE_BYTES / 8);
	trial_init(&t, path);
	t.point.state = STATE_COLD;
	measure_times(&t, 2);
	if (t.visits[0].state_reached == REACHED_UNKNOWN) {
		trial_fini(&t);
		skip_for("what is in the page cache is not told here");
	}
	assert_false(judged(&t, VERDICT_NOT_COLD));
	forget(&t);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, FILE_BYTES / 8, PROT_READ,
		      MAP_SHARED | MAP_POPULATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	measure_times(&t, 2);
	munmap(mapped, FILE_BYTES / 8);
	assert_true(judged(&t, VERDICT_NOT_COLD));
	assert_true(number_of(&t, VERDICT_NOT_COLD) > 90);
	trial_fini(&t);
}

/* Cold at first: one pass shows that it changes, the next ones that it stays;
 * what one point found holds for the next. */
static void a_cache_that_still_fills_is_not_warm(void **state)
{
	char path[PATH_MAX];
	struct loopdev loop;
	struct trial t;

	(void)state;
	need_own_disk();
	make_file(path, "own/filling", FILE_BYTES);
	assert_int_equal(loopdev_attach(&loop, path, 0, 4096), 0);
	trial_init(&t, loop.node);
	t.point.state = STATE_WARM;
	t.opts.warm_passes_min = t.opts.warm_passes_max = 1;
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_NOT_WARM));
	assert_true(number_of(&t, VERDICT_NOT_WARM) == 1);
	assert_non_null(strstr(t.visits[1].note, "not warm since an earlier"));
	trial_fini(&t);
	trial_init(&t, loop.node);
	t.point.state = STATE_WARM;
	t.opts.warm_passes_min = 2;
	t.opts.warm_passes_max = 5;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_NOT_WARM));
	assert_true(t.visits[0].warm_passes == 2);
	trial_fini(&t);
	loopdev_detach(&loop);
	unlink(path);
}

/* In the child: read the device all the time. */
static void *read_on(void *arg)
{
	const char *node = arg;
	int fd = open(node, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *block = aligned_alloc(4096, MIB);
	off_t at = 0;

	while (fd >= 0 && block && pread(fd, block, MIB, at) == (ssize_t)MIB)
		at = (at + (off_t)MIB) % (off_t)FILE_BYTES;
	return NULL;
}

static int start_reading(void *arg)
{
	pthread_t thread;

	return -pthread_create(&thread, NULL, read_on, arg);
}

/* Others read the disk below: nothing of ours came from there. */
static void what_the_page_cache_holds_is_served_by_it(void **state)
{
	char path[PATH_MAX];
	struct loopdev loop;
	struct trial t;
	pid_t pid;

	(void)state;
	need_own_disk();
	make_file(path, "own/held", FILE_BYTES);
	assert_int_equal(loopdev_attach(&loop, path, 0, 4096), 0);
	pid = child_start(start_reading, own_disk.node);
	assert_true(pid > 0);
	trial_init(&t, loop.node);
	t.point.state = STATE_WARM;
	t.opts.warm_passes_min = 2;
	t.opts.warm_passes_max = 5;
	measure_times(&t, 3);
	assert_true(hit_pct(&t, 3, HIT_PAGE_CACHE) == 100);
	assert_true(t.visits[0].warm_passes == 2);
	assert_non_null(strstr(t.visits[0].note, "hit 100.0%"));
	trial_fini(&t);
	loopdev_detach(&loop);
	trial_init(&t, path);
	t.point.cache = CACHE_BUFFERED;
	measure_times(&t, 2);
	assert_true(hit_pct(&t, 2, HIT_PAGE_CACHE) == 100);
	forget(&t);
	t.point.state = STATE_COLD;
	measure_times(&t, 2);
	assert_true(isnan(hit_pct(&t, 2, HIT_PAGE_CACHE)));
	child_end(pid);
	trial_fini(&t);
	unlink(path);
}

static void a_neighbour_is_foreign(void **state)
{
	struct loopdev loop;
	struct trial t;
	pid_t pid;

	(void)state;
	need_own_disk();
	make_loop(&loop, "own/shared");
	trial_init(&t, loop.node);
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_FOREIGN_IO));
	forget(&t);
	pid = child_start(start_reading, loop.node);
	assert_true(pid > 0);
	measure_times(&t, 2);
	child_end(pid);
	assert_true(judged(&t, VERDICT_FOREIGN_IO));
	trial_fini(&t);
	loopdev_detach(&loop);
}

/* The file below ends in the middle: the device fails behind it. */
static void a_device_cut_short_has_errors(void **state)
{
	struct loopdev loop;
	struct trial t;

	(void)state;
	make_loop(&loop, "cut");
	trial_init(&t, loop.node);
	t.point.workload.queue_depth = 4;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_ERRORS));
	forget(&t);
	assert_int_equal(truncate(loop.file, FILE_BYTES / 2), 0);
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_ERRORS));
	assert_int_equal(t.result.total.errors[0].errnum, EIO);
	trial_fini(&t);
	loopdev_detach(&loop);
}

static void short_reads_are_errors(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "/dev/null");
	t.point.workload.stream.read_pct = 0;
	measure_times(&t, 2);
	assert_false(judged(&t, VERDICT_ERRORS));
	forget(&t);
	t.point.workload.stream.read_pct = 50;
	measure_times(&t, 2);
	assert_true(judged(&t, VERDICT_ERRORS));
	assert_true(judged(&t, VERDICT_MIX_OFF));
	trial_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_visit_is_one_and_two_are_not),
	    cmocka_unit_test(a_device_of_two_minds_is_unsteady),
	    cmocka_unit_test(a_device_that_warms_up_has_a_trend),
	    cmocka_unit_test(a_device_that_throttles_fell),
	    cmocka_unit_test(a_start_longer_than_the_ramp_is_a_transient),
	    cmocka_unit_test(a_noisy_device_does_not_converge),
	    cmocka_unit_test(
		a_device_that_swings_is_not_steady_where_that_was_asked),
	    cmocka_unit_test(a_point_that_missed_rounds_is_corrected),
	    cmocka_unit_test(a_clock_set_back_is_said),
	    cmocka_unit_test(a_device_that_fails_reads_is_off_the_mix),
	    cmocka_unit_test(ios_that_outlast_the_window_break_little),
	    cmocka_unit_test(reading_dev_zero_is_cpu_bound),
	    cmocka_unit_test(a_rate_beyond_the_storage_is_missed),
	    cmocka_unit_test(a_rate_that_is_kept_is_not_missed),
	    cmocka_unit_test(waiting_for_a_disk_is_not_cpu_bound),
	    cmocka_unit_test(a_file_in_memory_is_punted_by_io_uring_alone),
	    cmocka_unit_test(a_short_queue_is_shallow),
	    cmocka_unit_test(holes_never_reach_the_device),
	    cmocka_unit_test(a_loop_through_the_page_cache_serves_from_below),
	    cmocka_unit_test(a_file_that_is_mapped_is_not_cold),
	    cmocka_unit_test(a_cache_that_still_fills_is_not_warm),
	    cmocka_unit_test(what_the_page_cache_holds_is_served_by_it),
	    cmocka_unit_test(a_neighbour_is_foreign),
	    cmocka_unit_test(a_device_cut_short_has_errors),
	    cmocka_unit_test(short_reads_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
