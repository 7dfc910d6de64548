/* slow: iosweep compare, as a user runs it, on real runs of a small file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/program.h"

static char *folder;

#define SHORT "--size 8M --time 80ms --ramp 5ms --quiet"

static void must_run(const char *line)
{
	struct program_result r = program_run(folder, "%s", line);

	program_assert_status(&r, 0);
	program_free(&r);
}

static int make_runs(void **state)
{
	(void)state;
	folder = program_folder();
	must_run("iosweep run f.dat -b 8K,64K -o 1,4 -p rand "
		 "--cache direct,buffered --rounds 3 --out cache " SHORT);
	must_run("iosweep run f.dat -b 8K -o 1,2,4 -p rand --rounds 3 "
		 "--label once --out once " SHORT);
	must_run("iosweep run f.dat -b 256K -o 8 -p seq --rounds 1 "
		 "--label apart --out apart " SHORT);
	return 0;
}

static int remove_runs(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

static void one_run_with_two_cache_modes_is_enough(void **state)
{
	struct program_result r = program_run(folder, "iosweep compare cache");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "base   direct  (cache, on f.dat)");
	program_assert_contains(r.out, "other  buffered  (cache, on f.dat)");
	program_assert_contains(r.out,
				"Random read: IOPS of buffered / direct");
	program_assert_contains(r.out, "Random read: ");
	program_assert_contains(r.out, "geometric mean of 4");
	assert_null(strchr(r.out, '\033'));
	program_free(&r);
}

/* No line is wider than the terminal. */
static void it_fits_into_80_columns(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep compare cache once");
	char *line, *rest = r.out;

	(void)state;
	program_assert_status(&r, 0);
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 80);
	program_free(&r);
}

static void what_did_not_pair_is_told(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep compare cache once --base once");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "base   once, direct");
	program_assert_contains(r.out, "1 point did not pair: not in the plan");
	program_assert_contains(r.out, "one after the other");
	program_free(&r);
}

static void a_run_against_itself_is_the_same(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep compare once once --fail-below 0.99");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "'once (2)' is, within noise, as fast");
	program_assert_contains(r.out, "compared with itself");
	assert_null(strstr(r.out, "is faster than"));
	program_free(&r);
}

static void slower_than_allowed_ends_with_4(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep compare cache --base buffered --fail-below 900");

	(void)state;
	program_assert_status(&r, 4);
	program_assert_contains(r.err, "below --fail-below 900");
	program_free(&r);
}

static void pairs_become_csv_json_and_a_book(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep compare cache -O pairs.csv -O "
				"pairs.csv --json && iosweep compare once "
				"cache -O book.xlsx");
	char *csv;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "\"verdict\": ");
	assert_int_equal(program_count_lines(folder, "pairs.csv"), 5);
	csv = program_read(folder, "pairs.csv");
	program_assert_contains(csv, "base_side,other_side,target,");
	program_assert_contains(csv, "within-rounds");
	free(csv);
	assert_true(program_exists(folder, "book.xlsx"));
	program_free(&r);
}

/* The numbers of a book's comparison, computed anew by other code; run is the
 * folder that they are held against. */
static int check_book(const char *run)
{
	char *root = program_root();
	struct program_result r = program_run(
	    folder,
	    "iosweep compare cache -O check.xlsx >/dev/null && "
	    "python3 '%s/scripts/check-workbook' --no-render --run %s "
	    "check.xlsx",
	    root, run);
	int status = r.status;

	if (status)
		print_message("%s", r.out);
	program_free(&r);
	free(root);
	return status;
}

static void the_book_says_what_the_visits_say(void **state)
{
	(void)state;
	if (check_book("cache") == 127) {
		print_message("skip: no python3\n");
		skip();
	}
	assert_int_equal(check_book("cache"), 0);
	/* And the check does find what is wrong. */
	assert_int_equal(check_book("once"), 1);
}

static void errors_are_one_sentence(void **state)
{
	static const struct {
		const char *arguments;
		int status;
		const char *sentence;
	} cases[] = {
	    {"", 2, "compare: name a run folder"},
	    {"nothing", 2, "nothing: there is no such run folder"},
	    {"once", 2, "compare: all points are of one side; name a second"},
	    {"once apart", 2, "compare: no point of 'once' has a partner: 1 "},
	    {"cache --base x", 2,
	     "--base: 'x' names none of the sides; there "
	     "are 'direct', 'buffered'"},
	    {"cache --fail-below x", 2, "--fail-below: 'x' is no ratio"},
	    {"cache --fail-below -1", 2, "--fail-below: '-1' is no ratio"},
	    {"cache -O x.pdf", 2, "--output: 'x.pdf' ends in neither"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r = program_run(
		    folder, "iosweep compare %s", cases[i].arguments);

		program_assert_sentence(&r, cases[i].status, cases[i].sentence);
		program_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_run_with_two_cache_modes_is_enough),
	    cmocka_unit_test(it_fits_into_80_columns),
	    cmocka_unit_test(what_did_not_pair_is_told),
	    cmocka_unit_test(a_run_against_itself_is_the_same),
	    cmocka_unit_test(slower_than_allowed_ends_with_4),
	    cmocka_unit_test(pairs_become_csv_json_and_a_book),
	    cmocka_unit_test(the_book_says_what_the_visits_say),
	    cmocka_unit_test(errors_are_one_sentence),
	};

	return cmocka_run_group_tests_name("program, compare", tests, make_runs,
					   remove_runs);
}
