/*
 * rawbook: the run folder's own tables as a workbook without charts, for
 * readers who make their own: Visits, Intervals (series.csv), Latency
 * (latency.csv), Devices, Points (plan.csv), row for row under the names of
 * the CSV. Nothing is held in memory but a row, so that its size does not
 * matter. Where a sheet is full the rows go on in the next: "Intervals (2)".
 */
#ifndef EXPORT_RAWBOOK_H
#define EXPORT_RAWBOOK_H

#include <stdint.h>

#include "engine/err.h"

/* Most rows of a sheet, the header's with them. */
#define RAWBOOK_ROWS_MAX 1048576

/*
 * Write path by temp file and rename in its folder. Of several runs the first
 * column is the label. Rows without a commit record are left out, as
 * everywhere. rows_max: RAWBOOK_ROWS_MAX, or less for tests; from 2. 0 or
 * -errno with a sentence; on failure an older file at path is untouched.
 */
int rawbook_write(const char *path, const char *const *folders, uint32_t count,
		  uint32_t rows_max, struct err *err);

#endif
