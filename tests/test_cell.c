/* cell: single cells, as text and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/cell.h"
#include "tests/prng.h"
#include "tests/tempdir.h"

static void integers_are_digits_and_nothing_else(void **state)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  " 1",
					  "1 ",
					  "1.0",
					  "1e3",
					  "0x10",
					  "18446744073709551616",
					  "99999999999999999999"};
	char buf[CELL_TEXT_MAX];
	uint64_t value = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cell_parse_integer(bad[i], UINT64_MAX, &value),
				 -EINVAL);
	assert_int_equal(cell_parse_integer("101", 100, &value), -EINVAL);
	assert_int_equal(value, 7);
	assert_int_equal(cell_parse_integer("100", 100, &value), 0);
	assert_int_equal(value, 100);
	cell_format_integer(buf, UINT64_MAX);
	assert_string_equal(buf, "18446744073709551615");
	assert_int_equal(cell_parse_integer(buf, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
}

static void reals_are_finite_decimals(void **state)
{
	static const char *const bad[] = {
	    "",	   "nan", "inf", "-inf",  "0x1p3", " 1",    "1 ",
	    "1,5", "1e",  "--1", "1e999", ".",	   "1.2.3", "e5"};
	double value = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cell_parse_real(bad[i], &value), -EINVAL);
	assert_true(value == 7);
	assert_int_equal(cell_parse_real("-1.5e3", &value), 0);
	assert_true(value == -1500);
}

static void reals_are_as_short_as_they_read_back_equal(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
	    {0, "0"},
	    {0.1, "0.1"},
	    {150, "150"},
	    {65.5, "65.5"},
	    {1e15, "1e+15"},
	    {123456789012345, "123456789012345"},
	    {0.1 + 0.2, "0.30000000000000004"},
	    {-2.5, "-2.5"},
	};
	char buf[CELL_TEXT_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(cell_format_real(buf, cases[i].value),
				    cases[i].text);
}

static void assert_every_real_reads_back(uint64_t seed)
{
	char buf[CELL_TEXT_MAX];
	int i;

	for (i = 0; i < 20000; i++) {
		uint64_t bits = prng_next(&seed);
		double value, back;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		cell_format_real(buf, value);
		assert_int_equal(cell_parse_real(buf, &back), 0);
		assert_true(back == value);
	}
}

static void every_real_reads_back_equal(void **state)
{
	(void)state;
	assert_every_real_reads_back(1);
}

/* Take German numbers, from a locale made for the test: systems seldom have
 * one installed. */
static bool set_decimal_comma(const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
		 folder);
	if (system(command))
		return false;
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
}

static void a_locale_with_decimal_commas_changes_nothing(void **state)
{
	char *folder = tempdir_new();
	bool comma = set_decimal_comma(folder);
	char buf[CELL_TEXT_MAX];

	(void)state;
	if (comma) {
		snprintf(buf, sizeof(buf), "%.1f", 1.5);
		assert_string_equal(buf, "1,5");
		assert_string_equal(cell_format_real(buf, 1.5), "1.5");
		assert_every_real_reads_back(2);
		setlocale(LC_NUMERIC, "C");
	}
	unsetenv("LOCPATH");
	tempdir_remove(folder);
	if (!comma) {
		print_message("skip: localedef makes no de_DE locale here\n");
		skip();
	}
}

static void times_read_back_to_the_nanosecond(void **state)
{
	static const int64_t values[] = {0, 1, 1767225600000000000,
					 1767225600123456789,
					 9214646399999999999};
	char buf[CELL_TEXT_MAX];
	int64_t back;
	size_t i;

	(void)state;
	assert_string_equal(cell_format_time(buf, 1767225600123456789),
			    "2026-01-01T00:00:00.123456789Z");
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		cell_format_time(buf, values[i]);
		assert_int_equal(cell_parse_time(buf, &back), 0);
		assert_true(back == values[i]);
	}
}

static void times_reject_what_is_none(void **state)
{
	static const char *const bad[] = {
	    "",
	    "2026-01-01",
	    "2026-01-01T00:00:00Z",
	    "2026-02-30T00:00:00.000000000Z",
	    "2026-13-01T00:00:00.000000000Z",
	    "2026-00-01T00:00:00.000000000Z",
	    "2026-01-01T24:00:00.000000000Z",
	    "2026-01-01T00:00:61.000000000Z",
	    "2026-01-01 00:00:00.000000000Z",
	    "2026-01-01T00:00:00.000000000z",
	    "2026-01-01T00:00:00.00000000xZ",
	    "1969-12-31T23:59:59.000000000Z",
	    "2262-01-01T00:00:00.000000000Z",
	    "9999-99-99T99:99:99.999999999Z",
	    "////-//-//T//://://./////////Z",
	};
	int64_t back = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cell_parse_time(bad[i], &back), -EINVAL);
	assert_int_equal(back, 7);
}

static void assert_errors_equal(const struct io_error_count *a,
				const struct io_error_count *b)
{
	int i;

	for (i = 0; i < VISIT_ERROR_KINDS; i++) {
		assert_int_equal(a[i].errnum, b[i].errnum);
		assert_true(a[i].count == b[i].count);
	}
}

static void errors_are_named_and_read_back(void **state)
{
	struct io_error_count errors[VISIT_ERROR_KINDS] = {
	    {EIO, 3}, {0, 1}, {VISIT_ERROR_OTHER, 2}, {4000, UINT64_MAX}};
	struct io_error_count back[VISIT_ERROR_KINDS];
	char buf[CELL_ERRORS_MAX];

	(void)state;
	cell_format_errors(buf, errors);
	assert_string_equal(buf,
			    "EIO:3 short:1 other:2 E4000:18446744073709551615");
	assert_int_equal(cell_parse_errors(buf, back), 0);
	assert_errors_equal(back, errors);
}

static void the_longest_errors_fit(void **state)
{
	struct io_error_count errors[VISIT_ERROR_KINDS];
	struct io_error_count back[VISIT_ERROR_KINDS];
	char buf[CELL_ERRORS_MAX];
	int i;

	(void)state;
	for (i = 0; i < VISIT_ERROR_KINDS; i++) {
		/* EPROTONOSUPPORT, one of the longest names. */
		errors[i].errnum = 93;
		errors[i].count = UINT64_MAX - (uint64_t)i;
	}
	memset(buf, 'x', sizeof(buf));
	cell_format_errors(buf, errors);
	assert_int_equal(cell_parse_errors(buf, back), 0);
	assert_errors_equal(back, errors);
}

static void errors_reject_what_is_none(void **state)
{
	static const char *const bad[] = {
	    "",
	    "EIO",
	    "EIO:",
	    "EIO:0",
	    "EIO:-1",
	    "EXYZ:1",
	    "EIO:1  short:1",
	    " EIO:1",
	    "EIO:1 ",
	    ":1",
	    "E0:1",
	    "E5000:1",
	    "EIO:1,short:1",
	    "EIO:1 EIO:1 EIO:1 EIO:1 EIO:1 EIO:1 EIO:1 EIO:1 EIO:1"};
	struct io_error_count back[VISIT_ERROR_KINDS];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cell_parse_errors(bad[i], back), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_are_digits_and_nothing_else),
	    cmocka_unit_test(reals_are_finite_decimals),
	    cmocka_unit_test(reals_are_as_short_as_they_read_back_equal),
	    cmocka_unit_test(every_real_reads_back_equal),
	    cmocka_unit_test(a_locale_with_decimal_commas_changes_nothing),
	    cmocka_unit_test(times_read_back_to_the_nanosecond),
	    cmocka_unit_test(times_reject_what_is_none),
	    cmocka_unit_test(errors_are_named_and_read_back),
	    cmocka_unit_test(the_longest_errors_fit),
	    cmocka_unit_test(errors_reject_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
