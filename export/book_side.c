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

bool book_same_side(const struct point *a, const struct point *b)
{
	return a->cache == b->cache && strcmp(a->variant, b->variant) == 0;
}

/* Words for storage without its cache: 2; with it: -2; other names: 0. */
static int cache_word(const char *variant)
{
	static const char *const without[] = {
	    "baseline",	  "base",	"before",    "uncached",
	    "not cached", "not-cached", "no cache",  "no-cache",
	    "nocache",	  "cache off",	"cache-off",
	};
	size_t i;

	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (strcasecmp(variant, without[i]) == 0)
			return 2;
	return strcasestr(variant, "cache") ? -2 : 0;
}

static bool goes_past_page_cache(enum cache_mode mode)
{
	return mode == CACHE_DIRECT || mode == CACHE_DIRECT_DSYNC;
}

/* The more, the better a side is as the one to compare with. */
static int base_score(const struct point *p)
{
	return cache_word(p->variant) +
	       (goes_past_page_cache(p->cache) ? 1 : 0);
}

static bool is_cached_of(const struct point *base, const struct point *other)
{
	return cache_word(base->variant) > 0 ||
	       cache_word(other->variant) < 0 ||
	       (goes_past_page_cache(base->cache) &&
		!goes_past_page_cache(other->cache));
}

static void base_to_front(struct book_model *m)
{
	struct book_side base;
	uint32_t best = 0;
	uint32_t i;

	for (i = 1; i < m->side_count; i++)
		if (base_score(&m->sides[i].point) >
		    base_score(&m->sides[best].point))
			best = i;
	if (best == 0)
		return;
	base = m->sides[best];
	memmove(&m->sides[1], &m->sides[0], best * sizeof(base));
	m->sides[0] = base;
}

static uint32_t side_of(const struct book_model *m, const struct point *p)
{
	uint32_t i;

	for (i = 0; i < m->side_count; i++)
		if (book_same_side(&m->sides[i].point, p))
			break;
	return i;
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

static void name_sides(struct book_model *m)
{
	struct label_axes axes = {.variant = false};
	uint32_t i;

	for (i = 1; i < m->side_count; i++) {
		const struct point *base = &m->sides[0].point;
		const struct point *p = &m->sides[i].point;

		axes.variant |= strcmp(base->variant, p->variant) != 0;
		axes.cache |= base->cache != p->cache;
		m->cache_effect |= is_cached_of(base, p);
	}
	for (i = 0; i < m->side_count; i++) {
		struct book_side *side = &m->sides[i];
		struct point shown = book_shown(m, &side->point);

		label_side(&axes, &shown, side->label, sizeof(side->label));
		title_side(m, side, i == 0);
	}
}

int book_find_sides(struct book_model *m)
{
	uint32_t i;

	m->sides = calloc(m->group_count + 1, sizeof(*m->sides));
	if (!m->sides)
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++)
		if (side_of(m, &m->groups[i].point) == m->side_count)
			m->sides[m->side_count++].point = m->groups[i].point;
	base_to_front(m);
	for (i = 0; i < m->group_count; i++)
		m->groups[i].side = side_of(m, &m->groups[i].point);
	name_sides(m);
	return 0;
}

static bool same_setting(const struct point *a, const struct point *b)
{
	return workload_compare_sweep(&a->workload, &b->workload) == 0 &&
	       a->workload.threads == b->workload.threads;
}

/* A cache may be a device of its own in front of the disk: /dev/sdb and
 * /dev/bcache0 are then two sides, if their names say so. */
static bool may_cross_targets(const struct point *a, const struct point *b)
{
	return cache_word(a->variant) * cache_word(b->variant) < 0;
}

const struct book_group *book_partner(const struct book_model *m,
				      const struct book_group *g, uint32_t side)
{
	const struct book_group *elsewhere = NULL;
	uint32_t i;

	if (g->side == side)
		return g;
	for (i = 0; i < m->group_count; i++) {
		const struct book_group *o = &m->groups[i];

		if (o->workload != g->workload || o->side != side ||
		    !same_setting(&o->point, &g->point))
			continue;
		if (strcmp(o->point.target, g->point.target) == 0)
			return o;
		if (!elsewhere && may_cross_targets(&g->point, &o->point))
			elsewhere = o;
	}
	return elsewhere;
}

static const struct result *find_cell(const struct grid *g, uint64_t size,
				      uint32_t outstanding)
{
	uint32_t row, column;

	for (row = 0; row < g->row_count; row++)
		if (g->block_sizes[row] == size)
			break;
	for (column = 0; column < g->column_count; column++)
		if (g->outstandings[column] == outstanding)
			break;
	if (row == g->row_count || column == g->column_count)
		return NULL;
	return grid_at(g, row, column);
}

const struct result *book_paired(const struct book_group *g,
				 const struct result *r)
{
	char ours[POINT_KEY_MAX], theirs[POINT_KEY_MAX];
	const struct result *found;

	if (!r)
		return NULL;
	found = find_cell(g->grid, r->point->workload.stream.block_size_bytes,
			  point_outstanding(r->point));
	if (!found)
		return NULL;
	point_pair_key(r->point, ours, sizeof(ours));
	point_pair_key(found->point, theirs, sizeof(theirs));
	return strcmp(ours, theirs) == 0 ? found : NULL;
}

bool book_has_pairs(const struct book_model *m)
{
	uint32_t i, side;

	for (i = 0; i < m->group_count; i++)
		for (side = 1; side < m->side_count; side++)
			if (m->groups[i].side == 0 &&
			    book_partner(m, &m->groups[i], side))
				return true;
	return false;
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

/* Append the ratio of every measured pair of g and its partner. */
static uint32_t add_ratios(const struct book_group *g,
			   const struct book_group *partner, double *ratios)
{
	size_t count = (size_t)g->grid->row_count * g->grid->column_count;
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct result *base = g->grid->cells[i];
		double ratio =
		    book_value(book_paired(partner, base), BOOK_IOPS) /
		    book_value(base, BOOK_IOPS);

		if (isfinite(ratio))
			ratios[n++] = ratio;
	}
	return n;
}

double book_median_speedup(const struct book_model *m, uint32_t side,
			   uint32_t *out_pairs)
{
	double *ratios = NULL;
	double median = NAN;
	uint32_t count = 0;
	uint32_t i;

	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];
		const struct book_group *partner =
		    g->side == 0 ? book_partner(m, g, side) : NULL;
		double *grown;

		if (!partner)
			continue;
		grown = realloc(ratios, (count + (size_t)g->grid->row_count *
						     g->grid->column_count) *
					    sizeof(*ratios));
		if (!grown)
			break;
		ratios = grown;
		count += add_ratios(g, partner, ratios + count);
	}
	if (count) {
		qsort(ratios, count, sizeof(*ratios), compare_double);
		median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
	}
	free(ratios);
	*out_pairs = count;
	return median;
}
