/*
 * store: writes a run folder (DESIGN.md, "Run folder"):
 *
 *	run.ini      facts; [folder] format and points are the store's own
 *	plan.csv     a row a point
 *	latency.csv  visit,direction,bucket_lower_ns,bucket_upper_ns,count
 *	series.csv   visit,sample,t_ms,read_ios,write_ios,...
 *	devices.csv  visit,role,device,counter,value
 *	visits.csv   a row a visit: the commit record
 *	run.lock     while somebody writes
 *
 * A visit counts when its row in visits.csv, newline included, is on disk: it
 * is written and fsynced last, and says how long latency.csv, series.csv and
 *devices.csv are with it. What stands behind those lengths is nobody's. Texts
 *are kept as one line of clean UTF-8.
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
 * the other files, all fsynced, and lock it. points[i].index is i. 0 or -errno
 * with a sentence (-EPERM when the folder is there), and then nothing is left
 * of it.
 */
int store_create(const char *folder, const struct run_fact *facts,
		 uint32_t fact_count, const struct point *points,
		 uint32_t point_count, struct store **out, struct err *err);

/*
 * Open an existing folder to go on: locks it, cuts torn tails and rows without
 * a commit record, removes temporary files of a killed process. The next visit
 * id follows the largest there. 0 or -errno with a sentence: -EPERM
 * (ERR_REFUSED) when another process writes to it or its columns are not
 * those of this version, -EINVAL when it is damaged.
 */
int store_reopen(const char *folder, struct store **out, struct err *err);

/*
 * Append one visit, done, failed or skipped: latency.csv and series.csv (of
 * done ones) first, visits.csv last, each with one write and fdatasync. v->id
 * is set; v->point is the index of p. 0, or -errno with a sentence (a full
 * disk, -ENOENT for a folder that was removed); on failure nothing of the visit
 * counts and the store stays usable for a retry.
 */
int store_append(struct store *s, const struct point *p, struct visit *v,
		 struct err *err);

/*
 * Replace run.ini: facts and number of points as in store_create. 0 or -errno
 * with a sentence, and then the older one stays.
 */
int store_put_facts(struct store *s, const struct run_fact *facts,
		    uint32_t count, uint32_t point_count, struct err *err);

const char *store_folder(const struct store *s);

/* Close, unlock, free; the first error of a close is returned with a
 * sentence. NULL is allowed. */
int store_close(struct store *s, struct err *err);

/* Write points.csv (columns COLUMN_IN_POINTS) to path by temp file and
 * rename; for folder/points.csv and for `export -O x.csv` (safe quoting).
 * Several runs may share one file: the column `run` tells them apart. 0 or
 * -errno with a sentence; then what was at path is untouched. */
int store_write_points(const char *path, const struct run *const *runs,
		       uint32_t run_count, struct err *err);

/* The same with a row a pair of a comparison, then one for each point without
 * a pair (columns COLUMN_IN_PAIRS). */
struct compare;
int store_write_pairs(const char *path, const struct compare *c,
		      struct err *err);

#endif
