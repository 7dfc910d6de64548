/*
 * book: the Excel workbook of one or several runs (WORKBOOK: Summary, a sheet
 * a workload, Cache effect, Compare targets, Results, Environment), native
 * charts, no macros; where asked for, PivotTables with their charts.
 */
#ifndef EXPORT_BOOK_H
#define EXPORT_BOOK_H

#include "engine/err.h"
#include "export/result.h"
#include "export/sides.h"
#include "export/sweetspot.h"
#include "export/tags.h"
#include "export/theme.h"

struct book_opts {
	const struct latency_limit *limit; /* NULL: none */
	const char *title;		   /* NULL: "Storage sweep: <label>" */
	const struct theme *theme;	   /* NULL: the default look */
	const struct sides_opts *sides; /* which to compare; NULL: as found */
	bool pivot;			/* with PivotTables and PivotCharts */
	/* Filled where the book came out, but plain; NULL: nobody asks. */
	struct err *warning;
	/* Names of tags, or target, run, variant, to make rows of
	 * configurations by; NULL: all tags, where there are some. */
	const struct tags_keys *group_by;
};

/*
 * Write path by temp file and rename in its folder. Several runs become one
 * book; a run's label is its variant where its points have none. 0 or -errno
 * with a sentence; on failure an older file at path is untouched. Where only
 * the PivotTables fail, the book is written with their values as plain cells.
 */
int book_write(const char *path, const struct run *const *runs,
	       uint32_t run_count, const struct book_opts *opts,
	       struct err *err);

#endif
