/*
 * prng: a small seeded generator for tests (xorshift64*, Vigna 2016), so that
 * a failure comes again.
 */
#ifndef TESTS_PRNG_H
#define TESTS_PRNG_H

#include <stdint.h>

/* *state must not be 0. */
static inline uint64_t prng_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

/* 0 to limit - 1. */
static inline uint64_t prng_below(uint64_t *state, uint64_t limit)
{
	return (prng_next(state) >> 11) % limit;
}

#endif
