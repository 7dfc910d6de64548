#include "export/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define THREE_WAY(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_storage(const struct point *a, const struct point *b)
{
	int d = strcmp(a->target, b->target);

	if (!d)
		d = strcmp(a->variant, b->variant);
	if (!d)
		d = THREE_WAY(a->cache, b->cache);
	return d ? d
		 : THREE_WAY(a->workload.rate_iops > 0,
			     b->workload.rate_iops > 0);
}

static int compare_sweep(const struct point *a, const struct point *b)
{
	int d = compare_storage(a, b);

	if (!d)
		d = THREE_WAY(a->engine, b->engine);
	if (!d)
		d = strcmp(a->section, b->section);
	return d ? d : workload_compare_sweep(&a->workload, &b->workload);
}

bool group_same_sweep(const struct point *a, const struct point *b)
{
	return compare_sweep(a, b) == 0;
}

static int by_storage(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	int d = compare_storage(p, q);

	/* An array's elements: the address tells the earlier one. */
	return d ? d : THREE_WAY(p, q);
}

/* Points of one size and outstanding of a sweep group become neighbours. */
static int by_sweep(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	uint32_t m = point_outstanding(p), n = point_outstanding(q);
	int d = compare_sweep(p, q);

	if (!d)
		d = THREE_WAY(p->workload.stream.block_size_bytes,
			      q->workload.stream.block_size_bytes);
	if (!d)
		d = THREE_WAY(m, n);
	return d ? d : THREE_WAY(p, q);
}

static int by_sweep_and_threads(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	int d = compare_sweep(p, q);

	if (!d)
		d = THREE_WAY(p->workload.threads, q->workload.threads);
	return d ? d : THREE_WAY(p, q);
}

/* End of the sweep group that begins at sorted[begin]. */
static uint32_t sweep_end(const struct point *const *sorted, uint32_t count,
			  uint32_t begin)
{
	uint32_t end = begin + 1;

	while (end < count && group_same_sweep(sorted[begin], sorted[end]))
		end++;
	return end;
}

static bool threads_are_an_axis(const struct point *const *sorted,
				uint32_t count)
{
	uint32_t i;

	for (i = 1; i < count; i++) {
		const struct point *a = sorted[i - 1], *b = sorted[i];

		if (a->workload.stream.block_size_bytes ==
			b->workload.stream.block_size_bytes &&
		    point_outstanding(a) == point_outstanding(b) &&
		    a->workload.threads != b->workload.threads)
			return true;
	}
	return false;
}

/* Give the sorted points from begin to end one number, a provisional one: the
 * index of the first of them in the plan. */
static void mark(const struct point *points, const struct point *const *sorted,
		 uint32_t begin, uint32_t end, uint32_t *group_of)
{
	const struct point *first = sorted[begin];
	uint32_t i;

	for (i = begin; i < end; i++)
		if (sorted[i] < first)
			first = sorted[i];
	for (i = begin; i < end; i++)
		group_of[sorted[i] - points] = (uint32_t)(first - points);
}

static void mark_sweep(const struct point *points, const struct point **sorted,
		       uint32_t count, uint32_t *group_of)
{
	uint32_t begin, end;

	if (!threads_are_an_axis(sorted, count)) {
		mark(points, sorted, 0, count, group_of);
		return;
	}
	qsort(sorted, count, sizeof(*sorted), by_sweep_and_threads);
	for (begin = 0; begin < count; begin = end) {
		end = begin + 1;
		while (end < count && sorted[begin]->workload.threads ==
					  sorted[end]->workload.threads)
			end++;
		mark(points, sorted, begin, end, group_of);
	}
}

/* From "index of the first point" to 0, 1, 2 ... by first appearance: a
 * first point comes before all others of its group. */
static int renumber(uint32_t count, uint32_t *group_of)
{
	uint32_t groups = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		group_of[i] =
		    group_of[i] == i ? groups++ : group_of[group_of[i]];
	return (int)groups;
}

static const struct point **
sorted_points(const struct point *points, uint32_t count,
	      int (*compare)(const void *, const void *))
{
	const struct point **sorted = malloc((count + 1) * sizeof(*sorted));
	uint32_t i;

	if (!sorted)
		return NULL;
	for (i = 0; i < count; i++)
		sorted[i] = &points[i];
	qsort(sorted, count, sizeof(*sorted), compare);
	return sorted;
}

int group_by_sweep(const struct point *points, uint32_t count,
		   uint32_t *group_of)
{
	const struct point **sorted = sorted_points(points, count, by_sweep);
	uint32_t begin, end;

	if (!sorted)
		return -ENOMEM;
	for (begin = 0; begin < count; begin = end) {
		end = sweep_end(sorted, count, begin);
		mark_sweep(points, sorted + begin, end - begin, group_of);
	}
	free(sorted);
	return renumber(count, group_of);
}

int group_by_storage(const struct point *points, uint32_t count,
		     uint32_t *group_of)
{
	const struct point **sorted = sorted_points(points, count, by_storage);
	uint32_t begin, end;

	if (!sorted)
		return -ENOMEM;
	for (begin = 0; begin < count; begin = end) {
		end = begin + 1;
		while (end < count &&
		       compare_storage(sorted[begin], sorted[end]) == 0)
			end++;
		mark(points, sorted, begin, end, group_of);
	}
	free(sorted);
	return renumber(count, group_of);
}
