/*
 * rng: a small fast generator for offsets and mixes; not for secrets.
 *
 * A multiply-with-carry generator of lag 1 (Marsaglia; Goresky and Klapper,
 * "Efficient multiply-with-carry random number generators with maximal
 * period", 2003) with a 64-bit factor a that Vigna found: m = a 2^64 - 1 and
 * (m - 1) / 2 are primes, so its period is (m - 1) / 2, about 2^127, and no
 * sweep ever comes round again. It is seeded through splitmix64 (Steele, Lea,
 * Flood, 2014). The numbers are the same on every machine: a seed names a
 * sequence of offsets.
 */
#ifndef ENGINE_RNG_H
#define ENGINE_RNG_H

#include <stdint.h>

#define RNG_FACTOR 0xffebb71d94fcdaf9u

struct rng {
	uint64_t x;
	uint64_t carry; /* 1 to RNG_FACTOR - 2 */
};

static inline uint64_t rng_splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Each (seed, stream) is a sequence of its own; stream numbers the worker. */
static inline void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = stream;

	state = seed ^ rng_splitmix(&state);
	r->x = rng_splitmix(&state);
	r->carry = 1 + (rng_splitmix(&state) >> 1);
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t result = r->x;
	unsigned __int128 t = (unsigned __int128)result * RNG_FACTOR + r->carry;

	r->x = (uint64_t)t;
	r->carry = (uint64_t)(t >> 64);
	return result;
}

/*
 * Uniform in [0, n), n > 0: the high half of a 128-bit product (Lemire, "Fast
 * random integer generation in an interval", 2019), without its rejection:
 * the bias is at most n / 2^64, under 1e-9 for a device of 16 EiB in sectors.
 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

#endif
