/* schedule_search: several searches side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "sweep/schedule_search.h"
#include "sweep/search.h"
#include "tests/simrun.h"

#define SIZES 6
#define DEPTHS 6
#define WORKLOADS 2
#define POINTS (SIZES * DEPTHS * WORKLOADS)
#define VISITS 40

struct fixture {
	struct plan plan;
	struct point points[POINTS];
	uint32_t order[POINTS];
	struct schedule_batch batch;
	struct schedule *schedule;
	struct simrun sim;
};

static void init(struct fixture *f)
{
	static const struct sim_noise noise = {.independent = 0.02};
	uint32_t i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < POINTS; i++) {
		uint32_t k = i % (SIZES * DEPTHS);

		f->points[i] =
		    simrun_point(i, 8 * KIB << k / DEPTHS, 1u << k % DEPTHS);
		f->points[i].workload.stream.random_pct =
		    i < SIZES * DEPTHS ? 0 : 100;
	}
	f->plan.points = f->points;
	f->plan.point_count = POINTS;
	f->plan.settings = (struct plan_settings){
	    .time_ns = NS_PER_SEC,
	    .budget_ns = VISITS * NS_PER_SEC + NS_PER_SEC / 2,
	    .seed = 5};
	f->batch.order = f->order;
	f->schedule = schedule_search_new(&f->plan, NULL);
	assert_non_null(f->schedule);
	simrun_init(&f->sim, f->points, POINTS, NULL, &noise, 5);
}

static void fini(struct fixture *f)
{
	schedule_free(f->schedule);
	simrun_fini(&f->sim);
}

/* One batch; false at the end. */
static bool visit_next(struct fixture *f, uint32_t *of_workload)
{
	bool seen[POINTS] = {false};
	uint32_t i;

	assert_int_equal(schedule_next(f->schedule, &f->batch, NULL), 0);
	for (i = 0; i < f->batch.count; i++) {
		uint32_t point = f->order[i];

		assert_false(seen[point]);
		seen[point] = true;
		of_workload[point / (SIZES * DEPTHS)]++;
		simrun_visit(&f->sim, point, f->batch.round, false);
		assert_int_equal(
		    schedule_visited(f->schedule, &f->sim.scratch, NULL), 0);
	}
	return f->batch.count > 0;
}

static void each_workload_keeps_to_its_budget(void **state)
{
	struct schedule_search_summary sum;
	uint32_t visits[WORKLOADS] = {0}, rounds = 0;
	struct fixture f;

	(void)state;
	init(&f);
	assert_int_equal(schedule_search_visits(&f.plan.settings), VISITS);
	while (visit_next(&f, visits)) {
		rounds++;
		assert_int_equal(f.batch.round, rounds);
		assert_true(visits[0] <= VISITS && visits[1] <= VISITS);
		assert_true(visits[0] + visits[1] + f.batch.later_count <=
			    WORKLOADS * VISITS);
		/* Both are in the first blocks. */
		if (rounds == 1)
			assert_true(visits[0] > 0 && visits[0] == visits[1]);
	}
	sum = schedule_search_summarize(f.schedule);
	assert_int_equal(sum.workloads, WORKLOADS);
	assert_int_equal(sum.visits, visits[0] + visits[1]);
	assert_true(sum.points > 0 && sum.points < POINTS);
	fini(&f);
}

static void rounds_are_shuffled_by_the_seed(void **state)
{
	uint32_t visits[WORKLOADS], first[POINTS], sorted, i;
	struct fixture f, again;

	(void)state;
	init(&f);
	init(&again);
	visit_next(&f, visits);
	visit_next(&again, visits);
	assert_int_equal(f.batch.count, again.batch.count);
	assert_memory_equal(f.order, again.order,
			    f.batch.count * sizeof(f.order[0]));
	memcpy(first, f.order, sizeof(first));
	for (i = 1, sorted = 0; i < f.batch.count; i++)
		sorted += first[i] > first[i - 1];
	assert_true(sorted < f.batch.count - 1);
	fini(&f);
	fini(&again);
}

static void a_budget_of_a_few_visits_is_refused(void **state)
{
	struct err err = {.kind = ERR_NONE};
	struct fixture f;

	(void)state;
	init(&f);
	assert_int_equal(schedule_search_check(&f.plan, &err), 0);
	f.plan.settings.budget_ns = (SEARCH_VISITS_MIN - 1) * NS_PER_SEC;
	assert_int_equal(schedule_search_check(&f.plan, &err), -EINVAL);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "give at least 12 s"));
	fini(&f);
}

static void a_workload_of_too_many_points_is_refused(void **state)
{
	uint32_t count = SEARCH_POINTS_MAX + 1, i;
	struct err err = {.kind = ERR_NONE};
	struct plan plan = {.point_count = count};

	(void)state;
	plan.settings.time_ns = NS_PER_SEC;
	plan.settings.budget_ns = VISITS * NS_PER_SEC;
	plan.points = calloc(count, sizeof(*plan.points));
	assert_non_null(plan.points);
	for (i = 0; i < count; i++)
		plan.points[i] = simrun_point(i, 4096, 1 + i);
	assert_int_equal(schedule_search_check(&plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "up to 4096 points a workload"));
	plan.point_count--;
	assert_int_equal(schedule_search_check(&plan, NULL), 0);
	free(plan.points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_workload_keeps_to_its_budget),
	    cmocka_unit_test(rounds_are_shuffled_by_the_seed),
	    cmocka_unit_test(a_budget_of_a_few_visits_is_refused),
	    cmocka_unit_test(a_workload_of_too_many_points_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
