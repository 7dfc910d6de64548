/*
 * measure_rig: what the tests of the engine have in common: a measurer over
 * one target, a point to change, and a visit.
 */
#ifndef TESTS_MEASURE_RIG_H
#define TESTS_MEASURE_RIG_H

#include <signal.h>

#include "engine/measure.h"

struct measure_rig {
	struct target target;
	struct measure_opts opts;
	struct point point;
	struct measurer *measurer;
	struct visit visit;
	volatile sig_atomic_t stop;
};

/* A target of that kind, filled by hand: 64 MiB, blocks of 512 bytes, with
 * path open for reading and writing in every cache mode. The point is 4K
 * random reads, one thread, queue depth 1, on the scripted engine; 1 s after
 * 100 ms of ramp. False: path cannot be opened. */
bool measure_rig_init(struct measure_rig *r, const char *path,
		      enum target_kind kind);

/* A measurer with what opts says now; one there is already is freed. */
void measure_rig_start(struct measure_rig *r);

/* Measure the point as it is now; starts a measurer when there is none. */
void measure_rig_visit(struct measure_rig *r, uint32_t round);

void measure_rig_fini(struct measure_rig *r);

#endif
