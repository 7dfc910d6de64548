/*
 * group: which points of a run belong together. Pure.
 *
 * A sweep group is what is varied over block size and outstanding with the
 * rest fixed: target, variant, cache mode, engine asked, section, read %,
 * random %, working set. Threads: where a group has several points of one
 * block size and outstanding that differ in threads, threads are an axis of
 * their own and each thread count is a group; elsewhere they are only the way
 * in which the outstanding I/Os were made, and do not divide.
 *
 * A storage group shares target, variant and cache mode alone, and whether a
 * rate is asked: its points see the same device in the same state, and so the
 * same noise. At a rate that is reached, IOPS hardly vary, whatever the device
 * does: such points must not narrow the intervals of the others.
 */
#ifndef EXPORT_GROUP_H
#define EXPORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/point.h"

/* True when both are of one sweep group, threads aside. */
bool group_same_sweep(const struct point *a, const struct point *b);

/*
 * Number the groups from 0 in order of first appearance: the number of
 * points[i] goes to group_of[i] (count entries). Returns how many groups
 * there are, or -ENOMEM.
 */
int group_by_sweep(const struct point *points, uint32_t count,
		   uint32_t *group_of);
int group_by_storage(const struct point *points, uint32_t count,
		     uint32_t *group_of);

#endif
