/*
 * backend_null: a scripted backend on a virtual clock, for the tests of the
 * engine. It does no I/O: a function of the test says for every I/O how long
 * it takes and how it ends. Time passes only when a worker waits, so a window
 * of seconds takes microseconds and gives the same counts every time.
 */
#ifndef ENGINE_BACKEND_NULL_H
#define ENGINE_BACKEND_NULL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/point.h"

/* An I/O as the backend gets it. */
struct null_io {
	uint64_t number; /* of its worker in this visit, from 0 */
	uint64_t at_ns;	 /* virtual time since the visit began */
	uint64_t offset;
	uint32_t dir;
	uint64_t block_size_bytes;
	const char *buffer;
};

/* How it ends. */
struct null_answer {
	uint64_t latency_ns; /* at least 1; preset to 100 us */
	int32_t res;	     /* bytes or -errno; preset to the block size */
	bool hangs;	     /* never completes; preset to false */
};

/* Called by the worker that submits, from several threads at once where there
 * are several workers. It may block, as a hanging system call does. */
typedef void null_script(void *arg, const struct null_io *io,
			 struct null_answer *answer);

/* For the visits from now on, in the whole process; NULL: all presets. A
 * worker left behind keeps the script of its visit. */
void backend_null_script(null_script *script, void *arg);

#endif
