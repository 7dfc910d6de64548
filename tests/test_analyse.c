/* analyse: from visits to results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/stats.h"
#include "export/verdict.h"
#include "tests/simrun.h"

static bool near(double a, double b, double relative)
{
	return fabs(a - b) <= relative * fabs(b);
}

/* A done visit of one second with so many reads of 4K. */
static struct visit make_visit(uint32_t point, uint32_t round, uint64_t ios)
{
	struct visit v;

	visit_init(&v);
	v.point = point;
	v.round = round;
	v.state = VISIT_DONE;
	v.measured_ns = NS_PER_SEC;
	v.ios[DIR_READ] = ios;
	v.bytes[DIR_READ] = ios * 4096;
	v.lat_sum_ns[DIR_READ] = NS_PER_SEC;
	v.lat_min_ns[DIR_READ] = 1000;
	v.lat_max_ns[DIR_READ] = 2000000;
	v.cpu_user_ns = 100 * NS_PER_MS;
	v.cpu_system_ns = 150 * NS_PER_MS;
	v.cpu_peak_pct = 25;
	v.device_depth = 1;
	v.device_read_bytes = (double)v.bytes[DIR_READ];
	v.device_write_bytes = 0;
	v.switches_voluntary = 7;
	v.started_utc_ns = (int64_t)round * 1000 * 1000000000 +
			   (int64_t)point * 2 * 1000000000;
	return v;
}

struct fixture {
	struct point points[8];
	struct result results[8];
	struct visit visits[64];
	struct run run;
};

/* So many points of 4K, outstanding 1, 2, 4 ...; visits are added by hand. */
static struct fixture *make_fixture(uint32_t points)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t i;

	assert_non_null(f);
	for (i = 0; i < points; i++) {
		f->points[i] = simrun_point(i, 4096, 1u << i);
		f->results[i].point = &f->points[i];
	}
	f->run = (struct run){.points = f->points,
			      .point_count = points,
			      .visits = f->visits,
			      .results = f->results};
	return f;
}

static void add(struct fixture *f, struct visit v)
{
	v.id = f->run.visit_count + 1;
	f->visits[f->run.visit_count++] = v;
}

static void values_are_sums_over_done_visits(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	struct visit failed = make_visit(0, 3, 999);

	(void)state;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(0, 2, 3000));
	failed.state = VISIT_FAILED;
	strcpy(failed.reason, "it broke");
	add(f, failed);
	assert_int_equal(analyse_run(&f->run), 0);
	assert_int_equal(r->done, 2);
	assert_int_equal(r->failed, 1);
	assert_int_equal(r->skipped, 0);
	assert_string_equal(r->reason, "it broke");
	assert_true(near(r->iops.value, 2000, 1e-12));
	assert_true(near(r->mibps.value, 2000 * 4096.0 / 1048576, 1e-12));
	/* 2 s of latency over 4000 I/Os. */
	assert_true(near(r->lat_mean_us.value, 500, 1e-12));
	assert_true(near(r->read_lat_mean_us, 500, 1e-12));
	assert_true(isnan(r->write_lat_mean_us));
	assert_true(r->read_iops == r->iops.value && r->write_iops == 0);
	assert_true(near(r->little, 1, 1e-9));
	assert_true(near(r->cpu_pct, 25, 1e-9));
	assert_true(r->total.ios[DIR_READ] == 4000);
	assert_true(r->total.measured_ns == 2 * NS_PER_SEC);
	assert_true(r->total.switches_voluntary == 14);
	assert_true(isnan(r->total.switches_involuntary));
	assert_true(r->lat_min_us == 1 && r->lat_max_us == 2000);
	free(f);
}

static void a_point_without_a_done_visit_is_unknown(void **state)
{
	struct fixture *f = make_fixture(2);
	const struct result *r = &f->results[1];
	struct visit skipped = make_visit(1, 1, 0);

	(void)state;
	skipped.state = VISIT_SKIPPED;
	strcpy(skipped.reason, "not aligned");
	add(f, make_visit(0, 1, 1000));
	add(f, skipped);
	assert_int_equal(analyse_run(&f->run), 0);
	assert_int_equal(r->done, 0);
	assert_int_equal(r->skipped, 1);
	assert_string_equal(r->reason, "not aligned");
	assert_true(isnan(r->iops.value) && isnan(r->mibps.value));
	assert_true(isnan(r->lat_mean_us.value) && isnan(r->lat_us[0].value));
	assert_true(isnan(r->lat_min_us) && isnan(r->little));
	assert_true(isnan(r->best_share_pct) && isnan(r->read_iops));
	assert_int_equal(r->verdicts, 0);
	free(f);
}

static void an_empty_run_is_no_error(void **state)
{
	struct run run = {0};

	(void)state;
	assert_int_equal(analyse_run(&run), 0);
}

static void one_point_alone_has_the_plain_t_interval(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	static const uint64_t ios[] = {1000, 1100, 900, 1050, 980};
	double logs[5], half;
	struct stats_summary s;
	uint32_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		add(f, make_visit(0, i + 1, ios[i]));
		logs[i] = log((double)ios[i]);
	}
	s = stats_summarize(logs, 5);
	half = 2.7764451052 * sqrt(s.variance / 5);
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(near(r->iops.low, r->iops.value * exp(-half), 1e-9));
	assert_true(near(r->iops.high, r->iops.value * exp(half), 1e-9));
	assert_true(near(r->mibps.high / r->mibps.value,
			 r->iops.high / r->iops.value, 1e-9));
	free(f);
}

static void few_visits_borrow_the_spread_of_their_neighbours(void **state)
{
	struct fixture *f = make_fixture(2);
	const struct result *r = &f->results[0];
	/* Point 0 by luck almost equal twice; point 1 varies by 10%. */
	static const uint64_t ios[2][3] = {{1000, 1001, 1002},
					   {2000, 2200, 1800}};
	uint32_t p, i;

	(void)state;
	for (i = 0; i < 3; i++)
		for (p = 0; p < 2; p++)
			add(f, make_visit(p, i + 1, ios[p][i]));
	assert_int_equal(analyse_run(&f->run), 0);
	/* t with 2 df on its own spread would say +-0.25%. */
	assert_true(r->iops.high / r->iops.value > 1.05);
	assert_true(r->iops.high / r->iops.value < 1.15);
	free(f);
}

static void round_noise_is_part_of_a_points_own_interval(void **state)
{
	struct fixture *f = make_fixture(4);
	uint32_t p, i;
	static const double round_factor[] = {1, 1.3, 0.8, 1.1, 0.9};

	(void)state;
	for (i = 0; i < 5; i++)
		for (p = 0; p < 4; p++)
			add(f, make_visit(p, i + 1,
					  (uint64_t)(1000 * (p + 1) *
						     round_factor[i])));
	assert_int_equal(analyse_run(&f->run), 0);
	/* Residuals are nil; the device's ups and downs are not. */
	for (p = 0; p < 4; p++)
		assert_true(f->results[p].iops.high / f->results[p].iops.value >
			    1.15);
	free(f);
}

static void one_visit_without_series_has_no_interval(void **state)
{
	struct fixture *f = make_fixture(2);
	const struct result *r = &f->results[0];

	(void)state;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(1, 1, 2000));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(r->iops.value == 1000);
	assert_true(isnan(r->iops.low) && isnan(r->iops.high));
	assert_true(isnan(r->lat_mean_us.low));
	assert_true(r->verdicts & (1u << VERDICT_ONE_VISIT));
	free(f);
}

static void one_visit_with_series_has_batch_means(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	struct sample samples[20];
	struct visit v = make_visit(0, 1, 2000);
	uint32_t i;

	(void)state;
	memset(samples, 0, sizeof(samples));
	for (i = 0; i < 20; i++)
		samples[i].ios[DIR_READ] = i / 2 % 2 ? 110 : 90;
	v.samples = samples;
	v.sample_count = 20;
	add(f, v);
	assert_int_equal(analyse_run(&f->run), 0);
	/* Ten batches of 180 and 220: sd 21.08, se 6.67, t(9) 2.262. */
	assert_true(near(log(r->iops.high / r->iops.value),
			 2.2621571628 * 20 / 3 / 200, 1e-6));
	assert_true(r->verdicts & (1u << VERDICT_ONE_VISIT));
	free(f);
}

static void a_visit_without_any_io_leaves_no_interval(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	struct visit stalled = make_visit(0, 3, 0);

	(void)state;
	stalled.lat_sum_ns[DIR_READ] = 0;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(0, 2, 1100));
	add(f, stalled);
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(near(r->iops.value, 700, 1e-12));
	assert_true(isnan(r->iops.low) && isnan(r->iops.high));
	free(f);
}

static void missed_rounds_are_corrected_for(void **state)
{
	struct fixture *f = make_fixture(4);
	const struct result *r = &f->results[3];
	/* The device is slower by 30% in rounds 4 and 5, which point 3 did not
	 * see. */
	uint32_t p, i;

	(void)state;
	for (i = 0; i < 5; i++)
		for (p = 0; p < 4; p++)
			if (p < 3 || i < 3)
				add(f,
				    make_visit(p, i + 1, i < 3 ? 10000 : 7000));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(r->iops.value < 9200 && r->iops.value > 8500);
	assert_true(r->verdicts & (1u << VERDICT_CORRECTED));
	assert_true(r->verdict_value[VERDICT_CORRECTED] < -8);
	assert_false(f->results[0].verdicts & (1u << VERDICT_CORRECTED));
	assert_true(near(f->results[0].iops.value, 8800, 1e-12));
	free(f);
}

static void other_storage_lends_no_spread(void **state)
{
	struct fixture *f = make_fixture(2);
	uint32_t i;

	(void)state;
	f->points[1].cache = CACHE_BUFFERED;
	for (i = 0; i < 5; i++) {
		add(f, make_visit(0, i + 1, 10000 + i));
		add(f, make_visit(1, i + 1, 10000 + 2000 * i));
	}
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(f->results[0].iops.high < 1.001 * f->results[0].iops.value);
	assert_true(f->results[1].iops.high > 1.2 * f->results[1].iops.value);
	free(f);
}

static void shares_are_of_the_best_of_the_size_in_its_group(void **state)
{
	struct fixture *f = make_fixture(4);

	(void)state;
	f->points[2].workload.stream.block_size_bytes = 8192;
	f->points[3].workload.stream.read_pct = 0;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(1, 1, 4000));
	add(f, make_visit(2, 1, 2000));
	add(f, make_visit(3, 1, 100));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(near(f->results[0].best_share_pct, 25, 1e-9));
	assert_true(near(f->results[1].best_share_pct, 100, 1e-9));
	assert_true(near(f->results[2].best_share_pct, 100, 1e-9));
	assert_true(near(f->results[3].best_share_pct, 100, 1e-9));
	free(f);
}

static void errors_are_summed_by_kind(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	struct visit a = make_visit(0, 1, 1000), b = make_visit(0, 2, 1000);

	(void)state;
	visit_count_error(&a, 5, 3);
	visit_count_error(&b, 5, 4);
	visit_count_error(&b, 0, 1);
	add(f, a);
	add(f, b);
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(r->total.error_count == 8);
	assert_true(r->total.errors[0].errnum == 5);
	assert_true(r->total.errors[0].count == 7);
	assert_true(r->total.errors[1].count == 1);
	assert_true(r->verdict_value[VERDICT_ERRORS] == 8);
	free(f);
}

static void percentiles_come_from_the_merged_histograms(void **state)
{
	struct point point = simrun_point(0, 4096, 4);
	struct simrun s;
	const struct result *r;
	uint32_t round;

	(void)state;
	point.workload.stream.read_pct = 50;
	simrun_init(&s, &point, 1, NULL, NULL, 1);
	for (round = 1; round <= 3; round++)
		simrun_round(&s, round, NULL, true);
	assert_int_equal(analyse_run(&s.run), 0);
	r = &s.run.results[0];
	/* Lognormal, sigma 0.35: median is mean / exp(0.35^2 / 2). */
	assert_true(near(r->lat_us[PCT_50].value,
			 r->lat_mean_us.value * exp(-0.06125), 0.03));
	assert_true(near(r->lat_us[PCT_99].value,
			 r->lat_us[PCT_50].value * exp(0.35 * 2.326), 0.05));
	assert_true(near(r->lat_stddev_us,
			 r->lat_mean_us.value * sqrt(exp(0.1225) - 1), 0.05));
	assert_true(r->lat_us[PCT_99].low <= r->lat_us[PCT_99].value);
	assert_true(r->lat_us[PCT_99].high >= r->lat_us[PCT_99].value);
	assert_true(near(r->read_p99_us, r->lat_us[PCT_99].value, 0.03));
	assert_true(near(r->write_p99_us, r->lat_us[PCT_99].value, 0.03));
	assert_true(r->lat_us[PCT_9999].value <= r->lat_max_us);
	simrun_fini(&s);
}

static void rare_percentiles_are_unknown(void **state)
{
	struct fixture *f = make_fixture(1);
	const struct result *r = &f->results[0];
	uint64_t bucket[] = {50, 150};

	(void)state;
	f->results[0].latency[DIR_READ] =
	    (struct hist_span){.first = 1000, .count = 2, .bucket = bucket};
	add(f, make_visit(0, 1, 200));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(r->lat_us[PCT_50].value > 0);
	assert_true(r->lat_us[PCT_95].value > 0);
	assert_true(isnan(r->lat_us[PCT_99].value));
	assert_true(isnan(r->lat_us[PCT_99].high));
	assert_true(isnan(r->read_p99_us) && isnan(r->write_p99_us));
	free(f);
}

static void a_precision_asked_and_missed_is_said(void **state)
{
	struct fixture *f = make_fixture(1);
	char section[] = "plan", name[] = "precision", value[] = "02%";
	struct run_fact fact = {section, name, value};
	const struct result *r = &f->results[0];

	(void)state;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(0, 2, 1100));
	add(f, make_visit(0, 3, 1050));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_false(r->verdicts & (1u << VERDICT_NOT_CONVERGED));
	f->run.facts = &fact;
	f->run.fact_count = 1;
	assert_int_equal(analyse_run(&f->run), 0);
	assert_true(r->verdicts & (1u << VERDICT_NOT_CONVERGED));
	assert_true(r->verdict_value[VERDICT_NOT_CONVERGED] > 5);
	value[0] = '5';
	assert_int_equal(analyse_run(&f->run), 0);
	assert_false(r->verdicts & (1u << VERDICT_NOT_CONVERGED));
	free(f);
}

static void a_wall_clock_set_back_is_said(void **state)
{
	struct fixture *f = make_fixture(2);

	(void)state;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(1, 1, 1000));
	add(f, make_visit(0, 2, 1000));
	add(f, make_visit(1, 2, 1000));
	assert_int_equal(analyse_run(&f->run), 0);
	assert_false(f->results[0].verdicts & (1u << VERDICT_CLOCK));
	f->visits[3].started_utc_ns -= (int64_t)100 * 1000000000;
	assert_int_equal(analyse_run(&f->run), 0);
	assert_false(f->results[0].verdicts & (1u << VERDICT_CLOCK));
	assert_true(f->results[1].verdicts & (1u << VERDICT_CLOCK));
	/* It started 98 s before its predecessor, which took 1 s. */
	assert_true(near(f->results[1].verdict_value[VERDICT_CLOCK], 99, 1e-9));
	free(f);
}

static void analysing_again_gives_the_same(void **state)
{
	struct fixture *f = make_fixture(2);
	struct result first;

	(void)state;
	add(f, make_visit(0, 1, 1000));
	add(f, make_visit(1, 1, 2000));
	add(f, make_visit(0, 2, 1100));
	assert_int_equal(analyse_run(&f->run), 0);
	first = f->results[0];
	assert_int_equal(analyse_run(&f->run), 0);
	assert_memory_equal(&first, &f->results[0], sizeof(first));
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_sums_over_done_visits),
	    cmocka_unit_test(a_point_without_a_done_visit_is_unknown),
	    cmocka_unit_test(an_empty_run_is_no_error),
	    cmocka_unit_test(one_point_alone_has_the_plain_t_interval),
	    cmocka_unit_test(few_visits_borrow_the_spread_of_their_neighbours),
	    cmocka_unit_test(round_noise_is_part_of_a_points_own_interval),
	    cmocka_unit_test(one_visit_without_series_has_no_interval),
	    cmocka_unit_test(one_visit_with_series_has_batch_means),
	    cmocka_unit_test(a_visit_without_any_io_leaves_no_interval),
	    cmocka_unit_test(missed_rounds_are_corrected_for),
	    cmocka_unit_test(other_storage_lends_no_spread),
	    cmocka_unit_test(shares_are_of_the_best_of_the_size_in_its_group),
	    cmocka_unit_test(errors_are_summed_by_kind),
	    cmocka_unit_test(percentiles_come_from_the_merged_histograms),
	    cmocka_unit_test(rare_percentiles_are_unknown),
	    cmocka_unit_test(a_precision_asked_and_missed_is_said),
	    cmocka_unit_test(a_wall_clock_set_back_is_said),
	    cmocka_unit_test(analysing_again_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
