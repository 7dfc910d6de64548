/*
 * blockdev: what sysfs tells about a block device: its name, the disk that a
 * partition is part of, and how its queue works.
 */
#ifndef ENGINE_BLOCKDEV_H
#define ENGINE_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BLOCKDEV_NAME_MAX 64
#define BLOCKDEV_MODEL_MAX 80
#define BLOCKDEV_SCHEDULER_MAX 32
#define BLOCKDEV_ID_MAX 256

/* True when sysfs knows a block device of that number. */
bool blockdev_exists(dev_t dev);

/* The folder of the device in sysfs, "/sys/dev/block/8:1/<below>", into buf
 * of size bytes; returns buf. */
char *blockdev_path(dev_t dev, const char *below, char *buf, size_t size);

/* One attribute as text without white space at its ends, e.g. "size" or
 * "queue/nr_requests". 0 or -errno (-ENOENT: there is no such attribute); buf
 * is "" on failure. */
int blockdev_attr(dev_t dev, const char *attr, char *buf, size_t size);

/* The device number that an attribute holds, e.g. "dev" or "holders/md0/dev".
 * 0 or -errno. */
int blockdev_number(dev_t dev, const char *attr, dev_t *out);

/* The same two for a disk by the name it has in /sys/block. */
int blockdev_attr_by_name(const char *name, const char *attr, char *buf,
			  size_t size);
int blockdev_number_by_name(const char *name, dev_t *out);

/* The kernel's name ("sda1"), "8:1" where sysfs does not know it; returns
 * buf, of BLOCKDEV_NAME_MAX bytes. */
char *blockdev_name(dev_t dev, char *buf);

/* The disk of a partition, else dev itself; 0 when sysfs does not know it. */
dev_t blockdev_disk(dev_t dev);

struct blockdev_queue {
	char model[BLOCKDEV_MODEL_MAX];		/* "" unknown */
	char scheduler[BLOCKDEV_SCHEDULER_MAX]; /* "" unknown */
	char id[BLOCKDEV_ID_MAX]; /* tells this disk from all others: world
				   * wide name, serial number, what a loop
				   * device lies on; "" unknown */
	uint32_t nr_requests;	  /* 0 unknown */
	uint32_t logical_block;	  /* bytes, 0 unknown */
	int rotational;		  /* 1, 0, or -1 unknown */
};

/* Of the whole disk behind dev. Fills all of out, whatever is missing. */
void blockdev_queue_load(dev_t dev, struct blockdev_queue *out);

#endif
