/* iosweep as a whole: what it refuses to write, and that it then has not
 * written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/loopdev.h"
#include "tests/program.h"

#define MIB (1 << 20)
#define SHORT " -b 8K -o 1 -p rand --rounds 1 --time 120ms --ramp 10ms --quiet"

#define NEED_LOOPS()                                                           \
	do {                                                                   \
		if (loopdev_unavailable()) {                                   \
			print_message("skip: %s\n", loopdev_unavailable());    \
			skip();                                                \
		}                                                              \
	} while (0)

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

/* A device of 4 MiB full of data in folder/name.img. */
static void attach(struct loopdev *loop, const char *name, int flags)
{
	char file[64];
	char *path;

	snprintf(file, sizeof(file), "%s.img", name);
	program_fill(folder, file, 4 * MIB);
	path = program_path(folder, file);
	assert_int_equal(loopdev_attach(loop, path, flags, 0), 0);
	free(path);
}

/* Data of the device as others see it. */
static uint64_t sum_of(const struct loopdev *loop)
{
	assert_int_equal(fsync(loop->fd), 0);
	return program_checksum(loop->file);
}

/* The command ends with 3 and one sentence with part, and neither the device
 * nor the folder's entries have changed. */
static void assert_device_refused(const struct loopdev *loop, const char *part,
				  const char *line)
{
	uint64_t before = sum_of(loop);
	int entries = program_count_entries(folder);
	struct program_result r = program_run(folder, "iosweep %s", line);

	program_assert_sentence(&r, 3, part);
	program_free(&r);
	assert_true(sum_of(loop) == before);
	assert_int_equal(program_count_entries(folder), entries);
}

static void a_file_of_somebody_is_not_written(void **state)
{
	static const char *const lines[] = {
	    "run mine -r 0" SHORT,
	    "run mine -r 99" SHORT,
	    "plan mine -r 50" SHORT,
	    "run new mine --size 1M -r 0" SHORT,
	    "run mine -r 0 --destroy-data-on other" SHORT,
	    "run mine -r 0 --destroy-data-on new" SHORT,
	    "run mine -r 0 --destroy-data-on ." SHORT,
	    "run mine --template iodrive-vetting --quiet",
	    "run mine --layout" SHORT,
	    "plan mine --layout" SHORT,
	};
	char *path = program_path(folder, "mine");
	struct stat before, after;
	uint64_t sum;
	size_t i;

	(void)state;
	program_fill(folder, "mine", MIB);
	program_fill(folder, "other", MIB);
	sum = program_checksum(path);
	assert_int_equal(stat(path, &before), 0);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct program_result r =
		    program_run(folder, "iosweep %s", lines[i]);

		program_assert_sentence(&r, 3, "mine");
		program_free(&r);
		assert_int_equal(stat(path, &after), 0);
		assert_true(before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
			    before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
		assert_int_equal(program_count_entries(folder), 2);
	}
	assert_true(program_checksum(path) == sum);
	free(path);
}

static void consent_names_the_file_by_any_path_and_no_other(void **state)
{
	char *mine = program_path(folder, "mine");
	char *other = program_path(folder, "other");
	struct program_result r;
	uint64_t mine_sum, other_sum;

	(void)state;
	program_fill(folder, "mine", MIB);
	program_fill(folder, "other", MIB);
	mine_sum = program_checksum(mine);
	other_sum = program_checksum(other);
	r = program_run(folder, "iosweep run mine other -r 0 "
				"--destroy-data-on mine" SHORT);
	program_assert_sentence(&r, 3, "other is not written");
	program_free(&r);
	assert_true(program_checksum(mine) == mine_sum);
	r = program_run(folder,
			"ln -s mine link && iosweep run link -r 0 "
			"--cache buffered --destroy-data-on %s" SHORT,
			mine);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_checksum(mine) != mine_sum);
	assert_true(program_checksum(other) == other_sum);
	free(mine);
	free(other);
}

static void a_copy_of_our_file_is_not_ours(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep run ours --size 1M" SHORT
				" --cache buffered && cp ours copy && "
				"cp ours longer && echo x >>longer");
	char *ours = program_path(folder, "ours");
	char *longer = program_path(folder, "longer");
	char mark[256];
	ssize_t size;

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	size = getxattr(ours, "user.iosweep", mark, sizeof(mark));
	if (size < 0) {
		print_message("skip: no xattrs here\n");
		free(ours);
		free(longer);
		skip();
	}
	r = program_run(folder, "iosweep run copy -r 0" SHORT);
	program_assert_sentence(&r, 3, "copy was not laid out by iosweep");
	program_free(&r);
	/* The mark says for which size it holds. */
	assert_int_equal(
	    setxattr(longer, "user.iosweep", mark, (size_t)size, 0), 0);
	r = program_run(folder, "iosweep run longer -r 0" SHORT);
	program_assert_sentence(&r, 3, "longer was not laid out by iosweep");
	program_free(&r);
	free(ours);
	free(longer);
}

/* Counts descriptors closed that were open for writing. */
static int count_writers(int watch)
{
	char events[4096];
	ssize_t n = read(watch, events, sizeof(events));

	return n > 0 ? (int)(n / (ssize_t)sizeof(struct inotify_event)) : 0;
}

static void assert_opens_nothing_for_writing(const char *path)
{
	static const char *const lines[] = {
	    "plan \"$T\" -b 8K -o 1 -r 100,0 --destroy-data-on \"$T\"",
	    "plan \"$T\" -b 8K -o 1 --layout --destroy-data-on \"$T\"",
	    "check \"$T\"",
	    "check \"$T\" --destroy-data-on \"$T\"",
	};
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct program_result r;
	size_t i;
	int fd;

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, path, IN_CLOSE_WRITE) >= 0);
	/* The watch sees what it is there to see. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_true(count_writers(watch) > 0);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		r = program_run("/", "T='%s'; iosweep %s", path, lines[i]);
		program_assert_status(&r, 0);
		program_free(&r);
		assert_int_equal(count_writers(watch), 0);
	}
	close(watch);
}

static void plan_and_check_never_open_a_file_for_writing(void **state)
{
	char *path = program_path(folder, "mine");

	(void)state;
	program_fill(folder, "mine", MIB);
	assert_opens_nothing_for_writing(path);
	assert_int_equal(program_count_entries(folder), 1);
	free(path);
}

static void plan_and_check_never_open_a_device_for_writing(void **state)
{
	struct loopdev loop;
	uint64_t before;

	(void)state;
	NEED_LOOPS();
	attach(&loop, "a", 0);
	before = sum_of(&loop);
	assert_opens_nothing_for_writing(loop.node);
	assert_true(sum_of(&loop) == before);
	loopdev_detach(&loop);
}

static void plan_and_check_make_nothing(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder, "mkdir d; iosweep plan f d -r 100,0");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "written:  10 GiB for f, which is not "
				       "there yet");
	program_free(&r);
	r = program_run(folder, "iosweep check f d");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "is not there");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 1);
	r = program_run(folder, "rmdir d");
	program_assert_status(&r, 0);
	program_free(&r);
}

static void closed_streams_are_not_taken_for_files(void **state)
{
	char *path = program_path(folder, "f");
	struct program_result r;
	struct csvtable t;
	uint64_t before;

	(void)state;
	program_fill(folder, "f", MIB);
	before = program_checksum(path);
	r = program_run(folder,
			"iosweep run f -b 8K,3 -o 1 -p rand --rounds 2 "
			"--cache direct,buffered --time 120ms --ramp 10ms "
			"--destroy-data-on f <&- >&- 2>&-");
	assert_int_not_equal(r.status, 3);
	program_free(&r);
	assert_true(program_checksum(path) == before);
	csvtable_read_run(&t, folder, "visits.csv");
	assert_int_equal(t.count - 1, 8);
	csvtable_free(&t);
	r = program_run(folder, "iosweep show results/* && ! grep -l "
				"'Random read' results/*/visits.csv "
				"results/*/latency.csv results/*/series.csv");
	program_assert_status(&r, 0);
	program_free(&r);
	free(path);
}

static void a_device_is_read_without_consent_and_not_changed(void **state)
{
	struct program_result r;
	struct loopdev loop;
	struct csvtable t;
	uint64_t before;

	(void)state;
	NEED_LOOPS();
	attach(&loop, "a", 0);
	before = sum_of(&loop);
	r = program_run(folder,
			"iosweep run %s -b 8K,64K -o 1,4 --rounds 1 --time "
			"100ms --ramp 10ms --quiet",
			loop.node);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(sum_of(&loop) == before);
	csvtable_read_run(&t, folder, "points.csv");
	assert_int_equal(t.count - 1, 8);
	assert_string_equal(csvtable_get(&t, 1, "target"), loop.node);
	csvtable_free(&t);
	loopdev_detach(&loop);
}

static void a_device_is_written_only_when_consent_names_it(void **state)
{
	struct loopdev a, b;
	char line[256];

	(void)state;
	NEED_LOOPS();
	attach(&a, "a", 0);
	attach(&b, "b", 0);
	snprintf(line, sizeof(line), "run %s -r 0" SHORT, a.node);
	assert_device_refused(&a, "--destroy-data-on", line);
	snprintf(line, sizeof(line), "plan %s -r 50" SHORT, a.node);
	assert_device_refused(&a, "--destroy-data-on", line);
	snprintf(line, sizeof(line), "run %s -r 0 --destroy-data-on %s" SHORT,
		 a.node, b.node);
	assert_device_refused(&a, b.node, line);
	assert_device_refused(&b, a.node, line);
	/* What lies under it is not what is named. */
	snprintf(line, sizeof(line), "run %s -r 0 --destroy-data-on %s" SHORT,
		 a.node, "a.img");
	assert_device_refused(&a, "a.img", line);
	snprintf(line, sizeof(line),
		 "run %s -r 0 --destroy-data-on a.img" SHORT, "a.img");
	assert_device_refused(&a, "a.img", line);
	loopdev_detach(&a);
	loopdev_detach(&b);
}

static void consent_by_a_name_with_colons_is_that_device(void **state)
{
	struct program_result r;
	struct loopdev a, b;
	uint64_t before_a, before_b;
	struct csvtable t;

	(void)state;
	NEED_LOOPS();
	attach(&a, "a", 0);
	attach(&b, "b", 0);
	before_a = sum_of(&a);
	before_b = sum_of(&b);
	r = program_run(folder,
			"ln -s %s pci-0000:00:1f.2-ata-1 && iosweep run "
			"pci-0000:00:1f.2-ata-1 -r 0 --working-set 1M "
			"--destroy-data-on ./pci-0000:00:1f.2-ata-1 "
			"-b 64K -o 4 -p rand --rounds 1 --time 200ms "
			"--ramp 10ms --quiet",
			a.node);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(sum_of(&a) != before_a);
	assert_true(sum_of(&b) == before_b);
	csvtable_read_run(&t, folder, "plan.csv");
	assert_string_equal(csvtable_get(&t, 1, "target"),
			    "pci-0000:00:1f.2-ata-1");
	csvtable_free(&t);
	/* Behind its working set it has not been touched. */
	r = program_run(folder, "cmp -i %d a.img b.img", MIB);
	program_assert_status(&r, 0);
	program_free(&r);
	loopdev_detach(&a);
	loopdev_detach(&b);
}

static void a_device_in_use_is_refused_with_consent_too(void **state)
{
	struct loopdev loop;
	char point[PATH_MAX], line[256];

	(void)state;
	NEED_LOOPS();
	attach(&loop, "a", 0);
	snprintf(line, sizeof(line), "run %s -r 0 --destroy-data-on %s" SHORT,
		 loop.node, loop.node);
	if (run_tool("mkfs.ext4", "-q", "-F", loop.node, NULL) ||
	    mount_scratch(loop.node, "mnt", "ext4", NULL, point)) {
		print_message("skip: no ext4 here\n");
		loopdev_detach(&loop);
		skip();
	}
	assert_device_refused(&loop, "mounted", line);
	assert_int_equal(run_tool("umount", point, NULL), 0);
	loopdev_detach(&loop);
}

static void a_read_only_device_is_refused_with_consent_too(void **state)
{
	struct loopdev loop;
	char line[256];

	(void)state;
	NEED_LOOPS();
	attach(&loop, "a", LOOPDEV_READ_ONLY);
	snprintf(line, sizeof(line), "run %s -r 0 --destroy-data-on %s" SHORT,
		 loop.node, loop.node);
	assert_device_refused(&loop, "read-only", line);
	loopdev_detach(&loop);
}

static void one_device_under_two_names_is_said(void **state)
{
	struct program_result r;
	struct loopdev loop;

	(void)state;
	NEED_LOOPS();
	attach(&loop, "a", 0);
	r = program_run(folder, "ln -s %s disk; iosweep run disk %s" SHORT,
			loop.node, loop.node);
	program_assert_sentence(&r, 2, "one and the same");
	program_free(&r);
	loopdev_detach(&loop);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(a_file_of_somebody_is_not_written),
	    CASE(consent_names_the_file_by_any_path_and_no_other),
	    CASE(a_copy_of_our_file_is_not_ours),
	    CASE(plan_and_check_never_open_a_file_for_writing),
	    CASE(plan_and_check_never_open_a_device_for_writing),
	    CASE(plan_and_check_make_nothing),
	    CASE(closed_streams_are_not_taken_for_files),
	    CASE(a_device_is_read_without_consent_and_not_changed),
	    CASE(a_device_is_written_only_when_consent_names_it),
	    CASE(consent_by_a_name_with_colons_is_that_device),
	    CASE(a_device_in_use_is_refused_with_consent_too),
	    CASE(a_read_only_device_is_refused_with_consent_too),
	    CASE(one_device_under_two_names_is_said),
	};

	return cmocka_run_group_tests_name("program, safety", tests, NULL,
					   NULL);
}
