/* iosweep as a whole: sweeps on files, and the run folders they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/program.h"

/* Windows short enough for a test, long enough for a slow disk to finish an
 * I/O in; and through the page cache, where only the bookkeeping matters. */
#define SHORT " --time 120ms --ramp 10ms"
#define ONE_POINT " -b 8K -o 1 -p rand"
#define CACHED ONE_POINT SHORT " --rounds 1 --cache buffered --quiet"
#define ZERO "iosweep run /dev/zero --time 120ms --ramp 10ms"

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

static void assert_contains_fact(const char *run, const char *line)
{
	char *ini = program_read(run, "run.ini");

	program_assert_contains(ini, line);
	free(ini);
}

/* visits x rounds rows in visits.csv, each point as often as there are
 * rounds, and a row a point elsewhere. */
static void assert_complete(const char *run, size_t points, size_t rounds)
{
	static const char *const files[] = {
	    "run.ini",	  "plan.csv",	 "visits.csv", "latency.csv",
	    "series.csv", "devices.csv", "points.csv", "report.xlsx"};
	struct csvtable visits, plan, sums;
	size_t i, row, seen;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_true(program_exists(run, files[i]));
	assert_int_equal(program_count_entries(run), (int)i);
	csvtable_read(&visits, run, "visits.csv");
	csvtable_read(&plan, run, "plan.csv");
	csvtable_read(&sums, run, "points.csv");
	assert_true(visits.whole && plan.whole && sums.whole);
	assert_int_equal(visits.count - 1, points * rounds);
	assert_int_equal(plan.count - 1, points);
	assert_int_equal(sums.count - 1, points);
	for (i = 0; i < points; i++) {
		for (row = 1, seen = 0; row < visits.count; row++)
			seen += csvtable_number(&visits, row, "point_index") ==
				(double)i;
		assert_int_equal(seen, rounds);
	}
	csvtable_free(&visits);
	csvtable_free(&plan);
	csvtable_free(&sums);
}

static void a_sweep_of_a_new_file_leaves_a_complete_run_folder(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 4M -b 8K,64K -o 1,4 --rounds 2 "
		    "--time 100ms --ramp 10ms --label 'first try'");
	char *run = program_run_folder(folder);
	struct stat st;
	char *path;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "Sweet spot");
	program_assert_contains(r.out, "Random read");
	program_assert_contains(r.out, run + strlen(folder) + 1);
	program_assert_contains(r.err, "8 points, 2 rounds");
	program_assert_contains(r.err, "16/16 round 2");
	program_assert_contains(r.err, "16 visits in ");
	assert_complete(run, 8, 2);
	assert_non_null(strstr(run, "-first-try"));
	assert_contains_fact(run, "label = first try");
	assert_contains_fact(run, "laid_out_by_iosweep = yes");
	path = program_path(folder, "f");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4 << 20);
	/* Laid out whole: no hole is left to be read. */
	assert_true(st.st_blocks * 512 >= st.st_size);
	free(path);
	free(run);
	program_free(&r);
}

static void counts_in_visits_csv_make_its_rates(void **state)
{
	struct program_result r = program_run(
	    folder, "%s", ZERO " -b 4K -o 1,4 -r 100 --rounds 2 --quiet");
	struct csvtable t;
	size_t row;

	(void)state;
	program_assert_status(&r, 0);
	csvtable_read_run(&t, folder, "visits.csv");
	assert_int_equal(t.count - 1, 8);
	for (row = 1; row < t.count; row++) {
		double seconds = csvtable_number(&t, row, "measured_ms") / 1e3;
		double ios = csvtable_number(&t, row, "read_ios");
		double bytes = csvtable_number(&t, row, "read_bytes");
		double sum = csvtable_number(&t, row, "read_lat_sum_ns");

		assert_string_equal(csvtable_get(&t, row, "state"), "done");
		assert_true(ios > 0);
		assert_true(seconds > 0.019 && seconds < 2);
		assert_true(bytes == ios * 4096);
		assert_true(
		    fabs(csvtable_number(&t, row, "iops") / (ios / seconds) -
			 1) < 1e-9);
		assert_true(fabs(csvtable_number(&t, row, "mibps") /
				     (bytes / seconds / 1048576) -
				 1) < 1e-9);
		assert_true(fabs(csvtable_number(&t, row, "lat_mean_us") /
				     (sum / ios / 1e3) -
				 1) < 1e-9);
		/* No write was asked for: blank, not 0. */
		assert_string_equal(csvtable_get(&t, row, "write_lat_mean_us"),
				    "");
	}
	csvtable_free(&t);
	program_free(&r);
}

static void dev_zero_is_said_to_measure_the_tool(void **state)
{
	struct program_result r =
	    program_run(folder, "%s", ZERO " -b 4K -o 1 -p rand --rounds 1");
	char *run = program_run_folder(folder);

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "/dev/zero measures iosweep and this "
				       "machine, not a disk");
	assert_contains_fact(run, "not a disk");
	free(run);
	program_free(&r);
}

static void reading_dev_null_fails_and_says_why(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run /dev/null --time 120ms --ramp 10ms -b 4K -o 1 "
		    "-p rand --rounds 1");
	char *run = program_run_folder(folder);

	(void)state;
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "failed: ");
	program_assert_contains(r.out, "1 of 1 points failed");
	assert_complete(run, 1, 1);
	free(run);
	program_free(&r);
}

static void cache_modes_are_points_of_their_own(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 2M -b 64K -o 1 -p rand --rounds 1 "
		    "--cache direct,buffered --time 100ms --ramp 10ms");
	struct csvtable t;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "Random read, direct");
	program_assert_contains(r.out, "Random read, buffered");
	program_free(&r);
	csvtable_read_run(&t, folder, "points.csv");
	assert_string_equal(csvtable_get(&t, 1, "cache"), "direct");
	assert_string_equal(csvtable_get(&t, 2, "cache"), "buffered");
	/* Read once before, and that is said. */
	program_assert_contains(csvtable_get(&t, 2, "note"), "page cache");
	csvtable_free(&t);
}

static void a_mix_is_measured_as_asked(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 4M -b 4K -q 4 -t 2 -p 60 -r 70 "
		    "--rounds 1 --cache buffered --time 100ms --ramp 10ms");
	struct csvtable t;
	double reads, writes;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "60% random 70% read");
	program_free(&r);
	csvtable_read_run(&t, folder, "points.csv");
	assert_int_equal(t.count - 1, 1);
	assert_true(csvtable_number(&t, 1, "random_pct") == 60);
	assert_true(csvtable_number(&t, 1, "outstanding") == 8);
	assert_true(csvtable_number(&t, 1, "threads") == 2);
	assert_true(csvtable_number(&t, 1, "queue_depth") == 4);
	reads = csvtable_number(&t, 1, "read_ios");
	writes = csvtable_number(&t, 1, "write_ios");
	assert_true(reads > 0 && writes > 0);
	if (reads + writes > 500)
		assert_true(fabs(reads / (reads + writes) - 0.7) < 0.15);
	assert_true(csvtable_number(&t, 1, "achieved_read_pct") ==
		    100 * reads / (reads + writes));
	csvtable_free(&t);
}

static void outstanding_that_does_not_divide_is_left_out_and_told(void **state)
{
	struct program_result r =
	    program_run(folder, "%s",
			ZERO " -b 4K -o 1..8 -t 4 -p rand "
			     "--rounds 1");
	struct csvtable t;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "2 combinations left out");
	csvtable_read_run(&t, folder, "plan.csv");
	assert_int_equal(t.count - 1, 2);
	assert_string_equal(csvtable_get(&t, 1, "outstanding"), "4");
	assert_string_equal(csvtable_get(&t, 2, "outstanding"), "8");
	csvtable_free(&t);
	program_free(&r);
}

static void
blocks_that_do_not_fit_are_skipped_and_the_rest_measured(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 1M -b 100,8K,2M -o 1 -p rand "
		    "--rounds 2 --time 100ms --ramp 10ms");
	struct csvtable t;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "skipped: blocks of 100 are not a "
				       "multiple of the ");
	program_assert_contains(r.err, "skipped: a block of 2M is larger than "
				       "the 1 MiB measured");
	program_assert_contains(r.out, "2 of 3 points skipped");
	program_free(&r);
	csvtable_read_run(&t, folder, "points.csv");
	assert_string_equal(csvtable_get(&t, 1, "visits_skipped"), "2");
	program_assert_contains(csvtable_get(&t, 1, "reason"), "multiple");
	/* Not measured is blank, not 0. */
	assert_string_equal(csvtable_get(&t, 1, "iops"), "");
	assert_string_equal(csvtable_get(&t, 1, "read_ios"), "");
	assert_true(csvtable_number(&t, 2, "iops") > 0);
	assert_string_equal(csvtable_get(&t, 3, "iops"), "");
	csvtable_free(&t);
}

static void a_sweep_of_which_nothing_fits_does_not_end_well(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 4K -b 8K -o 1 -p rand --rounds 1 "
		    "--time 120ms --ramp 10ms");
	char *run = program_run_folder(folder);

	(void)state;
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "iosweep: nothing was measured");
	assert_complete(run, 1, 1);
	free(run);
	program_free(&r);
}

static void quiet_is_silent_on_both_streams(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep run f --size 1M" CACHED);

	(void)state;
	program_assert_status(&r, 0);
	assert_string_equal(r.out, "");
	assert_string_equal(r.err, "");
	program_free(&r);
}

static void verbose_tells_the_overhead(void **state)
{
	struct program_result r = program_run(
	    folder, "%s", ZERO " -b 4K -o 1 -p rand --rounds 1 --verbose");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "overhead a visit ");
	program_free(&r);
}

static void out_names_the_run_folder_and_never_one_that_is_there(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep run f --size 1M --out x/y/z" CACHED);
	char *run = program_path(folder, "x/y/z");
	uint64_t before;
	char *visits;

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	assert_complete(run, 1, 1);
	assert_false(program_exists(folder, "results"));
	visits = program_path(run, "visits.csv");
	before = program_checksum(visits);
	r = program_run(folder, "iosweep run g --size 1M --out x/y/z" CACHED);
	program_assert_sentence(&r, 3, "x/y/z is there already");
	program_free(&r);
	r = program_run(folder, "iosweep run g --size 1M --out x/y" CACHED);
	program_assert_sentence(&r, 3, "x/y is there already");
	program_free(&r);
	r = program_run(folder, "iosweep run g --size 1M --out f/z" CACHED);
	program_assert_sentence(&r, 3, "cannot make the run folder f/z");
	program_free(&r);
	assert_true(program_checksum(visits) == before);
	/* Nothing was laid out for them. */
	assert_false(program_exists(folder, "g"));
	assert_int_equal(program_count_entries(folder), 2);
	free(visits);
	free(run);
}

static void runs_of_one_second_get_folders_of_their_own(void **state)
{
	char *results = program_path(folder, "results");
	int i;

	(void)state;
	for (i = 1; i <= 4; i++) {
		struct program_result r =
		    program_run(folder, "%s",
				ZERO " -b 4K -o 1 -p rand --rounds 1 --quiet");

		program_assert_status(&r, 0);
		program_free(&r);
		assert_int_equal(program_count_entries(results), i);
	}
	free(results);
}

static void a_seed_repeats_order_and_offsets(void **state)
{
	static const char line[] =
	    ZERO " -b 4K,8K -o 1,2,4 --seed 42 --rounds 2 --quiet --out ";
	struct csvtable a, b;
	struct program_result r;
	size_t row;

	(void)state;
	r = program_run(folder, "%sa", line);
	program_assert_status(&r, 0);
	program_free(&r);
	r = program_run(folder, "%sb", line);
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&a, folder, "a/visits.csv");
	csvtable_read(&b, folder, "b/visits.csv");
	assert_int_equal(a.count, 25);
	assert_int_equal(b.count, 25);
	for (row = 1; row < a.count; row++) {
		assert_string_equal(csvtable_get(&a, row, "point_index"),
				    csvtable_get(&b, row, "point_index"));
		assert_string_equal(csvtable_get(&a, row, "seed"),
				    csvtable_get(&b, row, "seed"));
	}
	csvtable_free(&a);
	csvtable_free(&b);
}

static void a_plan_file_gives_points_in_its_order(void **state)
{
	struct program_result r;
	struct csvtable t;

	(void)state;
	program_write(folder, "p.ini",
		      "# two tests\n[sweep]\ntime = 1h\nrounds = 1\n"
		      "ramp = 10ms\norder = plan\n"
		      "[workload Z: first, 100% read]\nblock-size = 64K\n"
		      "outstanding = 2\npattern = rand\n"
		      "[workload \xc3\xa4ndern]\nblock-size = 4K\n"
		      "outstanding = 1\npattern = seq\n");
	r = program_run(folder, "iosweep run /dev/zero --plan p.ini --time "
				"20ms");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "Z: first, 100% read");
	program_free(&r);
	csvtable_read_run(&t, folder, "visits.csv");
	assert_int_equal(t.count - 1, 2);
	assert_string_equal(csvtable_get(&t, 1, "point_index"), "0");
	csvtable_free(&t);
	csvtable_read_run(&t, folder, "points.csv");
	assert_string_equal(csvtable_get(&t, 1, "workload"),
			    "Z: first, 100% read");
	assert_string_equal(csvtable_get(&t, 2, "workload"), "\xc3\xa4ndern");
	assert_string_equal(csvtable_get(&t, 1, "block_size_bytes"), "65536");
	csvtable_free(&t);
}

static void max_time_ends_the_sweep_and_keeps_what_was_measured(void **state)
{
	struct program_result r = program_run(
	    folder, "%s", ZERO " -b 4K -o 1 --rounds 10000 --max-time 200ms");
	struct csvtable t;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "cut short by --max-time");
	program_assert_contains(r.err, "--max-time ended the sweep");
	program_free(&r);
	csvtable_read_run(&t, folder, "visits.csv");
	assert_in_range(t.count - 1, 1, 20);
	csvtable_free(&t);
}

static void a_latency_limit_that_nothing_keeps_is_said(void **state)
{
	struct program_result r =
	    program_run(folder, "%s",
			ZERO " -b 4K -o 1 -p rand --rounds 1 "
			     "--latency-limit mean=1ns");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "no point keeps the latency limit");
	program_free(&r);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(a_sweep_of_a_new_file_leaves_a_complete_run_folder),
	    CASE(counts_in_visits_csv_make_its_rates),
	    CASE(dev_zero_is_said_to_measure_the_tool),
	    CASE(reading_dev_null_fails_and_says_why),
	    CASE(cache_modes_are_points_of_their_own),
	    CASE(a_mix_is_measured_as_asked),
	    CASE(outstanding_that_does_not_divide_is_left_out_and_told),
	    CASE(blocks_that_do_not_fit_are_skipped_and_the_rest_measured),
	    CASE(a_sweep_of_which_nothing_fits_does_not_end_well),
	    CASE(quiet_is_silent_on_both_streams),
	    CASE(verbose_tells_the_overhead),
	    CASE(out_names_the_run_folder_and_never_one_that_is_there),
	    CASE(runs_of_one_second_get_folders_of_their_own),
	    CASE(a_seed_repeats_order_and_offsets),
	    CASE(a_plan_file_gives_points_in_its_order),
	    CASE(max_time_ends_the_sweep_and_keeps_what_was_measured),
	    CASE(a_latency_limit_that_nothing_keeps_is_said),
	};

	return cmocka_run_group_tests_name("program, sweeps", tests, NULL,
					   NULL);
}
