/* slow: books of configurations by tags: how many there may be, how hostile
 * what they are called, and what is told of one that failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "export/book_configs.h"
#include "export/digest.h"
#include "tests/bookrun.h"
#include "tests/program.h"

#define RUNS_MAX 60

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

/* Runs with one point of two workloads each. */
static void make_runs(struct run *runs, const struct run **list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct bookrun_axes axes = {
		    .label = "same",
		    .sections = {"Max Throughput-100%Read", "RealLife"},
		};

		bookrun_init(&axes, &runs[i]);
		list[i] = &runs[i];
	}
}

static void free_runs(struct run *runs, uint32_t count)
{
	while (count--)
		bookrun_fini(&runs[count]);
}

static char *path_of(const char *name)
{
	return program_path(folder, name);
}

static void write_all(const char *name, const struct run *const *list,
		      uint32_t count)
{
	static const struct {
		const char *ending;
		int (*write)(const char *, const struct run *const *, uint32_t,
			     const struct book_opts *, struct err *);
	} forms[] = {{"xlsx", book_write},
		     {"html", digest_write_html},
		     {"md", digest_write_md}};
	struct err err = {0};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char file[64];
		char *path;

		snprintf(file, sizeof(file), "%s.%s", name, forms[i].ending);
		path = path_of(file);
		assert_int_equal(forms[i].write(path, list, count, NULL, &err),
				 0);
		free(path);
	}
}

static void one_run_needs_no_table(void **state)
{
	const struct run *list[1];
	struct run run;
	char *text;

	(void)state;
	make_runs(&run, list, 1);
	bookrun_fact(&run, "tags", "raid", "5");
	write_all("one", list, 1);
	text = program_read(folder, "one.md");
	assert_null(strstr(text, "Compare targets"));
	free(text);
	free_runs(&run, 1);
}

static void rows_are_in_order_and_a_failure_is_told(void **state)
{
	static const char *const raid[] = {"10", NULL, "5", "5"};
	const struct run *list[4];
	struct run runs[4];
	const char *first, *second, *third;
	char *text;
	uint32_t i;

	(void)state;
	make_runs(runs, list, 4);
	for (i = 0; i < 4; i++)
		if (raid[i])
			bookrun_fact(&runs[i], "tags", "raid", raid[i]);
	bookrun_fact(&runs[3], "tags /data/test.dat", "raid", "6");
	bookrun_fail(&runs[0], 1, "the cable | was cut");
	write_all("four", list, 4);
	text = program_read(folder, "four.md");
	first = strstr(text, "\n| 5 | ");
	assert_non_null(first);
	second = strstr(first, "\n| 6 | ");
	assert_non_null(second);
	third = strstr(second, "\n| 10 | ");
	assert_non_null(third);
	assert_non_null(strstr(third, "\n| (none) | "));
	assert_null(strstr(text, "| 0 | 0 |"));
	program_assert_contains(
	    text, "|  |  |  |  |  |  |  | failed: the cable \\| was cut |");
	free(text);
	free_runs(runs, 4);
}

static void tags_of_every_kind_are_safe(void **state)
{
	static const char *const values[] = {
	    "=cmd|'/c calc'!A1",
	    "\xff\xfe invalid",
	    "Größe 日本語",
	    "GRÖßE 日本語",
	    "<b>&amp; \"quoted\"",
	    "History",
	    "ssd",
	    "SSD",
	};
	const struct run *list[10];
	struct run runs[10];
	char long_text[201];
	uint32_t i;

	(void)state;
	make_runs(runs, list, 10);
	memset(long_text, 'x', 200);
	long_text[200] = '\0';
	for (i = 0; i < 10; i++) {
		long_text[100] = (char)('a' + i);
		bookrun_fact(&runs[i], "tags", "=1+1",
			     i < 8 ? values[i] : long_text);
		bookrun_fact(&runs[i], "tags", "Kind", values[i % 8]);
		bookrun_fact(&runs[i], "tags", "kind", values[(i + 1) % 8]);
	}
	write_all("hostile", list, 10);
	free_runs(runs, 10);
}

/* More bars than a chart has room for; more tags than a table has. */
static void many_are_bounded(void **state)
{
	static struct run runs[RUNS_MAX];
	const struct run *list[RUNS_MAX];
	char text[32];
	uint32_t i, k;

	(void)state;
	make_runs(runs, list, RUNS_MAX);
	for (i = 0; i < RUNS_MAX; i++)
		for (k = 0; k < 9; k++) {
			char name[32];

			snprintf(name, sizeof(name), "tag %u", k);
			snprintf(text, sizeof(text), "%u", i / (k + 1));
			bookrun_fact(&runs[i], "tags", name, text);
		}
	write_all("two", list, 2);
	write_all("twenty", list, 20);
	write_all("sixty", list, RUNS_MAX);
	free_runs(runs, RUNS_MAX);
}

static void targets_of_one_run_are_rows_too(void **state)
{
	struct bookrun_axes axes = {
	    .targets = {"/dev/sdb", "/dev/sdc"},
	    .reads = {100, 0, -1},
	    .block_sizes = {8192, 65536},
	    .outstandings = {1, 8},
	};
	const struct run *list[1];
	struct run run;
	char *text;

	(void)state;
	bookrun_init(&axes, &run);
	bookrun_fact(&run, "tags /dev/sdb", "media", "ssd");
	bookrun_fact(&run, "tags /dev/sdc", "media", "disk");
	list[0] = &run;
	write_all("targets", list, 1);
	text = program_read(folder, "targets.html");
	program_assert_contains(text, "<td class=\"text\">disk</td>"
				      "<td class=\"text\">sdc</td>");
	free(text);
	bookrun_fini(&run);
}

static void every_book_passes_the_checker(void **state)
{
	char command[1024];
	int status;

	(void)state;
	if (system("/usr/bin/python3 -c 'import openpyxl' 2>/dev/null"))
		skip();
	snprintf(command, sizeof(command),
		 "scripts/check-workbook --no-render %s/*.xlsx", folder);
	status = system(command);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_run_needs_no_table),
	    cmocka_unit_test(rows_are_in_order_and_a_failure_is_told),
	    cmocka_unit_test(tags_of_every_kind_are_safe),
	    cmocka_unit_test(many_are_bounded),
	    cmocka_unit_test(targets_of_one_run_are_rows_too),
	    cmocka_unit_test(every_book_passes_the_checker),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
