/*
 * warmup: warmup.csv of a run folder: how caches became warm, a row a stretch
 * of a pass. It stands beside the results and nothing rests on it: there is no
 * file where nothing was warmed.
 */
#ifndef EXPORT_WARMUP_H
#define EXPORT_WARMUP_H

#include "engine/err.h"
#include "engine/measure.h"

#define WARMUP_FILE "warmup.csv"
#define WARMUP_HEADER "variant,target,round,pass,elapsed_s,iops,mibps,hit_pct"

/* Append one row, and the header to a new file. hit_pct is blank where it is
 * not known. 0, or -errno with a sentence. */
int warmup_append(const char *folder, const struct warm_sample *sample,
		  struct err *err);

#endif
