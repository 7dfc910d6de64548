#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xlsxwriter.h>
#include <zip.h>

#include "engine/units.h"
#include "export/book.h"
#include "export/book_model.h"
#include "export/store.h"
#include "tests/bookrun.h"
#include "tests/program.h"

#define GOLDEN "tests/golden/book.txt"

/* Every book that a test writes stays here; the last test has all checked. */
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

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_runs(const char *name, const struct run *const *runs,
		       uint32_t count, const struct book_opts *opts)
{
	struct err err = {ERR_NONE, ""};
	int rc = book_write(path_of(name), runs, count, opts, &err);

	if (rc)
		print_message("%s: %s\n", name, err.text);
	assert_int_equal(rc, 0);
}

static void write_run(const char *name, const struct run *run)
{
	write_runs(name, &run, 1, NULL);
}

static void write_axes(const char *name, struct bookrun_axes *axes)
{
	struct run run;

	bookrun_init(axes, &run);
	write_run(name, &run);
	bookrun_fini(&run);
}

/* A part of a book, on the heap; fails the test where it is not there. */
static char *read_part(const char *path, const char *part)
{
	zip_t *package = zip_open(path, ZIP_RDONLY, NULL);
	struct zip_stat stat;
	zip_file_t *f;
	char *text;

	assert_non_null(package);
	assert_int_equal(zip_stat(package, part, 0, &stat), 0);
	f = zip_fopen(package, part, 0);
	assert_non_null(f);
	text = malloc(stat.size + 1);
	assert_non_null(text);
	assert_int_equal(zip_fread(f, text, stat.size), stat.size);
	text[stat.size] = '\0';
	zip_fclose(f);
	zip_discard(package);
	return text;
}

static bool part_has(const char *name, const char *part, const char *text)
{
	char *xml = read_part(path_of(name), part);
	bool found = strstr(xml, text) != NULL;

	free(xml);
	return found;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *bytes;

	if (!f)
		return NULL;
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*size = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	bytes[*size] = '\0';
	fclose(f);
	return bytes;
}

static void one_point_makes_a_book(void **state)
{
	struct bookrun_axes axes = {.label = "one point"};

	(void)state;
	write_axes("one.xlsx", &axes);
	assert_true(
	    part_has("one.xlsx", "xl/workbook.xml", "name=\"Random read\""));
	assert_false(part_has("one.xlsx", "xl/workbook.xml", "Cache effect"));
	assert_false(part_has("one.xlsx", "xl/workbook.xml", "Compare"));
}

static void one_row_and_one_column_of_points_make_books(void **state)
{
	struct bookrun_axes row = {.label = "row"};
	struct bookrun_axes column = {.label = "column"};

	(void)state;
	bookrun_axes_default(&row);
	memset(row.block_sizes, 0, sizeof(row.block_sizes));
	write_axes("row.xlsx", &row);
	bookrun_axes_default(&column);
	memset(column.outstandings, 0, sizeof(column.outstandings));
	write_axes("column.xlsx", &column);
}

static void set_patterns(struct bookrun_axes *axes)
{
	axes->randoms[0] = 0;
	axes->randoms[1] = 100;
	axes->randoms[2] = -1;
}

/* The default sweep of 128 points with all that may befall its points. */
static void the_default_sweep_with_failures_makes_a_book(void **state)
{
	struct bookrun_axes axes = {.label = "nightly"};
	struct run run;

	(void)state;
	bookrun_axes_default(&axes);
	set_patterns(&axes);
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 3, "Input/output error after 12,345 I/Os");
	bookrun_fail(&run, 4, "Input/output error after 12,345 I/Os");
	bookrun_skip(&run, 12, "the block size is below the device's");
	bookrun_forget(&run, 127);
	run.results[7].verdicts = 1u << VERDICT_CPU_BOUND;
	run.results[7].verdict_value[VERDICT_CPU_BOUND] = 98.7;
	run.torn = true;
	write_run("default.xlsx", &run);
	bookrun_fini(&run);
	assert_true(part_has("default.xlsx", "xl/sharedStrings.xml",
			     "2 points failed: Input/output error"));
	assert_true(part_has("default.xlsx", "xl/sharedStrings.xml",
			     "1 of 128 points were not measured yet"));
	assert_true(part_has("default.xlsx", "xl/sharedStrings.xml",
			     "cpu-bound, 1 point"));
	assert_true(part_has("default.xlsx", "xl/sharedStrings.xml",
			     "the last row was cut off"));
}

/* The third point of row 8K failed: its cell is not there at all, since even
 * an empty one with a format would be a 0 in the caches of charts. */
static void what_was_not_measured_has_no_cell(void **state)
{
	struct bookrun_axes axes = {.label = "hole"};
	struct run run;
	char *sheet;

	(void)state;
	bookrun_axes_default(&axes);
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 2, "gone");
	write_run("hole.xlsx", &run);
	bookrun_fini(&run);
	sheet = read_part(path_of("hole.xlsx"), "xl/worksheets/sheet3.xml");
	assert_non_null(strstr(sheet, "<c r=\"C8\""));
	assert_null(strstr(sheet, "<c r=\"D8\""));
	assert_non_null(strstr(sheet, "<c r=\"E8\""));
	free(sheet);
}

static bool any_chart_has(const char *name, const char *text)
{
	zip_t *package = zip_open(path_of(name), ZIP_RDONLY, NULL);
	struct zip_stat stat;
	bool found = false;
	char part[64];
	int chart;

	assert_non_null(package);
	for (chart = 1; !found; chart++) {
		snprintf(part, sizeof(part), "xl/charts/chart%d.xml", chart);
		if (zip_stat(package, part, 0, &stat))
			break;
		found = part_has(name, part, text);
	}
	zip_discard(package);
	return found;
}

static void two_cache_modes_have_the_six_charts(void **state)
{
	static const char *const titles[] = {
	    "Average latency - sequential read",
	    "MB/s - sequential read",
	    "IOPS - sequential read",
	    "Average latency - random read",
	    "MB/s - random read",
	    "IOPS - random read",
	};
	struct bookrun_axes axes = {
	    .label = "cache",
	    .caches = {CACHE_BUFFERED, CACHE_DIRECT},
	    .cache_count = 2,
	};
	size_t i;
	int chart;

	(void)state;
	bookrun_axes_default(&axes);
	set_patterns(&axes);
	write_axes("cache.xlsx", &axes);
	assert_true(part_has("cache.xlsx", "xl/workbook.xml",
			     "name=\"Cache effect - sequential\""));
	assert_true(part_has("cache.xlsx", "xl/workbook.xml",
			     "name=\"Cache effect - random\""));
	assert_true(part_has("cache.xlsx", "xl/sharedStrings.xml",
			     ">not cached: direct<"));
	assert_true(part_has("cache.xlsx", "xl/sharedStrings.xml",
			     ">cached: buffered<"));
	for (i = 0; i < 6; i++) {
		char text[128];
		bool found = false;

		snprintf(text, sizeof(text), ">%s<", titles[i]);
		for (chart = 1; chart <= 28; chart++) {
			char part[64];

			snprintf(part, sizeof(part), "xl/charts/chart%d.xml",
				 chart);
			found |= part_has("cache.xlsx", part, text);
		}
		assert_true(found);
	}
}

/* Three targets become three working sets of one, the last the whole. */
static void working_sets_have_their_curves(void **state)
{
	struct bookrun_axes axes = {
	    .label = "sets",
	    .block_sizes = {4096, 65536},
	    .outstandings = {1, 8},
	    .targets = {"a", "b", "c"},
	};
	struct run run;
	uint32_t i;

	(void)state;
	bookrun_init(&axes, &run);
	assert_int_equal(run.point_count, 12);
	for (i = 0; i < 12; i++) {
		run.points[i].target = "a";
		run.points[i].workload.working_set_bytes =
		    i < 8 ? (i / 4 + 1) * 64 * MIB : 0;
		run.results[i].total.hit_pct = 90.5 - 10 * (i / 4);
	}
	write_run("sets.xlsx", &run);
	assert_true(
	    part_has("sets.xlsx", "xl/workbook.xml", "name=\"Working set\""));
	assert_true(part_has("sets.xlsx", "xl/sharedStrings.xml", ">whole<"));
	assert_true(part_has("sets.xlsx", "xl/sharedStrings.xml", ">128M<"));
	assert_true(part_has("sets.xlsx", "xl/sharedStrings.xml",
			     ">Random read, 8 outstanding<"));
	assert_true(any_chart_has("sets.xlsx",
				  ">IOPS over working set - random read<"));
	assert_true(any_chart_has("sets.xlsx",
				  ">Hit % over working set - random read<"));
	/* In order: 64M, 128M, whole. */
	assert_true(any_chart_has("sets.xlsx", "<c:v>90.5</c:v>"));
	for (i = 0; i < 12; i++)
		run.results[i].total.hit_pct = NAN;
	write_run("sets-unknown.xlsx", &run);
	assert_false(any_chart_has("sets-unknown.xlsx", ">Hit %"));
	bookrun_fini(&run);
}

static void variants_on_several_targets_make_a_book(void **state)
{
	struct bookrun_axes axes = {
	    .label = "big",
	    .targets = {"/dev/sdb", "/srv/a/test.dat", "/srv/b/test.dat"},
	    .variants = {"cached", "baseline"},
	    .reads = {100, 0, -1},
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 64},
	};

	(void)state;
	set_patterns(&axes);
	write_axes("targets.xlsx", &axes);
	assert_true(part_has("targets.xlsx", "xl/workbook.xml",
			     "name=\"Compare targets\""));
	assert_true(part_has("targets.xlsx", "xl/sharedStrings.xml",
			     ">not cached: baseline<"));
	/* One file name in two folders: the path tells them apart. */
	assert_true(part_has("targets.xlsx", "xl/sharedStrings.xml",
			     "/srv/a/test.dat, cached<"));
	assert_true(part_has("targets.xlsx", "xl/sharedStrings.xml",
			     "/srv/b/test.dat, cached<"));
}

#define CHARACTERS_200                                                         \
	"200 characters 0123456789012345678901234567890123456789012345678901"  \
	"234567890123456789012345678901234567890123456789012345678901234567"   \
	"89012345678901234567890123456789012345678901234567890123456789abcd"

static void names_of_every_kind_are_safe(void **state)
{
	struct bookrun_axes axes = {
	    .label = "=cmd|'/c calc'!A1 & <b>\x01\xff\xfe",
	    .sections = {"=HYPERLINK(\"x\")", "History", "history",
			 "a/b[c]:*?\\", "A1", "&amp; \"quoted\" 'single'",
			 "\xff\xfe invalid", "Größe 日本語 \xf0\x9f\x98\x80",
			 "GRÖßE 日本語 \xf0\x9f\x98\x80",
			 "_x0041_ in\tthe\nmiddle", CHARACTERS_200 "e",
			 CHARACTERS_200 "E"},
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8},
	};
	struct run run;

	(void)state;
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 1, "=reason \xff");
	bookrun_fact(&run, "=section", "=name", "=value \x02\xff");
	bookrun_fact(&run, "run", "command_line", "iosweep run '=x'");
	write_run("names.xlsx", &run);
	bookrun_fini(&run);
	assert_false(part_has("names.xlsx", "xl/worksheets/sheet1.xml", "<f>"));
}

/* Where several names meet in one title. */
static void long_names_stay_readable(void **state)
{
	struct bookrun_axes axes = {
	    .label = CHARACTERS_200,
	    .sections = {CHARACTERS_200},
	    .variants = {"=1+1 " CHARACTERS_200 "cached",
			 "&P \x1b[31m" CHARACTERS_200},
	    .targets = {"/data/=x,y:z 'a' \xe4.dat/" CHARACTERS_200,
			"-b8K \xe2\x80\x93 \"b\""},
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8},
	};

	(void)state;
	write_axes("long-names.xlsx", &axes);
	assert_true(part_has("long-names.xlsx", "xl/workbook.xml",
			     "name=\"200 characters 012\xe2\x80\xa6"
			     "23456789abcd\""));
	assert_true(part_has("long-names.xlsx", "xl/charts/chart1.xml",
			     "\xe2\x80\xa6"));
	assert_false(part_has("long-names.xlsx", "xl/charts/chart1.xml",
			      CHARACTERS_200));
	/* Results has them in full. */
	assert_true(part_has("long-names.xlsx", "xl/sharedStrings.xml",
			     CHARACTERS_200 "cached<"));
}

static void several_runs_become_one_book(void **state)
{
	struct bookrun_axes axes = {.label = "before"};
	struct bookrun_axes other = {.label = "before"};
	struct run a, b;
	const struct run *const runs[] = {&a, &b};

	(void)state;
	bookrun_axes_default(&axes);
	bookrun_axes_default(&other);
	bookrun_init(&axes, &a);
	bookrun_init(&other, &b);
	bookrun_fact(&a, "machine", "kernel", "6.1");
	bookrun_fact(&b, "machine", "kernel", "6.18");
	bookrun_fact(&b, "machine", "host", "db");
	write_runs("runs.xlsx", runs, 2, NULL);
	/* Two of one label are told apart. */
	assert_true(
	    part_has("runs.xlsx", "xl/sharedStrings.xml", ">before (2)<"));
	bookrun_fini(&a);
	bookrun_fini(&b);
}

static void a_run_without_latency_makes_a_book(void **state)
{
	struct bookrun_axes axes = {.label = "imported", .no_latency = true};

	(void)state;
	bookrun_axes_default(&axes);
	write_axes("nolatency.xlsx", &axes);
}

static void a_run_where_all_failed_makes_a_book(void **state)
{
	struct bookrun_axes axes = {
	    .label = "lost",
	    .outstandings = {1, 2, 4},
	    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
	    .cache_count = 2,
	};
	struct run run;
	uint32_t i;

	(void)state;
	bookrun_init(&axes, &run);
	for (i = 0; i < run.point_count; i++)
		bookrun_fail(&run, i, "no such device");
	write_run("failed.xlsx", &run);
	bookrun_fini(&run);
	/* No room kept for charts that are not there; why is one click away. */
	assert_false(
	    part_has("failed.xlsx", "xl/worksheets/sheet1.xml", "<drawing"));
	assert_true(part_has("failed.xlsx", "xl/sharedStrings.xml",
			     ">Before trusting it: 1 remark, "));
	assert_true(part_has("failed.xlsx", "xl/worksheets/sheet1.xml",
			     "location=\"'Summary'!A"));
}

static void a_run_without_points_makes_a_book(void **state)
{
	struct bookrun_axes axes = {.label = "empty"};
	struct run run;

	(void)state;
	bookrun_init(&axes, &run);
	run.point_count = run.visit_count = 0;
	write_run("empty.xlsx", &run);
	bookrun_fini(&run);
}

/* Which part the n-th sheet of that name is: "xl/worksheets/sheet6.xml". */
static char *sheet_part(const char *name, const char *sheet)
{
	static char part[64];
	char *xml = read_part(path_of(name), "xl/workbook.xml");
	char text[64];
	const char *c, *at;
	int n = 0;

	snprintf(text, sizeof(text), "<sheet name=\"%s\"", sheet);
	at = strstr(xml, text);
	assert_non_null(at);
	for (c = xml; c && c <= at; c = strstr(c + 1, "<sheet name="))
		n++;
	snprintf(part, sizeof(part), "xl/worksheets/sheet%d.xml", n - 1);
	free(xml);
	return part;
}

/* The number in a cell; NAN where there is none. */
static double cell(const char *sheet, const char *address)
{
	char text[32];
	const char *c, *v;

	snprintf(text, sizeof(text), "<c r=\"%s\"", address);
	c = strstr(sheet, text);
	v = c ? strstr(c, "<v>") : NULL;
	return v && v < strstr(c, "</c>") ? strtod(v + 3, NULL) : NAN;
}

static void what_is_known_of_latency_has_sheets(void **state)
{
	struct bookrun_axes axes = {.label = "latency", .samples = 30};
	char *sheet;

	(void)state;
	bookrun_axes_default(&axes);
	write_axes("latency.xlsx", &axes);
	assert_false(
	    part_has("one.xlsx", "xl/workbook.xml", "name=\"Latency\""));
	assert_false(
	    part_has("one.xlsx", "xl/workbook.xml", "name=\"Time series\""));
	sheet = read_part(path_of("latency.xlsx"),
			  sheet_part("latency.xlsx", "Latency"));
	/* 16K at 32: mean 243 us, p99 3 times that, longest 20 times. */
	assert_true(fabs(cell(sheet, "H6") - 0.243) < 0.001);
	assert_true(fabs(cell(sheet, "L6") - 0.730) < 0.001);
	assert_true(fabs(cell(sheet, "O6") - 4.865) < 0.01);
	free(sheet);
	sheet = read_part(path_of("latency.xlsx"),
			  sheet_part("latency.xlsx", "Histogram"));
	assert_non_null(strstr(sheet, "<c r=\"A26\""));
	free(sheet);
}

/* 12,000 intervals of a point: what is drawn has the one of 50 times the
 * mean, which a mean of neighbours would hide. */
static void few_of_many_intervals_keep_the_peaks(void **state)
{
	struct bookrun_axes axes = {
	    .label = "hours", .samples = 6000, .rounds = 2};
	double longest = 0;
	uint32_t rows = 0;
	char *sheet;
	const char *c;

	(void)state;
	write_axes("hours.xlsx", &axes);
	assert_true(part_has("hours.xlsx", "xl/sharedStrings.xml",
			     " of 12000 intervals are drawn"));
	sheet = read_part(path_of("hours.xlsx"),
			  sheet_part("hours.xlsx", "Chart data"));
	for (c = sheet; (c = strstr(c, "<c r=\"E")); c++) {
		double value = strtod(strstr(c, "<v>") + 3, NULL);

		if (strncmp(strchr(c, '>') - 3, "\"s\"", 3) == 0)
			continue; /* a header */

		longest = value > longest ? value : longest;
		rows++;
	}
	free(sheet);
	assert_true(rows > 500 && rows <= 2001);
	/* 93.3 us at 8K x 1. */
	assert_true(longest > 4.5 && longest < 5.0);
}

static int count(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* 300 block sizes would be 300 series: more than Excel draws. */
static void charts_draw_some_of_many_block_sizes(void **state)
{
	struct bookrun_axes axes = {.label = "long", .outstandings = {1, 2}};
	uint32_t i;
	char *chart;

	(void)state;
	for (i = 0; i < 300; i++)
		axes.block_sizes[i] = 4 * KIB * (i + 1);
	write_axes("long.xlsx", &axes);
	chart = read_part(path_of("long.xlsx"), "xl/charts/chart5.xml");
	assert_int_equal(count(chart, "<c:ser>"), 16);
	assert_non_null(strstr(chart, "<c:v>4K</c:v>"));
	assert_non_null(strstr(chart, "<c:v>1200K</c:v>"));
	free(chart);
}

/* Wider than a slot: the tables stand one below the other. */
static void many_outstandings_make_a_book(void **state)
{
	struct bookrun_axes axes = {.label = "wide",
				    .block_sizes = {8 * KIB, 64 * KIB}};
	uint32_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		axes.outstandings[i] = i + 1;
	write_axes("wide.xlsx", &axes);
}

static void threads_as_an_axis_make_a_book(void **state)
{
	struct bookrun_axes axes = {
	    .label = "threads",
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {4, 8, 16},
	    .threads = {1, 2, 4},
	};

	(void)state;
	write_axes("threads.xlsx", &axes);
	assert_true(
	    part_has("threads.xlsx", "xl/sharedStrings.xml", ">4 threads<"));
}

static void thirty_workloads_make_a_book(void **state)
{
	static char names[30][32];
	struct bookrun_axes axes = {
	    .label = "thirty",
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8},
	};
	int i;

	(void)state;
	for (i = 0; i < 30; i++) {
		snprintf(names[i], sizeof(names[i]), "Access spec %d", i + 1);
		axes.sections[i] = names[i];
	}
	write_axes("thirty.xlsx", &axes);
	assert_true(part_has("thirty.xlsx", "xl/workbook.xml",
			     "name=\"Access spec 30\""));
}

/* A chart with an axis of latency over which a limit can be drawn. */
static bool wants_limit(const char *xml)
{
	return strstr(xml, "<a:t>Average latency -") ||
	       strstr(xml, "<a:t>Average latency at") ||
	       strstr(xml, "<a:t>Latency over") ||
	       strstr(xml, "<a:t>Share of I/Os that took longer");
}

/* Counts the charts with the red line of a limit, which have to be those. */
static uint32_t count_limits(const char *name)
{
	zip_t *book = zip_open(path_of(name), ZIP_RDONLY, NULL);
	uint32_t i, count = 0;

	assert_non_null(book);
	for (i = 1; i < 100; i++) {
		char part[64];
		char *xml;

		snprintf(part, sizeof(part), "xl/charts/chart%u.xml", i);
		if (zip_name_locate(book, part, 0) < 0)
			break;
		xml = read_part(path_of(name), part);
		assert_int_equal(strstr(xml, "C00000") != NULL,
				 wants_limit(xml));
		count += wants_limit(xml);
		free(xml);
	}
	zip_discard(book);
	return count;
}

static void a_latency_limit_is_said(void **state)
{
	const struct latency_limit limit = {PCT_99, 2000};
	const struct book_opts opts = {.limit = &limit, .title = "=Our title"};
	struct bookrun_axes axes = {.label = "limit", .samples = 10};
	struct run run;
	const struct run *runs = &run;

	(void)state;
	bookrun_axes_default(&axes);
	bookrun_init(&axes, &run);
	write_runs("limit.xlsx", &runs, 1, &opts);
	bookrun_fini(&run);
	assert_true(part_has("limit.xlsx", "xl/sharedStrings.xml",
			     "with p99 latency up to 2 ms"));
	assert_true(part_has("limit.xlsx", "xl/sharedStrings.xml",
			     ">p99 latency up to 2 ms<"));
	assert_true(count_limits("limit.xlsx") >= 4);
	assert_true(
	    part_has("limit.xlsx", "xl/sharedStrings.xml", ">=Our title<"));
	assert_true(part_has("limit.xlsx", "docProps/core.xml",
			     "<dc:title>=Our title<"));
}

static void equal_input_gives_equal_bytes(void **state)
{
	struct bookrun_axes axes = {.label = "same"};
	char *a, *b;
	size_t m, n;

	(void)state;
	bookrun_axes_default(&axes);
	write_axes("same.xlsx", &axes);
	a = read_file(path_of("same.xlsx"), &m);
	sleep(1); /* the time of writing must not be in it */
	write_axes("same.xlsx", &axes);
	b = read_file(path_of("same.xlsx"), &n);
	assert_int_equal(m, n);
	assert_memory_equal(a, b, m);
	assert_true(
	    part_has("same.xlsx", "docProps/core.xml", "2026-01-01T00:00:00Z"));
	free(a);
	free(b);
}

/* A locale of that name, made here: the system may have none. */
static bool take_locale(const char *name, const char *source)
{
	char command[1024];
	bool found;

	snprintf(command, sizeof(command),
		 "localedef -i %s -f UTF-8 %s/%s >/dev/null 2>&1", source,
		 folder, name);
	if (system(command) == -1)
		return false;
	setenv("LOCPATH", folder, 1);
	found = setlocale(LC_ALL, name) != NULL;
	unsetenv("LOCPATH"); /* newlocale would leak its parts */
	return found;
}

static void decimal_commas_of_the_locale_stay_out(void **state)
{
	static const char *const locales[][2] = {{"de_DE.UTF-8", "de_DE"},
						 {"tr_TR.UTF-8", "tr_TR"}};
	struct bookrun_axes axes = {.label = "locale"};
	char *c_bytes, *bytes;
	size_t m, n, i;
	char text[16];

	(void)state;
	bookrun_axes_default(&axes);
	write_axes("locale.xlsx", &axes);
	c_bytes = read_file(path_of("locale.xlsx"), &m);
	for (i = 0; i < 2; i++) {
		if (!take_locale(locales[i][0], locales[i][1])) {
			print_message("skip: no locale %s here\n",
				      locales[i][0]);
			free(c_bytes);
			skip();
		}
		snprintf(text, sizeof(text), "%.1f", 0.5);
		assert_string_equal(text, "0,5");
		write_axes("locale.xlsx", &axes);
		/* The caller's locale is back. */
		snprintf(text, sizeof(text), "%.1f", 0.5);
		assert_string_equal(text, "0,5");
		setlocale(LC_ALL, "C");
		bytes = read_file(path_of("locale.xlsx"), &n);
		assert_int_equal(m, n);
		assert_memory_equal(c_bytes, bytes, m);
		free(bytes);
	}
	free(c_bytes);
}

static void put_old_book(const char *path)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fputs("an older book", f);
	assert_int_equal(fclose(f), 0);
}

/* In a child, since the limit cannot be taken back by everybody: files of at
 * most so many bytes. Exit status: -rc. */
static int write_with_limit(const struct run *run, const char *path,
			    rlim_t bytes)
{
	int status;
	pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		const struct rlimit limit = {bytes, bytes};
		struct err err = {ERR_NONE, ""};

		signal(SIGXFSZ, SIG_IGN);
		if (freopen("/dev/null", "w", stderr) == NULL ||
		    setrlimit(RLIMIT_FSIZE, &limit))
			_exit(100);
		_exit(-book_write(path, &run, 1, NULL, &err) & 127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The parts are larger before they are packed: their temporary files are cut
 * before the book is, which the library does not notice. */
static void a_full_disk_leaves_the_older_book(void **state)
{
	static const rlim_t limits[] = {0, 1000, 20000, 60000};
	struct bookrun_axes axes = {.label = "full"};
	char path[512];
	struct run run;
	char *bytes;
	size_t size, i;

	(void)state;
	bookrun_axes_default(&axes);
	set_patterns(&axes);
	bookrun_init(&axes, &run);
	snprintf(path, sizeof(path), "%s/old.book", folder);
	put_old_book(path);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		int status = write_with_limit(&run, path, limits[i]);

		assert_int_not_equal(status, 0);
		assert_int_not_equal(status, 100);
		bytes = read_file(path, &size);
		assert_string_equal(bytes, "an older book");
		free(bytes);
	}
	bookrun_fini(&run);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
	struct bookrun_axes axes = {.label = "nowhere"};
	struct err err = {ERR_NONE, ""};
	struct run run;
	const struct run *runs = &run;

	(void)state;
	bookrun_init(&axes, &run);
	assert_int_equal(
	    book_write("/nonexistent/x.xlsx", &runs, 1, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/x.xlsx"));
	bookrun_fini(&run);
}

static void no_temporary_files_are_left(void **state)
{
	char command[600];

	(void)state;
	snprintf(
	    command, sizeof(command),
	    "ls -A %s | grep -v -e '\\.xlsx$' -e '\\.book$' -e '^.._..\\.' "
	    "| grep .",
	    folder);
	assert_int_not_equal(system(command), 0);
}

/* The model: which sides there are, who is the base, and what pairs. */
static void init_model(struct book_model *m, struct bookrun_axes *axes,
		       struct run *run)
{
	static const struct run *runs;

	bookrun_init(axes, run);
	runs = run;
	assert_int_equal(book_model_init(m, &runs, 1, NULL), 0);
}

static void the_side_without_cache_is_the_base(void **state)
{
	static const struct {
		const char *variants[3];
		enum cache_mode caches[2];
		uint32_t cache_count;
		const char *titles[4];
		bool cache_effect;
	} cases[] = {
	    {{""},
	     {CACHE_BUFFERED, CACHE_DIRECT},
	     2,
	     {"not cached: direct", "cached: buffered"},
	     true},
	    {{"cached", "baseline"},
	     {CACHE_DIRECT},
	     1,
	     {"not cached: baseline", "cached"},
	     true},
	    {{"bcache", "plain"},
	     {CACHE_DIRECT},
	     1,
	     {"not cached: plain", "cached: bcache"},
	     true},
	    {{"raid5", "raid10"},
	     {CACHE_DIRECT},
	     1,
	     {"raid5", "raid10"},
	     false},
	    {{""},
	     {CACHE_DIRECT, CACHE_DIRECT_DSYNC},
	     2,
	     {"direct", "direct+dsync"},
	     false},
	    {{"cached", "baseline"},
	     {CACHE_BUFFERED, CACHE_DIRECT},
	     2,
	     {"baseline, direct (base)", "cached, buffered", "cached, direct",
	      "baseline, buffered"},
	     true},
	    {{"only"}, {CACHE_DIRECT}, 1, {""}, false},
	};
	size_t i;
	uint32_t j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bookrun_axes axes = {.label = "x"};
		struct book_model m;
		struct run run;

		memcpy(axes.variants, cases[i].variants,
		       sizeof(cases[i].variants));
		memcpy(axes.caches, cases[i].caches, sizeof(cases[i].caches));
		axes.cache_count = cases[i].cache_count;
		init_model(&m, &axes, &run);
		for (j = 0; j < 4 && cases[i].titles[j]; j++) {
			assert_true(j < m.side_count);
			assert_string_equal(m.sides[j].title,
					    cases[i].titles[j]);
		}
		assert_int_equal(j, m.side_count);
		assert_int_equal(m.cache_effect, cases[i].cache_effect);
		assert_int_equal(book_has_pairs(&m), m.side_count > 1);
		book_model_fini(&m);
		bookrun_fini(&run);
	}
}

static void sides_pair_by_workload_target_and_load(void **state)
{
	struct bookrun_axes axes = {
	    .label = "x",
	    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
	    .cache_count = 2,
	    .targets = {"/a", "/b"},
	    .outstandings = {1, 8},
	};
	const struct book_group *g, *partner;
	const struct result *r, *paired;
	struct book_model m;
	struct run run;
	uint32_t pairs;
	double median;

	(void)state;
	set_patterns(&axes);
	init_model(&m, &axes, &run);
	assert_int_equal(m.workload_count, 2);
	assert_int_equal(m.group_count, 8);
	assert_int_equal(m.target_count, 2);
	g = &m.groups[0];
	assert_int_equal(g->side, 0);
	partner = book_partner(&m, g, 1);
	assert_non_null(partner);
	assert_ptr_not_equal(partner, g);
	assert_int_equal(partner->workload, g->workload);
	assert_int_equal(partner->target, g->target);
	assert_int_equal(partner->point.cache, CACHE_BUFFERED);
	assert_ptr_equal(book_partner(&m, g, 0), g);
	r = grid_at(g->grid, 0, 1);
	paired = book_paired(&m, r, 1);
	assert_non_null(paired);
	assert_int_equal(point_outstanding(paired->point), 8);
	assert_null(book_paired(&m, NULL, 1));
	/* Buffered is three times as fast in this run. */
	median = book_median_speedup(&m, 1, &pairs);
	assert_int_equal(pairs, 8);
	assert_true(fabs(median - 3) < 1e-9);
	book_model_fini(&m);
	bookrun_fini(&run);
}

static void a_cache_may_be_a_device_of_its_own(void **state)
{
	struct bookrun_axes off = {.label = "baseline",
				   .targets = {"/dev/sdb"}};
	struct bookrun_axes on = {.label = "cached",
				  .targets = {"/dev/bcache0"}};
	struct bookrun_axes disk = {.label = "other disk",
				    .targets = {"/dev/sdc"}};
	struct book_model m;
	struct run a, b;
	const struct run *const runs[] = {&a, &b};

	(void)state;
	bookrun_init(&off, &a);
	bookrun_init(&on, &b);
	assert_int_equal(book_model_init(&m, runs, 2, NULL), 0);
	assert_true(book_has_pairs(&m));
	book_model_fini(&m);
	bookrun_fini(&b);
	bookrun_init(&disk, &b);
	assert_int_equal(book_model_init(&m, runs, 2, NULL), 0);
	assert_false(book_has_pairs(&m));
	book_model_fini(&m);
	bookrun_fini(&a);
	bookrun_fini(&b);
}

static void a_section_with_two_patterns_is_two_workloads(void **state)
{
	struct bookrun_axes axes = {.label = "x", .sections = {"OLTP"}};
	struct book_model m;
	struct run run;

	(void)state;
	set_patterns(&axes);
	init_model(&m, &axes, &run);
	assert_int_equal(m.workload_count, 2);
	assert_string_equal(m.workloads[0].name, "OLTP, sequential read");
	assert_string_equal(m.workloads[1].name, "OLTP, random read");
	book_model_fini(&m);
	bookrun_fini(&run);
}

/* All parts but the library's own theme, a tag a line. */
static void unfold(const char *path, FILE *out)
{
	zip_t *package = zip_open(path, ZIP_RDONLY, NULL);
	zip_int64_t i, count;

	assert_non_null(package);
	count = zip_get_num_entries(package, 0);
	fprintf(out, "libxlsxwriter %s\n", lxw_version());
	for (i = 0; i < count; i++) {
		const char *name = zip_get_name(package, (zip_uint64_t)i, 0);
		char *xml, *c;

		if (strstr(name, "theme"))
			continue;
		fprintf(out, "== %s\n", name);
		xml = read_part(path, name);
		for (c = xml; *c; c++) {
			if (*c == '<' && c > xml)
				fputc('\n', out);
			fputc(*c, out);
		}
		fputc('\n', out);
		free(xml);
	}
	zip_discard(package);
}

static void write_golden(const char *name)
{
	struct bookrun_axes axes = {
	    .label = "golden",
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 16},
	    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
	    .cache_count = 2,
	};
	struct run run;

	bookrun_init(&axes, &run);
	bookrun_fail(&run, 1, "Input/output error");
	bookrun_fact(&run, "run", "label", "golden");
	bookrun_fact(&run, "machine", "kernel", "Linux 6.1");
	write_run(name, &run);
	bookrun_fini(&run);
}

static void the_xml_is_what_it_was(void **state)
{
	char *old, *now = NULL;
	size_t size, now_size;
	FILE *f;

	(void)state;
	write_golden("golden.xlsx");
	f = open_memstream(&now, &now_size);
	assert_non_null(f);
	unfold(path_of("golden.xlsx"), f);
	assert_int_equal(fclose(f), 0);
	if (getenv("GOLDEN")) {
		f = fopen(GOLDEN, "w");
		assert_non_null(f);
		fputs(now, f);
		assert_int_equal(fclose(f), 0);
	}
	old = read_file(GOLDEN, &size);
	assert_non_null(old);
	if (strncmp(old, now, strcspn(now, "\n")) != 0) {
		print_message("skip: " GOLDEN " was made by another version "
			      "of libxlsxwriter\n");
		free(old);
		free(now);
		skip();
	}
	if (strcmp(old, now) != 0)
		print_message("differs from " GOLDEN "; if that is wanted: "
			      "make golden, and look at the diff\n");
	assert_true(strcmp(old, now) == 0);
	free(old);
	free(now);
}

static bool has_python(void)
{
#ifdef __SANITIZE_ADDRESS__
	/* The other programs would look at the same bytes once more. */
	print_message("skip: the books of the release build are checked\n");
	return false;
#endif
	if (access("/usr/bin/python3", X_OK) == 0)
		return true;
	print_message("skip: no /usr/bin/python3, so no book is checked\n");
	return false;
}

/* What the checker says of all that was spoilt, on the heap; they are gone
 * afterwards. */
static char *spoilt_books_checked(void)
{
	char command[1200];
	size_t size;
	char *said;
	int status;

	snprintf(command, sizeof(command),
		 "scripts/check-workbook --no-render %s/spoilt/*.xlsx "
		 ">%s/said.book",
		 folder, folder);
	status = system(command);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	said = read_file(path_of("said.book"), &size);
	assert_non_null(said);
	snprintf(command, sizeof(command), "rm -rf %s/spoilt", folder);
	assert_int_equal(system(command), 0);
	return said;
}

/* A checker that lets everything pass would be no proof. */
static void the_checker_finds_what_is_wrong(void **state)
{
	static const struct {
		const char *part, *from, *to;
	} faults[] = {
	    {"xl/charts/chart5.xml", "$B$", "$ZZ$"},
	    {"xl/charts/chart5.xml", "'Random read'", "'Radnom read'"},
	    {"xl/charts/chart5.xml", "IOPS - random read", ""},
	    {"xl/charts/chart5.xml", "Outstanding I/Os", ""},
	    {"xl/worksheets/sheet3.xml", "<v>10720", "<v>nan"},
	    {"xl/worksheets/sheet3.xml", "<v>10720", "<v>2"},
	    {"xl/workbook.xml", "name=\"Results\"", "name=\"History\""},
	    {"xl/workbook.xml", "name=\"Results\"", "name=\"random READ\""},
	    {"xl/_rels/workbook.xml.rels", "sheet3.xml", "sheet33.xml"},
	    {"[Content_Types].xml", "/xl/charts/chart1.xml",
	     "/xl/charts/chart0.xml"},
	    {"xl/drawings/drawing3.xml", "<xdr:col>10</xdr:col>",
	     "<xdr:col>5</xdr:col>"},
	    {"xl/tables/table1.xml", "name=\"Target\"", "name=\"Run\""},
	    {"xl/worksheets/sheet1.xml", "location=\"'Random",
	     "location=\"'Rondom"},
	};
	char command[1200], line[64];
	size_t i, count = sizeof(faults) / sizeof(faults[0]);
	char *said;
	FILE *pipe;

	(void)state;
	if (!has_python())
		skip();
	snprintf(command, sizeof(command),
		 "mkdir -p %s/spoilt && "
		 "/usr/bin/python3 tests/spoil-workbook %s/row.xlsx %s/spoilt",
		 folder, folder, folder);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	for (i = 0; i < count; i++)
		fprintf(pipe, "%s\t%s\t%s\n", faults[i].part, faults[i].from,
			faults[i].to);
	assert_int_equal(pclose(pipe), 0);
	said = spoilt_books_checked();
	for (i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "/%zu.xlsx: ", i);
		if (!strstr(said, line))
			print_message("not found: %s, %s -> %s\n",
				      faults[i].part, faults[i].from,
				      faults[i].to);
		assert_non_null(strstr(said, line));
	}
	free(said);
}

/* Exit status of the checker over the books that match. */
static int check_books(const char *option, const char *pattern)
{
	char command[1024];
	int status;

	snprintf(command, sizeof(command),
		 "cd %s && \"$OLDPWD\"/scripts/check-workbook %s %s", folder,
		 option, pattern);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void every_book_passes_the_checker(void **state)
{
	(void)state;
	if (!has_python())
		skip();
	assert_int_equal(check_books("--no-render", "*.xlsx"), 0);
}

/* Eleven runs of the most points that one may have. */
static void more_points_than_a_sheet_has_rows_are_refused(void **state)
{
	const struct run large = {.point_count = RUN_POINTS_MAX};
	const struct run *runs[11];
	struct err err = {ERR_NONE, ""};
	int i;

	(void)state;
	for (i = 0; i < 11; i++)
		runs[i] = &large;
	assert_int_equal(
	    book_write(path_of("never.xlsx"), runs, 11, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "1100000 points where a sheet has"));
	assert_non_null(strstr(err.text, "--raw"));
	assert_int_equal(access(path_of("never.xlsx"), F_OK), -1);
}

/* What the dropdowns show, by LibreOffice and from the CSV. */
static void dropdowns_lead_to_the_values_of_the_csv(void **state)
{
	struct bookrun_axes axes = {
	    .label = "dashboard",
	    .block_sizes = {8 * KIB, 64 * KIB, 128 * KIB},
	    .outstandings = {1, 8, 32},
	    .reads = {100, 0, -1},
	    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
	    .cache_count = 2,
	};
	struct err err = {ERR_NONE, ""};
	char command[1200], csv[512];
	struct run run;
	const struct run *runs = &run;
	int status;

	(void)state;
	set_patterns(&axes);
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 4, "gone");
	bookrun_forget(&run, 20);
	write_run("dashboard.xlsx", &run);
	snprintf(csv, sizeof(csv), "%s/dashboard.book", folder);
	assert_int_equal(store_write_points(csv, &runs, 1, &err), 0);
	bookrun_fini(&run);
	if (!has_python())
		skip();
	snprintf(command, sizeof(command),
		 "/usr/bin/python3 tests/flip-dropdowns %s %s",
		 path_of("dashboard.xlsx"), csv);
	status = system(command);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Rendering takes seconds a book: those that differ in what they draw. */
static void books_render_without_a_fault(void **state)
{
	(void)state;
	if (!has_python())
		skip();
	assert_int_equal(
	    check_books("", "one.xlsx default.xlsx long-names.xlsx limit.xlsx"),
	    0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_side_without_cache_is_the_base),
	    cmocka_unit_test(sides_pair_by_workload_target_and_load),
	    cmocka_unit_test(a_cache_may_be_a_device_of_its_own),
	    cmocka_unit_test(a_section_with_two_patterns_is_two_workloads),
	    cmocka_unit_test(one_point_makes_a_book),
	    cmocka_unit_test(one_row_and_one_column_of_points_make_books),
	    cmocka_unit_test(the_default_sweep_with_failures_makes_a_book),
	    cmocka_unit_test(what_was_not_measured_has_no_cell),
	    cmocka_unit_test(two_cache_modes_have_the_six_charts),
	    cmocka_unit_test(working_sets_have_their_curves),
	    cmocka_unit_test(variants_on_several_targets_make_a_book),
	    cmocka_unit_test(names_of_every_kind_are_safe),
	    cmocka_unit_test(long_names_stay_readable),
	    cmocka_unit_test(several_runs_become_one_book),
	    cmocka_unit_test(a_run_without_latency_makes_a_book),
	    cmocka_unit_test(a_run_where_all_failed_makes_a_book),
	    cmocka_unit_test(a_run_without_points_makes_a_book),
	    cmocka_unit_test(what_is_known_of_latency_has_sheets),
	    cmocka_unit_test(few_of_many_intervals_keep_the_peaks),
	    cmocka_unit_test(charts_draw_some_of_many_block_sizes),
	    cmocka_unit_test(many_outstandings_make_a_book),
	    cmocka_unit_test(threads_as_an_axis_make_a_book),
	    cmocka_unit_test(thirty_workloads_make_a_book),
	    cmocka_unit_test(a_latency_limit_is_said),
	    cmocka_unit_test(equal_input_gives_equal_bytes),
	    cmocka_unit_test(decimal_commas_of_the_locale_stay_out),
	    cmocka_unit_test(more_points_than_a_sheet_has_rows_are_refused),
	    cmocka_unit_test(a_full_disk_leaves_the_older_book),
	    cmocka_unit_test(a_folder_that_is_not_there_is_told),
	    cmocka_unit_test(dropdowns_lead_to_the_values_of_the_csv),
	    cmocka_unit_test(the_xml_is_what_it_was),
	    cmocka_unit_test(no_temporary_files_are_left),
	    cmocka_unit_test(the_checker_finds_what_is_wrong),
	    cmocka_unit_test(every_book_passes_the_checker),
	    cmocka_unit_test(books_render_without_a_fault),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
