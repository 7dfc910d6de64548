/*
 * precision: which points still need a visit (--precision). Pure: the session
 * asks after every round and visits only the points that are open.
 *
 * A point is done when the 95% interval of its IOPS (rounds.h, with variances
 * moderated by all points so far) reaches no further than the precision
 * asked, after at least min_visits. Stopping by a plain interval stops too
 * soon where the visits agreed by luck (85% coverage instead of 95%); the
 * moderated one holds (tests/test_coverage.c). Sequential stopping: Law and
 * Carson, Operations Research 27, 1979; Glynn and Whitt, Annals of Applied
 * Probability 2, 1992.
 */
#ifndef EXPORT_PRECISION_H
#define EXPORT_PRECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/point.h"
#include "engine/visit.h"

#define PRECISION_MIN_VISITS 3
#define PRECISION_MAX_VISITS 10

struct precision_rule {
	double precision_pct; /* over 0; 2 asks for +-2% */
	uint32_t min_visits, max_visits;
};

/*
 * Set open[i] for points[i]: true while it has had fewer than min_visits, or
 * has not reached the precision and has had fewer than max_visits. A point
 * that was skipped, or failed min_visits times without one success, is
 * closed: more visits would not help. Returns how many are open, or -ENOMEM.
 */
int precision_open(const struct point *points, uint32_t point_count,
		   const struct visit *visits, uint32_t visit_count,
		   const struct precision_rule *rule, bool *open);

#endif
