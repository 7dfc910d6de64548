/*
 * io_uring: submission and completion (its set-up: uring_setup.c).
 *
 * Every slot owns a submission entry for each direction, prefilled once a
 * visit; an I/O writes the offset and the entry's number, nothing else. One
 * io_uring_enter submits a batch and waits for the first completion, which is
 * then read from the ring's memory. A timeout entry of our own (the beat)
 * wakes a worker whose I/Os are slow, so that no call needs a timeout of its
 * own.
 */
#include "engine/uring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/clock.h"
#include "engine/flight.h"
#include "engine/rawcall.h"
#include "engine/units.h"

/* Looks at the queue before a busy waiter returns and reads the clock. */
#define SPINS 256

static struct uring *to_uring(struct backend *b)
{
	return (struct uring *)b;
}

/* ---- visits ---- */

static int uring_create(const struct backend_opts *opts, struct backend **out,
			struct err *err)
{
	struct uring *u = calloc(1, sizeof(*u));

	if (!u)
		return err_failed(err, ENOMEM, "no memory for a ring");
	u->base.ops = &backend_uring;
	u->opts = *opts;
	u->spins = opts->busy_wait && !opts->poll;
	u->min_complete = u->spins ? 0 : 1;
	u->rung = opts->first_rung;
	*out = &u->base;
	return 0;
}

static int uring_prepare(struct backend *b, const struct backend_job *job,
			 struct err *err)
{
	struct uring *u = to_uring(b);
	unsigned entries = job->depth * DIR_COUNT + 1;
	int ret;

	if (job->depth > BACKEND_URING_DEPTH_MAX)
		return err_failed(err, EINVAL,
				  "io_uring takes at most %u I/Os in flight a "
				  "thread: use more threads",
				  BACKEND_URING_DEPTH_MAX);
	ret = uring_open(u, entries, err);
	if (ret < 0)
		return ret;
	if (job->paced && !u->spins &&
	    !(u->ring.features & IORING_FEAT_EXT_ARG))
		return err_failed(err, ENOSYS,
				  "--rate with io_uring needs Linux 5.11: use "
				  "--engine libaio");
	uring_register_buffers(u, job);
	uring_register_file(u, job->fd);
	uring_prefill(u, job);
	return 0;
}

static void uring_finish(struct backend *b)
{
	struct uring *u = to_uring(b);

	uring_register_file(u, -1);
}

static void uring_destroy(struct backend *b)
{
	uring_close(to_uring(b));
	free(b);
}

/* ---- submit ---- */

/* Interrupted, or short of memory for a moment: the entries stay in the ring
 * and go with the next call. */
static bool is_transient(long ret)
{
	return ret == -EINTR || ret == -EAGAIN || ret == -EBUSY;
}

/* The kernel wants none of them, now or later. */
static __attribute__((noinline, cold)) int take_back(struct uring *u, int ret)
{
	u->sq_tail -= u->unsubmitted;
	u->unsubmitted = 0;
	uring_publish_tail(u);
	return ret;
}

static inline int enter(struct uring *u, unsigned wait, unsigned flags)
{
	long ret = raw_call6(__NR_io_uring_enter, u->enter_fd, u->unsubmitted,
			     wait, u->enter_flags | flags, 0, 0);

	if (ret >= 0)
		u->unsubmitted -= (unsigned)ret;
	else if (!is_transient(ret))
		return take_back(u, (int)ret);
	return 0;
}

static int uring_submit(struct backend *b, const struct io_done *slots,
			uint32_t n, bool wait)
{
	struct uring *u = to_uring(b);
	const struct io_slot *all = u->slots;
	struct io_uring_sqe *sqes = u->sqes;
	unsigned *array = u->sq_array;
	unsigned mask = u->sq_mask, tail = u->sq_tail, depth = u->depth;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct io_slot *s = &all[slots[i].slot];
		unsigned entry = slots[i].slot + s->dir * depth;

		sqes[entry].off = s->offset;
		array[tail++ & mask] = entry;
	}
	u->sq_tail = tail;
	u->unsubmitted += n;
	if (u->spins && !u->unsubmitted)
		return 0;
	uring_publish_tail(u);
	return enter(u, wait ? u->min_complete : 0, IORING_ENTER_GETEVENTS);
}

/* ---- reap ---- */

static bool is_empty(const struct uring *u)
{
	return u->cq_head == __atomic_load_n(u->cq_ktail, __ATOMIC_ACQUIRE);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Wait for the queue without sleeping, entering the kernel only when it says
 * that work waits there. */
static int spin(struct uring *u)
{
	int i, ret;

	for (i = 0; i < SPINS && is_empty(u); i++) {
		if (__atomic_load_n(u->sq_kflags, __ATOMIC_RELAXED) &
		    IORING_SQ_TASKRUN) {
			ret = enter(u, 0, IORING_ENTER_GETEVENTS);
			if (ret < 0)
				return ret;
		} else {
			relax();
		}
	}
	return 0;
}

static void release(struct uring *u, unsigned head)
{
	u->cq_head = head;
	__atomic_store_n(u->cq_khead, head, __ATOMIC_RELEASE);
}

/* The beat lies in front of the rest, which comes with the next reap. */
static __attribute__((noinline, cold)) int after_beat(struct uring *u,
						      unsigned head, int n)
{
	uring_arm_beat(u);
	release(u, head);
	return n;
}

static inline int take(struct uring *u, struct io_done *out, uint32_t max)
{
	const struct io_uring_cqe *cqes = u->cqes;
	unsigned mask = u->cq_mask, head = u->cq_head;
	unsigned tail = __atomic_load_n(u->cq_ktail, __ATOMIC_ACQUIRE);
	uint32_t n = 0;

	while (head != tail && n < max) {
		const struct io_uring_cqe *cqe = &cqes[head++ & mask];

		if (cqe->user_data == URING_BEAT)
			return after_beat(u, head, (int)n);
		out[n].slot = (uint32_t)cqe->user_data;
		out[n].res = cqe->res;
		n++;
	}
	release(u, head);
	return (int)n;
}

static __attribute__((noinline)) int
spin_and_take(struct uring *u, struct io_done *out, uint32_t max)
{
	int ret = spin(u);

	return ret < 0 ? ret : take(u, out, max);
}

static int uring_reap(struct backend *b, struct io_done *out, uint32_t max)
{
	struct uring *u = to_uring(b);

	return u->spins ? spin_and_take(u, out, max) : take(u, out, max);
}

/* ---- at a rate ---- */

static int enter_until(struct uring *u, uint64_t wait_ns)
{
	struct __kernel_timespec limit = {
	    .tv_sec = (long long)(wait_ns / NS_PER_SEC),
	    .tv_nsec = (long long)(wait_ns % NS_PER_SEC),
	};
	struct io_uring_getevents_arg arg = {
	    .ts = (uintptr_t)&limit,
	};
	long ret = raw_call6(
	    __NR_io_uring_enter, u->enter_fd, u->unsubmitted, 1,
	    u->enter_flags | IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
	    (long)&arg, sizeof(arg));

	if (ret >= 0)
		u->unsubmitted -= (unsigned)ret;
	else if (ret != -ETIME && !is_transient(ret))
		return take_back(u, (int)ret);
	return 0;
}

static int uring_reap_until(struct backend *b, struct io_done *out,
			    uint32_t max, uint64_t until_ns)
{
	struct uring *u = to_uring(b);
	uint64_t now;
	int n, ret;

	if (u->spins) {
		ret = u->unsubmitted ? enter(u, 0, IORING_ENTER_GETEVENTS) : 0;
		return ret < 0 ? ret : spin_and_take(u, out, max);
	}
	n = take(u, out, max);
	now = clock_now_ns();
	if (n || now >= until_ns)
		return n;
	ret = enter_until(u, until_ns - now);
	return ret < 0 ? ret : take(u, out, max);
}

/* ---- the loop of its own ---- */

/* The last n entries were refused: names their slots. */
static __attribute__((noinline, cold)) void
name_refused(const struct uring *u, struct flight *f, unsigned tail, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		f->done[i].slot =
		    u->sq_array[(tail - 1 - i) & u->sq_mask] % u->depth;
}

/*
 * Completions are read, counted and written into the submission queue one by
 * one; then one call submits them and waits, or only submits while nothing
 * of all that was in flight ever had to be waited for. What is not a whole I/O
 * (a failure; a beat, which ends with -ETIME) ends the batch, and at the front
 * of one is the worker's.
 */
static int uring_fly(struct backend *b, struct flight *f, uint32_t *n)
{
	struct uring *u = to_uring(b);
	struct io_uring_sqe *const sqes = u->sqes;
	const struct io_uring_cqe *const cqes = u->cqes;
	unsigned *const array = u->sq_array;
	const unsigned sq_mask = u->sq_mask, cq_mask = u->cq_mask;
	unsigned tail = u->sq_tail, head = u->cq_head, begin, end;
	uint64_t now;
	int ret;

	if (u->spins)
		return 0;
	for (;;) {
		begin = head;
		end = __atomic_load_n(u->cq_ktail, __ATOMIC_ACQUIRE);
		if (end - head < u->depth)
			u->instant = false;
		if (end - head > f->batch)
			end = head + f->batch;
		now = clock_now_ns();
		if (unlikely(now >= f->next_event_ns))
			return 0;
		for (; head != end; head++) {
			const struct io_uring_cqe *cqe = &cqes[head & cq_mask];
			uint32_t slot = (uint32_t)cqe->user_data;
			const struct io_slot *s = &f->slots[slot];

			if (unlikely(!flight_is_whole(f, cqe->res)))
				break;
			flight_turn(f, slot, now);
			slot += s->dir * u->depth;
			sqes[slot].off = s->offset;
			array[tail++ & sq_mask] = slot;
		}
		if (unlikely(head == begin))
			return 0;
		release(u, head);
		u->sq_tail = tail;
		u->unsubmitted += head - begin;
		uring_publish_tail(u);
		ret = u->instant ? enter(u, 0, 0)
				 : enter(u, 1, IORING_ENTER_GETEVENTS);
		if (unlikely(ret < 0)) {
			*n = head - begin;
			name_refused(u, f, tail, *n);
			return ret;
		}
	}
}

/* ---- what it says of itself ---- */

static uint32_t uring_default_batch(uint32_t depth)
{
	uint32_t quarter = depth / 4;

	/* A larger batch starts late where completions come in bursts. */
	if (quarter > 8)
		return 8;
	return quarter ? quarter : 1;
}

static void uring_describe(const struct backend *b, char *buf, size_t size)
{
	const struct uring *u = (const struct uring *)b;
	bool ring = u->enter_flags & IORING_ENTER_REGISTERED_RING;
	bool buffers = u->uses_fixed[DIR_READ] || u->uses_fixed[DIR_WRITE];

	snprintf(buf, size, "%s%s%s%s%s%s", uring_flags_name(u),
		 u->fixed_file ? ", fixed file" : "",
		 buffers ? ", fixed buffers" : "", ring ? ", fixed ring" : "",
		 u->opts.poll ? ", polled" : "",
		 !buffers && u->refused_bytes
		     ? ", buffers not fixed (ulimit -l)"
		     : "");
}

const struct backend_ops backend_uring = {
    .kind = ENGINE_IO_URING,
    .create = uring_create,
    .prepare = uring_prepare,
    .submit = uring_submit,
    .reap = uring_reap,
    .reap_until = uring_reap_until,
    .fly = uring_fly,
    .finish = uring_finish,
    .destroy = uring_destroy,
    .default_batch = uring_default_batch,
    .describe = uring_describe,
};
