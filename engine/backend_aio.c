/*
 * libaio: contexts of the kernel's older asynchronous interface.
 *
 * Completions are read from the context's ring, which the kernel maps into
 * our memory, without a system call; only an empty ring is waited for in
 * io_getevents. The layout of that ring is no promise of the kernel but has
 * not changed since 2.6; its magic number is checked, and without it every
 * completion comes through io_getevents.
 */
#include "engine/backend.h"

#include <assert.h>
#include <errno.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/flight.h"
#include "engine/rawcall.h"
#include "engine/units.h"

#define RING_MAGIC 0xa10a10a1u
#define MIN_ENTRIES 32u
#define SPINS 256

/* What the kernel has at the address that a context's number is. */
struct aio_ring {
	unsigned id;
	unsigned nr; /* events in the ring */
	unsigned head;
	unsigned tail;
	unsigned magic;
	unsigned compat_features;
	unsigned incompat_features;
	unsigned header_length;
	struct io_event events[];
};

struct aio {
	struct backend base;
	struct aio_ring *ring; /* NULL: read through io_getevents */
	io_context_t ctx;
	const struct io_slot *slots;
	struct iocb *iocbs;    /* slot + dir * depth */
	struct iocb **pending; /* not yet taken by the kernel */
	uint32_t pending_count;
	uint32_t depth;
	bool spins;

	struct io_event *events; /* of io_getevents */
	uint32_t capacity;	 /* slots that the arrays have room for */
	uint32_t entries;	 /* that the context was made for; 0: none */
};

static struct aio *to_aio(struct backend *b)
{
	return (struct aio *)b;
}

/* ---- set-up ---- */

static int aio_create(const struct backend_opts *opts, struct backend **out,
		      struct err *err)
{
	struct aio *a;

	if (opts->poll)
		return err_failed(err, EOPNOTSUPP,
				  "polled completions need --engine io_uring: "
				  "libaio has none");
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_failed(err, ENOMEM, "no memory for a context");
	a->base.ops = &backend_aio;
	a->spins = opts->busy_wait;
	*out = &a->base;
	return 0;
}

static int reserve_arrays(struct aio *a, uint32_t depth, struct err *err)
{
	if (depth <= a->capacity)
		return 0;
	free(a->iocbs);
	free(a->pending);
	free(a->events);
	a->iocbs = calloc((size_t)depth * DIR_COUNT, sizeof(*a->iocbs));
	a->pending = calloc(depth, sizeof(*a->pending));
	a->events = calloc(depth, sizeof(*a->events));
	a->capacity = a->iocbs && a->pending && a->events ? depth : 0;
	if (!a->capacity)
		return err_failed(err, ENOMEM, "no memory for %u I/Os", depth);
	return 0;
}

static void close_context(struct aio *a)
{
	if (a->entries)
		io_destroy(a->ctx);
	a->entries = 0;
	a->ctx = NULL;
	a->ring = NULL;
}

static int refuse_context(int ret, uint32_t entries, struct err *err)
{
	if (ret == -EAGAIN)
		return err_failed(err, EAGAIN,
				  "libaio: the kernel has no room for %u more "
				  "I/Os; raise sysctl fs.aio-max-nr",
				  entries);
	return err_failed(err, -ret,
			  "libaio cannot be set up here: %s; use --engine "
			  "io_uring or sync",
			  strerror(-ret));
}

static bool is_readable_ring(const struct aio_ring *ring)
{
	return ring->magic == RING_MAGIC && ring->incompat_features == 0 &&
	       ring->header_length == sizeof(*ring);
}

uint32_t backend_aio_entries(uint32_t depth)
{
	return depth > MIN_ENTRIES ? depth : MIN_ENTRIES;
}

static int open_context(struct aio *a, uint32_t depth, struct err *err)
{
	struct aio_ring *ring;
	uint32_t entries = backend_aio_entries(depth);
	int ret;

	if (a->entries >= entries)
		return 0;
	close_context(a);
	ret = io_setup((int)entries, &a->ctx);
	if (ret < 0)
		return refuse_context(ret, entries, err);
	a->entries = entries;
	ring = (struct aio_ring *)a->ctx;
	a->ring = is_readable_ring(ring) ? ring : NULL;
	return 0;
}

static void prefill_entry(struct aio *a, const struct backend_job *job, int d,
			  uint32_t slot)
{
	struct iocb *iocb = &a->iocbs[slot + d * job->depth];
	char *buffer = job->buffer[d] + (size_t)slot * job->stride_bytes;

	if (d == DIR_READ)
		io_prep_pread(iocb, job->fd, buffer, job->block_size_bytes, 0);
	else
		io_prep_pwrite(iocb, job->fd, buffer, job->block_size_bytes, 0);
	iocb->data = (void *)(uintptr_t)slot;
}

static int aio_prepare(struct backend *b, const struct backend_job *job,
		       struct err *err)
{
	struct aio *a = to_aio(b);
	uint32_t slot;
	int d, ret;

	ret = reserve_arrays(a, job->depth, err);
	if (ret == 0)
		ret = open_context(a, job->depth, err);
	if (ret < 0)
		return ret;
	for (d = 0; d < DIR_COUNT; d++)
		for (slot = 0; job->buffer[d] && slot < job->depth; slot++)
			prefill_entry(a, job, d, slot);
	a->depth = job->depth;
	a->slots = job->slots;
	a->pending_count = 0;
	return 0;
}

static void aio_finish(struct backend *b)
{
	(void)b;
}

static void aio_destroy(struct backend *b)
{
	struct aio *a = to_aio(b);

	close_context(a);
	free(a->iocbs);
	free(a->pending);
	free(a->events);
	free(a);
}

/* ---- submit ---- */

/* What the kernel did not take stays in front of the next batch. */
static int hand_over(struct aio *a)
{
	uint32_t taken;
	long ret;

	if (!a->pending_count)
		return 0;
	ret = raw_call4(SYS_io_submit, (long)a->ctx, a->pending_count,
			(long)a->pending, 0);
	if (ret == -EAGAIN || ret == -EINTR)
		return 0;
	if (ret < 0) {
		a->pending_count = 0;
		return (int)ret;
	}
	taken = (uint32_t)ret;
	a->pending_count -= taken;
	if (a->pending_count)
		memmove(a->pending, a->pending + taken,
			a->pending_count * sizeof(*a->pending));
	return 0;
}

static int aio_submit(struct backend *b, const struct io_done *slots,
		      uint32_t n, bool wait)
{
	struct aio *a = to_aio(b);
	struct iocb **pending = a->pending + a->pending_count;
	uint32_t i;

	(void)wait; /* reap waits: libaio has no call that does both */
	for (i = 0; i < n; i++) {
		const struct io_slot *s = &a->slots[slots[i].slot];
		struct iocb *iocb =
		    &a->iocbs[slots[i].slot + s->dir * a->depth];

		iocb->u.c.offset = (long long)s->offset;
		pending[i] = iocb;
	}
	a->pending_count += n;
	return hand_over(a);
}

/* ---- reap ---- */

static inline void take(struct io_done *out, const struct io_event *event)
{
	out->slot = (uint32_t)(uintptr_t)event->data;
	out->res = (int32_t)(long)event->res;
}

static uint32_t take_from_ring(struct aio *a, struct io_done *out, uint32_t max)
{
	struct aio_ring *ring = a->ring;
	unsigned head = ring->head;
	unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	uint32_t n = 0;

	while (head != tail && n < max) {
		take(&out[n++], &ring->events[head]);
		if (++head == ring->nr)
			head = 0;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int wait_in_kernel(struct aio *a, struct io_done *out, uint32_t max,
			  uint64_t wait_ns)
{
	struct timespec limit = {
	    .tv_sec = (time_t)(wait_ns / NS_PER_SEC),
	    .tv_nsec = (long)(wait_ns % NS_PER_SEC),
	};
	uint32_t room = max < a->capacity ? max : a->capacity;
	long ret, i;

	ret = raw_call6(SYS_io_getevents, (long)a->ctx, 1, room,
			(long)a->events, (long)&limit, 0);
	if (ret == -EINTR)
		return 0;
	for (i = 0; i < ret; i++)
		take(&out[i], &a->events[i]);
	return (int)ret;
}

static int aio_reap(struct backend *b, struct io_done *out, uint32_t max)
{
	struct aio *a = to_aio(b);
	uint32_t n = 0;
	int i;

	if (!a->ring)
		return wait_in_kernel(a, out, max,
				      a->spins ? 0 : BACKEND_WAIT_NS);
	n = take_from_ring(a, out, max);
	for (i = 0; !n && a->spins && i < SPINS; i++)
		n = take_from_ring(a, out, max);
	if (n || a->spins)
		return (int)n;
	return wait_in_kernel(a, out, max, BACKEND_WAIT_NS);
}

static int aio_reap_until(struct backend *b, struct io_done *out, uint32_t max,
			  uint64_t until_ns)
{
	struct aio *a = to_aio(b);
	uint64_t now = clock_now_ns();
	int ret = hand_over(a);
	uint32_t n;

	if (ret < 0)
		return ret;
	n = a->ring ? take_from_ring(a, out, max) : 0;
	if (n || (a->ring && (a->spins || now >= until_ns)))
		return (int)n;
	return wait_in_kernel(a, out, max,
			      a->spins || now >= until_ns ? 0 : until_ns - now);
}

/* ---- the loop of its own ---- */

/*
 * As long as completions lie in the ring; waiting for one, and what the
 * kernel did not take or did not do whole, is the worker's.
 */
static int aio_fly(struct backend *b, struct flight *f, uint32_t *n)
{
	struct aio *a = to_aio(b);
	struct aio_ring *ring = a->ring;
	unsigned head, tail;
	uint64_t now;
	uint32_t i;
	int ret;

	if (!ring)
		return 0;
	while (!a->pending_count) {
		head = ring->head;
		tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
		now = clock_now_ns();
		if (unlikely(head == tail || now >= f->next_event_ns))
			return 0;
		for (i = 0; head != tail && i < f->batch; i++) {
			const struct io_event *event = &ring->events[head];
			uint32_t slot = (uint32_t)(uintptr_t)event->data;
			const struct io_slot *s = &f->slots[slot];
			struct iocb *iocb;

			if (unlikely(!flight_is_whole(f, (int32_t)event->res)))
				break;
			flight_turn(f, slot, now);
			iocb = &a->iocbs[slot + s->dir * a->depth];
			iocb->u.c.offset = (long long)s->offset;
			a->pending[i] = iocb;
			f->done[i].slot = slot;
			if (++head == ring->nr)
				head = 0;
		}
		if (unlikely(!i))
			return 0;
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
		a->pending_count = i;
		*n = i;
		ret = hand_over(a);
		if (unlikely(ret < 0))
			return ret;
	}
	return 0;
}

/* ---- what it says of itself ---- */

static uint32_t aio_default_batch(uint32_t depth)
{
	return depth;
}

static void aio_describe(const struct backend *b, char *buf, size_t size)
{
	const struct aio *a = (const struct aio *)b;

	snprintf(buf, size, "completions %s",
		 a->ring ? "read in user memory" : "from io_getevents");
}

const struct backend_ops backend_aio = {
    .kind = ENGINE_LIBAIO,
    .create = aio_create,
    .prepare = aio_prepare,
    .submit = aio_submit,
    .reap = aio_reap,
    .reap_until = aio_reap_until,
    .fly = aio_fly,
    .finish = aio_finish,
    .destroy = aio_destroy,
    .default_batch = aio_default_batch,
    .describe = aio_describe,
};

int backend_aio_probe(void)
{
	io_context_t ctx = NULL;
	int ret = io_setup(1, &ctx);

	if (ret == 0)
		io_destroy(ctx);
	return ret;
}
