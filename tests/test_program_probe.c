/* --probe and --watch: what a user's command and further devices count is
 * kept with each visit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "tests/csvtable.h"
#include "tests/program.h"

#define SHORT                                                                  \
	" -b 4K -o 1 -p rand --size 4M --time 100ms --ramp 0s --rounds 1"      \
	" --cache buffered --quiet"

static void counters_of_a_command_make_the_hit_ratio(void **state)
{
	struct csvtable visits;
	struct program_result r;
	char *folder = program_folder();
	char *run, *devices;

	(void)state;
	/* 90 hits and 10 misses more each time that it runs. */
	program_write(folder, "stats",
		      "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1))\n"
		      "echo $n >n; echo hits=$((n * 90)); "
		      "echo misses=$((n * 10))\n");
	r = program_run(folder, "iosweep run f" SHORT " --probe 'sh stats'");
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read_run(&visits, folder, "visits.csv");
	assert_string_equal(csvtable_get(&visits, 1, "hit_source"), "probe");
	assert_true(csvtable_number(&visits, 1, "hit_pct") == 90);
	assert_true(csvtable_number(&visits, 1, "touched_bytes") > 0);
	csvtable_free(&visits);
	run = program_run_folder(folder);
	devices = program_read(run, "devices.csv");
	program_assert_contains(devices, "1,probe,probe,hits,90\n");
	program_assert_contains(devices, "1,probe,probe,misses_after,20\n");
	free(devices);
	free(run);
	program_folder_remove(folder);
}

static void a_command_that_fails_leaves_the_ratio_to_the_devices(void **state)
{
	struct csvtable visits;
	struct program_result r;
	char *folder = program_folder();

	(void)state;
	r = program_run(folder,
			"iosweep run f" SHORT " --probe 'echo hits=1; exit 1'");
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read_run(&visits, folder, "visits.csv");
	assert_string_not_equal(csvtable_get(&visits, 1, "hit_source"),
				"probe");
	csvtable_free(&visits);
	program_folder_remove(folder);
}

static void only_block_devices_are_watched(void **state)
{
	char *folder = program_folder();
	struct program_result r =
	    program_run(folder, "iosweep run f --watch /dev/null");

	(void)state;
	program_assert_sentence(&r, 2, "'/dev/null' is no block device");
	program_free(&r);
	assert_false(program_exists(folder, "f"));
	program_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counters_of_a_command_make_the_hit_ratio),
	    cmocka_unit_test(
		a_command_that_fails_leaves_the_ratio_to_the_devices),
	    cmocka_unit_test(only_block_devices_are_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
