/*
 * watch: what the calling thread does while the workers measure: it lets them
 * go, reads the counters of machine and device where the window begins and
 * ends, reports progress, passes on the user's stop, and does not wait for
 * ever for I/Os that never return.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/flow.h"
#include "engine/measure.h"
#include "engine/units.h"

#define WATCH_SUSPENDED_NS NS_PER_SEC

struct watch {
	const struct measure_opts *opts;
	const struct target *target;
	struct crew *crew;
	struct run *run;
	struct flow *flow;   /* its disks are read at the window's edges */
	struct visit *visit; /* start, machine, device and punts go there */

	/* Out. */
	bool stopped;	 /* the user ended it */
	uint64_t end_ns; /* when the workers were back */
	uint32_t lost;	 /* workers that were abandoned: see crew_abandon */
	/* How long nothing of this program ran: it was stopped or frozen, or
	 * the machine had no time for it. 0 below WATCH_SUSPENDED_NS and a
	 * tenth of the window, as then the numbers hardly suffer. */
	uint64_t suspended_ns;
};

/* From the first I/O until all workers are back or given up. The workers are
 * prepared. */
void watch_visit(struct watch *w);

#endif
