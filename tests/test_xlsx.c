#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/xlsx.h"
#include "tests/program.h"

static void text_is_cleaned_for_xml(void **state)
{
	static const struct {
		const char *text;
		const char *clean;
	} cases[] = {
	    {"", ""},
	    {"plain & <safe>", "plain & <safe>"},
	    {"=1+1", "=1+1"}, /* never evaluated: written as a string */
	    {"Größe \xe2\x82\xac \xf0\x9f\x98\x80",
	     "Größe \xe2\x82\xac \xf0\x9f\x98\x80"},
	    {"a\tb\nc\x1b[31m", "a b c [31m"},
	    {"del\x7f", "del "},
	    {"lone \xe4 byte", "lone \xef\xbf\xbd byte"},
	    {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
	    {"overlong \xc0\xaf", "overlong \xef\xbf\xbd\xef\xbf\xbd"},
	    {"surrogate \xed\xa0\x80",
	     "surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	    {"no character \xef\xbf\xbe", "no character \xef\xbf\xbd"},
	    {"beyond \xf5\x80\x80\x80",
	     "beyond \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	    {"_x0041_", "_x005F_x0041_"},
	    {"_x0041_x0042_", "_x005F_x0041_x005F_x0042_"},
	    {"_x004", "_x004"},
	    {"_x00zz_", "_x00zz_"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *clean = xlsx_clean(cases[i].text, 100, true);

		assert_non_null(clean);
		assert_string_equal(clean, cases[i].clean);
		free(clean);
	}
}

static void escapes_of_cells_stay_in_titles(void **state)
{
	char *clean = xlsx_clean("_x0041_", 100, false);

	(void)state;
	assert_string_equal(clean, "_x0041_");
	free(clean);
}

static void long_text_ends_in_an_ellipsis(void **state)
{
	char *clean = xlsx_clean("abcdef", 4, false);

	(void)state;
	assert_string_equal(clean, "abc\xe2\x80\xa6");
	free(clean);
	clean = xlsx_clean("abcd", 4, false);
	assert_string_equal(clean, "abcd");
	free(clean);
	/* An emoji is two units and is not cut in two. */
	clean = xlsx_clean("ab\xf0\x9f\x98\x80"
			   "cd",
			   4, false);
	assert_string_equal(clean, "ab\xe2\x80\xa6");
	free(clean);
}

static void names_of_sheets_are_made_fit(void **state)
{
	static const struct {
		const char *wanted;
		const char *name;
	} cases[] = {
	    {"Random read", "Random read"},
	    {"", "Workload"},
	    {"   ", "Workload"},
	    {"a/b\\c[d]e:f*g?", "a-b-c-d-e-f-g-"},
	    {"it's #1!", "it-s -1-"},
	    {"History", "History (2)"},
	    {"hISTORY", "hISTORY (2)"},
	    {"A1", "Workload A1"},
	    {"R1C1", "Workload R1C1"},
	    {"2024", "Workload 2024"},
	    {"true", "Workload true"},
	    {"OLTP", "OLTP"},
	    {"ABC", "Workload ABC"},
	    {"Max Throughput-100%Read", "Max Throughput-100%Read"},
	    {"0123456789 0123456789 0123456789",
	     "0123456789 0123456789 012345678"},
	    /* Emoji count twice: 15 of them and a letter. */
	    {"x\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80",
	     "x\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
	     "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"},
	};
	char name[XLSX_NAME_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xlsx_sheet_name(cases[i].wanted, NULL, 0, name);
		assert_string_equal(name, cases[i].name);
	}
}

static void a_name_that_is_taken_gets_a_number(void **state)
{
	static const char *const names[] = {
	    "Random read",
	    "random READ (2)",
	    "0123456789 0123456789 012345678",
	    "Größe groß",
	};
	char name[XLSX_NAME_SIZE];

	(void)state;
	xlsx_sheet_name("RANDOM read", names, 4, name);
	assert_string_equal(name, "RANDOM read (3)");
	xlsx_sheet_name("0123456789 0123456789 0123456789", names, 4, name);
	assert_string_equal(name, "0123456789 0123456789 01234 (2)");
	xlsx_sheet_name("GRÖßE groß", names, 4, name);
	assert_string_equal(name, "GRÖßE groß (2)");
}

static struct xlsx *open_in(const char *folder, char path[256])
{
	struct err err = {ERR_NONE, ""};
	struct xlsx *x;

	snprintf(path, 256, "%s/x.xlsx", folder);
	assert_int_equal(xlsx_open(path, 0, "test", NULL, &x, &err), 0);
	return x;
}

static void what_is_not_finite_leaves_the_cell_empty(void **state)
{
	char *folder = program_folder();
	struct err err = {ERR_NONE, ""};
	char path[256];
	struct xlsx *x = open_in(folder, path);
	struct xlsx_sheet *s = xlsx_add_sheet(x, "Data");

	(void)state;
	xlsx_number(s, 0, 0, XLSX_NUMBER, NAN);
	xlsx_number(s, 0, 1, XLSX_NUMBER, INFINITY);
	xlsx_number(s, 0, 2, XLSX_NUMBER, -INFINITY);
	xlsx_number_as(s, 0, 3, "0.0", NAN);
	xlsx_wide_number(s, 1, 0, 3, XLSX_NUMBER, NAN);
	assert_int_equal(xlsx_close(x, &err), 0);
	program_folder_remove(folder);
}

static void the_first_failure_sticks_and_is_told(void **state)
{
	char *folder = program_folder();
	struct err err = {ERR_NONE, ""};
	char path[256];
	struct xlsx *x = open_in(folder, path);
	struct xlsx_sheet *s = xlsx_add_sheet(x, "Data");

	(void)state;
	xlsx_number(s, 1048576, 0, XLSX_NUMBER, 1); /* row 1,048,577 */
	xlsx_number(s, 0, 0, XLSX_NUMBER, 1);
	assert_null(xlsx_add_sheet(x, "More"));
	assert_int_equal(xlsx_close(x, &err), -EIO);
	assert_int_equal(err.kind, ERR_FAILED);
	assert_non_null(strstr(err.text, "the workbook"));
	assert_non_null(strstr(err.text, "a number"));
	assert_int_equal(access(path, F_OK), -1);
	program_folder_remove(folder);
}

static void a_sheet_that_could_not_be_made_takes_everything(void **state)
{
	struct xlsx_range range = {NULL, 0, 0, 1, 1};

	(void)state;
	xlsx_text(NULL, 0, 0, XLSX_TEXT, "x");
	xlsx_number(NULL, 0, 0, XLSX_NUMBER, 1);
	xlsx_heat(&range, XLSX_HEAT_MORE);
	assert_string_equal(xlsx_name(NULL), "");
}

static void write_file(const char *path, const char *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void a_package_that_is_cut_is_found(void **state)
{
	char *folder = program_folder();
	struct err err = {ERR_NONE, ""};
	char path[256];
	struct xlsx *x = open_in(folder, path);
	char bytes[65536];
	size_t size;
	FILE *f;

	(void)state;
	xlsx_text(xlsx_add_sheet(x, "Data"), 0, 0, XLSX_TEXT, "hello");
	assert_int_equal(xlsx_close(x, &err), 0);
	assert_int_equal(xlsx_verify(path, &err), 0);
	f = fopen(path, "rb");
	assert_non_null(f);
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	assert_true(size > 1000 && size < sizeof(bytes));
	write_file(path, bytes, size - 100);
	assert_int_equal(xlsx_verify(path, &err), -EIO);
	assert_non_null(strstr(err.text, "the workbook"));
	err_clear(&err);
	bytes[100] ^= 1; /* inside the data of the first part */
	write_file(path, bytes, size);
	assert_int_equal(xlsx_verify(path, &err), -EIO);
	program_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_is_cleaned_for_xml),
	    cmocka_unit_test(escapes_of_cells_stay_in_titles),
	    cmocka_unit_test(long_text_ends_in_an_ellipsis),
	    cmocka_unit_test(names_of_sheets_are_made_fit),
	    cmocka_unit_test(a_name_that_is_taken_gets_a_number),
	    cmocka_unit_test(what_is_not_finite_leaves_the_cell_empty),
	    cmocka_unit_test(the_first_failure_sticks_and_is_told),
	    cmocka_unit_test(a_sheet_that_could_not_be_made_takes_everything),
	    cmocka_unit_test(a_package_that_is_cut_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
