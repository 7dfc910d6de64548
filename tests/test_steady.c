/* steady: SNIA's rule, and what rests on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "engine/units.h"
#include "export/steady.h"
#include "sweep/session.h"
#include "tests/simrun.h"

#define POINTS 4
#define ROUND_S (POINTS * 1.15)

static void range_and_slope_are_of_the_mean(void **state)
{
	static const double flat[] = {100, 100, 100, 100, 100};
	static const double line[] = {96, 98, 100, 102, 104};
	static const double peak[] = {100, 100, 125, 100, 100};
	struct steady s = steady_measure(flat);

	(void)state;
	assert_true(s.range_pct == 0 && s.slope_pct == 0);
	s = steady_measure(line);
	assert_true(fabs(s.range_pct - 8) < 1e-9);
	assert_true(fabs(s.slope_pct - 8) < 1e-9);
	s = steady_measure(peak);
	assert_true(fabs(s.range_pct - 100 * 25 / 105.0) < 1e-9);
	assert_true(fabs(s.slope_pct) < 1e-9);
}

static void the_limits_are_those_of_the_specification(void **state)
{
	static const struct {
		struct steady s;
		bool holds;
	} cases[] = {
	    {{20, 10}, true},	{{20, -10}, true},   {{20.1, 0}, false},
	    {{0, 10.1}, false}, {{0, -10.1}, false}, {{NAN, 0}, false},
	    {{0, NAN}, false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(steady_holds(&cases[i].s) == cases[i].holds);
}

static void without_io_nothing_is_steady(void **state)
{
	static const double none[STEADY_ROUNDS] = {0};
	struct steady s = steady_measure(none);

	(void)state;
	assert_true(isnan(s.range_pct) && isnan(s.slope_pct));
	assert_false(steady_holds(&s));
}

static void all_but_the_last_five_done_are_set_aside(void **state)
{
	struct visit visits[9];
	uint32_t i, round;

	(void)state;
	for (i = 0; i < 9; i++) {
		visit_init(&visits[i]);
		visits[i].state = i == 3 ? VISIT_FAILED : VISIT_DONE;
		visits[i].point = i == 8;
		visits[i].aside = true; /* of an earlier time */
	}
	assert_int_equal(steady_set_aside(visits, 9, 2), 0);
	/* Of point 0, seven were done and one failed. */
	for (round = 0; round < 9; round++)
		assert_true(visits[round].aside == (round < 2));
}

static void keep(void *arg, const struct session_progress *at,
		 const struct point *p, const struct visit *v)
{
	(void)at;
	(void)p;
	simrun_keep(arg, v, true);
}

/* A sweep until steady, analysed; s is the caller's to end. */
static void sweep(struct simrun *s, const struct sim_device *device,
		  const struct sim_noise *noise, uint32_t rounds)
{
	static char plan_name[] = "plan", steady[] = "steady", yes[] = "yes";
	static struct run_fact fact = {plan_name, steady, yes};
	struct point points[POINTS];
	struct plan plan = {.settings = {.rounds = rounds,
					 .steady = true,
					 .time_ns = NS_PER_SEC,
					 .ramp_ns = 150 * NS_PER_MS,
					 .seed = 3},
			    .point_count = POINTS};
	struct session session = {.plan = &plan,
				  .observer = {.visit_ended = keep, .arg = s}};
	struct session_outcome out;
	uint32_t i;

	for (i = 0; i < POINTS; i++)
		points[i] = simrun_point(i, 4096, 1u << i);
	simrun_init(s, points, POINTS, device, noise, 3);
	s->run.facts = &fact;
	s->run.fact_count = 1;
	plan.points = s->points;
	session.measurer = s->sim;
	session.schedule = schedule_new(&plan);
	assert_non_null(session.schedule);
	assert_int_equal(session_run(&session, &out, NULL), 0);
	schedule_free(session.schedule);
	assert_int_equal(analyse_run(&s->run), 0);
}

static void a_quiet_device_is_steady_after_five_rounds(void **state)
{
	const struct sim_noise noise = {.independent = 0.01};
	struct simrun s;
	uint32_t i;

	(void)state;
	sweep(&s, NULL, &noise, 25);
	for (i = 0; i < POINTS; i++) {
		const struct result *r = &s.run.results[i];

		assert_int_equal(r->done, 5);
		assert_int_equal(r->aside, 0);
		assert_int_equal(r->first_round, 1);
		assert_int_equal(r->last_round, 5);
		assert_int_equal(r->verdicts, 0);
	}
	simrun_fini(&s);
}

/* Twice as fast when fresh: what it is in the end is told, from five rounds,
 * and nothing of before. */
static void a_device_that_settles_is_told_as_settled(void **state)
{
	struct sim_device device = simrun_device();
	const struct sim_noise noise = {.independent = 0.005};
	struct simrun s;
	uint32_t i;

	(void)state;
	device.fresh_factor = 2;
	device.settle_s = 3 * ROUND_S;
	sweep(&s, &device, &noise, 25);
	for (i = 0; i < POINTS; i++) {
		const struct result *r = &s.run.results[i];
		double truth = sim_true_iops(&device, &s.points[i]);

		assert_int_equal(r->done, 5);
		assert_in_range(r->aside, 3, 19);
		assert_int_equal(r->first_round, r->aside + 1);
		assert_int_equal(r->last_round, r->aside + 5);
		/* The mean of a window with a slope of 10% at the most. */
		assert_true(r->iops.value > truth &&
			    r->iops.value < 1.1 * truth);
		assert_false(r->verdicts & (1u << VERDICT_NOT_STEADY));
		/* A window of its own is not corrected for other rounds. */
		assert_false(r->verdicts & (1u << VERDICT_CORRECTED));
	}
	simrun_fini(&s);
}

static void a_device_that_never_settles_is_told(void **state)
{
	const struct sim_noise noise = {.independent = 0.5};
	struct simrun s;
	uint32_t i;

	(void)state;
	sweep(&s, NULL, &noise, 12);
	for (i = 0; i < POINTS; i++) {
		const struct result *r = &s.run.results[i];

		assert_int_equal(r->done, 5);
		assert_int_equal(r->aside, 7);
		assert_true(r->verdicts & (1u << VERDICT_NOT_STEADY));
		assert_true(r->verdict_value[VERDICT_NOT_STEADY] == 12);
		/* With the number that says why. */
		assert_true(r->verdicts &
			    (1u << VERDICT_UNSTEADY | 1u << VERDICT_TREND));
	}
	simrun_fini(&s);
}

static void points_that_are_steady_are_not_visited_again(void **state)
{
	const struct sim_noise noise = {.independent = 0.06, .uneven = 0.5};
	struct simrun s;
	uint32_t i, visits = 0, most = 0;

	(void)state;
	sweep(&s, NULL, &noise, 25);
	for (i = 0; i < POINTS; i++) {
		const struct result *r = &s.run.results[i];

		visits += r->done + r->aside;
		if (r->last_round > most)
			most = r->last_round;
	}
	assert_int_equal(visits, s.run.visit_count);
	assert_true(most > 5 && visits < most * POINTS);
	simrun_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(range_and_slope_are_of_the_mean),
	    cmocka_unit_test(the_limits_are_those_of_the_specification),
	    cmocka_unit_test(without_io_nothing_is_steady),
	    cmocka_unit_test(all_but_the_last_five_done_are_set_aside),
	    cmocka_unit_test(a_quiet_device_is_steady_after_five_rounds),
	    cmocka_unit_test(a_device_that_settles_is_told_as_settled),
	    cmocka_unit_test(a_device_that_never_settles_is_told),
	    cmocka_unit_test(points_that_are_steady_are_not_visited_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
