/*
 * columns: the one table of every column: name, unit, meaning, how to read it
 * from and write it to the model. It drives plan.csv, visits.csv, points.csv,
 * the CSV export, the Results sheet and `iosweep columns`.
 */
#ifndef EXPORT_COLUMNS_H
#define EXPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/strings.h"
#include "export/cell.h"
#include "export/result.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_INTEGER, /* exact, up to 64 bits */
	COLUMN_REAL,
};

/* Where a column stands. */
enum {
	COLUMN_IN_PLAN = 1,   /* plan.csv: enough to make the point again */
	COLUMN_IN_VISITS = 2, /* visits.csv: enough to make the visit again */
	COLUMN_IN_POINTS = 4, /* points.csv and the CSV export */
	COLUMN_IN_SHEET = 8,  /* sheet Results */
	COLUMN_IN_PAIRS = 32, /* CSV of `iosweep compare`: a row a pair */
	/* plan.csv and visits.csv do not go without; the first version of the
	 * folder had it: columns that come later are not required. */
	COLUMN_REQUIRED = 16,
};

/* How long the files beside visits.csv are with this visit. */
struct commit {
	uint64_t latency_bytes;
	uint64_t series_bytes;
	uint64_t devices_bytes;
};

/* What a getter looks at; visit is NULL in rows of points, result and run
 * are NULL in rows of visits, commit is NULL but in visits.csv. point is
 * always there. */
struct compare;
struct compare_pair;
struct compare_lost;
struct column_row {
	const struct point *point;
	const struct visit *visit;
	const struct result *result;
	const struct run *run;
	const struct commit *commit;
	/* In rows of pairs, where point is the base's: one of the last two. */
	const struct compare *compare;
	const struct compare_pair *pair;
	const struct compare_lost *lost;
};

/* What a setter writes to: the point in rows of plan.csv, the visit and the
 * commit in rows of visits.csv, the others NULL. strings keeps the texts of
 * points. */
struct column_target {
	struct point *point;
	struct visit *visit;
	struct commit *commit;
	struct strings *strings;
};

/* A cell: known is false for a blank. */
struct column_value {
	bool known;
	enum column_type type;
	const char *text; /* lives as long as the row's structs and this */
	uint64_t integer;
	double real;
	char buf[CELL_ERRORS_MAX]; /* where text points when it is made up */
};

struct column {
	const char *name;  /* CSV header: block_size_bytes */
	const char *title; /* sheet header: Block size (KiB) */
	const char *unit;  /* "bytes", "us", "%", "" */
	const char *help;  /* one sentence */
	enum column_type type;
	uint32_t where;	    /* COLUMN_IN_* and COLUMN_REQUIRED */
	double sheet_scale; /* the sheet shows value * this (1/1024 for KiB) */
	const char *sheet_format; /* number format, e.g. "#,##0.0" */
	void (*get)(const struct column_row *row, struct column_value *out);
	/* Read a cell that is not blank back into the model. NULL for derived
	 * columns. 0, -EINVAL (target untouched) or -ENOMEM. */
	int (*set)(const char *text, const struct column_target *target);
};

extern const struct column columns[];
extern const size_t column_count;

/* NULL when there is no such name. */
const struct column *column_find(const char *name);

/* The cell as CSV text: integers exact, reals as short as they read back
 * equal, C locale, blank when unknown. Returns the value's own text, or buf
 * of COLUMN_TEXT_MAX bytes. */
#define COLUMN_TEXT_MAX CELL_TEXT_MAX
const char *column_format(const struct column_value *value, char *buf);

#endif
