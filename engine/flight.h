/*
 * flight: what a worker and its backend share of the measured loop: the slots
 * in flight, where the next block lies, and the histograms that completions
 * are counted in.
 *
 * The worker makes it, and turns I/Os around by itself wherever something is
 * due or out of the ordinary. Between two such moments a backend may do so on
 * its own (`fly` in backend.h), in a loop made for it, by flight_turn().
 */
#ifndef ENGINE_FLIGHT_H
#define ENGINE_FLIGHT_H

#include <stdint.h>
#include <string.h>

#include "engine/backend.h"
#include "engine/hist.h"
#include "engine/offsets.h"

/* A write carries a number of its own in every so many bytes, so that storage
 * that folds equal blocks finds none. */
#define FLIGHT_STAMP_BYTES 4096

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct flight {
	struct io_slot *slots;
	struct io_done *done; /* of the batch under way */
	struct hist *hist[DIR_COUNT];
	uint64_t next_event_ns; /* then the worker looks up */
	uint64_t write_stamp;	/* of the next write: never twice the same */
	struct offsets offsets;
	uint32_t block_size;
	uint32_t batch; /* I/Os a submit call takes at most */
	char *write_buffer;
	uint64_t stride_bytes;
};

static inline void flight_stamp_write(struct flight *f, uint32_t slot)
{
	char *block = f->write_buffer + slot * f->stride_bytes;
	uint32_t at;

	for (at = 0; at < f->block_size; at += FLIGHT_STAMP_BYTES)
		memcpy(block + at, &f->write_stamp, sizeof(f->write_stamp));
	f->write_stamp++;
}

/* Aim a slot at its next block; now is taken before it is submitted. */
static inline void flight_aim(struct flight *f, uint32_t slot, uint64_t now)
{
	struct io_slot *s = &f->slots[slot];

	s->start_ns = now;
	s->offset = offsets_next(&f->offsets, &s->dir);
	if (s->dir == DIR_WRITE)
		flight_stamp_write(f, slot);
}

/* Whether an I/O came back whole: everything else is the worker's. */
static inline bool flight_is_whole(const struct flight *f, int32_t res)
{
	return res == (int32_t)f->block_size;
}

/* Count a whole I/O that came back by now, and aim its slot anew. */
static inline void flight_turn(struct flight *f, uint32_t slot, uint64_t now)
{
	const struct io_slot *s = &f->slots[slot];

	hist_record(f->hist[s->dir], now - s->start_ns);
	flight_aim(f, slot, now);
}

#endif
