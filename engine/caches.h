/*
 * caches: brings the caches before a visit into the state that its point asks
 * for: leaves them alone, drops or warms them; and what it says of that.
 */
#ifndef ENGINE_CACHES_H
#define ENGINE_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "engine/point.h"
#include "engine/target.h"

/* Past the page cache, and through it. */
#define CACHES_WAYS 2

struct caches_warm {
	uint64_t bytes; /* of the region; 0: none was made warm */
	uint32_t passes;
	bool converged;
	bool whole; /* the cache held all of it, so that parts are warm too */
};

/* What is known to be in the caches. Zeroed, then caches_init. */
struct caches {
	const struct measure_opts *opts;
	const struct target *targets;
	uint32_t target_count;
	/* The region that was read once into the page cache, while nothing has
	 * gone past it since. */
	const struct target *read_target;
	uint64_t read_bytes;
	/* The last warm-up of each target since the visits are in this
	 * variant. */
	const char *variant;
	struct caches_warm (*warm)[CACHES_WAYS];
};

/* All stay the caller's. 0 or -ENOMEM. */
int caches_init(struct caches *c, const struct measure_opts *opts,
		const struct target *targets, uint32_t target_count);
void caches_fini(struct caches *c);

/* Blocks went past the page cache and threw out what it held of them. */
void caches_forget(struct caches *c);

#define CACHES_NOTE_MAX 96
struct caches_visit {
	const struct point *point;
	const struct target *target; /* one of those of caches_init */
	int fd;
	uint64_t region_bytes;
	uint32_t round;
	/* Out, for the visit: */
	char note[CACHES_NOTE_MAX]; /* "" nothing */
	enum state_reached reached;
	double cold_left_pct, warm_passes; /* NAN unknown, or not asked */
};

/* 0; -EINTR when the user ended it; another -errno with a sentence. What could
 * not be reached is no error: `reached` and the note say it. */
int caches_prepare(struct caches *c, struct caches_visit *v, struct err *err);

#endif
