/*
 * book_limit: the latency limit that was asked for, as a line in charts with an
 * axis of latency. Its numbers stand on the sheet of data. Internal to export/.
 */
#ifndef EXPORT_BOOK_LIMIT_H
#define EXPORT_BOOK_LIMIT_H

#include "export/book_sheet.h"

/*
 * Each adds its line to out, widens the latency's extent to it, and returns 1,
 * the number of limits of the chart; 0 where no limit was asked for.
 */

/* Over as many categories as these cells have. */
uint32_t book_limit_over(const struct book_model *m, struct book_sheets *sheets,
			 const struct xlsx_range *categories,
			 struct book_extent *latency, struct xlsx_series *out);

/* Across a scatter chart, from low to high. */
uint32_t book_limit_across(const struct book_model *m,
			   struct book_sheets *sheets, double low, double high,
			   struct book_extent *latency,
			   struct xlsx_series *out);

#endif
