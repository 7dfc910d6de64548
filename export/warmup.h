/*
 * warmup: warmup.csv of a run folder: how caches became warm, a row a stretch
 * of a pass. It stands beside the results and nothing rests on it: there is no
 * file where nothing was warmed.
 */
#ifndef EXPORT_WARMUP_H
#define EXPORT_WARMUP_H

#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"

#define WARMUP_FILE "warmup.csv"
#define WARMUP_HEADER "variant,target,round,pass,elapsed_s,iops,mibps,hit_pct"

/* Append one row, and the header to a new file. hit_pct is blank where it is
 * not known. 0, or -errno with a sentence. */
int warmup_append(const char *folder, const struct warm_sample *sample,
		  struct err *err);

/* A row read back. Reals are NAN where they are blank. */
struct warmup_row {
	char *variant, *target; /* owned */
	uint32_t round, pass;
	double elapsed_s, iops, mibps, hit_pct;
};

struct warmup {
	struct warmup_row *rows; /* in file order; owned */
	uint32_t count;
};

/* Folders come from strangers: more is refused. */
#define WARMUP_ROWS_MAX 100000

/* Read the file of a folder; none is none of its rows. 0, or -errno with a
 * sentence. warmup_fini frees in both cases. */
int warmup_read(const char *folder, struct warmup *out, struct err *err);
void warmup_fini(struct warmup *w);

/* Where the warm-up that row i belongs to ends: one past its last row. */
uint32_t warmup_end(const struct warmup *w, uint32_t i);

#endif
