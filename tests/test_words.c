/* words: suggestions and characters that do not belong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/words.h"

static const char *nearest(const char *word)
{
	static const char *const names[] = {
	    "block-size", "outstanding", "queue-depth", "pattern",
	    "read",	  "time",	 "ramp"};
	struct words_nearest near = {.word = word};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		words_offer(&near, names[i]);
	return near.best;
}

static void near_names_are_suggested(void **state)
{
	static const struct {
		const char *typed;
		const char *meant;
	} cases[] = {
	    {"blocksize", "block-size"},
	    {"block_size", "block-size"},
	    {"BLOCK-SIZE", "block-size"},
	    {"outstandign", "outstanding"},
	    {"patern", "pattern"},
	    {"raed", "read"},
	    {"depth", "queue-depth"},
	    {"queue_depth", "queue-depth"},
	    {"tme", "time"},
	    {"ouTStanding", "outstanding"},
	    {"block\u2013size", "block-size"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_non_null(nearest(cases[i].typed));
		assert_string_equal(nearest(cases[i].typed), cases[i].meant);
	}
}

static void swapped_letters_are_one_edit(void **state)
{
	struct words_nearest near = {.word = "raed"};

	(void)state;
	words_offer(&near, "read");
	assert_int_equal(near.edits, 1);
}

static void far_words_get_no_suggestion(void **state)
{
	static const char *const words[] = {
	    "",
	    "x",
	    "rw",
	    "numjobs",
	    "zzzzzzzz",
	    "directory",
	    "a-word-that-is-longer-than-any-name-of-ours-can-ever-be",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_null(nearest(words[i]));
}

static void hint_is_empty_or_a_question(void **state)
{
	struct words_nearest near = {.word = "tiem"};
	char buf[WORDS_HINT_MAX];

	(void)state;
	assert_string_equal(words_hint(&near, buf), "");
	words_offer(&near, "time");
	assert_string_equal(words_hint(&near, buf), "; did you mean 'time'?");
}

static void clean_text_is_utf8_without_controls(void **state)
{
	static const char *const clean[] = {"", "RealLife-60%Rand-65%Read",
					    "Pr\u00fcfung \u20ac \U0001F600",
					    "a b", "\u00a0"};
	static const char *const dirty[] = {"a\tb",
					    "a\nb",
					    "\x1b[31m",
					    "\x7f",
					    "\xc2\x85",
					    "\x96",
					    "\xc3",
					    "\xc0\xaf",
					    "\xed\xa0\x80",
					    "\xf4\x90\x80\x80",
					    "\xe2\x80",
					    "\xe0\x80\x80",
					    "\xf0\x80\x80\x80",
					    "\xef\xbf\xbf",
					    "a\xff z"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
		assert_true(words_are_clean(clean[i]));
	for (i = 0; i < sizeof(dirty) / sizeof(dirty[0]); i++)
		assert_false(words_are_clean(dirty[i]));
}

static void foreign_characters_are_named(void **state)
{
	char buf[WORDS_CHAR_MAX];

	(void)state;
	assert_null(words_foreign_char("8K..1M", buf));
	assert_string_equal(words_foreign_char("8K\u201316K", buf),
			    "U+2013 (en dash)");
	assert_string_equal(words_foreign_char("\u00fc", buf), "U+00FC");
	assert_string_equal(words_foreign_char("8\x96"
					       "16",
					       buf),
			    "byte 0x96 (not UTF-8)");
}

static void only_foreign_dashes_count_as_such(void **state)
{
	(void)state;
	assert_true(words_start_with_foreign_dash("\u2013b8K"));
	assert_true(words_start_with_foreign_dash("\u2212o"));
	assert_false(words_start_with_foreign_dash("-b8K"));
	assert_false(words_start_with_foreign_dash("a\u2013b"));
	assert_false(words_start_with_foreign_dash("\u00fcber"));
	assert_false(words_start_with_foreign_dash(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(near_names_are_suggested),
	    cmocka_unit_test(swapped_letters_are_one_edit),
	    cmocka_unit_test(far_words_get_no_suggestion),
	    cmocka_unit_test(hint_is_empty_or_a_question),
	    cmocka_unit_test(clean_text_is_utf8_without_controls),
	    cmocka_unit_test(foreign_characters_are_named),
	    cmocka_unit_test(only_foreign_dashes_count_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
