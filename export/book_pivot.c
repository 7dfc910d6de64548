#include "export/book_pivot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA_TABLE "PivotData"

#define LABEL_PX 112 /* of a row field */
#define VALUE_PX 140
#define GAP_PX 24 /* to the chart */
#define CHART_HEIGHT 460
#define CHART_MIN_PX 640
#define CHART_MAX_PX 1430
#define CATEGORY_PX 11 /* a column and a label below it */
#define FIRST_ROW 4    /* below title and note */

/* Their names are one word each, which no program puts in quotes. */
static const struct {
	const char *sheet, *name;
	const char *title, *short_title; /* without latency */
	enum pivot_key measure;
} kinds[BOOK_PIVOTS] = {
    {"Pivot_IOPS", "PivotIOPS", "IOPS and average latency", "IOPS", PIVOT_IOPS},
    {"Pivot_MBs", "PivotMBs", "MiB/s and average latency", "MiB/s",
     PIVOT_MIBPS},
};

static const enum xlsx_style measure_styles[PIVOT_MEASURES] = {
    XLSX_NUMBER, XLSX_NUMBER, XLSX_MS, XLSX_MS};

static const struct theme *theme_of(const struct book_model *m)
{
	return m->opts ? m->opts->theme : NULL;
}

static void add_measure(struct pivot_view *view, enum pivot_key measure)
{
	view->styles[view->measure_count] =
	    measure_styles[measure - PIVOT_KEYS];
	view->measures[view->measure_count++] = measure;
}

int book_pivot_init(struct book_pivot *b, const struct book_model *m)
{
	int rc;
	uint32_t i;

	memset(b, 0, sizeof(*b));
	rc = pivot_init(&b->pivot, m);
	if (rc || !b->pivot.line_count)
		return rc;
	for (i = 0; i < BOOK_PIVOTS; i++) {
		struct pivot_view *view = &b->views[b->view_count];
		bool latency = pivot_knows(&b->pivot, PIVOT_LATENCY);

		if (!pivot_knows(&b->pivot, kinds[i].measure))
			continue;
		view->name = kinds[i].name;
		view->title =
		    theme_word(theme_of(m),
			       latency ? kinds[i].title : kinds[i].short_title);
		add_measure(view, kinds[i].measure);
		if (latency)
			add_measure(view, PIVOT_LATENCY);
		b->view_count++;
	}
	return 0;
}

void book_pivot_fini(struct book_pivot *b)
{
	pivot_fini(&b->pivot);
}

void book_add_pivots(struct xlsx *x, const struct book_pivot *b,
		     struct book_sheets *sheets)
{
	uint32_t i;

	for (i = 0; i < b->view_count; i++)
		sheets->pivots[i] = xlsx_add_sheet(x, kinds[i].sheet);
}

void book_add_pivot_data(struct xlsx *x, const struct book_pivot *b,
			 struct book_sheets *sheets)
{
	if (b->view_count)
		sheets->pivot_data = xlsx_add_sheet(x, "Pivot_data");
}

static void put_item(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		     const struct pivot_item *item)
{
	if (item->text)
		xlsx_text(s, row, column, XLSX_TEXT, item->text);
	else
		xlsx_number(s, row, column, XLSX_GENERAL, item->number);
}

static void put_filters(struct xlsx_sheet *s, const struct pivot *p,
			uint32_t row)
{
	uint32_t i;

	for (i = 0; i < p->page_count; i++, row++) {
		const struct pivot_field *field = &p->fields[p->pages[i]];

		xlsx_text(s, row, 0, XLSX_LABEL, field->name);
		put_item(s, row, 1, &field->items[field->chosen]);
	}
}

static void put_headers(struct xlsx_sheet *s, const struct pivot *p,
			const struct pivot_view *view)
{
	uint32_t i;

	for (i = 0; i < p->row_count; i++)
		xlsx_text(s, view->row, i, XLSX_LABEL,
			  p->fields[p->rows[i]].name);
	if (pivot_rows_above(view))
		xlsx_text(s, view->row - 1, p->row_count, XLSX_LABEL,
			  PIVOT_VALUES);
	for (i = 0; i < view->measure_count; i++)
		xlsx_text(s, view->row, p->row_count + i, XLSX_LABEL,
			  p->captions[view->measures[i] - PIVOT_KEYS]);
}

static void put_lines(struct xlsx_sheet *s, const struct pivot *p,
		      const struct pivot_view *view)
{
	uint32_t i, k;

	for (i = 0; i < p->line_count; i++) {
		const struct pivot_line *line = &p->lines[i];
		uint32_t row = view->row + 1 + i;

		for (k = pivot_repeated(p, i); k < p->row_count; k++)
			put_item(s, row, k,
				 &p->fields[p->rows[k]]
				      .items[line->first->item[p->rows[k]]]);
		for (k = 0; k < view->measure_count; k++)
			xlsx_number(
			    s, row, p->row_count + k, view->styles[k],
			    line->value[view->measures[k] - PIVOT_KEYS]);
	}
}

/* Over the two innermost fields, as two levels of categories can show them;
 * of a single line a row of cells would be taken for two categories. */
static void put_chart(struct xlsx_sheet *s, const struct pivot *p,
		      const struct pivot_view *view)
{
	uint32_t first = view->row + 1, last = view->row + p->line_count;
	uint32_t column = p->row_count;
	uint32_t width = 160 + CATEGORY_PX * p->line_count;
	const struct xlsx_series series = {
	    .name = {s, view->row, column, view->row, column},
	    .categories = {s, first, column - (p->line_count > 1 ? 2 : 1), last,
			   column - 1},
	    .values = {s, first, column, last, column},
	};
	const struct xlsx_chart chart = {
	    .kind = XLSX_COLUMN,
	    .title = view->title,
	    .x = {.title = "Block size, outstanding"},
	    .y = {.title = p->captions[view->measures[0] - PIVOT_KEYS]},
	    .width = width < CHART_MIN_PX   ? CHART_MIN_PX
		     : width > CHART_MAX_PX ? CHART_MAX_PX
					    : width,
	    .height = CHART_HEIGHT,
	    .series = &series,
	    .series_count = 1,
	};

	xlsx_chart(s, view->row, column + view->measure_count + 1, &chart);
}

static void put_view(const struct book_model *m, const struct pivot *p,
		     struct pivot_view *view, struct xlsx_sheet *s,
		     struct book_sheets *sheets)
{
	uint32_t columns = p->row_count + view->measure_count;

	snprintf(view->sheet, sizeof(view->sheet), "%s", xlsx_name(s));
	view->part = xlsx_part_number(s);
	view->row = FIRST_ROW + (p->page_count ? p->page_count + 1 : 0) +
		    pivot_rows_above(view);
	book_put_title(s, m, view->title, sheets, columns - 1);
	xlsx_text(s, FIRST_ROW - 1, 0, XLSX_NOTE,
		  "PivotTable and PivotChart of the sheet Pivot_data. Points "
		  "without a number are not in it.");
	xlsx_width(s, 0, p->row_count - 1, LABEL_PX);
	xlsx_width(s, p->row_count, columns - 1, VALUE_PX);
	xlsx_width(s, columns, columns, GAP_PX);
	put_filters(s, p, FIRST_ROW);
	put_headers(s, p, view);
	put_lines(s, p, view);
	put_chart(s, p, view);
}

static void put_records(struct xlsx_sheet *s, const struct pivot *p)
{
	uint32_t i;
	int key;

	for (i = 0; i < p->record_count; i++) {
		const struct pivot_record *r = &p->records[i];

		for (key = 0; key < PIVOT_KEYS; key++)
			put_item(s, i + 1, (uint32_t)key,
				 &p->fields[key].items[r->item[key]]);
		for (; key < PIVOT_FIELDS; key++)
			xlsx_number(s, i + 1, (uint32_t)key,
				    measure_styles[key - PIVOT_KEYS],
				    r->value[key - PIVOT_KEYS]);
	}
}

static void put_data(struct xlsx_sheet *s, const struct pivot *p)
{
	const struct xlsx_range range = {s, 0, 0, p->record_count,
					 PIVOT_FIELDS - 1};
	struct xlsx_header headers[PIVOT_FIELDS];
	int key;

	for (key = 0; key < PIVOT_FIELDS; key++) {
		headers[key].text = p->fields[key].name;
		headers[key].style =
		    key >= PIVOT_KEYS || !p->fields[key].items[0].text
			? XLSX_HEAD_NUMBER
			: XLSX_HEAD;
	}
	xlsx_table(&range, DATA_TABLE, headers);
	put_records(s, p);
	xlsx_width(s, 0, PIVOT_FIELDS - 1, LABEL_PX);
	xlsx_height(s, 0, 2 * BOOK_ROW_PX);
	xlsx_freeze(s, 1, 0);
	xlsx_repeat(s, 0, 0);
}

void book_write_pivots(const struct book_model *m, struct book_pivot *b,
		       struct book_sheets *sheets)
{
	uint32_t i;

	for (i = 0; i < b->view_count; i++)
		put_view(m, &b->pivot, &b->views[i], sheets->pivots[i], sheets);
	if (b->view_count)
		put_data(sheets->pivot_data, &b->pivot);
}

int book_attach_pivots(const char *path, const struct book_model *m,
		       const struct book_pivot *b, FILE *to, struct err *err)
{
	return pivot_attach(path, &b->pivot, DATA_TABLE, b->views,
			    b->view_count, theme_of(m), to, err);
}
