/*
 * saturate: sums and products of sizes and times that stay at UINT64_MAX
 * instead of wrapping around: what is asked for may be beyond all bounds, and
 * is then to be called too much, not little.
 */
#ifndef ENGINE_SATURATE_H
#define ENGINE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturate_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturate_multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
