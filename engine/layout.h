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
	const volatile sig_atomic_t *stop; /* not 0: give up; may be NULL, and
					    * set by another thread */
};

/*
 * Whether a file of that size may be made at path: its folder is there and
 * writable, its file system keeps a reserve free (1% of it, 1 GiB at most)
 * beside it, it stays under the limit on file sizes (ulimit -f), and it is not
 * among the devices in /dev. 0, or -ENOSPC, -EFBIG, -ENOENT, -EACCES, -ENODEV
 * ... with a sentence.
 */
int layout_check_room(const char *path, uint64_t size_bytes, struct err *err);

/*
 * Create path (nothing may be there) and fill it; checks room first. 0;
 * -EEXIST, -ENOSPC, -EINTR (stopped), -EIO ... with a sentence. The file gets
 * its name when it is whole, synced and marked, so that not even a crash
 * leaves half of one; where the file system has no unnamed files (O_TMPFILE)
 * it is removed again on failure. A file system without xattrs gives no mark
 * and no error.
 */
int layout_create(const struct layout_request *req, struct err *err);

/*
 * Fill an existing target whole again (--layout): same rules as guard for
 * writing; a file gets the mark. Never changes its size; req's path and size
 * are not looked at. Stopped or failed half-way, the file stays with what is
 * written, and marked only if it was. Devices too; ZERO and NULL: -EINVAL.
 */
int layout_refill(struct target *t, const struct layout_request *req,
		  struct err *err);

/*
 * Write the first req->size_bytes of an existing target again (not more than
 * it has), and nothing else about it: no mark is set or taken. Rules as above.
 */
int layout_overwrite(struct target *t, const struct layout_request *req,
		     struct err *err);

/*
 * Bytes of [0, size) that were never written: holes and unwritten extents
 * (FIEMAP with FIEMAP_FLAG_SYNC, else SEEK_HOLE). 0 or -errno; -EOPNOTSUPP
 * where the file system cannot tell, and for all but files (out untouched).
 */
int layout_unwritten_bytes(const struct target *t, uint64_t *out_bytes);

/*
 * Whether all of `samples` (at least 1) blocks of 4 KiB, one at random from
 * each equal part of the target, read as zeros: 1, 0, or -errno. -EOPNOTSUPP
 * for /dev/zero and /dev/null. Reads past the page cache where it can.
 */
int layout_all_zero(const struct target *t, unsigned samples);

#endif
