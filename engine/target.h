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
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "engine/blockdev.h"
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
#define TARGET_NOMINAL_BYTES ((uint64_t)1 << 30) /* of /dev/zero, /dev/null */

struct target {
	char *path;	/* as the user gave it; owned */
	char *resolved; /* realpath; owned */
	enum target_kind kind;
	/* The inode that was probed: every later open must meet it again. */
	dev_t inode_dev;
	ino_t inode;
	uint64_t diskseq;    /* counts disks that had this number; 0 unknown */
	uint64_t size_bytes; /* ZERO and NULL: nominal */
	uint32_t logical_block;	      /* smallest addressable unit, bytes */
	uint32_t direct_offset_align; /* O_DIRECT: offset and length; 0 where
				       * O_DIRECT is not supported */
	uint32_t direct_memory_align; /* O_DIRECT: buffers */
	dev_t device; /* the block device whose counters tell about it: the
		       * device itself, or the one that holds the file; 0
		       * where there is none (tmpfs, overlay) */
	char fs[TARGET_FS_MAX]; /* file system type, "" unknown or device */
	char model[BLOCKDEV_MODEL_MAX];		/* of the device, "" unknown */
	char scheduler[BLOCKDEV_SCHEDULER_MAX]; /* of its queue, "" unknown */
	uint32_t nr_requests;			/* of its queue, 0 unknown */
	int rotational;				/* 1, 0, or -1 unknown */
	char id[BLOCKDEV_ID_MAX];		/* of the device, "" unknown */
	bool laid_out; /* carries our mark: a file that iosweep wrote whole */
	uint64_t layout_seed; /* that it was written with */
	/* Descriptors by cache mode, read-only and read-write; -1 unopened. */
	int fd[CACHE_COUNT][2];
	/* Holds a device exclusively while it is open for writing, so that
	 * nobody can mount it meanwhile; -1 not held. guard's. */
	int claim_fd;
	bool left_alone; /* an opening of it hangs in a thread of its own:
			  * nothing of this is closed or freed any more */
	/* Consent to write, set by the session from the command line: the
	 * very path that the user named in --destroy-data-on; NULL none. */
	const char *consent;
};

/*
 * Whether a path may be meant as a target at all: one that is empty or starts
 * like an option ("-b8K", or the en dash of a pasted one) is refused naming
 * the character; "./-b8K" is allowed. For paths that do not exist yet;
 * target_probe asks it too. 0 or -EINVAL.
 */
int target_check_path(const char *path, struct err *err);

/*
 * Look at an existing path without opening it for writing. Fills t (init and
 * fill: the caller passes raw storage). 0; -ENOENT and a sentence when there
 * is nothing; -EISDIR for a folder; -EINVAL for another kind of file and a
 * path that looks like an option, -ENODATA for an empty one, another -errno
 * (-EACCES) when it cannot be read, each with a sentence. The caller calls
 * target_fini after success.
 */
int target_probe(const char *path, struct target *t, struct err *err);

/* Close all descriptors and free. Safe to call once after target_probe. */
void target_fini(struct target *t);

/*
 * A descriptor for that cache mode, opened at the first call and kept; owned
 * by t. writes asks for read-write and goes through the guard. Returns the
 * descriptor or -errno with a sentence; a file system without O_DIRECT gives
 * -EINVAL and the advice `--cache buffered`, a path that leads elsewhere than
 * at the probe -ESTALE. ZERO and NULL have no cache: direct is as buffered.
 */
int target_fd(struct target *t, enum cache_mode mode, bool writes,
	      struct err *err);

/* Alignment that offset and length must have in that mode: the largest of
 * logical block and direct alignment for direct modes, 1 otherwise (the
 * engine still aligns offsets to the block size). */
uint32_t target_alignment(const struct target *t, enum cache_mode mode);

/*
 * True where a file made in that folder could not be opened with O_DIRECT, as
 * far as that can be told without leaving anything there: by an unnamed file.
 * False where it can, or where only a real file will tell.
 */
bool target_folder_lacks_direct(const char *folder);

/* A descriptor of its own for reading, with extra open(2) flags; the caller's.
 * It or -errno with a sentence, -ESTALE as above. */
int target_open_readable(const struct target *t, int flags, struct err *err);

/* Drop the descriptors and the claim, so that the next target_fd opens anew;
 * not those of one that is left alone. */
void target_close_fds(struct target *t);

/* True when st is the inode (for a device: the device) that was probed. */
bool target_is(const struct target *t, const struct stat *st);

/* The count of the disk behind an open device, which tells a disk from another
 * one that was plugged in under the same number; 0 where the kernel does not
 * count (before 5.15). */
uint64_t target_diskseq(int fd);

/* The name for sentences: the path, and what it leads to where that differs,
 * "/dev/disk/by-id/x (/dev/sdb)". Returns buf. */
#define TARGET_NAME_MAX 512
char *target_name(const struct target *t, char *buf, size_t size);

#endif
