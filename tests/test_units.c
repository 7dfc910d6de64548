/* units: sizes, durations, counts and percents, typed and printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "engine/units.h"

static void sizes_are_binary_in_every_spelling(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
	    {"8k", 8192},
	    {"8K", 8192},
	    {"8KB", 8192},
	    {"8KiB", 8192},
	    {"8kib", 8192},
	    {"8192", 8192},
	    {"8192B", 8192},
	    {"1.5M", 1572864},
	    {"0.5K", 512},
	    {"1G", 1 << 30},
	    {"4T", 4398046511104},
	    {"15E", 17293822569102704640u},
	    {"1", 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t bytes = 0;

		assert_int_equal(
		    units_parse_size(good[i].text, "x", &bytes, NULL), 0);
		assert_true(bytes == good[i].bytes);
	}
}

static void sizes_reject_what_is_not_one(void **state)
{
	static const char *const bad[] = {
	    "",
	    "0",
	    "0K",
	    "-1",
	    "+8K",
	    "8kk",
	    "10abc",
	    "8-16k",
	    "1e3",
	    "16E",
	    " 8K",
	    "8K ",
	    "8 K",
	    "K",
	    ".5K",
	    "8.K",
	    "1.2.3K",
	    "0x10",
	    "8,5K",
	    "0.3",
	    "99999999999999999999",
	    "1.0000000001K",
	    ("\xe2\x80\x93"
	     "8K"),
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};
		uint64_t bytes = 7;

		assert_int_equal(
		    units_parse_size(bad[i], "--size", &bytes, &err), -EINVAL);
		assert_true(bytes == 7);
		assert_non_null(strstr(err.text, "--size"));
		assert_non_null(strstr(err.text, "8K"));
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void durations_parse_with_their_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
	    {"500ms", 500000000},  {"30s", 30000000000}, {"5m", 300000000000},
	    {"1h", 3600000000000}, {"2", 2000000000},	 {"1.5s", 1500000000},
	    {"150us", 150000},	   {"7ns", 7},
	};
	static const char *const bad[] = {"",
					  "0",
					  "0s",
					  "-1s",
					  "5M",
					  "5 m",
					  "1e3",
					  "s",
					  "10d",
					  "5ms5s",
					  "99999999999999h"};
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(
		    units_parse_duration(good[i].text, "x", &ns, NULL), 0);
		assert_true(ns == good[i].ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_duration(bad[i], "x", &ns, NULL),
				 -EINVAL);
}

static void counts_are_whole_and_positive(void **state)
{
	static const char *const bad[] = {"",	"0",   "-1",	    "1.5",
					  "8K", "1e3", "4294967296"};
	uint32_t n = 0;
	size_t i;

	(void)state;
	assert_int_equal(units_parse_count("4294967295", "x", &n, NULL), 0);
	assert_true(n == UINT32_MAX);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_count(bad[i], "x", &n, NULL),
				 -EINVAL);
}

static void percents_end_at_100(void **state)
{
	static const char *const bad[] = {"",	  "101", "100.5", "-1",
					  "70%%", "x",	 "1e1"};
	double pct = 0;
	size_t i;

	(void)state;
	assert_int_equal(units_parse_percent("65.5%", "x", &pct, NULL), 0);
	assert_true(fabs(pct - 65.5) < 1e-12);
	assert_int_equal(units_parse_percent("0", "x", &pct, NULL), 0);
	assert_true(pct >= 0 && pct <= 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_percent(bad[i], "x", &pct, NULL),
				 -EINVAL);
}

static void a_formatted_size_parses_back(void **state)
{
	static const uint64_t sizes[] = {1,    512,	1536,	  8192,
					 4095, 1048576, 1u << 31, UINT64_MAX};
	char buf[UNITS_TEXT_MAX];
	uint64_t back;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		units_format_size(buf, sizes[i]);
		assert_int_equal(units_parse_size(buf, "x", &back, NULL), 0);
		assert_true(back == sizes[i]);
	}
	assert_string_equal(units_format_size(buf, 65536), "64K");
}

static void numbers_read_well(void **state)
{
	char buf[UNITS_TEXT_MAX];

	(void)state;
	assert_string_equal(units_format_number(buf, 1234567), "1,234,567");
	assert_string_equal(units_format_number(buf, 999.6), "1,000");
	assert_string_equal(units_format_number(buf, 12.34), "12.3");
	assert_string_equal(units_format_number(buf, 0.516), "0.52");
	assert_string_equal(units_format_number(buf, 0), "0.00");
	assert_string_equal(units_format_number(buf, NAN), "-");
	assert_string_equal(units_format_duration(buf, 768 * NS_PER_SEC),
			    "12m 48s");
	assert_string_equal(units_format_duration(buf, 7500 * NS_PER_SEC),
			    "2h 05m");
	assert_string_equal(units_format_duration(buf, 150 * NS_PER_MS),
			    "150 ms");
	assert_string_equal(units_format_bytes(buf, 3 * GIB / 2), "1.5 GiB");
	assert_string_equal(units_format_bytes(buf, 512), "512 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes_are_binary_in_every_spelling),
	    cmocka_unit_test(sizes_reject_what_is_not_one),
	    cmocka_unit_test(durations_parse_with_their_unit),
	    cmocka_unit_test(counts_are_whole_and_positive),
	    cmocka_unit_test(percents_end_at_100),
	    cmocka_unit_test(a_formatted_size_parses_back),
	    cmocka_unit_test(numbers_read_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
