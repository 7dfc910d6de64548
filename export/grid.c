#include "export/grid.h"

#include <errno.h>
#include <stdlib.h>

#include "export/group.h"

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sort, keep each value once, return how many are left. */
static uint32_t distinct_u64(uint64_t *values, uint32_t count)
{
	uint32_t kept = 0;
	uint32_t i;

	qsort(values, count, sizeof(*values), compare_u64);
	for (i = 0; i < count; i++)
		if (kept == 0 || values[kept - 1] != values[i])
			values[kept++] = values[i];
	return kept;
}

static uint32_t distinct_u32(uint32_t *values, uint32_t count)
{
	uint32_t kept = 0;
	uint32_t i;

	qsort(values, count, sizeof(*values), compare_u32);
	for (i = 0; i < count; i++)
		if (kept == 0 || values[kept - 1] != values[i])
			values[kept++] = values[i];
	return kept;
}

static const struct result **cell_of(const struct grid *g,
				     const struct point *p)
{
	uint32_t outstanding = point_outstanding(p);
	const uint64_t *row =
	    bsearch(&p->workload.stream.block_size_bytes, g->block_sizes,
		    g->row_count, sizeof(*g->block_sizes), compare_u64);
	const uint32_t *column =
	    bsearch(&outstanding, g->outstandings, g->column_count,
		    sizeof(*g->outstandings), compare_u32);

	return &g->cells[(size_t)(row - g->block_sizes) * g->column_count +
			 (size_t)(column - g->outstandings)];
}

/* members: the results of one group, in the order of the plan; count > 0. */
static int fill(struct grid *g, const struct result *const *members,
		uint32_t count)
{
	uint32_t i;

	g->group = members[0]->point;
	g->block_sizes = calloc(count, sizeof(*g->block_sizes));
	g->outstandings = calloc(count, sizeof(*g->outstandings));
	if (!g->block_sizes || !g->outstandings)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct point *p = members[i]->point;

		g->block_sizes[i] = p->workload.stream.block_size_bytes;
		g->outstandings[i] = point_outstanding(p);
	}
	g->row_count = distinct_u64(g->block_sizes, count);
	g->column_count = distinct_u32(g->outstandings, count);
	g->cells = calloc((size_t)g->row_count * g->column_count,
			  sizeof(const struct result *));
	if (!g->cells)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct result **cell = cell_of(g, members[i]->point);

		if (!*cell)
			*cell = members[i];
	}
	return 0;
}

/* The results sorted into their groups, one group behind the other, each in
 * the order of the plan; ends[g] is where group g ends. */
static const struct result **by_group(const struct run *run,
				      const uint32_t *group_of,
				      uint32_t group_count, uint32_t *ends)
{
	const struct result **sorted =
	    calloc(run->point_count + 1, sizeof(*sorted));
	uint32_t i, start = 0;

	if (!sorted)
		return NULL;
	for (i = 0; i < run->point_count; i++)
		ends[group_of[i]]++;
	for (i = 0; i < group_count; i++) {
		uint32_t count = ends[i];

		ends[i] = start;
		start += count;
	}
	for (i = 0; i < run->point_count; i++)
		sorted[ends[group_of[i]]++] = &run->results[i];
	return sorted;
}

static int build(const struct run *run, const uint32_t *group_of,
		 uint32_t group_count, struct grid_list *out)
{
	uint32_t *ends = calloc(group_count + 1, sizeof(*ends));
	const struct result **sorted =
	    ends ? by_group(run, group_of, group_count, ends) : NULL;
	uint32_t start = 0;
	int rc = sorted ? 0 : -ENOMEM;

	out->grids = calloc(group_count + 1, sizeof(*out->grids));
	if (!out->grids)
		rc = -ENOMEM;
	while (!rc && out->count < group_count) {
		uint32_t end = ends[out->count];

		rc = fill(&out->grids[out->count++], sorted + start,
			  end - start);
		start = end;
	}
	free(sorted);
	free(ends);
	return rc;
}

int grid_build(const struct run *run, struct grid_list *out)
{
	uint32_t *group_of = calloc(run->point_count + 1, sizeof(*group_of));
	struct grid_list list = {NULL, 0};
	int rc = -ENOMEM;

	if (group_of)
		rc = group_by_sweep(run->points, run->point_count, group_of);
	if (rc >= 0)
		rc = build(run, group_of, (uint32_t)rc, &list);
	free(group_of);
	if (rc)
		grid_free(&list);
	else
		*out = list;
	return rc;
}

void grid_free(struct grid_list *list)
{
	uint32_t i;

	for (i = 0; i < list->count; i++) {
		free(list->grids[i].block_sizes);
		free(list->grids[i].outstandings);
		free(list->grids[i].cells);
	}
	free(list->grids);
	list->grids = NULL;
	list->count = 0;
}
