/*
 * search_grid: what a search believes of the points of one workload, block
 * size x outstanding: log IOPS of each with the ends of its doubt, and the
 * sweet spot that follows. Pure; search.h decides from it what to visit.
 *
 * A measured point is believed as the analysis has it (export/rounds.h). One
 * that was not is bounded by its neighbours: IOPS grow at most as outstanding
 * does (Little's law: more in flight makes no I/O faster), may peak between
 * two measured points, do not fall when blocks get smaller, and MiB/s do not
 * fall when they get larger.
 */
#ifndef SWEEP_SEARCH_GRID_H
#define SWEEP_SEARCH_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/hist.h"
#include "engine/point.h"
#include "engine/visit.h"
#include "export/sweetspot.h"

#define SEARCH_NONE UINT32_MAX

/* All logarithms are natural. */
struct search_cell {
	const struct point *point; /* the caller's */
	uint32_t row;
	double log_outstanding;
	uint32_t done, failed;
	bool closed; /* no use visiting it: skipped, or failed too often */
	uint64_t ios, measured_ns; /* of its done visits */
	/* Only with a limit on a percentile: latencies, owned, and that
	 * percentile over the mean; NAN unknown. */
	struct hist *latency;
	double log_tail;

	/* Belief, by search_grid_believe. A point that is closed without a
	 * measurement has mid -INFINITY. */
	double mid, low, high; /* log IOPS; low, high: 95% of one point */
	double tail;	       /* log_tail, or of the nearest in its row */
};

/* The points of one block size: cells[first .. first + count], ascending. */
struct search_row {
	uint32_t first, count;
	double log_size;
	/* By search_grid_choose: its sweet point and its best, or
	 * SEARCH_NONE, and the logarithm of bytes a second there. */
	uint32_t sweet, best;
	double log_rate;
};

struct search_grid {
	struct search_cell *cells;
	uint32_t cell_count;
	struct search_row *rows; /* ascending */
	uint32_t row_count;
	struct latency_limit limit;
	struct point *points; /* copies, index = cell */
	struct visit *visits; /* of the done ones, what the analysis reads */
	uint32_t visit_count, visit_capacity;
};

/* The points that decide, as indexes of cells or SEARCH_NONE. */
struct search_choice {
	uint32_t sweet;	   /* the sweet spot */
	uint32_t best;	   /* most IOPS of its block size */
	uint32_t top;	   /* the sweet point of the size with most MiB/s */
	uint32_t top_best; /* most IOPS of that size */
};

/* points of one sweep group (group.h), in any order, which outlive the grid;
 * limit may be NULL. 0 or -ENOMEM; search_grid_fini frees in any case. */
int search_grid_init(struct search_grid *g, const struct point *const *points,
		     uint32_t count, const struct latency_limit *limit);
void search_grid_fini(struct search_grid *g);

/* Take a visit of the cell in. 0 or -ENOMEM. */
int search_grid_add(struct search_grid *g, uint32_t cell,
		    const struct visit *v);

/* Bring mid, low and high up to date. 0 or -ENOMEM. */
int search_grid_believe(struct search_grid *g);

/* The sweet spot by the definition of sweetspot.h, all cells at their mid,
 * those never measured too. */
struct search_choice search_grid_choose(struct search_grid *g);

/* What the sweet spot would be, were that cell's mid larger by so much; after
 * search_grid_choose, which it does not disturb. */
uint32_t search_grid_choose_moved(struct search_grid *g, uint32_t cell,
				  double by);

#endif
