/* rawbook: the tables of run folders come out row for row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "export/rawbook.h"
#include "tests/fakerun.h"
#include "tests/program.h"
#include "tests/tempdir.h"

static const struct fakerun_folder small = {
    .label = "first", .points = 5, .visits = 12, .samples = 7};

static char *folder; /* of the test */
static char *run, *other, *book;

static int begin(void **state)
{
	(void)state;
	folder = tempdir_new();
	run = tempdir_path(folder, "run");
	other = tempdir_path(folder, "other");
	book = tempdir_path(folder, "raw.xlsx");
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(run);
	free(other);
	free(book);
	tempdir_remove(folder);
	return 0;
}

static void write_book(const char *const *folders, uint32_t count,
		       uint32_t rows_max)
{
	struct err err = {0};
	int rc = rawbook_write(book, folders, count, rows_max, &err);

	if (rc)
		print_message("%s\n", err.text);
	assert_int_equal(rc, 0);
}

/* Run it; what it says is in `said`. */
static int run_command(const char *command, char *said, size_t size)
{
	FILE *pipe = popen(command, "r");
	size_t n;
	int status;

	assert_non_null(pipe);
	n = fread(said, 1, size - 1, pipe);
	said[n] = '\0';
	status = pclose(pipe);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void assert_same_rows(const char *folders, const char *end_of_said)
{
	char command[1024], said[4096];
	int status;

	if (access("/usr/bin/python3", X_OK)) {
		print_message("skip: no /usr/bin/python3\n");
		skip();
	}
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 tests/same-rows %s %s", book, folders);
	status = run_command(command, said, sizeof(said));
	if (status == 77)
		skip();
	if (status || !strstr(said, end_of_said))
		print_message("%s", said);
	assert_int_equal(status, 0);
	assert_non_null(strstr(said, end_of_said));
}

static void every_row_has_its_row(void **state)
{
	const char *const folders[] = {run};

	(void)state;
	fakerun_store(run, &small);
	write_book(folders, 1, RAWBOOK_ROWS_MAX);
	assert_same_rows(run, " on 5 sheets");
}

/* Of 84 intervals, and of far more buckets. */
static void rows_of_a_full_sheet_go_on_in_the_next(void **state)
{
	const char *const folders[] = {run};

	(void)state;
	fakerun_store(run, &small);
	write_book(folders, 1, 200);
	assert_same_rows(run, " rows on ");
	write_book(folders, 1, 8);
	assert_same_rows(run, " rows on ");
}

static void runs_are_told_apart_by_their_labels(void **state)
{
	const struct fakerun_folder second = {
	    .label = "=second & last", .points = 3, .visits = 4, .samples = 2};
	const char *const folders[] = {run, other};
	char both[1024];

	(void)state;
	fakerun_store(run, &small);
	fakerun_store(other, &second);
	write_book(folders, 2, 100);
	snprintf(both, sizeof(both), "%s %s", run, other);
	assert_same_rows(both, " rows on ");
}

static void append_text(const char *name, const char *text)
{
	char *path = tempdir_path(run, name);
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void rows_without_a_commit_record_are_left_out(void **state)
{
	const char *const folders[] = {run};

	(void)state;
	fakerun_store(run, &small);
	append_text("series.csv", "13,0,0,1,1,1,1,1,1\n13,1,");
	append_text("latency.csv", "13,read,1,2,3\n");
	append_text("visits.csv", "13,2");
	write_book(folders, 1, RAWBOOK_ROWS_MAX);
	assert_same_rows(run, " on 5 sheets");
}

/* Written before there was devices.csv; and nothing measured yet. */
static void tables_without_rows_have_no_sheet(void **state)
{
	const struct fakerun_folder empty = {.label = "new", .points = 2};
	const char *const folders[] = {run};

	(void)state;
	fakerun_store(run, &empty);
	write_book(folders, 1, RAWBOOK_ROWS_MAX);
	assert_same_rows(run, "2 rows on 1 sheets");
}

static void a_damaged_folder_leaves_the_older_book(void **state)
{
	const char *const folders[] = {run, other};
	struct err err = {0};
	char *text;

	(void)state;
	fakerun_store(run, &small);
	file_write(book, "older", 5);
	assert_int_equal(
	    rawbook_write(book, folders, 2, RAWBOOK_ROWS_MAX, &err), -EIO);
	assert_non_null(strstr(err.text, other));
	memset(&err, 0, sizeof(err));
	append_text("visits.csv", "what is this\n");
	assert_true(rawbook_write(book, folders, 1, RAWBOOK_ROWS_MAX, &err) <
		    0);
	assert_non_null(strstr(err.text, "visits.csv:14"));
	text = file_read(book, NULL);
	assert_string_equal(text, "older");
	free(text);
}

static void equal_folders_give_equal_bytes(void **state)
{
	const char *const first[] = {run}, *const second[] = {other};
	size_t n, m;
	char *a, *b;

	(void)state;
	fakerun_store(run, &small);
	fakerun_store(other, &small);
	write_book(first, 1, RAWBOOK_ROWS_MAX);
	a = file_read(book, &n);
	write_book(second, 1, RAWBOOK_ROWS_MAX);
	b = file_read(book, &m);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

static void the_program_writes_it(void **state)
{
	static const struct {
		const char *command, *part;
	} wrong[] = {
	    {"iosweep export run --raw -O raw.csv", "does not end in .xlsx"},
	    {"iosweep export run --raw -O raw.xlsx --theme print",
	     "neither a theme"},
	    {"iosweep export --raw -O raw.xlsx", "name a run folder"},
	    {"iosweep export none --raw -O raw.xlsx", "none"},
	};
	struct program_result r;
	size_t i;

	(void)state;
	fakerun_store(run, &small);
	r = program_run(folder, "iosweep export run --raw -O raw.xlsx");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_same_rows(run, " on 5 sheets");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		r = program_run(folder, "%s", wrong[i].command);
		program_assert_sentence(&r, 2, wrong[i].part);
		program_free(&r);
	}
}

/* Seconds of CPU and most memory of one that writes the book. */
static void write_apart(double *out_seconds, long *out_kib)
{
	const char *const folders[] = {run};
	struct rusage usage;
	struct err err = {0};
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(-rawbook_write(book, folders, 1, RAWBOOK_ROWS_MAX, &err) &
		      127);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	*out_seconds =
	    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	*out_kib = usage.ru_maxrss;
}

/* 1,050,000 intervals: more than a sheet has rows. */
static void more_rows_than_a_sheet_has_take_little_memory(void **state)
{
	const struct fakerun_folder large = {
	    .label = "large", .points = 7, .visits = 1050, .samples = 1000};
	double seconds;
	long kib;

	(void)state;
	if (!getenv("IOSWEEP_LONG")) {
		print_message("skip: a million rows, with IOSWEEP_LONG=1\n");
		skip();
	}
	fakerun_store(run, &large);
	write_apart(&seconds, &kib);
	print_message("%.1f s of CPU, %ld KiB\n", seconds, kib);
#ifndef __SANITIZE_ADDRESS__
	assert_in_range(kib, 1, 64 * 1024);
#endif
	assert_same_rows(run, " on 6 sheets");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_row_has_its_row, begin, end),
	    cmocka_unit_test_setup_teardown(
		rows_of_a_full_sheet_go_on_in_the_next, begin, end),
	    cmocka_unit_test_setup_teardown(runs_are_told_apart_by_their_labels,
					    begin, end),
	    cmocka_unit_test_setup_teardown(
		rows_without_a_commit_record_are_left_out, begin, end),
	    cmocka_unit_test_setup_teardown(tables_without_rows_have_no_sheet,
					    begin, end),
	    cmocka_unit_test_setup_teardown(
		a_damaged_folder_leaves_the_older_book, begin, end),
	    cmocka_unit_test_setup_teardown(equal_folders_give_equal_bytes,
					    begin, end),
	    cmocka_unit_test_setup_teardown(the_program_writes_it, begin, end),
	    cmocka_unit_test_setup_teardown(
		more_rows_than_a_sheet_has_take_little_memory, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
