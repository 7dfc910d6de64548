/*
 * book_compare: groups beside each other, block size by block size: a table
 * and a column chart a metric. For the sides (not cached, cached) and for the
 * targets. Internal to export/.
 */
#ifndef EXPORT_BOOK_COMPARE_H
#define EXPORT_BOOK_COMPARE_H

#include "export/book_sheet.h"

struct book_compare {
	const struct book_model *model;
	struct xlsx_sheet *sheet;
	struct book_slots slots;
	const struct book_group *members[XLSX_SERIES_MAX]; /* base first */
	const char *names[XLSX_SERIES_MAX];
	uint32_t count;
	/* All at the base's sweet outstanding, point by paired point; else
	 * each member at its own. */
	bool paired;
	enum xlsx_palette palette;
	const char *suffix; /* of the charts' titles */

	/* Filled by the table: first row of the values, and the extent
	 * of each metric. */
	uint32_t first_row;
	struct book_extent extents[BOOK_METRIC_COUNT];
};

/* Draw the table; returns the next row. */
uint32_t book_put_compare(struct book_compare *c, uint32_t row);

/* Draw its charts, after it; returns the next row. */
uint32_t book_put_compare_charts(const struct book_compare *c, uint32_t row);

/* book_pairs.c: what the comparison says of group g, the base's, in words, and
 * every pair of it in a table. Each returns the next row. */
uint32_t book_put_findings(const struct book_compare *c,
			   const struct book_group *g, uint32_t row);
uint32_t book_put_pairs(const struct book_compare *c, uint32_t row);
/* What has to be known before: caveats, points without a pair. */
uint32_t book_put_caveats(const struct book_compare *c, uint32_t row);

#endif
