/* stats: table values, identities, and numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "export/stats.h"

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance;
}

static void t_quantiles_match_printed_tables(void **state)
{
	/* Abramowitz and Stegun, table 26.10, to the digits of later ones. */
	static const struct {
		double p, df, t;
	} table[] = {
	    {0.975, 1, 12.7062047362},
	    {0.975, 2, 4.3026527297},
	    {0.975, 3, 3.1824463053},
	    {0.975, 4, 2.7764451052},
	    {0.975, 5, 2.5705818356},
	    {0.975, 8, 2.3060041352},
	    {0.975, 10, 2.2281388520},
	    {0.975, 30, 2.0422724563},
	    {0.975, 100, 1.9839715185},
	    {0.975, INFINITY, 1.9599639845},
	    {0.995, 4, 4.6040948713},
	    {0.995, 10, 3.1692726726},
	    {0.95, 7, 1.8945786051},
	    {0.9995, 3, 12.9239786367},
	    {0.75, 1, 1.0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double t = stats_t_quantile(table[i].p, table[i].df);

		assert_true(near(t, table[i].t, 1e-6));
		assert_true(near(stats_t_quantile(1 - table[i].p, table[i].df),
				 -t, 1e-9));
	}
}

/* Simpson's rule over the density from 0 to t. */
static double t_cdf_by_integration(double t, double df)
{
	double c = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * M_PI);
	int n = 20000, i;
	double sum = 0;

	for (i = 0; i <= n; i++) {
		double x = t * i / n;
		double y = c * pow(1 + x * x / df, -(df + 1) / 2);

		sum += y * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
	}
	return 0.5 + sum * t / n / 3;
}

static void t_cdf_matches_integration_for_broken_df(void **state)
{
	static const double df[] = {0.7, 1, 1.5, 2.3, 4, 7.9, 33.3, 250, 5000};
	static const double t[] = {-3, -0.5, 0, 0.01, 1, 2.2, 6};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(df) / sizeof(df[0]); i++)
		for (k = 0; k < sizeof(t) / sizeof(t[0]); k++)
			assert_true(near(stats_t_cdf(t[k], df[i]),
					 t_cdf_by_integration(t[k], df[i]),
					 1e-9));
}

static void t_quantile_inverts_the_cdf(void **state)
{
	static const double df[] = {0.8, 1, 2, 3, 5.5, 12, 100, 1e4, 1e7};
	static const double p[] = {1e-8, 0.001, 0.025, 0.3,   0.5,
				   0.51, 0.8,	0.975, 0.9999};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(df) / sizeof(df[0]); i++)
		for (k = 0; k < sizeof(p) / sizeof(p[0]); k++) {
			double t = stats_t_quantile(p[k], df[i]);

			assert_true(near(stats_t_cdf(t, df[i]), p[k],
					 1e-8 * p[k] + 1e-12));
		}
}

static void normal_quantile_matches_known_values(void **state)
{
	(void)state;
	assert_true(near(stats_normal_quantile(0.5), 0, 1e-12));
	assert_true(
	    near(stats_normal_quantile(0.975), 1.959963984540054, 1e-12));
	assert_true(
	    near(stats_normal_quantile(0.9), 1.2815515655446004, 1e-12));
	assert_true(
	    near(stats_normal_quantile(1e-6), -4.753424308822899, 1e-9));
	assert_true(near(stats_normal_cdf(1), 0.8413447460685429, 1e-14));
}

static void arguments_out_of_range_give_nan(void **state)
{
	(void)state;
	assert_true(isnan(stats_t_quantile(0, 4)));
	assert_true(isnan(stats_t_quantile(1, 4)));
	assert_true(isnan(stats_t_quantile(0.9, 0)));
	assert_true(isnan(stats_t_quantile(0.9, -1)));
	assert_true(isnan(stats_t_quantile(NAN, 4)));
	assert_true(isnan(stats_t_cdf(1, 0)));
	assert_true(isnan(stats_t_cdf(NAN, 3)));
	assert_true(isnan(stats_normal_quantile(1)));
	assert_true(isnan(stats_half_width_95(1, 0)));
	assert_true(isnan(stats_half_width_95(NAN, 5)));
}

static void summary_is_of_the_finite_values(void **state)
{
	/* Large offset: the naive sum of squares would lose the variance. */
	static const double values[] = {1e9 + 4,  NAN,	    1e9 + 7,
					1e9 + 13, INFINITY, 1e9 + 16};
	struct stats_summary s = stats_summarize(values, 6);

	(void)state;
	assert_int_equal(s.n, 4);
	assert_true(near(s.mean, 1e9 + 10, 1e-6));
	assert_true(near(s.variance, 30, 1e-6));
	s = stats_summarize(values, 1);
	assert_true(s.mean == 1e9 + 4 && isnan(s.variance));
	s = stats_summarize(values, 0);
	assert_true(isnan(s.mean) && isnan(s.variance));
}

static void moderation_weighs_by_degrees_of_freedom(void **state)
{
	struct stats_variance own = {.value = 1, .df = 2};
	struct stats_variance prior = {.value = 4, .df = 4};
	struct stats_variance nothing = {.value = NAN, .df = 0};
	struct stats_variance m = stats_moderate(own, prior);

	(void)state;
	assert_true(near(m.value, 3, 1e-12) && m.df == 6);
	m = stats_moderate(own, nothing);
	assert_true(m.value == 1 && m.df == 2);
	m = stats_moderate(nothing, prior);
	assert_true(m.value == 4 && m.df == 4);
	m = stats_moderate(nothing, nothing);
	assert_true(isnan(m.value) && m.df == 0);
}

static void welch_matches_a_worked_example(void **state)
{
	/* Means 20.6 and 22.1, variances 4 and 9, ten values each: t =
	 * -1.5 / sqrt(1.3), df = 1.3^2 / ((0.4^2 + 0.9^2) / 9). */
	struct stats_variance a = {4, 9}, b = {9, 9}, none = {NAN, 0};
	struct stats_estimate e = stats_welch(20.6, a, 10, 22.1, b, 10);

	(void)state;
	assert_true(near(e.value, -1.5, 1e-12));
	assert_true(near(e.se, sqrt(1.3), 1e-12));
	assert_true(near(e.df, 1.69 / (0.97 / 9), 1e-9));
	assert_true(near(stats_p_value(e, 0),
			 2 * stats_t_cdf(-1.5 / sqrt(1.3), e.df), 1e-12));
	e = stats_welch(1, a, 10, 2, none, 1);
	assert_true(isnan(e.se) && isnan(stats_p_value(e, 0)));
}

static void estimates_without_spread_are_certain(void **state)
{
	struct stats_estimate e = {.value = 2, .se = 0, .df = 3};

	(void)state;
	assert_true(stats_p_value(e, 2) == 1);
	assert_true(stats_p_value(e, 1) == 0);
}

static void bh_matches_a_worked_example(void **state)
{
	double p[] = {0.01, 0.04, NAN, 0.03, 0.005, 0.9};
	double q[6];

	(void)state;
	/* Five known: 0.005 x 5/1, 0.01 x 5/2, 0.03 x 5/3, 0.04 x 5/4 ... */
	assert_int_equal(stats_adjust_bh(p, 6, q), 0);
	assert_true(near(q[4], 0.025, 1e-12));
	assert_true(near(q[0], 0.025, 1e-12));
	assert_true(near(q[3], 0.05, 1e-12));
	assert_true(near(q[1], 0.05, 1e-12));
	assert_true(near(q[5], 0.9, 1e-12));
	assert_true(isnan(q[2]));
	assert_int_equal(stats_adjust_bh(p, 6, p), 0);
	assert_true(near(p[1], 0.05, 1e-12));
	assert_int_equal(stats_adjust_bh(p, 0, p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_quantiles_match_printed_tables),
	    cmocka_unit_test(t_cdf_matches_integration_for_broken_df),
	    cmocka_unit_test(t_quantile_inverts_the_cdf),
	    cmocka_unit_test(normal_quantile_matches_known_values),
	    cmocka_unit_test(arguments_out_of_range_give_nan),
	    cmocka_unit_test(summary_is_of_the_finite_values),
	    cmocka_unit_test(moderation_weighs_by_degrees_of_freedom),
	    cmocka_unit_test(welch_matches_a_worked_example),
	    cmocka_unit_test(estimates_without_spread_are_certain),
	    cmocka_unit_test(bh_matches_a_worked_example),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
