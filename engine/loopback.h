/*
 * loopback: which loop devices exist and on what they lie. The kernel does
 * not guard a file or device that a loop device uses: nobody else holds it
 * exclusively, and it may be mounted through the loop all the same.
 */
#ifndef ENGINE_LOOPBACK_H
#define ENGINE_LOOPBACK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "engine/blockdev.h"

struct loopback {
	char name[BLOCKDEV_NAME_MAX]; /* "loop0" */
	dev_t dev;
	char path[PATH_MAX]; /* of what it lies on, as the kernel tells it */
	/* What that is; false where it can neither be asked nor found, as in
	 * a container. */
	bool known;
	dev_t backing_dev; /* st_dev and st_ino of a file */
	ino_t backing_ino;
	dev_t backing_rdev; /* of a block device, else 0 */
};

struct loopbacks {
	struct loopback *loop;
	size_t count;
};

/* All bound loop devices. 0 or -errno; the caller calls loopbacks_fini after
 * success. No loop driver is not an error. */
int loopbacks_load(struct loopbacks *out);
void loopbacks_fini(struct loopbacks *loops);

/* The loop device with that number, or NULL. */
const struct loopback *loopbacks_find(const struct loopbacks *loops, dev_t dev);

/* What a loop device lies on, open for reading, and what that is; -1 where it
 * cannot be opened, or its path leads to another by now. */
int loopbacks_open(const struct loopback *loop, struct stat *st);

/*
 * A loop device that lies on that file (path: as it is resolved), or on that
 * block device (name: the kernel's); NULL when there is none. For one whose
 * backing is not known the same last component of the path counts.
 */
const struct loopback *loopbacks_on_file(const struct loopbacks *loops,
					 const struct stat *st,
					 const char *path);
const struct loopback *loopbacks_on_device(const struct loopbacks *loops,
					   dev_t dev, const char *name);

/* Another loop device that lies on the same file or device as `loop`, or
 * NULL. */
const struct loopback *loopbacks_beside(const struct loopbacks *loops,
					const struct loopback *loop);

#endif
