#include "export/book_compare.h"

#include <math.h>
#include <stdio.h>

#include "engine/units.h"

/* In the order of columns and charts. */
static const enum book_metric order[] = {BOOK_LATENCY, BOOK_MIBPS, BOOK_IOPS,
					 BOOK_P99};
#define METRICS (sizeof(order) / sizeof(order[0]))
#define GROUP_HEIGHT 40
#define HEAD_HEIGHT 62

static uint32_t column_of(const struct book_compare *c, size_t metric,
			  uint32_t member)
{
	return 2 + (uint32_t)metric * c->count + member;
}

static const struct result *result_of(const struct book_compare *c,
				      uint64_t size, uint32_t member)
{
	if (!c->paired)
		return book_sweet_of_size(c->members[member], size);
	return book_paired(c->model, book_sweet_of_size(c->members[0], size),
			   c->members[member]->side);
}

/* Others against the base behind the metrics: more IOPS, less latency. */
static uint32_t ratio_column(const struct book_compare *c, uint32_t which,
			     uint32_t member)
{
	return 2 + (uint32_t)METRICS * c->count + which * (c->count - 1) +
	       member - 1;
}

static void put_head(const struct book_compare *c, uint32_t row)
{
	static const char *const ratios[] = {"IOPS ratio", "Latency ratio"};
	uint32_t k, which;
	size_t i;

	xlsx_height(c->sheet, row, GROUP_HEIGHT);
	xlsx_height(c->sheet, row + 1, HEAD_HEIGHT);
	xlsx_wide_text(c->sheet, row, 0, 1, XLSX_HEAD_GROUP, "");
	xlsx_text(c->sheet, row + 1, 0, XLSX_HEAD, "Size");
	xlsx_text(c->sheet, row + 1, 1, XLSX_HEAD_NUMBER,
		  c->paired ? "Outst. I/Os" : "");
	for (i = 0; i < METRICS; i++) {
		xlsx_wide_text(c->sheet, row, column_of(c, i, 0),
			       column_of(c, i, c->count - 1), XLSX_HEAD_GROUP,
			       book_metric_unit(order[i]));
		for (k = 0; k < c->count; k++)
			xlsx_text(c->sheet, row + 1, column_of(c, i, k),
				  XLSX_HEAD_NUMBER, c->names[k]);
	}
	for (which = 0; which < 2; which++)
		for (k = 1; k < c->count; k++) {
			uint32_t column = ratio_column(c, which, k);

			if (k == 1)
				xlsx_wide_text(
				    c->sheet, row, column,
				    ratio_column(c, which, c->count - 1),
				    XLSX_HEAD_GROUP, ratios[which]);
			xlsx_text(c->sheet, row + 1, column, XLSX_HEAD_NUMBER,
				  c->names[k]);
		}
}

static void put_ratios(const struct book_compare *c, uint32_t row,
		       uint64_t size)
{
	const struct result *base = result_of(c, size, 0);
	uint32_t k;

	for (k = 1; k < c->count; k++) {
		const struct result *r = result_of(c, size, k);

		xlsx_number(c->sheet, row, ratio_column(c, 0, k), XLSX_RATIO,
			    book_value(r, BOOK_IOPS) /
				book_value(base, BOOK_IOPS));
		xlsx_number(c->sheet, row, ratio_column(c, 1, k), XLSX_RATIO,
			    book_value(base, BOOK_LATENCY) /
				book_value(r, BOOK_LATENCY));
	}
}

static void put_row(struct book_compare *c, uint32_t row, uint64_t size)
{
	const struct result *base = result_of(c, size, 0);
	char text[UNITS_TEXT_MAX];
	uint32_t k;
	size_t i;

	xlsx_text(c->sheet, row, 0, XLSX_LABEL, units_format_size(text, size));
	if (c->paired && base)
		xlsx_number(c->sheet, row, 1, XLSX_COUNT,
			    point_outstanding(base->point));
	for (i = 0; i < METRICS; i++)
		for (k = 0; k < c->count; k++) {
			double value =
			    book_value(result_of(c, size, k), order[i]);

			xlsx_number(c->sheet, row, column_of(c, i, k),
				    book_metric_style(order[i], false), value);
			book_extend(&c->extents[order[i]], value);
		}
	put_ratios(c, row, size);
}

static struct xlsx_range column_range(const struct book_compare *c,
				      uint32_t column)
{
	uint32_t rows = c->members[0]->grid->row_count;

	return (struct xlsx_range){c->sheet, c->first_row, column,
				   c->first_row + rows - 1, column};
}

/* At the base's sweet spot a member may have no point at all. */
static bool has_numbers(const struct book_compare *c, enum book_metric metric,
			uint32_t member)
{
	const struct grid *g = c->members[0]->grid;
	uint32_t i;

	for (i = 0; i < g->row_count; i++)
		if (isfinite(book_value(result_of(c, g->block_sizes[i], member),
					metric)))
			return true;
	return false;
}

static void put_chart(const struct book_compare *c, size_t metric, uint32_t row,
		      uint32_t slot)
{
	enum book_metric what = order[metric];
	struct xlsx_series series[XLSX_SERIES_MAX];
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {
	    .kind = XLSX_COLUMN,
	    .palette = c->palette,
	    .title = title,
	    .x.title = "Block size",
	    .y = {book_metric_unit(what), book_metric_is_latency(what),
		  c->extents[what].low, c->extents[what].high},
	    .width = c->slots.columns * BOOK_CELL_PX - 4,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	};
	uint32_t k;

	for (k = 0; k < c->count; k++) {
		uint32_t column = column_of(c, metric, k);

		if (!has_numbers(c, what, k))
			continue;
		series[chart.series_count++] = (struct xlsx_series){
		    .name = {c->sheet, c->first_row - 1, column,
			     c->first_row - 1, column},
		    .categories = column_range(c, 0),
		    .values = column_range(c, column)};
	}
	snprintf(title, sizeof(title), "%s - %s", book_metric_title(what),
		 c->suffix);
	xlsx_chart(c->sheet, row, book_slot(&c->slots, slot), &chart);
}

uint32_t book_put_compare(struct book_compare *c, uint32_t row)
{
	const struct grid *g = c->members[0]->grid;
	uint32_t i;

	for (i = 0; i < BOOK_METRIC_COUNT; i++)
		c->extents[i] = (struct book_extent){NAN, NAN};
	put_head(c, row);
	c->first_row = row + 2;
	for (i = 0; i < g->row_count; i++)
		put_row(c, c->first_row + i, g->block_sizes[i]);
	return c->first_row + g->row_count + 1;
}

uint32_t book_put_compare_charts(const struct book_compare *c, uint32_t row)
{
	size_t i;

	if (!isfinite(c->extents[BOOK_IOPS].high))
		return row;
	xlsx_break(c->sheet, row);
	for (i = 0; i < METRICS; i++)
		if (isfinite(c->extents[order[i]].high))
			put_chart(c, i,
				  row + (uint32_t)(i / 2) * BOOK_CHART_ROWS,
				  i % 2);
	return row + (uint32_t)(METRICS / 2) * BOOK_CHART_ROWS;
}
