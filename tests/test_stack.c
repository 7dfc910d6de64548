/* stack: what lies under a device, from recorded trees and a loop device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/stack.h"
#include "tests/loopdev.h"

#define DATA "tests/data/stack/"

/* "role name" of every device, "*" behind an origin, sorted by nothing: the
 * order of a folder is not ours to say. */
static void assert_holds(const struct stack *s, const char *const *expected,
			 uint32_t count)
{
	uint32_t i, k;
	char text[128];

	assert_int_equal(s->count, count);
	for (k = 0; k < count; k++) {
		for (i = 0; i < s->count; i++) {
			const struct stack_device *d = &s->device[i];

			snprintf(text, sizeof(text), "%s %s%s",
				 stack_role_name(d->role), d->name,
				 d->is_origin ? " *" : "");
			if (!strcmp(text, expected[k]))
				break;
		}
		if (i == s->count)
			fail_msg("no '%s'", expected[k]);
	}
}

#define ASSERT_HOLDS(s, ...)                                                   \
	do {                                                                   \
		const char *const expected[] = {__VA_ARGS__};                  \
		assert_holds(s, expected,                                      \
			     sizeof(expected) / sizeof(expected[0]));          \
	} while (0)

static void the_fast_device_of_a_bcache_is_no_origin(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "bcache/sys", makedev(251, 0), &s);
	assert_true(s.is_complete);
	assert_int_equal(s.device[0].role, STACK_TARGET);
	ASSERT_HOLDS(&s, "target bcache0", "origin sdb *", "cache nvme0n1p1");
}

static void an_lvm_cache_is_walked_to_all_disks_below_its_origin(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "lvmcache/sys", makedev(254, 3), &s);
	assert_true(s.is_complete);
	ASSERT_HOLDS(&s, "target dm-3", "cache dm-0", "cache dm-1",
		     "cache nvme0n1", "below dm-2", "origin sda *",
		     "origin sdb *");
}

static void a_partition_lies_on_what_its_disk_lies_on(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "md/sys", makedev(9, 1), &s);
	assert_true(s.is_complete);
	ASSERT_HOLDS(&s, "target md0p1", "origin sdc *", "origin sdd1 *");
}

static void a_plain_disk_is_its_own_origin(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "md/sys", makedev(8, 32), &s);
	assert_true(s.is_complete);
	ASSERT_HOLDS(&s, "target sdc *");
}

static void what_cannot_be_followed_is_not_complete(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "broken/sys", makedev(254, 0), &s);
	assert_false(s.is_complete);
	stack_load(DATA "md/sys", makedev(77, 7), &s);
	assert_false(s.is_complete);
	stack_load("/sys", 0, &s);
	assert_false(s.is_complete);
	assert_int_equal(s.count, 0);
}

static void a_circle_ends(void **state)
{
	struct stack s;

	(void)state;
	stack_load(DATA "circle/sys", makedev(254, 0), &s);
	assert_int_equal(s.count, 2);
}

static void a_dm_table_names_metadata_cache_and_origin(void **state)
{
	dev_t out[3];

	(void)state;
	assert_int_equal(
	    stack_parse_dm_cache("cache 254:2 254:1 8:16 128 1 writethrough "
				 "smq 0",
				 out),
	    0);
	assert_true(out[0] == makedev(254, 2) && out[1] == makedev(254, 1) &&
		    out[2] == makedev(8, 16));
	assert_int_equal(stack_parse_dm_cache("linear 8:16 0", out), -EINVAL);
	assert_int_equal(stack_parse_dm_cache("cache 254:2 254:1", out),
			 -EINVAL);
}

static void a_list_of_devices_to_watch_names_what_is_wrong(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(stack_check_watch("", "--watch", &err), -EINVAL);
	err_clear(&err);
	assert_int_equal(stack_check_watch("/dev/null", "--watch", &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "'/dev/null' is no block device"));
	assert_int_equal(stack_check_watch("/no/such", "--watch", &err),
			 -EINVAL);
}

static void a_loop_device_lies_on_the_disk_of_its_file(void **state)
{
	struct loopdev loop;
	struct stack s;
	struct stat st;
	char list[64];

	(void)state;
	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
	assert_int_equal(loopdev_new(&loop, "disk", LOOPDEV_MIB, 0), 0);
	assert_int_equal(stat(loop.file, &st), 0);
	stack_load("/sys", loop.dev, &s);
	assert_true(s.count >= 1);
	assert_string_equal(s.device[0].name, loop.name);
	assert_int_equal(s.device[0].role, STACK_TARGET);
	if (major(st.st_dev)) {
		assert_false(s.device[0].is_origin);
		assert_true(s.is_complete);
		assert_true(s.device[1].dev == st.st_dev);
	}
	/* Watched devices are origins where nothing else is known. */
	snprintf(list, sizeof(list), "%s", loop.node);
	assert_int_equal(stack_check_watch(list, "--watch", NULL), 0);
	stack_watch(&s, list);
	assert_int_equal(s.device[0].role, STACK_TARGET);
	stack_load("/sys", 0, &s);
	stack_watch(&s, list);
	assert_int_equal(s.device[0].role, STACK_WATCHED);
	assert_true(s.device[0].is_origin && s.is_complete);
	loopdev_detach(&loop);
}

static void a_loop_device_in_memory_is_a_disk(void **state)
{
	char point[PATH_MAX];
	struct loopdev loop;
	struct stack s;

	(void)state;
	if (loopdev_unavailable() ||
	    mount_scratch("none", "memory", "tmpfs", NULL, point)) {
		print_message("skip: no tmpfs of our own\n");
		skip();
	}
	assert_int_equal(loopdev_new(&loop, "memory/disk", LOOPDEV_MIB, 0), 0);
	stack_load("/sys", loop.dev, &s);
	assert_int_equal(s.count, 1);
	assert_true(s.device[0].is_origin && s.is_complete);
	loopdev_detach(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_fast_device_of_a_bcache_is_no_origin),
	    cmocka_unit_test(
		an_lvm_cache_is_walked_to_all_disks_below_its_origin),
	    cmocka_unit_test(a_partition_lies_on_what_its_disk_lies_on),
	    cmocka_unit_test(a_plain_disk_is_its_own_origin),
	    cmocka_unit_test(what_cannot_be_followed_is_not_complete),
	    cmocka_unit_test(a_circle_ends),
	    cmocka_unit_test(a_dm_table_names_metadata_cache_and_origin),
	    cmocka_unit_test(a_list_of_devices_to_watch_names_what_is_wrong),
	    cmocka_unit_test(a_loop_device_lies_on_the_disk_of_its_file),
	    cmocka_unit_test(a_loop_device_in_memory_is_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
