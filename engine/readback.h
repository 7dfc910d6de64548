/*
 * readback: after the window of a visit with --verify, with nothing in flight
 * any more, read blocks that it wrote and judge what is there.
 */
#ifndef ENGINE_READBACK_H
#define ENGINE_READBACK_H

#include "engine/aside.h"
#include "engine/err.h"
#include "engine/measure.h"
#include "engine/verify.h"
#include "engine/visit.h"

struct readback {
	int fd; /* open for reading; what is cached of it is dropped first */
	uint32_t block_size_bytes;
	uint64_t mark;
	const struct verify_log *logs; /* one a thread */
	uint32_t log_count;
	char *buffer;	     /* aligned for fd, of the size of a block */
	uint64_t limit_ns;   /* end then, wherever it stands */
	struct aside *aside; /* that it is the call of: told how it gets on, and
			      * ends it; NULL: none */
};

/*
 * Blocks in an order that their offsets do not tell, so that a limit leaves a
 * fair sample. Fills v->verified_blocks and v->corrupt_blocks; with the first
 * corrupt one v->state becomes VISIT_FAILED and v->reason says where and
 * what, by kind. 0, or -errno with a sentence when the target cannot be read.
 */
int readback_visit(const struct readback *r, struct visit *v, struct err *err);

/* The same aside, given up when the storage does not answer (opts' timeout) or
 * opts' stop says 2: then, too, -errno with a sentence, and all that r names
 * has to be left alone for good. */
int readback_aside(const struct readback *r, const struct measure_opts *opts,
		   struct visit *v, bool *given_up, struct err *err);

#endif
