/*
 * layout: make a file that is worth measuring: written whole with random,
 * incompressible data, preallocated and synced, and marked as ours (xattr
 * user.iosweep holds size and seed) when it is whole. Also finds the holes
 * of files that others made.
 */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"

/* Called about ten times a second while bytes are written; may be NULL. */
typedef void layout_progress(void *arg, uint64_t done_bytes,
			     uint64_t total_bytes);

struct layout_request {
	const char *path;
	uint64_t size_bytes;
	uint64_t seed;
	layout_progress *progress;
	void *progress_arg;
	const volatile sig_atomic_t *stop; /* not 0: give up; may be NULL */
};

/*
 * Create path (it must not exist: O_EXCL) and fill it. Checks free space
 * first. 0; -EEXIST, -ENOSPC, -EINTR (stopped), -EIO ... with a sentence. On
 * any failure the file is removed again. The mark is set last; a file system
 * without xattrs gives no mark and no error.
 */
int layout_create(const struct layout_request *req, struct err *err);

/*
 * Fill an existing file of ours, or one that consent allows, whole again
 * (--layout): same rules as guard for writing. Never changes its size.
 */
int layout_refill(struct target *t, const struct layout_request *req,
		  struct err *err);

/* Bytes of [0, size) that were never written: holes and unwritten extents
 * (FIEMAP with FIEMAP_FLAG_SYNC, else SEEK_HOLE). 0 or -errno; -EOPNOTSUPP
 * where the file system cannot tell (out untouched). Devices: -EOPNOTSUPP. */
int layout_unwritten_bytes(const struct target *t, uint64_t *out_bytes);

/* True when all of a sample of `samples` blocks of 4 KiB spread over the
 * target read as zeros. 1, 0, or -errno. */
int layout_all_zero(const struct target *t, unsigned samples);

#endif
