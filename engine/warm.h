/*
 * warm: untimed reads of a region, so that a point that goes through a cache
 * measures the cache and not how it is filled.
 */
#ifndef ENGINE_WARM_H
#define ENGINE_WARM_H

#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"

/*
 * Read the first `bytes` of fd, calling opts->tick (prefilling) meanwhile. 0;
 * -EINTR when opts->stop says 2; another -errno with a sentence, -ETIMEDOUT
 * when a read did not return within opts->io_timeout_ns: its thread and memory
 * are then left alone.
 */
int warm_read(int fd, uint64_t bytes, const struct measure_opts *opts,
	      struct err *err);

/* A part of a read of a region, by one I/O at a time. */
struct warm_stretch {
	int fd;
	uint64_t from, end;    /* bytes */
	uint64_t size;	       /* of a read, at most WARM_SIZE_MAX */
	uint64_t stride;       /* from one read to the next */
	uint64_t before_bytes; /* read in earlier stretches, for the tick */
	int stop_at;	       /* of opts->stop */
};
#define WARM_SIZE_MAX ((uint64_t)1 << 20)

/* The same for a stretch; -EINTR when opts->stop says its stop_at. */
int warm_stretch(const struct warm_stretch *what,
		 const struct measure_opts *opts, struct err *err);

/* Threads that were left alone and have not come back. */
uint32_t warm_lost_count(void);

#endif
