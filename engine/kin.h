/*
 * kin: the block devices that share data with one: its partitions, the disk
 * it is part of, what is made of it (RAID, LVM, loop devices) and what it is
 * made of. Writing to a device destroys what its kin hold.
 */
#ifndef ENGINE_KIN_H
#define ENGINE_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/blockdev.h"

enum kin_relation {
	KIN_SELF,
	KIN_PARTITION, /* part of it */
	KIN_DISK,      /* the disk that it is a partition of */
	KIN_HOLDER,    /* made of it or of a part of it, at any depth */
	KIN_BELOW,     /* what it is made of, at any depth */
	KIN_BACKING,   /* what it lies on as a loop device: not held by it */
	KIN_BESIDE,    /* another loop device on the same file or device */
};

struct kin {
	dev_t dev;
	enum kin_relation relation;
	char name[BLOCKDEV_NAME_MAX];
};

struct kins {
	struct kin *kin; /* itself first, nearest first */
	size_t count;
};

/* 0 or -errno when sysfs cannot tell all of it: then nothing is known. The
 * caller calls kins_fini after success. */
int kins_load(dev_t dev, struct kins *out);
void kins_fini(struct kins *kins);

/* The kin of that number, or NULL. */
const struct kin *kins_find(const struct kins *kins, dev_t dev);

/* The first kin of that relation, or NULL. */
const struct kin *kins_first(const struct kins *kins,
			     enum kin_relation relation);

#endif
