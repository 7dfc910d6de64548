/*
 * target: the file or device that is measured: what it is, how large, how it
 * wants to be addressed, and open descriptors for it. guard.c decides every
 * writable open; nothing else in the program opens a target for writing.
 *
 * Kinds: a regular file, a block device, /dev/zero and /dev/null (which
 * measure the tool, not a disk). A folder is turned into a file in it by the
 * session, before.
 */
#ifndef ENGINE_TARGET_H
#define ENGINE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/err.h"
#include "engine/point.h"

enum target_kind {
	TARGET_FILE,
	TARGET_DEVICE,
	TARGET_ZERO, /* /dev/zero */
	TARGET_NULL, /* /dev/null */
	TARGET_KIND_COUNT
};

#define TARGET_FS_MAX 32
#define TARGET_MODEL_MAX 80

struct target {
	char *path;	/* as the user gave it; owned */
	char *resolved; /* realpath; owned */
	enum target_kind kind;
	uint64_t size_bytes;	      /* ZERO and NULL: 1 GiB, nominal */
	uint32_t logical_block;	      /* smallest addressable unit, bytes */
	uint32_t direct_offset_align; /* O_DIRECT: offset and length; 0 where
				       * O_DIRECT is not supported */
	uint32_t direct_memory_align; /* O_DIRECT: buffers */
	dev_t device; /* the block device whose counters tell about it: the
		       * device itself, or the one that holds the file; 0
		       * where there is none (tmpfs, overlay) */
	char fs[TARGET_FS_MAX];	      /* file system type, "" for devices */
	char model[TARGET_MODEL_MAX]; /* of the device, "" unknown */
	char scheduler[32];	      /* of its queue, "" unknown */
	uint32_t nr_requests;	      /* of its queue, 0 unknown */
	int rotational;		      /* 1, 0, or -1 unknown */
	bool laid_out; /* carries our mark: a file that iosweep wrote whole */
	/* Descriptors by cache mode, read-only and read-write; -1 unopened. */
	int fd[CACHE_COUNT][2];
	/* Consent to write, set by the session from the command line: the
	 * very path that the user named in --destroy-data-on; NULL none. */
	const char *consent;
};

/*
 * Look at an existing path without opening it for writing. Fills t (init and
 * fill: the caller passes raw storage). 0; -ENOENT and a sentence when there
 * is nothing; other -errno and a sentence (not a file or block device, no
 * permission, empty file). The caller calls target_fini after success.
 */
int target_probe(const char *path, struct target *t, struct err *err);

/* Close all descriptors and free. Safe to call once after target_probe. */
void target_fini(struct target *t);

/*
 * A descriptor for that cache mode, opened at the first call and kept; owned
 * by t. writes asks for read-write and goes through the guard. Returns the
 * descriptor or -errno with a sentence; a file system without O_DIRECT gives
 * -EINVAL and the advice `--cache buffered`.
 */
int target_fd(struct target *t, enum cache_mode mode, bool writes,
	      struct err *err);

/* Alignment that offset and length must have in that mode: the largest of
 * logical block and direct alignment for direct modes, 1 otherwise (the
 * engine still aligns offsets to the block size). */
uint32_t target_alignment(const struct target *t, enum cache_mode mode);

/* Drop the descriptors, so that the next target_fd opens anew. */
void target_close_fds(struct target *t);

#endif
