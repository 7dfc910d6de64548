/* schedule: what is visited next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/units.h"
#include "sweep/schedule.h"
#include "tests/simrun.h"

#define POINTS 32

struct fixture {
	struct point points[POINTS];
	struct plan plan;
	uint32_t order[POINTS];
	struct schedule_batch batch;
	struct schedule *schedule;
};

static void init(struct fixture *f, uint32_t rounds, enum plan_order order)
{
	uint32_t i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < POINTS; i++)
		f->points[i] = simrun_point(i, 4096, 1 + i);
	f->plan.points = f->points;
	f->plan.point_count = POINTS;
	f->plan.settings.rounds = rounds;
	f->plan.settings.order = order;
	f->plan.settings.seed = 7;
	f->batch.order = f->order;
	f->schedule = schedule_new(&f->plan);
	assert_non_null(f->schedule);
}

static void want_precision(struct fixture *f, double precision_pct)
{
	schedule_free(f->schedule);
	f->plan.settings.precision_pct = precision_pct;
	f->schedule = schedule_new(&f->plan);
	assert_non_null(f->schedule);
}

/* Visit the batch: points below `noisy` swing by 20%, the others hardly. */
static void visit_batch(struct fixture *f, uint32_t noisy)
{
	uint32_t i;

	for (i = 0; i < f->batch.count; i++) {
		uint32_t point = f->order[i];
		/* Points swing against each other: no round effect. */
		uint64_t swing = (f->batch.round + point) % 2;
		struct visit v;

		visit_init(&v);
		v.state = VISIT_DONE;
		v.point = point;
		v.round = f->batch.round;
		v.measured_ns = NS_PER_SEC;
		v.ios[DIR_READ] = 10000 + swing * (point < noisy ? 2000 : 20);
		assert_int_equal(schedule_visited(f->schedule, &v, NULL), 0);
	}
}

static void next(struct fixture *f)
{
	assert_int_equal(schedule_next(f->schedule, &f->batch, NULL), 0);
}

static void fixed_rounds_visit_every_point_in_each(void **state)
{
	struct fixture f;
	uint32_t round, i;

	(void)state;
	init(&f, 3, PLAN_SHUFFLE);
	for (round = 1; round <= 3; round++) {
		bool seen[POINTS] = {false};

		next(&f);
		assert_int_equal(f.batch.count, POINTS);
		assert_int_equal(f.batch.round, round);
		assert_int_equal(f.batch.round_count, 3);
		assert_int_equal(f.batch.later_count, (3 - round) * POINTS);
		for (i = 0; i < POINTS; i++) {
			assert_false(seen[f.order[i]]);
			seen[f.order[i]] = true;
		}
	}
	next(&f);
	assert_int_equal(f.batch.count, 0);
	next(&f);
	assert_int_equal(f.batch.count, 0);
	schedule_free(f.schedule);
}

static void each_round_has_an_order_of_its_own(void **state)
{
	struct fixture f;
	uint32_t first[POINTS];

	(void)state;
	init(&f, 2, PLAN_SHUFFLE);
	next(&f);
	memcpy(first, f.order, sizeof(first));
	next(&f);
	assert_memory_not_equal(first, f.order, sizeof(first));
	schedule_free(f.schedule);
}

static void the_plans_order_is_kept_when_asked(void **state)
{
	struct fixture f;
	uint32_t i;

	(void)state;
	init(&f, 1, PLAN_AS_PLANNED);
	next(&f);
	for (i = 0; i < POINTS; i++)
		assert_int_equal(f.order[i], i);
	schedule_free(f.schedule);
}

static void a_precision_visits_all_points_three_times(void **state)
{
	struct fixture f;
	uint32_t round;

	(void)state;
	init(&f, 10, PLAN_SHUFFLE);
	want_precision(&f, 5);
	for (round = 1; round <= 3; round++) {
		next(&f);
		assert_int_equal(f.batch.count, POINTS);
		assert_int_equal(f.batch.round, round);
		visit_batch(&f, 0);
	}
	next(&f);
	assert_int_equal(f.batch.count, 0);
	schedule_free(f.schedule);
}

static void only_points_that_have_not_reached_it_go_on(void **state)
{
	struct fixture f;
	uint32_t all[POINTS];
	uint32_t round, i;

	(void)state;
	init(&f, 8, PLAN_SHUFFLE);
	want_precision(&f, 5);
	for (round = 1; round <= 3; round++) {
		next(&f);
		visit_batch(&f, 2);
	}
	for (; round <= 8; round++) {
		uint32_t at = 0;

		next(&f);
		assert_int_equal(f.batch.round, round);
		assert_in_range(f.batch.count, 1, 2);
		/* In the order that they have in the whole round. */
		plan_round_order(&f.plan, round, all);
		for (i = 0; i < POINTS; i++)
			if (at < f.batch.count && all[i] == f.order[at])
				at++;
		assert_int_equal(at, f.batch.count);
		assert_true(f.order[0] < 2);
		visit_batch(&f, 2);
	}
	/* The limit. */
	next(&f);
	assert_int_equal(f.batch.count, 0);
	schedule_free(f.schedule);
}

static void what_is_expected_shrinks_as_points_get_there(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, 10, PLAN_SHUFFLE);
	want_precision(&f, 5);
	next(&f);
	assert_int_equal(f.batch.round_count, 10);
	assert_int_equal(f.batch.later_count, 9 * POINTS);
	visit_batch(&f, 0);
	next(&f);
	visit_batch(&f, 0);
	/* Two visits that agree: the third will do. */
	next(&f);
	assert_int_equal(f.batch.later_count, 0);
	assert_int_equal(f.batch.round_count, 3);
	schedule_free(f.schedule);
}

static void told_the_same_visits_it_asks_for_the_same(void **state)
{
	struct fixture a, b;

	(void)state;
	init(&a, 10, PLAN_SHUFFLE);
	init(&b, 10, PLAN_SHUFFLE);
	want_precision(&a, 5);
	want_precision(&b, 5);
	do {
		next(&a);
		next(&b);
		assert_int_equal(a.batch.count, b.batch.count);
		assert_memory_equal(a.order, b.order,
				    a.batch.count * sizeof(a.order[0]));
		visit_batch(&a, 5);
		visit_batch(&b, 5);
	} while (a.batch.count);
	schedule_free(a.schedule);
	schedule_free(b.schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fixed_rounds_visit_every_point_in_each),
	    cmocka_unit_test(each_round_has_an_order_of_its_own),
	    cmocka_unit_test(the_plans_order_is_kept_when_asked),
	    cmocka_unit_test(a_precision_visits_all_points_three_times),
	    cmocka_unit_test(only_points_that_have_not_reached_it_go_on),
	    cmocka_unit_test(what_is_expected_shrinks_as_points_get_there),
	    cmocka_unit_test(told_the_same_visits_it_asks_for_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
