/*
 * stats: the distributions and tests behind intervals and comparisons. Pure
 * functions on numbers; they know nothing of storage.
 *
 * Own code, since the one well-kept library among our systems' packages, GSL,
 * is under the GPL and this project is not, and a dozen formulas are all that
 * is needed. Sources stand at each function. Unknown is NAN: an argument
 * outside the stated range gives NAN.
 */
#ifndef EXPORT_STATS_H
#define EXPORT_STATS_H

#include <stddef.h>

/* Mean and sample variance (n - 1) of the finite ones among count values,
 * by Welford's updates (Technometrics 4, 1962). mean is NAN for n = 0,
 * variance for n < 2. */
struct stats_summary {
	size_t n;
	double mean, variance;
};
struct stats_summary stats_summarize(const double *values, size_t count);

/* P(Z <= z) of the standard normal. */
double stats_normal_cdf(double z);

/* Its inverse for 0 < p < 1: Abramowitz and Stegun 26.2.23, then Halley's
 * steps to the accuracy of erfc. */
double stats_normal_quantile(double p);

/* P(T <= t) of Student's t with df > 0 degrees of freedom, fractions allowed
 * (Welch): by the incomplete beta function, DLMF 8.17(i), with its continued
 * fraction 8.17.22. */
double stats_t_cdf(double t, double df);

/* Its inverse for 0 < p < 1: exact for df 1 and 2, else Newton's steps, kept
 * within a bracket, on stats_t_cdf. df may be INFINITY: the normal. */
double stats_t_quantile(double p, double df);

/* Half width of the 95% interval of an estimate with standard error se that
 * was itself estimated with df degrees of freedom. NAN for df <= 0. */
double stats_half_width_95(double se, double df);

/* A variance and the degrees of freedom it was estimated with (0: unknown,
 * and the variance counts for nothing). */
struct stats_variance {
	double value, df;
};

/*
 * A variance drawn towards a prior: (df0 s0^2 + df s^2) / (df0 + df) with
 * df0 + df degrees of freedom. G. K. Smyth, Linear models and empirical Bayes
 * methods, Statistical Applications in Genetics and Molecular Biology 3 (1),
 * 2004, section 3. value is NAN when both have no degrees of freedom.
 */
struct stats_variance stats_moderate(struct stats_variance own,
				     struct stats_variance prior);

/* The variance of a sum of two that share nothing: they add up, degrees of
 * freedom after F. E. Satterthwaite, Biometrics Bulletin 2, 1946. A variance
 * of exactly 0 adds nothing, whatever its degrees of freedom; NAN and 0 where
 * one is unknown. */
struct stats_variance stats_add(struct stats_variance a,
				struct stats_variance b);

/* The difference of two means that share nothing: B. L. Welch, Biometrika 34,
 * 1947; degrees of freedom after Satterthwaite 1946. Each side is a mean with
 * the variance of a single value and n values. se is NAN where a variance is
 * unknown. */
struct stats_estimate {
	double value, se, df;
};
struct stats_estimate stats_welch(double mean_a, struct stats_variance var_a,
				  double n_a, double mean_b,
				  struct stats_variance var_b, double n_b);

/* Two-sided p value of the hypothesis that the estimate is truly at `null`;
 * NAN where the estimate is not known. */
double stats_p_value(struct stats_estimate e, double null);

/*
 * Benjamini and Hochberg's adjusted p values (J. R. Statist. Soc. B 57, 1995;
 * adjusted form: Yekutieli and Benjamini 1999): rejecting where adjusted <=
 * 0.05 holds the expected share of false discoveries at 5%. NAN stays NAN and
 * is not counted. out may be p itself. 0 or -ENOMEM.
 */
int stats_adjust_bh(const double *p, size_t count, double *out);

#endif
