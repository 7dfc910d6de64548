/*
 * plan: what a sweep will do: its settings and its points. Every way to
 * describe work (options, plan file, template) fills the same struct
 * plan_request; plan_build turns it into points.
 */
#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"

#define PLAN_POINTS_MAX 100000

/* The axes of one cross product as text, NULL where not said: the defaults
 * hold. Owned by the request. */
struct plan_axes {
	char *name; /* of the section, "" for the one of the options */
	char *block_size, *outstanding, *queue_depth, *pattern, *read, *threads,
		*working_set, *cache, *engine, *variant;
};

enum plan_order { PLAN_SHUFFLE, PLAN_AS_PLANNED };

struct plan_settings {
	uint64_t size_bytes; /* of a file that has to be made; 0: not said */
	uint64_t time_ns, ramp_ns, pause_ns, max_time_ns;
	uint32_t rounds;
	enum plan_order order;
	uint64_t seed;
	bool seed_given;
};

struct plan {
	struct plan_settings settings;
	struct point *points;
	uint32_t point_count;
	uint32_t dropped_indivisible; /* outstanding not divisible by threads */
	char **targets; /* distinct, in order */
	uint32_t target_count;
	void *strings; /* owner of the texts of points */
};

#endif
