#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "export/shortname.h"

#define LONG "0123456789012345678901234567890123456789"

static void what_fits_stays_itself(void **state)
{
	const char *text = "12345678901234567890123456789012";
	struct shortnames names = {NULL, 0};
	char buf[SHORTNAME_SIZE];

	(void)state;
	assert_ptr_equal(shortnames_get(&names, text), text);
	assert_string_equal(shortname_cut("", 8, buf), "");
	assert_string_equal(shortname_cut("12345678", 8, buf), "12345678");
	shortnames_free(&names);
}

static void both_ends_are_kept(void **state)
{
	char buf[SHORTNAME_SIZE];

	(void)state;
	assert_string_equal(shortname_cut("123456789", 8, buf),
			    "1234\xe2\x80\xa6"
			    "789");
}

/* Two-byte characters and bytes that are none are not cut apart. */
static void characters_stay_whole(void **state)
{
	char buf[SHORTNAME_SIZE];

	(void)state;
	assert_string_equal(
	    shortname_cut("\xc3\xa4\xc3\xb6\xc3\xbc\xff\xe4\xc3\x9f\xc3\xa4"
			  "\xc3\xb6\xc3\xbc",
			  8, buf),
	    "\xc3\xa4\xc3\xb6\xc3\xbc\xff\xe2\x80\xa6\xc3\xa4\xc3\xb6\xc3\xbc");
}

static void names_that_look_alike_are_numbered(void **state)
{
	struct shortnames names = {NULL, 0};
	const char *a, *b, *again;

	(void)state;
	a = shortnames_get(&names, LONG "a" LONG);
	b = shortnames_get(&names, LONG "b" LONG);
	again = shortnames_get(&names, LONG "a" LONG);
	assert_ptr_equal(a, again);
	assert_string_not_equal(a, b);
	assert_non_null(strstr(b, " (2)"));
	assert_int_equal(strlen(b), SHORTNAME_MAX + 2); /* the ellipsis */
	shortnames_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_fits_stays_itself),
	    cmocka_unit_test(both_ends_are_kept),
	    cmocka_unit_test(characters_stay_whole),
	    cmocka_unit_test(names_that_look_alike_are_numbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
