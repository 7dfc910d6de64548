/*
 * transient: whether visits begin with a start-up that the ramp did not
 * cover: caches that fill, queues and clocks that ramp up. Pure.
 *
 * The cut is MSER: of all ways to leave out up to half of the window, the one
 * that makes the standard error of what remains least (White, Simulation 69,
 * 1997), on the series averaged over the visits of the point (Welch's
 * procedure, The Statistical Analysis of Simulation Results, 1983), in at most
 * 20 batches.
 *
 * MSER alone always finds something in noise with a memory. So three visits
 * or more have to agree: each visit's begin against its own rest, by a t test
 * at 1%, which holds whatever the memory within a visit, as visits lie minutes
 * apart; and the begin has to lie half as far again from the mean of the rest
 * as any part of it. Fewer visits cannot agree: the begin has to lie three
 * times as far. Simulated (independent to correlation 0.95 between batches,
 * CV 3 to 14%), that finds something where nothing is in about 1% and up to 3%
 * of points. What changes the mean by less than 1% is not worth a word.
 *
 * Found, it is told and not cut: histogram, CPU and device counters are those
 * of the whole window, so that IOPS without its begin would fit none of them,
 * and a cut that the data chose is biased itself. A longer ramp is right.
 */
#ifndef EXPORT_TRANSIENT_H
#define EXPORT_TRANSIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/visit.h"

#define TRANSIENT_BATCHES 20
#define TRANSIENT_BATCHES_MIN 10
#define TRANSIENT_VISITS_MIN 3
#define TRANSIENT_P 0.01
#define TRANSIENT_CLEAR 1.5
#define TRANSIENT_CLEAR_ALONE 3.0
#define TRANSIENT_EFFECT_PCT 1.0

struct transient {
	double share_pct;  /* of the window */
	double change_pct; /* IOPS in it against the rest, -100 to ... */
};

/* MSER: how many of the first values to leave out, 0 to n / 2. */
uint32_t transient_mser(const double *values, uint32_t n);

/*
 * Of the visits of one point, all done. False, out untouched, where nothing
 * was found or there are too few intervals to tell: under 10 in some visit,
 * under 20 where there are fewer than three visits.
 */
bool transient_find(const struct visit *const *visits, uint32_t count,
		    struct transient *out);

#endif
