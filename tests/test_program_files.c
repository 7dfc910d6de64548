/* iosweep as a whole: what becomes of the files it measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/program.h"

/* Through the page cache, where only the bookkeeping matters; a window that
 * a slow disk finishes an I/O in. */
#define SHORT " --time 120ms --ramp 10ms --rounds 1 --cache buffered"
#define CACHED " -b 8K -o 1 -p rand --quiet" SHORT

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

static void a_folder_as_target_gets_a_file_made_in_it(void **state)
{
	char *sub = program_path(folder, "disk");
	struct program_result r;

	(void)state;
	assert_int_equal(mkdir(sub, 0700), 0);
	r = program_run(folder, "iosweep run disk/ --size 1M" CACHED);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_exists(sub, "iosweep.dat"));
	/* The second time it is there, ours, and used again. */
	r = program_run(folder, "iosweep run disk -r 0" CACHED);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_int_equal(program_count_entries(sub), 1);
	free(sub);
}

static void several_targets_are_told_apart(void **state)
{
	struct program_result r =
	    program_run(folder, "mkdir a b && iosweep run a b --size 1M -b 8K "
				"-o 1 -p rand --remove" SHORT);
	struct csvtable t;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "Random read, a/iosweep.dat");
	program_assert_contains(r.out, "Random read, b/iosweep.dat");
	program_free(&r);
	csvtable_read_run(&t, folder, "points.csv");
	assert_int_equal(t.count - 1, 2);
	assert_string_equal(csvtable_get(&t, 1, "target"), "a/iosweep.dat");
	assert_string_equal(csvtable_get(&t, 2, "target"), "b/iosweep.dat");
	csvtable_free(&t);
	assert_false(program_exists(folder, "a/iosweep.dat"));
	assert_false(program_exists(folder, "b/iosweep.dat"));
}

static void remove_takes_only_what_the_run_made(void **state)
{
	struct program_result r;

	(void)state;
	program_fill(folder, "mine", 1 << 20);
	r = program_run(folder,
			"iosweep run mine new --size 1M --remove" CACHED);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_exists(folder, "mine"));
	assert_false(program_exists(folder, "new"));
	/* Laid out by us, but by an earlier run. */
	r = program_run(folder, "iosweep run kept --size 1M" CACHED);
	program_free(&r);
	r = program_run(folder, "iosweep run kept --remove" CACHED);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_exists(folder, "kept"));
}

static void a_file_that_is_only_read_stays_as_it_is(void **state)
{
	char *path = program_path(folder, "mine");
	struct program_result r;
	struct stat before, after;
	uint64_t sum;

	(void)state;
	program_fill(folder, "mine", (1 << 20) + 4096 + 100);
	sum = program_checksum(path);
	assert_int_equal(stat(path, &before), 0);
	r = program_run(
	    folder, "iosweep run mine --size 4M -b 8K,64K -o 1,4 --rounds 1 "
		    "--cache direct,buffered --time 120ms --ramp 10ms");
	program_assert_contains(r.err, "mine is there already and is used as "
				       "it is");
	program_free(&r);
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_size == before.st_size);
	assert_true(after.st_ino == before.st_ino);
	assert_true(after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
		    after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
	assert_true(program_checksum(path) == sum);
	free(path);
}

static void a_file_of_ours_is_written_without_growing(void **state)
{
	char *path = program_path(folder, "f");
	struct program_result r =
	    program_run(folder, "iosweep run f --size 1M" CACHED);
	uint64_t sum = program_checksum(path);
	struct stat st;

	(void)state;
	program_free(&r);
	r = program_run(folder,
			"iosweep run f --size 2M -r 0 -b 8K,64K -o 1,4" SHORT);
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "used as it is, 1 MiB");
	program_free(&r);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	assert_true(program_checksum(path) != sum);
	free(path);
}

static void files_that_measure_memory_are_warned_of(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder,
			"truncate -s 1M hole && iosweep run hole" CACHED);
	program_assert_contains(r.err,
				"hole: 1 MiB of 1 MiB were never written");
	program_free(&r);
	r = program_run(folder, "head -c 1M /dev/zero >zeros && sync zeros && "
				"iosweep run zeros" CACHED);
	program_assert_contains(r.err, "zeros reads as zeros only");
	program_free(&r);
	r = program_run(folder, "iosweep run f --size 1M" CACHED);
	assert_string_equal(r.err, "");
	program_free(&r);
}

/* Whatever the name, the file of that name is made, measured, and no other. */
static void names_are_never_split_or_taken_for_options(void **state)
{
	static const char *const names[] = {
	    "pci-0000:00:1f.2-ata-1",
	    "a,b",
	    "two words",
	    "t\xc3\xa4st \xe2\x82\xac",
	    "-b8K",
	    "'",
	    "100%s%n",
	    "a;b&c|d",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *sub = program_path(folder, "sub");
		char *word =
		    strcmp(names[i], "'") ? strdup(names[i]) : strdup("'\\''");
		struct program_result r;
		struct csvtable t;
		char *made, *path;

		assert_int_equal(mkdir(sub, 0700), 0);
		r = program_run(folder,
				"cd sub && iosweep run './%s' --size 1M "
				"--out ../run" CACHED,
				word);
		program_assert_status(&r, 0);
		program_free(&r);
		made = program_only_entry(sub);
		assert_string_equal(strrchr(made, '/') + 1, names[i]);
		csvtable_read(&t, folder, "run/points.csv");
		path = program_path(".", names[i]);
		assert_string_equal(csvtable_get(&t, 1, "target"), path);
		csvtable_free(&t);
		r = program_run(folder, "iosweep show run && rm -r run sub");
		program_assert_status(&r, 0);
		program_free(&r);
		free(path);
		free(made);
		free(word);
		free(sub);
	}
}

static void a_misspelt_device_is_not_made_a_file(void **state)
{
	static const char *const commands[] = {"run", "plan", "check"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct program_result r = program_run(
		    folder, "iosweep %s /dev/iosweep-nonexistent", commands[i]);

		program_assert_sentence(&r, 3, "/dev/iosweep-nonexistent");
		program_free(&r);
		assert_int_not_equal(access("/dev/iosweep-nonexistent", F_OK),
				     0);
	}
}

static bool is_tmpfs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

static void without_o_direct_the_page_cache_is_offered(void **state)
{
	char *path;
	struct program_result r;

	(void)state;
	if (!is_tmpfs("/dev/shm") || access("/dev/shm", W_OK)) {
		print_message("skip: /dev/shm is no tmpfs to write to\n");
		skip();
	}
	assert_true(asprintf(&path, "/dev/shm/iosweep-test-%d", getpid()) > 0);
	r = program_run(folder, "iosweep run %s --size 1M --quiet", path);
	program_assert_sentence(&r, 3, "measure with --cache buffered");
	program_free(&r);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(program_count_entries(folder), 0);
	r = program_run(folder, "iosweep run %s --size 1M --remove" CACHED,
			path);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_int_not_equal(access(path, F_OK), 0);
	free(path);
}

static void a_file_that_does_not_fit_is_refused_before_it_is_made(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep run f --size 1000T");

	(void)state;
	program_assert_sentence(&r, 3, "f needs 1000 TiB");
	program_free(&r);
	r = program_run(folder,
			"ulimit -f 1024; iosweep run f --size 4M" CACHED);
	program_assert_sentence(&r, 3, "f");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 0);
}

static void files_that_do_not_fit_together_are_refused(void **state)
{
	struct program_result r;
	struct statvfs fs;
	uint64_t free_mib;

	(void)state;
	assert_int_equal(statvfs(folder, &fs), 0);
	free_mib = (uint64_t)fs.f_bavail * fs.f_frsize >> 20;
	if (free_mib < 8192) {
		print_message("skip: not 8G free\n");
		skip();
	}
	r = program_run(folder, "iosweep run a b c --size %luM",
			(unsigned long)(free_mib * 2 / 5));
	program_assert_sentence(&r, 3,
				"with the files to be made before it, c "
				"needs");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 0);
}

static void targets_that_are_no_file_or_disk_are_refused(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder, "mkfifo p && iosweep run p --size 1M");
	program_assert_sentence(&r, 3, "p is a pipe");
	program_free(&r);
	r = program_run(folder, "iosweep run /dev/full --size 1M");
	program_assert_sentence(&r, 3, "/dev/full is a character device");
	program_free(&r);
	r = program_run(folder, ": >empty; iosweep run empty --size 1M");
	program_assert_sentence(&r, 3, "empty is empty");
	program_free(&r);
	r = program_run(folder, "iosweep run no/such/folder/f --size 1M");
	program_assert_sentence(&r, 3, "cannot make no/such/folder/f");
	program_free(&r);
	r = program_run(folder, "ln -s nowhere link; iosweep run link --size "
				"1M");
	program_assert_sentence(&r, 3, "link");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 3);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(a_folder_as_target_gets_a_file_made_in_it),
	    CASE(several_targets_are_told_apart),
	    CASE(remove_takes_only_what_the_run_made),
	    CASE(a_file_that_is_only_read_stays_as_it_is),
	    CASE(a_file_of_ours_is_written_without_growing),
	    CASE(files_that_measure_memory_are_warned_of),
	    CASE(names_are_never_split_or_taken_for_options),
	    CASE(a_misspelt_device_is_not_made_a_file),
	    CASE(without_o_direct_the_page_cache_is_offered),
	    CASE(a_file_that_does_not_fit_is_refused_before_it_is_made),
	    CASE(files_that_do_not_fit_together_are_refused),
	    CASE(targets_that_are_no_file_or_disk_are_refused),
	};

	return cmocka_run_group_tests_name("program, files", tests, NULL, NULL);
}
