/*
 * uring_setup: rings, the ladder of their flags, and what is registered with
 * them. Rings outlive visits: a visit registers anew only what does not fit.
 */
#include "engine/uring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The kernel takes no longer piece as one registered buffer. */
#define MAX_FIXED_BYTES ((size_t)1 << 30)

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

void uring_close(struct uring *u)
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

/* One is always under way; nobody needs it who never sleeps. */
void uring_arm_beat(struct uring *u)
{
	unsigned last = u->entries - 1;
	struct io_uring_sqe *sqe = &u->sqes[last];

	if (u->opts.poll || u->spins)
		return;
	u->beat.tv_nsec = BACKEND_WAIT_NS;
	io_uring_prep_timeout(sqe, &u->beat, 0, 0);
	sqe->user_data = URING_BEAT;
	u->sq_array[u->sq_tail++ & u->sq_mask] = last;
	u->unsubmitted++;
	uring_publish_tail(u);
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
int uring_open(struct uring *u, unsigned entries, struct err *err)
{
	int empty = -1, ret;

	if (u->open && u->entries >= entries)
		return 0;
	uring_close(u);
	ret = init_ring(u, entries);
	if (ret < 0)
		return refuse_setup(ret, err);
	u->open = true;
	u->entries = u->ring.sq.ring_entries;
	map_ring(u);
	register_ring(u);
	u->fixed_file = io_uring_register_files(&u->ring, &empty, 1) == 0;
	uring_arm_beat(u);
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

void uring_register_buffers(struct uring *u, const struct backend_job *job)
{
	struct iovec need[DIR_COUNT];
	int d;

	needed_buffers(job, need);
	swap_as_needed(u, need);
	for (d = 0; d < DIR_COUNT; d++)
		u->uses_fixed[d] =
		    need[d].iov_len && covers(&u->fixed[d], &need[d]);
}

void uring_register_file(struct uring *u, int fd)
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

void uring_prefill(struct uring *u, const struct backend_job *job)
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

const char *uring_flags_name(const struct uring *u)
{
	return ladder[u->rung].name;
}

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
