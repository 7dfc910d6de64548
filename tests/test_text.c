/* text and strings: clean UTF-8, and one copy of each text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/strings.h"
#include "engine/text.h"

static void clean_keeps_utf8_and_replaces_the_rest(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"plain text", "plain text"},
	    {"Gr\xc3\xb6\xc3\x9f"
	     "e",
	     "Gr\xc3\xb6\xc3\x9f"
	     "e"},
	    {"\xe2\x82\xac", "\xe2\x82\xac"},
	    {"\xf0\x9f\x92\xbe", "\xf0\x9f\x92\xbe"},
	    {"a\nb\tc\x1b[2Jd\x7f", "a?b?c?[2Jd?"},
	    {"\xc2\x9b"
	     "31m",
	     "??31m"}, /* C1: CSI */
	    {"Gr\xf6"
	     "e",
	     "Gr?e"},		/* Latin-1 */
	    {"\xc0\xaf", "??"}, /* not the shortest form */
	    {"\xe0\x80\xaf", "???"},
	    {"\xf0\x80\x80\xaf", "????"},
	    {"\xed\xa0\x80", "???"},	  /* surrogate */
	    {"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
	    {"\xf5\x80\x80\x80", "????"},
	    {"cut \xe2\x82", "cut ??"},
	    {"cut \xf0\x9f\x92", "cut ???"},
	    {"\x80", "?"},
	};
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(buf, cases[i].in);
		text_clean(buf);
		assert_string_equal(buf, cases[i].out);
	}
}

static void sequence_is_zero_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(text_sequence(""), 0);
}

static void equal_texts_are_kept_once(void **state)
{
	struct strings *s = strings_new();
	const char *kept[1000];
	char text[16];
	int round, i;

	(void)state;
	assert_non_null(s);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 1000; i++) {
			const char *k;

			snprintf(text, sizeof(text), "%d", i);
			k = strings_keep(s, text);
			assert_string_equal(k, text);
			if (round)
				assert_ptr_equal(k, kept[i]);
			kept[i] = k;
		}
	}
	assert_string_equal(strings_keep(s, ""), "");
	strings_free(s);
	strings_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clean_keeps_utf8_and_replaces_the_rest),
	    cmocka_unit_test(sequence_is_zero_at_the_end),
	    cmocka_unit_test(equal_texts_are_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
