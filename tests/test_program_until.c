/* slow: iosweep as a whole: sweeps that go on until their points are precise
 * enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/csvtable.h"
#include "tests/program.h"

#define ZERO "iosweep run /dev/zero --time 50ms --ramp 10ms -p rand"
#define CASE(test) cmocka_unit_test_setup_teardown(test, prepare, clean_up)

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

static double number(const struct csvtable *t, size_t row, const char *column)
{
	return atof(csvtable_get(t, row, column));
}

static bool has_verdict(const struct csvtable *t, size_t row, const char *name)
{
	return strstr(csvtable_get(t, row, "verdicts"), name) != NULL;
}

/* Every point ends within its precision, or at the limit with the verdict. */
static void assert_precise(double pct, double limit)
{
	struct csvtable t;
	size_t row;

	csvtable_read_run(&t, folder, "points.csv");
	for (row = 1; row < t.count; row++) {
		double visits = number(&t, row, "visits_done");
		double half =
		    number(&t, row, "iops_high") / number(&t, row, "iops") - 1;
		bool told = has_verdict(&t, row, "not-converged");

		assert_true(visits >= 3 && visits <= limit);
		assert_true(told == (100 * half > pct));
		if (told)
			assert_true(visits == limit);
	}
	csvtable_free(&t);
}

static void a_precision_decides_how_often_a_point_is_visited(void **state)
{
	struct program_result r;

	(void)state;
	program_write(folder, "p.ini", "[sweep]\nprecision = 40%\n");
	r = program_run(folder, "%s", ZERO " -b 4K,8K -o 1,4 --plan p.ini");
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "4 points, 3 to 10 rounds until +-40%");
	program_assert_contains(r.err, "+-40%");
	program_free(&r);
	assert_precise(40, 10);
}

static void points_beyond_the_precision_are_told(void **state)
{
	struct program_result r = program_run(
	    folder, "%s", ZERO " -b 4K -o 1,4 --precision 0.001% --rounds 4");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(
	    r.err, "2 of 2 points did not get within +-0.001% (not-converged)");
	program_free(&r);
	assert_precise(0.001, 4);
	r = program_run(folder, "cat results/*/run.ini");
	program_assert_contains(r.out, "precision = 0.001%");
	program_free(&r);
}

static void a_steady_point_rests_on_its_last_five_visits(void **state)
{
	struct program_result r = program_run(
	    folder, "%s", ZERO " -b 4K,8K -o 1 --steady --rounds 8");
	struct csvtable t;
	size_t row;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "2 points, 5 to 8 rounds until steady");
	program_free(&r);
	csvtable_read_run(&t, folder, "points.csv");
	for (row = 1; row < t.count; row++) {
		double aside = number(&t, row, "visits_aside");
		bool unsteady = has_verdict(&t, row, "unsteady") ||
				has_verdict(&t, row, "trend");

		assert_true(number(&t, row, "visits_done") == 5);
		assert_true(number(&t, row, "first_round") == aside + 1);
		assert_true(number(&t, row, "last_round") == aside + 5);
		assert_true(has_verdict(&t, row, "not-steady") == unsteady);
		assert_true(!unsteady || aside == 3);
	}
	csvtable_free(&t);
}

static void the_plan_tells_the_least_and_the_most(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep plan /dev/zero --precision 2%% -q 1 "
				"--quiet");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(
	    r.out, "points:   16, in 3 to 10 rounds until +-2%: 48 to 160 "
		   "visits\ntime:     about 55.2 s to 3m 04s\n");
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(a_precision_decides_how_often_a_point_is_visited),
	    CASE(points_beyond_the_precision_are_told),
	    CASE(a_steady_point_rests_on_its_last_five_visits),
	    CASE(the_plan_tells_the_least_and_the_most),
	};

	return cmocka_run_group_tests_name("program, until", tests, NULL, NULL);
}
