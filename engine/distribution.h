/*
 * distribution: which blocks random I/Os go to: all alike, by Zipf's law, or
 * mostly to a few hot ones. Hot blocks are scattered over the region by a
 * keyed permutation, so that they lie in no corner and share no pattern.
 *
 * A drawing has no table, whatever the size of the region, and is not thread
 * safe: one a worker.
 */
#ifndef ENGINE_DISTRIBUTION_H
#define ENGINE_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "engine/rng.h"

enum distribution_kind {
	DISTRIBUTION_UNIFORM, /* "uniform" */
	DISTRIBUTION_ZIPF,    /* "zipf:1.1": the block of rank k is drawn as
			       * k^-theta */
	DISTRIBUTION_HOT,     /* "hot:10/90": 90% of I/Os to 10% of blocks */
};

/* Zeroed: uniform. What a kind does not use is 0. */
struct distribution {
	enum distribution_kind kind;
	double theta;	       /* above 0, DISTRIBUTION_THETA_MAX at most */
	double hot_blocks_pct; /* between 0 and 100, both excluded */
	double hot_ios_pct;    /* above 0, 100 at most */
};

#define DISTRIBUTION_THETA_MAX 10.0

/* From and to text. parse: 0, or -EINVAL and out untouched; a form that
 * people may type is uniform, zipf:1.1 or hot:10/90. name: returns buf. */
int distribution_parse(const char *text, struct distribution *out);
#define DISTRIBUTION_NAME_MAX 48
char *distribution_name(const struct distribution *d,
			char buf[DISTRIBUTION_NAME_MAX]);

/* Below, at and above 0 as a comes before b: uniform, zipf by theta, hot. */
int distribution_compare(const struct distribution *a,
			 const struct distribution *b);

/* The share of I/Os, 0 to 1, that go to the `hottest` blocks of so many. */
double distribution_share(const struct distribution *d, double hottest,
			  double blocks);

/*
 * A permutation of 0 .. blocks - 1 for each key: a Feistel network over the
 * next even power of two, walked until it comes back into the range (Black
 * and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). blocks
 * from 1 to 2^62.
 */
#define PERMUTATION_ROUNDS 4
struct permutation {
	uint64_t blocks;
	uint64_t key[PERMUTATION_ROUNDS];
	uint64_t mask; /* of a half */
	unsigned half_bits;
};
void permutation_init(struct permutation *p, uint64_t blocks, uint64_t key);
uint64_t permutation_at(const struct permutation *p, uint64_t i);

struct drawing {
	struct permutation order; /* from rank to block */
	uint64_t blocks;
	/* Hot: the first so many ranks, and their chance in 2^-32. */
	uint64_t hot_blocks, hot_below;
	/* Zipf, as rejection-inversion names them. */
	double theta, h_low, h_high, accept;
	enum distribution_kind kind;
};

/* key decides which blocks are hot, whatever the visit draws. */
void drawing_init(struct drawing *d, const struct distribution *what,
		  uint64_t blocks, uint64_t key);

/* The next block. */
uint64_t drawing_next(const struct drawing *d, struct rng *rng);

/* The rank alone, 0 the hottest, before it is scattered: for tests. */
uint64_t drawing_rank(const struct drawing *d, struct rng *rng);

#endif
