/*
 * warmpass: reads a region in passes until they change nothing more: then its
 * cache is as warm as it becomes.
 */
#ifndef ENGINE_WARMPASS_H
#define ENGINE_WARMPASS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "engine/target.h"

/* Bytes of one read. A pass reads every other block, then the ones between:
 * caches let long sequential runs go past them. */
#define WARM_BLOCK ((uint64_t)512 << 10)
/* Samples of the curve in a pass, where it has so many blocks. */
#define WARM_SAMPLES 20
/* A pass is like the last one when the hit ratio differs by less (percentage
 * points), or where it is not known the throughput (%); and a cache that
 * misses less cannot become warmer. */
#define WARM_HIT_POINTS 1.0
#define WARM_RATE_PCT 5.0
#define WARM_FULL_PCT 99.5
/* Where the devices below read so much more than was asked, others read too,
 * and the hit ratio of the pass is not known. */
#define WARM_FOREIGN_PCT 10.0

struct warm_asked {
	const struct target *target;
	int fd;
	uint64_t bytes; /* the first of it; whole blocks of its alignment */
	const struct point *point; /* for the samples */
	uint32_t round;
};

struct warm_outcome {
	uint32_t passes;
	bool converged;
	double hit_pct; /* of the last pass; NAN unknown */
	double mibps;	/* of it */
};

/*
 * Passes until one is like the one before, at least opts->warm_passes_min and
 * at the most opts->warm_passes_max. Every sample of the curve is handed to
 * opts->warmed. 0; -EINTR when opts->stop says 1: nothing is being measured;
 * another -errno with a sentence.
 */
int warm_until_steady(const struct warm_asked *asked,
		      const struct measure_opts *opts, struct warm_outcome *out,
		      struct err *err);

#endif
