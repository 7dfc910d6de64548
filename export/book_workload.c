#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/book_limit.h"
#include "export/book_notes.h"

/* A grid with its four tables, from which its charts are drawn. */
struct block {
	const struct book_model *model;
	struct book_sheets *sheets;
	struct xlsx_sheet *sheet;
	const struct book_group *group;
	const struct grid *grid;
	const char *name;   /* of the workload */
	const char *suffix; /* of the charts' titles */
	struct book_slots slots;
	struct book_heat heat[BOOK_METRIC_COUNT];
	/* A line is a block size over outstanding; where there is only one
	 * outstanding, it is that over the block sizes. */
	bool over_sizes;
};

static struct xlsx_range cells(const struct xlsx_range *in, uint32_t row,
			       uint32_t last_row, uint32_t column,
			       uint32_t last_column)
{
	return (struct xlsx_range){
	    .sheet = in->sheet,
	    .row = row,
	    .column = column,
	    .last_row = last_row,
	    .last_column = last_column,
	};
}

/* Line n of a table. */
static struct xlsx_range line_values(const struct block *b,
				     const struct xlsx_range *t, uint32_t n)
{
	if (b->over_sizes)
		return cells(t, t->row, t->last_row, t->column + n,
			     t->column + n);
	return cells(t, t->row + n, t->row + n, t->column, t->last_column);
}

static struct xlsx_range line_name(const struct block *b,
				   const struct xlsx_range *t, uint32_t n)
{
	if (b->over_sizes)
		return cells(t, t->row - 1, t->row - 1, t->column + n,
			     t->column + n);
	return cells(t, t->row + n, t->row + n, t->column - 1, t->column - 1);
}

static struct xlsx_range categories(const struct block *b,
				    const struct xlsx_range *t)
{
	if (b->over_sizes)
		return cells(t, t->row, t->last_row, t->column - 1,
			     t->column - 1);
	return cells(t, t->row - 1, t->row - 1, t->column, t->last_column);
}

static bool line_is_known(const struct block *b, uint32_t n,
			  enum book_metric metric)
{
	const struct grid *g = b->grid;
	uint32_t count = b->over_sizes ? g->row_count : g->column_count;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct result *r =
		    b->over_sizes ? grid_at(g, i, n) : grid_at(g, n, i);

		if (isfinite(book_value(r, metric)))
			return true;
	}
	return false;
}

/* The lines of a chart: picked among those that have a value. */
static uint32_t pick_lines(const struct block *b, enum book_metric metric,
			   uint32_t lines[XLSX_SERIES_MAX])
{
	uint32_t count =
	    b->over_sizes ? b->grid->column_count : b->grid->row_count;
	uint32_t picked = book_pick(count, lines);
	uint32_t kept = 0;
	uint32_t i;

	for (i = 0; i < picked; i++)
		if (line_is_known(b, lines[i], metric))
			lines[kept++] = lines[i];
	return kept;
}

static void title_of(const struct block *b, const char *what, char *buf,
		     size_t size)
{
	snprintf(buf, size, "%s - %s", what, b->suffix);
}

static void put_chart(const struct block *b, enum book_metric metric,
		      uint32_t row, uint32_t slot)
{
	const struct book_heat *heat = &b->heat[metric];
	const struct xlsx_range over = categories(b, &heat->values);
	struct xlsx_series series[XLSX_SERIES_MAX + 1]; /* and the limit */
	struct book_extent extent = heat->extent;
	uint32_t lines[XLSX_SERIES_MAX];
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {
	    .kind = b->grid->row_count * b->grid->column_count == 1
			? XLSX_COLUMN
			: XLSX_LINE,
	    .title = title,
	    .x.title = b->over_sizes ? "Block size" : "Outstanding I/Os",
	    .y = {.title = book_metric_unit(metric),
		  .log = book_metric_is_latency(metric)},
	    .width = b->slots.columns * BOOK_CELL_PX - 4,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	};
	uint32_t i;

	chart.series_count = pick_lines(b, metric, lines);
	for (i = 0; i < chart.series_count; i++) {
		series[i].name = line_name(b, &heat->values, lines[i]);
		series[i].categories = over;
		series[i].values = line_values(b, &heat->values, lines[i]);
	}
	title_of(b, book_metric_title(metric), title, sizeof(title));
	if (!chart.series_count)
		return;
	if (book_metric_is_latency(metric) && chart.kind == XLSX_LINE)
		chart.limit_count = book_limit_over(b->model, b->sheets, &over,
						    &extent, &series[i]);
	chart.series_count += chart.limit_count;
	chart.y.low = extent.low;
	chart.y.high = extent.high;
	xlsx_chart(b->sheet, row, book_slot(&b->slots, slot), &chart);
}

/* Latency over IOPS: where the line turns up, more outstanding I/Os only wait
 * longer. */
static void put_hockey_stick(const struct block *b, uint32_t row, uint32_t slot)
{
	const struct book_heat *iops = &b->heat[BOOK_IOPS];
	const struct book_heat *latency = &b->heat[BOOK_LATENCY];
	struct xlsx_series series[XLSX_SERIES_MAX + 1]; /* and the limit */
	struct book_extent extent = latency->extent;
	uint32_t lines[XLSX_SERIES_MAX];
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {
	    .kind = XLSX_SCATTER,
	    .title = title,
	    .x = {"IOPS", true, iops->extent.low, iops->extent.high},
	    .y = {.title = book_metric_unit(BOOK_LATENCY), .log = true},
	    .width = b->slots.columns * BOOK_CELL_PX - 4,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	};
	uint32_t i;

	chart.series_count = pick_lines(b, BOOK_LATENCY, lines);
	for (i = 0; i < chart.series_count; i++) {
		series[i].name = line_name(b, &iops->values, lines[i]);
		series[i].categories = line_values(b, &iops->values, lines[i]);
		series[i].values = line_values(b, &latency->values, lines[i]);
	}
	title_of(b, "Latency over IOPS", title, sizeof(title));
	if (!chart.series_count)
		return;
	chart.limit_count =
	    book_limit_across(b->model, b->sheets, iops->extent.low,
			      iops->extent.high, &extent, &series[i]);
	chart.series_count += chart.limit_count;
	chart.y.low = extent.low;
	chart.y.high = extent.high;
	xlsx_chart(b->sheet, row, book_slot(&b->slots, slot), &chart);
}

static bool is_known(const struct grid *g, enum book_metric metric)
{
	size_t count = (size_t)g->row_count * g->column_count;
	size_t i;

	for (i = 0; i < count; i++)
		if (isfinite(book_value(g->cells[i], metric)))
			return true;
	return false;
}

/* Two tables side by side, or one below the other. Returns the next row. */
static uint32_t put_pair(struct block *b, uint32_t row, enum book_metric left,
			 enum book_metric right)
{
	uint32_t end =
	    book_put_metric(b->sheet, row, 0, b->grid, left, &b->heat[left]);
	uint32_t column = 0;

	if (!is_known(b->grid, right))
		return end + 1;
	if (b->slots.side_by_side)
		column = book_slot(&b->slots, 1);
	else
		row = end + 1;
	end = book_put_metric(b->sheet, row, column, b->grid, right,
			      &b->heat[right]);
	return end + 1;
}

static uint32_t put_tables(struct block *b, uint32_t row)
{
	row = put_pair(b, row, BOOK_IOPS, BOOK_MIBPS);
	return put_pair(b, row, BOOK_LATENCY, BOOK_P99);
}

static uint32_t put_charts(const struct block *b, uint32_t row)
{
	bool single = b->grid->row_count * b->grid->column_count == 1;

	if (!is_known(b->grid, BOOK_IOPS))
		return row;
	xlsx_break(b->sheet, row);
	put_chart(b, BOOK_IOPS, row, 0);
	put_chart(b, BOOK_MIBPS, row, 1);
	row += BOOK_CHART_ROWS;
	if (!is_known(b->grid, BOOK_LATENCY))
		return row;
	put_chart(b, BOOK_LATENCY, row, 0);
	if (!single && !b->over_sizes)
		put_hockey_stick(b, row, 1);
	return row + BOOK_CHART_ROWS;
}

static uint32_t put_words(const struct block *b, uint32_t row, bool headed)
{
	char sentence[SWEETSPOT_TEXT_MAX + LABEL_MAX];
	uint32_t last = book_slots_width(&b->slots) - 1;

	if (headed) {
		xlsx_height(b->sheet, row, 26);
		xlsx_text(b->sheet, row++, 0, XLSX_HEADING, b->group->label);
	}
	if (b->group->spot) {
		book_say_spot(b->model, b->group, b->name, sentence,
			      sizeof(sentence));
		book_put_lines(b->sheet, row++, last, last * BOOK_CELL_PX,
			       XLSX_SAYING, sentence);
	}
	return row + 1;
}

static uint32_t put_block(struct block *b, uint32_t row, bool headed)
{
	row = put_words(b, row, headed);
	if (!is_known(b->grid, BOOK_IOPS)) {
		xlsx_text(b->sheet, row, 0, XLSX_TEXT,
			  book_word(b->model, "Nothing was measured here; "
					      "Summary says why."));
		return row + 2;
	}
	if (b->grid->column_count > BOOK_COLUMNS_DRAWN) {
		xlsx_text(b->sheet, row, 0, XLSX_TEXT,
			  "Too many outstanding I/Os to be drawn; Results has "
			  "them.");
		return row + 2;
	}
	row = put_tables(b, row);
	return put_charts(b, row);
}

static uint32_t widest(const struct book_model *m, uint32_t workload)
{
	uint32_t columns = 0;
	uint32_t i;

	for (i = 0; i < m->group_count; i++)
		if (m->groups[i].workload == workload &&
		    book_is_drawn(m, &m->groups[i]) &&
		    m->groups[i].grid->column_count > columns)
			columns = m->groups[i].grid->column_count;
	return columns + 1;
}

void book_write_workload(const struct book_model *m, uint32_t workload,
			 struct book_sheets *sheets)
{
	const struct book_workload *w = &m->workloads[workload];
	struct xlsx_sheet *s = sheets->workloads[workload];
	struct book_slots slots = book_set_slots(s, widest(m, workload));
	uint32_t row =
	    book_put_title(s, m, w->name, sheets, book_slots_width(&slots) - 1);
	bool first = true;
	uint32_t i;

	for (i = 0; i < m->group_count && i < BOOK_GROUPS_DRAWN; i++) {
		const struct book_group *g = &m->groups[i];
		char suffix[BOOK_TITLE_MAX];
		struct block block = {
		    .model = m,
		    .sheets = sheets,
		    .sheet = s,
		    .group = g,
		    .grid = g->grid,
		    .name = w->name,
		    .suffix = suffix,
		    .slots = slots,
		    .over_sizes = book_is_over_sizes(g->grid),
		};
		bool headed = w->group_count > 1 && g->label[0];

		if (g->workload != workload)
			continue;
		snprintf(suffix, sizeof(suffix), "%s", w->lower);
		if (headed)
			book_append(suffix, sizeof(suffix), g->label);
		if (!first)
			xlsx_break(s, row);
		first = false;
		sheets->group_rows[i] = row;
		row = put_block(&block, row, headed);
	}
	if (i < m->group_count && m->groups[i].workload == workload)
		xlsx_text(s, row, 0, XLSX_TEXT,
			  "There is more than can be drawn; Results has it.");
}
