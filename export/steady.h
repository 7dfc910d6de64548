/*
 * steady: the steady state of SNIA's Solid State Storage Performance Test
 * Specification (SSS PTS) 2.0.2, "Steady State" among its definitions: over
 * the last five rounds, the measurement window, the tracked value's
 *
 *	range, most - least, is within 20% of its mean, and
 *	slope: the least squares line rises or falls by no more than 10% of the
 *	mean over the window;
 *
 * sought for 25 rounds at the most. With --steady each point is tracked by
 * its own IOPS, so that it has a window of its own; results rest on the window
 * alone, as flash that was just written is not yet what it will be. Pure.
 */
#ifndef EXPORT_STEADY_H
#define EXPORT_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/visit.h"

#define STEADY_ROUNDS 5
#define STEADY_ROUNDS_MAX 25
#define STEADY_RANGE_PCT 20.0
#define STEADY_SLOPE_PCT 10.0

/* Of the mean; the slope over the whole window and signed. */
struct steady {
	double range_pct, slope_pct;
};

/* The last STEADY_ROUNDS values of a point, in the order of their time.
 * Without I/O both are NAN. */
struct steady steady_measure(const double values[STEADY_ROUNDS]);

/* Whether both are within the rule; false for NAN. */
bool steady_holds(const struct steady *s);

/*
 * Set `aside` for every done visit that is not among the last STEADY_ROUNDS
 * done ones of its point, and clear it for all others. Visits of one point
 * are in the order of their time. 0 or -ENOMEM.
 */
int steady_set_aside(struct visit *visits, uint32_t visit_count,
		     uint32_t point_count);

#endif
