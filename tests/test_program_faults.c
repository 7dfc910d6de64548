/* slow: storage at its worst, for real: what fails, shrinks, fills up or hangs
 * under a sweep costs its own visits and nothing that was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "export/xlsx.h"
#include "tests/csvtable.h"
#include "tests/faultyfs.h"
#include "tests/loopdev.h"
#include "tests/program.h"
#include "tests/resumerig.h"

#define FS_SHUTDOWN _IOR('X', 125, uint32_t)

/* One point, many visits: the fault comes in the middle and may go. */
#define RUN                                                                    \
	"run %s -b 4K -o 2 -p rand --ramp 5ms --time 120ms --rounds 8 "        \
	"--out run "
#define ROUNDS 8

static char *folder;

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

static void need(const char *why_not)
{
	if (!why_not)
		return;
	print_message("skip: %s\n", why_not);
	skip();
}

/* Until visits.csv holds so many visits. Fails the test after a minute. */
static void wait_for_visits(int visits)
{
	int i;

	for (i = 0; i < 60000; i++) {
		if (program_count_lines(folder, "run/visits.csv") > visits)
			return;
		usleep(1000);
	}
	fail_msg("not %d visits after a minute", visits);
}

static void wait_for_file(const char *name)
{
	int i;

	for (i = 0; i < 6000; i++) {
		if (program_exists(folder, name))
			return;
		usleep(10000);
	}
	fail_msg("no %s after a minute", name);
}

static void wait_for_log(const char *part)
{
	int i;

	for (i = 0; i < 6000; i++) {
		bool found = false;

		if (program_exists(folder, "log")) {
			char *log = program_read(folder, "log");

			found = strstr(log, part) != NULL;
			free(log);
		}
		if (found)
			return;
		usleep(10000);
	}
	fail_msg("'%s' is not in the log after a minute", part);
}

/* A busy machine may starve a visit. */
static bool is_starved(const struct csvtable *t, size_t row)
{
	return strstr(csvtable_get(t, row, "reason"),
		      "no I/O completed inside") != NULL;
}

/* All visits are there; those of the fault failed for that reason, of which
 * there are `failed` at least, and not all; the book is whole. */
static void assert_outcome(int failed, const char *reason)
{
	struct err err = {0};
	struct csvtable t;
	char *book;
	size_t row;
	int seen = 0, done = 0;

	csvtable_read(&t, folder, "run/visits.csv");
	assert_true(t.whole);
	assert_int_equal(t.count, 1 + ROUNDS);
	for (row = 1; row < t.count; row++) {
		if (!strcmp(csvtable_get(&t, row, "state"), "done")) {
			done++;
			continue;
		}
		if (is_starved(&t, row))
			continue;
		program_assert_contains(csvtable_get(&t, row, "reason"),
					reason);
		seen++;
	}
	csvtable_free(&t);
	assert_true(seen >= failed && done > 0);
	book = program_path(folder, "run/report.xlsx");
	if (xlsx_verify(book, &err))
		fail_msg("%s", err.text);
	free(book);
}

/* ---- errors ---- */

static void errors_fail_their_visits_and_no_others(void **state)
{
	static const struct {
		int errnum;
		const char *reason;
	} cases[] = {
	    {EIO, "Input/output error"},
	    {ENODEV, "the device has gone"},
	    {ESTALE, "Stale file handle"},
	};
	struct faultyfs fs;
	size_t i;

	(void)state;
	need(faultyfs_start(&fs, "errors", 8 * LOOPDEV_MIB));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r = program_run(folder, "rm -rf run log");
		struct csvtable t;
		pid_t pid;

		program_free(&r);
		pid = program_start(folder, RUN, fs.file);
		wait_for_visits(2);
		fs.control->read_errno = cases[i].errnum;
		wait_for_visits(5);
		fs.control->read_errno = 0;
		assert_int_equal(program_wait(pid), 1);
		assert_outcome(2, cases[i].reason);
		csvtable_read(&t, folder, "run/visits.csv");
		/* The last ones are done again. */
		assert_true(!*csvtable_get(&t, ROUNDS, "reason") ||
			    is_starved(&t, ROUNDS));
		csvtable_free(&t);
	}
	faultyfs_end(&fs);
}

static void slow_storage_is_measured_as_slow(void **state)
{
	struct program_result r;
	struct faultyfs fs;
	struct csvtable t;

	(void)state;
	need(faultyfs_start(&fs, "slow", 8 * LOOPDEV_MIB));
	fs.control->delay_us = 20000;
	r = program_run(folder, "iosweep " RUN "--quiet --time 300ms", fs.file);
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&t, folder, "run/points.csv");
	assert_true(csvtable_number(&t, 1, "lat_min_us") >= 20000);
	csvtable_free(&t);
	faultyfs_end(&fs);
}

static void a_target_that_shrinks_fails_from_there_on(void **state)
{
	char *path;
	pid_t pid;

	(void)state;
	program_fill(folder, "f", 8 << 20);
	pid = program_start(folder, RUN, "f");
	wait_for_visits(2);
	path = program_path(folder, "f");
	assert_int_equal(truncate(path, 4096), 0);
	free(path);
	assert_int_equal(program_wait(pid), 1);
	/* Random reads: some still hit what is left. */
	assert_outcome(1, "the target is smaller than it was");
}

static void a_file_cut_off_below_a_loop_device_is_an_io_error(void **state)
{
	struct loopdev loop;
	char file[PATH_MAX];
	pid_t pid;

	(void)state;
	need(loopdev_unavailable());
	assert_non_null(scratch_file(file, "cut.img", 8 * LOOPDEV_MIB, 0x5a));
	assert_int_equal(loopdev_attach(&loop, file, 0, 0), 0);
	pid = program_start(folder, RUN, loop.node);
	wait_for_visits(2);
	assert_int_equal(truncate(file, 0), 0);
	assert_int_equal(program_wait(pid), 1);
	assert_outcome(1, "Input/output error");
	loopdev_detach(&loop);
}

static void a_full_file_system_below_a_loop_device_is_an_io_error(void **state)
{
	char mount_point[PATH_MAX], file[PATH_MAX + 8];
	struct loopdev loop;
	struct csvtable t;
	size_t row;
	pid_t pid;
	int fd;

	(void)state;
	need(loopdev_unavailable());
	assert_int_equal(
	    mount_scratch("none", "thin", "tmpfs", "size=4m", mount_point), 0);
	/* Thin: it promises more than there is. */
	snprintf(file, sizeof(file), "%s/thin", mount_point);
	fd = open(file, O_RDWR | O_CREAT, 0600);
	assert_int_equal(ftruncate(fd, 64 << 20), 0);
	close(fd);
	assert_int_equal(loopdev_attach(&loop, file, 0, 0), 0);
	pid = program_start(folder, RUN "-r 0 -b 64K --destroy-data-on %s",
			    loop.node, loop.node);
	program_wait(pid);
	csvtable_read(&t, folder, "run/visits.csv");
	assert_int_equal(t.count, 1 + ROUNDS);
	for (row = 1; row < t.count; row++)
		program_assert_contains(csvtable_get(&t, row, "errors"),
					"ENOSPC:");
	csvtable_free(&t);
	loopdev_detach(&loop);
	umount(mount_point);
}

static void a_file_system_that_shuts_down_is_an_io_error(void **state)
{
	char mount_point[PATH_MAX], file[PATH_MAX + 8];
	uint32_t how = 2;
	struct loopdev loop;
	pid_t pid;
	int fd;

	(void)state;
	need(loopdev_unavailable());
	assert_int_equal(loopdev_new(&loop, "down.img", 64 * LOOPDEV_MIB, 0),
			 0);
	if (run_tool("mkfs.ext4", "-q", loop.node, NULL))
		need("no mkfs.ext4");
	assert_int_equal(
	    mount_scratch(loop.node, "down", "ext4", NULL, mount_point), 0);
	snprintf(file, sizeof(file), "%s/f", mount_point);
	pid = program_start(folder, RUN "--size 8M", file);
	wait_for_visits(2);
	fd = open(mount_point, O_RDONLY | O_DIRECTORY);
	assert_int_equal(ioctl(fd, FS_SHUTDOWN, &how), 0);
	close(fd);
	assert_int_equal(program_wait(pid), 1);
	assert_outcome(1, "Input/output error");
	umount(mount_point);
	loopdev_detach(&loop);
}

static void a_limit_on_file_sizes_ends_it_and_it_goes_on_without(void **state)
{
	struct program_result r;
	struct stat whole;
	char *latency;
	int rows;

	(void)state;
	/* How much a visit writes is the machine's: half of a whole sweep's
	 * latency histograms, in blocks of 512 bytes. */
	r = program_run(folder, "iosweep " RUN, "/dev/zero");
	program_assert_status(&r, 0);
	program_free(&r);
	latency = program_path(folder, "run/latency.csv");
	assert_int_equal(stat(latency, &whole), 0);
	free(latency);
	r = program_run(folder, "rm -r run; ulimit -f %lld; iosweep " RUN,
			(long long)whole.st_size / 2 / 512, "/dev/zero");
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "cannot write: File too large");
	program_assert_contains(r.err, "--resume run");
	program_free(&r);
	rows = program_count_lines(folder, "run/visits.csv") - 1;
	print_message("%d visits within the limit\n", rows);
	assert_in_range(rows, 1, ROUNDS - 1);
	resumerig_go_on(folder, "run", NULL);
	resumerig_assert_whole(folder, "run", ROUNDS);
}

/* ---- I/Os that never return ---- */

static void check_hang(const char *engine)
{
	struct program_result r;
	struct faultyfs fs;
	pid_t pid;

	need(faultyfs_start(&fs, engine, 8 * LOOPDEV_MIB));
	pid = program_start(folder,
			    "run %s -b 4K -o 2 -p rand --ramp 5ms --time 80ms "
			    "--rounds 3 --io-timeout 300ms --engine %s "
			    "--out run",
			    fs.file, engine);
	wait_for_visits(1);
	fs.control->hang = true;
	wait_for_log("may keep this process");
	assert_true(fs.control->hanging > 0);
	/* All is done while the I/Os are still out. */
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 4);
	assert_false(program_exists(folder, "run/run.lock"));
	r = program_run(folder, "iosweep show run; cat log; tail -2 "
				"run/visits.csv");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "workbook: run/report.xlsx");
	program_assert_contains(r.out, "I/Os did not return");
	program_assert_contains(r.out, "within 300 ms (the read of 4K at byte");
	program_assert_contains(r.out, ", out for ");
	program_free(&r);
	fs.control->hang = false;
	assert_int_equal(program_wait(pid), 1);
	resumerig_go_on(folder, "run", NULL);
	resumerig_assert_whole(folder, "run", 3);
	faultyfs_end(&fs);
}

static void hung_ios_are_named_and_cost_nothing_under_io_uring(void **state)
{
	(void)state;
	check_hang("io_uring");
}

static void hung_ios_are_named_and_cost_nothing_under_libaio(void **state)
{
	(void)state;
	check_hang("libaio");
}

static void hung_ios_are_named_and_cost_nothing_under_sync(void **state)
{
	(void)state;
	check_hang("sync");
}

/* Seconds until it has ended. */
static double wait_s(pid_t pid, int *status)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	*status = program_wait(pid);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) +
	       (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* The second Ctrl-C does not wait for I/Os that do not return. */
static void a_second_sigint_ends_a_visit_that_hangs(void **state)
{
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "stop", 8 * LOOPDEV_MIB));
	pid = program_start(folder, RUN "--io-timeout 10m --engine libaio",
			    fs.file);
	wait_for_visits(1);
	fs.control->hang = true;
	while (!fs.control->hanging)
		usleep(1000);
	kill(pid, SIGINT);
	usleep(100000);
	kill(pid, SIGINT);
	wait_for_log("may keep this process");
	assert_false(program_exists(folder, "run/run.lock"));
	assert_true(program_exists(folder, "run/report.xlsx"));
	fs.control->hang = false;
	assert_int_equal(program_wait(pid), 130);
	faultyfs_end(&fs);
}

/* Also while a file is read into the page cache before its visit. */
static void a_hang_before_the_visit_is_told_too(void **state)
{
	struct program_result r;
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "warm-hang", 8 * LOOPDEV_MIB));
	/* Slow enough to be met on its way. */
	fs.control->delay_us = 20000;
	pid = program_start(folder,
			    "run %s -b 4K -o 1 -p rand --cache buffered "
			    "--ramp 5ms --time 80ms --rounds 1 --io-timeout "
			    "500ms --out run",
			    fs.file);
	wait_for_file("run/visits.csv");
	fs.control->hang = true;
	wait_for_log("may keep this process");
	r = program_run(folder, "tail -1 run/visits.csv");
	program_assert_contains(r.out, "the read of 1M at byte ");
	program_assert_contains(r.out, " did not return for ");
	program_free(&r);
	assert_true(program_exists(folder, "run/report.xlsx"));
	fs.control->hang = false;
	fs.control->delay_us = 0;
	assert_int_equal(program_wait(pid), 1);
	resumerig_go_on(folder, "run", NULL);
	resumerig_assert_whole(folder, "run", 1);
	faultyfs_end(&fs);
}

/* A server that has gone hangs whoever opens a file of it. */
static void a_hang_of_the_opening_is_told(void **state)
{
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "open-hang", 8 * LOOPDEV_MIB));
	fs.control->hang_open = true;
	pid = program_start(folder, RUN "--io-timeout 300ms", fs.file);
	wait_for_log("opening the targets did not get on for ");
	assert_false(program_exists(folder, "run"));
	fs.control->hang_open = false;
	assert_int_equal(program_wait(pid), 1);
	faultyfs_end(&fs);
}

/* Nothing is measured before a target was looked into. */
static void a_hang_before_the_sweep_is_told(void **state)
{
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "look-hang", 8 * LOOPDEV_MIB));
	fs.control->hang_reads = true;
	pid = program_start(folder, RUN "--io-timeout 300ms", fs.file);
	wait_for_log("looking into the targets did not get on for ");
	wait_for_log("may keep this process");
	assert_false(program_exists(folder, "run"));
	fs.control->hang_reads = false;
	assert_int_equal(program_wait(pid), 1);
	/* Nor is Ctrl-C deaf. */
	fs.control->hang_reads = true;
	pid = program_start(folder, RUN, fs.file);
	while (!fs.control->hanging)
		usleep(1000);
	kill(pid, SIGINT);
	wait_for_log("stopped while laying out");
	fs.control->hang_reads = false;
	assert_int_equal(program_wait(pid), 130);
	faultyfs_end(&fs);
}

static void a_hang_of_the_preconditioning_is_told_and_it_goes_on(void **state)
{
	struct program_result r;
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "condition-hang", 8 * LOOPDEV_MIB));
	fs.control->delay_us = 20000;
	pid = program_start(folder,
			    RUN "-r 0 --precondition --precondition-time 100ms "
				"--io-timeout 2s --destroy-data-on %s",
			    fs.file, fs.file);
	wait_for_file("run/run.ini");
	fs.control->hang = true;
	wait_for_log("pass 1 of 2 over ");
	wait_for_log(" did not get on for ");
	wait_for_log("may keep this process");
	assert_false(program_exists(folder, "run/run.lock"));
	r = program_run(folder, "cat run/run.ini");
	program_assert_contains(r.out, "by = pass 1 of 2 over ");
	program_free(&r);
	fs.control->hang = false;
	fs.control->delay_us = 0;
	assert_int_equal(program_wait(pid), 1);
	r = program_run(folder,
			"iosweep run --resume run --destroy-data-on %s "
			"--quiet",
			fs.file);
	program_assert_status(&r, 0);
	program_free(&r);
	resumerig_assert_whole(folder, "run", ROUNDS);
	faultyfs_end(&fs);
}

/* Points that need no opening go on. */
static void a_hang_of_an_opening_for_a_visit_fails_it(void **state)
{
	struct program_result r;
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "reopen-hang", 2 * LOOPDEV_MIB));
	pid = program_start(folder,
			    "run %s -b 4K -o 1 -p rand --cache direct,buffered "
			    "--ramp 5ms --time 80ms --pause 700ms --rounds 2 "
			    "--io-timeout 300ms --out run",
			    fs.file);
	wait_for_visits(1);
	fs.control->hang_open = true;
	wait_for_log("may keep this process");
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 5);
	assert_false(program_exists(folder, "run/run.lock"));
	assert_true(program_exists(folder, "run/report.xlsx"));
	r = program_run(folder, "cat run/visits.csv");
	program_assert_contains(r.out, "reopen-hang/file did not get on for ");
	program_assert_contains(r.out, "has hung since it was opened");
	program_free(&r);
	fs.control->hang_open = false;
	assert_int_equal(program_wait(pid), 1);
	resumerig_go_on(folder, "run", NULL);
	resumerig_assert_whole(folder, "run", 2);
	faultyfs_end(&fs);
}

static void a_hang_of_the_reading_back_fails_the_visit(void **state)
{
	struct program_result r;
	struct faultyfs fs;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "verify-hang", 8 * LOOPDEV_MIB));
	pid =
	    program_start(folder,
			  "run %s -b 4K -o 1 -p rand -r 0 --verify --ramp 5ms "
			  "--time 300ms --rounds 1 --io-timeout 300ms "
			  "--destroy-data-on %s --out run",
			  fs.file, fs.file);
	while (!fs.control->written)
		usleep(1000);
	fs.control->hang_reads = true;
	wait_for_log("may keep this process");
	assert_false(program_exists(folder, "run/run.lock"));
	assert_true(program_exists(folder, "run/report.xlsx"));
	r = program_run(folder, "tail -1 run/visits.csv");
	program_assert_contains(r.out, "reading back what was written did not "
				       "get on for ");
	program_free(&r);
	fs.control->hang_reads = false;
	assert_int_equal(program_wait(pid), 1);
	faultyfs_end(&fs);
}

/* Nor does it wait until all has been read into the page cache. */
static void a_second_sigint_ends_the_reading_before_a_visit(void **state)
{
	struct faultyfs fs;
	int status;
	pid_t pid;

	(void)state;
	need(faultyfs_start(&fs, "warm", 512 * LOOPDEV_MIB));
	fs.control->delay_us = 50000;
	pid = program_start(folder, RUN "--cache buffered", fs.file);
	wait_for_file("run/visits.csv");
	usleep(200000);
	kill(pid, SIGINT);
	usleep(100000);
	kill(pid, SIGINT);
	assert_true(wait_s(pid, &status) < 10);
	assert_int_equal(status, 130);
	faultyfs_end(&fs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(errors_fail_their_visits_and_no_others),
	    TEST(slow_storage_is_measured_as_slow),
	    TEST(a_target_that_shrinks_fails_from_there_on),
	    TEST(a_file_cut_off_below_a_loop_device_is_an_io_error),
	    TEST(a_full_file_system_below_a_loop_device_is_an_io_error),
	    TEST(a_file_system_that_shuts_down_is_an_io_error),
	    TEST(a_limit_on_file_sizes_ends_it_and_it_goes_on_without),
	    TEST(hung_ios_are_named_and_cost_nothing_under_io_uring),
	    TEST(hung_ios_are_named_and_cost_nothing_under_libaio),
	    TEST(hung_ios_are_named_and_cost_nothing_under_sync),
	    TEST(a_second_sigint_ends_a_visit_that_hangs),
	    TEST(a_second_sigint_ends_the_reading_before_a_visit),
	    TEST(a_hang_before_the_visit_is_told_too),
	    TEST(a_hang_of_the_opening_is_told),
	    TEST(a_hang_before_the_sweep_is_told),
	    TEST(a_hang_of_the_preconditioning_is_told_and_it_goes_on),
	    TEST(a_hang_of_an_opening_for_a_visit_fails_it),
	    TEST(a_hang_of_the_reading_back_fails_the_visit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
