/* iosweep as a whole: results on a disk that fills up or takes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/loopdev.h"
#include "tests/program.h"

#define ZERO                                                                   \
	"iosweep run /dev/zero -b 4K -p rand -o 1,2 --time 120ms --ramp 10ms "

static char *folder;
/* A small file system of its own. */
static char small[PATH_MAX];

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

static void mount_small(const char *name, const char *options)
{
	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
	assert_int_equal(mount_scratch("none", name, "tmpfs", options, small),
			 0);
}

static void results_that_fill_the_disk_are_kept_as_far_as_they_go(void **state)
{
	struct program_result r;
	struct csvtable t;
	size_t row;

	(void)state;
	/* Room for all of it, until somebody else takes that. */
	mount_small("small", "size=20m");
	r = program_run(
	    folder,
	    "(until [ \"$(wc -l <%s/run/visits.csv)\" -gt 3 ]; do sleep "
	    "0.01; done; cat /dev/zero >%s/fill) 2>/dev/null & " ZERO
	    "--rounds 1000 --out %s/run",
	    small, small, small);
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "cannot write: No space left on device");
	program_assert_contains(r.err, "\niosweep: ");
	program_assert_contains(r.out, "Sweet spot");
	/* No workbook is named that is not there. */
	assert_int_equal(strstr(r.out, "report.xlsx") != NULL,
			 program_exists(small, "run/report.xlsx"));
	program_free(&r);
	csvtable_read(&t, small, "run/visits.csv");
	assert_true(t.whole);
	assert_true(t.count > 3);
	for (row = 1; row < t.count; row++)
		assert_true(csvtable_number(&t, row, "visit") == (double)row);
	csvtable_free(&t);
	/* And nothing of a half-written file lies about. */
	r = program_run(folder, "ls -A %s/run | grep '^\\.'", small);
	assert_string_equal(r.out, "");
	program_free(&r);
	r = program_run(folder,
			"iosweep show %s/run && iosweep export %s/run -O x.csv "
			"&& iosweep export %s/run -O x.xlsx",
			small, small, small);
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_exists(folder, "x.xlsx"));
}

static void no_room_for_results_is_one_sentence(void **state)
{
	struct program_result r;

	(void)state;
	mount_small("none", "size=4k,nr_inodes=4");
	r = program_run(folder, ZERO "--rounds 1 --quiet --out %s/run", small);
	program_assert_sentence(&r, 3, "the results will take about");
	program_free(&r);
}

static void an_export_that_does_not_fit_leaves_the_old_one(void **state)
{
	struct program_result r;
	uint64_t before;
	char *path;

	(void)state;
	mount_small("export", "size=12k");
	r = program_run(folder, ZERO "--rounds 1 --quiet --out run");
	program_assert_status(&r, 0);
	program_free(&r);
	program_write(small, "x.xlsx", "the old one");
	path = program_path(small, "x.xlsx");
	before = program_checksum(path);
	r = program_run(folder, "iosweep export run -O %s", path);
	program_assert_status(&r, 1);
	program_assert_contains(r.err, path);
	program_free(&r);
	assert_true(program_checksum(path) == before);
	assert_int_equal(program_count_entries(small), 1);
	free(path);
}

static void a_file_system_that_is_read_only_is_refused_at_once(void **state)
{
	struct program_result r;

	(void)state;
	mount_small("readonly", "size=4m,ro");
	r = program_run(
	    folder, "iosweep run f --size 1M -b 4K -o 1 --out %s/run", small);
	program_assert_sentence(&r, 3, "Read-only file system");
	program_free(&r);
	r = program_run(folder, "iosweep run %s/f --size 1M -b 4K -o 1", small);
	program_assert_sentence(&r, 3, "Read-only file system");
	program_free(&r);
	/* Results go below the current folder. */
	r = program_run(small, "iosweep run %s/f --size 1M -b 4K -o 1", folder);
	program_assert_sentence(&r, 3, "Read-only file system");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(results_that_fill_the_disk_are_kept_as_far_as_they_go),
	    CASE(no_room_for_results_is_one_sentence),
	    CASE(an_export_that_does_not_fit_leaves_the_old_one),
	    CASE(a_file_system_that_is_read_only_is_refused_at_once),
	};

	return cmocka_run_group_tests_name("program, full disks", tests, NULL,
					   NULL);
}
