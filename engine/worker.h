/*
 * worker: one thread's share of a visit: it keeps its slots in flight, stamps
 * and counts what comes back, and knows when the window begins and ends.
 *
 * Nobody but its thread touches a worker while it runs, its `published`
 * counters apart. The loop allocates, locks and prints nothing.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/backend.h"
#include "engine/counters.h"
#include "engine/flight.h"
#include "engine/verify.h"
#include "engine/visit.h"

/* What one visit asks of all of its workers. */
struct run {
	const struct backend_ops *ops;
	struct backend_opts opts;
	int fd;
	struct stream stream;
	uint64_t region_bytes;
	uint64_t seed;
	uint64_t hot_key; /* of offsets */
	uint32_t workers;
	uint32_t depth; /* of each */
	uint32_t batch; /* 1 to depth */
	/* Worker i has depth * stride bytes at area[dir] + i times that. */
	char *area[DIR_COUNT];
	uint64_t stride_bytes;
	uint64_t ramp_ns;
	uint64_t time_ns;
	uint64_t interval_ns;
	uint32_t samples; /* whole intervals in the window */
	uint64_t io_timeout_ns;
	/* --verify: one a worker, and what its blocks are marked with; NULL:
	 * blocks are not to be told apart. */
	struct verify_log *verify;
	uint64_t verify_mark;
	uint32_t rate_iops; /* of all workers together; 0: none */
	uint64_t start_ns;  /* of the ramp; set before the workers are let go */
	/* Set by anyone: end now. */
	atomic_bool quit;
};

/* When the window begins and ends. */
static inline uint64_t run_window_ns(const struct run *r)
{
	return r->start_ns + r->ramp_ns;
}

static inline uint64_t run_end_ns(const struct run *r)
{
	return run_window_ns(r) + r->time_ns;
}

enum worker_end {
	WORKER_DONE,	/* the window is over */
	WORKER_QUIT,	/* run->quit was set */
	WORKER_FAILING, /* only failures for too long */
	WORKER_STUCK,	/* I/Os did not return within the time limit; those
			 * that never did are counted in in_flight */
	WORKER_BROKEN,	/* the kernel takes no more I/Os */
};

/* Counters for the screen, of the phase under way. */
struct worker_published {
	atomic_uint_fast64_t ios;
	atomic_uint_fast64_t lat_sum_ns;
	atomic_bool in_window;
};

struct worker {
	/* Hot. */
	alignas(128) struct flight flight; /* its histograms are part's */
	struct backend *backend;
	uint64_t (*now)(const struct backend *); /* NULL: clock_now_ns() */
	uint32_t in_flight;

	/* Once in a while. */
	struct run *run;
	uint32_t index;
	bool in_window;
	uint64_t sample_end_ns;
	/* Totals at the last interval's end, and the largest latency of the
	 * intervals before (hist keeps the current one's). */
	uint64_t mark_count[DIR_COUNT];
	uint64_t mark_sum_ns[DIR_COUNT];
	uint64_t past_max_ns[DIR_COUNT];
	uint64_t looked_ns; /* when it last looked for I/Os that are out */
	uint64_t failures_in_turn;
	uint64_t count_at_failure; /* I/Os that were done then */

	/* At a rate. */
	struct io_done *idle; /* slots that are not in flight: a stack */
	uint32_t idle_count;
	uint64_t started;     /* I/Os, since the visit began */
	uint64_t depth_ns;    /* I/Os in flight x time, in this window ... */
	uint64_t depth_to_ns; /* ... until then */

	uint64_t age_ns; /* of the I/Os in flight when the window began */
	struct counters_thread cpu_since; /* the same */
	struct offsets offsets_since;	  /* the same */
	double waited_ns; /* for a processor, ramp and window together */

	/* What it measured: I/O, latency, series, errors, CPU. */
	struct visit part;
	enum worker_end end;
	int broken_errno;
	uint32_t stuck_count;
	struct io_slot stuck; /* one of them */
	uint64_t stuck_ns;    /* when they were found, by the worker's clock */
	struct err err;	      /* of worker_prepare */

	/* Backends outlive visits; one of each kind, made when needed. */
	struct backend *backends[ENGINE_COUNT];
	uint32_t slot_capacity;

	alignas(128) struct worker_published published;
};

/* A worker without a backend; index numbers it among all. NULL: no memory. */
struct worker *worker_new(uint32_t index);

/* Nothing may be in flight. NULL is allowed. */
void worker_free(struct worker *w);

/*
 * In the worker's own thread, in this order. prepare: 0, or -errno with the
 * sentence in w->err; then run is not called. resume_block is what
 * offsets_position() said after an earlier visit. run: from run->start_ns to
 * the end; leaves the outcome in w->end and w->part. finish: lets go of the
 * descriptor; not with I/Os in flight.
 */
int worker_prepare(struct worker *w, struct run *run, uint64_t resume_block);
void worker_run(struct worker *w);
void worker_finish(struct worker *w);

#endif
