/*
 * backend: one way of handing I/Os to the kernel, behind a table, so that the
 * worker's loop is the same for io_uring, libaio, sync and the scripted
 * backend of the tests.
 *
 * The worker owns the slots: one for each I/O it keeps in flight. It writes
 * where a slot goes next, submits the numbers of the slots, and reaps the
 * numbers of those that came back. Submitting and reaping are separate, and
 * the worker alone decides how many go in one call.
 *
 * A backend belongs to the thread that made it; every call comes from that
 * thread. submit and reap allocate nothing and print nothing.
 */
#ifndef ENGINE_BACKEND_H
#define ENGINE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"

/* Longest time that a call waits for a completion before it returns without
 * one, so that an idle worker notices the end of its window. */
#define BACKEND_WAIT_NS ((uint64_t)100000000)

/* Room for what a backend has to say about itself. */
#define BACKEND_NOTE_MAX 128

/* One slot. The worker writes it before it submits the slot's number. */
struct io_slot {
	uint64_t start_ns; /* stamp before the submit call; 0: not in flight */
	uint64_t offset;   /* bytes */
	uint32_t dir;	   /* enum direction */
	uint64_t due_ns;   /* at a rate: when it was to start */
};

struct io_done {
	uint32_t slot;
	int32_t res; /* bytes moved, or -errno */
};

struct backend_opts {
	bool poll;	     /* polled completions of the device (IOPOLL) */
	bool busy_wait;	     /* spin on the completion queue */
	unsigned first_rung; /* of the features that io_uring asks for: the
			      * tests pretend that the kernel refuses some */
};

/* What the I/Os of one visit have in common. */
struct backend_job {
	int fd;
	uint64_t block_size_bytes;
	uint32_t depth; /* slots */
	const struct io_slot *slots;
	/* Slot i reads into (writes from) buffer[dir] + i * stride; NULL for
	 * a direction that the workload does not have. */
	char *buffer[DIR_COUNT];
	uint64_t stride_bytes;
	bool paced; /* reap_until will be called */
};

struct backend;
struct flight;

struct backend_ops {
	enum engine_kind kind;

	/* A backend without a ring yet. 0 or -errno. */
	int (*create)(const struct backend_opts *opts, struct backend **out,
		      struct err *err);

	/*
	 * Get ready for a visit: ring of the right size, descriptor and
	 * buffers registered, entries prefilled. What is there from earlier
	 * visits is used again; it only grows. No I/O is in flight.
	 * 0, or -errno with a sentence.
	 */
	int (*prepare)(struct backend *b, const struct backend_job *job,
		       struct err *err);

	/*
	 * Start the I/Os of n slots. With wait a backend that can wait for a
	 * completion in the same system call does so. n may be 0. Slots that
	 * the kernel did not take now are kept and handed over by the next
	 * call. 0, or -errno when the kernel will take none any more: the
	 * slots of this call are not in flight then.
	 */
	int (*submit)(struct backend *b, const struct io_done *slots,
		      uint32_t n, bool wait);

	/*
	 * At most max of those that came back. May return 0 after a wait of
	 * up to BACKEND_WAIT_NS, or at once: the caller then submits nothing
	 * with wait and asks again. -errno when the queue is broken.
	 */
	int (*reap)(struct backend *b, struct io_done *out, uint32_t max);

	/*
	 * As reap, but waits for the first that comes back until until_ns (of
	 * the clock that stamps) or a little longer; may return 0 earlier, and
	 * never waits under busy wait.
	 */
	int (*reap_until)(struct backend *b, struct io_done *out, uint32_t max,
			  uint64_t until_ns);

	/*
	 * Turn I/Os around, batch after batch as the worker would, as long as
	 * all that come back are whole and f->next_event_ns has not come;
	 * returns 0 when the next batch is the worker's. -errno as submit,
	 * then the slots that are not in flight are the first *n of f->done.
	 * NULL: all batches are the worker's.
	 */
	int (*fly)(struct backend *b, struct flight *f, uint32_t *n);

	/* The visit is over, nothing is in flight: let go of the
	 * descriptor. */
	void (*finish)(struct backend *b);

	/* Must not be called while I/Os are in flight. */
	void (*destroy)(struct backend *b);

	/* I/Os a submit call takes by default at this depth. */
	uint32_t (*default_batch)(uint32_t depth);

	/* What is active, for the visit's note, after prepare:
	 * "registered file, buffers, ring". At most size - 1 characters. */
	void (*describe)(const struct backend *b, char *buf, size_t size);

	/* The clock that stamps I/Os; NULL: clock_now_ns(). */
	uint64_t (*now)(const struct backend *b);
};

/* First member of every backend. */
struct backend {
	const struct backend_ops *ops;
	uint64_t start_ns; /* when the visit began, set by the worker */
};

/* I/Os that a ring keeps in flight: the kernel takes 32768 entries in one
 * (IORING_MAX_ENTRIES), each I/O has two prepared (read and write), and a
 * timeout has one. */
#define BACKEND_URING_DEPTH_MAX 16383u
extern const struct backend_ops backend_uring;
extern const struct backend_ops backend_aio;
extern const struct backend_ops backend_sync;
extern const struct backend_ops backend_null;

/*
 * Whether the kernel lets us use it at all: 0, or -errno (ENOSYS old kernel,
 * EPERM sysctl or seccomp). Makes a ring and closes it.
 */
int backend_uring_probe(void);
int backend_aio_probe(void);

/* What a context of that many I/Os takes of sysctl fs.aio-max-nr. */
uint32_t backend_aio_entries(uint32_t depth);

/* The table of a kind; NULL for those that do no I/O (auto, sim). */
const struct backend_ops *backend_by_kind(enum engine_kind kind);

#endif
