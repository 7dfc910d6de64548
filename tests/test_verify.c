/* verify: what may be found in a block that was written, and what is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/verify.h"

#define BLOCK 4096
#define MARK 0x1234567890abcdefu
#define OFFSET ((uint64_t)40960)

static char block[BLOCK];
static const struct verify_expected only_7 = {.oldest = 7, .newest = 7};

static void write_block(uint64_t mark, uint64_t offset, uint64_t stamp)
{
	memset(block, 0x5a, sizeof(block));
	verify_stamp(block, BLOCK, mark, offset, stamp);
}

static enum verify_finding judge(const struct verify_expected *expected)
{
	return verify_judge(block, BLOCK, MARK, OFFSET, expected);
}

static void a_block_as_it_was_written_is_good(void **state)
{
	(void)state;
	write_block(MARK, OFFSET, 7);
	assert_int_equal(judge(&only_7), VERIFY_GOOD);
}

static void any_flipped_bit_is_found(void **state)
{
	uint32_t bit;

	(void)state;
	write_block(MARK, OFFSET, 7);
	for (bit = 0; bit < BLOCK * 8; bit++) {
		block[bit / 8] ^= (char)(1 << bit % 8);
		if (judge(&only_7) != VERIFY_FLIPPED)
			fail_msg("bit %u: %s", bit,
				 verify_finding_name(judge(&only_7)));
		block[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_int_equal(judge(&only_7), VERIFY_GOOD);
}

static void a_lost_write_is_stale(void **state)
{
	(void)state;
	write_block(MARK, OFFSET, 6); /* an earlier write of ours */
	assert_int_equal(judge(&only_7), VERIFY_STALE);
	write_block(~MARK, OFFSET, 7); /* another run's */
	assert_int_equal(judge(&only_7), VERIFY_STALE);
	memset(block, 0, sizeof(block)); /* nobody's */
	assert_int_equal(judge(&only_7), VERIFY_STALE);
	memset(block, 0x77, sizeof(block));
	assert_int_equal(judge(&only_7), VERIFY_STALE);
}

static void a_block_of_elsewhere_is_misplaced(void **state)
{
	(void)state;
	write_block(MARK, OFFSET + BLOCK, 7);
	assert_int_equal(judge(&only_7), VERIFY_MISPLACED);
}

static void a_block_half_new_is_torn(void **state)
{
	char old[BLOCK];

	(void)state;
	write_block(MARK, OFFSET, 6);
	memcpy(old, block, sizeof(old));
	write_block(MARK, OFFSET, 7);
	memcpy(block + 512, old + 512, 512);
	assert_int_equal(judge(&only_7), VERIFY_TORN);
}

static void any_of_overlapping_writes_is_good(void **state)
{
	const struct verify_expected both = {.oldest = 6, .newest = 7};

	(void)state;
	write_block(MARK, OFFSET, 6);
	assert_int_equal(judge(&both), VERIFY_GOOD);
	write_block(MARK, OFFSET, 5);
	assert_int_equal(judge(&both), VERIFY_STALE);
}

static struct verify_log logs[2];

static int make_logs(void **state)
{
	(void)state;
	return verify_log_init(&logs[0], 1000) ||
	       verify_log_init(&logs[1], 1000);
}

static int drop_logs(void **state)
{
	(void)state;
	verify_log_fini(&logs[0]);
	verify_log_fini(&logs[1]);
	return 0;
}

static void write_at(uint32_t log, uint64_t offset, uint64_t began,
		     uint64_t ended)
{
	verify_log_begin(&logs[log], offset, began);
	verify_log_end(&logs[log], offset, ended, true);
}

static void the_last_write_is_expected(void **state)
{
	struct verify_expected e;

	(void)state;
	assert_false(verify_expect(logs, 2, OFFSET, &e));
	write_at(0, OFFSET, 10, 20);
	write_at(0, OFFSET, 30, 40);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_int_equal(e.oldest, 30);
	assert_int_equal(e.newest, 30);
	assert_false(e.anything);
	/* Another thread's, later. */
	write_at(1, OFFSET, 50, 60);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_int_equal(e.oldest, 50);
	/* And this one's again. */
	write_at(0, OFFSET, 70, 80);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_int_equal(e.oldest, 70);
	assert_int_equal(e.newest, 70);
}

static void overlapping_writes_are_all_expected(void **state)
{
	struct verify_expected e;

	(void)state;
	/* Within a thread. */
	verify_log_begin(&logs[0], OFFSET, 10);
	verify_log_begin(&logs[0], OFFSET, 20);
	verify_log_end(&logs[0], OFFSET, 30, true);
	verify_log_end(&logs[0], OFFSET, 35, true);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_int_equal(e.oldest, 10);
	assert_int_equal(e.newest, 20);
	/* Between threads: it was under way when the other began. */
	write_at(1, OFFSET, 33, 50);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_int_equal(e.oldest, 10);
	assert_int_equal(e.newest, 33);
}

static void a_failed_write_leaves_anything(void **state)
{
	struct verify_expected e;

	(void)state;
	verify_log_begin(&logs[0], OFFSET, 10);
	verify_log_end(&logs[0], OFFSET, 20, false);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_true(e.anything);
	/* The next one that succeeds is what is there. */
	write_at(0, OFFSET, 30, 40);
	assert_true(verify_expect(logs, 2, OFFSET, &e));
	assert_false(e.anything);
}

static void a_full_log_says_so(void **state)
{
	struct verify_expected e;
	uint64_t i;

	(void)state;
	for (i = 0; i < 5000; i++)
		write_at(1, i * BLOCK, 10 + i, 11 + i);
	assert_true(logs[1].unrecorded > 0);
	assert_int_equal(logs[1].count + logs[1].unrecorded, 5000);
	/* What the other thread wrote may have been overwritten unseen. */
	write_at(0, 4999 * BLOCK, 9000, 9001);
	assert_true(verify_expect(logs, 2, 4999 * BLOCK, &e));
	assert_true(e.anything);
	/* What it has in its own log is known. */
	assert_true(verify_expect(logs, 2, 0, &e));
	assert_false(e.anything);
	verify_log_clear(&logs[1]);
	assert_int_equal(logs[1].unrecorded, 0);
	assert_false(verify_expect(&logs[1], 1, 0, &e));
}

static void findings_have_names(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < VERIFY_FINDING_COUNT; i++)
		assert_non_null(verify_finding_name((enum verify_finding)i));
	assert_null(verify_finding_name(VERIFY_FINDING_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_block_as_it_was_written_is_good),
	    cmocka_unit_test(any_flipped_bit_is_found),
	    cmocka_unit_test(a_lost_write_is_stale),
	    cmocka_unit_test(a_block_of_elsewhere_is_misplaced),
	    cmocka_unit_test(a_block_half_new_is_torn),
	    cmocka_unit_test(any_of_overlapping_writes_is_good),
	    cmocka_unit_test_setup_teardown(the_last_write_is_expected,
					    make_logs, drop_logs),
	    cmocka_unit_test_setup_teardown(overlapping_writes_are_all_expected,
					    make_logs, drop_logs),
	    cmocka_unit_test_setup_teardown(a_failed_write_leaves_anything,
					    make_logs, drop_logs),
	    cmocka_unit_test_setup_teardown(a_full_log_says_so, make_logs,
					    drop_logs),
	    cmocka_unit_test(findings_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
