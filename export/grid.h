/*
 * grid: the results of one group as a table, block size down, outstanding
 * across, with a hole (NULL) where nothing was planned. Heat maps and charts
 * of book and terminal are drawn from it.
 */
#ifndef EXPORT_GRID_H
#define EXPORT_GRID_H

#include <stdint.h>

#include "export/result.h"
#include "export/sweetspot.h"

struct grid {
	const struct point *group; /* first point of the group */
	uint64_t *block_sizes;	   /* ascending */
	uint32_t row_count;
	uint32_t *outstandings; /* ascending */
	uint32_t column_count;
	const struct result **cells; /* row-major; NULL: not planned */
};

struct grid_list {
	struct grid *grids;
	uint32_t count;
};

/* One grid a group, in order of first appearance. Where several points of a
 * group share size and outstanding (threads as an axis) each thread count is
 * a grid of its own. 0 or -ENOMEM. */
int grid_build(const struct run *run, struct grid_list *out);
void grid_free(struct grid_list *list);

static inline const struct result *grid_at(const struct grid *g, uint32_t row,
					   uint32_t column)
{
	return g->cells[(size_t)row * g->column_count + column];
}

#endif
