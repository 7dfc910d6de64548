#include "export/book_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

double book_ms(double us)
{
	return us / 1000;
}

double book_value(const struct result *r, enum book_metric metric)
{
	if (!r)
		return NAN;
	switch (metric) {
	case BOOK_IOPS:
		return r->iops.value;
	case BOOK_MIBPS:
		return r->mibps.value;
	case BOOK_LATENCY:
		return book_ms(r->lat_mean_us.value);
	case BOOK_P99:
		return book_ms(r->lat_us[PCT_99].value);
	case BOOK_METRIC_COUNT:
		break;
	}
	return NAN;
}

static void title_side(const struct book_model *m, struct book_side *side,
		       bool is_base)
{
	const char *part = is_base ? "not cached" : "cached";

	if (!m->cache_effect || m->side_count > 2)
		snprintf(side->title, sizeof(side->title), "%s%s", side->label,
			 is_base && m->side_count > 2 ? " (base)" : "");
	else if (strcasecmp(side->label, part) == 0)
		snprintf(side->title, sizeof(side->title), "%s", part);
	else
		snprintf(side->title, sizeof(side->title), "%s: %s", part,
			 side->label);
}

int book_name_sides(struct book_model *m)
{
	const struct sides *sides = &m->compare.sides;
	struct point *points =
	    calloc(sides->count + (size_t)1, sizeof(*points));
	struct label_axes axes;
	uint32_t i;

	m->sides = calloc(sides->count + (size_t)1, sizeof(*m->sides));
	if (!m->sides || !points) {
		free(points);
		return -ENOMEM;
	}
	for (i = 0; i < sides->count; i++)
		points[i] = book_shown(m, &sides->sides[i].point);
	label_axes_find(points, sides->count, &axes);
	axes.target = false;
	m->side_count = sides->count;
	m->cache_effect = sides->cache_effect;
	for (i = 0; i < m->side_count; i++) {
		struct book_side *side = &m->sides[i];

		side->point = sides->sides[i].point;
		label_side(&axes, &points[i], side->label, sizeof(side->label));
		title_side(m, side, i == 0);
	}
	free(points);
	return 0;
}

/* The first pair of the group on that side; NULL: none. */
static const struct compare_pair *first_pair(const struct book_model *m,
					     const struct book_group *g,
					     uint32_t side)
{
	size_t cells = (size_t)g->grid->row_count * g->grid->column_count;
	const struct compare_pair *p = NULL;
	size_t i;

	for (i = 0; !p && i < cells; i++)
		p = compare_find(&m->compare, g->grid->cells[i], side);
	return p;
}

/* Is r one of the group's? */
static bool has_result(const struct book_model *m, const struct book_group *g,
		       uint32_t run, const struct result *r)
{
	const struct sides *s = &m->compare.sides;

	return g->run == m->runs[run] &&
	       sides_group(s, run,
			   (uint32_t)(g->grid->group - g->run->points)) ==
		   sides_group(s, run, (uint32_t)(r - g->run->results));
}

const struct book_group *book_partner(const struct book_model *m,
				      const struct book_group *g, uint32_t side)
{
	const struct compare_pair *p;
	uint32_t i;

	if (g->side == side)
		return g;
	p = g->side == 0 ? first_pair(m, g, side) : NULL;
	for (i = 0; p && i < m->group_count; i++)
		if (has_result(m, &m->groups[i], p->other_run, p->other))
			return &m->groups[i];
	return NULL;
}

const struct result *book_paired(const struct book_model *m,
				 const struct result *r, uint32_t side)
{
	const struct compare_pair *p;

	if (side == 0)
		return r;
	p = compare_find(&m->compare, r, side);
	return p ? p->other : NULL;
}

bool book_has_pairs(const struct book_model *m)
{
	return m->compare.pair_count > 0;
}

const struct result *book_sweet_of_size(const struct book_group *g,
					uint64_t block_size_bytes)
{
	uint32_t i;

	if (!g->spot)
		return NULL;
	for (i = 0; i < g->spot->size_count; i++)
		if (g->spot->sizes[i].block_size_bytes == block_size_bytes)
			return g->spot->sizes[i].sweet;
	return NULL;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double book_median_speedup(const struct book_model *m, uint32_t side,
			   uint32_t *out_pairs)
{
	const struct compare *c = &m->compare;
	double *ratios = malloc((c->pair_count + (size_t)1) * sizeof(*ratios));
	double median = NAN;
	uint32_t count = 0, i;

	for (i = 0; ratios && i < c->pair_count; i++) {
		const struct compare_pair *p = &c->pairs[i];

		if (p->side == side && isfinite(compare_ratio(p).value))
			ratios[count++] = compare_ratio(p).value;
	}
	if (count) {
		qsort(ratios, count, sizeof(*ratios), compare_double);
		median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
	}
	free(ratios);
	*out_pairs = count;
	return median;
}
