/*
 * stack: the block devices that a target lies on, from its own down to the
 * lowest that the system knows: slaves of md and dm devices, what a loop
 * device lies on, the backing device of a bcache. Only what is there is read.
 */
#ifndef ENGINE_STACK_H
#define ENGINE_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/blockdev.h"
#include "engine/err.h"

#define STACK_DEVICES_MAX 32

enum stack_role {
	STACK_TARGET,  /* the target's own, or the one that holds the file */
	STACK_BELOW,   /* between it and the lowest */
	STACK_ORIGIN,  /* nothing known below, and no cache itself */
	STACK_CACHE,   /* a cache's fast device and its metadata */
	STACK_WATCHED, /* named by the user */
	STACK_ROLE_COUNT
};

struct stack_device {
	dev_t dev;
	enum stack_role role;
	bool is_origin; /* also of a target that has nothing below */
	char name[BLOCKDEV_NAME_MAX];
};

struct stack {
	struct stack_device device[STACK_DEVICES_MAX]; /* target first */
	uint32_t count;
	/* The walk came to the end of every branch: what reached the origins
	 * is all that no cache held. */
	bool is_complete;
};

/* "target", "below", "origin", "cache", "watched". */
const char *stack_role_name(enum stack_role role);

/* Walk down from a device; 0: none, an empty stack that is not complete.
 * sys: "/sys", another folder in tests. */
void stack_load(const char *sys, dev_t target, struct stack *out);

/* Whether all of a list "/dev/sdb,/dev/nvme0n1" are block devices: 0, or
 * -EINVAL with a sentence that begins with `where`. */
int stack_check_watch(const char *list, const char *where, struct err *err);

/* Add the devices of a checked list. Where nothing is known of the target's
 * own they are the origins: the user says what lies below. */
void stack_watch(struct stack *s, const char *list);

/* Devices of a dm-cache from its table, "0 2097152 cache 254:2 254:1 254:0
 * 128 ..." without what stands before "cache": metadata, cache, origin. 0 or
 * -EINVAL. */
int stack_parse_dm_cache(const char *table, dev_t out[3]);

#endif
