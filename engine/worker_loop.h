/*
 * worker_loop: what the two loops of a worker share: worker.c keeps a number of
 * I/Os in flight, worker_paced.c starts them at a rate. Nobody else's.
 */
#ifndef ENGINE_WORKER_LOOP_H
#define ENGINE_WORKER_LOOP_H

#include "engine/clock.h"
#include "engine/worker.h"

static inline uint64_t worker_now(const struct worker *w)
{
	return w->now ? w->now(w->backend) : clock_now_ns();
}

/*
 * Something is due: the window begins, an interval or the window ends, or
 * somebody wants us to stop. Comes before what was stamped `now` is counted.
 * False when the worker has to end.
 */
bool worker_handle_event(struct worker *w, uint64_t now);

/* An I/O came back, but not whole. */
void worker_count_failure(struct worker *w, int32_t res);

/* Looked at every now and then: only failures, or I/Os that do not return. */
bool worker_has_stalled(struct worker *w, uint64_t now);

/* The first n of the batch are in flight no more, and nothing follows. Returns
 * false, as a loop that ends does. */
bool worker_land(struct worker *w, uint32_t n);

/* The same, since the kernel refused them, or to say what came back. */
bool worker_break_off(struct worker *w, uint32_t n, int ret);

/* With run->verify alone: what a slot is about to write is made so that it can
 * be told apart when it is read back, and told to have ended. */
void worker_verify_begin(struct worker *w, uint32_t slot, uint64_t now);
void worker_verify_end(struct worker *w, const struct io_done *done,
		       uint64_t now);

/* The loop of a run that has a rate, from its start to the end. */
void worker_fly_paced(struct worker *w);

#endif
