/* The tables of configurations on the sheet of targets. */
#include "export/book_configtable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "export/book_configs.h"

/* Columns, of BOOK_CELL_PX: the tags share the first ones. */
enum {
	TAGS = 0,
	OF = TAGS_KEYS_MAX,
	SIZE = OF + 3,
	OUTSTANDING,
	IOPS,
	MIBPS,
	LATENCY,
	P99,
	CPU,
	NOTE,
	COLUMNS = NOTE + 3
};

static const char *const heads[COLUMNS] = {
    [OF] = "Measured as",
    [SIZE] = "Block size",
    [OUTSTANDING] = "Outst. I/Os",
    [IOPS] = "IOPS",
    [MIBPS] = "MiB/s",
    [LATENCY] = "Average latency (ms)",
    [P99] = "p99 latency (ms)",
    [CPU] = "CPU (% of a core)",
    [NOTE] = "Verdicts",
};

/* Bars beyond that are too thin to be told apart. */
#define BARS_MAX 40

#define NAMES_PX(columns) ((columns)*BOOK_CELL_PX - 8)

struct table {
	const struct book_model *model;
	struct xlsx_sheet *sheet, *data;
	const struct book_config *rows;
	uint32_t count;
	uint32_t first_row;   /* of the numbers */
	uint32_t names_row;   /* of their names on the sheet of data */
	uint32_t tag_columns; /* of one tag */
	const char *lower;    /* the workload, in the middle of a title */
};

static uint32_t last_tag_column(const struct table *t, uint32_t key)
{
	return key + 1 == t->model->configs.keys.count
		   ? OF - 1
		   : (key + 1) * t->tag_columns - 1;
}

static void put_head(const struct table *t, uint32_t row)
{
	uint32_t i;

	xlsx_height(t->sheet, row, 62);
	for (i = 0; i < t->model->configs.keys.count; i++)
		xlsx_wide_text(t->sheet, row, i * t->tag_columns,
			       last_tag_column(t, i), XLSX_HEAD,
			       book_configs_key(t->model, i));
	xlsx_wide_text(t->sheet, row, OF, SIZE - 1, XLSX_HEAD, heads[OF]);
	for (i = SIZE; i < NOTE; i++)
		xlsx_text(t->sheet, row, i, XLSX_HEAD_NUMBER, heads[i]);
	xlsx_wide_text(t->sheet, row, NOTE, COLUMNS - 1, XLSX_HEAD_BESIDE,
		       heads[NOTE]);
}

static double best_of(const struct table *t, enum book_metric metric)
{
	double best = NAN;
	uint32_t i;

	for (i = 0; i < t->count; i++) {
		double value = book_value(t->rows[i].result, metric);

		if (isfinite(value) &&
		    (isnan(best) ||
		     (book_metric_is_latency(metric) ? value < best
						     : value > best)))
			best = value;
	}
	return best;
}

static void put_metric(const struct table *t, uint32_t row, uint32_t column,
		       const struct result *r, enum book_metric metric)
{
	double value = book_value(r, metric);
	bool best = t->count > 1 && value == best_of(t, metric);

	xlsx_number(t->sheet, row, column, book_metric_style(metric, best),
		    value);
}

static void put_numbers(const struct table *t, uint32_t row,
			const struct result *r)
{
	char size[UNITS_TEXT_MAX];

	xlsx_text(t->sheet, row, SIZE, XLSX_RIGHT,
		  units_format_size(
		      size, r->point->workload.stream.block_size_bytes));
	xlsx_number(t->sheet, row, OUTSTANDING, XLSX_COUNT,
		    point_outstanding(r->point));
	put_metric(t, row, IOPS, r, BOOK_IOPS);
	put_metric(t, row, MIBPS, r, BOOK_MIBPS);
	put_metric(t, row, LATENCY, r, BOOK_LATENCY);
	put_metric(t, row, P99, r, BOOK_P99);
	xlsx_number(t->sheet, row, CPU, XLSX_PERCENT, r->cpu_pct);
}

/* Text over columns; *lines grows to what it needs. */
static void put_words(const struct table *t, uint32_t row, uint32_t column,
		      uint32_t last, enum xlsx_style style, const char *text,
		      uint32_t *lines)
{
	uint32_t needed = book_count_lines(text, NAMES_PX(last - column + 1));

	if (needed > *lines)
		*lines = needed;
	xlsx_wide_text(t->sheet, row, column, last, style, text);
}

static void put_row(const struct table *t, uint32_t row,
		    const struct book_config *c)
{
	char note[BOOK_CONFIG_NOTE_MAX];
	uint32_t i, lines = 1;

	for (i = 0; i < t->model->configs.keys.count; i++)
		put_words(t, row, i * t->tag_columns, last_tag_column(t, i),
			  XLSX_WRAP, c->tag[i], &lines);
	put_words(t, row, OF, SIZE - 1, XLSX_WRAP, c->of, &lines);
	if (c->result)
		put_numbers(t, row, c->result);
	put_words(t, row, NOTE, COLUMNS - 1, XLSX_WRAP_BESIDE,
		  book_config_note(c, note, sizeof(note)), &lines);
	xlsx_height(t->sheet, row, lines * BOOK_ROW_PX);
}

static void put_names(struct table *t, struct book_sheets *sheets)
{
	uint32_t i;

	xlsx_text(t->data, sheets->data_row, 0, XLSX_CAPTION, "Configurations");
	t->names_row = sheets->data_row + 1;
	for (i = 0; i < t->count; i++)
		xlsx_text(t->data, t->names_row + i, 0, XLSX_TEXT,
			  t->rows[i].name);
	sheets->data_row = t->names_row + t->count + 1;
}

static void put_chart(const struct table *t, enum book_metric metric,
		      uint32_t column, uint32_t row,
		      const struct book_place *place)
{
	uint32_t bars = t->count < BARS_MAX ? t->count : BARS_MAX;
	char title[BOOK_TITLE_MAX], by[BOOK_KEYS_TEXT_MAX],
	    axis[BOOK_KEYS_TEXT_MAX + 4];
	struct book_extent extent = {NAN, NAN};
	struct xlsx_series series = {
	    .name = {t->sheet, t->first_row - 1, column, t->first_row - 1,
		     column},
	    .categories = {t->data, t->names_row, 0, t->names_row + bars - 1,
			   0},
	    .values = {t->sheet, t->first_row, column, t->first_row + bars - 1,
		       column},
	};
	struct xlsx_chart chart = {
	    .kind = XLSX_COLUMN,
	    .title = title,
	    .x.title = axis,
	    .width = place->width,
	    .height = BOOK_CHART_HEIGHT,
	    .series = &series,
	    .series_count = 1,
	};
	uint32_t i;

	for (i = 0; i < bars; i++)
		book_extend(&extent, book_value(t->rows[i].result, metric));
	if (!isfinite(extent.high))
		return;
	chart.y = (struct xlsx_axis){book_metric_unit(metric), false,
				     extent.low, extent.high};
	snprintf(axis, sizeof(axis), "By %s",
		 book_configs_by(t->model, by, sizeof(by)));
	snprintf(title, sizeof(title), "%s - %s", book_metric_title(metric),
		 t->lower);
	xlsx_chart(t->sheet, row, place->column, &chart);
}

static uint32_t put_charts(const struct table *t,
			   const struct book_slots *slots, uint32_t row)
{
	struct book_place place = {
	    .width = slots->columns * BOOK_CELL_PX - 4,
	};

	if (t->count > BARS_MAX) {
		char text[80];

		snprintf(text, sizeof(text),
			 "The charts show the first %d of %u configurations.",
			 BARS_MAX, t->count);
		xlsx_text(t->sheet, row++, 0, XLSX_NOTE, text);
	}
	put_chart(t, BOOK_IOPS, IOPS, row, &place);
	place.column = book_slot(slots, 1);
	put_chart(t, BOOK_LATENCY, LATENCY, row, &place);
	return row + BOOK_CHART_ROWS;
}

static uint32_t put_workload(struct table *t, const struct book_slots *slots,
			     const struct book_workload *w,
			     struct book_sheets *sheets, uint32_t row)
{
	bool measured = false;
	uint32_t i;

	t->lower = w->lower;
	xlsx_height(t->sheet, row, 26);
	xlsx_text(t->sheet, row, 0, XLSX_HEADING, w->name);
	put_head(t, row + 1);
	t->first_row = row + 2;
	for (i = 0; i < t->count; i++) {
		put_row(t, t->first_row + i, &t->rows[i]);
		measured |= t->rows[i].result != NULL;
	}
	row = t->first_row + t->count + 1;
	if (!measured)
		return row;
	put_names(t, sheets);
	return put_charts(t, slots, row) + 1;
}

uint32_t book_put_configs(const struct book_model *m,
			  struct book_sheets *sheets,
			  const struct book_slots *slots, uint32_t row)
{
	struct table t = {
	    .model = m,
	    .sheet = sheets->targets,
	    .data = sheets->data,
	    .tag_columns =
		OF / (m->configs.keys.count + !m->configs.keys.count),
	};
	bool first = true;
	uint32_t i;

	for (i = 0; i < m->workload_count; i++) {
		t.rows = book_configs_of(m, i, &t.count);
		if (!t.count)
			continue;
		if (!first)
			xlsx_break(t.sheet, row);
		first = false;
		row = put_workload(&t, slots, &m->workloads[i], sheets, row);
	}
	return row;
}
