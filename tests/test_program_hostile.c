/* iosweep as a whole among hostile surroundings: output that goes nowhere,
 * files that an editor went through, outputs over what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/program.h"

static char *folder;

/* With a run folder "run". */
static int prepare(void **state)
{
	struct program_result r;

	(void)state;
	folder = program_folder();
	r = program_run(folder, "iosweep run /dev/zero --time 5ms --ramp 0 "
				"-b 4K,8K -o 1 -p rand --rounds 1 --out run");
	program_assert_status(&r, 0);
	program_free(&r);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

static void output_that_does_not_arrive_is_told(void **state)
{
	static const char *const words[] = {
	    "show run",	       "show run --json",
	    "compare run run", "compare run run --json",
	    "columns",	       "templates",
	    "plan /dev/zero",  "check .",
	    "run --help",      "--version"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct program_result r =
		    program_run(folder, "iosweep %s >/dev/full", words[i]);

		if (r.status != 1 || !strstr(r.err, "standard output: "))
			fail_msg("iosweep %s: exit %d, '%s'", words[i],
				 r.status, r.err);
		program_free(&r);
	}
}

static void an_export_spares_what_was_measured(void **state)
{
	static const char *const words[] = {
	    "export run -O run/visits.csv",
	    "export run -O ./run/../run/plan.csv",
	    "export run -O run/latency.csv",
	    "export run -O run/series.csv",
	    "export run -O run/devices.csv",
	    "export run -O link.csv",
	    "compare run run -O run/visits.csv"};
	struct program_result r =
	    program_run(folder, "ln -s run/visits.csv link.csv; "
				"cat run/[!pr]*.csv run/plan.csv >before");
	size_t i;

	(void)state;
	program_free(&r);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		r = program_run(folder, "iosweep %s", words[i]);
		program_assert_sentence(&r, 3, "name another file");
		program_free(&r);
	}
	r = program_run(folder, "cat run/[!pr]*.csv run/plan.csv | cmp - before"
				" && iosweep export run -O run/points.csv"
				" && iosweep export run -O visits.csv"
				" && iosweep show run");
	program_assert_status(&r, 0);
	program_free(&r);
}

static void files_that_an_editor_went_through_are_read(void **state)
{
	struct program_result r = program_run(
	    folder, "for f in run.ini plan.csv visits.csv; do "
		    "sed -i -e '1s/^/\xef\xbb\xbf/' -e 's/$/\\r/' run/$f; "
		    "done; iosweep show run");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "8K");
	program_free(&r);
}

static void no_room_for_a_single_byte_is_an_error_not_a_death(void **state)
{
	struct program_result r =
	    program_run(folder, "(ulimit -f 0; iosweep export run -O x.csv)");

	(void)state;
	program_assert_status(&r, 1);
	program_free(&r);
	r = program_run(folder, "(ulimit -f 0; iosweep show run >out)");
	program_assert_status(&r, 1);
	program_free(&r);
}

static void a_small_stack_is_enough_to_show(void **state)
{
	struct program_result r =
	    program_run(folder, "(ulimit -s 128; iosweep show run)");

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(output_that_does_not_arrive_is_told),
	    TEST(an_export_spares_what_was_measured),
	    TEST(files_that_an_editor_went_through_are_read),
	    TEST(no_room_for_a_single_byte_is_an_error_not_a_death),
	    TEST(a_small_stack_is_enough_to_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
