/* cachecount, sysfile, capture: what caches and commands tell of themselves,
 * and the hit ratio between two readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/cachecount.h"
#include "engine/capture.h"
#include "engine/clock.h"
#include "engine/sysfile.h"

#define DATA "tests/data/stack/"
#define SECOND ((uint64_t)1000000000)

static double value_of(const struct cachecounts *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->count; i++)
		if (!strcmp(c->at[i].name, name))
			return c->at[i].value;
	return NAN;
}

static void bcache_counts_come_from_its_folder(void **state)
{
	static const struct cachecount_roots roots = {DATA "bcache/sys",
						      DATA "zfs/proc"};
	struct cachecounts c = {.count = 0};
	struct stack s;

	(void)state;
	stack_load(roots.sys, makedev(251, 0), &s);
	cachecount_read(&roots, &s, "ext4", &c);
	assert_int_equal(c.count, 6);
	assert_string_equal(c.at[0].source, "bcache0");
	assert_true(value_of(&c, "cache_hits") == 31023);
	assert_true(value_of(&c, "cache_misses") == 1207);
	assert_true(value_of(&c, "cache_bypass_misses") == 340);
	assert_true(value_of(&c, "bypassed") == 1.2 * (1 << 30));
	assert_true(value_of(&c, "dirty_data") == 1.5 * (1 << 20));
}

static void arc_counts_are_read_under_zfs_alone(void **state)
{
	static const struct cachecount_roots roots = {DATA "none",
						      DATA "zfs/proc"};
	struct cachecounts c = {.count = 0};
	struct stack s = {.count = 0};

	(void)state;
	cachecount_read(&roots, &s, "xfs", &c);
	assert_int_equal(c.count, 0);
	cachecount_read(&roots, &s, "zfs", &c);
	assert_true(value_of(&c, "hits") == 9044000);
	assert_true(value_of(&c, "demand_data_misses") == 500);
	assert_true(value_of(&c, "l2_hits") == 400);
	assert_true(isnan(value_of(&c, "c")));
}

static void a_dm_cache_tells_reads_and_writes_apart(void **state)
{
	struct cachecounts c = {.count = 0};

	(void)state;
	assert_int_equal(cachecount_parse_dm(
			     "dm-3",
			     "8 72/4096 128 900/1024 5000 40 300 20 1 941 7 1 "
			     "writethrough 2 migration_threshold 2048 smq 0 "
			     "rw -",
			     &c),
			 0);
	assert_true(value_of(&c, "used_blocks") == 900);
	assert_true(value_of(&c, "total_blocks") == 1024);
	assert_true(value_of(&c, "read_hits") == 5000);
	assert_true(value_of(&c, "read_misses") == 40);
	assert_true(value_of(&c, "write_hits") == 300);
	assert_true(value_of(&c, "write_misses") == 20);
	assert_true(value_of(&c, "dirty_blocks") == 7);
	assert_int_equal(cachecount_parse_dm("dm-3", "Fail", &c), -EINVAL);
	assert_int_equal(cachecount_parse_dm("dm-3", "8 72/4096 128", &c),
			 -EINVAL);
	assert_int_equal(c.count, 9);
}

static void lines_of_a_command_are_names_and_numbers(void **state)
{
	struct cachecounts c = {.count = 0};
	char many[20000] = "";
	int i;

	(void)state;
	cachecount_parse_lines("hits=10\nnoise\n\nmisses= 3 \nbad=x\n=4\n"
			       "a b=5\nratio=0.5\r\nhuge=1e999\nq=nan\nlast=-7",
			       &c);
	assert_int_equal(c.count, 4);
	assert_true(value_of(&c, "hits") == 10);
	assert_true(value_of(&c, "misses") == 3);
	assert_true(value_of(&c, "ratio") == 0.5);
	assert_true(value_of(&c, "last") == -7);
	for (i = 0; i < 2000; i++)
		strcat(many, "n=1\n");
	cachecount_parse_lines(many, &c);
	assert_int_equal(c.count, CACHECOUNT_MAX);
}

/* before and after as name=value texts of one kind. */
static double hit(enum cachecount_kind kind, const char *before,
		  const char *after, bool writes, uint64_t span_ns,
		  enum cachecount_kind *out)
{
	struct cachecounts a = {.count = 0}, b = {.count = 0};
	uint32_t i;

	cachecount_parse_lines(before, &a);
	cachecount_parse_lines(after, &b);
	for (i = 0; i < a.count; i++)
		a.at[i].kind = kind;
	for (i = 0; i < b.count; i++)
		b.at[i].kind = kind;
	*out = CACHECOUNT_KIND_COUNT;
	return cachecount_hit_pct(&a, &b, writes, span_ns, out);
}

static void hits_are_what_rose_between_two_readings(void **state)
{
	enum cachecount_kind kind;

	(void)state;
	assert_true(hit(CACHECOUNT_PROBE, "hits=10\nmisses=5",
			"hits=85\nmisses=30", false, SECOND, &kind) == 75);
	assert_int_equal(kind, CACHECOUNT_PROBE);
	assert_true(hit(CACHECOUNT_DM,
			"read_hits=0\nread_misses=0\nwrite_hits=0\n"
			"write_misses=0",
			"read_hits=9\nread_misses=1\nwrite_hits=1\n"
			"write_misses=3",
			false, SECOND, &kind) == 90);
	assert_true(hit(CACHECOUNT_DM,
			"read_hits=0\nread_misses=0\nwrite_hits=0\n"
			"write_misses=0",
			"read_hits=9\nread_misses=1\nwrite_hits=1\n"
			"write_misses=3",
			true, SECOND, &kind) == 25);
	assert_int_equal(kind, CACHECOUNT_DM);
	assert_true(hit(CACHECOUNT_ARC,
			"demand_data_hits=1\ndemand_data_misses=1",
			"demand_data_hits=2\ndemand_data_misses=2", false,
			SECOND, &kind) == 50);
}

static void nothing_looked_up_or_reset_is_unknown(void **state)
{
	enum cachecount_kind kind;

	(void)state;
	assert_true(isnan(hit(CACHECOUNT_PROBE, "hits=1\nmisses=1",
			      "hits=1\nmisses=1", false, SECOND, &kind)));
	assert_true(isnan(hit(CACHECOUNT_PROBE, "hits=10\nmisses=5",
			      "hits=1\nmisses=9", false, SECOND, &kind)));
	assert_true(isnan(
	    hit(CACHECOUNT_PROBE, "hits=10", "hits=11", false, SECOND, &kind)));
	assert_true(isnan(hit(CACHECOUNT_PROBE, "misses=1", "hits=1\nmisses=3",
			      false, SECOND, &kind)));
	assert_true(isnan(hit(
	    CACHECOUNT_ARC, "demand_data_hits=1\ndemand_data_misses=1",
	    "demand_data_hits=2\ndemand_data_misses=2", true, SECOND, &kind)));
	assert_int_equal(kind, CACHECOUNT_KIND_COUNT);
}

/* Its counts lag by seconds. */
static void bcache_is_asked_over_minutes_only(void **state)
{
	static const char before[] = "cache_hits=0\ncache_misses=0";
	static const char after[] = "cache_hits=3\ncache_misses=1";
	enum cachecount_kind kind;

	(void)state;
	assert_true(isnan(
	    hit(CACHECOUNT_BCACHE, before, after, false, 30 * SECOND, &kind)));
	assert_true(hit(CACHECOUNT_BCACHE, before, after, false, 200 * SECOND,
			&kind) == 75);
}

static void numbers_of_sysfs_have_binary_suffixes(void **state)
{
	double n = -1;

	(void)state;
	assert_int_equal(
	    sysfile_number(&n, DATA "bcache/sys/dev/block/%s", "nothing"),
	    -ENOENT);
	assert_int_equal(
	    sysfile_number(&n, DATA "bcache/sys/dev/block/%u:%u/bcache/state",
			   251, 0),
	    -EINVAL);
	assert_true(n == -1);
}

static void a_command_s_output_and_status_come_back(void **state)
{
	static const char *const echo[] = {"/bin/sh", "-c",
					   "echo one; echo two; exit 3", NULL};
	static const char *const missing[] = {"/no/such/program", NULL};
	static const char *const killed[] = {"/bin/sh", "-c", "kill -9 $$",
					     NULL};
	static const char *const reads[] = {"cat", NULL};
	static const char *const many[] = {
	    "/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x", NULL};
	char buf[16];

	(void)state;
	assert_int_equal(capture_run(echo, SECOND * 10, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "one\ntwo\n");
	assert_int_equal(capture_run(missing, SECOND, buf, sizeof(buf)),
			 -ENOENT);
	assert_string_equal(buf, "");
	assert_int_equal(capture_run(killed, SECOND * 10, buf, sizeof(buf)),
			 -EINTR);
	assert_int_equal(capture_run(reads, SECOND * 10, buf, sizeof(buf)), 0);
	assert_int_equal(capture_run(many, SECOND * 10, buf, sizeof(buf)), 0);
	assert_int_equal(strlen(buf), sizeof(buf) - 1);
}

static void a_command_that_hangs_is_killed_with_its_children(void **state)
{
	static const char *const hangs[] = {
	    "/bin/sh", "-c", "echo begun; sleep 60 & sleep 60", NULL};
	char buf[64];
	uint64_t begin = clock_now_ns();

	(void)state;
	assert_int_equal(capture_run(hangs, SECOND / 2, buf, sizeof(buf)),
			 -ETIMEDOUT);
	assert_string_equal(buf, "begun\n");
	assert_true(clock_now_ns() - begin < 20 * SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bcache_counts_come_from_its_folder),
	    cmocka_unit_test(arc_counts_are_read_under_zfs_alone),
	    cmocka_unit_test(a_dm_cache_tells_reads_and_writes_apart),
	    cmocka_unit_test(lines_of_a_command_are_names_and_numbers),
	    cmocka_unit_test(hits_are_what_rose_between_two_readings),
	    cmocka_unit_test(nothing_looked_up_or_reset_is_unknown),
	    cmocka_unit_test(bcache_is_asked_over_minutes_only),
	    cmocka_unit_test(numbers_of_sysfs_have_binary_suffixes),
	    cmocka_unit_test(a_command_s_output_and_status_come_back),
	    cmocka_unit_test(a_command_that_hangs_is_killed_with_its_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
