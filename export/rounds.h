/*
 * rounds: from the visits of a run to the doubt about each point. Points of
 * one storage group (target, variant, cache mode: group.h) are fitted
 * together (fit.h), as they see the same device in the same rounds.
 */
#ifndef EXPORT_ROUNDS_H
#define EXPORT_ROUNDS_H

#include <stdint.h>

#include "engine/point.h"
#include "engine/visit.h"

/* On the scale of natural logarithms: the mean over the time of the sweep is
 * mean of the visits x exp(shift), its 95% interval x exp(-+ half_width). */
struct rounds_doubt {
	uint32_t visits;   /* done visits that the numbers rest on */
	double shift;	   /* for rounds that the point missed; mostly 0 */
	double half_width; /* NAN where unknown */
	double se, df;	   /* what it was made of: NAN and 0 unknown */
	/* Of the mean when it is compared with points of its group: variance
	 * within rounds, and its degrees of freedom. NAN and 0 unknown. */
	double within_variance, within_df;
};

/* A positive measure of a done visit, such as visit_iops. */
typedef double rounds_measure(const struct visit *v);

/*
 * Fill out[i] for points[i]. Visits that are not done, set aside, or whose
 * measure is not positive and finite, do not count. A point all of whose done
 * visits count in full has out.visits equal to their number. 0 or -ENOMEM.
 */
int rounds_estimate(const struct point *points, uint32_t point_count,
		    const struct visit *visits, uint32_t visit_count,
		    rounds_measure *measure, struct rounds_doubt *out);

#endif
