/*
 * latency: reads latency.csv: merges the histograms of the done visits into
 * the results of their points, and finds the p99 of each visit.
 */
#ifndef EXPORT_LATENCY_H
#define EXPORT_LATENCY_H

#include "engine/err.h"
#include "export/result.h"
#include "export/runfile.h"

/*
 * Read the committed bytes of file, from its start, into
 * run->results[].latency, and lat_p99_ns of run->visits; visits and results are
 * there. Rows ascend by visit, direction and bucket, and a bucket is one of
 * struct hist's; anything else is an error with path:line. Rows of visits that
 * are not in run or not done are passed over. 0 or -errno with a sentence.
 */
int latency_read(const struct runfile *file, uint64_t committed_bytes,
		 struct run *run, struct err *err);

#endif
