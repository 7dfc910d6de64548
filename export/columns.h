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
};

/* What a getter looks at; visit is NULL in rows of points, result and run
 * are NULL in rows of visits. point is always there. */
struct column_row {
	const struct point *point;
	const struct visit *visit;
	const struct result *result;
	const struct run *run;
};

/* A cell: known is false for a blank. */
struct column_value {
	bool known;
	enum column_type type;
	const char *text; /* valid until the next call for that row */
	uint64_t integer;
	double real;
};

struct column {
	const char *name;  /* CSV header: block_size_bytes */
	const char *title; /* sheet header: Block size (KiB) */
	const char *unit;  /* "bytes", "us", "%", "" */
	const char *help;  /* one sentence */
	enum column_type type;
	uint32_t where;	    /* COLUMN_IN_* */
	double sheet_scale; /* the sheet shows value * this (1/1024 for KiB) */
	const char *sheet_format; /* number format, e.g. "#,##0.0" */
	void (*get)(const struct column_row *row, struct column_value *out);
	/* Read the cell back into point or visit (whichever it belongs to);
	 * text fields are interned by the caller's function. NULL for derived
	 * columns. 0 or -EINVAL. */
	int (*set)(const char *text, struct point *point, struct visit *visit,
		   const char *(*intern)(void *arg, const char *text),
		   void *arg);
};

extern const struct column columns[];
extern const size_t column_count;

/* NULL when there is no such name. */
const struct column *column_find(const char *name);

/* The cell as CSV text: integers exact, reals with up to 17 digits so that
 * they read back equal but as short as possible, C locale, blank when
 * unknown. Returns buf or the text itself. */
#define COLUMN_TEXT_MAX 64
const char *column_format(const struct column_value *value, char *buf);

#endif
