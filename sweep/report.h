/*
 * report: the derived files of a run folder, points.csv and report.xlsx, made
 * from the folder alone.
 */
#ifndef SWEEP_REPORT_H
#define SWEEP_REPORT_H

#include "engine/err.h"
#include "export/book.h"
#include "export/result.h"

#define REPORT_BOOK "report.xlsx"
#define REPORT_POINTS "points.csv"

/* Rewrite both by temp file and rename. run was loaded from its folder. 0 or
 * -errno with a sentence; the older files stay on failure. */
int report_write(const struct run *run, const struct book_opts *opts,
		 struct err *err);

/* The same, loading the folder first. */
int report_refresh(const char *folder, const struct book_opts *opts,
		   struct err *err);

#endif
