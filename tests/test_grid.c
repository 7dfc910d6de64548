#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "export/grid.h"

#define MAX 32

struct fixture {
	struct point points[MAX];
	struct result results[MAX];
	struct run run;
};

static void add(struct fixture *f, uint64_t size, uint32_t threads,
		uint32_t queue_depth, double random)
{
	struct point *p = &f->points[f->run.point_count];

	memset(p, 0, sizeof(*p));
	p->index = f->run.point_count;
	p->target = "/data/x";
	p->variant = p->section = "";
	p->workload.stream.block_size_bytes = size;
	p->workload.stream.read_pct = 100;
	p->workload.stream.random_pct = random;
	p->workload.threads = threads;
	p->workload.queue_depth = queue_depth;
	f->results[p->index].point = p;
	f->run.point_count++;
}

static void init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->run.points = f->points;
	f->run.results = f->results;
}

static void axes_are_ascending_whatever_the_order_of_the_plan(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 65536, 1, 8, 100);
	add(&f, 8192, 1, 1, 100);
	add(&f, 65536, 1, 1, 100);
	add(&f, 8192, 1, 8, 100);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.grids[0].row_count, 2);
	assert_int_equal(list.grids[0].column_count, 2);
	assert_int_equal(list.grids[0].block_sizes[0], 8192);
	assert_int_equal(list.grids[0].block_sizes[1], 65536);
	assert_int_equal(list.grids[0].outstandings[0], 1);
	assert_int_equal(list.grids[0].outstandings[1], 8);
	assert_ptr_equal(list.grids[0].group, &f.points[0]);
	assert_ptr_equal(grid_at(&list.grids[0], 0, 0), &f.results[1]);
	assert_ptr_equal(grid_at(&list.grids[0], 0, 1), &f.results[3]);
	assert_ptr_equal(grid_at(&list.grids[0], 1, 0), &f.results[2]);
	assert_ptr_equal(grid_at(&list.grids[0], 1, 1), &f.results[0]);
	grid_free(&list);
}

static void what_was_not_planned_is_a_hole(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 8192, 1, 1, 100);
	add(&f, 65536, 1, 8, 100);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 1);
	assert_non_null(grid_at(&list.grids[0], 0, 0));
	assert_null(grid_at(&list.grids[0], 0, 1));
	assert_null(grid_at(&list.grids[0], 1, 0));
	assert_non_null(grid_at(&list.grids[0], 1, 1));
	grid_free(&list);
}

static void groups_come_in_order_of_first_appearance(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 8192, 1, 1, 100);
	add(&f, 8192, 1, 1, 0);
	add(&f, 8192, 1, 2, 100);
	add(&f, 8192, 1, 2, 0);
	f.points[3].variant = "cached";
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 3);
	assert_ptr_equal(list.grids[0].group, &f.points[0]);
	assert_int_equal(list.grids[0].column_count, 2);
	assert_ptr_equal(list.grids[1].group, &f.points[1]);
	assert_int_equal(list.grids[1].column_count, 1);
	assert_ptr_equal(list.grids[2].group, &f.points[3]);
	grid_free(&list);
}

static void threads_as_an_axis_make_grids_of_their_own(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 8192, 1, 8, 100);
	add(&f, 8192, 1, 16, 100);
	add(&f, 8192, 4, 2, 100);
	add(&f, 8192, 4, 4, 100);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 2);
	assert_ptr_equal(grid_at(&list.grids[0], 0, 1), &f.results[1]);
	assert_ptr_equal(grid_at(&list.grids[1], 0, 1), &f.results[3]);
	grid_free(&list);
}

static void threads_that_only_make_the_outstanding_do_not_divide(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 8192, 1, 1, 100);
	add(&f, 8192, 2, 1, 100);
	add(&f, 8192, 4, 1, 100);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.grids[0].column_count, 3);
	grid_free(&list);
}

static void the_first_of_two_equal_points_stays(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	add(&f, 8192, 1, 1, 100);
	add(&f, 8192, 1, 1, 100);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 1);
	assert_ptr_equal(grid_at(&list.grids[0], 0, 0), &f.results[0]);
	grid_free(&list);
}

static void a_run_without_points_has_no_grid(void **state)
{
	struct fixture f;
	struct grid_list list;

	(void)state;
	init(&f);
	assert_int_equal(grid_build(&f.run, &list), 0);
	assert_int_equal(list.count, 0);
	grid_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(axes_are_ascending_whatever_the_order_of_the_plan),
	    cmocka_unit_test(what_was_not_planned_is_a_hole),
	    cmocka_unit_test(groups_come_in_order_of_first_appearance),
	    cmocka_unit_test(threads_as_an_axis_make_grids_of_their_own),
	    cmocka_unit_test(
		threads_that_only_make_the_outstanding_do_not_divide),
	    cmocka_unit_test(the_first_of_two_equal_points_stays),
	    cmocka_unit_test(a_run_without_points_has_no_grid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
