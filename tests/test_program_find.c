/* iosweep as a whole: the search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/csvtable.h"
#include "tests/program.h"

/* 35 points, 26 visits at the most. */
#define FIND                                                                   \
	"iosweep find f --size 4M --cache buffered -b 4K..64K -o 1..64 "       \
	"-p rand --time 45ms --ramp 5ms --budget 1300ms --seed 1 "
#define POINTS 35
#define VISITS 26

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

static void expect(int status, const char *command, const char *part)
{
	struct program_result r = program_run(folder, "%s", command);

	program_assert_status(&r, status);
	program_assert_contains(status ? r.err : r.out, part);
	program_free(&r);
}

/* Points with a visit; the others are blank, and neither failed nor skipped. */
static uint32_t count_measured(const char *file)
{
	struct csvtable t;
	uint32_t measured = 0, i;

	csvtable_read(&t, folder, file);
	assert_true(t.whole);
	assert_int_equal(t.count - 1, POINTS);
	for (i = 1; i < t.count; i++) {
		bool done =
		    strcmp(csvtable_get(&t, i, "visits_done"), "0") != 0;

		measured += done;
		assert_string_equal(csvtable_get(&t, i, "visits_failed"), "0");
		assert_string_equal(csvtable_get(&t, i, "visits_skipped"), "0");
		assert_int_equal(csvtable_get(&t, i, "iops")[0] != '\0', done);
		assert_int_equal(csvtable_get(&t, i, "lat_mean_us")[0] != '\0',
				 done);
	}
	csvtable_free(&t);
	return measured;
}

static void it_names_a_sweet_spot_of_a_part_of_the_grid(void **state)
{
	struct program_result r = program_run(folder, FIND "--out run");
	uint32_t measured;
	char *ini, text[128];

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "a search of 1 workload, up to 1.3 s");
	program_assert_contains(r.err, "where the whole grid takes 8.75 s");
	program_assert_contains(r.out, "Random read: ");
	program_assert_contains(r.out, " outstanding, ");
	measured = count_measured("run/points.csv");
	assert_true(measured >= 12 && measured <= VISITS);
	assert_int_equal(program_count_lines(folder, "run/plan.csv"),
			 POINTS + 1);
	assert_true(program_count_lines(folder, "run/visits.csv") <=
		    VISITS + 1);
	snprintf(text, sizeof(text), "of 35 points the %u that decide",
		 measured);
	program_assert_contains(r.out, text);
	ini = program_read(folder, "run/run.ini");
	program_assert_contains(ini, "\nsearch_budget = 1.3 s\n");
	assert_null(strstr(ini, "[plan]\npoints = 35\nrounds"));
	free(ini);
	program_free(&r);
}

static void its_run_is_shown_and_exported_like_any_other(void **state)
{
	struct program_result shown, json;
	struct json_object *root;

	(void)state;
	expect(0, FIND "--out run && iosweep export run -O all.csv", "");
	assert_true(count_measured("all.csv") ==
		    count_measured("run/points.csv"));
	shown = program_run(folder, "iosweep show run");
	program_assert_status(&shown, 0);
	program_assert_contains(shown.out, "A search: of 35 points");
	assert_null(strstr(shown.out, "failed"));
	assert_null(strstr(shown.out, "nan"));
	json = program_run(folder, "iosweep show run --json");
	program_assert_status(&json, 0);
	root = json_tokener_parse(json.out);
	assert_non_null(root);
	json_object_put(root);
	assert_true(program_exists(folder, "run/report.xlsx"));
	expect(0,
	       "mkdir x && cd x && unzip -q ../run/report.xlsx && "
	       "grep -c 'not needed for the sweet spots' xl/sharedStrings.xml",
	       "1");
	program_free(&shown);
	program_free(&json);
}

static void each_variant_has_an_answer_of_its_own(void **state)
{
	struct program_result r;

	(void)state;
	program_write(folder, "v.ini",
		      "[variant one]\nenter = true\n"
		      "[variant two]\nenter = true\n");
	r = program_run(folder, FIND "--plan v.ini --out run");
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "a search of 2 workloads");
	program_assert_contains(r.out, "Random read, one: ");
	program_assert_contains(r.out, "Random read, two: ");
	program_free(&r);
	expect(0, "iosweep compare run", "Random read: ");
}

static void a_limit_that_nothing_keeps_is_told(void **state)
{
	(void)state;
	expect(0, FIND "--latency-limit mean=1ns --out run",
	       "no point keeps the latency limit");
}

static void it_goes_on_where_it_was_cut_short(void **state)
{
	struct program_result cut =
	    program_run(folder, FIND "--max-time 200ms --out run");
	struct program_result more;
	int before = program_count_lines(folder, "run/visits.csv");

	(void)state;
	program_assert_status(&cut, 0);
	program_assert_contains(cut.err, "--max-time");
	more = program_run(folder, "iosweep find --resume run --max-time 1h");
	program_assert_status(&more, 0);
	program_assert_contains(more.err, "goes on");
	assert_true(program_count_lines(folder, "run/visits.csv") > before);
	assert_true(program_count_lines(folder, "run/visits.csv") <=
		    VISITS + 1);
	program_free(&more);
	program_free(&cut);
}

static void what_a_search_cannot_do_is_refused(void **state)
{
	(void)state;
	expect(2, "iosweep find f --budget 5s", "give at least 13.8 s");
	expect(2, "iosweep find f --rounds 3", "--rounds");
	expect(2, "iosweep run f --budget 60s", "--budget");
	expect(2, "iosweep find", "find needs a target");
	program_write(folder, "p.ini",
		      "[sweep]\nprecision = 2%\n[workload A]\nread = 100\n");
	expect(2, "iosweep find f --plan p.ini", "leave out one");
	expect(2, "iosweep find f -b 512..64K+512 -o 1..128+1",
	       "up to 4096 points a workload");
	assert_false(program_exists(folder, "f"));
	program_fill(folder, "mine", 1 << 20);
	expect(3, "iosweep find mine -r 0 --cache buffered", "mine");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)
	    TEST(it_names_a_sweet_spot_of_a_part_of_the_grid),
	    TEST(its_run_is_shown_and_exported_like_any_other),
	    TEST(each_variant_has_an_answer_of_its_own),
	    TEST(a_limit_that_nothing_keeps_is_told),
	    TEST(it_goes_on_where_it_was_cut_short),
	    TEST(what_a_search_cannot_do_is_refused),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
