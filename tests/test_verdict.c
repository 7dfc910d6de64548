/* verdict: each one is provoked, and stays silent beside it. */
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
#include "export/result.h"
#include "export/verdict.h"

#define VISITS_MAX 10

/* A point that nothing can be said against: five visits of 10,000 reads of
 * 4K at 8 outstanding. Each test spoils one thing. */
struct fixture {
	struct point point;
	struct result result;
	struct visit visits[VISITS_MAX];
	const struct visit *list[VISITS_MAX];
	struct verdict_input in;
};

static void set_visits(struct fixture *f, uint32_t count, const uint64_t *ios)
{
	struct visit *total = &f->result.total;
	uint32_t i;

	total->ios[DIR_READ] = 0;
	for (i = 0; i < count; i++) {
		visit_init(&f->visits[i]);
		f->visits[i].state = VISIT_DONE;
		f->visits[i].measured_ns = NS_PER_SEC;
		f->visits[i].ios[DIR_READ] = ios[i];
		f->list[i] = &f->visits[i];
		total->ios[DIR_READ] += ios[i];
	}
	total->bytes[DIR_READ] = total->ios[DIR_READ] * 4096;
	total->device_read_bytes = (double)total->bytes[DIR_READ];
	f->in.visit_count = count;
	f->result.done = count;
}

static void init(struct fixture *f)
{
	static const uint64_t ios[5] = {10000, 10100, 9900, 10000, 10050};
	struct result *r = &f->result;

	memset(f, 0, sizeof(*f));
	f->point =
	    (struct point){.workload = {.stream = {.block_size_bytes = 4096,
						   .read_pct = 100,
						   .random_pct = 100},
					.threads = 1,
					.queue_depth = 8},
			   .target = "/dev/x",
			   .variant = "",
			   .section = ""};
	visit_init(&r->total);
	r->point = &f->point;
	r->iops = (struct interval){10010, 9900, 10110};
	r->little = 1.001;
	r->cpu_peak_pct = 40;
	r->device_depth = 7.6;
	r->total.punted_threads = 0;
	r->total.device_write_bytes = 0;
	f->in = (struct verdict_input){.result = r,
				       .visits = f->list,
				       .correction = 1,
				       .precision_pct = NAN};
	set_visits(f, 5, ios);
}

static uint32_t judge(struct fixture *f)
{
	f->result.verdicts = verdict_judge(&f->in, f->result.verdict_value);
	return f->result.verdicts;
}

/* Exactly this verdict, with a number near value. */
static void assert_only(struct fixture *f, enum verdict v, double value)
{
	int i;

	assert_int_equal(judge(f), 1u << v);
	assert_true(fabs(f->result.verdict_value[v] - value) <=
		    0.02 * fabs(value));
	for (i = 0; i < VERDICT_COUNT; i++)
		assert_true(i == (int)v || isnan(f->result.verdict_value[i]));
}

static void a_sound_point_has_no_verdict(void **state)
{
	struct fixture f;
	int v;

	(void)state;
	init(&f);
	assert_int_equal(judge(&f), 0);
	for (v = 0; v < VERDICT_COUNT; v++)
		assert_true(isnan(f.result.verdict_value[v]));
}

static void unknown_numbers_accuse_nobody(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.little = f.result.cpu_peak_pct = NAN;
	f.result.device_depth = f.result.total.punted_threads = NAN;
	f.result.total.device_read_bytes = NAN;
	f.result.total.device_write_bytes = NAN;
	assert_int_equal(judge(&f), 0);
}

static void a_result_without_visits_has_no_verdict(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	visit_init(&f.result.total);
	f.in.visit_count = 0;
	f.in.precision_pct = 2;
	assert_int_equal(judge(&f), 0);
}

static void one_visit_is_said(void **state)
{
	static const uint64_t ios[] = {10000};
	struct fixture f;

	(void)state;
	init(&f);
	set_visits(&f, 1, ios);
	assert_only(&f, VERDICT_ONE_VISIT, 1);
}

static void a_wide_range_is_unsteady(void **state)
{
	static const uint64_t wide[] = {10000, 9000, 11300, 9000, 10000};
	static const uint64_t fine[] = {10000, 9100, 11000, 9100, 10000};
	/* Only the last five count. */
	static const uint64_t early[] = {3000, 10000, 9100, 11000, 9100, 10000};
	struct fixture f;

	(void)state;
	init(&f);
	set_visits(&f, 5, wide);
	assert_only(&f, VERDICT_UNSTEADY, 23.3);
	set_visits(&f, 5, fine);
	assert_int_equal(judge(&f), 0);
	set_visits(&f, 6, early);
	assert_int_equal(judge(&f), 0);
	set_visits(&f, 4, wide);
	assert_int_equal(judge(&f), 0);
}

static void a_slope_is_a_trend(void **state)
{
	static const uint64_t down[] = {10800, 10400, 10000, 9600, 9200};
	static const uint64_t up[] = {9200, 9600, 10000, 10400, 10800};
	static const uint64_t fine[] = {10400, 10200, 10000, 9800, 9600};
	struct fixture f;

	(void)state;
	init(&f);
	set_visits(&f, 5, down);
	assert_only(&f, VERDICT_TREND, -16);
	set_visits(&f, 5, up);
	assert_only(&f, VERDICT_TREND, 16);
	set_visits(&f, 5, fine);
	assert_int_equal(judge(&f), 0);
}

static void a_steady_state_that_was_asked_for_is_missed(void **state)
{
	static const uint64_t wide[] = {10000, 10000, 12400, 10000, 10000};
	struct fixture f;

	(void)state;
	init(&f);
	f.result.done = 5;
	f.result.aside = 20;
	f.in.steady_asked = true;
	assert_int_equal(judge(&f), 0);
	set_visits(&f, 5, wide);
	assert_int_equal(judge(&f),
			 1u << VERDICT_NOT_STEADY | 1u << VERDICT_UNSTEADY);
	assert_true(f.result.verdict_value[VERDICT_NOT_STEADY] == 25);
	/* Four are too few to tell. */
	set_visits(&f, 4, wide);
	assert_int_equal(judge(&f), 1u << VERDICT_NOT_STEADY);
}

static void a_lost_level_fell(void **state)
{
	static const uint64_t fell[] = {10000, 10200, 9900, 6000, 6100,
					5900,  6000,  6050, 6000, 5950};
	static const uint64_t back[] = {10000, 10200, 9900, 6000, 6100,
					5900,  6000,  6050, 6000, 9950};
	struct fixture f;

	(void)state;
	init(&f);
	set_visits(&f, 10, fell);
	assert_only(&f, VERDICT_FELL, 40);
	set_visits(&f, 10, back);
	assert_false(judge(&f) & (1u << VERDICT_FELL));
}

static void a_wide_interval_has_not_converged(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.in.precision_pct = 0.5;
	assert_only(&f, VERDICT_NOT_CONVERGED, 1);
	f.in.precision_pct = 2;
	assert_int_equal(judge(&f), 0);
	f.result.iops.high = NAN;
	assert_int_equal(judge(&f), 1u << VERDICT_NOT_CONVERGED);
}

static void a_correction_is_said(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.in.correction = 0.97;
	assert_only(&f, VERDICT_CORRECTED, -3);
	f.in.correction = 1.0004;
	assert_int_equal(judge(&f), 0);
}

static void a_device_that_sees_less_is_shallow(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.device_depth = 3.5;
	assert_only(&f, VERDICT_SHALLOW, 3.5);
	/* Through the page cache it has to be so. */
	f.point.cache = CACHE_BUFFERED;
	assert_int_equal(judge(&f), 0);
	/* One at a time: part of each latency is ours. */
	f.point.cache = CACHE_DIRECT;
	f.point.workload.queue_depth = 1;
	f.result.device_depth = 0.7;
	assert_int_equal(judge(&f), 0);
}

static void a_rate_has_to_be_reached(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	/* 50,050 I/Os in five visits of a second. */
	f.result.total.measured_ns = 5 * NS_PER_SEC;
	f.point.workload.rate_iops = 10010;
	assert_int_equal(judge(&f), 0);
	f.point.workload.rate_iops = 10200; /* what the edges may hide */
	assert_int_equal(judge(&f), 0);
	f.point.workload.rate_iops = 10500;
	assert_only(&f, VERDICT_RATE_MISSED, 95.3);
	f.point.workload.rate_iops = 20020;
	assert_only(&f, VERDICT_RATE_MISSED, 50);
	/* At a rate few in flight are no fault of the device. */
	f.point.workload.rate_iops = 10010;
	f.result.device_depth = 0.5;
	assert_int_equal(judge(&f), 0);
}

static void another_mix_is_off(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.point.workload.stream.read_pct = 95;
	assert_only(&f, VERDICT_MIX_OFF, 100);
	/* Luck of a draw from few. */
	f.result.total.ios[DIR_READ] = 48;
	f.result.total.ios[DIR_WRITE] = 2;
	assert_int_equal(judge(&f), 0);
}

static void little_has_to_hold(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.little = 0.72;
	assert_only(&f, VERDICT_LITTLE, 0.72);
	f.result.little = 1.05;
	assert_only(&f, VERDICT_LITTLE, 1.05);
	/* A window of ten I/Os at eight outstanding is all edge ... */
	f.result.total.ios[DIR_READ] = 10;
	assert_int_equal(judge(&f), 0);
	/* ... which excuses nothing where the edges are known. */
	f.result.total.measured_ns = 1000000000;
	f.result.total.edge_ns = 0.3e9 * 8;
	assert_only(&f, VERDICT_LITTLE, 1.05);
	f.result.little = 1;
	assert_int_equal(judge(&f), 0);
	/* A third of the time is that of I/Os which did not end inside. */
	f.result.total.ios[DIR_READ] = 100000;
	assert_only(&f, VERDICT_LITTLE, 0.7);
}

static void a_worker_without_cpu_is_bound(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.cpu_peak_pct = 99;
	assert_only(&f, VERDICT_CPU_BOUND, 99);
	f.result.cpu_peak_pct = 94;
	assert_int_equal(judge(&f), 0);
}

static void caches_that_were_not_as_asked_are_told(void **state)
{
	struct point p;
	struct fixture f;

	(void)state;
	init(&f);
	p = *f.result.point;
	f.result.point = &p;
	p.state = STATE_COLD;
	f.result.total.state_reached = REACHED_YES;
	f.result.total.cold_left_pct = 0.2;
	assert_int_equal(judge(&f), 0);
	f.result.total.state_reached = REACHED_NO;
	f.result.total.cold_left_pct = 43;
	assert_only(&f, VERDICT_NOT_COLD, 43);
	/* What could not be looked at is not known to be cold. */
	f.result.total.state_reached = REACHED_UNKNOWN;
	assert_int_equal(judge(&f), 1u << VERDICT_NOT_COLD);
	assert_true(isnan(f.result.verdict_value[VERDICT_NOT_COLD]));
	p.state = STATE_WARM;
	f.result.total.state_reached = REACHED_NO;
	f.result.total.warm_passes = 10;
	assert_only(&f, VERDICT_NOT_WARM, 10);
	f.result.total.state_reached = REACHED_YES;
	assert_int_equal(judge(&f), 0);
}

static void kernel_threads_are_punted_to(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.total.punted_threads = 4;
	assert_only(&f, VERDICT_PUNTED, 4);
}

static void bytes_that_never_arrived_came_from_a_cache(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.total.device_read_bytes *= 0.25;
	/* A cache also leaves the device idle: one thing is said, not two. */
	f.result.device_depth = 2;
	assert_only(&f, VERDICT_CACHE_BELOW, 25);
	f.point.cache = CACHE_BUFFERED;
	assert_int_equal(judge(&f), 0);
}

/* The target's own device moved all, the disk below it did not. */
static void a_cache_below_the_device_is_told_too(void **state)
{
	char text[VERDICT_TEXT_MAX];
	struct fixture f;

	(void)state;
	init(&f);
	f.result.total.origin_write_bytes = 0;
	f.result.total.origin_read_bytes = f.result.total.device_read_bytes;
	assert_int_equal(judge(&f), 0);
	f.result.total.origin_read_bytes *= 0.03;
	assert_only(&f, VERDICT_CACHE_BELOW, 3);
	f.result.verdicts = judge(&f);
	f.result.verdict_value[VERDICT_CACHE_BELOW] = 3;
	assert_string_equal(
	    verdict_sentence(VERDICT_CACHE_BELOW, &f.result, text,
			     sizeof(text)),
	    "served from a cache below, or blocks never written: only 3% of "
	    "the bytes reached the device");
}

static void more_below_than_asked_is_read_ahead(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.point.cache = CACHE_BUFFERED;
	f.result.total.origin_read_bytes =
	    1.09 * (double)f.result.total.bytes[DIR_READ];
	assert_int_equal(judge(&f), 0);
	f.result.total.origin_read_bytes =
	    1.4 * (double)f.result.total.bytes[DIR_READ];
	assert_only(&f, VERDICT_READ_AHEAD, 40);
}

static void bytes_of_others_are_foreign(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.result.total.device_read_bytes *= 1.3;
	assert_only(&f, VERDICT_FOREIGN_IO, 30);
	init(&f);
	f.result.total.device_write_bytes =
	    0.5 * (double)f.result.total.bytes[DIR_READ];
	assert_only(&f, VERDICT_FOREIGN_IO, 50);
	/* Writes of ours make more writes: journal, checksums, parity. */
	f.point.workload.stream.read_pct = 0;
	f.result.total.bytes[DIR_WRITE] = f.result.total.bytes[DIR_READ];
	f.result.total.ios[DIR_WRITE] = f.result.total.ios[DIR_READ];
	f.result.total.bytes[DIR_READ] = f.result.total.ios[DIR_READ] = 0;
	f.result.total.device_read_bytes = 0;
	f.result.total.device_write_bytes =
	    1.5 * (double)f.result.total.bytes[DIR_WRITE];
	assert_int_equal(judge(&f), 0);
}

static void a_clock_set_back_is_said(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	f.in.clock_back_s = 3600;
	assert_only(&f, VERDICT_CLOCK, 3600);
	f.in.clock_back_s = 0.001;
	assert_int_equal(judge(&f), 0);
}

static void errors_are_counted(void **state)
{
	struct fixture f;

	(void)state;
	init(&f);
	visit_count_error(&f.result.total, 5, 12);
	assert_only(&f, VERDICT_ERRORS, 12);
}

static void every_verdict_has_words(void **state)
{
	struct fixture f;
	char text[VERDICT_TEXT_MAX], names[VERDICT_NAMES_MAX];
	int v, w;

	(void)state;
	init(&f);
	for (v = 0; v < VERDICT_COUNT; v++) {
		f.result.verdicts = 1u << v;
		f.result.verdict_value[v] = 12345678;
		assert_non_null(verdict_name((enum verdict)v));
		for (w = 0; w < v; w++)
			assert_string_not_equal(verdict_name((enum verdict)v),
						verdict_name((enum verdict)w));
		assert_true(strlen(verdict_advice((enum verdict)v)) > 10);
		verdict_sentence((enum verdict)v, &f.result, text,
				 sizeof(text));
		assert_non_null(strstr(text, "12345678"));
		assert_true(strlen(text) < sizeof(text) - 1);
		f.result.verdicts = 0;
		assert_string_equal(verdict_sentence((enum verdict)v, &f.result,
						     text, sizeof(text)),
				    "");
	}
	assert_null(verdict_name(VERDICT_COUNT));
	verdict_names(UINT32_MAX, names, sizeof(names));
	assert_true(strlen(names) < sizeof(names) - 1);
	assert_non_null(strstr(names, "errors"));
}

static void sentences_carry_the_number(void **state)
{
	struct fixture f;
	char text[VERDICT_TEXT_MAX];

	(void)state;
	init(&f);
	f.result.little = 0.7214;
	judge(&f);
	assert_string_equal(
	    verdict_sentence(VERDICT_LITTLE, &f.result, text, sizeof(text)),
	    "IOPS x latency is 0.721 of the outstanding I/Os, where 1.00 +- "
	    "0.02 is right");
	f.in.precision_pct = 2;
	f.result.iops.high = NAN;
	judge(&f);
	verdict_sentence(VERDICT_NOT_CONVERGED, &f.result, text, sizeof(text));
	assert_null(strstr(text, "nan"));
}

static void names_are_joined_by_spaces(void **state)
{
	char names[VERDICT_NAMES_MAX];

	(void)state;
	assert_string_equal(
	    verdict_names(1u << VERDICT_UNSTEADY | 1u << VERDICT_CPU_BOUND,
			  names, sizeof(names)),
	    "unsteady cpu-bound");
	assert_string_equal(verdict_names(0, names, sizeof(names)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_sound_point_has_no_verdict),
	    cmocka_unit_test(unknown_numbers_accuse_nobody),
	    cmocka_unit_test(a_result_without_visits_has_no_verdict),
	    cmocka_unit_test(one_visit_is_said),
	    cmocka_unit_test(a_wide_range_is_unsteady),
	    cmocka_unit_test(a_slope_is_a_trend),
	    cmocka_unit_test(a_steady_state_that_was_asked_for_is_missed),
	    cmocka_unit_test(a_lost_level_fell),
	    cmocka_unit_test(a_wide_interval_has_not_converged),
	    cmocka_unit_test(a_correction_is_said),
	    cmocka_unit_test(a_device_that_sees_less_is_shallow),
	    cmocka_unit_test(a_rate_has_to_be_reached),
	    cmocka_unit_test(another_mix_is_off),
	    cmocka_unit_test(little_has_to_hold),
	    cmocka_unit_test(a_worker_without_cpu_is_bound),
	    cmocka_unit_test(caches_that_were_not_as_asked_are_told),
	    cmocka_unit_test(kernel_threads_are_punted_to),
	    cmocka_unit_test(bytes_that_never_arrived_came_from_a_cache),
	    cmocka_unit_test(a_cache_below_the_device_is_told_too),
	    cmocka_unit_test(more_below_than_asked_is_read_ahead),
	    cmocka_unit_test(bytes_of_others_are_foreign),
	    cmocka_unit_test(a_clock_set_back_is_said),
	    cmocka_unit_test(errors_are_counted),
	    cmocka_unit_test(every_verdict_has_words),
	    cmocka_unit_test(sentences_carry_the_number),
	    cmocka_unit_test(names_are_joined_by_spaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
