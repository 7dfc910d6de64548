/* fit: rounds as randomized blocks, on numbers that can be checked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "export/fit.h"

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

/* A table of points down, rounds across; NAN is a missing cell. */
static struct fit fit_table(const double *y, uint32_t points, uint32_t rounds)
{
	struct fit_cell cells[256];
	uint32_t count = 0, p, r;
	struct fit f;

	/* Backwards: the order of the cells must not matter. */
	for (p = points; p-- > 0;)
		for (r = rounds; r-- > 0;)
			if (!isnan(y[p * rounds + r]))
				cells[count++] =
				    (struct fit_cell){p, r, y[p * rounds + r]};
	assert_int_equal(fit_new(cells, count, points, rounds, &f), 0);
	return f;
}

static void a_full_table_is_the_textbook_analysis(void **state)
{
	/* Row means 2, 5, 11; column means 4, 6, 8; all 6. Residuals
	 * -+1 in the corners. */
	static const double y[] = {1, 2,  3, /* */
				   3, 5,  7, /* */
				   8, 11, 14};
	struct fit f = fit_table(y, 3, 3);

	(void)state;
	assert_true(near(f.point[0].mean, 2, 1e-12));
	assert_true(near(f.point[2].mean, 11, 1e-12));
	assert_true(f.point[0].shift == 0 && f.point[2].shift == 0);
	/* Effects -2, 0, 2: residuals 1 0 -1, 0 0 0, -1 0 1: 4 over 4. */
	assert_true(near(f.residual.df, 4, 1e-12));
	assert_true(near(f.residual.value, 1, 1e-12));
	/* Within rows: 2 + 8 + 18 over 6 is 14/3; less the residual's 1. */
	assert_true(near(f.effect_variance, 14.0 / 3 - 1, 1e-12));
	assert_true(f.effect[0] < 0 && near(f.effect[1], 0, 1e-12));
	assert_true(f.effect[2] < 2 && f.effect[2] > 1.5);
	fit_free(&f);
}

static void spreads_are_moderated_by_the_other_points(void **state)
{
	static const double y[] = {1, 2,  3, /* */
				   3, 5,  7, /* */
				   8, 11, 14};
	struct fit f = fit_table(y, 3, 3);

	(void)state;
	/* Own 1, 4, 9 with 2 df each; the others' mean with 4 df. */
	assert_true(
	    near(f.point[0].spread.value, (2 * 1 + 4 * 6.5) / 6, 1e-12));
	assert_true(
	    near(f.point[2].spread.value, (2 * 9 + 4 * 2.5) / 6, 1e-12));
	assert_true(near(f.point[0].spread.df, 6, 1e-12));
	assert_true(near(fit_level(&f, 0).se, sqrt(f.point[0].spread.value / 3),
			 1e-12));
	assert_true(near(fit_level(&f, 0).df, 6, 1e-12));
	fit_free(&f);
}

static void a_point_alone_keeps_its_own_spread(void **state)
{
	static const double y[] = {1, 2, 3};
	struct fit f = fit_table(y, 1, 3);

	(void)state;
	assert_true(near(f.point[0].spread.value, 1, 1e-12));
	assert_true(near(f.point[0].spread.df, 2, 1e-12));
	assert_true(f.residual.df == 0);
	fit_free(&f);
}

static void one_round_tells_no_spread(void **state)
{
	static const double y[] = {1, 2, 3};
	struct fit f = fit_table(y, 3, 1);

	(void)state;
	assert_true(near(fit_level(&f, 1).value, 2, 1e-12));
	assert_true(isnan(fit_level(&f, 1).se));
	assert_true(isnan(fit_difference(&f, 0, 1).se));
	assert_true(near(fit_difference(&f, 0, 1).value, -1, 1e-12));
	fit_free(&f);
}

static void one_visit_borrows_the_spread_of_others(void **state)
{
	static const double y[] = {1, 2,   3, /* */
				   2, 4,   6, /* */
				   9, NAN, NAN};
	struct fit f = fit_table(y, 3, 3);

	(void)state;
	assert_true(near(f.point[2].spread.value, 2.5, 1e-12));
	assert_true(near(f.point[2].spread.df, 4, 1e-12));
	fit_free(&f);
}

static void a_missing_cell_does_not_pull_the_fit(void **state)
{
	/* Exactly additive with round effects -2, 0, 2; one cell missing. */
	static const double y[] = {8,  10, 12,	/* */
				   18, 20, 22,	/* */
				   28, 30, NAN, /* */
				   38, 40, 42};
	struct fit f = fit_table(y, 4, 3);

	(void)state;
	assert_true(near(f.residual.value, 0, 1e-18));
	assert_true(near(f.residual.df, 11 - 4 - 3 + 1, 1e-12));
	assert_true(near(f.effect[2] - f.effect[0], 4, 1e-9));
	/* Its mean is 29; the rounds weigh 4, 4 and 3 visits. */
	assert_true(near(f.point[2].mean, 29, 1e-12));
	assert_true(near(f.point[2].shift, 1 - 2.0 / 11, 1e-9));
	assert_true(f.point[0].shift == 0);
	fit_free(&f);
}

static void differences_cancel_what_hit_the_round(void **state)
{
	static const double y[] = {1.0, 5.1, 3.0, 9.0,	/* */
				   2.0, 6.0, 4.1, 10.0, /* */
				   4.1, 8.0, 6.0, 12.1};
	struct fit f = fit_table(y, 3, 4);
	struct stats_estimate e = fit_difference(&f, 1, 0);

	(void)state;
	assert_true(near(e.value, 1, 1e-12));
	assert_true(e.se < 0.08);
	assert_true(fit_level(&f, 0).se > 1);
	assert_true(e.df > 6);
	fit_free(&f);
}

static void two_points_are_a_paired_comparison(void **state)
{
	static const double y[] = {1, 5,   3,	9, /* */
				   2, 6.4, 3.8, 10};
	static const double d[] = {1, 1.4, 0.8, 1};
	struct fit f = fit_table(y, 2, 4);
	struct stats_estimate e = fit_difference(&f, 1, 0);
	struct stats_summary s = stats_summarize(d, 4);

	(void)state;
	assert_true(near(e.value, s.mean, 1e-12));
	assert_true(near(e.se, sqrt(s.variance / 4), 1e-9));
	assert_true(near(e.df, 3, 1e-9));
	fit_free(&f);
}

static void differences_use_the_rounds_that_both_saw(void **state)
{
	static const double y[] = {1, 2, 3,   NAN, NAN, /* */
				   2, 3, 4,   50,  60,	/* */
				   5, 6, 7.1, 54,  63};
	struct fit f = fit_table(y, 3, 5);

	(void)state;
	assert_true(near(fit_difference(&f, 1, 0).value, 1, 1e-12));
	assert_true(near(fit_difference(&f, 0, 1).value, -1, 1e-12));
	fit_free(&f);
}

static void without_a_common_round_levels_are_compared(void **state)
{
	static const double y[] = {1,	2,   3,	  NAN, NAN, NAN, /* */
				   NAN, NAN, NAN, 11,  12,  13};
	struct fit f = fit_table(y, 2, 6);
	struct stats_estimate e = fit_difference(&f, 1, 0);

	(void)state;
	assert_true(near(e.value, 10, 1e-9));
	assert_true(e.se > 0);
	fit_free(&f);
}

static void one_wild_point_does_not_widen_the_others(void **state)
{
	double y[40 * 3];
	uint32_t p, r;
	struct fit f;

	(void)state;
	for (p = 0; p < 40; p++)
		for (r = 0; r < 3; r++)
			y[p * 3 + r] = p + 0.01 * ((p + r) % 3);
	y[0] = -9;
	f = fit_table(y, 40, 3);
	assert_true(near(f.point[7].spread.value, 1e-4, 1e-9));
	assert_true(f.point[0].spread.value > 1);
	fit_free(&f);
}

static void constant_rounds_have_no_effect(void **state)
{
	static const double y[] = {1, 1.2, 0.9, NAN, /* */
				   2, 1.9, 2.2, 2,   /* */
				   3, 3.1, 2.8, 3.1};
	struct fit f = fit_table(y, 3, 4);
	uint32_t r;

	(void)state;
	assert_true(f.effect_variance == 0);
	for (r = 0; r < 4; r++)
		assert_true(f.effect[r] == 0);
	assert_true(f.point[0].shift == 0);
	fit_free(&f);
}

static void points_and_rounds_without_cells_are_unknown(void **state)
{
	static const double y[] = {1,	2,   NAN, /* */
				   NAN, NAN, NAN, /* */
				   4,	6,   NAN};
	struct fit f = fit_table(y, 3, 3);

	(void)state;
	assert_int_equal(f.point[1].n, 0);
	assert_true(isnan(fit_level(&f, 1).value));
	assert_true(isnan(fit_level(&f, 1).se));
	assert_true(near(f.residual.df, 1, 1e-12));
	assert_true(f.point[0].shift == 0);
	fit_free(&f);
	assert_int_equal(fit_new(NULL, 0, 0, 0, &f), 0);
	fit_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_full_table_is_the_textbook_analysis),
	    cmocka_unit_test(spreads_are_moderated_by_the_other_points),
	    cmocka_unit_test(a_point_alone_keeps_its_own_spread),
	    cmocka_unit_test(one_round_tells_no_spread),
	    cmocka_unit_test(one_visit_borrows_the_spread_of_others),
	    cmocka_unit_test(a_missing_cell_does_not_pull_the_fit),
	    cmocka_unit_test(differences_cancel_what_hit_the_round),
	    cmocka_unit_test(two_points_are_a_paired_comparison),
	    cmocka_unit_test(differences_use_the_rounds_that_both_saw),
	    cmocka_unit_test(without_a_common_round_levels_are_compared),
	    cmocka_unit_test(one_wild_point_does_not_widen_the_others),
	    cmocka_unit_test(constant_rounds_have_no_effect),
	    cmocka_unit_test(points_and_rounds_without_cells_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
