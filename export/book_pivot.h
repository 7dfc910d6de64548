/*
 * book_pivot: the sheets of a book that its PivotTables stand on, and that of
 * their records. Internal to export/.
 */
#ifndef EXPORT_BOOK_PIVOT_H
#define EXPORT_BOOK_PIVOT_H

#include "export/book_sheet.h"
#include "export/pivot_parts.h"

struct book_pivot {
	struct pivot pivot;
	struct pivot_view views[BOOK_PIVOTS];
	uint32_t view_count; /* 0: nothing was measured */
};

/* 0 or -ENOMEM; book_pivot_fini in both cases. */
int book_pivot_init(struct book_pivot *b, const struct book_model *m);
void book_pivot_fini(struct book_pivot *b);

/* Add the sheets of the views, and later that of the records. */
void book_add_pivots(struct xlsx *x, const struct book_pivot *b,
		     struct book_sheets *sheets);
void book_add_pivot_data(struct xlsx *x, const struct book_pivot *b,
			 struct book_sheets *sheets);

/* Fill them: whole by themselves, with values and plain charts; the views then
 * know where they stand. */
void book_write_pivots(const struct book_model *m, struct book_pivot *b,
		       struct book_sheets *sheets);

/* Write the book at path to `to` with its PivotTables, see pivot_attach. */
int book_attach_pivots(const char *path, const struct book_model *m,
		       const struct book_pivot *b, FILE *to, struct err *err);

#endif
