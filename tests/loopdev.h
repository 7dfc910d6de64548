/*
 * loopdev: block devices for tests: scratch folders, loop devices, mounts and
 * partitions that go away whatever becomes of the test. Loop devices detach
 * themselves when the process ends (autoclear), mounts are made in a mount
 * namespace of the process's own, folders are removed at exit.
 */
#ifndef TESTS_LOOPDEV_H
#define TESTS_LOOPDEV_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LOOPDEV_MIB ((uint64_t)1 << 20)

/* A folder of this process's own under TMPDIR or /tmp; made at the first
 * call, removed with all that is in it at exit. NULL: cannot be made. */
const char *scratch_folder(void);

/* "<scratch folder>/<name>" into buf of PATH_MAX bytes; returns buf. */
char *scratch_path(char *buf, const char *name);

/* A file of that size in the scratch folder, a hole all through, or with
 * `fill` in every byte when that is not 0. Returns buf with its path, or
 * NULL. */
char *scratch_file(char *buf, const char *name, uint64_t size_bytes, int fill);

/* NULL when loop devices can be had (root, a loop driver, a mount namespace
 * of our own, which the first call enters); else why not. */
const char *loopdev_unavailable(void);

struct loopdev {
	int fd; /* keeps it bound */
	dev_t dev;
	char node[32];	     /* "/dev/loop3" */
	char name[32];	     /* "loop3" */
	char file[PATH_MAX]; /* what it lies on */
};

enum {
	LOOPDEV_DIRECT = 1,	/* O_DIRECT on the file below */
	LOOPDEV_PARTITIONS = 2, /* partitions go with it */
	LOOPDEV_READ_ONLY = 4,
};

/* Bind a free loop device to an existing file or device; block_bytes 0: 512.
 * 0 or -errno. */
int loopdev_attach(struct loopdev *loop, const char *file, int flags,
		   uint32_t block_bytes);
/* The same on a new sparse file in the scratch folder. */
int loopdev_new(struct loopdev *loop, const char *name, uint64_t size_bytes,
		int flags);
void loopdev_detach(struct loopdev *loop);

/* Tell the kernel of a partition (it need not read tables by itself). Fills
 * node, e.g. "/dev/loop3p1", of 48 bytes. 0 or -errno. */
int loopdev_add_partition(struct loopdev *loop, int number,
			  uint64_t start_bytes, uint64_t size_bytes,
			  char *node);

/* Write a DOS partition table with one Linux partition of [1 MiB, end). */
int loopdev_write_table(const char *path, uint64_t size_bytes);

/* Run a program without a shell, its output dropped: its exit status, or 127
 * when it is not there. The last argument is NULL. */
int run_tool(const char *tool, ...) __attribute__((sentinel));

/* Mount node at a new folder `name` of the scratch folder, whose path goes to
 * point (PATH_MAX); options may be NULL. 0 or -errno. */
int mount_scratch(const char *node, const char *name, const char *type,
		  const char *options, char *point);

/* A disk that nobody else uses, in memory: an ext4 file system on a loop device
 * of at least `bytes`, mounted at a new folder `name` of the scratch folder.
 * Where counters of the disk below are judged, only our own I/O is in them. 0
 * or -errno; detach it when what lies on it is closed. */
int loopdev_own_disk(struct loopdev *disk, const char *name, uint64_t bytes);

/* Swap to a file or device, one at a time, until swap_end or the exit. 0 or
 * -errno. */
int swap_start(const char *path);
int swap_end(void);

/* Run body in a child that then sleeps, holding what it made, until
 * child_end; it dies with us. Returns its pid once body returned 0, or a
 * negative errno that body returned. */
pid_t child_start(int (*body)(void *arg), void *arg);
void child_end(pid_t pid);

#endif
