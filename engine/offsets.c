#include "engine/offsets.h"

#include <assert.h>

#define ALWAYS ((uint64_t)1 << 32)

static uint64_t chance(double pct)
{
	return (uint64_t)(pct / 100.0 * (double)ALWAYS + 0.5);
}

static bool is_drawn(uint64_t below)
{
	return below != 0 && below != ALWAYS;
}

/* blocks * part / parts without overflow. */
static uint64_t share(uint64_t blocks, uint32_t part, uint32_t parts)
{
	return (uint64_t)((unsigned __int128)blocks * part / parts);
}

/* Zones tile the region; with more workers than blocks some share one. */
static void set_zone(struct offsets *o, const struct offsets_plan *plan)
{
	o->begin = share(o->region_blocks, plan->worker, plan->workers);
	o->end = share(o->region_blocks, plan->worker + 1, plan->workers);
	if (o->end == o->begin)
		o->end = o->begin + 1;
}

void offsets_init(struct offsets *o, const struct offsets_plan *plan)
{
	const struct stream *s = plan->stream;

	o->block_size_bytes = s->block_size_bytes;
	o->region_blocks =
	    offsets_blocks(plan->region_bytes, s->block_size_bytes);
	assert(o->region_blocks > 0 && plan->worker < plan->workers);
	o->jump_below = chance(s->random_pct);
	o->read_below = chance(s->read_pct);
	o->skewed =
	    o->jump_below && s->distribution.kind != DISTRIBUTION_UNIFORM;
	o->draws =
	    o->skewed || is_drawn(o->jump_below) || is_drawn(o->read_below);
	o->jumps = o->jump_below != 0;
	o->dir = o->read_below ? DIR_READ : DIR_WRITE;
	o->begin = 0;
	o->end = o->region_blocks;
	if (o->jump_below == 0)
		set_zone(o, plan);
	o->next = o->begin;
	if (plan->resume_block > o->begin && plan->resume_block < o->end)
		o->next = plan->resume_block;
	if (o->skewed)
		drawing_init(&o->drawing, &s->distribution, o->region_blocks,
			     plan->hot_key);
	rng_seed(&o->rng, plan->seed, plan->worker);
}

uint64_t offsets_position(const struct offsets *o)
{
	return o->next;
}

uint64_t offsets_position_after(const struct offsets *o, uint64_t ios)
{
	uint64_t zone = o->end - o->begin;

	return o->begin + (o->next - o->begin + ios % zone) % zone;
}
