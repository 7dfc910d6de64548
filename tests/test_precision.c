/* precision: who still needs a visit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "engine/units.h"
#include "export/precision.h"
#include "tests/simrun.h"

static const struct precision_rule rule = {.precision_pct = 2,
					   .min_visits = PRECISION_MIN_VISITS,
					   .max_visits = PRECISION_MAX_VISITS};

struct sweep {
	struct point points[3];
	struct visit visits[40];
	uint32_t count;
	uint32_t more[3];
};

static void init(struct sweep *s)
{
	uint32_t i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 3; i++)
		s->points[i] = simrun_point(i, 4096, 1u << i);
}

static void visit(struct sweep *s, uint32_t point, enum visit_state state,
		  uint64_t ios)
{
	struct visit *v = &s->visits[s->count++];
	uint32_t i;

	visit_init(v);
	v->round = 1;
	for (i = 0; i + 1 < s->count; i++)
		v->round += s->visits[i].point == point;
	v->point = point;
	v->state = state;
	v->measured_ns = NS_PER_SEC;
	v->ios[DIR_READ] = ios;
}

static int ask(struct sweep *s, uint32_t points)
{
	return precision_more(s->points, points, s->visits, s->count, &rule,
			      s->more);
}

static void at_first_every_point_is_open(void **state)
{
	struct sweep s;

	(void)state;
	init(&s);
	assert_int_equal(ask(&s, 3), 3);
	assert_int_equal(s.more[0], PRECISION_MAX_VISITS);
	assert_int_equal(ask(&s, 0), 0);
}

static void two_equal_visits_are_not_enough(void **state)
{
	struct sweep s;

	(void)state;
	init(&s);
	visit(&s, 0, VISIT_DONE, 1000);
	visit(&s, 0, VISIT_DONE, 1000);
	assert_int_equal(ask(&s, 1), 1);
	visit(&s, 0, VISIT_DONE, 1000);
	assert_int_equal(ask(&s, 1), 0);
}

static void noisy_points_stay_open_until_the_cap(void **state)
{
	struct sweep s;
	uint32_t i;

	(void)state;
	init(&s);
	for (i = 0; i < PRECISION_MAX_VISITS; i++) {
		assert_int_equal(ask(&s, 1), 1);
		visit(&s, 0, VISIT_DONE, i % 2 ? 1000 : 1300);
	}
	assert_int_equal(ask(&s, 1), 0);
}

static void luck_of_one_point_is_moderated_by_the_others(void **state)
{
	struct sweep s;
	uint32_t i;

	(void)state;
	init(&s);
	for (i = 0; i < 3; i++) {
		visit(&s, 0, VISIT_DONE, 1000);
		visit(&s, 1, VISIT_DONE, 1000 + 200 * i);
	}
	assert_int_equal(ask(&s, 2), 2);
	/* Alone it would be taken at its word. */
	s.points[1].target = "/elsewhere";
	assert_int_equal(ask(&s, 2), 1);
	assert_int_equal(s.more[0], 0);
	assert_true(s.more[1] > 0);
}

static void skipped_points_are_closed(void **state)
{
	struct sweep s;

	(void)state;
	init(&s);
	visit(&s, 1, VISIT_SKIPPED, 0);
	assert_int_equal(ask(&s, 2), 1);
	assert_int_equal(s.more[1], 0);
}

static void points_that_only_fail_are_closed(void **state)
{
	struct sweep s;
	uint32_t i;

	(void)state;
	init(&s);
	for (i = 0; i < PRECISION_MIN_VISITS; i++) {
		assert_int_equal(ask(&s, 1), 1);
		visit(&s, 0, VISIT_FAILED, 0);
	}
	assert_int_equal(ask(&s, 1), 0);
}

static void a_visit_without_io_reaches_no_precision(void **state)
{
	struct sweep s;
	uint32_t i;

	(void)state;
	init(&s);
	for (i = 0; i < PRECISION_MIN_VISITS; i++)
		visit(&s, 0, VISIT_DONE, i ? 1000 : 0);
	assert_int_equal(ask(&s, 1), 1);
}

static void what_is_missing_is_foreseen(void **state)
{
	struct sweep s;
	uint32_t i;

	(void)state;
	init(&s);
	for (i = 0; i < PRECISION_MIN_VISITS; i++)
		visit(&s, 0, VISIT_DONE, 1000 + 10 * i);
	assert_int_equal(ask(&s, 1), 1);
	/* 1000, 1010, 1020: s = 1%, half width t(2) s / sqrt 3 = 2.5%; it
	 * takes 3 x (2.5 / 2)^2 = 4.6 visits. */
	assert_int_equal(s.more[0], 5 - PRECISION_MIN_VISITS);
	init(&s);
	for (i = 0; i < PRECISION_MIN_VISITS; i++)
		visit(&s, 0, VISIT_DONE, 1000 + 100 * i);
	assert_int_equal(ask(&s, 1), 1);
	assert_int_equal(s.more[0],
			 PRECISION_MAX_VISITS - PRECISION_MIN_VISITS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_first_every_point_is_open),
	    cmocka_unit_test(two_equal_visits_are_not_enough),
	    cmocka_unit_test(noisy_points_stay_open_until_the_cap),
	    cmocka_unit_test(luck_of_one_point_is_moderated_by_the_others),
	    cmocka_unit_test(skipped_points_are_closed),
	    cmocka_unit_test(points_that_only_fail_are_closed),
	    cmocka_unit_test(what_is_missing_is_foreseen),
	    cmocka_unit_test(a_visit_without_io_reaches_no_precision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
