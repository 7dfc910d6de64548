/* label: groups told apart in few words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "export/label.h"

#define TARGETS_MAX 4

/* The label of each target's point, where only the targets differ. */
static void assert_labels(const char *const targets[TARGETS_MAX],
			  const char *const labels[TARGETS_MAX])
{
	struct point points[TARGETS_MAX] = {{0}};
	struct label_axes axes;
	char text[LABEL_MAX];
	uint32_t i, count = 0;

	while (count < TARGETS_MAX && targets[count]) {
		points[count] = (struct point){
		    .index = count,
		    .target = targets[count],
		    .variant = "",
		    .section = "",
		    .workload = {.stream = {.block_size_bytes = 8192,
					    .read_pct = 100},
				 .threads = 1,
				 .queue_depth = 1},
		};
		count++;
	}
	label_axes_find(points, count, &axes);
	for (i = 0; i < count; i++) {
		label_side(&axes, &points[i], text, sizeof(text));
		assert_string_equal(text, labels[i]);
	}
}

static void one_target_needs_no_name(void **state)
{
	(void)state;
	assert_labels((const char *const[TARGETS_MAX]){"/data/x"},
		      (const char *const[TARGETS_MAX]){""});
}

static void targets_are_told_by_the_end_of_their_path(void **state)
{
	static const struct {
		const char *targets[TARGETS_MAX];
		const char *labels[TARGETS_MAX];
	} cases[] = {
	    {{"/dev/sda", "/dev/sdb"}, {"sda", "sdb"}},
	    {{"/a/x.dat", "/b/x.dat"}, {"a/x.dat", "b/x.dat"}},
	    {{"/a/x.dat", "/b/y.dat", "/c/x.dat"},
	     {"a/x.dat", "b/y.dat", "c/x.dat"}},
	    {{"x.dat", "sub/x.dat"}, {"x.dat", "sub/x.dat"}},
	    {{"/x.dat", "x.dat"}, {"/x.dat", "x.dat"}},
	    {{"/m/1/d/x", "/m/2/d/x"}, {"1/d/x", "2/d/x"}},
	    {{"a/", "b/"}, {"a/", "b/"}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_labels(cases[i].targets, cases[i].labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_target_needs_no_name),
	    cmocka_unit_test(targets_are_told_by_the_end_of_their_path),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
