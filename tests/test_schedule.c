/* schedule: what is visited next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sweep/schedule.h"

#define POINTS 12

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
		f->points[i].index = i;
	f->plan.points = f->points;
	f->plan.point_count = POINTS;
	f->plan.settings.rounds = rounds;
	f->plan.settings.order = order;
	f->plan.settings.seed = 7;
	f->batch.order = f->order;
	f->schedule = schedule_rounds_new(&f->plan);
	assert_non_null(f->schedule);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fixed_rounds_visit_every_point_in_each),
	    cmocka_unit_test(each_round_has_an_order_of_its_own),
	    cmocka_unit_test(the_plans_order_is_kept_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
