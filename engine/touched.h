/*
 * touched: how many distinct blocks the I/Os of a visit went to, told after
 * it by drawing the same sequence again. That costs the window nothing.
 */
#ifndef ENGINE_TOUCHED_H
#define ENGINE_TOUCHED_H

#include <stdint.h>

#include "engine/offsets.h"

/* Where a worker stood as its window began, and the I/Os it did in it. */
struct touched_part {
	struct offsets from;
	uint64_t ios;
};

/*
 * Distinct bytes of a region that count workers (at least one) went to. Exact
 * for regions of TOUCHED_CELLS blocks at most; beyond, by linear counting
 * (Whang, Vander-Zanden, Taylor, "A linear-time probabilistic counting
 * algorithm", ACM TODS 15(2), 1990), which errs by less than 0.1% here. NAN
 * without memory, or when it would take longer than limit_ns.
 */
#define TOUCHED_CELLS ((uint64_t)1 << 26)
double touched_bytes(struct touched_part *parts, uint32_t count,
		     uint64_t limit_ns);

#endif
