/*
 * pivot_parts: the XML of a pivot: cache, records, tables and charts, and how
 * they come into a finished book. Internal to export/; ECMA-376 part 1, 18.10
 * and 21.2, is what it goes by.
 */
#ifndef EXPORT_PIVOT_PARTS_H
#define EXPORT_PIVOT_PARTS_H

#include <stdio.h>

#include "engine/err.h"
#include "export/pivot.h"
#include "export/theme.h"
#include "export/xlsx.h"

#define PIVOT_VIEW_MEASURES 2

/* A table of the pivot on a sheet of its own: a row of headers, then a row a
 * line, from column A: the row fields, then the measures. Its filters stand
 * above, a free row between. The sheet has one chart, which gives its place to
 * the PivotChart: columns of the first measure, a line of the second. */
struct pivot_view {
	const char *name; /* of the table */
	const char *title;
	char sheet[XLSX_NAME_SIZE];
	uint32_t part; /* xlsx_part_number */
	uint32_t row;  /* of the headers */
	enum pivot_key measures[PIVOT_VIEW_MEASURES];
	uint32_t measure_count;
	enum xlsx_style styles[PIVOT_VIEW_MEASURES];
};

/* What stands in a row of its own above several measures, as Excel and
 * LibreOffice have it in a table of plain columns. */
#define PIVOT_VALUES "Values"
static inline uint32_t pivot_rows_above(const struct pivot_view *view)
{
	return view->measure_count > 1;
}

/* XML on the heap, NULL without memory. table: the Excel table of the
 * records, a column a field. */
char *pivot_cache_xml(const struct pivot *p, const char *table);
char *pivot_records_xml(const struct pivot *p);
/* formats: numFmtId of each measure, 0: none. */
char *pivot_table_xml(const struct pivot *p, const struct pivot_view *view,
		      const unsigned *formats);
char *pivot_chart_xml(const struct pivot *p, const struct pivot_view *view,
		      const struct theme *theme);

/*
 * Write the book at path to `to` once more, with a cache and the tables and
 * charts of the views. 0 or -errno with a sentence; the book at path is only
 * read. Errors of `to` are left to whoever closes it.
 */
int pivot_attach(const char *path, const struct pivot *p, const char *table,
		 const struct pivot_view *views, uint32_t view_count,
		 const struct theme *theme, FILE *to, struct err *err);

#endif
