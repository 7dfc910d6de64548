#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/book_limit.h"

/*
 * The numbers behind the two charts of Summary, on a sheet of their own: a
 * column a group. One is over the block sizes, each at its sweet outstanding;
 * the other over the outstanding I/Os at the sweet block size.
 */
struct table {
	struct xlsx_sheet *sheet;
	const struct book_group *groups[XLSX_SERIES_MAX];
	uint32_t count;
	uint64_t *keys; /* block sizes or outstandings, ascending */
	uint32_t key_count;
	uint32_t row; /* of the header */
	enum book_metric metric;
	bool over_sizes;
	struct book_extent extent;
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void gather_groups(const struct book_model *m, struct table *t)
{
	uint32_t i;

	t->count = 0;
	for (i = 0; i < m->group_count && t->count < XLSX_SERIES_MAX; i++)
		if (m->groups[i].spot && m->groups[i].spot->sweet)
			t->groups[t->count++] = &m->groups[i];
}

static int gather_keys(struct table *t)
{
	size_t total = 0;
	uint32_t i, j;

	for (i = 0; i < t->count; i++)
		total += t->over_sizes ? t->groups[i]->grid->row_count
				       : t->groups[i]->grid->column_count;
	t->keys = calloc(total + 1, sizeof(*t->keys));
	if (!t->keys)
		return -ENOMEM;
	t->key_count = 0;
	total = 0;
	for (i = 0; i < t->count; i++) {
		const struct grid *g = t->groups[i]->grid;
		uint32_t n = t->over_sizes ? g->row_count : g->column_count;

		for (j = 0; j < n; j++)
			t->keys[total++] = t->over_sizes ? g->block_sizes[j]
							 : g->outstandings[j];
	}
	qsort(t->keys, total, sizeof(*t->keys), compare_u64);
	for (i = 0; i < total; i++)
		if (!t->key_count || t->keys[t->key_count - 1] != t->keys[i])
			t->keys[t->key_count++] = t->keys[i];
	return 0;
}

/* The result of a group at a block size and outstanding. */
static const struct result *at_sweet_size(const struct book_group *g,
					  uint64_t outstanding)
{
	const struct result *sweet = g->spot->sweet;
	uint64_t size = sweet->point->workload.stream.block_size_bytes;
	uint32_t row, column;

	for (row = 0; row < g->grid->row_count; row++)
		if (g->grid->block_sizes[row] == size)
			break;
	for (column = 0; column < g->grid->column_count; column++)
		if (g->grid->outstandings[column] == outstanding)
			break;
	if (row == g->grid->row_count || column == g->grid->column_count)
		return NULL;
	return grid_at(g->grid, row, column);
}

static double value_at(const struct table *t, uint32_t group, uint64_t key)
{
	const struct book_group *g = t->groups[group];

	return book_value(t->over_sizes ? book_sweet_of_size(g, key)
					: at_sweet_size(g, key),
			  t->metric);
}

static void name_group(const struct book_model *m, const struct table *t,
		       const struct book_group *g, char *buf, size_t size)
{
	const struct result *sweet = g->spot->sweet;
	char text[UNITS_TEXT_MAX] = "";

	if (!t->over_sizes)
		units_format_size(
		    text, sweet->point->workload.stream.block_size_bytes);
	snprintf(buf, size, "%s%s%s", m->workloads[g->workload].name,
		 text[0] ? " " : "", text);
	book_append(buf, size, g->label);
}

static void put_head(const struct book_model *m, const struct table *t)
{
	char text[BOOK_TITLE_MAX];
	uint32_t k;

	snprintf(text, sizeof(text), "%s, %s", book_metric_unit(t->metric),
		 t->over_sizes ? "each block size at its sweet outstanding"
			       : "at the sweet block size");
	xlsx_text(t->sheet, t->row - 1, 0, XLSX_CAPTION, text);
	xlsx_height(t->sheet, t->row, BOOK_DATA_HEAD_PX);
	xlsx_text(t->sheet, t->row, 0, XLSX_HEAD,
		  t->over_sizes ? "Block size" : "Outstanding");
	for (k = 0; k < t->count; k++) {
		name_group(m, t, t->groups[k], text, sizeof(text));
		xlsx_text(t->sheet, t->row, k + 1, XLSX_HEAD_NUMBER, text);
	}
}

static void put_values(struct table *t)
{
	char text[UNITS_TEXT_MAX];
	uint32_t i, k;

	t->extent = (struct book_extent){NAN, NAN};
	for (i = 0; i < t->key_count; i++) {
		uint32_t row = t->row + 1 + i;

		if (t->over_sizes)
			xlsx_text(t->sheet, row, 0, XLSX_LABEL,
				  units_format_size(text, t->keys[i]));
		else
			xlsx_number(t->sheet, row, 0, XLSX_LABEL,
				    (double)t->keys[i]);
		for (k = 0; k < t->count; k++) {
			double value = value_at(t, k, t->keys[i]);

			xlsx_number(t->sheet, row, k + 1,
				    book_metric_style(t->metric, false), value);
			book_extend(&t->extent, value);
		}
	}
}

static void put_chart(const struct book_model *m, struct table *t,
		      struct book_sheets *sheets,
		      const struct book_place *place, const char *title)
{
	uint32_t first = t->row + 1, last = t->row + t->key_count;
	const struct xlsx_range over = {t->sheet, first, 0, last, 0};
	struct xlsx_series series[XLSX_SERIES_MAX + 1]; /* and the limit */
	struct xlsx_chart chart = {
	    .kind = t->key_count > 1 ? XLSX_LINE : XLSX_COLUMN,
	    .title = title,
	    .x.title = t->over_sizes ? "Block size" : "Outstanding I/Os",
	    .y = {.title = book_metric_unit(t->metric),
		  .log = book_metric_is_latency(t->metric)},
	    .width = place->width,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	    .series_count = t->count,
	};
	uint32_t k;

	for (k = 0; k < t->count; k++) {
		series[k].name =
		    (struct xlsx_range){t->sheet, t->row, k + 1, t->row, k + 1};
		series[k].categories = over;
		series[k].values =
		    (struct xlsx_range){t->sheet, first, k + 1, last, k + 1};
	}
	if (book_metric_is_latency(t->metric) && chart.kind == XLSX_LINE)
		chart.limit_count =
		    book_limit_over(m, sheets, &over, &t->extent, &series[k]);
	chart.series_count += chart.limit_count;
	chart.y.low = t->extent.low;
	chart.y.high = t->extent.high;
	xlsx_chart(sheets->summary, place->row, place->column, &chart);
}

/* The table behind the next free row of the sheet, and its chart. */
static int put_table(const struct book_model *m, struct table *t,
		     struct book_sheets *sheets, const struct book_place *place,
		     const char *title)
{
	gather_groups(m, t);
	if (gather_keys(t))
		return -ENOMEM;
	t->row = sheets->data_row + 1;
	put_head(m, t);
	put_values(t);
	sheets->data_row = t->row + t->key_count + 2;
	if (t->count && isfinite(t->extent.high))
		put_chart(m, t, sheets, place, title);
	free(t->keys);
	return 0;
}

void book_put_data_title(const struct book_model *m, struct book_sheets *sheets)
{
	xlsx_width(sheets->data, 0, 0, 110);
	xlsx_width(sheets->data, 1, 2 * XLSX_SERIES_MAX, 120);
	sheets->data_row =
	    book_put_title(sheets->data, m, "Chart data", sheets, 4);
	xlsx_text(sheets->data, sheets->data_row, 0, XLSX_NOTE,
		  "The numbers behind charts, not for reading: printed are "
		  "these lines alone.");
	xlsx_print(sheets->data, sheets->data_row, 7);
	sheets->data_row += 2;
}

bool book_has_answers(const struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->group_count; i++)
		if (m->groups[i].spot && m->groups[i].spot->sweet)
			return true;
	return false;
}

int book_write_data(const struct book_model *m, struct book_sheets *sheets,
		    const struct book_place places[2])
{
	struct table sizes = {
	    .sheet = sheets->data,
	    .metric = BOOK_MIBPS,
	    .over_sizes = true,
	};
	struct table outstandings = {
	    .sheet = sheets->data,
	    .metric = BOOK_LATENCY,
	};

	if (put_table(m, &sizes, sheets, &places[0],
		      "MB/s by block size, at the sweet outstanding"))
		return -ENOMEM;
	return put_table(m, &outstandings, sheets, &places[1],
			 "Average latency at the sweet block size");
}
