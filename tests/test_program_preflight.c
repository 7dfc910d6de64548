/* iosweep as a whole: what stands in the way of a sweep is told before it
 * begins, all of it at once, each made real here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/loopdev.h"
#include "tests/program.h"

#define ZERO " /dev/zero -p rand --time 20ms --ramp 0 --rounds 1 "

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

/* plan and run say it in one sentence, and nothing is made. */
static void assert_refused(const char *before, const char *words,
			   const char *part)
{
	static const char *const commands[] = {"plan", "run"};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct program_result r = program_run(
		    folder, "%siosweep %s%s", before, commands[i], words);

		program_assert_sentence(&r, 3, part);
		program_free(&r);
	}
	assert_int_equal(program_count_entries(folder), 0);
}

static void memory_for_the_largest_points(void **state)
{
	(void)state;
	assert_refused("", ZERO "-b 4K,1G -o 1,8192",
		       "the largest points need 8 TiB of buffers");
	assert_refused("", ZERO "-b 4K,1G -o 1,8192",
		       "ask for less than 1G x 8192");
}

static void open_files(void **state)
{
	struct program_result r;

	(void)state;
	assert_refused("ulimit -n 80; ", ZERO "-b 4K -t 32 -o 32",
		       "96 files have to be open at a time");
	/* A limit that we may raise ourselves is in nobody's way. */
	r = program_run(folder, "ulimit -Sn 40; iosweep run" ZERO
				"-b 4K -t 32 -o 32 --time 200ms --quiet");
	program_assert_status(&r, 0);
	program_free(&r);
}

/* Run the binary itself, as `wrapper` has it, from a place that everybody can
 * read. */
static struct program_result run_wrapped(const char *wrapper, const char *words)
{
	const char *named = getenv("IOSWEEP");
	char *path = realpath(named ? named : "build/release/iosweep", NULL);
	struct program_result r;

	if (geteuid()) {
		print_message("skip: needs root\n");
		skip();
	}
	assert_non_null(path);
	r = program_run(folder,
			"d=$(mktemp -d) && chmod 755 $d && cp '%s' $d/b && "
			"%s $d/b %s; s=$?; rm -r $d; exit $s",
			path, wrapper, words);
	free(path);
	return r;
}

static void threads(void **state)
{
	struct program_result r =
	    run_wrapped("prlimit --nproc=50 setpriv --reuid=65534 "
			"--clear-groups",
			"plan" ZERO "--engine sync -b 4K -o 64");

	(void)state;
	program_assert_sentence(
	    &r, 3, "64 threads are needed and ulimit -u allows 50 in all");
	program_free(&r);
}

/* Run it in a control group inside another, which has that limit; the folder
 * of the controller in either version. */
static struct program_result run_in_group(const char *controller,
					  const char *limit, const char *words)
{
	struct program_result r = program_run(
	    folder,
	    "c=%s; g=/sys/fs/cgroup/$c; own() { { echo +$c > $1/cgroup."
	    "subtree_control; } 2>/dev/null; }; [ -d $g ] || "
	    "{ g=/sys/fs/cgroup; own $g || exit 77; }; "
	    "g=$g/iosweep-test.$$; mkdir $g 2>/dev/null || exit 77; own $g; "
	    "mkdir $g/in; set -- %s; f=$g/$1; [ -e $f ] || f=$g/$2; "
	    "echo $3 > $f || { rmdir $g/in $g; exit 77; }; "
	    "(sh -c 'echo $PPID' > $g/in/cgroup.procs; iosweep %s); s=$?; "
	    "rmdir $g/in $g; exit $s",
	    controller, limit, words);

	if (r.status == 77) {
		program_free(&r);
		print_message("skip: no control group can be made\n");
		skip();
	}
	return r;
}

static void memory_of_the_groups_above(void **state)
{
	struct program_result r =
	    run_in_group("memory", "memory.max memory.limit_in_bytes 64M",
			 "plan" ZERO "-b 1M -o 256");

	(void)state;
	program_assert_sentence(&r, 3, "need 256 MiB of buffers, more than");
	program_assert_contains(r.err, "the limit of the control group in "
				       "/sys/fs/cgroup/");
	program_free(&r);
}

static void threads_of_the_groups_above(void **state)
{
	struct program_result r =
	    run_in_group("pids", "pids.max pids.max 20",
			 "plan" ZERO "--engine sync -b 4K -o 32");

	(void)state;
	program_assert_sentence(&r, 3,
				"32 threads are needed and the control "
				"group has room for ");
	program_free(&r);
}

static void processors_of_the_groups_above_are_told(void **state)
{
	struct program_result r = run_in_group(
	    "cpu", "cpu.max cpu.cfs_quota_us 50000", "plan" ZERO "-b 4K -o 1");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "the control group allows 0.5 "
				       "processors (/sys/fs/cgroup/");
	program_free(&r);
}

static void a_device_that_is_throttled_is_told(void **state)
{
	struct loopdev loop;
	struct program_result r;
	char limit[128], words[PATH_MAX + 64];
	const char *why = loopdev_unavailable();
	struct stat st;

	(void)state;
	if (why) {
		print_message("skip: %s\n", why);
		skip();
	}
	assert_int_equal(loopdev_new(&loop, "held.img", 8 * LOOPDEV_MIB, 0), 0);
	assert_int_equal(stat(loop.node, &st), 0);
	snprintf(limit, sizeof(limit),
		 "none blkio.throttle.read_bps_device '%u:%u 1048576'",
		 major(st.st_rdev), minor(st.st_rdev));
	if (access("/sys/fs/cgroup/blkio", F_OK))
		snprintf(limit, sizeof(limit),
			 "none io.max '%u:%u rbps=1048576'", major(st.st_rdev),
			 minor(st.st_rdev));
	snprintf(words, sizeof(words), "plan %s -b 4K -o 1 -p rand", loop.node);
	r = run_in_group(access("/sys/fs/cgroup/blkio", F_OK) ? "io" : "blkio",
			 limit, words);
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "limits its device to rbps=1048576 (");
	program_free(&r);
	loopdev_detach(&loop);
}

static void locked_memory_is_told_and_not_refused(void **state)
{
	struct program_result r = run_wrapped(
	    "prlimit --memlock=65536 setpriv --bounding-set=-ipc_lock "
	    "--inh-caps=-ipc_lock",
	    "plan" ZERO "--engine io_uring -b 1M -o 8");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "note:     locked memory is limited to "
				       "64 KiB (ulimit -l) and the largest "
				       "points have 8 MiB");
	program_free(&r);
}

/* The limit is the whole machine's: lowered for the moment of a plan. */
static void room_for_libaio(void **state)
{
	struct program_result r = program_run(
	    folder,
	    "M=/proc/sys/fs/aio-max-nr; was=$(cat $M); [ -w $M ] || exit 77; "
	    "trap 'echo $was > $M' EXIT; "
	    "echo $(($(cat /proc/sys/fs/aio-nr) + 1000)) > $M; "
	    "iosweep plan" ZERO "--engine libaio -b 4K -t 16 -q 100");

	(void)state;
	if (r.status == 77) {
		program_free(&r);
		print_message("skip: fs.aio-max-nr cannot be set here\n");
		skip();
	}
	program_assert_sentence(&r, 3, "libaio needs room for 1600 I/Os");
	program_assert_contains(r.err, "sysctl fs.aio-max-nr=");
	program_free(&r);
}

static void mount_small(char *point)
{
	const char *why = loopdev_unavailable();

	if (why) {
		print_message("skip: %s\n", why);
		skip();
	}
	assert_int_equal(
	    mount_scratch("none", "small", "tmpfs", "size=512k", point), 0);
}

static void room_for_results_and_for_what_is_laid_out(void **state)
{
	char point[PATH_MAX], words[PATH_MAX + 128];
	struct program_result r;

	(void)state;
	mount_small(point);
	snprintf(words, sizeof(words), ZERO "-b 4K -o 1 --out %s/run", point);
	assert_refused("", words, "the results will take about ");
	/* All at once. */
	r = program_run(folder,
			"ulimit -n 80; iosweep run %s/f" ZERO
			"-b 4K,1G -o 1024 -t 32 --size 4M --out %s/run",
			point, point);
	program_assert_status(&r, 3);
	program_assert_contains(r.err, "problem: ");
	program_assert_contains(r.err, "/f needs 4 MiB");
	program_assert_contains(r.err, "of buffers, more than the");
	program_assert_contains(r.err, "96 files have to be open");
	program_assert_contains(r.err, "the results will take about");
	program_assert_contains(r.err, "iosweep: 4 problems stand in the way");
	program_free(&r);
	assert_int_equal(program_count_entries(point), 0);
	assert_int_equal(program_count_entries(folder), 0);
	assert_int_equal(umount(point), 0);
}

static void points_that_do_not_fit_are_foretold(void **state)
{
	struct program_result r;

	(void)state;
	program_fill(folder, "f", 512 << 10);
	r = program_run(folder, "iosweep plan f --quiet -p rand");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "note:     8 of the 64 points do not "
				       "fit and will be skipped, the first "
				       "because a block of 1M is larger than "
				       "the 512 KiB measured");
	program_assert_contains(r.out, "f: the I/Os of 512K x 128 cover more "
				       "than its 512 KiB");
	program_free(&r);
	/* Also of a file that is yet to be made. */
	r = program_run(folder, "iosweep plan g --quiet -p rand --size 512K");
	program_assert_contains(r.out, "note:     8 of the 64 points");
	program_free(&r);
}

static void check_tells_the_same(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder, "iosweep check /dev/zero");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "128 points by default, about 12m 16s; "
				       "can begin\n");
	program_free(&r);
	r = program_run(folder, "ulimit -n 60; iosweep check /dev/zero");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "cannot begin:\n  problem:   65 files");
	program_free(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(memory_for_the_largest_points),
	    TEST(open_files),
	    TEST(threads),
	    TEST(memory_of_the_groups_above),
	    TEST(threads_of_the_groups_above),
	    TEST(processors_of_the_groups_above_are_told),
	    TEST(a_device_that_is_throttled_is_told),
	    TEST(locked_memory_is_told_and_not_refused),
	    TEST(room_for_libaio),
	    TEST(room_for_results_and_for_what_is_laid_out),
	    TEST(points_that_do_not_fit_are_foretold),
	    TEST(check_tells_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
