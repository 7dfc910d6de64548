/*
 * simrun: a whole run in memory, measured on a simulated device: what the
 * tests of analysis, sweet spot and outputs start from.
 */
#ifndef TESTS_SIMRUN_H
#define TESTS_SIMRUN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/sim.h"
#include "export/result.h"

struct simrun {
	struct run run; /* points, visits, results; analysed */
	struct measurer *sim;
	struct point *points;
	struct visit scratch;
	uint32_t room; /* of run.visits */
};

/* One random read point, direct, on "/sim": 4K, 1 thread. */
struct point simrun_point(uint32_t index, uint64_t block_size_bytes,
			  uint32_t outstanding);

/*
 * A run without visits. points are copied; their index has to be their place.
 * The simulated device of simrun_device() where device is NULL, no noise
 * where noise is NULL; visits of 1 s after 150 ms.
 */
void simrun_init(struct simrun *s, const struct point *points, uint32_t count,
		 const struct sim_device *device, const struct sim_noise *noise,
		 uint64_t seed);

/* Visit all points (open NULL) or those that are open, once, in an order
 * shuffled by the round; spans keeps the latencies for percentiles. */
void simrun_round(struct simrun *s, uint32_t round, const bool *open,
		  bool spans);

/* One visit, kept; it stays in s->scratch until the next. */
void simrun_visit(struct simrun *s, uint32_t point, uint32_t round, bool spans);

/* Take in a visit that was measured elsewhere; spans as above. */
void simrun_keep(struct simrun *s, const struct visit *v, bool spans);

void simrun_fini(struct simrun *s);

/* 100 us, 100,000 IOPS, 2 GB/s at the most. */
struct sim_device simrun_device(void);

#endif
