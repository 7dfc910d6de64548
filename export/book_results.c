#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/book_sheet.h"
#include "export/columns.h"

#define TABLE_NAME "Results"
/* Doubles, which sheets are made of, are exact up to here. */
#define EXACT_MAX (UINT64_C(1) << 53)
#define COLUMN_PX_MIN 76
#define COLUMN_PX_MAX 300
#define HEAD_HEIGHT 62

static uint32_t text_px(size_t bytes)
{
	size_t px = bytes * 7 + 14;

	return px < COLUMN_PX_MAX ? (uint32_t)px : COLUMN_PX_MAX;
}

/* Headers break between words: as wide as the longest, with its button. */
static uint32_t head_px(const char *title)
{
	uint32_t widest = COLUMN_PX_MIN;

	while (*title) {
		size_t len = strcspn(title, " ");

		if (text_px(len) + 14 > widest)
			widest = text_px(len) + 14;
		title += len;
		title += strspn(title, " ");
	}
	return widest;
}

static void put_number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       const struct column *c, double value)
{
	double scale = c->sheet_scale > 0 ? c->sheet_scale : 1;

	if (c->sheet_format && strcmp(c->sheet_format, "General") != 0)
		xlsx_number_as(s, row, column, c->sheet_format, value * scale);
	else
		xlsx_number(s, row, column, XLSX_GENERAL, value * scale);
}

/* One cell; returns its width in pixels where that may matter. */
static uint32_t put_cell(struct xlsx_sheet *s, uint32_t row, uint32_t column,
			 const struct column *c, const struct column_row *from)
{
	struct column_value value = {.known = false};
	char text[COLUMN_TEXT_MAX];

	c->get(from, &value);
	if (!value.known)
		return 0;
	switch (value.type) {
	case COLUMN_TEXT:
		xlsx_text(s, row, column, XLSX_BESIDE, value.text);
		return text_px(strlen(value.text));
	case COLUMN_INTEGER:
		if (value.integer > EXACT_MAX)
			xlsx_text(s, row, column, XLSX_RIGHT,
				  column_format(&value, text));
		else
			put_number(s, row, column, c, (double)value.integer);
		break;
	case COLUMN_REAL:
		put_number(s, row, column, c, value.real);
		break;
	}
	return 0;
}

/* What a reader looks for, in front: as much as a page is wide, and so what is
 * printed. */
static const char *const front[] = {
    "workload", "target",      "variant",	   "cache",
    "read_pct", "random_pct",  "block_size_bytes", "outstanding",
    "threads",	"iops",	       "iops_low",	   "iops_high",
    "mibps",	"lat_mean_us", "lat_p99_us",	   "best_share_pct",
    "verdicts", "reason",
};
#define FRONT (sizeof(front) / sizeof(front[0]))

static bool is_in_front(const struct column *c)
{
	size_t i;

	for (i = 0; i < FRONT; i++)
		if (strcmp(front[i], c->name) == 0)
			return true;
	return false;
}

/* The columns of the sheet: the front, then the others in the order of the
 * table of columns. */
static size_t sheet_columns(const struct column **out)
{
	size_t i, n = 0;

	for (i = 0; i < FRONT; i++)
		out[n++] = column_find(front[i]);
	for (i = 0; i < column_count; i++)
		if (columns[i].where & COLUMN_IN_SHEET &&
		    !is_in_front(&columns[i]))
			out[n++] = &columns[i];
	return n;
}

static void put_rows(const struct book_model *m, struct xlsx_sheet *s,
		     const struct column **shown, size_t count,
		     uint32_t *widths)
{
	uint32_t row = 1;
	uint32_t i, j;
	size_t k;

	for (i = 0; i < m->run_count; i++)
		for (j = 0; j < m->runs[i]->point_count; j++, row++) {
			const struct column_row from = {
			    .point = &m->runs[i]->points[j],
			    .result = &m->runs[i]->results[j],
			    .run = m->runs[i],
			};

			for (k = 0; k < count; k++) {
				uint32_t px = put_cell(s, row, (uint32_t)k,
						       shown[k], &from);

				if (px > widths[k])
					widths[k] = px;
			}
		}
}

static uint32_t count_rows(const struct book_model *m)
{
	uint32_t rows = 0;
	uint32_t i;

	for (i = 0; i < m->run_count; i++)
		rows += m->runs[i]->point_count;
	return rows;
}

static void put_table(const struct book_model *m, struct xlsx_sheet *s,
		      const struct column **shown, size_t count,
		      struct xlsx_header *headers, uint32_t *widths)
{
	uint32_t rows = count_rows(m);
	const struct xlsx_range range = {s, 0, 0, rows, (uint32_t)count - 1};
	size_t k;

	for (k = 0; k < count; k++) {
		headers[k].text = shown[k]->title;
		headers[k].style = shown[k]->type == COLUMN_TEXT
				       ? XLSX_HEAD_BESIDE
				       : XLSX_HEAD_NUMBER;
		widths[k] = head_px(shown[k]->title);
	}
	if (rows)
		xlsx_table(&range, TABLE_NAME, headers);
	put_rows(m, s, shown, count, widths);
	for (k = 0; k < count; k++)
		xlsx_width(s, (uint32_t)k, (uint32_t)k, widths[k]);
	xlsx_print(s, rows, FRONT - 1);
	xlsx_height(s, 0, HEAD_HEIGHT);
	xlsx_freeze(s, 1, 0);
	xlsx_repeat(s, 0, 0);
}

int book_write_results(const struct book_model *m, struct book_sheets *sheets)
{
	const struct column **shown = calloc(column_count, sizeof(*shown));
	struct xlsx_header *headers = calloc(column_count, sizeof(*headers));
	uint32_t *widths = calloc(column_count, sizeof(*widths));
	int rc = shown && headers && widths ? 0 : -ENOMEM;

	if (!rc)
		put_table(m, sheets->results, shown, sheet_columns(shown),
			  headers, widths);
	free(shown);
	free(headers);
	free(widths);
	return rc;
}
