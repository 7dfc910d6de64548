#include "export/book_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* More would be no picture any more. */
#define LEVELS_MAX 2000

static bool has_partner(const struct book_model *m, const struct book_group *g)
{
	uint32_t side;

	for (side = 1; side < m->side_count; side++)
		if (book_partner(m, g, side))
			return true;
	return false;
}

/* Group g with its partners on the other sides. */
static void gather(const struct book_model *m, const struct book_group *g,
		   struct book_compare *c)
{
	uint32_t side;

	c->count = 0;
	for (side = 0; side < m->side_count && c->count < XLSX_SERIES_MAX;
	     side++) {
		const struct book_group *partner = book_partner(m, g, side);

		if (!partner)
			continue;
		c->members[c->count] = partner;
		c->names[c->count++] = m->sides[side].title;
	}
}

struct ratio {
	const struct book_model *model;
	uint32_t side;
	enum compare_metric metric;
};

/* How many times better the other side is. */
static double ratio_cell(const void *arg, const struct result *r)
{
	const struct ratio *ratio = arg;
	const struct compare_pair *p =
	    compare_find(&ratio->model->compare, r, ratio->side);

	return p ? p->ratio[ratio->metric].value : NAN;
}

static uint32_t put_ratio(const struct book_compare *c, uint32_t member,
			  enum compare_metric metric, uint32_t row,
			  uint32_t column)
{
	struct ratio ratio = {c->model, c->members[member]->side, metric};
	char caption[BOOK_TITLE_MAX];
	struct book_heat heat = {
	    .caption = caption,
	    .colors = XLSX_HEAT_SPEEDUP,
	    .style = XLSX_RATIO,
	    .best_style = XLSX_RATIO_BEST,
	};

	snprintf(caption, sizeof(caption), "%s, %s,",
		 metric == COMPARE_IOPS ? "IOPS ratio" : "Latency ratio",
		 c->names[member]);
	return book_put_heat(c->sheet, row, column, c->members[0]->grid, &heat,
			     ratio_cell, &ratio);
}

static uint32_t put_ratios(const struct book_compare *c, uint32_t row)
{
	uint32_t k;

	for (k = 1; k < c->count; k++) {
		uint32_t end = put_ratio(c, k, COMPARE_IOPS, row, 0);
		uint32_t column = 0;

		if (c->slots.side_by_side)
			column = book_slot(&c->slots, 1);
		else
			row = end + 1;
		row = put_ratio(c, k, COMPARE_LATENCY, row, column) + 1;
	}
	return row;
}

/* Every level, on the sheet of data: block size and outstanding in two
 * columns, the sizes apart by an empty row; a column of values a side. Returns
 * the row behind. */
static uint32_t put_levels(const struct book_compare *c, struct xlsx_sheet *s,
			   uint32_t row)
{
	const struct grid *g = c->members[0]->grid;
	char size[UNITS_TEXT_MAX];
	uint32_t r, o, k;

	for (r = 0; r < g->row_count; r++) {
		xlsx_text(s, row, 0, XLSX_LABEL,
			  units_format_size(size, g->block_sizes[r]));
		for (o = 0; o < g->column_count; o++, row++) {
			const struct result *base = grid_at(g, r, o);

			xlsx_number(s, row, 1, XLSX_INTEGER,
				    g->outstandings[o]);
			for (k = 0; k < c->count; k++)
				xlsx_number(
				    s, row, 2 + k, XLSX_NUMBER,
				    book_value(book_paired(c->model, base,
							   c->members[k]->side),
					       BOOK_MIBPS));
		}
		row++;
	}
	return row - 1;
}

static void put_levels_head(const struct book_compare *c, struct xlsx_sheet *s,
			    uint32_t row)
{
	char caption[BOOK_TITLE_MAX];
	uint32_t k;

	snprintf(caption, sizeof(caption), "MiB/s - %s, every level",
		 c->suffix);
	xlsx_text(s, row, 0, XLSX_CAPTION, caption);
	xlsx_text(s, row + 1, 0, XLSX_HEAD, "Block size");
	xlsx_text(s, row + 1, 1, XLSX_HEAD_NUMBER, "Outstanding");
	for (k = 0; k < c->count; k++)
		xlsx_text(s, row + 1, 2 + k, XLSX_HEAD_NUMBER, c->names[k]);
}

/* Draw rows first to last of the sheet of data. */
static void put_levels_chart(const struct book_compare *c,
			     const struct xlsx_sheet *data, uint32_t row,
			     uint32_t first, uint32_t last)
{
	struct xlsx_series series[XLSX_SERIES_MAX];
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {
	    .kind = XLSX_COLUMN,
	    .palette = c->palette,
	    .title = title,
	    .x.title = "Block size and outstanding I/Os",
	    .y.title = book_metric_unit(BOOK_MIBPS),
	    .width = (book_slots_width(&c->slots) - 1) * BOOK_CELL_PX,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	    .series_count = c->count,
	};
	uint32_t k;

	for (k = 0; k < c->count; k++) {
		series[k].name = (struct xlsx_range){data, first - 1, 2 + k,
						     first - 1, 2 + k};
		series[k].categories =
		    (struct xlsx_range){data, first, 0, last, 1};
		series[k].values =
		    (struct xlsx_range){data, first, 2 + k, last, 2 + k};
	}
	snprintf(title, sizeof(title), "MB/s - %s, every level", c->suffix);
	xlsx_chart(c->sheet, row, 0, &chart);
}

static uint32_t put_every_level(const struct book_compare *c,
				struct book_sheets *sheets, uint32_t row)
{
	const struct grid *g = c->members[0]->grid;
	uint64_t levels = (uint64_t)g->row_count * (g->column_count + 1);
	uint32_t first = sheets->data_row + 2;
	uint32_t end;

	/* One level is on the charts above. */
	if (g->row_count * g->column_count < 2 || levels > LEVELS_MAX ||
	    !isfinite(c->extents[BOOK_MIBPS].high))
		return row;
	put_levels_head(c, sheets->data, sheets->data_row);
	end = put_levels(c, sheets->data, first);
	sheets->data_row = end + 2;
	xlsx_break(c->sheet, row);
	put_levels_chart(c, sheets->data, row, first, end - 1);
	return row + BOOK_CHART_ROWS;
}

/* Everything of one workload on one target. */
static uint32_t put_block(const struct book_model *m,
			  const struct book_group *g, struct book_compare *c,
			  struct book_sheets *sheets, uint32_t row)
{
	const struct book_workload *w = &m->workloads[g->workload];
	const char *place =
	    m->target_count > 1 ? m->targets[g->target].label : "";
	char heading[BOOK_TITLE_MAX], suffix[BOOK_TITLE_MAX];

	snprintf(heading, sizeof(heading), "%s", w->name);
	book_append(heading, sizeof(heading), place);
	snprintf(suffix, sizeof(suffix), "%s", w->lower);
	book_append(suffix, sizeof(suffix), place);
	c->suffix = suffix;
	gather(m, g, c);
	xlsx_height(c->sheet, row, 26);
	xlsx_text(c->sheet, row, 0, XLSX_HEADING, heading);
	row = book_put_findings(c, g, row + 1);
	row = book_put_compare(c, row);
	row = put_ratios(c, row);
	row = book_put_compare_charts(c, row);
	row = put_every_level(c, sheets, row);
	return book_put_pairs(c, row);
}

static bool belongs(const struct book_model *m, const struct book_group *g,
		    enum book_pattern pattern)
{
	return g->side == 0 && book_is_drawn(m, g) &&
	       book_pattern_of(&g->point) == pattern && has_partner(m, g);
}

/* Columns of the widest heat map. */
static uint32_t widest(const struct book_model *m, enum book_pattern pattern)
{
	uint32_t columns = 0;
	uint32_t i;

	for (i = 0; i < m->group_count; i++)
		if (belongs(m, &m->groups[i], pattern) &&
		    m->groups[i].grid->column_count > columns)
			columns = m->groups[i].grid->column_count;
	return columns + 1;
}

static void explain(const struct book_model *m, char *buf, size_t size)
{
	const char *base = m->sides[0].label;

	snprintf(buf, size,
		 "Each pair has the same workload and outstanding "
		 "I/Os; the table and its charts stand, for each block size, "
		 "at the smallest outstanding with 95%% of the best IOPS of "
		 "\"%s\". A ratio above 1 is better than \"%s\": more IOPS, "
		 "less latency.",
		 base, base);
}

void book_write_sides(const struct book_model *m, enum book_pattern pattern,
		      struct book_sheets *sheets)
{
	static const char *const patterns[BOOK_PATTERN_COUNT] = {
	    "sequential", "random", "mixed"};
	struct xlsx_sheet *s = sheets->sides[pattern];
	struct book_compare c = {
	    .model = m,
	    .sheet = s,
	    .slots = book_set_slots(s, widest(m, pattern)),
	    .paired = true,
	    .palette = XLSX_PALETTE_SIDES,
	};
	uint32_t last = book_slots_width(&c.slots) - 1;
	char text[BOOK_TITLE_MAX];
	uint32_t row, i;
	bool first = true;

	snprintf(text, sizeof(text), "%s - %s",
		 m->cache_effect ? "Cache effect" : "Compare variants",
		 patterns[pattern]);
	row = book_put_title(s, m, text, sheets, last);
	explain(m, text, sizeof(text));
	book_put_lines(s, row++, last, last * BOOK_CELL_PX, XLSX_WRAP, text);
	row = book_put_caveats(&c, row);
	for (i = 0; i < m->group_count; i++) {
		if (!belongs(m, &m->groups[i], pattern))
			continue;
		if (!first)
			xlsx_break(s, row);
		first = false;
		row = put_block(m, &m->groups[i], &c, sheets, row) + 1;
	}
}
