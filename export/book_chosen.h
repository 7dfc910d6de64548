/*
 * book_chosen: the points of a book that are worth a look of their own: the
 * sweet spot of each group, and its peak of IOPS where that is another. Pure.
 * Internal to export/.
 */
#ifndef EXPORT_BOOK_CHOSEN_H
#define EXPORT_BOOK_CHOSEN_H

#include "export/book_model.h"
#include "export/xlsx.h"

struct book_chosen {
	const struct book_group *group;
	const struct result *result;
	/* "Random read 64K at 32, buffered" */
	char name[2 * LABEL_MAX];
	const char *why; /* "sweet spot", "peak IOPS" */
};

/* No more than a chart can show. */
struct book_choice {
	struct book_chosen items[XLSX_SERIES_MAX];
	uint32_t count;
};

/* Does the result have what it is to be chosen for? */
typedef bool book_has(const struct book_group *g, const struct result *r);

/* All that has it; the sweet spots alone where both are too many, and of
 * those some, spread evenly. */
void book_choose(const struct book_model *m, book_has *has,
		 struct book_choice *out);

/* Has histograms; has intervals in its visits. */
bool book_has_histogram(const struct book_group *g, const struct result *r);
bool book_has_series(const struct book_group *g, const struct result *r);

#endif
