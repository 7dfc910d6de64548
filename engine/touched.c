#include "engine/touched.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/clock.h"

/* I/Os between two looks at the clock. */
#define LOOK_EVERY 65536

struct map {
	uint64_t *bits;
	uint64_t cells;
	uint64_t set;
	bool hashed; /* several blocks share a cell */
};

/* Finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void mark(struct map *m, uint64_t block)
{
	uint64_t cell = m->hashed ? mix64(block) & (m->cells - 1) : block;
	uint64_t bit = (uint64_t)1 << (cell & 63);
	uint64_t *word = &m->bits[cell >> 6];

	m->set += !(*word & bit);
	*word |= bit;
}

/* False when the time is up. */
static bool replay(struct map *m, struct touched_part *part, uint64_t until_ns)
{
	uint64_t bs = part->from.block_size_bytes, i;
	uint32_t dir;

	for (i = 0; i < part->ios; i++) {
		if (i % LOOK_EVERY == 0 && clock_now_ns() > until_ns)
			return false;
		mark(m, offsets_next(&part->from, &dir) / bs);
	}
	return true;
}

static double distinct(const struct map *m)
{
	double cells = (double)m->cells, empty = cells - (double)m->set;

	if (!m->hashed)
		return (double)m->set;
	return empty > 0 ? cells * log(cells / empty) : NAN;
}

double touched_bytes(struct touched_part *parts, uint32_t count,
		     uint64_t limit_ns)
{
	const struct offsets *o = &parts[0].from;
	uint64_t until_ns = clock_now_ns() + limit_ns;
	struct map m = {.cells = o->region_blocks};
	double bytes = NAN;
	bool done = true;
	uint32_t i;

	m.hashed = m.cells > TOUCHED_CELLS;
	if (m.hashed)
		m.cells = TOUCHED_CELLS;
	m.bits = calloc(m.cells / 64 + 1, sizeof(*m.bits));
	if (!m.bits)
		return NAN;
	for (i = 0; i < count && done; i++)
		done = replay(&m, &parts[i], until_ns);
	if (done)
		bytes = distinct(&m) * (double)o->block_size_bytes;
	free(m.bits);
	return bytes;
}
