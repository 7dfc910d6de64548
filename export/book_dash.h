/*
 * book_dash: what can be chosen on the sheet Dashboard, and the number that
 * each choice leads to. Pure. Internal to export/.
 */
#ifndef EXPORT_BOOK_DASH_H
#define EXPORT_BOOK_DASH_H

#include "export/book_model.h"
#include "export/xlsx.h"

/* Dropdowns, in the order in which they stand. */
enum dash_axis {
	DASH_METRIC,
	DASH_PATTERN, /* or the workload, where they have names */
	DASH_READ,    /* numbers, %; one only where workloads have names */
	DASH_VARIANT, /* what tells groups of one workload apart */
	DASH_COMPARE, /* the same list */
	DASH_SIZE,
	DASH_AXES
};

/* More groups would make lists that nobody reads. */
#define DASH_CHOICES_MAX 64
#define DASH_SIDE_MAX XLSX_SERIES_MAX /* of the heat map */

struct dash_list {
	const char *name;
	uint32_t count;
	/* What is chosen; unique whatever its case, without the wildcards of
	 * MATCH, never like a formula. */
	char texts[DASH_CHOICES_MAX][LABEL_MAX];
	double numbers[DASH_CHOICES_MAX]; /* of DASH_READ, in its place */
};

struct book_dash {
	const struct book_model *model;
	struct dash_list lists[DASH_AXES];
	uint64_t sizes[DASH_SIDE_MAX];
	uint32_t outstandings[DASH_SIDE_MAX];
	uint32_t size_count, outstanding_count;
	/* Of each group, index into the lists. */
	uint32_t place[DASH_CHOICES_MAX][DASH_AXES];
};

/* False, out of no use, when there is nothing to choose from, too much, or no
 * memory. */
bool book_dash_init(struct book_dash *d, const struct book_model *m);

/* Indices into the lists; NAN where nothing was measured. */
double book_dash_value(const struct book_dash *d,
		       const uint32_t place[DASH_AXES], uint32_t size,
		       uint32_t outstanding);

#endif
