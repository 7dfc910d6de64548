/* slow: iosweep as a whole: run --resume. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/program.h"
#include "tests/resumerig.h"

#define SHAPE "-b 4K,8K -o 1 -p rand --ramp 5ms --time 60ms --rounds 3"
#define POINTS 2
#define ROUNDS 3

static char *folder;
static char *whole; /* a folder with a finished run in it */

static int make_run(void **state)
{
	struct program_result r;

	(void)state;
	whole = program_folder();
	/* All done: a busy machine may starve a visit. */
	do {
		r = program_run(whole,
				"rm -rf run; iosweep run /dev/zero " SHAPE
				" --quiet --out run");
		program_free(&r);
	} while (r.status == 1);
	return r.status;
}

static int remove_run(void **state)
{
	(void)state;
	program_folder_remove(whole);
	return 0;
}

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

/* Cut visits.csv to its header and so many rows: as a run that was killed
 * there leaves it, rows of later visits in the files beside it. */
static void keep_rows(const char *name, int rows)
{
	char *text = program_read(folder, name);
	char *end = text;
	int i;

	for (i = 0; i < rows + 1; i++)
		end = strchr(end, '\n') + 1;
	*end = '\0';
	program_write(folder, name, text);
	free(text);
}

static void run_ok(const char *words)
{
	struct program_result r = program_run(folder, "iosweep %s", words);

	program_assert_status(&r, 0);
	program_free(&r);
}

static void a_run(void)
{
	struct program_result r =
	    program_run(folder, "cp -r '%s/run' run", whole);

	program_assert_status(&r, 0);
	program_free(&r);
}

/* A run of which the first `rows` visits are left. */
static void half_a_run(int rows)
{
	a_run();
	keep_rows("run/visits.csv", rows);
}

static void goes_on_where_it_was_cut_off(void **state)
{
	struct program_result r;
	char *rows, *ini;

	(void)state;
	half_a_run(3);
	rows = resumerig_rows(folder, "run");
	r = program_run(folder, "iosweep run --resume run");
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "3 visits are there already");
	program_assert_contains(r.err, "3 visits in");
	program_free(&r);
	resumerig_assert_kept(folder, "run", rows);
	free(rows);
	resumerig_assert_whole(folder, "run", ROUNDS);
	ini = program_read(folder, "run/run.ini");
	program_assert_contains(ini, "[resumption 1]");
	program_assert_contains(ini, "visits_before = 3");
	program_assert_contains(ini, "command_line = iosweep run --resume run");
	program_assert_contains(ini, "after = the end of the plan");
	free(ini);
}

static void a_torn_tail_is_dropped(void **state)
{
	char *text, *torn;

	(void)state;
	half_a_run(4);
	text = program_read(folder, "run/visits.csv");
	assert_true(asprintf(&torn, "%s5,1,3,done,2026-11-30T2", text) > 0);
	program_write(folder, "run/visits.csv", torn);
	free(torn);
	free(text);
	run_ok("run --resume run --quiet");
	resumerig_assert_whole(folder, "run", ROUNDS);
}

static void the_same_command_line_again_goes_on(void **state)
{
	(void)state;
	half_a_run(4);
	run_ok("run /dev/zero " SHAPE " --quiet --out run --resume run");
	resumerig_assert_whole(folder, "run", ROUNDS);
}

static void a_finished_run_says_so(void **state)
{
	struct program_result r;

	(void)state;
	a_run();
	/* A crash just before its end may have cost it the book. */
	r = program_run(folder, "rm run/report.xlsx; iosweep run --resume run");
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "nothing is left to do");
	program_free(&r);
	resumerig_assert_whole(folder, "run", ROUNDS);
}

static void what_contradicts_is_refused_by_name(void **state)
{
	static const struct {
		const char *words;
		const char *part;
	} cases[] = {
	    {"--time 30ms", "time is 30ms (was 60ms)"},
	    {"--rounds 4 --seed 1", "rounds is 4 (was 3); seed is 1 (was "},
	    {"--batch 2", "batch is 2 (was not said)"},
	    {"--busy-wait", "busy-wait is yes (was not said)"},
	    {"-b 4K -o 1 -p rand", "asked for: 2 points and not 1"},
	    {"-b 4K,16K -o 1 -p rand", "asked for: point 2 is '"},
	    {"/dev/null", "holds another plan than asked for: /dev/null"},
	};
	size_t i;

	(void)state;
	half_a_run(3);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r = program_run(
		    folder, "iosweep run --resume run %s", cases[i].words);

		program_assert_sentence(&r, 3, cases[i].part);
		program_free(&r);
	}
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 4);
	run_ok("run --resume run --quiet --time 0.06s --max-time 1h "
	       "--latency-limit p99=1s /dev/zero");
	resumerig_assert_whole(folder, "run", ROUNDS);
}

static void forced_it_goes_on_with_what_is_said_now(void **state)
{
	struct csvtable t;
	struct program_result r;
	char *ini;

	(void)state;
	half_a_run(3);
	r = program_run(folder, "iosweep run --resume run --force-resume "
				"--time 90ms --quiet");
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "time is 90ms (was 60ms)");
	program_free(&r);
	csvtable_read(&t, folder, "run/visits.csv");
	assert_int_equal(t.count, 1 + POINTS * ROUNDS);
	assert_true(csvtable_number(&t, 3, "measured_ms") < 80);
	assert_true(csvtable_number(&t, 4, "measured_ms") >= 90);
	csvtable_free(&t);
	ini = program_read(folder, "run/run.ini");
	program_assert_contains(ini, "differences = time is 90ms (was 60ms)");
	free(ini);
	/* The book says it too. */
	r = program_run(folder,
			"python3 -c \"import zipfile; "
			"z = zipfile.ZipFile('run/report.xlsx'); "
			"exit(not any(b'although time is 90ms' in z.read(n) "
			"for n in z.namelist()))\"");
	program_assert_status(&r, 0);
	program_free(&r);
}

/* Replace what the line of run.ini that begins with `name` says. */
static void edit_fact(const char *name, const char *value)
{
	struct program_result r =
	    program_run(folder, "sed -i 's/^%s = .*/%s = %s/' run/run.ini",
			name, name, value);

	program_assert_status(&r, 0);
	program_free(&r);
}

static void another_machine_or_version_is_refused_by_name(void **state)
{
	static const char *const facts[] = {"host", "kernel", "cpu", "cores",
					    "iosweep_version"};
	struct program_result r;
	char part[64];
	size_t i;

	(void)state;
	half_a_run(3);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		edit_fact(facts[i], "other");
	r = program_run(folder, "iosweep run --resume run");
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		snprintf(part, sizeof(part), "%s is ", facts[i]);
		program_assert_sentence(&r, 3, part);
	}
	program_assert_contains(r.err, "(was other)");
	program_free(&r);
	run_ok("run --resume run --force-resume --quiet");
	resumerig_assert_whole(folder, "run", ROUNDS);
}

static void another_target_is_refused(void **state)
{
	struct program_result r;

	(void)state;
	run_ok("run f.dat --size 8M " SHAPE " --quiet --out run");
	keep_rows("run/visits.csv", 4);
	r = program_run(folder, "mv f.dat away; iosweep run --resume run");
	program_assert_sentence(&r, 3, "target 1, f.dat, is not there");
	program_free(&r);
	program_fill(folder, "f.dat", 4 << 20);
	r = program_run(folder, "iosweep run --resume run");
	program_assert_sentence(&r, 3, "size_bytes is 4194304 (was 8388608)");
	program_assert_contains(r.err, "layout_seed is unknown (was ");
	program_free(&r);
	/* Forced, it is laid out again as it was. */
	r = program_run(folder, "rm f.dat; iosweep run --resume run "
				"--force-resume --quiet && cmp f.dat away");
	program_assert_status(&r, 0);
	program_free(&r);
	resumerig_assert_whole(folder, "run", ROUNDS);
}

#define CONDITIONED                                                            \
	"run f.dat --size 8M " SHAPE " -r 0 --precondition "                   \
	"--precondition-time 100ms --quiet --out run"

/* Begin, and send sig as soon as the run folder is there. */
static int stop_while_preconditioned(int sig)
{
	pid_t pid = program_start(folder, CONDITIONED);

	while (!program_exists(folder, "run/run.ini"))
		usleep(500);
	kill(pid, sig);
	return program_wait(pid);
}

static int count_in_run_ini(const char *part)
{
	struct program_result r =
	    program_run(folder, "grep -c '%s' run/run.ini", part);
	int n = atoi(r.out);

	program_free(&r);
	return n;
}

static void a_run_that_ended_while_it_was_preconditioned_goes_on(void **state)
{
	static const int sigs[] = {SIGKILL, SIGINT};
	struct program_result r;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(stop_while_preconditioned(sigs[i]),
				 128 + sigs[i]);
		assert_int_equal(program_count_lines(folder, "run/visits.csv"),
				 1);
		assert_int_equal(count_in_run_ini("^precondition_region"), 0);
		r = program_run(folder, "cat log");
		if (sigs[i] == SIGINT)
			program_assert_contains(r.out, "iosweep run --resume "
						       "run goes on");
		program_free(&r);
		resumerig_go_on(folder, "run", NULL);
		resumerig_assert_whole(folder, "run", ROUNDS);
		assert_int_equal(count_in_run_ini("^precondition_region"), 1);
		assert_int_equal(count_in_run_ini("^after = "), 1);
		run_ok("--version && rm -r run f.dat");
	}
}

static void what_was_preconditioned_is_not_again(void **state)
{
	char *before, *after;

	(void)state;
	run_ok(CONDITIONED);
	before = program_read(folder, "run/run.ini");
	keep_rows("run/visits.csv", 4);
	resumerig_go_on(folder, "run", NULL);
	resumerig_assert_whole(folder, "run", ROUNDS);
	after = program_read(folder, "run/run.ini");
	program_assert_contains(before, "precondition_pass_1_time = ");
	/* The times would be others. */
	*strchr(strstr(before, "precondition_pass_1_mibps"), '\n') = '\0';
	program_assert_contains(after,
				strstr(before, "precondition_pass_1_mibps"));
	free(before);
	free(after);
	/* Another file has not had it. */
	keep_rows("run/visits.csv", 4);
	run_ok("--version && rm f.dat");
	run_ok("run --resume run --force-resume --quiet");
	resumerig_assert_whole(folder, "run", ROUNDS);
	assert_int_equal(count_in_run_ini("^precondition_region"), 1);
}

static void what_was_made_is_removed_in_the_end(void **state)
{
	(void)state;
	/* Made and marked, then killed before the end. */
	run_ok("run f.dat --size 8M " SHAPE " --quiet --out run");
	keep_rows("run/visits.csv", 4);
	edit_fact("ramp", "5ms\\nremove = yes");
	run_ok("run --resume run --quiet --force-resume");
	resumerig_assert_whole(folder, "run", ROUNDS);
	assert_false(program_exists(folder, "f.dat"));
}

static void failed_visits_are_repeated_when_asked(void **state)
{
	struct program_result r;
	struct csvtable t;

	(void)state;
	a_run();
	r = program_run(folder, "sed -i '4s/,done,/,failed,/' run/visits.csv; "
				"iosweep run --resume run");
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "--retry-failed");
	program_free(&r);
	run_ok("run --resume run --retry-failed --quiet");
	csvtable_read(&t, folder, "run/visits.csv");
	assert_int_equal(t.count, 1 + POINTS * ROUNDS + 1);
	assert_string_equal(csvtable_get(&t, 3, "point_index"),
			    csvtable_get(&t, 7, "point_index"));
	assert_string_equal(csvtable_get(&t, 3, "seed"),
			    csvtable_get(&t, 7, "seed"));
	assert_string_equal(csvtable_get(&t, 7, "state"), "done");
	csvtable_free(&t);
	csvtable_read(&t, folder, "run/points.csv");
	/* The failure that was repaired is not held against it. */
	assert_null(strstr(csvtable_get(&t, 1, "verdicts"), "failed"));
	csvtable_free(&t);
	run_ok("run --resume run --retry-failed");
}

static void one_writer_a_folder_and_the_owner_is_named(void **state)
{
	struct program_result r;
	char owner[64];
	pid_t pid;
	int i;

	(void)state;
	pid = program_start(folder, "run /dev/zero -b 4K -o 1 -p rand "
				    "--time 60ms --rounds 5000 --out run");
	for (i = 0; i < 1000; i++) {
		if (program_count_lines(folder, "run/visits.csv") > 1)
			break;
		usleep(10000);
	}
	snprintf(owner, sizeof(owner), "process %ld on ", (long)pid);
	r = program_run(folder, "iosweep run --resume run");
	program_assert_sentence(&r, 3, owner);
	program_free(&r);
	kill(pid, SIGTERM);
	assert_int_equal(program_wait(pid), 143);
	r = program_run(folder, "iosweep run --resume run --max-time 50ms");
	program_assert_status(&r, 0);
	program_free(&r);
	r = program_run(folder, "cat run/run.ini");
	program_assert_contains(r.out, "after = SIGTERM");
	program_assert_contains(r.out, "by = --max-time");
	program_free(&r);
}

static void what_cannot_go_on_says_why(void **state)
{
	static const struct {
		const char *words;
		int status;
		const char *part;
	} cases[] = {
	    {"--resume nowhere", 2, "nowhere: there is no such run folder"},
	    {"--resume empty", 2, "empty/run.ini: missing"},
	    {"--resume run --out other", 2, "keep the one of --resume"},
	    {"--resume run --layout", 2, "leave it out of --resume"},
	    {"/dev/zero --force-resume", 2, "name its folder with --resume"},
	    {"/dev/zero --retry-failed", 2, "name its folder with --resume"},
	    {"--resume run", 3, "has no [settings] with a seed"},
	};
	size_t i;

	(void)state;
	half_a_run(3);
	run_ok("--version && mkdir empty && sed -i '/^seed/d' run/run.ini");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r =
		    program_run(folder, "iosweep run %s", cases[i].words);

		program_assert_sentence(&r, cases[i].status, cases[i].part);
		program_free(&r);
	}
}

static void consent_is_given_anew(void **state)
{
	struct program_result r;

	(void)state;
	program_fill(folder, "f.dat", 4 << 20);
	run_ok("run f.dat " SHAPE " -r 0 --destroy-data-on f.dat --quiet "
	       "--out run");
	keep_rows("run/visits.csv", 4);
	r = program_run(folder, "iosweep run --resume run");
	program_assert_sentence(&r, 3, "f.dat");
	program_free(&r);
	run_ok("run --resume run --destroy-data-on f.dat --quiet");
	resumerig_assert_whole(folder, "run", ROUNDS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(goes_on_where_it_was_cut_off),
	    TEST(a_torn_tail_is_dropped),
	    TEST(the_same_command_line_again_goes_on),
	    TEST(a_finished_run_says_so),
	    TEST(what_contradicts_is_refused_by_name),
	    TEST(forced_it_goes_on_with_what_is_said_now),
	    TEST(another_machine_or_version_is_refused_by_name),
	    TEST(another_target_is_refused),
	    TEST(a_run_that_ended_while_it_was_preconditioned_goes_on),
	    TEST(what_was_preconditioned_is_not_again),
	    TEST(what_was_made_is_removed_in_the_end),
	    TEST(failed_visits_are_repeated_when_asked),
	    TEST(one_writer_a_folder_and_the_owner_is_named),
	    TEST(what_cannot_go_on_says_why),
	    TEST(consent_is_given_anew),
	};

	return cmocka_run_group_tests(tests, make_run, remove_run);
}
