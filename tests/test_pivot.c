/* slow: LibreOffice and Microsoft's validator look at the books. */
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/book.h"
#include "export/pivot.h"
#include "export/store.h"
#include "export/xlsx.h"
#include "export/xlsx_package.h"
#include "tests/bookrun.h"
#include "tests/program.h"

/* Every book that a test writes stays here; the last tests have all checked. */
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

/* A book with pivots, and the CSV of the same points beside it. */
static void write_runs(const char *name, const struct run *const *runs,
		       uint32_t count, const struct theme *theme)
{
	struct err err = {0}, warning = {0};
	const struct book_opts opts = {
	    .pivot = true, .warning = &warning, .theme = theme};
	char csv[600];

	if (book_write(path_of(name), runs, count, &opts, &err))
		fail_msg("%s: %s", name, err.text);
	assert_string_equal(warning.text, "");
	snprintf(csv, sizeof(csv), "%s.csv", path_of(name));
	assert_int_equal(store_write_points(csv, runs, count, &err), 0);
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
static char *read_part(const char *name, const char *part)
{
	struct xlsx_package *p;
	struct err err = {0};
	char *text;

	assert_int_equal(xlsx_package_open(path_of(name), &p, &err), 0);
	text = xlsx_package_text(p, part, &err);
	if (!text)
		fail_msg("%s: %s", name, err.text);
	xlsx_package_close(p);
	return text;
}

static bool part_has(const char *name, const char *part, const char *text)
{
	char *xml = read_part(name, part);
	bool found = strstr(xml, text) != NULL;

	free(xml);
	return found;
}

/* The one part of a kind, numbered from 1, with a text in it. */
static void find_part(const char *name, const char *front, const char *back,
		      const char *text, char out[128])
{
	int i;

	for (i = 1; i < 400; i++) {
		struct xlsx_package *p;
		char *xml;
		bool found;

		snprintf(out, 128, "%s%d%s", front, i, back);
		assert_int_equal(xlsx_package_open(path_of(name), &p, NULL), 0);
		xml = xlsx_package_text(p, out, NULL);
		found = xml && strstr(xml, text);
		free(xml);
		xlsx_package_close(p);
		if (found)
			return;
	}
	fail_msg("%s: no part with %s", name, text);
}

#define TABLE "xl/pivotTables/pivotTable1.xml"
#define CACHE "xl/pivotCache/pivotCacheDefinition1.xml"
#define RECORDS "xl/pivotCache/pivotCacheRecords1.xml"

static void set_patterns(struct bookrun_axes *axes)
{
	axes->randoms[0] = 0;
	axes->randoms[1] = 100;
	axes->randoms[2] = -1;
}

static void one_point_makes_a_pivot(void **state)
{
	struct bookrun_axes axes = {.label = "one point"};

	(void)state;
	write_axes("one.xlsx", &axes);
	assert_true(part_has("one.xlsx", CACHE, "recordCount=\"1\""));
	assert_true(part_has("one.xlsx", TABLE, "<rowItems count=\"1\">"));
	assert_false(part_has("one.xlsx", TABLE, "<pageFields"));
}

static void a_row_of_points_makes_a_pivot(void **state)
{
	struct bookrun_axes axes = {.label = "row"};

	(void)state;
	bookrun_axes_default(&axes);
	memset(axes.block_sizes, 0, sizeof(axes.block_sizes));
	write_axes("row.xlsx", &axes);
	assert_true(part_has("row.xlsx", TABLE, "<rowItems count=\"8\">"));
	assert_true(part_has("row.xlsx", TABLE, "<i r=\"3\"><x v=\"7\"/></i>"));
}

/* The default sweep with all that may befall its points: three are unknown,
 * and stand nowhere as 0. */
static void what_was_not_measured_is_not_in_it(void **state)
{
	struct bookrun_axes axes = {.label = "nightly"};
	struct run run;

	(void)state;
	bookrun_axes_default(&axes);
	set_patterns(&axes);
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 3, "Input/output error");
	bookrun_skip(&run, 12, "the block size is below the device's");
	bookrun_forget(&run, 127);
	write_run("default.xlsx", &run);
	bookrun_fini(&run);
	assert_true(part_has("default.xlsx", RECORDS, "count=\"125\""));
	assert_true(
	    part_has("default.xlsx", TABLE, "<rowItems count=\"125\">"));
	assert_false(part_has("default.xlsx", RECORDS, "<n v=\"0\"/>"));
	assert_false(part_has("default.xlsx", RECORDS, "<m/>"));
}

/* Variants, cache modes, targets and read shares; one variant misses points. */
static void states_of_the_storage_are_filters(void **state)
{
	struct bookrun_axes axes = {
	    .label = "mix",
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8, 64},
	    .reads = {100, 70, -1},
	    .variants = {"baseline", "cached"},
	    .targets = {"/dev/sdb", "/dev/sdc"},
	    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
	    .cache_count = 2,
	};
	struct run run;

	(void)state;
	set_patterns(&axes);
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 0, "gone");
	bookrun_fail(&run, run.point_count - 1, "gone");
	write_run("mix.xlsx", &run);
	bookrun_fini(&run);
	assert_true(part_has("mix.xlsx", TABLE, "<pageFields count=\"3\">"));
	assert_true(part_has("mix.xlsx", CACHE, "<s v=\"70% read\"/>"));
	assert_true(part_has("mix.xlsx", TABLE, "<rowItems count=\"23\">"));
}

static void named_workloads_are_categories(void **state)
{
	struct bookrun_axes axes = {
	    .label = "named",
	    .block_sizes = {4 * KIB, 32 * KIB},
	    .outstandings = {1, 16},
	    .sections = {"Max throughput", "Real life"},
	};

	(void)state;
	write_axes("named.xlsx", &axes);
	assert_true(part_has("named.xlsx", CACHE, "<s v=\"Real life\"/>"));
	assert_true(
	    part_has("named.xlsx", TABLE, "<field x=\"6\"/><field x=\"10\"/>"));
}

/* 200 characters, all that XML and Excel take amiss, two that differ by case
 * only, and one that looks like an escape of Excel's. */
static void names_of_every_kind_are_safe(void **state)
{
	static char longest[201];
	struct bookrun_axes axes = {
	    .label = "=cmd|' /C calc'!A0",
	    .outstandings = {1, 8},
	    .variants = {"=1+1", "a & b <c> \"d\" 'e'", "Zürich 日本 😀",
			 "Cached", "cached", "bad \xff\xfe byte", "_x0041_",
			 "tab\tand\nline", longest},
	    .targets = {"/dev/x & <y>", "/dev/\"q\""},
	};

	(void)state;
	memset(longest, 'w', 200);
	write_axes("names.xlsx", &axes);
	assert_true(
	    part_has("names.xlsx", CACHE,
		     "<s v=\"a &amp; b &lt;c&gt; &quot;d&quot; 'e'\"/>"));
	assert_true(part_has("names.xlsx", CACHE, "<s v=\"cached (2)\"/>"));
	assert_true(part_has("names.xlsx", CACHE, "<s v=\"_x005F_x0041_\"/>"));
}

static void several_runs_become_one_pivot(void **state)
{
	struct bookrun_axes axes = {.label = "before"};
	struct bookrun_axes other = {.label = "before"};
	struct run first, second;
	const struct run *runs[] = {&first, &second};

	(void)state;
	bookrun_axes_default(&axes);
	bookrun_axes_default(&other);
	bookrun_init(&axes, &first);
	bookrun_init(&other, &second);
	write_runs("runs.xlsx", runs, 2, NULL);
	bookrun_fini(&first);
	bookrun_fini(&second);
	assert_true(part_has("runs.xlsx", RECORDS, "count=\"128\""));
	assert_true(part_has("runs.xlsx", TABLE, "<rowItems count=\"64\">"));
}

/* As imported: no latency, so no line in the chart. */
static void a_run_without_latency_has_columns_only(void **state)
{
	struct bookrun_axes axes = {.label = "imported", .no_latency = true};

	(void)state;
	bookrun_axes_default(&axes);
	write_axes("no-latency.xlsx", &axes);
	assert_true(
	    part_has("no-latency.xlsx", TABLE, "<dataFields count=\"1\">"));
	assert_true(part_has("no-latency.xlsx", RECORDS, "<m/>"));
}

/* More categories than a chart can show: the outermost become filters. */
static void a_large_sweep_keeps_a_chart_that_can_be_read(void **state)
{
	struct bookrun_axes axes = {
	    .label = "large",
	    .reads = {100, 70, 30, 0, -1},
	    .variants = {"a", "b"},
	};

	(void)state;
	bookrun_axes_default(&axes);
	set_patterns(&axes);
	write_axes("large.xlsx", &axes);
	assert_true(part_has("large.xlsx", RECORDS, "count=\"1024\""));
	assert_true(part_has("large.xlsx", TABLE, "<rowItems count=\"128\">"));
}

static void a_run_where_all_failed_has_no_pivot(void **state)
{
	struct err err = {0}, warning = {0};
	const struct book_opts opts = {.pivot = true, .warning = &warning};
	struct bookrun_axes axes = {.label = "failed"};
	struct run run;
	const struct run *runs = &run;

	(void)state;
	bookrun_init(&axes, &run);
	bookrun_fail(&run, 0, "gone");
	assert_int_equal(
	    book_write(path_of("failed.xlsx"), &runs, 1, &opts, &err), 0);
	bookrun_fini(&run);
	assert_string_equal(warning.text, "");
	assert_false(part_has("failed.xlsx", "xl/workbook.xml", "Pivot"));
}

static char *read_file(const char *name, size_t *size)
{
	FILE *f = fopen(path_of(name), "rb");
	struct stat st;
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*size = (size_t)st.st_size;
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

/* Exit status of a shell command. */
__attribute__((format(printf, 1, 2))) static int run_script(const char *fmt,
							    ...)
{
	char command[1300];
	va_list args;
	int status;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A locale with decimal commas, made here: the system may have none. */
static void take_german_locale(void)
{
	run_script("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
		   folder);
	setenv("LOCPATH", folder, 1);
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		print_message("no German locale here\n");
	unsetenv("LOCPATH");
}

/* Also under a locale with decimal commas, and at another time. */
static void equal_input_gives_equal_bytes(void **state)
{
	struct bookrun_axes axes = {.label = "same", .reads = {100, 70, -1}};
	static const char *const files[] = {"same-1.xlsx", "same-2.xlsx"};
	char *bytes[2];
	size_t size[2];
	struct run run;
	int i;

	(void)state;
	bookrun_axes_default(&axes);
	bookrun_init(&axes, &run);
	for (i = 0; i < 2; i++) {
		write_run(files[i], &run);
		bytes[i] = read_file(files[i], &size[i]);
		sleep(i ? 0 : 3); /* times in zips count by 2 seconds */
		take_german_locale();
	}
	setlocale(LC_ALL, "C");
	bookrun_fini(&run);
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(bytes[0], bytes[1], size[0]);
	free(bytes[0]);
	free(bytes[1]);
}

/* A theme whose words are in each other's way, and that has colours. */
static void words_of_a_theme_stay_apart(void **state)
{
	static const char *const words[][2] = {
	    {"Operation", "Art"},
	    {"Pattern", "art"},
	    {"Measured IOPS", "IOPS"},
	    {"IOPS and average latency", "IOPS & Latenz"},
	};
	struct theme theme = {
	    .series = {0x112233, 0x445566},
	    .series_count = 2,
	};
	struct bookrun_axes axes = {.label = "words", .outstandings = {1, 8}};
	char part[128];
	struct run run;
	size_t i;
	const struct run *runs = &run;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		theme.words.items[i].english = (char *)words[i][0];
		theme.words.items[i].word = (char *)words[i][1];
		theme.words.count++;
	}
	bookrun_init(&axes, &run);
	write_runs("words.xlsx", &runs, 1, &theme);
	bookrun_fini(&run);
	assert_true(part_has("words.xlsx", CACHE, "name=\"Art\""));
	assert_true(part_has("words.xlsx", CACHE, "name=\"Pattern\""));
	assert_true(part_has("words.xlsx", CACHE, "name=\"Measured IOPS\""));
	find_part("words.xlsx", "xl/charts/chart", ".xml", "!PivotIOPS<", part);
	assert_true(part_has("words.xlsx", part, ">IOPS &amp; Latenz<"));
	assert_true(part_has("words.xlsx", part, "val=\"445566\""));
}

static int write_pivots(const char *name, const struct run *run,
			struct err *warning)
{
	const struct book_opts opts = {.pivot = true, .warning = warning};
	struct err err = {0};
	int rc = book_write(path_of(name), &run, 1, &opts, &err);

	if (rc)
		print_message("%s\n", err.text);
	return rc;
}

/* In a process of its own: no file may grow over that many bytes. */
static int write_limited(const char *name, const struct run *run, rlim_t bytes,
			 struct err *warning)
{
	const struct rlimit limit = {bytes, bytes};
	int fds[2], status;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		status = write_pivots(name, run, warning);
		_exit(write(fds[1], warning, sizeof(*warning)) < 0 || status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(read(fds[0], warning, sizeof(*warning)),
			 sizeof(*warning));
	close(fds[0]);
	close(fds[1]);
	return WEXITSTATUS(status);
}

/* There is room for the plain book, and not for the one with pivots. */
static void where_pivots_have_no_room_the_plain_book_stays(void **state)
{
	struct bookrun_axes axes = {.label = "no room"};
	struct err warning = {0};
	struct run run;
	size_t size;

	(void)state;
	bookrun_init(&axes, &run);
	assert_int_equal(write_pivots("room.xlsx", &run, &warning), 0);
	assert_string_equal(warning.text, "");
	free(read_file("room.xlsx", &size));
	assert_int_equal(
	    write_limited("room.xlsx", &run, (rlim_t)size - 1, &warning), 0);
	bookrun_fini(&run);
	assert_non_null(strstr(warning.text, "room.xlsx: written without "
					     "PivotTables"));
	assert_true(part_has("room.xlsx", "xl/workbook.xml", "Pivot_IOPS"));
	assert_false(part_has("room.xlsx", "xl/workbook.xml", "pivotCaches"));
	assert_false(part_has("room.xlsx", "[Content_Types].xml", "pivot"));
}

/* A book of another make has not the places that pivots are put in. */
static void a_package_without_the_marks_is_refused(void **state)
{
	struct xlsx_package *p;
	struct err err = {0};

	(void)state;
	assert_int_equal(xlsx_package_open(path_of("one.xlsx"), &p, &err), 0);
	assert_true(xlsx_package_insert(p, "xl/workbook.xml", "</nothing>", "x",
					&err) < 0);
	assert_non_null(strstr(err.text, "has no </nothing>"));
	err_clear(&err);
	assert_true(xlsx_package_insert(p, "xl/workbook.xml", "<sheet ", "x",
					&err) < 0);
	assert_non_null(strstr(err.text, "has several <sheet "));
	err_clear(&err);
	assert_true(xlsx_package_insert(p, "xl/none.xml", "x", "x", &err) < 0);
	assert_null(xlsx_package_text(p, "xl/none.xml", NULL));
	xlsx_package_close(p);
	err_clear(&err);
	assert_true(xlsx_package_open(path_of("none.xlsx"), &p, &err) < 0);
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

/* What each choice of the filters shows, by LibreOffice and from the CSV. */
static void filters_lead_to_the_values_of_the_csv(void **state)
{
	int status;

	(void)state;
	if (!has_python())
		skip();
	status = run_script(
	    "cd %s && for book in mix default one no-latency named; do "
	    "set -- \"$@\" $book.xlsx $book.xlsx.csv; done && "
	    "/usr/bin/python3 %s/tests/check-pivot \"$@\"",
	    folder, program_root());
	if (status == 77)
		skip();
	assert_int_equal(status, 0);
}

struct fault {
	const char *part; /* C, R, S: chart, relations, cells of the sheet */
	const char *from, *to;
};

static void put_faults(FILE *pipe, const struct fault *faults, size_t count)
{
	char chart[128], relations[128], sheet[128];
	size_t i;
	int number;

	find_part("small.xlsx", "xl/charts/chart", ".xml", "!PivotIOPS<",
		  chart);
	find_part("small.xlsx", "xl/worksheets/_rels/sheet", ".xml.rels",
		  "pivotTable1.xml", relations);
	number = atoi(strstr(relations, "/sheet") + strlen("/sheet"));
	snprintf(sheet, sizeof(sheet), "xl/worksheets/sheet%d.xml", number);
	for (i = 0; i < count; i++) {
		const char *part = faults[i].part;

		fprintf(pipe, "%s\t%s\t%s\n",
			part[0] == 'C'	 ? chart
			: part[0] == 'R' ? relations
			: part[0] == 'S' ? sheet
					 : part,
			faults[i].from, faults[i].to);
	}
}

/* A checker that lets everything pass would be no proof. */
static void the_checker_finds_what_is_wrong(void **state)
{
	static const struct fault faults[] = {
	    {TABLE, " cacheId=\"1\"", " cacheId=\"7\""},
	    {TABLE, "firstDataCol=\"4\"", "firstDataCol=\"3\""},
	    {TABLE, "<rowFields count=\"4\">", "<rowFields count=\"5\">"},
	    {TABLE, "<i r=\"3\"><x v=\"1\"/></i>",
	     "<i r=\"3\"><x v=\"2\"/></i>"},
	    {TABLE, "fld=\"1\" item=\"0\"", "fld=\"1\" item=\"9\""},
	    {TABLE, "fld=\"1\" item=\"0\"", "fld=\"1\" item=\"1\""},
	    {TABLE, "name=\"IOPS\" fld=\"12\"", "name=\"IOPS\" fld=\"13\""},
	    {TABLE, "name=\"IOPS\"", "name=\"measured iops\""},
	    {TABLE, "<item x=\"1\"/>", "<item x=\"0\"/>"},
	    {TABLE, "axis=\"axisPage\"", "axis=\"axisCol\""},
	    {TABLE, "<field x=\"-2\"/>", "<field x=\"3\"/>"},
	    {CACHE, "recordCount=\"", "recordCount=\"1"},
	    {CACHE, "<s v=\"cached\"/>", "<s v=\"BASELINE\"/>"},
	    {CACHE, "name=\"Variant\"", "name=\"Varient\""},
	    {CACHE, "name=\"PivotData\"", "name=\"Results\""},
	    {CACHE, "maxValue=\"64\"", "maxValue=\"65\""},
	    {RECORDS, "<r><x v=\"0\"/><x v=\"1\"/>",
	     "<r><x v=\"0\"/><x v=\"0\"/>"},
	    {RECORDS, "<r><x v=\"0\"/>", "<r><x v=\"8\"/>"},
	    {"C", "!PivotIOPS<", "!PivotX<"},
	    {"C", "<c:pivotFmt><c:idx val=\"1\"/>",
	     "<c:pivotFmt><c:idx val=\"3\"/>"},
	    {"C", "$E$9:$E$20", "$E$9:$E$19"},
	    {"C", "$A$9:$D$20", "$B$9:$D$20"},
	    {"C", "<c:v>70% read</c:v>", "<c:v>30% read</c:v>"},
	    {"S", "<v>10720.4976</v>", "<v>0</v>"},
	    {"R", "pivotTable1.xml", "pivotTable9.xml"},
	    {"xl/workbook.xml", "r:id=\"rIdPivot\"", "r:id=\"rIdPivo\""},
	};
	size_t i, count = sizeof(faults) / sizeof(faults[0]), size;
	struct bookrun_axes axes = {
	    .label = "small",
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8, 64},
	    .reads = {100, 70, -1},
	    .variants = {"baseline", "cached"},
	};
	char line[64], command[1300];
	char *said;
	FILE *pipe;

	(void)state;
	if (!has_python())
		skip();
	write_axes("small.xlsx", &axes);
	snprintf(command, sizeof(command),
		 "mkdir -p %s/spoilt && /usr/bin/python3 tests/spoil-workbook "
		 "%s/small.xlsx %s/spoilt",
		 folder, folder, folder);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	put_faults(pipe, faults, count);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(run_script("scripts/check-workbook --no-render "
				    "%s/spoilt/*.xlsx >%s/said",
				    folder, folder),
			 1);
	said = read_file("said", &size);
	said[size] = '\0';
	for (i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "/%zu.xlsx: ", i);
		if (!strstr(said, line))
			fail_msg("not found: %s, %s -> %s", faults[i].part,
				 faults[i].from, faults[i].to);
	}
	free(said);
}

static void every_book_passes_the_checker(void **state)
{
	(void)state;
	if (!has_python())
		skip();
	assert_int_equal(
	    run_script("/usr/bin/python3 scripts/check-workbook --no-render "
		       "%s/*.xlsx",
		       folder),
	    0);
}

/* By Microsoft's validator and LibreOffice, which take seconds a book. */
static void books_render_without_a_fault(void **state)
{
	(void)state;
	if (!has_python())
		skip();
	assert_int_equal(
	    run_script("cd %s && /usr/bin/python3 %s/scripts/check-workbook "
		       "one.xlsx default.xlsx names.xlsx no-latency.xlsx "
		       "words.xlsx",
		       folder, program_root()),
	    0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_point_makes_a_pivot),
	    cmocka_unit_test(a_row_of_points_makes_a_pivot),
	    cmocka_unit_test(what_was_not_measured_is_not_in_it),
	    cmocka_unit_test(states_of_the_storage_are_filters),
	    cmocka_unit_test(named_workloads_are_categories),
	    cmocka_unit_test(names_of_every_kind_are_safe),
	    cmocka_unit_test(several_runs_become_one_pivot),
	    cmocka_unit_test(a_run_without_latency_has_columns_only),
	    cmocka_unit_test(a_large_sweep_keeps_a_chart_that_can_be_read),
	    cmocka_unit_test(a_run_where_all_failed_has_no_pivot),
	    cmocka_unit_test(equal_input_gives_equal_bytes),
	    cmocka_unit_test(words_of_a_theme_stay_apart),
	    cmocka_unit_test(where_pivots_have_no_room_the_plain_book_stays),
	    cmocka_unit_test(a_package_without_the_marks_is_refused),
	    cmocka_unit_test(filters_lead_to_the_values_of_the_csv),
	    cmocka_unit_test(the_checker_finds_what_is_wrong),
	    cmocka_unit_test(every_book_passes_the_checker),
	    cmocka_unit_test(books_render_without_a_fault),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
