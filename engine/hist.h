/*
 * hist: a latency histogram in nanoseconds.
 *
 * Log-linear: values below 128 ns have a bucket each, every octave above is
 * cut into 128 equal buckets, so a bucket is at most 1/128 of its lower bound
 * wide and its middle is off by less than 0.4%. The range is 1 ns to 2^41 ns
 * (36 minutes); beyond it values go to the last bucket, and max_ns, kept
 * exactly, tells. count, sum, sum of squares, min and max are exact.
 *
 * Not thread safe: one histogram a worker, merged afterwards. Recording
 * allocates nothing and divides nothing.
 */
#ifndef ENGINE_HIST_H
#define ENGINE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_SUB (1u << HIST_SUB_BITS)
#define HIST_MAX_BITS 41
/* One linear run below 2^7, then 128 buckets for each octave up to 2^41. */
#define HIST_BUCKETS ((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

struct hist {
	uint64_t count;
	uint64_t min_ns; /* UINT64_MAX while empty */
	uint64_t max_ns; /* 0 while empty */
	uint64_t sum_ns;
	double sum_sq_ns; /* sum of squares */
	uint64_t bucket[HIST_BUCKETS];
};

static inline uint32_t hist_index(uint64_t ns)
{
	/* Octaves above the linear run; 0 inside it too. 63 ^ clz is the
	 * number of the highest bit, in one instruction. */
	uint32_t shift =
	    (63 ^ (uint32_t)__builtin_clzll(ns | HIST_SUB)) - HIST_SUB_BITS;

	if (shift >= HIST_MAX_BITS - HIST_SUB_BITS)
		return HIST_BUCKETS - 1;
	return (shift << HIST_SUB_BITS) + (uint32_t)(ns >> shift);
}

static inline void hist_record(struct hist *h, uint64_t ns)
{
	/* The conversion of a signed number is one instruction. */
	double value = (double)(int64_t)ns;

	h->bucket[hist_index(ns)]++;
	h->count++;
	h->sum_ns += ns;
	h->sum_sq_ns += value * value;
	if (ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

void hist_reset(struct hist *h);

/* Add from to into: buckets, count, sums, min and max. */
void hist_merge(struct hist *into, const struct hist *from);

/* Bounds of a bucket in ns: lower inclusive, upper exclusive. index must be
 * below HIST_BUCKETS. */
uint64_t hist_bucket_lower(uint32_t index);
uint64_t hist_bucket_upper(uint32_t index);

/* Mean and standard deviation (n - 1) in ns; NAN when empty (or n < 2). */
double hist_mean_ns(const struct hist *h);
double hist_stddev_ns(const struct hist *h);

/*
 * The value below which a share q (0 < q < 1) of the samples lies: the middle
 * of the bucket that holds sample ceil(q n), within min and max. NAN when
 * empty or when fewer than 10 samples lie above it, n (1 - q) < 10: such a
 * percentile is not known (for q = 0.99 that is under 1,000 samples).
 */
double hist_percentile_ns(const struct hist *h, double q);

/*
 * The same with its 95% interval: the order statistics at n q +- 1.96
 * sqrt(n q (1 - q)) (normal approximation of the binomial; Hahn and Meeker,
 * Statistical Intervals, 1991, section 5.2). Independent samples are assumed,
 * so it is a lower bound of the doubt. Returns false and touches nothing when
 * the percentile is not known.
 */
struct hist_quantile {
	double value_ns, low_ns, high_ns;
};
bool hist_quantile_ns(const struct hist *h, double q,
		      struct hist_quantile *out);

#endif
