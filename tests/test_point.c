/* point and visit: keys, names, seeds, derived numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/visit.h"

static struct point sample_point(void)
{
	struct point p = {
	    .workload = {.stream = {.block_size_bytes = 8192,
				    .read_pct = 100,
				    .random_pct = 100},
			 .threads = 2,
			 .queue_depth = 16},
	    .target = "/data/a",
	    .variant = "",
	    .section = "",
	};

	return p;
}

static void pair_key_ignores_target_and_variant(void **state)
{
	struct point a = sample_point(), b = sample_point();
	char ka[POINT_KEY_MAX], kb[POINT_KEY_MAX];

	(void)state;
	b.target = "/data/b";
	b.variant = "cached";
	b.cache = CACHE_BUFFERED;
	point_pair_key(&a, ka, sizeof(ka));
	point_pair_key(&b, kb, sizeof(kb));
	assert_string_equal(ka, kb);
	point_full_key(&a, ka, sizeof(ka));
	point_full_key(&b, kb, sizeof(kb));
	assert_string_not_equal(ka, kb);
}

static void both_sides_of_a_comparison_get_the_same_seed(void **state)
{
	struct point a = sample_point(), b = sample_point();

	(void)state;
	b.variant = "cached";
	assert_true(point_seed(&a, 1, 1) == point_seed(&b, 1, 1));
	assert_false(point_seed(&a, 1, 1) == point_seed(&a, 1, 2));
	assert_false(point_seed(&a, 1, 1) == point_seed(&a, 2, 1));
	b.workload.queue_depth = 8;
	assert_false(point_seed(&a, 1, 1) == point_seed(&b, 1, 1));
}

static void workloads_are_named_as_people_say(void **state)
{
	static const struct {
		double random_pct, read_pct;
		const char *name;
	} cases[] = {
	    {0, 100, "Sequential read"},     {100, 100, "Random read"},
	    {100, 0, "Random write"},	     {100, 70, "Random 70% read"},
	    {60, 65, "60% random 65% read"},
	};
	struct point p = sample_point();
	char buf[POINT_NAME_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p.workload.stream.random_pct = cases[i].random_pct;
		p.workload.stream.read_pct = cases[i].read_pct;
		assert_string_equal(point_workload_name(&p, buf, sizeof(buf)),
				    cases[i].name);
	}
	p.workload.stream.random_pct = 100;
	p.workload.stream.read_pct = 100;
	distribution_parse("zipf:1.1", &p.workload.stream.distribution);
	assert_string_equal(point_workload_name(&p, buf, sizeof(buf)),
			    "Random read, Zipf 1.1");
	distribution_parse("hot:10/90", &p.workload.stream.distribution);
	assert_string_equal(point_workload_name(&p, buf, sizeof(buf)),
			    "Random read, 90% to 10%");
	p.section = "OLTP";
	assert_string_equal(point_workload_name(&p, buf, sizeof(buf)),
			    "OLTP, 90% to 10%");
	p = sample_point();
	p.section = "Max Throughput-100%Read";
	assert_string_equal(point_workload_name(&p, buf, sizeof(buf)),
			    "Max Throughput-100%Read");
}

static void names_of_modes_and_engines_go_both_ways(void **state)
{
	enum cache_mode mode;
	enum engine_kind kind;
	int i;

	(void)state;
	for (i = 0; i < CACHE_COUNT; i++) {
		assert_int_equal(
		    cache_mode_from_name(cache_mode_name((enum cache_mode)i),
					 &mode),
		    0);
		assert_int_equal(mode, i);
	}
	for (i = 0; i < ENGINE_COUNT; i++) {
		assert_int_equal(
		    engine_kind_from_name(engine_kind_name((enum engine_kind)i),
					  &kind),
		    0);
		assert_int_equal(kind, i);
	}
	assert_int_equal(cache_mode_from_name("odirect", &mode), -EINVAL);
	assert_null(engine_kind_name(ENGINE_COUNT));
}

static void a_rate_is_in_key_seed_name_and_comparison(void **state)
{
	struct point a = sample_point(), b = sample_point();
	char key[POINT_KEY_MAX], name[POINT_NAME_MAX];

	(void)state;
	a.section = b.section = "";
	b.workload.rate_iops = 500;
	point_pair_key(&a, key, sizeof(key));
	assert_null(strstr(key, "rate"));
	point_pair_key(&b, key, sizeof(key));
	assert_non_null(strstr(key, " rate=500"));
	assert_false(point_seed(&a, 1, 1) == point_seed(&b, 1, 1));
	point_workload_name(&b, name, sizeof(name));
	assert_non_null(strstr(name, ", 500 IOPS"));
	b.section = "Max";
	assert_string_equal(point_workload_name(&b, name, sizeof(name)),
			    "Max, 500 IOPS");
	assert_true(workload_compare_name(&a.workload, &b.workload) < 0);
}

static void workloads_are_compared_by_name_by_sweep_and_whole(void **state)
{
	const struct point sample = sample_point();
	const struct workload *a = &sample.workload;
	struct workload b = *a;

	(void)state;
	assert_true(workload_same(a, &b));
	b.queue_depth++;
	assert_false(workload_same(a, &b));
	assert_int_equal(workload_compare_sweep(a, &b), 0);
	b.working_set_bytes++;
	assert_true(workload_compare_sweep(a, &b) < 0);
	assert_true(workload_compare_sweep(&b, a) > 0);
	assert_int_equal(workload_compare_name(a, &b), 0);
	b.stream.read_pct += 1;
	assert_true(workload_compare_name(a, &b) < 0);
	assert_true(workload_compare_name(&b, a) > 0);
}

static void writing_is_told_by_the_read_share(void **state)
{
	static const double reads[] = {0, 1, 50, 99, 100};
	struct point p = sample_point();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		p.workload.stream.read_pct = reads[i];
		assert_int_equal(point_writes(&p), reads[i] < 100);
		assert_int_equal(point_reads(&p), reads[i] > 0);
	}
}

static void an_empty_visit_knows_nothing(void **state)
{
	struct point p = sample_point();
	struct visit v;

	(void)state;
	visit_init(&v);
	assert_true(isnan(visit_iops(&v)));
	assert_true(isnan(visit_mibps(&v)));
	assert_true(isnan(visit_lat_mean_us(&v)));
	assert_true(isnan(visit_little(&v, &p)));
	assert_true(isnan(v.device_depth));
	visit_fini(&v);
}

static void derived_numbers_follow_from_counts(void **state)
{
	struct point p = sample_point();
	struct visit v;

	(void)state;
	visit_init(&v);
	v.measured_ns = 2000000000;
	v.ios[DIR_READ] = 3000;
	v.ios[DIR_WRITE] = 1000;
	v.bytes[DIR_READ] = 3000 * 8192;
	v.bytes[DIR_WRITE] = 1000 * 8192;
	v.lat_sum_ns[DIR_READ] = 3000ull * 16000000;
	v.lat_sum_ns[DIR_WRITE] = 1000ull * 16000000;
	assert_true(fabs(visit_iops(&v) - 2000) < 1e-9);
	assert_true(fabs(visit_mibps(&v) - 15.625) < 1e-9);
	assert_true(fabs(visit_lat_mean_us(&v) - 16000) < 1e-9);
	assert_true(fabs(visit_little(&v, &p) - 1) < 1e-9);
	visit_fini(&v);
}

static void errors_are_counted_by_kind_and_overflow_into_the_last(void **state)
{
	struct visit v;
	uint64_t sum = 0;
	int i;

	(void)state;
	visit_init(&v);
	visit_count_error(&v, EIO, 2);
	visit_count_error(&v, 0, 1);
	visit_count_error(&v, EIO, 3);
	assert_true(v.error_count == 6 && v.errors[0].count == 5);
	assert_true(v.errors[1].errnum == 0 && v.errors[1].count == 1);
	for (i = 100; i < 120; i++)
		visit_count_error(&v, i, 1);
	for (i = 0; i < VISIT_ERROR_KINDS; i++)
		sum += v.errors[i].count;
	assert_true(sum == v.error_count && sum == 26);
	visit_fini(&v);
}

static void reset_keeps_the_memory(void **state)
{
	struct visit v;
	struct hist *kept;

	(void)state;
	visit_init(&v);
	assert_int_equal(visit_reserve(&v, 10), 0);
	kept = v.latency[DIR_READ];
	hist_record(kept, 5);
	visit_reset(&v);
	assert_ptr_equal(v.latency[DIR_READ], kept);
	assert_true(kept->count == 0 && v.sample_capacity == 10);
	visit_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pair_key_ignores_target_and_variant),
	    cmocka_unit_test(both_sides_of_a_comparison_get_the_same_seed),
	    cmocka_unit_test(workloads_are_named_as_people_say),
	    cmocka_unit_test(names_of_modes_and_engines_go_both_ways),
	    cmocka_unit_test(a_rate_is_in_key_seed_name_and_comparison),
	    cmocka_unit_test(workloads_are_compared_by_name_by_sweep_and_whole),
	    cmocka_unit_test(writing_is_told_by_the_read_share),
	    cmocka_unit_test(an_empty_visit_knows_nothing),
	    cmocka_unit_test(derived_numbers_follow_from_counts),
	    cmocka_unit_test(
		errors_are_counted_by_kind_and_overflow_into_the_last),
	    cmocka_unit_test(reset_keeps_the_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
