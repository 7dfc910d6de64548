#include "engine/hist.h"

#include <math.h>
#include <string.h>

/* Samples that must lie above a percentile before it is called known. */
#define PERCENTILE_MIN_ABOVE 10

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = UINT64_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	uint32_t i;

	into->count += from->count;
	into->sum_ns += from->sum_ns;
	into->sum_sq_ns += from->sum_sq_ns;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t hist_bucket_lower(uint32_t index)
{
	uint32_t octave = index >> HIST_SUB_BITS;

	if (octave <= 1)
		return index;
	return (uint64_t)(HIST_SUB + (index & (HIST_SUB - 1))) << (octave - 1);
}

uint64_t hist_bucket_upper(uint32_t index)
{
	uint32_t octave = index >> HIST_SUB_BITS;

	return hist_bucket_lower(index) +
	       ((uint64_t)1 << (octave > 1 ? octave - 1 : 0));
}

double hist_mean_ns(const struct hist *h)
{
	return h->count ? (double)h->sum_ns / (double)h->count : NAN;
}

double hist_stddev_ns(const struct hist *h)
{
	double n = (double)h->count;
	double mean, variance;

	if (h->count < 2)
		return NAN;
	mean = (double)h->sum_ns / n;
	variance = (h->sum_sq_ns - n * mean * mean) / (n - 1);
	return variance > 0 ? sqrt(variance) : 0;
}

/* Middle of the bucket that holds the sample of that rank, from 1. */
static double value_at_rank(const struct hist *h, uint64_t rank)
{
	uint64_t seen = 0;
	double value;
	uint32_t i;

	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	/* A bucket of width 1 holds one value: its lower bound. */
	value = ((double)hist_bucket_lower(i) +
		 (double)(hist_bucket_upper(i) - 1)) /
		2;
	if (i == HIST_BUCKETS - 1 || value > (double)h->max_ns)
		return (double)h->max_ns;
	return value < (double)h->min_ns ? (double)h->min_ns : value;
}

static bool percentile_known(const struct hist *h, double q)
{
	/* A hair of slack: 1000 * (1 - 0.99) is 10.000000000000009 or less. */
	return h->count &&
	       (double)h->count * (1 - q) > PERCENTILE_MIN_ABOVE - 1e-6;
}

static uint64_t clamp_rank(double rank, uint64_t count)
{
	if (rank < 1)
		return 1;
	return rank > (double)count ? count : (uint64_t)rank;
}

double hist_percentile_ns(const struct hist *h, double q)
{
	double n = (double)h->count;

	if (!percentile_known(h, q))
		return NAN;
	return value_at_rank(h, clamp_rank(ceil(q * n - 1e-9 * n), h->count));
}

bool hist_quantile_ns(const struct hist *h, double q, struct hist_quantile *out)
{
	double n = (double)h->count;
	double half;

	if (!percentile_known(h, q))
		return false;
	half = 1.96 * sqrt(n * q * (1 - q));
	out->value_ns = hist_percentile_ns(h, q);
	out->low_ns =
	    value_at_rank(h, clamp_rank(floor(n * q - half), h->count));
	out->high_ns =
	    value_at_rank(h, clamp_rank(ceil(n * q + half) + 1, h->count));
	return true;
}
