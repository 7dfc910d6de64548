/* wrap: sentences broken at blanks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/wrap.h"

static void assert_wrapped(const char *text, unsigned column, unsigned indent,
			   unsigned width, const char *expected)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	wrap_print(f, text, column, indent, width);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(out, expected);
	free(out);
}

static void a_text_that_fits_is_one_line(void **state)
{
	(void)state;
	assert_wrapped("", 0, 2, 10, "\n");
	assert_wrapped("one two", 0, 2, 10, "one two\n");
	assert_wrapped("1234567890", 0, 2, 10, "1234567890\n");
	assert_wrapped("abcde fghi", 0, 2, 10, "abcde fghi\n");
}

static void a_longer_one_breaks_at_the_last_blank_that_fits(void **state)
{
	(void)state;
	assert_wrapped("abcde fghij", 0, 2, 10, "abcde\n  fghij\n");
	assert_wrapped("a b c d e f", 0, 0, 3, "a b\nc d\ne f\n");
	assert_wrapped("a b c d e f", 0, 2, 5, "a b c\n  d e\n  f\n");
	assert_wrapped("ab cd ef", 4, 4, 9, "ab cd\n    ef\n");
}

static void a_word_that_fits_no_line_stays_whole(void **state)
{
	(void)state;
	assert_wrapped("/a/long/path is", 0, 2, 5, "/a/long/path\n  is\n");
	assert_wrapped("is /a/long/path", 0, 2, 5, "is\n  /a/long/path\n");
}

static void a_number_keeps_its_unit(void **state)
{
	(void)state;
	assert_wrapped("took 57.2 us", 0, 2, 10, "took\n  57.2 us\n");
	assert_wrapped("57.2 us is it", 0, 2, 8, "57.2 us\n  is it\n");
	assert_wrapped("at 64", 0, 2, 4, "at\n  64\n");
}

static void characters_count_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(wrap_width("\xc3\xa4\xe2\x80\x93o"), 3);
	assert_wrapped("\xc3\xa4\xc3\xa4 \xc3\xa4", 0, 2, 4,
		       "\xc3\xa4\xc3\xa4 \xc3\xa4\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_text_that_fits_is_one_line),
	    cmocka_unit_test(a_longer_one_breaks_at_the_last_blank_that_fits),
	    cmocka_unit_test(a_word_that_fits_no_line_stays_whole),
	    cmocka_unit_test(a_number_keeps_its_unit),
	    cmocka_unit_test(characters_count_not_bytes),
	};

	return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
