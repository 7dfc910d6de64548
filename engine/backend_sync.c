/*
 * sync: one pread or pwrite after the other, the way most programs do I/O.
 * Depth 1: more outstanding takes more threads.
 */
#include "engine/backend.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/clock.h"
#include "engine/flight.h"
#include "engine/rawcall.h"
#include "engine/units.h"

struct sync {
	struct backend base;
	struct backend_job job;
	int32_t res;
	bool done; /* res is there to be reaped */
	bool spins;
};

static int sync_create(const struct backend_opts *opts, struct backend **out,
		       struct err *err)
{
	struct sync *s;

	if (opts->poll)
		return err_failed(err, EOPNOTSUPP,
				  "polled completions need --engine io_uring: "
				  "sync has none");
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_failed(err, ENOMEM, "no memory for a thread");
	s->base.ops = &backend_sync;
	s->spins = opts->busy_wait;
	*out = &s->base;
	return 0;
}

static int sync_prepare(struct backend *b, const struct backend_job *job,
			struct err *err)
{
	struct sync *s = (struct sync *)b;

	(void)err;
	assert(job->depth == 1);
	s->job = *job;
	s->done = false;
	return 0;
}

static inline int32_t do_io(const struct sync *s)
{
	static const long call[DIR_COUNT] = {SYS_pread64, SYS_pwrite64};
	const struct io_slot *slot = s->job.slots;

	return (int32_t)raw_call4(
	    call[slot->dir], s->job.fd, (long)s->job.buffer[slot->dir],
	    (long)s->job.block_size_bytes, (long)slot->offset);
}

static int sync_submit(struct backend *b, const struct io_done *slots,
		       uint32_t n, bool wait)
{
	struct sync *s = (struct sync *)b;

	(void)slots;
	(void)wait;
	if (!n)
		return 0;
	s->res = do_io(s);
	s->done = true;
	return 0;
}

static int sync_reap(struct backend *b, struct io_done *out, uint32_t max)
{
	struct sync *s = (struct sync *)b;

	(void)max;
	if (!s->done)
		return 0;
	s->done = false;
	out->slot = 0;
	out->res = s->res;
	return 1;
}

/* Nothing is in flight between two calls: what is waited for is the time. */
static int sync_reap_until(struct backend *b, struct io_done *out, uint32_t max,
			   uint64_t until_ns)
{
	const struct sync *s = (const struct sync *)b;
	struct timespec until = {
	    .tv_sec = (time_t)(until_ns / NS_PER_SEC),
	    .tv_nsec = (long)(until_ns % NS_PER_SEC),
	};

	if (!s->done && !s->spins)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return sync_reap(b, out, max);
}

/* The completion's stamp is the start of the next, as in every batch. */
static int sync_fly(struct backend *b, struct flight *f, uint32_t *n)
{
	struct sync *s = (struct sync *)b;
	uint64_t now;

	(void)n;
	while (likely(s->done && flight_is_whole(f, s->res))) {
		now = clock_now_ns();
		if (unlikely(now >= f->next_event_ns))
			break;
		flight_turn(f, 0, now);
		s->res = do_io(s);
	}
	return 0;
}

static void sync_finish(struct backend *b)
{
	(void)b;
}

static void sync_destroy(struct backend *b)
{
	free(b);
}

static uint32_t sync_default_batch(uint32_t depth)
{
	(void)depth;
	return 1;
}

static void sync_describe(const struct backend *b, char *buf, size_t size)
{
	(void)b;
	snprintf(buf, size, "one I/O a thread");
}

const struct backend_ops backend_sync = {
    .kind = ENGINE_SYNC,
    .create = sync_create,
    .prepare = sync_prepare,
    .submit = sync_submit,
    .reap = sync_reap,
    .reap_until = sync_reap_until,
    .fly = sync_fly,
    .finish = sync_finish,
    .destroy = sync_destroy,
    .default_batch = sync_default_batch,
    .describe = sync_describe,
};
