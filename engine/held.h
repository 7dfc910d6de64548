/*
 * held: how much of a region the page cache holds that its reads go through:
 * that of the target itself, or of the file under a loop device that does not
 * go past it. What is held whole before and after reads needed no disk for
 * them, whatever others read from that disk meanwhile.
 */
#ifndef ENGINE_HELD_H
#define ENGINE_HELD_H

#include <stdint.h>

#include "engine/point.h"
#include "engine/target.h"

/* Percent of the first region_bytes, read in that mode through fd, the open
 * target; NAN where they pass no page cache that can be looked into. */
double held_pct(const struct target *t, enum cache_mode cache, int fd,
		uint64_t region_bytes);

#endif
