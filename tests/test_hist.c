/* hist: the error bound is checked against sorted samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "engine/hist.h"

#define SAMPLES 200000

static struct hist h;

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void buckets_tile_the_range_without_gap(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < HIST_BUCKETS; i++) {
		assert_int_equal(hist_index(hist_bucket_lower(i)), i);
		assert_int_equal(hist_index(hist_bucket_upper(i) - 1), i);
		if (i)
			assert_true(hist_bucket_lower(i) ==
				    hist_bucket_upper(i - 1));
	}
	assert_true(hist_bucket_upper(HIST_BUCKETS - 1) ==
		    (uint64_t)1 << HIST_MAX_BITS);
}

static void
percentiles_are_within_half_a_percent_of_sorted_samples(void **state)
{
	static const double q[] = {0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
	uint64_t *sorted = malloc(SAMPLES * sizeof(*sorted));
	uint64_t x = 88172645463325252u;
	size_t i;

	(void)state;
	assert_non_null(sorted);
	hist_reset(&h);
	for (i = 0; i < SAMPLES; i++) {
		/* Log-uniform over 1 ns .. about 17 s. */
		double e = (double)(next_random(&x) % 1000000) / 1e6 * 34;

		sorted[i] = (uint64_t)exp2(e);
		hist_record(&h, sorted[i]);
	}
	qsort(sorted, SAMPLES, sizeof(*sorted), by_value);
	for (i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		double truth = (double)sorted[(size_t)ceil(q[i] * SAMPLES) - 1];
		double got = hist_percentile_ns(&h, q[i]);

		assert_true(fabs(got - truth) <= 0.005 * truth);
	}
	assert_true(h.min_ns == sorted[0]);
	assert_true(h.max_ns == sorted[SAMPLES - 1]);
	free(sorted);
}

static void mean_and_deviation_are_exact(void **state)
{
	uint64_t v;

	(void)state;
	hist_reset(&h);
	for (v = 1; v <= 1001; v++)
		hist_record(&h, v * 1000);
	assert_true(fabs(hist_mean_ns(&h) - 501000) < 1e-6);
	assert_true(fabs(hist_stddev_ns(&h) - 289108.1) < 0.1);
}

static void a_percentile_with_few_samples_above_is_unknown(void **state)
{
	struct hist_quantile quantile;
	int i;

	(void)state;
	hist_reset(&h);
	assert_true(isnan(hist_percentile_ns(&h, 0.5)));
	assert_true(isnan(hist_mean_ns(&h)));
	for (i = 0; i < 999; i++)
		hist_record(&h, 100);
	assert_true(isnan(hist_percentile_ns(&h, 0.99)));
	assert_false(hist_quantile_ns(&h, 0.99, &quantile));
	hist_record(&h, 100);
	assert_true(fabs(hist_percentile_ns(&h, 0.99) - 100) < 1e-9);
	assert_true(hist_quantile_ns(&h, 0.99, &quantile));
}

static void the_binomial_interval_covers_19_of_20(void **state)
{
	uint64_t x = 1234567;
	int hits = 0, tries = 1000, t, i;

	(void)state;
	for (t = 0; t < tries; t++) {
		struct hist_quantile quantile;

		hist_reset(&h);
		for (i = 0; i < 2000; i++)
			hist_record(&h, next_random(&x) % 1000000 + 1);
		assert_true(hist_quantile_ns(&h, 0.95, &quantile));
		/* The bucket's half width is allowed on both sides. */
		if (quantile.low_ns * 0.996 <= 950000 &&
		    quantile.high_ns * 1.004 >= 950000)
			hits++;
	}
	assert_true(hits >= 940);
}

static void merging_equals_recording_together(void **state)
{
	static struct hist a, b, both;
	uint64_t x = 42;
	uint32_t i;

	(void)state;
	hist_reset(&a);
	hist_reset(&b);
	hist_reset(&both);
	for (i = 0; i < 10000; i++) {
		uint64_t v = next_random(&x) >> (x % 40);

		hist_record(i % 3 ? &a : &b, v);
		hist_record(&both, v);
	}
	hist_merge(&a, &b);
	assert_true(a.count == both.count && a.sum_ns == both.sum_ns);
	assert_true(a.min_ns == both.min_ns && a.max_ns == both.max_ns);
	assert_memory_equal(a.bucket, both.bucket, sizeof(a.bucket));
}

static void values_past_the_range_keep_their_maximum(void **state)
{
	(void)state;
	hist_reset(&h);
	hist_record(&h, UINT64_MAX);
	hist_record(&h, (uint64_t)1 << HIST_MAX_BITS);
	assert_true(h.bucket[HIST_BUCKETS - 1] == 2);
	assert_true(h.max_ns == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(buckets_tile_the_range_without_gap),
	    cmocka_unit_test(
		percentiles_are_within_half_a_percent_of_sorted_samples),
	    cmocka_unit_test(mean_and_deviation_are_exact),
	    cmocka_unit_test(a_percentile_with_few_samples_above_is_unknown),
	    cmocka_unit_test(the_binomial_interval_covers_19_of_20),
	    cmocka_unit_test(merging_equals_recording_together),
	    cmocka_unit_test(values_past_the_range_keep_their_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
