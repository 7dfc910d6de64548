#include "export/book_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* Working sets of one load: the groups that differ in nothing else. */
#define SETS_MAX 64

struct curve {
	const struct book_group *set[SETS_MAX]; /* ascending, the whole last */
	uint32_t count;
	uint32_t sizes[XLSX_SERIES_MAX]; /* rows of the grids: block sizes */
	uint32_t size_count;
};

/* What is shown over the working sets. */
enum { RATE, HITS, METRICS };

static const struct {
	const char *caption, *axis;
	enum xlsx_style style;
} shown[METRICS] = {
    [RATE] = {"IOPS", "IOPS", XLSX_NUMBER},
    [HITS] = {"Hit %", "Hit %", XLSX_PERCENT},
};

static double value_of(const struct result *r, int metric)
{
	if (!r || !r->done)
		return NAN;
	return metric == RATE ? r->iops.value : r->total.hit_pct;
}

static bool same_but_set(const struct book_group *a, const struct book_group *b)
{
	struct workload x = a->point.workload, y = b->point.workload;

	x.working_set_bytes = y.working_set_bytes = 0;
	return a->run == b->run && a->workload == b->workload &&
	       a->side == b->side && a->target == b->target &&
	       a->point.engine == b->point.engine && x.threads == y.threads &&
	       workload_compare_sweep(&x, &y) == 0;
}

/* The whole target, 0, is the largest. */
static bool is_smaller(const struct book_group *a, const struct book_group *b)
{
	return a->point.workload.working_set_bytes - 1 <
	       b->point.workload.working_set_bytes - 1;
}

static void insert(struct curve *c, const struct book_group *g)
{
	uint32_t at = c->count++;

	for (; at > 0 && is_smaller(g, c->set[at - 1]); at--)
		c->set[at] = c->set[at - 1];
	c->set[at] = g;
}

/* Groups like number first; none when an earlier one has gathered them. */
static void gather(const struct book_model *m, uint32_t first, struct curve *c)
{
	const struct book_group *g = &m->groups[first];
	uint32_t i;

	c->count = 0;
	for (i = 0; i < m->group_count; i++) {
		if (!same_but_set(&m->groups[i], g))
			continue;
		if (i < first) {
			c->count = 0;
			return;
		}
		if (c->count < SETS_MAX)
			insert(c, &m->groups[i]);
	}
	c->size_count = book_pick(c->set[0]->grid->row_count, c->sizes);
}

bool book_has_working_sets(const struct book_model *m)
{
	struct curve c;
	uint32_t i;

	for (i = 0; i < m->group_count; i++) {
		gather(m, i, &c);
		if (c.count > 1)
			return true;
	}
	return false;
}

static uint32_t most_outstanding(const struct grid *g)
{
	return g->outstandings[g->column_count - 1];
}

/* Of the block size of that row of the first grid, at the most outstanding. */
static const struct result *result_of(const struct curve *c, uint32_t set,
				      uint32_t size_row)
{
	const struct grid *g = c->set[set]->grid;
	uint64_t size = c->set[0]->grid->block_sizes[size_row];
	uint32_t row;

	for (row = 0; row < g->row_count; row++)
		if (g->block_sizes[row] == size)
			return grid_at(g, row, g->column_count - 1);
	return NULL;
}

static void put_row(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		    const struct curve *c, uint32_t set, int metric,
		    struct book_extent *extent)
{
	uint64_t bytes = c->set[set]->point.workload.working_set_bytes;
	char text[UNITS_TEXT_MAX];
	uint32_t k;

	xlsx_text(s, row, column, XLSX_RIGHT,
		  bytes ? units_format_size(text, bytes) : "whole");
	for (k = 0; k < c->size_count; k++) {
		double value = value_of(result_of(c, set, c->sizes[k]), metric);

		xlsx_number(s, row, column + 1 + k, shown[metric].style, value);
		book_extend(extent, value);
	}
}

static void put_head(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		     const struct curve *c, int metric)
{
	const struct grid *g = c->set[0]->grid;
	char text[UNITS_TEXT_MAX];
	uint32_t k;

	xlsx_text(s, row, column, XLSX_CAPTION, shown[metric].caption);
	xlsx_text(s, row + 1, column, XLSX_HEAD, "Working set");
	for (k = 0; k < c->size_count; k++)
		xlsx_text(s, row + 1, column + 1 + k, XLSX_HEAD_NUMBER,
			  units_format_size(text, g->block_sizes[c->sizes[k]]));
}

static void put_chart(struct xlsx_sheet *s, const struct curve *c,
		      const struct xlsx_range *values, int metric,
		      const char *suffix, const struct book_place *place)
{
	struct xlsx_series series[XLSX_SERIES_MAX];
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {
	    .kind = XLSX_LINE,
	    .title = title,
	    .x.title = "Working set",
	    .y = {shown[metric].axis, false, NAN, NAN},
	    .width = place->width,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	    .series_count = c->size_count,
	};
	uint32_t k;

	for (k = 0; k < c->size_count; k++) {
		uint32_t column = values->column + 1 + k;

		series[k].name = (struct xlsx_range){s, values->row - 1, column,
						     values->row - 1, column};
		series[k].categories =
		    (struct xlsx_range){s, values->row, values->column,
					values->last_row, values->column};
		series[k].values = (struct xlsx_range){
		    s, values->row, column, values->last_row, column};
	}
	snprintf(title, sizeof(title), "%s over working set - %s",
		 shown[metric].caption, suffix);
	xlsx_chart(s, place->row, place->column, &chart);
}

/* Table and chart of one metric in one slot. */
static void put_metric(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       uint32_t width, const struct curve *c, int metric,
		       const char *suffix)
{
	struct xlsx_range values = {s, row + 2, column, row + 1 + c->count,
				    column + c->size_count};
	struct book_place place = {values.last_row + 2, column, width};
	struct book_extent extent = {NAN, NAN};
	uint32_t i;

	put_head(s, row, column, c, metric);
	for (i = 0; i < c->count; i++)
		put_row(s, row + 2 + i, column, c, i, metric, &extent);
	put_chart(s, c, &values, metric, suffix, &place);
}

static bool has_hits(const struct curve *c)
{
	uint32_t i, k;

	for (i = 0; i < c->count; i++)
		for (k = 0; k < c->size_count; k++)
			if (isfinite(
				value_of(result_of(c, i, c->sizes[k]), HITS)))
				return true;
	return false;
}

static uint32_t put_curve(const struct book_model *m, struct xlsx_sheet *s,
			  const struct book_slots *slots, uint32_t row,
			  const struct curve *c)
{
	const struct book_group *g = c->set[0];
	const struct book_workload *w = &m->workloads[g->workload];
	uint32_t width = slots->columns * BOOK_CELL_PX - 4;
	char heading[BOOK_TITLE_MAX], suffix[BOOK_TITLE_MAX], load[48];

	snprintf(heading, sizeof(heading), "%s", w->name);
	snprintf(suffix, sizeof(suffix), "%s", w->lower);
	if (m->side_count > 1) {
		book_append(heading, sizeof(heading), m->sides[g->side].label);
		book_append(suffix, sizeof(suffix), m->sides[g->side].label);
	}
	if (m->target_count > 1)
		book_append(heading, sizeof(heading),
			    m->targets[g->target].label);
	snprintf(load, sizeof(load), "%u outstanding",
		 most_outstanding(g->grid));
	book_append(heading, sizeof(heading), load);
	xlsx_height(s, row, 26);
	xlsx_text(s, row, 0, XLSX_HEADING, heading);
	put_metric(s, row + 1, book_slot(slots, 0), width, c, RATE, suffix);
	if (has_hits(c))
		put_metric(s, row + 1, book_slot(slots, 1), width, c, HITS,
			   suffix);
	return row + 4 + c->count + BOOK_CHART_ROWS;
}

void book_write_working_sets(const struct book_model *m,
			     struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->working_sets;
	struct book_slots slots = book_set_slots(s, XLSX_SERIES_MAX / 2 + 1);
	uint32_t row = book_put_title(s, m, "Working set", sheets,
				      book_slots_width(&slots) - 1);
	struct curve c;
	uint32_t i;

	xlsx_text(s, row - 1, 0, XLSX_NOTE,
		  "Where a cache ends: IOPS and the share that it served, over "
		  "the part of the target that is used.");
	row++;
	for (i = 0; i < m->group_count; i++) {
		gather(m, i, &c);
		if (c.count < 2)
			continue;
		if (c.size_count > slots.columns - 1)
			c.size_count = slots.columns - 1;
		row = put_curve(m, s, &slots, row, &c);
	}
}
