/*
 * warm: one untimed read of a region, so that a point that goes through the
 * page cache measures the cache and not how it is filled.
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

/* Threads that were left alone and have not come back. */
uint32_t warm_lost_count(void);

#endif
