/* slow: iosweep as a whole: the commands of variants, and that a variant is
 * left whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/program.h"

/* A file "on" stands while a variant is entered; "trace" tells all. */
#define SWEEP                                                                  \
	"[sweep]\nblock-size = 4K\noutstanding = 1,2\npattern = rand\n"        \
	"time = 100ms\nramp = 1ms\nrounds = 2\n"
#define ENTER(name) "enter = echo +" name " >> trace && touch on\n"
#define LEAVE(name) "leave = echo -" name " >> trace; rm on\n"

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

static struct program_result run_plan(const char *text, const char *options)
{
	program_write(folder, "plan.ini", text);
	return program_run(folder, "iosweep run --plan plan.ini --out run %s",
			   options);
}

static void assert_trace(const char *expected)
{
	char *trace = program_read(folder, "trace");

	assert_string_equal(trace, expected);
	free(trace);
	assert_false(program_exists(folder, "on"));
}

static void variants_are_entered_and_left_in_turn(void **state)
{
	struct program_result r = run_plan(
	    SWEEP
	    "variant-order = abba\n"
	    "[variant A]\n" ENTER("A") LEAVE(
		"A") "before-point = echo $IOSWEEP_VARIANT $IOSWEEP_TARGET "
		     "$IOSWEEP_POINT >> points\n"
		     "[variant B]\n" ENTER("B") LEAVE("B"),
	    "/dev/zero");
	char *text;

	(void)state;
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "variant A: enter: echo +A >> trace");
	program_assert_contains(r.err, "variant B: leave: echo -B >> trace");
	assert_trace("+A\n-A\n+B\n-B\n+A\n-A\n");
	assert_int_equal(program_count_lines(folder, "points"), 4);
	text = program_read(folder, "points");
	program_assert_contains(
	    text, "A /dev/zero bs=4096 read=100 random=100 ws=0 t=1 qd=1\n");
	free(text);
	text = program_read(folder, "run/run.ini");
	program_assert_contains(text, "variant_order = abba");
	program_assert_contains(text, "enter = echo +B >> trace && touch on");
	free(text);
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 9);
	program_free(&r);
}

static void plan_shows_the_commands_and_runs_none(void **state)
{
	struct program_result r;

	(void)state;
	program_write(
	    folder, "plan.ini",
	    SWEEP "[variant A]\n" ENTER("A")
		LEAVE("A") "before-point = date\n[variant B]\nstate = cold\n");
	r = program_run(folder, "iosweep plan --plan plan.ini /dev/zero");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "echo +A >> trace && touch on");
	program_assert_contains(r.out, "echo -A >> trace; rm on");
	program_assert_contains(r.out, "before-point  date");
	program_assert_contains(r.out, "cold");
	assert_false(program_exists(folder, "trace"));
	program_free(&r);
}

static void a_failed_command_ends_the_sweep_and_the_variant(void **state)
{
	static const struct {
		const char *variant;
		const char *says;
	} cases[] = {
	    {"enter = touch on; echo no such cache; exit 7\n" LEAVE("A"),
	     "enter of variant 'A' ended with status 7: no such cache"},
	    {ENTER("A") LEAVE("A") "before-point = echo lost >&2; exit 1\n",
	     "before-point of variant 'A' ended with status 1: lost"},
	    {"enter = touch on; sleep 60\n" LEAVE("A"),
	     "enter of variant 'A' took longer than 300 ms (--command-timeout) "
	     "and was ended"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r;
		char text[1024];

		snprintf(text, sizeof(text),
			 SWEEP "command-timeout = %s\n[variant A]\n%s",
			 i == 2 ? "300ms" : "20s", cases[i].variant);
		r = run_plan(text, "--quiet /dev/zero");
		program_assert_status(&r, 1);
		program_assert_contains(r.err, cases[i].says);
		assert_false(program_exists(folder, "on"));
		program_free(&r);
		r = program_run(folder, "rm -r run");
		program_free(&r);
	}
}

static void a_failed_leave_is_told_beside_what_failed_before(void **state)
{
	struct program_result r =
	    run_plan(SWEEP "[variant A]\nenter = echo ouch; false\n"
			   "leave = echo stuck; false\n",
		     "--quiet /dev/zero");

	(void)state;
	program_assert_status(&r, 1);
	program_assert_contains(
	    r.err, "enter of variant 'A' ended with status 1: ouch; and leave "
		   "of variant 'A' ended with status 1: stuck; the storage may "
		   "still be in the state of 'A'");
	program_free(&r);
}

/* Until that file is there. */
static void wait_for_file(const char *name)
{
	int i;

	for (i = 0; i < 6000 && !program_exists(folder, name); i++)
		usleep(10000);
	assert_true(program_exists(folder, name));
}

static void stop_it(const char *plan, const char *when, int signum, int times,
		    int status)
{
	pid_t pid;

	program_write(folder, "plan.ini", plan);
	pid = program_start(folder, "run --plan plan.ini --out run /dev/zero");
	wait_for_file(when);
	for (; times > 0; times--) {
		kill(pid, signum);
		usleep(100000);
	}
	assert_int_equal(program_wait(pid), status);
}

static void a_signal_during_enter_lets_it_end_and_leaves(void **state)
{
	(void)state;
	stop_it(SWEEP "[variant A]\nenter = touch on; sleep 1; echo +A >> "
		      "trace\n" LEAVE("A"),
		"on", SIGINT, 1, 130);
	assert_trace("+A\n-A\n");
}

static void a_second_signal_during_enter_ends_it_and_leaves(void **state)
{
	(void)state;
	stop_it(SWEEP "[variant A]\nenter = touch on; sleep 60; echo +A >> "
		      "trace\n" LEAVE("A"),
		"on", SIGTERM, 2, 143);
	assert_trace("-A\n");
}

static void a_signal_during_a_point_leaves(void **state)
{
	char *log;

	(void)state;
	stop_it("[sweep]\nblock-size = 4K\noutstanding = 1\npattern = rand\n"
		"time = 400ms\nrounds = 100\n[variant A]\n" ENTER("A")
		    LEAVE("A"),
		"on", SIGINT, 1, 130);
	assert_trace("+A\n-A\n");
	log = program_read(folder, "log");
	program_assert_contains(log, "variant A: leave: ");
	free(log);
}

/* Nor does Ctrl-C, again and again, keep a variant from being left. */
static void signals_do_not_end_leave(void **state)
{
	(void)state;
	stop_it(SWEEP "[variant A]\nenter = touch on; sleep 60\n"
		      "leave = sleep 1; echo -A >> trace; rm on\n",
		"on", SIGINT, 4, 130);
	assert_trace("-A\n");
}

/* What was stopped goes on with the commands of the plan file, which are never
 * taken from the run's folder. */
static void a_sweep_with_commands_goes_on_with_its_plan(void **state)
{
	struct program_result r;
	char *trace;

	(void)state;
	stop_it("[sweep]\nblock-size = 4K\noutstanding = 1\npattern = rand\n"
		"time = 200ms\nrounds = 4\nvariant-order = sequential\n"
		"[variant A]\nstate = as-is\n" ENTER("A")
		    LEAVE("A") "[variant B]\n",
		"on", SIGINT, 1, 130);
	r = program_run(folder, "iosweep run --resume run");
	program_assert_sentence(&r, 3, "name that file with --plan");
	program_free(&r);
	r = program_run(folder,
			"iosweep run --resume run --plan plan.ini --quiet");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 9);
	trace = program_read(folder, "trace");
	program_assert_contains(trace, "+A\n-A\n");
	free(trace);
	assert_false(program_exists(folder, "on"));
	r = program_run(folder, "sed -i s/touch/true/ plan.ini; iosweep run "
				"--resume run --plan plan.ini --quiet");
	program_assert_sentence(&r, 3, "have to be those of the beginning");
	program_free(&r);
}

static void root_refuses_commands_that_others_can_write(void **state)
{
	struct program_result r;
	char *path = program_path(folder, "plan.ini");

	(void)state;
	if (geteuid() != 0)
		skip();
	program_write(folder, "plan.ini", SWEEP "[variant A]\n" ENTER("A"));
	assert_int_equal(chmod(path, 0666), 0);
	r = program_run(folder, "iosweep run --plan plan.ini /dev/zero");
	program_assert_sentence(&r, 3, "others can write it");
	program_free(&r);
	r = program_run(folder, "iosweep plan --template ./plan.ini /dev/zero");
	program_assert_sentence(&r, 3, "others can write it");
	program_free(&r);
	/* Without a command it is a plan like others. */
	program_write(folder, "plan.ini", SWEEP "[variant A]\nstate = cold\n");
	assert_int_equal(chmod(path, 0666), 0);
	r = program_run(folder, "iosweep plan --plan plan.ini /dev/zero");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_false(program_exists(folder, "trace"));
	free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(variants_are_entered_and_left_in_turn),
	    TEST(plan_shows_the_commands_and_runs_none),
	    TEST(a_failed_command_ends_the_sweep_and_the_variant),
	    TEST(a_failed_leave_is_told_beside_what_failed_before),
	    TEST(a_signal_during_enter_lets_it_end_and_leaves),
	    TEST(a_second_signal_during_enter_ends_it_and_leaves),
	    TEST(a_signal_during_a_point_leaves),
	    TEST(signals_do_not_end_leave),
	    TEST(a_sweep_with_commands_goes_on_with_its_plan),
	    TEST(root_refuses_commands_that_others_can_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
