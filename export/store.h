/*
 * store: writes a run folder (DESIGN.md, "Run folder"). A visit is kept when
 * its row in visits.csv, newline included, is on disk: it is written and
 * fsynced last.
 */
#ifndef EXPORT_STORE_H
#define EXPORT_STORE_H

#include "engine/err.h"
#include "engine/point.h"
#include "engine/visit.h"
#include "export/result.h"

struct store;

/*
 * Make the folder (it must not exist; parents are made; 0700 when root) with
 * run.ini (facts, in order, grouped by section), plan.csv and the headers of
 * the other files, all fsynced, and lock it. 0 or -errno with a sentence.
 */
int store_create(const char *folder, const struct run_fact *facts,
		 uint32_t fact_count, const struct point *points,
		 uint32_t point_count, struct store **out, struct err *err);

/* Open an existing folder to go on: locks it, cuts torn tails and rows
 * without a commit record. The next visit id follows the largest there. */
int store_reopen(const char *folder, struct store **out, struct err *err);

/*
 * Append one visit: latency.csv and series.csv first, visits.csv last, then
 * fsync. v->id is set. 0, or -errno with a sentence (a full disk); on failure
 * nothing of the visit counts and the store stays usable for a retry.
 */
int store_append(struct store *s, const struct point *p, struct visit *v,
		 struct err *err);

const char *store_folder(const struct store *s);

/* Close, unlock, free; the first error of a close is returned with a
 * sentence. NULL is allowed. */
int store_close(struct store *s, struct err *err);

/* Write points.csv (columns COLUMN_IN_POINTS) to path by temp file and
 * rename; for folder/points.csv and for `export -O x.csv` (safe quoting).
 * Several runs may share one file: the column `run` tells them apart. */
int store_write_points(const char *path, const struct run *const *runs,
		       uint32_t run_count, struct err *err);

#endif
