/* slow: iosweep as a whole: sweeps that go on until their points are precise
 * or steady, and what is written before them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/loopdev.h"
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

static void preconditioning_is_kept_with_the_run(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run f --size 4M -b 4K -o 2 -p rand -r 100,0 "
		    "--time 100ms --rounds 1 --precondition "
		    "--precondition-time 100ms");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "preconditioning: pass 2 of 2 over f");
	program_assert_contains(
	    r.err, "preconditioning: Random write 4K x 2, window 1");
	program_free(&r);
	r = program_run(folder, "cat results/*/run.ini");
	program_assert_contains(r.out, "precondition = yes");
	program_assert_contains(r.out, "precondition_region_bytes = 4194304");
	program_assert_contains(r.out, "precondition_pass_2_mibps = ");
	program_assert_contains(r.out,
				"precondition_workload = Random write 4K x 2");
	program_free(&r);
}

static void preconditioning_needs_what_writing_needs(void **state)
{
	static const struct {
		const char *words, *part;
	} cases[] = {
	    {"plan theirs -r 100", "--destroy-data-on"},
	    {"run theirs -r 100", "--destroy-data-on"},
	    {"run /dev/zero -r 100", "cannot be preconditioned"},
	};
	struct program_result r;
	char *before, *after;
	size_t i;

	(void)state;
	program_fill(folder, "theirs", 1 << 20);
	before = program_read(folder, "theirs");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = program_run(folder, "iosweep %s --precondition",
				cases[i].words);
		program_assert_sentence(&r, 3, cases[i].part);
		program_free(&r);
	}
	r = program_run(folder, "iosweep run /dev/zero --precondition-time 1s");
	program_assert_sentence(&r, 2, "say that too");
	program_free(&r);
	after = program_read(folder, "theirs");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_device_is_preconditioned_with_consent_alone(void **state)
{
	static struct loopdev loop = {.fd = -1};
	struct program_result r;

	(void)state;
	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
	assert_int_equal(loopdev_new(&loop, "image", 4 * LOOPDEV_MIB, 0), 0);
	r = program_run(folder, "iosweep run %s -b 4K -o 1 --precondition",
			loop.node);
	program_assert_sentence(&r, 3, "--destroy-data-on");
	program_free(&r);
	r = program_run(folder,
			"iosweep run %s -b 4K -o 1 -p rand --rounds 1 --time "
			"100ms --precondition --destroy-data-on %s && "
			"cat results/*/run.ini",
			loop.node, loop.node);
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "precondition_region_bytes = 4194304");
	/* It only reads: nothing to run after the passes. */
	assert_null(strstr(r.out, "precondition_workload"));
	program_free(&r);
	/* Written through and through. */
	r = program_run(folder, "tr -d '\\000' <%s | wc -c", loop.node);
	assert_true(atof(r.out) > 4.1e6);
	program_free(&r);
	loopdev_detach(&loop);
}

static void sigint_ends_preconditioning_at_once(void **state)
{
	pid_t pid = program_start(
	    folder, "run f --size 4M -b 4K -o 1 -p rand -r 0 --precondition");
	char *log;
	int i;

	(void)state;
	for (i = 0; i < 6000 && program_count_lines(folder, "log") < 5; i++)
		usleep(10000);
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	log = program_read(folder, "log");
	program_assert_contains(log, "stopped while f was preconditioned");
	free(log);
	assert_false(program_exists(folder, "results/f"));
}

static void the_plan_tells_what_preconditioning_writes(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep plan f --size 1G -b 4K -o 1 -r 0,100 "
		    "--precondition --quiet; iosweep plan f --size 1G "
		    "--precondition --precondition-time 3m -r 0 --quiet");

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(
	    r.out, "written:  2 GiB before, to precondition f: 1 GiB twice, "
		   "20.5 s at 100 MiB/s, 2.05 s at 1000\nwritten:  then by "
		   "Random write 4K x 1 for 5 to 25 minutes, until steady\n");
	program_assert_contains(
	    r.out, "written:  then by Random write 8K x 128 for 3m 00s\n");
	program_free(&r);
	assert_int_equal(program_count_entries(folder), 0);
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
	    CASE(preconditioning_is_kept_with_the_run),
	    CASE(preconditioning_needs_what_writing_needs),
	    CASE(a_device_is_preconditioned_with_consent_alone),
	    CASE(sigint_ends_preconditioning_at_once),
	    CASE(the_plan_tells_what_preconditioning_writes),
	    CASE(the_plan_tells_the_least_and_the_most),
	};

	return cmocka_run_group_tests_name("program, until", tests, NULL, NULL);
}
