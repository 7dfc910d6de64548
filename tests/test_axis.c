/* axis: lists, doubling and stepped ranges, and all that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "sweep/axis.h"

#define K 1024

struct good {
	const char *text;
	enum axis_unit unit;
	uint32_t count;
	uint64_t values[12];
};

static void check_good(const struct good *g)
{
	struct axis a;
	struct err err = {.kind = ERR_NONE};
	uint32_t i;

	if (axis_parse(g->text, g->unit, "--x", &a, &err))
		fail_msg("'%s': %s", g->text, err.text);
	if (a.count != g->count)
		fail_msg("'%s' has %u values", g->text, a.count);
	for (i = 0; i < a.count; i++)
		if (a.values[i] != g->values[i])
			fail_msg("'%s' holds %llu at %u", g->text,
				 (unsigned long long)a.values[i], i);
	axis_free(&a);
}

static void good_axes_give_their_values_ascending(void **state)
{
	static const struct good cases[] = {
	    {"8K", AXIS_SIZE, 1, {8 * K}},
	    {"8k,64KiB", AXIS_SIZE, 2, {8 * K, 64 * K}},
	    {"64K,8K,64K", AXIS_SIZE, 2, {8 * K, 64 * K}},
	    {" 8K , 64K ", AXIS_SIZE, 2, {8 * K, 64 * K}},
	    {"8K..64K", AXIS_SIZE, 4, {8 * K, 16 * K, 32 * K, 64 * K}},
	    {"8K..40K+16K", AXIS_SIZE, 3, {8 * K, 24 * K, 40 * K}},
	    {"1.5K..6K", AXIS_SIZE, 3, {1536, 3 * K, 6 * K}},
	    {"1..100", AXIS_COUNT, 8, {1, 2, 4, 8, 16, 32, 64, 100}},
	    {"1..1", AXIS_COUNT, 1, {1}},
	    {"3..20", AXIS_COUNT, 4, {3, 6, 12, 20}},
	    {"1,4..16,100,4", AXIS_COUNT, 5, {1, 4, 8, 16, 100}},
	    {"4294967295", AXIS_COUNT, 1, {4294967295u}},
	    {"0..100+25", AXIS_PERCENT, 5, {0, 2500, 5000, 7500, 10000}},
	    {"0..100+40", AXIS_PERCENT, 4, {0, 4000, 8000, 10000}},
	    {"100,70,0", AXIS_PERCENT, 3, {0, 7000, 10000}},
	    {"65.5,33.33%", AXIS_PERCENT, 2, {3333, 6550}},
	    {"0..0", AXIS_PERCENT, 1, {0}},
	    {"5..5+1", AXIS_PERCENT, 1, {500}},
	    {"seq,rand", AXIS_PATTERN, 2, {0, 10000}},
	    {"rand,60,seq,0", AXIS_PATTERN, 3, {0, 6000, 10000}},
	    {"99.5", AXIS_PATTERN, 1, {9950}},
	    {"5000", AXIS_RATE, 1, {5000}},
	    {"1000..4000,unlimited", AXIS_RATE, 4, {0, 1000, 2000, 4000}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_good(&cases[i]);
}

static void ranges_reach_the_largest_number(void **state)
{
	struct axis a;

	(void)state;
	assert_int_equal(axis_parse("8E..15E", AXIS_SIZE, "--x", &a, NULL), 0);
	assert_int_equal(a.count, 2);
	axis_free(&a);
	assert_int_equal(axis_parse("1..18446744073709551615+"
				    "18446744073709551615",
				    AXIS_SIZE, "--x", &a, NULL),
			 0);
	assert_int_equal(a.count, 2);
	assert_true(a.values[1] == UINT64_MAX);
	axis_free(&a);
	assert_int_equal(
	    axis_parse("1..4294967295", AXIS_COUNT, "--x", &a, NULL), 0);
	assert_int_equal(a.count, 33);
	axis_free(&a);
}

/* Each sentence names the text, the place and a valid form. */
static void bad_axes_say_text_place_and_form(void **state)
{
	static const struct {
		const char *text;
		enum axis_unit unit;
		const char *says;
		const char *form;
	} cases[] = {
	    {"", AXIS_SIZE, "empty", "8K,64K"},
	    {" ", AXIS_COUNT, "empty", "1..128"},
	    {"8K,,64K", AXIS_SIZE, "value 2 of 3", "8K,64K"},
	    {"8K,", AXIS_SIZE, "value 2 of 2", "8K,64K"},
	    {",", AXIS_COUNT, "value 1 of 2", "1..128"},
	    {"1M..8K", AXIS_SIZE, "'1M..8K' runs downwards", "8K..1M"},
	    {"128..1", AXIS_COUNT, "'128..1'", "1..128"},
	    {"100..0+25", AXIS_PERCENT, "'100..0'", "0..100"},
	    {"0", AXIS_SIZE, "'0'", "8K"},
	    {"0", AXIS_COUNT, "'0'", "32"},
	    {"0..8", AXIS_COUNT, "'0'", "32"},
	    {"0..100", AXIS_PERCENT, "'0..100'", "0..100+25"},
	    {"0..100+0", AXIS_PERCENT, "step of zero", "0..100+25"},
	    {"-8K", AXIS_SIZE, "'-8K'", "8K"},
	    {"-1", AXIS_COUNT, "'-1'", "32"},
	    {"-5", AXIS_PERCENT, "'-5'", "70"},
	    {"-5", AXIS_PATTERN, "'-5'", "seq, rand"},
	    {"8kk", AXIS_SIZE, "'8kk'", "8K"},
	    {"4K,8kk", AXIS_SIZE, "value 2 of 2: '8kk'", "8K"},
	    {"10abc", AXIS_COUNT, "'10abc'", "32"},
	    {"10abc", AXIS_SIZE, "'10abc'", "8K"},
	    {"8-16k", AXIS_SIZE, "'8-16k'", "8K"},
	    {"1e3", AXIS_SIZE, "'1e3'", "8K"},
	    {"1e3", AXIS_COUNT, "'1e3'", "32"},
	    {"16E", AXIS_SIZE, "'16E'", "8K"},
	    {"4294967296", AXIS_COUNT, "'4294967296'", "32"},
	    {"100.1", AXIS_PERCENT, "'100.1'", "70"},
	    {"33.333", AXIS_PERCENT, "'33.333'", "33.33"},
	    {"0", AXIS_RATE, "'0' is not a rate", "5000, or unlimited"},
	    {"fast", AXIS_RATE, "'fast' is not a rate", "5000"},
	    {"80%", AXIS_RATE, "'80%' has no peak", "5000"},
	    {"random", AXIS_PATTERN, "'random'", "seq, rand"},
	    {"101", AXIS_PATTERN, "'101'", "seq, rand"},
	    {"8 K", AXIS_SIZE, "'8 K'", "8K"},
	    {"8K 64K", AXIS_SIZE, "'8K 64K'", "8K"},
	    {"..", AXIS_SIZE, "''", "8K"},
	    {"8K..", AXIS_SIZE, "''", "8K"},
	    {"..8K", AXIS_SIZE, "''", "8K"},
	    {"8K...16K", AXIS_SIZE, "'.16K'", "8K"},
	    {"1..2..3", AXIS_COUNT, "'2..3'", "32"},
	    {"1..8+", AXIS_COUNT, "''", "32"},
	    {"1..8+1+1", AXIS_COUNT, "'1+1'", "32"},
	    {"4+4", AXIS_COUNT, "'4+4'", "32"},
	    {"1..10001+1", AXIS_COUNT, "more than 10000", "1..128"},
	    {"1..4294967295+1", AXIS_COUNT, "more than 10000", "1..128"},
	    {"8K\u201316K", AXIS_SIZE, "U+2013 (en dash)", "8K..1M"},
	    {"\u22121", AXIS_COUNT, "U+2212 (minus sign)", "1..128"},
	    {"8\xff", AXIS_SIZE, "byte 0xff", "8K"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct axis a = {.count = 77};
		struct err err = {.kind = ERR_NONE};

		assert_int_equal(axis_parse(cases[i].text, cases[i].unit,
					    "--place", &a, &err),
				 -EINVAL);
		if (!strstr(err.text, cases[i].says) ||
		    !strstr(err.text, cases[i].form) ||
		    strncmp(err.text, "--place", 7))
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_int_equal(a.count, 77);
	}
}

static void long_hostile_text_ends_in_one_sentence(void **state)
{
	static char text[200000];
	struct axis a;
	struct err err = {.kind = ERR_NONE};

	(void)state;
	memset(text, '9', sizeof(text) - 1);
	assert_int_equal(axis_parse(text, AXIS_SIZE, "--x", &a, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too long"));
	memset(text, ',', sizeof(text) - 1);
	assert_int_equal(axis_parse(text, AXIS_SIZE, "--x", &a, NULL), -EINVAL);
	memset(text, '.', sizeof(text) - 1);
	assert_int_equal(axis_parse(text, AXIS_COUNT, "--x", &a, NULL),
			 -EINVAL);
}

static void many_equal_values_are_one(void **state)
{
	char text[2 * 9000 + 1];
	struct axis a;
	int i;

	(void)state;
	for (i = 0; i < 9000; i++)
		memcpy(text + 2 * i, "7,", 2);
	text[2 * 9000 - 1] = '\0';
	assert_int_equal(axis_parse(text, AXIS_COUNT, "--x", &a, NULL), 0);
	assert_int_equal(a.count, 1);
	assert_true(a.values[0] == 7);
	axis_free(&a);
}

static void names_keep_their_order_once(void **state)
{
	struct axis_names n;

	(void)state;
	assert_int_equal(
	    axis_parse_names("cached, base line,cached", "--x", &n, NULL), 0);
	assert_int_equal(n.count, 2);
	assert_string_equal(n.names[0], "cached");
	assert_string_equal(n.names[1], "base line");
	axis_names_free(&n);
	assert_int_equal(axis_parse_names("cache,cached", "--x", &n, NULL), 0);
	assert_int_equal(n.count, 2);
	axis_names_free(&n);
}

static void names_refuse_empty_unclean_and_too_many(void **state)
{
	static const char *const bad[] = {"",	  "a,",	      ",a",
					  "a,,b", "a\x1b[0m", "a\xff"};
	char many[2 * (AXIS_NAMES_MAX + 1) + 1];
	struct axis_names n = {.count = 77};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {.kind = ERR_NONE};

		assert_int_equal(axis_parse_names(bad[i], "--x", &n, &err),
				 -EINVAL);
		assert_int_equal(strncmp(err.text, "--x: ", 5), 0);
	}
	for (i = 0; i <= AXIS_NAMES_MAX; i++)
		memcpy(many + 2 * i, "a,", 2);
	many[2 * AXIS_NAMES_MAX + 1] = '\0';
	assert_int_equal(axis_parse_names(many, "--x", &n, NULL), -EINVAL);
	assert_int_equal(n.count, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_axes_give_their_values_ascending),
	    cmocka_unit_test(ranges_reach_the_largest_number),
	    cmocka_unit_test(bad_axes_say_text_place_and_form),
	    cmocka_unit_test(long_hostile_text_ends_in_one_sentence),
	    cmocka_unit_test(many_equal_values_are_one),
	    cmocka_unit_test(names_keep_their_order_once),
	    cmocka_unit_test(names_refuse_empty_unclean_and_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
