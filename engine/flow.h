/*
 * flow: where the I/O of a visit went: what the devices under the target
 * moved while its window was open, what caches counted meanwhile, how much of
 * the target lay in the page cache, and from these the hit ratio.
 *
 * The disks are read where the window begins and ends, and nothing is
 * allocated there; all else before the ramp and after the window.
 */
#ifndef ENGINE_FLOW_H
#define ENGINE_FLOW_H

#include <stdint.h>

#include "engine/cachecount.h"
#include "engine/counters.h"
#include "engine/stack.h"
#include "engine/target.h"
#include "engine/visit.h"

/* What a user asks for besides; the texts are the caller's. */
struct flow_opts {
	const char *watch; /* devices, checked; NULL none */
	const char *probe; /* a shell command that prints name=value; NULL */
};

struct flow {
	struct flow_opts opts;
	struct stack stack;
	struct cachecounts before, after;
	uint64_t before_ns;
	double held_before_pct; /* held.h */
	char fs[TARGET_FS_MAX];
	/* Where the window begins and ends. */
	struct counters_disk disk[2][STACK_DEVICES_MAX];
	bool known[2][STACK_DEVICES_MAX];
	uint64_t disk_ns[2];
};

/* Before the ramp. fd: the open target, region_bytes of it are used. */
void flow_begin(struct flow *f, const struct target *t, const struct point *p,
		int fd, uint64_t region_bytes, struct visit *v);

/* At the window's begin (0) and end (1). */
void flow_read_disks(struct flow *f, int edge);

/* After the window, with v's counts filled. window_ns: what they are of. */
void flow_end(struct flow *f, const struct target *t, const struct point *p,
	      int fd, uint64_t region_bytes, uint64_t window_ns,
	      struct visit *v);

/* Names as stored: "device counters", "probe", "dm-cache", "bcache", "zfs
 * arc", "page cache"; "" for HIT_UNKNOWN, NULL past the end. */
const char *hit_source_name(enum hit_source source);
int hit_source_from_name(const char *name, enum hit_source *out);

#endif
