/*
 * rng: a small fast generator for offsets and mixes; not for secrets.
 *
 * xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2021), seeded through splitmix64 (Steele, Lea, Flood, 2014).
 * Period 2^256 - 1, so no sweep ever comes round again. The numbers are the
 * same on every machine: a seed names a sequence of offsets.
 */
#ifndef ENGINE_RNG_H
#define ENGINE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
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
	int i;

	state = seed ^ rng_splitmix(&state);
	for (i = 0; i < 4; i++)
		r->s[i] = rng_splitmix(&state);
}

static inline uint64_t rng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t result = rng_rotl(r->s[0] + r->s[3], 23) + r->s[0];
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rng_rotl(r->s[3], 45);
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
