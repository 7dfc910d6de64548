/*
 * series: reads series.csv, the intervals of the done visits.
 */
#ifndef EXPORT_SERIES_H
#define EXPORT_SERIES_H

#include "engine/err.h"
#include "export/result.h"
#include "export/runfile.h"

/*
 * Read the committed bytes of file, from its start, into the samples of
 * run->visits. Rows ascend by visit, samples count from 0 without a gap;
 * anything else is an error with path:line. Rows of visits that are not in run
 * or not done are passed over. 0 or -errno with a sentence.
 */
int series_read(const struct runfile *file, uint64_t committed_bytes,
		struct run *run, struct err *err);

#endif
