/*
 * offsets: where the next I/O of a worker goes, and in which direction.
 *
 * Random blocks are uniform over the whole region at any size, unless the
 * stream says another distribution; a purely sequential worker has a zone of
 * its own and wraps in it. Between the two, random_pct of the I/Os jump to a
 * random block of the region and the others go on behind the last one. Every
 * offset is a multiple of the block size, and the whole block lies inside the
 * region; a tail smaller than a block is never touched.
 *
 * Not thread safe: one a worker. The same plan gives the same sequence.
 */
#ifndef ENGINE_OFFSETS_H
#define ENGINE_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/distribution.h"
#include "engine/point.h"
#include "engine/rng.h"

struct offsets_plan {
	const struct stream *stream;
	uint64_t region_bytes; /* at least one block */
	uint32_t worker;       /* below workers */
	uint32_t workers;
	uint64_t seed;
	uint64_t hot_key;      /* which blocks are hot, see drawing_init() */
	uint64_t resume_block; /* offsets_position() of an earlier visit with
				* the same plan; 0: the start of the zone */
};

struct offsets {
	struct rng rng;
	uint64_t block_size_bytes;
	uint64_t region_blocks;
	uint64_t begin, end; /* zone, in blocks */
	uint64_t next;	     /* block behind the last one, inside the zone */
	/* Chances in 2^-32, so that 2^32 is always and 0 never. */
	uint64_t jump_below;
	uint64_t read_below;
	/* Some chance is neither always nor never, or skewed. */
	bool draws;
	bool skewed; /* not uniform: jumps go where drawing says */
	/* Where nothing is drawn. */
	bool jumps;
	uint32_t dir;
	struct drawing drawing;
};

void offsets_init(struct offsets *o, const struct offsets_plan *plan);

/* Where a sequential stream stands, for resume_block of its next visit. */
uint64_t offsets_position(const struct offsets *o);

/* Where it will stand after so many more I/Os, all of them sequential. */
uint64_t offsets_position_after(const struct offsets *o, uint64_t ios);

/* Whole blocks of a region; 0 when it holds none. */
static inline uint64_t offsets_blocks(uint64_t region_bytes,
				      uint64_t block_size_bytes)
{
	return region_bytes / block_size_bytes;
}

/* Byte offset of the next I/O; its direction goes to *dir. */
static inline uint64_t offsets_next(struct offsets *o, uint32_t *dir)
{
	bool jumps = o->jumps, skewed = false;
	uint64_t block;

	*dir = o->dir;
	if (o->draws) {
		/* One draw serves both chances, a half each. */
		uint64_t draw = rng_next(&o->rng);

		*dir = (uint32_t)draw < o->read_below ? DIR_READ : DIR_WRITE;
		jumps = (draw >> 32) < o->jump_below;
		skewed = o->skewed;
	}
	if (!jumps)
		block = o->next;
	else if (skewed)
		block = drawing_next(&o->drawing, &o->rng);
	else
		block = rng_below(&o->rng, o->region_blocks);
	o->next = block + 1;
	if (o->next == o->end)
		o->next = o->begin;
	return block * o->block_size_bytes;
}

#endif
