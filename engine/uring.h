/*
 * uring: one io_uring ring of a worker, as its set-up (uring_setup.c) and its
 * I/O (backend_uring.c) share it. Private to these two.
 */
#ifndef ENGINE_URING_H
#define ENGINE_URING_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "engine/backend.h"

#define URING_BEAT UINT64_MAX /* user_data of the timeout entry */

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

/* Opens a ring of at least that many entries, one of them for the beat, with
 * the best flags that the kernel takes; one that is large enough is kept.
 * 0, or -errno with `err` filled. */
int uring_open(struct uring *u, unsigned entries, struct err *err);

/* Gives the ring and its locked memory back; harmless when none is open. */
void uring_close(struct uring *u);

/* Registers the buffers of a visit, or what of them the locked memory allows;
 * u->uses_fixed says which. Never fails: unregistered buffers work too. */
void uring_register_buffers(struct uring *u, const struct backend_job *job);

/* Puts fd (-1: none) in the place of the registered file. */
void uring_register_file(struct uring *u, int fd);

/* Writes every submission entry of the visit but for its offset. */
void uring_prefill(struct uring *u, const struct backend_job *job);

/* Puts the beat, which wakes a worker whose I/Os are slow, into the queue. */
void uring_arm_beat(struct uring *u);

/* The name of the flags that the kernel took. */
const char *uring_flags_name(const struct uring *u);

static inline void uring_publish_tail(struct uring *u)
{
	__atomic_store_n(u->sq_ktail, u->sq_tail, __ATOMIC_RELEASE);
}

#endif
