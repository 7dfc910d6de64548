/*
 * places: where the sequential streams of each point stand, so that they go
 * on there at the point's next visit instead of reading again what a cache
 * has just seen.
 */
#ifndef ENGINE_PLACES_H
#define ENGINE_PLACES_H

#include <stdint.h>

/* A block for each worker of one point. */
struct place {
	uint64_t *block;
	uint32_t count;
};

/* All zero is empty. */
struct places {
	struct place *place; /* by index of the point */
	uint32_t count;
};

/* The blocks of a point, with room for that many workers; what was not set
 * yet is 0. Owned by p, good until the next call. NULL: no memory. */
uint64_t *places_get(struct places *p, uint32_t point, uint32_t workers);

void places_free(struct places *p);

#endif
