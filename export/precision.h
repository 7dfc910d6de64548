/*
 * precision: which points still need a visit (--precision), and how many more
 * it will probably take. Pure: sweep/schedule_precision.c asks after every
 * round and visits only the points that are open.
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
 * Set more[i] for points[i]: how many more visits it is expected to need, 0
 * when it is done. It needs one while it has had fewer than min_visits, or has
 * not reached the precision and has had fewer than max_visits. A point that
 * was skipped, or failed min_visits times without one success, needs none:
 * more visits would not help. How many: the half width falls with the root of
 * the visits; max_visits where it is not known yet. Returns how many points
 * need one, or -ENOMEM.
 */
int precision_more(const struct point *points, uint32_t point_count,
		   const struct visit *visits, uint32_t visit_count,
		   const struct precision_rule *rule, uint32_t *more);

#endif
