/*
 * io_uring: rings, registered resources and completions.
 *
 * Every slot owns a submission entry for each direction, prefilled once a
 * visit; an I/O writes the offset and the entry's number, nothing else. One
 * io_uring_enter submits a batch and waits for the first completion, which is
 * then read from the ring's memory. A timeout entry of our own (the beat)
 * wakes a worker whose I/Os are slow, so that no call needs a timeout of its
 * own.
 */
#include "engine/backend.h"

#include <errno.h>
#include <liburing.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/clock.h"
#include "engine/flight.h"
#include "engine/rawcall.h"
#include "engine/units.h"

/* The kernel takes no longer piece as one registered buffer. */
#define MAX_FIXED_BYTES ((size_t)1 << 30)

#define BEAT UINT64_MAX /* user_data of the timeout entry */

/* Looks at the queue before a busy waiter returns and reads the clock. */
#define SPINS 256

/* What a ring is asked for, best first; EINVAL goes one down. */
static const struct rung {
	unsigned flags;
	const char *name;
} ladder[] = {
    {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "deferred work"},
    {IORING_SETUP_COOP_TASKRUN, "cooperative work"},
    {0, "no ring flags"},
};
#define RUNGS (sizeof(ladder) / sizeof(ladder[0]))

struct uring {
	struct backend base;
	/* Hot: read or written by every batch. */
	struct io_uring_sqe *sqes;
	unsigned *sq_array;
	unsigned *sq_ktail;
	unsigned *sq_kflags;
	unsigned sq_mask;
	unsigned sq_tail;
	unsigned unsubmitted; /* entries that the kernel has not taken yet */
	unsigned enter_flags;
	int enter_fd;
	unsigned min_complete; /* to wait for: 1, or 0 when spinning */
	uint32_t depth;
	const struct io_slot *slots;
	struct io_uring_cqe *cqes;
	unsigned *cq_khead;
	unsigned *cq_ktail;
	unsigned cq_mask;
	unsigned cq_head;
	bool spins;   /* busy wait */
	bool instant; /* in this visit all I/Os came back with their submit
		       * call so far */

	/* Cold. */
	struct backend_opts opts;
	struct io_uring ring;
	bool open;
	unsigned rung;
	unsigned entries;
	bool fixed_file;
	struct iovec fixed[DIR_COUNT]; /* registered; len 0: not */
	uint16_t fixed_index[DIR_COUNT];
	bool uses_fixed[DIR_COUNT]; /* in this visit */
	size_t refused_bytes;	    /* smallest sum that was refused; 0: none */
	struct __kernel_timespec beat;
};

static struct uring *to_uring(struct backend *b)
{
	return (struct uring *)b;
}

/* ---- set-up ---- */

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

static unsigned setup_flags(const struct uring *u)
{
	unsigned flags = ladder[u->rung].flags;

	if (u->opts.poll)
		flags |= IORING_SETUP_IOPOLL;
	/* A spinner must be told that work waits for it in the kernel. */
	if (u->spins && flags)
		flags |= IORING_SETUP_TASKRUN_FLAG;
	return flags;
}

static int init_ring(struct uring *u, unsigned entries)
{
	struct io_uring_params p;
	int ret;

	for (;;) {
		memset(&p, 0, sizeof(p));
		p.flags = setup_flags(u);
		ret = io_uring_queue_init_params(entries, &u->ring, &p);
		if (ret != -EINVAL || u->rung + 1 >= RUNGS)
			return ret;
		u->rung++;
	}
}

static void map_ring(struct uring *u)
{
	struct io_uring_sq *sq = &u->ring.sq;
	struct io_uring_cq *cq = &u->ring.cq;

	u->sqes = sq->sqes;
	u->sq_array = sq->array;
	u->sq_ktail = sq->ktail;
	u->sq_kflags = sq->kflags;
	u->sq_mask = sq->ring_mask;
	u->sq_tail = *sq->ktail;
	u->cqes = cq->cqes;
	u->cq_khead = cq->khead;
	u->cq_ktail = cq->ktail;
	u->cq_mask = cq->ring_mask;
	u->cq_head = *cq->khead;
	u->unsubmitted = 0;
}

/* The ring's own descriptor: saves the look-up of a file in every call. */
static void register_ring(struct uring *u)
{
	u->enter_flags = 0;
	u->enter_fd = u->ring.ring_fd;
	if (io_uring_register_ring_fd(&u->ring) == 1) {
		u->enter_flags = IORING_ENTER_REGISTERED_RING;
		u->enter_fd = u->ring.enter_ring_fd;
	}
}

/* Register what of `want` is not empty, in place of what there was. */
static int swap_buffers(struct uring *u, const struct iovec want[DIR_COUNT])
{
	struct iovec table[DIR_COUNT];
	unsigned count = 0;
	int d, ret;

	if (u->fixed[DIR_READ].iov_len || u->fixed[DIR_WRITE].iov_len)
		io_uring_unregister_buffers(&u->ring);
	memset(u->fixed, 0, sizeof(u->fixed));
	for (d = 0; d < DIR_COUNT; d++) {
		if (!want[d].iov_len)
			continue;
		u->fixed_index[d] = (uint16_t)count;
		table[count++] = want[d];
	}
	if (!count)
		return 0;
	ret = io_uring_register_buffers(&u->ring, table, count);
	if (ret == 0)
		memcpy(u->fixed, want, sizeof(u->fixed));
	return ret;
}

static void close_ring(struct uring *u)
{
	static const struct iovec none[DIR_COUNT];

	if (u->open) {
		/* The ring itself goes later, in the background; its share of
		 * the locked memory has to go now. */
		swap_buffers(u, none);
		io_uring_queue_exit(&u->ring);
	}
	u->open = false;
	u->fixed_file = false;
	u->refused_bytes = 0;
}

static void publish_tail(struct uring *u)
{
	__atomic_store_n(u->sq_ktail, u->sq_tail, __ATOMIC_RELEASE);
}

/* One beat is always under way; nobody needs it who never sleeps. */
static __attribute__((noinline, cold)) void arm_beat(struct uring *u)
{
	unsigned last = u->entries - 1;
	struct io_uring_sqe *sqe = &u->sqes[last];

	if (u->opts.poll || u->spins)
		return;
	u->beat.tv_nsec = BACKEND_WAIT_NS;
	io_uring_prep_timeout(sqe, &u->beat, 0, 0);
	sqe->user_data = BEAT;
	u->sq_array[u->sq_tail++ & u->sq_mask] = last;
	u->unsubmitted++;
	publish_tail(u);
}

static int refuse_setup(int ret, struct err *err)
{
	if (ret == -ENOMEM)
		return err_failed(err, ENOMEM,
				  "io_uring: no memory for a ring; raise the "
				  "limit of locked memory (ulimit -l)");
	return err_failed(err, -ret,
			  "io_uring cannot be set up here: %s; use --engine "
			  "libaio or sync",
			  strerror(-ret));
}

/* A ring of at least that many entries; a larger one is made anew. */
static int open_ring(struct uring *u, unsigned entries, struct err *err)
{
	int empty = -1, ret;

	if (u->open && u->entries >= entries)
		return 0;
	close_ring(u);
	ret = init_ring(u, entries);
	if (ret < 0)
		return refuse_setup(ret, err);
	u->open = true;
	u->entries = u->ring.sq.ring_entries;
	map_ring(u);
	register_ring(u);
	u->fixed_file = io_uring_register_files(&u->ring, &empty, 1) == 0;
	arm_beat(u);
	return 0;
}

/* ---- registered resources ---- */

static bool covers(const struct iovec *have, const struct iovec *need)
{
	const char *h = have->iov_base, *n = need->iov_base;

	return need->iov_len == 0 ||
	       (h && n >= h && n + need->iov_len <= h + have->iov_len);
}

static void needed_buffers(const struct backend_job *job,
			   struct iovec need[DIR_COUNT])
{
	int d;

	for (d = 0; d < DIR_COUNT; d++) {
		need[d].iov_base = job->buffer[d];
		need[d].iov_len =
		    job->buffer[d] ? job->depth * job->stride_bytes : 0;
		if (need[d].iov_len > MAX_FIXED_BYTES)
			need[d].iov_len = 0;
	}
}

/*
 * Keep what earlier visits registered where it fits, so that reads and writes
 * in turn register nothing; else all of it, else what this visit needs, else
 * (no locked memory left) nothing.
 */
static void swap_as_needed(struct uring *u, const struct iovec need[DIR_COUNT])
{
	struct iovec all[DIR_COUNT];
	size_t sum = need[DIR_READ].iov_len + need[DIR_WRITE].iov_len;
	int d;

	if (covers(&u->fixed[DIR_READ], &need[DIR_READ]) &&
	    covers(&u->fixed[DIR_WRITE], &need[DIR_WRITE]))
		return;
	if (u->refused_bytes && sum >= u->refused_bytes)
		return;
	for (d = 0; d < DIR_COUNT; d++)
		all[d] = covers(&u->fixed[d], &need[d]) ? u->fixed[d] : need[d];
	if (swap_buffers(u, all) < 0 && swap_buffers(u, need) < 0)
		u->refused_bytes = sum;
}

static void register_buffers(struct uring *u, const struct backend_job *job)
{
	struct iovec need[DIR_COUNT];
	int d;

	needed_buffers(job, need);
	swap_as_needed(u, need);
	for (d = 0; d < DIR_COUNT; d++)
		u->uses_fixed[d] =
		    need[d].iov_len && covers(&u->fixed[d], &need[d]);
}

static void register_file(struct uring *u, int fd)
{
	if (u->fixed_file &&
	    io_uring_register_files_update(&u->ring, 0, &fd, 1) != 1)
		u->fixed_file = false;
}

/* ---- prefill ---- */

static void prefill_entry(struct uring *u, const struct backend_job *job, int d,
			  uint32_t slot)
{
	static const uint8_t opcode[2][DIR_COUNT] = {
	    {IORING_OP_READ, IORING_OP_WRITE},
	    {IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED},
	};
	struct io_uring_sqe *sqe = &u->sqes[slot + d * job->depth];
	bool fixed = u->uses_fixed[d];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode[fixed][d];
	sqe->flags = u->fixed_file ? IOSQE_FIXED_FILE : 0;
	sqe->fd = u->fixed_file ? 0 : job->fd;
	sqe->addr =
	    (uintptr_t)(job->buffer[d] + (size_t)slot * job->stride_bytes);
	sqe->len = (uint32_t)job->block_size_bytes;
	sqe->buf_index = fixed ? u->fixed_index[d] : 0;
	sqe->user_data = slot;
}

static void prefill(struct uring *u, const struct backend_job *job)
{
	uint32_t slot;
	int d;

	for (d = 0; d < DIR_COUNT; d++)
		for (slot = 0; job->buffer[d] && slot < job->depth; slot++)
			prefill_entry(u, job, d, slot);
	u->depth = job->depth;
	u->slots = job->slots;
	u->instant = true;
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
	ret = open_ring(u, entries, err);
	if (ret < 0)
		return ret;
	if (job->paced && !u->spins &&
	    !(u->ring.features & IORING_FEAT_EXT_ARG))
		return err_failed(err, ENOSYS,
				  "--rate with io_uring needs Linux 5.11: use "
				  "--engine libaio");
	register_buffers(u, job);
	register_file(u, job->fd);
	prefill(u, job);
	return 0;
}

static void uring_finish(struct backend *b)
{
	struct uring *u = to_uring(b);

	register_file(u, -1);
}

static void uring_destroy(struct backend *b)
{
	close_ring(to_uring(b));
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
	publish_tail(u);
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
	publish_tail(u);
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
	arm_beat(u);
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

		if (cqe->user_data == BEAT)
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
		publish_tail(u);
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

	snprintf(buf, size, "%s%s%s%s%s%s", ladder[u->rung].name,
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

/* ---- probe ---- */

/* Read and write entries came with 5.6; an enter proves that it is not only
 * the set-up that is allowed. */
static int try_ring(struct io_uring *ring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
	struct io_uring_cqe *cqe;
	bool known;
	int ret;

	known = probe && io_uring_opcode_supported(probe, IORING_OP_READ) &&
		io_uring_opcode_supported(probe, IORING_OP_WRITE);
	io_uring_free_probe(probe);
	if (!known)
		return -ENOSYS;
	io_uring_prep_nop(io_uring_get_sqe(ring));
	ret = io_uring_submit(ring);
	if (ret < 0)
		return ret;
	return io_uring_wait_cqe(ring, &cqe);
}

int backend_uring_probe(void)
{
	struct io_uring ring;
	int ret = io_uring_queue_init(1, &ring, 0);

	if (ret < 0)
		return ret;
	ret = try_ring(&ring);
	io_uring_queue_exit(&ring);
	return ret;
}
