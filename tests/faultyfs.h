/*
 * faultyfs: a file system (FUSE) with one file in it that fails, delays or
 * hangs on command, so that what storage does at its worst can be had at will.
 * Served by a child process; goes away with the test.
 */
#ifndef TESTS_FAULTYFS_H
#define TESTS_FAULTYFS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Shared with the server; may be changed at any time. */
struct faultyfs_control {
	atomic_int read_errno, write_errno; /* 0: none */
	atomic_uint delay_us;		    /* of each read and write */
	/* Reads and writes that come now do not return until it is false. */
	atomic_bool hang;
	atomic_bool hang_reads, hang_open; /* the same, of these alone */
	atomic_uint hanging;		   /* how many do not */
	atomic_uint written;		   /* writes that came */
	atomic_uint_fast64_t size_bytes;
};

struct faultyfs {
	pid_t pid;
	char mount[PATH_MAX];
	char file[PATH_MAX + 8];
	struct faultyfs_control *control;
};

/* Mount one at a new folder `name` of the scratch folder, its file of that
 * size. NULL, or why it cannot be had. faultyfs_end after success. */
const char *faultyfs_start(struct faultyfs *f, const char *name,
			   uint64_t size_bytes);
void faultyfs_end(struct faultyfs *f);

#endif
