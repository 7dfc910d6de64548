/* sweetspot: the definition, on grids written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/group.h"
#include "export/sweetspot.h"
#include "tests/simrun.h"

#define MOST 64

struct fixture {
	struct point points[MOST];
	struct result results[MOST];
	struct run run;
	struct sweetspot_list list;
};

static struct fixture *make_fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->run.points = f->points;
	f->run.results = f->results;
	return f;
}

static void free_fixture(struct fixture *f)
{
	sweetspot_free(&f->list);
	free(f);
}

/* A measured point with an interval of +- half_pct. */
static struct result *add(struct fixture *f, uint64_t kib, uint32_t outstanding,
			  double iops, double half_pct)
{
	uint32_t i = f->run.point_count++;
	struct result *r = &f->results[i];
	double mib = (double)kib / 1024, h = half_pct / 100;

	f->points[i] = simrun_point(i, kib * KIB, outstanding);
	r->point = &f->points[i];
	r->done = 5;
	r->iops = (struct interval){iops, iops * (1 - h), iops * (1 + h)};
	r->mibps = (struct interval){iops * mib, iops * mib * (1 - h),
				     iops * mib * (1 + h)};
	r->lat_mean_us.value = outstanding * 1e6 / iops;
	r->lat_us[PCT_99].value = 3 * r->lat_mean_us.value;
	r->lat_us[PCT_9999].value = NAN;
	return r;
}

static const struct sweetspot *solve(struct fixture *f,
				     const struct latency_limit *limit)
{
	sweetspot_free(&f->list);
	assert_int_equal(sweetspot_find(&f->run, limit, &f->list), 0);
	assert_true(f->list.count > 0);
	return &f->list.spots[0];
}

/* A device of 2,000 MiB/s and 80,000 IOPS, depth 1 to 32. */
static void add_device(struct fixture *f, double half_pct)
{
	static const uint64_t sizes[] = {4, 16, 64, 256};
	static const double iops[4][4] = {
	    {9e3, 35e3, 78e3, 80e3},
	    {8e3, 32e3, 70e3, 72e3},
	    {6e3, 20e3, 31e3, 32e3},
	    {3e3, 7.7e3, 7.9e3, 8e3},
	};
	static const uint32_t depth[] = {1, 4, 16, 32};
	int s, d;

	for (s = 0; s < 4; s++)
		for (d = 0; d < 4; d++)
			add(f, sizes[s], depth[d], iops[s][d], half_pct);
}

static void is_at(const struct result *r, uint64_t kib, uint32_t outstanding)
{
	assert_non_null(r);
	assert_int_equal(r->point->workload.stream.block_size_bytes, kib * KIB);
	assert_int_equal(point_outstanding(r->point), outstanding);
}

static void the_definition_holds_on_a_saturating_grid(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add_device(f, 0.1);
	spot = solve(f, NULL);
	assert_int_equal(f->list.count, 1);
	assert_int_equal(spot->size_count, 4);
	is_at(spot->sizes[0].sweet, 4, 16);
	is_at(spot->sizes[0].best, 4, 32);
	is_at(spot->sizes[3].sweet, 256, 4);
	/* At the sweet outstanding: 305, 1094, 1938, 1925 MiB/s. */
	is_at(spot->sweet, 64, 16);
	assert_null(spot->undecided);
	is_at(spot->peak_iops, 4, 32);
	is_at(spot->peak_mibps, 64, 32);
	is_at(spot->lowest_latency, 4, 1);
	assert_ptr_equal(spot->group, &f->points[0]);
	free_fixture(f);
}

static void exactly_95_percent_is_enough(void **state)
{
	struct fixture *f = make_fixture();

	(void)state;
	add(f, 4, 1, 950, 0);
	add(f, 4, 2, 1000, 0);
	is_at(solve(f, NULL)->sweet, 4, 1);
	f->results[0].iops.value = 949.9;
	is_at(solve(f, NULL)->sweet, 4, 2);
	free_fixture(f);
}

static void a_smaller_outstanding_that_straddles_is_undecided(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add(f, 4, 1, 800, 2);
	add(f, 4, 2, 940, 2); /* up to 959 */
	add(f, 4, 4, 980, 2);
	add(f, 4, 8, 1000, 2);
	spot = solve(f, NULL);
	is_at(spot->sweet, 4, 4);
	is_at(spot->undecided, 4, 2);
	free_fixture(f);
}

static void a_tie_of_sizes_goes_to_the_smaller_one(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add(f, 4, 8, 1000, 2);
	add(f, 8, 8, 930, 3);  /* 7.27 MiB/s, up to 7.48 */
	add(f, 16, 8, 500, 2); /* 7.81 MiB/s, 95% is 7.42 */
	spot = solve(f, NULL);
	is_at(spot->sweet, 8, 8);
	is_at(spot->undecided, 16, 8);
	/* 4K is far off and only badly known. */
	f->results[0].mibps.high = 8;
	spot = solve(f, NULL);
	is_at(spot->sweet, 8, 8);
	f->results[1].mibps.value = 7;
	spot = solve(f, NULL);
	is_at(spot->sweet, 16, 8);
	is_at(spot->undecided, 4, 8);
	f->results[0].mibps.high = 4;
	f->results[1].mibps.high = 7.41;
	spot = solve(f, NULL);
	is_at(spot->sweet, 16, 8);
	assert_null(spot->undecided);
	free_fixture(f);
}

static void without_intervals_values_decide(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add(f, 4, 2, 940, NAN);
	add(f, 4, 4, 1000, NAN);
	spot = solve(f, NULL);
	is_at(spot->sweet, 4, 4);
	assert_null(spot->undecided);
	free_fixture(f);
}

static void holes_and_failed_points_are_passed_over(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;
	struct result *failed;

	(void)state;
	add(f, 4, 1, 500, 0);
	failed = add(f, 4, 2, 1e9, 0);
	failed->done = 0;
	failed->iops.value = failed->mibps.value = NAN;
	failed->lat_mean_us.value = NAN;
	add(f, 4, 4, 1000, 0);
	add(f, 8, 2, 600, 0); /* 1 and 4 were not planned */
	failed = add(f, 16, 1, 0, 0);
	failed->done = 0;
	failed->iops.value = NAN;
	spot = solve(f, NULL);
	assert_int_equal(spot->size_count, 2);
	is_at(spot->sweet, 8, 2);
	is_at(spot->lowest_latency, 4, 1);
	free_fixture(f);
}

static void nothing_measured_has_no_sweet_spot(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;
	char text[SWEETSPOT_TEXT_MAX];

	(void)state;
	add(f, 4, 1, NAN, 0)->done = 0;
	add(f, 4, 2, 0, 0); /* done, but no I/O came back */
	spot = solve(f, NULL);
	assert_null(spot->sweet);
	assert_null(spot->peak_iops);
	assert_int_equal(spot->size_count, 0);
	assert_string_equal(sweetspot_sentence(spot, NULL, text, sizeof(text)),
			    "Random read: nothing was measured.");
	free_fixture(f);
}

static void an_empty_run_has_no_group(void **state)
{
	struct run run = {0};
	struct sweetspot_list list;

	(void)state;
	assert_int_equal(sweetspot_find(&run, NULL, &list), 0);
	assert_int_equal(list.count, 0);
	sweetspot_free(&list);
}

static void a_single_point_is_its_own_sweet_spot(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add(f, 32, 8, 1000, 1);
	spot = solve(f, NULL);
	is_at(spot->sweet, 32, 8);
	assert_null(spot->undecided);
	is_at(spot->sizes[0].best, 32, 8);
	free_fixture(f);
}

static void of_equal_points_the_smaller_wins(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;

	(void)state;
	add(f, 8, 4, 1000, 1);
	add(f, 8, 2, 1000, 1);
	add(f, 4, 4, 2000, 1);
	spot = solve(f, NULL);
	is_at(spot->sweet, 4, 4);
	is_at(spot->sizes[1].sweet, 8, 2);
	is_at(spot->sizes[1].best, 8, 2);
	free_fixture(f);
}

static void the_latency_limit_leaves_the_points_that_keep_it(void **state)
{
	struct fixture *f = make_fixture();
	/* p99 is three times the mean: 64K has 500 us, 600 us, 1548 us. */
	struct latency_limit limit = {PCT_99, 700};
	const struct sweetspot *spot;

	(void)state;
	add_device(f, 0.1);
	spot = solve(f, &limit);
	/* 4K up to 16, 16K up to 16 (686 us), 64K up to 4, 256K none. */
	assert_int_equal(spot->size_count, 3);
	is_at(spot->sizes[0].sweet, 4, 16);
	is_at(spot->sizes[2].sweet, 64, 4);
	is_at(spot->sizes[2].peak, 64, 32);
	is_at(spot->sizes[2].deepest, 64, 32);
	is_at(spot->sweet, 64, 4);
	/* Peaks are told as they are. */
	is_at(spot->peak_iops, 4, 32);
	free_fixture(f);
}

static void a_limit_on_the_mean_uses_the_mean(void **state)
{
	struct fixture *f = make_fixture();
	struct latency_limit limit = {PCT_COUNT, 700};

	(void)state;
	add_device(f, 0.1);
	is_at(solve(f, &limit)->sweet, 64, 16);
	free_fixture(f);
}

static void an_unattainable_limit_leaves_nothing(void **state)
{
	struct fixture *f = make_fixture();
	struct latency_limit limit = {PCT_99, 1};
	const struct sweetspot *spot;
	char text[SWEETSPOT_TEXT_MAX];

	(void)state;
	add_device(f, 0.1);
	spot = solve(f, &limit);
	assert_null(spot->sweet);
	assert_int_equal(spot->size_count, 0);
	assert_string_equal(sweetspot_sentence(spot, NULL, text, sizeof(text)),
			    "Random read: no point keeps the latency limit; "
			    "the lowest mean latency is 111 us, 4K at 1 "
			    "outstanding.");
	free_fixture(f);
}

static void an_unknown_percentile_keeps_no_limit(void **state)
{
	struct fixture *f = make_fixture();
	struct latency_limit limit = {PCT_9999, 1e9};

	(void)state;
	add_device(f, 0.1);
	assert_null(solve(f, &limit)->sweet);
	limit.limit_us = NAN;
	assert_non_null(solve(f, &limit)->sweet);
	free_fixture(f);
}

static void sentences_say_where_and_what_more_would_bring(void **state)
{
	struct fixture *f = make_fixture();
	struct latency_limit limit = {PCT_99, 700};
	char text[SWEETSPOT_TEXT_MAX];

	(void)state;
	add_device(f, 0.1);
	assert_string_equal(
	    sweetspot_sentence(solve(f, NULL), NULL, text, sizeof(text)),
	    "Random read: 64K at 16 outstanding, 1,938 MiB/s, 31,000 IOPS, "
	    "516 us; more outstanding adds latency only.");
	assert_string_equal(
	    sweetspot_sentence(solve(f, &limit), NULL, text, sizeof(text)),
	    "Random read: 64K at 4 outstanding, 1,250 MiB/s, 20,000 IOPS, "
	    "200 us; more outstanding breaks the latency limit.");
	free_fixture(f);
	f = make_fixture();
	add(f, 4, 2, 940, 2);
	add(f, 4, 4, 1000, 2);
	assert_string_equal(
	    sweetspot_sentence(solve(f, NULL), NULL, text, sizeof(text)),
	    "Random read: 4K at 4 outstanding, 3.91 MiB/s, 1,000 IOPS, 4 ms; "
	    "more outstanding was not measured; undecided: 4K at 2 "
	    "outstanding may do as well.");
	free_fixture(f);
}

static void a_short_buffer_cuts_the_sentence(void **state)
{
	struct fixture *f = make_fixture();
	char text[24];

	(void)state;
	add_device(f, 0.1);
	sweetspot_sentence(solve(f, NULL), NULL, text, sizeof(text));
	assert_string_equal(text, "Random read: 64K at 16 ");
	free_fixture(f);
}

static void groups_are_told_apart_and_keep_their_order(void **state)
{
	struct fixture *f = make_fixture();
	uint32_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		add(f, 4, 1, 1000 + i, 0);
	f->points[1].workload.stream.read_pct = 0;
	f->points[2].workload.stream.random_pct = 0;
	f->points[3].variant = "cached";
	f->points[4].cache = CACHE_BUFFERED;
	f->points[5].target = "/other";
	f->points[6].section = "Max Throughput";
	f->points[7].workload.working_set_bytes = GIB;
	solve(f, NULL);
	assert_int_equal(f->list.count, 8);
	for (i = 0; i < 8; i++)
		assert_ptr_equal(f->list.spots[i].sweet, &f->results[i]);
	free_fixture(f);
}

static void set_threads(struct point *p, uint32_t threads)
{
	p->workload.queue_depth = point_outstanding(p) / threads;
	p->workload.threads = threads;
}

static void threads_that_only_make_up_outstanding_do_not_divide(void **state)
{
	struct fixture *f = make_fixture();

	(void)state;
	add(f, 4, 1, 1000, 0);
	add(f, 4, 8, 5000, 0);
	set_threads(&f->points[1], 8);
	is_at(solve(f, NULL)->sweet, 4, 8);
	assert_int_equal(f->list.count, 1);
	free_fixture(f);
}

static void threads_as_an_axis_are_groups(void **state)
{
	struct fixture *f = make_fixture();

	(void)state;
	add(f, 4, 4, 1000, 0);
	add(f, 4, 8, 2000, 0);
	add(f, 4, 4, 3000, 0);
	add(f, 4, 8, 4000, 0);
	set_threads(&f->points[2], 4);
	set_threads(&f->points[3], 4);
	solve(f, NULL);
	assert_int_equal(f->list.count, 2);
	assert_ptr_equal(f->list.spots[0].sweet, &f->results[1]);
	assert_ptr_equal(f->list.spots[1].sweet, &f->results[3]);
	assert_true(sweetspot_same_group(&f->points[0], &f->points[2]));
	free_fixture(f);
}

static void latency_limits_parse(void **state)
{
	static const struct {
		const char *text;
		enum percentile which;
		double us;
	} good[] = {
	    {"p99=2ms", PCT_99, 2000},	      {"mean=500us", PCT_COUNT, 500},
	    {"p50=1s", PCT_50, 1e6},	      {"p90=1ms", PCT_90, 1000},
	    {"p95=1ms", PCT_95, 1000},	      {"p99.9=1ms", PCT_999, 1000},
	    {"p99.99=1.5ms", PCT_9999, 1500},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct latency_limit limit = {PCT_COUNT, NAN};
		struct err err = {0};

		assert_int_equal(latency_limit_parse(good[i].text,
						     "--latency-limit", &limit,
						     &err),
				 0);
		assert_int_equal(limit.which, good[i].which);
		assert_true(fabs(limit.limit_us - good[i].us) < 1e-9);
	}
}

static void bad_latency_limits_name_text_and_place(void **state)
{
	static const char *const bad[] = {
	    "",	    "2ms",	"p99",	   "p99=",   "p99=0",	 "p98=2ms",
	    "=2ms", "p99=-1ms", "p99=2kg", "p9=2ms", "p99 =2ms", "MEAN=1ms",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct latency_limit limit = {PCT_50, 7};
		struct err err = {0};

		assert_true(latency_limit_parse(bad[i], "--latency-limit",
						&limit, &err) < 0);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, "--latency-limit"));
		assert_true(limit.which == PCT_50 && limit.limit_us == 7);
	}
}

static void storage_groups_ignore_the_workload(void **state)
{
	struct fixture *f = make_fixture();
	uint32_t group_of[4];

	(void)state;
	add(f, 4, 1, 1000, 0);
	add(f, 8, 2, 1000, 0);
	add(f, 4, 1, 1000, 0);
	add(f, 4, 1, 1000, 0);
	f->points[2].cache = CACHE_BUFFERED;
	f->points[1].workload.stream.read_pct = 0;
	assert_int_equal(group_by_storage(f->points, 4, group_of), 2);
	assert_int_equal(group_of[0], 0);
	assert_int_equal(group_of[1], 0);
	assert_int_equal(group_of[2], 1);
	assert_int_equal(group_of[3], 0);
	f->points[3].workload.rate_iops = 500;
	assert_int_equal(group_by_storage(f->points, 4, group_of), 3);
	assert_int_equal(group_of[0], 0);
	assert_int_equal(group_of[3], 2);
	free_fixture(f);
}

static void drift_of_the_whole_device_leaves_no_doubt(void **state)
{
	struct fixture *f = make_fixture();
	const struct sweetspot *spot;
	uint32_t i;

	(void)state;
	/* 90% of the best; their own intervals are wide. */
	add(f, 8, 8, 9000, 30);
	add(f, 8, 16, 10000, 30);
	spot = solve(f, NULL);
	assert_non_null(spot->undecided);
	/* Within rounds they stand 1% apart at most from what was seen. */
	for (i = 0; i < 2; i++) {
		f->results[i].within_variance = 0.003 * 0.003;
		f->results[i].within_df = 8;
	}
	spot = solve(f, NULL);
	assert_null(spot->undecided);
	for (i = 0; i < 2; i++)
		f->results[i].within_variance = 0.03 * 0.03;
	spot = solve(f, NULL);
	assert_non_null(spot->undecided);
	free_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_definition_holds_on_a_saturating_grid),
	    cmocka_unit_test(exactly_95_percent_is_enough),
	    cmocka_unit_test(a_smaller_outstanding_that_straddles_is_undecided),
	    cmocka_unit_test(a_tie_of_sizes_goes_to_the_smaller_one),
	    cmocka_unit_test(without_intervals_values_decide),
	    cmocka_unit_test(holes_and_failed_points_are_passed_over),
	    cmocka_unit_test(nothing_measured_has_no_sweet_spot),
	    cmocka_unit_test(an_empty_run_has_no_group),
	    cmocka_unit_test(a_single_point_is_its_own_sweet_spot),
	    cmocka_unit_test(of_equal_points_the_smaller_wins),
	    cmocka_unit_test(the_latency_limit_leaves_the_points_that_keep_it),
	    cmocka_unit_test(a_limit_on_the_mean_uses_the_mean),
	    cmocka_unit_test(an_unattainable_limit_leaves_nothing),
	    cmocka_unit_test(an_unknown_percentile_keeps_no_limit),
	    cmocka_unit_test(sentences_say_where_and_what_more_would_bring),
	    cmocka_unit_test(a_short_buffer_cuts_the_sentence),
	    cmocka_unit_test(groups_are_told_apart_and_keep_their_order),
	    cmocka_unit_test(
		threads_that_only_make_up_outstanding_do_not_divide),
	    cmocka_unit_test(threads_as_an_axis_are_groups),
	    cmocka_unit_test(latency_limits_parse),
	    cmocka_unit_test(bad_latency_limits_name_text_and_place),
	    cmocka_unit_test(storage_groups_ignore_the_workload),
	    cmocka_unit_test(drift_of_the_whole_device_leaves_no_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
