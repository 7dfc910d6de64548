/* iosweep as a whole: signals, closed pipes, crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/program.h"

#define ZERO "run /dev/zero -b 4K -p rand --ramp 10ms --out run "

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

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	assert_int_equal(
	    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	return info.si_pid == pid;
}

/* Until a file has so many lines. Fails the test when the program ends before
 * or nothing happens for a minute. */
static void wait_for_lines(pid_t pid, const char *name, int lines)
{
	int i;

	for (i = 0; i < 6000; i++) {
		if (program_count_lines(folder, name) >= lines)
			return;
		if (has_ended(pid)) {
			char *log = program_read(folder, "log");

			print_message("%s", log);
			free(log);
			fail_msg("it ended before %s had %d lines", name,
				 lines);
		}
		usleep(10000);
	}
	kill(pid, SIGKILL);
	fail_msg("%s has not %d lines after a minute", name, lines);
}

static void assert_log(const char *part)
{
	char *log = program_read(folder, "log");

	program_assert_contains(log, part);
	free(log);
}

/* A run folder of whole visits with its book, that can be shown. */
static void assert_kept(size_t visits_at_least, double measured_ms)
{
	struct program_result r;
	struct csvtable t;
	size_t row;

	csvtable_read(&t, folder, "run/visits.csv");
	assert_true(t.whole);
	assert_true(t.count > visits_at_least);
	for (row = 1; row < t.count; row++) {
		assert_string_equal(csvtable_get(&t, row, "state"), "done");
		/* Not cut short. */
		assert_true(csvtable_number(&t, row, "measured_ms") >=
			    measured_ms);
	}
	csvtable_free(&t);
	assert_true(program_exists(folder, "run/points.csv"));
	assert_true(program_exists(folder, "run/report.xlsx"));
	r = program_run(folder, "iosweep show run");
	program_assert_status(&r, 0);
	assert_null(strstr(r.out, "cut off"));
	program_free(&r);
}

static void sigint_finishes_the_visit_and_writes_the_book(void **state)
{
	pid_t pid = program_start(folder, "%s",
				  ZERO "-o 1,2,4 --time 300ms --rounds 1000");

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 3);
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	assert_log("stopped: what was measured is kept");
	assert_log("workbook: run/report.xlsx");
	assert_kept(2, 300);
}

static void sigterm_does_the_same_with_its_own_status(void **state)
{
	pid_t pid = program_start(
	    folder, "%s", ZERO "-o 1,2 --time 200ms --rounds 1000 --quiet");

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 2);
	kill(pid, SIGTERM);
	assert_int_equal(program_wait(pid), 143);
	assert_log("stopped: what was measured is kept");
	assert_kept(1, 200);
}

static void a_second_sigint_ends_the_visit_too(void **state)
{
	pid_t pid =
	    program_start(folder, "%s", ZERO "-o 1 --time 10h --rounds 1");

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 1);
	usleep(100000);
	kill(pid, SIGINT);
	usleep(300000);
	assert_false(has_ended(pid));
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	assert_kept(0, 0);
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 1);
}

static void a_stop_request_cuts_a_pause_short(void **state)
{
	pid_t pid = program_start(
	    folder, "%s", ZERO "-o 1 --time 20ms --rounds 2 --pause 10h");

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 2);
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	assert_kept(1, 20);
}

static void remove_spares_a_file_that_took_the_name(void **state)
{
	pid_t pid = program_start(
	    folder, "run f --size 1M -b 8K -o 1 -p rand --cache buffered "
		    "--ramp 10ms --time 50ms --rounds 1000 --out run --remove");
	struct program_result r;
	char *text;

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 2);
	program_write(folder, "g", "somebody's");
	r = program_run(folder, "mv g f");
	program_assert_status(&r, 0);
	program_free(&r);
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 1);
	assert_log("iosweep: f is not the file that iosweep made any more");
	text = program_read(folder, "f");
	assert_string_equal(text, "somebody's");
	free(text);
}

static void sighup_does_not_end_a_sweep(void **state)
{
	pid_t pid =
	    program_start(folder, "%s", ZERO "-o 1,2 --time 100ms --rounds 5");

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 2);
	kill(pid, SIGHUP);
	assert_int_equal(program_wait(pid), 0);
	assert_kept(10, 100);
}

/* Ctrl-Z and fg: the I/Os that were out meanwhile do not hang. */
static void a_program_that_was_stopped_sees_no_hang(void **state)
{
	pid_t pid;
	char *log;

	(void)state;
	program_fill(folder, "f", 8 << 20);
	pid = program_start(folder, "run f -b 4K -o 64 -p rand --time 3s "
				    "--rounds 1 --io-timeout 300ms --out run");
	wait_for_lines(pid, "run/visits.csv", 1);
	usleep(500000);
	kill(pid, SIGSTOP);
	usleep(2000000);
	kill(pid, SIGCONT);
	program_wait(pid);
	log = program_read(folder, "log");
	assert_null(strstr(log, "did not return"));
	free(log);
}

/* Start it on a terminal of its own; *terminal is our end of that. */
static pid_t start_on_terminal(const char *words, int *terminal)
{
	const char *named = getenv("IOSWEEP");
	char *path = realpath(named ? named : "build/release/iosweep", NULL);
	char *line;
	pid_t pid;

	assert_non_null(path);
	assert_true(
	    asprintf(&line, "cd '%s' && exec %s %s", folder, path, words) > 0);
	pid = forkpty(terminal, NULL, NULL, NULL);
	assert_true(pid >= 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	free(line);
	free(path);
	return pid;
}

static void a_lost_terminal_does_not_end_a_sweep(void **state)
{
	int terminal;
	pid_t pid =
	    start_on_terminal(ZERO "-o 1,2 --time 100ms --rounds 5", &terminal);

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 3);
	/* SIGHUP to its session, and no more writing there. */
	close(terminal);
	assert_int_equal(program_wait(pid), 0);
	assert_kept(9, 100);
}

static bool has_new_book(void)
{
	struct program_result r =
	    program_run(folder, "ls -A run | grep -q '^.report.xlsx'");
	bool found = !r.status;

	program_free(&r);
	return found;
}

static void sigint_while_the_book_is_written_costs_no_book(void **state)
{
	pid_t pid = program_start(
	    folder, "%s", ZERO "-o 1..32 --time 20ms --rounds 3 --quiet");

	(void)state;
	while (!has_ended(pid) && !has_new_book())
		usleep(500);
	kill(pid, SIGINT);
	kill(pid, SIGINT);
	assert_in_range(program_wait(pid), 0, 1);
	assert_true(program_exists(folder, "run/report.xlsx"));
	assert_false(has_new_book());
}

static void sigint_while_the_file_is_laid_out_leaves_nothing(void **state)
{
	struct statvfs fs;
	pid_t pid;

	(void)state;
	assert_int_equal(statvfs(folder, &fs), 0);
	if ((uint64_t)fs.f_bavail * fs.f_frsize < (uint64_t)20 << 30) {
		print_message("skip: not 20G free for a file to be stopped "
			      "at\n");
		skip();
	}
	pid = program_start(folder, "run f --size 16G");
	wait_for_lines(pid, "log", 2);
	assert_log("writing the test file");
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	assert_log("stopped while f was written");
	/* The log. */
	assert_int_equal(program_count_entries(folder), 1);
}

static void what_was_measured_before_a_crash_can_be_shown(void **state)
{
	pid_t pid = program_start(folder, "%s",
				  ZERO "-o 1,2,4 --time 50ms --rounds 1000");
	struct program_result r;

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 4);
	kill(pid, SIGKILL);
	assert_int_equal(program_wait(pid), 128 + SIGKILL);
	r = program_run(folder, "iosweep show run");
	program_assert_status(&r, 0);
	program_assert_contains(r.out, "Random read");
	program_free(&r);
	r = program_run(folder, "iosweep export run -O again.xlsx && iosweep "
				"export run -O again.csv");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_int_equal(program_count_lines(folder, "again.csv"), 4);
}

/* As by Ctrl-Z, or a container that is frozen. */
static void a_visit_that_was_stopped_half_way_says_so(void **state)
{
	pid_t pid =
	    program_start(folder, "%s", ZERO "-o 4 --time 500ms --rounds 3");
	char *visits;

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 2);
	usleep(100000);
	kill(pid, SIGSTOP);
	usleep(2500000);
	kill(pid, SIGCONT);
	assert_int_equal(program_wait(pid), 1);
	visits = program_read(folder, "run/visits.csv");
	program_assert_contains(visits, "iosweep did not run for 2");
	program_assert_contains(visits, "measure again");
	free(visits);
}

static void a_run_folder_that_is_removed_ends_the_sweep(void **state)
{
	pid_t pid = program_start(folder, "%s",
				  ZERO "-o 1,2,4 --time 50ms --rounds 1000");
	struct program_result r;

	(void)state;
	wait_for_lines(pid, "run/visits.csv", 4);
	r = program_run(folder, "rm -r run");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_int_equal(program_wait(pid), 1);
	assert_log("run was removed during the sweep");
}

static void a_reader_that_leaves_early_costs_no_results(void **state)
{
	struct program_result r;

	(void)state;
	/* What is told of success goes nowhere; the folder is whole. */
	r = program_run(folder, "{ iosweep %s; echo $? >status; } | true",
			ZERO "-o 1,2 --time 20ms --rounds 2");
	program_free(&r);
	assert_kept(4, 20);
	r = program_run(folder, "iosweep show run --metric all | head -n 1");
	program_assert_status(&r, 0);
	assert_string_equal(r.err, "");
	program_free(&r);
	r = program_run(folder, "iosweep columns | head -n 1");
	program_assert_status(&r, 0);
	assert_string_equal(r.err, "");
	program_free(&r);
}

static void output_that_cannot_be_written_is_no_success(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder, "iosweep columns >/dev/full");
	program_assert_sentence(&r, 1, "standard output");
	program_free(&r);
	r = program_run(folder, "iosweep --version >/dev/full");
	program_assert_sentence(&r, 1, "standard output");
	program_free(&r);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(sigint_finishes_the_visit_and_writes_the_book),
	    CASE(sigterm_does_the_same_with_its_own_status),
	    CASE(a_second_sigint_ends_the_visit_too),
	    CASE(a_stop_request_cuts_a_pause_short),
	    CASE(remove_spares_a_file_that_took_the_name),
	    CASE(sighup_does_not_end_a_sweep),
	    CASE(a_program_that_was_stopped_sees_no_hang),
	    CASE(a_lost_terminal_does_not_end_a_sweep),
	    CASE(sigint_while_the_book_is_written_costs_no_book),
	    CASE(sigint_while_the_file_is_laid_out_leaves_nothing),
	    CASE(what_was_measured_before_a_crash_can_be_shown),
	    CASE(a_visit_that_was_stopped_half_way_says_so),
	    CASE(a_run_folder_that_is_removed_ends_the_sweep),
	    CASE(a_reader_that_leaves_early_costs_no_results),
	    CASE(output_that_cannot_be_written_is_no_success),
	};

	return cmocka_run_group_tests_name("program, stopped", tests, NULL,
					   NULL);
}
