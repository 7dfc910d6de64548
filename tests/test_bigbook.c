/* slow: books of thousands of points, and what checks them.
 * book, large: nothing is lost and every program opens it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include "engine/units.h"
#include "export/book.h"
#include "tests/bookrun.h"
#include "tests/tempdir.h"

static char *folder;
static char *book;

static int begin(void **state)
{
	(void)state;
	folder = tempdir_new();
	book = tempdir_path(folder, "big.xlsx");
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(book);
	tempdir_remove(folder);
	return 0;
}

static void need_long(void)
{
	if (getenv("IOSWEEP_LONG"))
		return;
	print_message("skip: with IOSWEEP_LONG=1\n");
	skip();
}

/* In a process of its own: returns the most memory that it took. */
static long write_book(const struct run *run)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct err err = {0};
		int rc = book_write(book, &run, 1, NULL, &err);

		if (rc)
			fprintf(stderr, "%s\n", err.text);
		_exit(rc ? 1 : 0);
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return usage.ru_maxrss;
}

/* By all that scripts/check-workbook has; or all but those that take long. */
static void check_book(const char *option)
{
	char command[1024];
	int status;

#ifdef __SANITIZE_ADDRESS__
	/* The other programs would look at the same bytes once more. */
	return;
#endif
	if (access("/usr/bin/python3", X_OK)) {
		print_message("skip: no /usr/bin/python3\n");
		return;
	}
	snprintf(command, sizeof(command), "scripts/check-workbook %s %s",
		 option, book);
	status = system(command);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* How often text stands in a part of the book. */
static uint32_t count_in(const char *part, const char *text)
{
	zip_t *package = zip_open(book, ZIP_RDONLY, NULL);
	struct zip_stat stat;
	zip_file_t *f;
	uint32_t n = 0;
	char *xml, *at;

	assert_non_null(package);
	assert_int_equal(zip_stat(package, part, 0, &stat), 0);
	f = zip_fopen(package, part, 0);
	xml = malloc(stat.size + 1);
	assert_non_null(f);
	assert_non_null(xml);
	assert_int_equal(zip_fread(f, xml, stat.size), stat.size);
	xml[stat.size] = '\0';
	for (at = xml; (at = strstr(at, text)); at++)
		n++;
	free(xml);
	zip_fclose(f);
	zip_discard(package);
	return n;
}

/* Sections of two points each. */
static void make_sections(uint32_t count, struct run *run)
{
	static char names[BOOKRUN_AXIS_MAX][40];
	static struct bookrun_axes axes;
	uint32_t i;

	memset(&axes, 0, sizeof(axes));
	axes.label = "sections";
	axes.block_sizes[0] = 8 * KIB;
	axes.block_sizes[1] = 64 * KIB;
	for (i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "Access specification %u",
			 i + 1);
		axes.sections[i] = names[i];
	}
	bookrun_init(&axes, run);
}

/* Summary's table leads to each of them. */
static void thirty_workloads_are_found_from_the_summary(void **state)
{
	struct run run;

	(void)state;
	make_sections(30, &run);
	write_book(&run);
	bookrun_fini(&run);
	assert_int_equal(
	    count_in("xl/worksheets/sheet1.xml", "location=\"'Access spec"),
	    30);
	check_book(getenv("IOSWEEP_LONG") ? "" : "--no-render");
}

/* More sheets than anybody leafs through, and than Excel opens quickly. */
static void of_many_workloads_the_first_have_sheets(void **state)
{
	struct run run;

	(void)state;
	make_sections(300, &run);
	write_book(&run);
	bookrun_fini(&run);
	assert_int_equal(count_in("xl/workbook.xml", "name=\"Access spec"),
			 250);
	assert_int_equal(
	    count_in("xl/worksheets/sheet1.xml", "location=\"'Access spec"),
	    250);
	assert_int_equal(
	    count_in("xl/sharedStrings.xml", "Those without a link"), 1);
	if (getenv("IOSWEEP_LONG"))
		check_book("--no-render");
}

/* Points of one size, each with an outstanding of its own. */
static void make_wide(uint32_t columns, struct run *run)
{
	struct bookrun_axes axes = {.label = "wide",
				    .variants = {"baseline", "cached"}};
	uint32_t i;

	for (i = 0; i < columns / 100; i++)
		axes.block_sizes[i] = (i + 1) * 4 * KIB;
	for (i = 0; i < 100; i++)
		axes.outstandings[i] = i + 1;
	bookrun_init(&axes, run);
	for (i = 0; i < run->point_count; i++) {
		run->points[i].workload.stream.block_size_bytes = 8 * KIB;
		run->points[i].workload.queue_depth = i % columns + 1;
	}
}

/* A sheet has 16,384 columns; a reader has far fewer. */
static void more_outstandings_than_can_be_drawn_are_in_results(void **state)
{
	uint32_t columns = getenv("IOSWEEP_LONG") ? 20000 : 1200;
	char last[32];
	struct run run;

	(void)state;
	make_wide(columns, &run);
	write_book(&run);
	bookrun_fini(&run);
	assert_int_equal(
	    count_in("xl/sharedStrings.xml", "Too many outstanding"), 1);
	/* A row a point, under the head; twice, for the filter too. */
	snprintf(last, sizeof(last), "%u\"", 2 * columns + 1);
	assert_int_equal(count_in("xl/tables/table1.xml", last), 2);
	check_book("--no-render");
}

/* The default grid of 64 by two patterns, three mixes and two variants. */
static void make_768(struct bookrun_axes *axes, struct run *run)
{
	const double reads[] = {100, 70, 0, -1};

	bookrun_axes_default(axes);
	axes->randoms[0] = 0;
	axes->randoms[1] = 100;
	axes->randoms[2] = -1;
	memcpy(axes->reads, reads, sizeof(reads));
	axes->variants[0] = "baseline";
	axes->variants[1] = "cached";
	bookrun_init(axes, run);
	assert_int_equal(run->point_count, 768);
}

static void variants_by_workloads_make_768_points(void **state)
{
	struct bookrun_axes axes = {.label = "768", .samples = 20};
	struct run run;

	(void)state;
	make_768(&axes, &run);
	write_book(&run);
	bookrun_fini(&run);
	check_book(getenv("IOSWEEP_LONG") ? "" : "--no-render");
}

static void results_of_others_may_lack_latency(void **state)
{
	struct bookrun_axes axes = {.label = "imported", .no_latency = true};
	struct run run;

	(void)state;
	make_768(&axes, &run);
	write_book(&run);
	bookrun_fini(&run);
	check_book(getenv("IOSWEEP_LONG") ? "" : "--no-render");
}

/* 25 sizes by 100 outstandings by 8 workloads, of three visits each. */
static void twenty_thousand_points_make_a_book(void **state)
{
	struct bookrun_axes axes = {
	    .label = "large",
	    .randoms = {0, 100, -1},
	    .reads = {100, 70, 30, 0, -1},
	    .rounds = 3,
	};
	struct run run;
	uint32_t i;
	long kib;

	(void)state;
	need_long();
	for (i = 0; i < 25; i++)
		axes.block_sizes[i] = (i + 1) * 8 * KIB;
	for (i = 0; i < 100; i++)
		axes.outstandings[i] = i + 1;
	bookrun_init(&axes, &run);
	assert_int_equal(run.point_count, 20000);
	for (i = 0; i < run.point_count; i += 97)
		bookrun_fail(&run, i, "Input/output error");
	for (i = 5; i < run.point_count; i += 101)
		bookrun_skip(&run, i, "the block size is below the device's");
	for (i = 7; i < run.point_count; i += 103)
		bookrun_forget(&run, i);
	kib = write_book(&run);
	bookrun_fini(&run);
	print_message("%ld KiB\n", kib);
#ifndef __SANITIZE_ADDRESS__
	/* 1.2 million cells of 150 bytes, and the run. */
	assert_in_range(kib, 1, 300 * 1024);
#endif
	check_book("--no-render");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(thirty_workloads_are_found_from_the_summary),
	    cmocka_unit_test(of_many_workloads_the_first_have_sheets),
	    cmocka_unit_test(
		more_outstandings_than_can_be_drawn_are_in_results),
	    cmocka_unit_test(variants_by_workloads_make_768_points),
	    cmocka_unit_test(results_of_others_may_lack_latency),
	    cmocka_unit_test(twenty_thousand_points_make_a_book),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
