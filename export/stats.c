#include "export/stats.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct stats_summary stats_summarize(const double *values, size_t count)
{
	struct stats_summary s = {.mean = NAN, .variance = NAN};
	double mean = 0, sum_sq = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		double delta = values[i] - mean;

		if (!isfinite(values[i]))
			continue;
		s.n++;
		mean += delta / (double)s.n;
		sum_sq += delta * (values[i] - mean);
	}
	if (s.n > 0)
		s.mean = mean;
	if (s.n > 1)
		s.variance = sum_sq / (double)(s.n - 1);
	return s;
}

double stats_normal_cdf(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

double stats_normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p;
	double u, z;
	int i;

	if (!(p > 0 && p < 1))
		return NAN;
	u = sqrt(-2 * log(tail));
	z = (2.515517 + u * (0.802853 + u * 0.010328)) /
		(1 + u * (1.432788 + u * (0.189269 + u * 0.001308))) -
	    u;
	/* Two steps of third order from an error below 4.5e-4. */
	for (i = 0; i < 2; i++) {
		double density = exp(-z * z / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
		double step = (stats_normal_cdf(z) - tail) / density;

		z -= step / (1 + z * step / 2);
	}
	return p < 0.5 ? z : -z;
}

static double never_zero(double x)
{
	return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* One level of a continued fraction, evaluated from the front by the modified
 * method of Lentz (Thompson and Barnett, J. Comput. Phys. 64, 1986). */
static double lentz_step(double term, double *c, double *d)
{
	*d = 1 / never_zero(1 + term * *d);
	*c = never_zero(1 + term / *c);
	return *c * *d;
}

/* The continued fraction of DLMF 8.17.22; quick for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / never_zero(1 - (a + b) * x / (a + 1));
	double f = d;
	int m;

	for (m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double change = lentz_step(even, &c, &d);

		change *= lentz_step(odd, &c, &d);
		f *= change;
		if (fabs(change - 1) < 4 * DBL_EPSILON)
			break;
	}
	return f;
}

/* The regularized incomplete beta function I_x(a, b) for 0 <= x <= 1, given
 * 1 - x as well, which may be known better than 1 - x computes. */
static double beta_regularized(double a, double b, double x, double rest)
{
	double front;

	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log(rest));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, rest) / b;
}

double stats_t_cdf(double t, double df)
{
	double tail;

	if (!(df > 0) || isnan(t))
		return NAN;
	if (isinf(df))
		return stats_normal_cdf(t);
	tail = beta_regularized(df / 2, 0.5, df / (df + t * t),
				t * t / (df + t * t)) /
	       2;
	return t < 0 ? tail : 1 - tail;
}

static double t_density(double t, double df)
{
	return exp(lgamma((df + 1) / 2) - lgamma(df / 2) -
		   (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* For p < 0.5; the result is negative. */
static double t_quantile_low(double p, double df)
{
	double low = -1, high = 0;
	double t;
	int i;

	while (stats_t_cdf(low, df) > p) {
		high = low;
		low *= 2;
	}
	t = (low + high) / 2;
	for (i = 0; i < 200; i++) {
		double excess = stats_t_cdf(t, df) - p;
		double next = t - excess / t_density(t, df);

		if (excess > 0)
			high = t;
		else
			low = t;
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - t) <= 4 * DBL_EPSILON * fabs(t))
			return next;
		t = next;
	}
	return t;
}

double stats_t_quantile(double p, double df)
{
	double tail = p < 0.5 ? p : 1 - p;
	double t;

	if (!(p > 0 && p < 1) || !(df > 0))
		return NAN;
	if (isinf(df))
		return stats_normal_quantile(p);
	if (p == 0.5)
		return 0;
	if (df == 1)
		t = -1 / tan(M_PI * tail);
	else if (df == 2)
		t = (2 * tail - 1) / sqrt(2 * tail * (1 - tail));
	else
		t = t_quantile_low(tail, df);
	return p < 0.5 ? t : -t;
}

double stats_half_width_95(double se, double df)
{
	return stats_t_quantile(0.975, df) * se;
}

struct stats_variance stats_moderate(struct stats_variance own,
				     struct stats_variance prior)
{
	struct stats_variance out = {.value = NAN, .df = 0};

	if (own.df > 0)
		out = own;
	if (!(prior.df > 0))
		return out;
	if (!(own.df > 0))
		return prior;
	out.df = own.df + prior.df;
	out.value = (own.df * own.value + prior.df * prior.value) / out.df;
	return out;
}

struct stats_variance stats_add(struct stats_variance a,
				struct stats_variance b)
{
	struct stats_variance out = {.value = a.value + b.value};

	if (b.value == 0)
		return a;
	if (a.value == 0)
		return b;
	if (!(a.df > 0) || !(b.df > 0))
		return (struct stats_variance){.value = NAN};
	out.df = out.value * out.value /
		 (a.value * a.value / a.df + b.value * b.value / b.df);
	return out;
}

struct stats_estimate stats_welch(double mean_a, struct stats_variance var_a,
				  double n_a, double mean_b,
				  struct stats_variance var_b, double n_b)
{
	struct stats_estimate e = {.value = mean_a - mean_b, .se = NAN};
	double a = var_a.value / n_a, b = var_b.value / n_b;

	if (!(var_a.df > 0) || !(var_b.df > 0))
		return e;
	e.se = sqrt(a + b);
	/* Two variances of zero: any degrees of freedom do. */
	e.df = a + b > 0
		   ? (a + b) * (a + b) / (a * a / var_a.df + b * b / var_b.df)
		   : var_a.df + var_b.df;
	return e;
}

double stats_p_value(struct stats_estimate e, double null)
{
	double off = e.value - null;

	if (!(e.df > 0) || isnan(off) || isnan(e.se))
		return NAN;
	if (e.se == 0)
		return off == 0 ? 1 : 0;
	return 2 * stats_t_cdf(-fabs(off) / e.se, e.df);
}

struct ranked {
	double p;
	size_t index;
};

static int by_p_descending(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p;
	double y = ((const struct ranked *)b)->p;

	return (x < y) - (x > y);
}

int stats_adjust_bh(const double *p, size_t count, double *out)
{
	struct ranked *sorted = malloc((count + 1) * sizeof(*sorted));
	double least = 1;
	size_t known = 0, i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		out[i] = p[i];
		if (!isnan(p[i]))
			sorted[known++] = (struct ranked){p[i], i};
	}
	qsort(sorted, known, sizeof(*sorted), by_p_descending);
	for (i = 0; i < known; i++) {
		double scaled =
		    sorted[i].p * (double)known / (double)(known - i);

		if (scaled < least)
			least = scaled;
		out[sorted[i].index] = least;
	}
	free(sorted);
	return 0;
}
