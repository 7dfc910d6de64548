/*
 * cold: drops what the page cache holds of a target and of what it lies on,
 * and looks whether it is gone. Caches below, of disks, controllers and
 * hypervisors, are out of its reach.
 */
#ifndef ENGINE_COLD_H
#define ENGINE_COLD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/target.h"

/* Less than this, in the page cache, is nothing: pages that others read. */
#define COLD_LEFT_PCT 1.0

/*
 * Write back and drop: pages of the target and of the files under its loop
 * devices, buffers of a device (as root), and where that leaves some or cannot
 * tell (ZFS keeps its own), everything that /proc/sys/vm/drop_caches gives up
 * (as root). What is not permitted is left out.
 *
 * Returns the most that is left of any of them, % of the region (of a file
 * below: of all of it); NAN where that cannot be known.
 */
double cold_drop(const struct target *t, int fd, uint64_t region_bytes);

#endif
