#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/book_sheet.h"
#include "export/warmup.h"

/* The lines of the curves' table; each leads its curve in the charts. */
enum { NAME, PASSES, FIRST_IOPS, LAST_IOPS, LAST_HIT, CURVE_COLUMNS };

static const struct xlsx_header curve_heads[CURVE_COLUMNS] = {
    [NAME] = {"Warm-up", XLSX_HEAD},
    [PASSES] = {"Passes", XLSX_HEAD_NUMBER},
    [FIRST_IOPS] = {"IOPS at first", XLSX_HEAD_NUMBER},
    [LAST_IOPS] = {"IOPS at last", XLSX_HEAD_NUMBER},
    [LAST_HIT] = {"Hit at last (%)", XLSX_HEAD_NUMBER},
};

/* What the charts are drawn from. */
enum { TIME, IOPS, MIBPS, HIT, PASS, DATA_COLUMNS };

static const char *const data_heads[DATA_COLUMNS] = {
    [TIME] = "Time (s)", [IOPS] = "IOPS", [MIBPS] = "MiB/s",
    [HIT] = "Hit (%)",	 [PASS] = "Pass",
};

#define NAME_PX 250

struct curve {
	uint32_t row;		     /* of its line in the table */
	uint32_t data_row, last_row; /* of its samples */
	bool has_hits;
};

struct curves {
	struct curve items[XLSX_SERIES_MAX];
	uint32_t count;
	uint32_t left_out; /* beyond what a chart shows */
};

bool book_has_warmup(const struct book_model *m)
{
	bool has = false;
	uint32_t i;

	for (i = 0; !has && i < m->run_count; i++) {
		struct warmup w;

		has = !warmup_read(m->runs[i]->folder, &w, NULL) && w.count;
		warmup_fini(&w);
	}
	return has;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void put_curve_line(struct xlsx_sheet *s, uint32_t row,
			   const struct warmup_row *first,
			   const struct warmup_row *last)
{
	char name[2 * LABEL_MAX];

	snprintf(name, sizeof(name), "%s%s%s, round %u", first->variant,
		 first->variant[0] ? ", " : "", last_part(first->target),
		 first->round);
	xlsx_text(s, row, NAME, XLSX_LABEL, name);
	xlsx_number(s, row, PASSES, XLSX_COUNT, last->pass);
	xlsx_number(s, row, FIRST_IOPS, XLSX_COUNT, first->iops);
	xlsx_number(s, row, LAST_IOPS, XLSX_COUNT, last->iops);
	xlsx_number(s, row, LAST_HIT, XLSX_PERCENT, last->hit_pct);
}

/* The samples, where charts find them; behind the last one the next free row
 * but one. */
static void put_samples(struct book_sheets *sheets, const struct warmup *w,
			uint32_t from, uint32_t end, struct curve *c)
{
	struct xlsx_sheet *s = sheets->data;
	uint32_t row = sheets->data_row, i;

	for (i = 0; i < DATA_COLUMNS; i++)
		xlsx_text(s, row, i, XLSX_HEAD_NUMBER, data_heads[i]);
	c->data_row = row + 1;
	for (i = from; i < end; i++) {
		const struct warmup_row *r = &w->rows[i];

		row++;
		xlsx_number(s, row, TIME, XLSX_GENERAL, r->elapsed_s);
		xlsx_number(s, row, IOPS, XLSX_COUNT, r->iops);
		xlsx_number(s, row, MIBPS, XLSX_NUMBER, r->mibps);
		xlsx_number(s, row, HIT, XLSX_PERCENT, r->hit_pct);
		xlsx_number(s, row, PASS, XLSX_COUNT, r->pass);
		c->has_hits |= isfinite(r->hit_pct);
	}
	c->last_row = row;
	sheets->data_row = row + 2;
}

/* Returns the next row of the table. */
static uint32_t put_run(struct book_sheets *sheets, const struct run *run,
			uint32_t row, struct curves *curves)
{
	struct warmup w;
	uint32_t i, end;

	if (warmup_read(run->folder, &w, NULL))
		w.count = 0;
	for (i = 0; i < w.count; i = end) {
		struct curve c = {.row = row};

		end = warmup_end(&w, i);
		put_curve_line(sheets->warmup, row++, &w.rows[i],
			       &w.rows[end - 1]);
		if (curves->count == XLSX_SERIES_MAX) {
			curves->left_out++;
			continue;
		}
		put_samples(sheets, &w, i, end, &c);
		curves->items[curves->count++] = c;
	}
	warmup_fini(&w);
	return row;
}

/* One line a curve; column: what is drawn over time. */
static void draw(const struct book_sheets *sheets, const struct curves *curves,
		 uint32_t column, const struct book_place *place,
		 struct xlsx_chart *chart)
{
	struct xlsx_series series[XLSX_SERIES_MAX];
	uint32_t i, count = 0;

	for (i = 0; i < curves->count; i++) {
		const struct curve *c = &curves->items[i];

		if (column == HIT && !c->has_hits)
			continue;
		series[count++] = (struct xlsx_series){
		    .name = {sheets->warmup, c->row, NAME, c->row, NAME},
		    .categories = {sheets->data, c->data_row, TIME, c->last_row,
				   TIME},
		    .values = {sheets->data, c->data_row, column, c->last_row,
			       column},
		};
	}
	if (!count)
		return;
	chart->kind = XLSX_SCATTER;
	chart->palette = XLSX_PALETTE_SERIES;
	chart->x = (struct xlsx_axis){"Time since the warm-up began (s)", false,
				      NAN, NAN};
	chart->width = place->width;
	chart->height = BOOK_CHART_HEIGHT;
	chart->series = series;
	chart->series_count = count;
	xlsx_chart(sheets->warmup, place->row, place->column, chart);
}

static void draw_both(const struct book_sheets *sheets,
		      const struct curves *curves, uint32_t row,
		      const struct book_slots *slots)
{
	const uint32_t width = slots->columns * BOOK_CELL_PX - 4;
	const struct book_place left = {row, book_slot(slots, 0), width};
	const struct book_place right = {row, book_slot(slots, 1), width};
	struct xlsx_chart iops = {
	    .title = "IOPS over time, first pass to steady",
	    .y = {"IOPS", false, NAN, NAN},
	};
	struct xlsx_chart hits = {
	    .title = "Hit ratio over time, first pass to steady",
	    .y = {"Hit (%)", false, NAN, NAN},
	};

	draw(sheets, curves, IOPS, &left, &iops);
	draw(sheets, curves, HIT, &right, &hits);
}

/* The table's head, then a line a warm-up of all runs; returns the next row. */
static uint32_t put_curves(const struct book_model *m,
			   struct book_sheets *sheets, uint32_t row,
			   struct curves *curves)
{
	uint32_t i;

	xlsx_text(sheets->data, sheets->data_row++, 0, XLSX_CAPTION, "Warm-up");
	for (i = 0; i < CURVE_COLUMNS; i++)
		xlsx_text(sheets->warmup, row, i, curve_heads[i].style,
			  curve_heads[i].text);
	row++;
	for (i = 0; i < m->run_count; i++)
		row = put_run(sheets, m->runs[i], row, curves);
	return row;
}

void book_write_warmup(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->warmup;
	struct book_slots slots = book_set_slots(s, BOOK_SLOT);
	struct curves curves = {.count = 0};
	uint32_t charts, row;

	row = book_put_title(s, m, "Warm-up", sheets,
			     book_slots_width(&slots) - 1);
	xlsx_text(s, row, 0, XLSX_NOTE,
		  "How caches filled before the warm variant was measured: "
		  "reads of 512K, one at a time, in passes over the region.");
	charts = row + 2;
	row = put_curves(m, sheets, charts + BOOK_CHART_ROWS, &curves);
	draw_both(sheets, &curves, charts, &slots);
	if (curves.left_out)
		xlsx_text(s, row + 1, 0, XLSX_NOTE,
			  "The charts show the first 16 warm-ups; warmup.csv "
			  "has all.");
	xlsx_width(s, NAME, NAME, NAME_PX);
}
