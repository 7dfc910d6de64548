/*
 * label: tells the groups of one run apart in few words: the workload's name
 * and, only where the run has several, its variant, cache mode, target and
 * threads: "Random read, buffered".
 */
#ifndef EXPORT_LABEL_H
#define EXPORT_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/point.h"

/* What varies over a set of points besides the workload. */
struct label_axes {
	bool variant, cache, target, engine, threads, working_set;
	/* Last parts of a target's path that tell the targets apart, "a/x"
	 * and "b/x": 2; 0 as 1. */
	unsigned target_parts;
};

void label_axes_find(const struct point *points, uint32_t count,
		     struct label_axes *out);

#define LABEL_MAX 256
/* Into buf, cut at size - 1; returns buf. */
char *label_group(const struct label_axes *axes, const struct point *p,
		  char *buf, size_t size);

/* "1 thread", "4 threads". Returns buf. */
#define LABEL_THREADS_MAX 24
char *label_threads(uint32_t threads, char buf[LABEL_THREADS_MAX]);

/* The side of a comparison alone: "buffered", "cached", "sdb, direct"; ""
 * where nothing varies. */
char *label_side(const struct label_axes *axes, const struct point *p,
		 char *buf, size_t size);

#endif
