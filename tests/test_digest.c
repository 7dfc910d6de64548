/* digest: the HTML page and the Markdown, and the charts drawn for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/text.h"
#include "engine/units.h"
#include "export/digest.h"
#include "export/svg.h"
#include "tests/bookrun.h"
#include "tests/program.h"

typedef int write_form(const char *path, const struct run *const *runs,
		       uint32_t count, const struct book_opts *opts,
		       struct err *err);

/* The text of the axes' run in that form; freed by the caller. */
static char *written(write_form *write, struct bookrun_axes *axes,
		     const char *name, char *folder)
{
	char *path = program_path(folder, name);
	struct err err = {ERR_NONE, ""};
	const struct run *runs;
	struct run run;

	bookrun_init(axes, &run);
	if (run.point_count > 1)
		bookrun_forget(&run, run.point_count - 1);
	runs = &run;
	if (write(path, &runs, 1, NULL, &err))
		fail_msg("%s", err.text);
	bookrun_fini(&run);
	free(path);
	return program_read(folder, name);
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		count++;
	}
	return count;
}

static struct bookrun_axes two_caches(void)
{
	struct bookrun_axes axes = {.label = "<b>\"A\" & B</b> | x",
				    .block_sizes = {8 * KIB, 64 * KIB},
				    .outstandings = {1, 8, 64},
				    .caches = {CACHE_DIRECT, CACHE_BUFFERED},
				    .cache_count = 2};

	return axes;
}

static void the_page_needs_nothing_from_outside(void **state)
{
	struct bookrun_axes axes = two_caches();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);

	(void)state;
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "http://"));
	assert_null(strstr(page, "https://"));
	assert_null(strstr(page, "src="));
	program_assert_contains(page, "default-src 'none'");
	free(page);
	program_folder_remove(folder);
}

static void the_page_has_each_grid_with_its_charts(void **state)
{
	struct bookrun_axes axes = two_caches();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);

	(void)state;
	/* Two groups of four heat maps and three charts, one comparison. */
	assert_int_equal(count_of(page, "<table class=\"heat\">"), 9);
	assert_int_equal(count_of(page, "<svg "), 6);
	assert_int_equal(count_of(page, "as a multiple of"), 1);
	/* 11 of 12 points were measured: five in one group's first heat map. */
	assert_int_equal(count_of(page, "<circle"), 3 * 11);
	assert_int_equal(count_of(page, "<td></td>"), 4 + 1);
	assert_null(strstr(page, "nan"));
	free(page);
	program_folder_remove(folder);
}

static void names_cannot_become_markup(void **state)
{
	struct bookrun_axes axes = two_caches();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);
	char *text = written(digest_write_md, &axes, "x.md", folder);

	(void)state;
	assert_null(strstr(page, "<b>"));
	program_assert_contains(page,
				"&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt; | x");
	assert_null(strstr(text, "<b>"));
	program_assert_contains(text, "\\<b\\>\"A\" \\& B\\</b\\> \\| x");
	free(page);
	free(text);
	program_folder_remove(folder);
}

/* Names that a book has to take, too. */
static struct bookrun_axes hostile_names(void)
{
	struct bookrun_axes axes = {
	    .label = "=cmd|'/c calc'!A1 & ]]> \x01\x1b[31m\xff\xfe",
	    .sections = {"=1+1", "History", "history", "&amp; \"q\" 'a'",
			 "\xff\xfe invalid",
			 "Gr\xc3\xb6\xc3\x9f"
			 "e",
			 "# head | pipe ` tick", "in\tthe\nmiddle",
			 "\xef\xbf\xbf \xed\xa0\x80"},
	    .block_sizes = {8 * KIB, 64 * KIB},
	    .outstandings = {1, 8},
	};

	return axes;
}

/* Every byte is part of a character, and none steers. */
static void assert_clean(const char *text)
{
	for (; *text; text++) {
		size_t len = text_sequence(text);

		if (*text == '\n')
			continue;
		if (!len)
			fail_msg("not clean: %.40s", text);
		text += len - 1;
	}
}

static void names_of_every_kind_are_text(void **state)
{
	struct bookrun_axes axes = hostile_names();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);
	char *text = written(digest_write_md, &axes, "x.md", folder);

	(void)state;
	assert_clean(page);
	assert_clean(text);
	program_assert_contains(page, ">History</a>");
	program_assert_contains(page, ">history</a>");
	program_assert_contains(text, "### \\# head \\| pipe \\` tick");
	program_assert_contains(text, "### in the middle");
	free(page);
	free(text);
	program_folder_remove(folder);
}

static void the_page_is_well_formed(void **state)
{
	struct bookrun_axes axes = hostile_names();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);
	struct program_result r;

	(void)state;
	free(page);
	r = program_run(folder, "command -v python3");
	if (r.status) {
		print_message("skip: no python3 to read the page as XML\n");
		program_free(&r);
		program_folder_remove(folder);
		skip();
	}
	program_free(&r);
	r = program_run(folder, "python3 -c 'import xml.dom.minidom as d; "
				"d.parse(\"x.html\")'");
	program_assert_status(&r, 0);
	program_free(&r);
	program_folder_remove(folder);
}

#define BROWSE                                                                 \
	"chromium --headless --no-sandbox --disable-gpu --disable-quic "       \
	"--no-first-run --disable-background-networking "                      \
	"--disable-component-update --disable-sync --user-data-dir=profile "

static void a_browser_shows_the_page(void **state)
{
	struct bookrun_axes axes = two_caches();
	char *folder = program_folder();
	char *page = written(digest_write_html, &axes, "x.html", folder);
	struct program_result r;

	(void)state;
	free(page);
	r = program_run(folder, "command -v chromium");
	if (r.status) {
		print_message("skip: no chromium to show the page\n");
		program_free(&r);
		program_folder_remove(folder);
		skip();
	}
	program_free(&r);
	r = program_run(folder,
			BROWSE "--dump-dom \"file://$PWD/x.html\" 2>errors");
	program_assert_status(&r, 0);
	assert_int_equal(count_of(r.out, "<svg "), 6);
	assert_int_equal(count_of(r.out, "<circle"), 3 * 11);
	program_free(&r);
	program_folder_remove(folder);
}

static void markdown_has_a_row_a_block_size(void **state)
{
	struct bookrun_axes axes = two_caches();
	char *folder = program_folder();
	char *text = written(digest_write_md, &axes, "x.md", folder);

	(void)state;
	assert_int_equal(count_of(text, "\n| 8K |"), 2);
	assert_int_equal(count_of(text, "\n| | 1 | 8 | 64 |\n"), 2);
	/* The forgotten point is an empty cell. */
	assert_int_equal(count_of(text, "|  |\n"), 1 + 2);
	free(text);
	program_folder_remove(folder);
}

static void steps_are_one_two_or_five_times_a_power_of_ten(void **state)
{
	static const struct {
		double largest, step;
	} cases[] = {{5, 1},	    {4.1, 1}, {7, 2},		{11, 5},
		     {0.031, 0.01}, {26, 10}, {980000, 200000}, {1e-6, 2e-7}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double step = svg_nice_step(cases[i].largest, 5);

		if (fabs(step / cases[i].step - 1) > 1e-9)
			fail_msg("%g: %g instead of %g", cases[i].largest, step,
				 cases[i].step);
	}
}

static void an_unknown_value_is_a_gap(void **state)
{
	const double values[] = {1, NAN, 3, 4};
	const char *const categories[] = {"1", "2", "4", "8"};
	const struct svg_series series = {"8K", values, NULL, NULL};
	const struct svg_chart chart = {
	    .title = "IOPS",
	    .x_title = "x",
	    .y_title = "y",
	    .categories = categories,
	    .category_count = 4,
	    .series = &series,
	    .series_count = 1,
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	svg_put_chart(f, &chart);
	fclose(f);
	/* Two pieces: one dot, and a line between two. */
	assert_int_equal(count_of(strstr(text, " d=\"M"), "M"), 2 + 1);
	assert_int_equal(count_of(text, "<circle"), 3);
	assert_null(strstr(text, "nan"));
	free(text);
}

static void a_folder_that_cannot_be_written_is_told(void **state)
{
	struct bookrun_axes axes = {.label = "x"};
	struct err err = {ERR_NONE, ""};
	const struct run *runs;
	struct run run;

	(void)state;
	bookrun_init(&axes, &run);
	runs = &run;
	assert_int_not_equal(
	    digest_write_html("/proc/version/x.html", &runs, 1, NULL, &err), 0);
	program_assert_contains(err.text, "/proc/version");
	bookrun_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_page_needs_nothing_from_outside),
	    cmocka_unit_test(the_page_has_each_grid_with_its_charts),
	    cmocka_unit_test(names_cannot_become_markup),
	    cmocka_unit_test(names_of_every_kind_are_text),
	    cmocka_unit_test(the_page_is_well_formed),
	    cmocka_unit_test(a_browser_shows_the_page),
	    cmocka_unit_test(markdown_has_a_row_a_block_size),
	    cmocka_unit_test(steps_are_one_two_or_five_times_a_power_of_ten),
	    cmocka_unit_test(an_unknown_value_is_a_gap),
	    cmocka_unit_test(a_folder_that_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
