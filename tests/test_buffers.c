/* buffers: they grow in place, and say what pages they lie in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "engine/buffers.h"

#define MIB ((size_t)1 << 20)

static void an_area_grows_in_place(void **state)
{
	struct buffers b = {0};
	char *base;

	(void)state;
	assert_int_equal(buffers_reserve(&b, DIR_READ, 3 * MIB, NULL), 0);
	base = b.area[DIR_READ].base;
	assert_int_equal((uintptr_t)base % (2 * MIB), 0);
	memset(base, 7, 3 * MIB);
	assert_int_equal(buffers_reserve(&b, DIR_READ, 9 * MIB, NULL), 0);
	assert_ptr_equal(b.area[DIR_READ].base, base);
	assert_int_equal(base[3 * MIB - 1], 7);
	assert_null(b.area[DIR_WRITE].base);
	buffers_free(&b);
	assert_null(b.area[DIR_READ].base);
}

static int kernel_gives_huge_pages(void)
{
	char text[64] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strstr(text, "[always]") || strstr(text, "[madvise]");
}

static void huge_pages_are_told_where_they_are(void **state)
{
	struct buffers b = {0};

	(void)state;
	if (!kernel_gives_huge_pages()) {
		print_message("skip: no transparent huge pages here\n");
		skip();
	}
	assert_int_equal(buffers_reserve(&b, DIR_READ, 8 * MIB, NULL), 0);
	assert_true(b.area[DIR_READ].huge);
	buffers_free(&b);
}

static void small_pages_are_not_told_as_huge(void **state)
{
	struct buffers b = {0};

	(void)state;
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	assert_int_equal(buffers_reserve(&b, DIR_READ, 8 * MIB, NULL), 0);
	assert_false(b.area[DIR_READ].huge);
	buffers_free(&b);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_area_grows_in_place),
	    cmocka_unit_test(huge_pages_are_told_where_they_are),
	    cmocka_unit_test(small_pages_are_not_told_as_huge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
