/*
 * pivot: the PivotTable of a book in plain data: its fields, its records (a
 * point that was measured each), and what a table shows of them. The sheets,
 * the cache and the chart are all made of this. Internal to export/; knows no
 * cell and no XML.
 */
#ifndef EXPORT_PIVOT_H
#define EXPORT_PIVOT_H

#include <stdbool.h>
#include <stdint.h>

#include "export/book_model.h"

enum pivot_key {
	/* What tells points apart; each has items. */
	PIVOT_TARGET,
	PIVOT_VARIANT,
	PIVOT_CACHE,
	PIVOT_STATE,
	PIVOT_ENGINE,
	PIVOT_THREADS,
	PIVOT_WORKLOAD,
	PIVOT_OPERATION,
	PIVOT_PATTERN,
	PIVOT_WORKING_SET,
	PIVOT_BLOCK_SIZE,
	PIVOT_OUTSTANDING,
	PIVOT_KEYS,
	/* What was measured. */
	PIVOT_IOPS = PIVOT_KEYS,
	PIVOT_MIBPS,
	PIVOT_LATENCY, /* ms */
	PIVOT_P99,     /* ms */
	PIVOT_FIELDS
};
#define PIVOT_MEASURES (PIVOT_FIELDS - PIVOT_KEYS)

/* More categories than this make a chart that nobody can read: the outermost
 * field then becomes a filter. */
#define PIVOT_CATEGORIES_MAX 256

enum pivot_place {
	PIVOT_ASIDE, /* in the list of fields only */
	PIVOT_PAGE,  /* a filter above the table */
	PIVOT_ROW,
};

/* Excel takes no longer item; short names stay far below. */
#define PIVOT_TEXT_MAX 255

struct pivot_item {
	char *text;    /* owned; NULL: a number */
	double number; /* its order too */
};

struct pivot_field {
	const char *name; /* as the theme says; unique in the pivot */
	enum pivot_place place;
	struct pivot_item *items; /* in ascending order; none for measures */
	uint32_t item_count;
	uint32_t chosen; /* the item that a filter lets through */
};

/* A measured point. */
struct pivot_record {
	uint32_t item[PIVOT_KEYS];
	double value[PIVOT_MEASURES]; /* NAN: unknown */
};

/* A line of the table: the records that have its items. */
struct pivot_line {
	const struct pivot_record *first;
	double value[PIVOT_MEASURES]; /* their mean; NAN: unknown */
};

struct pivot {
	struct pivot_field fields[PIVOT_FIELDS];
	const char *captions[PIVOT_MEASURES]; /* of the table's columns */
	struct pivot_record *records;	      /* in the order of the book */
	uint32_t record_count;
	enum pivot_key rows[PIVOT_KEYS]; /* from the outermost */
	uint32_t row_count;
	enum pivot_key pages[PIVOT_KEYS];
	uint32_t page_count;
	struct pivot_line *lines; /* in the order of their items */
	uint32_t line_count;
};

/* Points without a number are not among the records: a PivotTable would make
 * an error of their mean. 0 or -ENOMEM; pivot_fini in both cases. */
int pivot_init(struct pivot *p, const struct book_model *m);
void pivot_fini(struct pivot *p);

/* Whether any record has the measure. */
bool pivot_knows(const struct pivot *p, enum pivot_key measure);

/* How many of the row fields of a line are as in the line before; a table
 * shows the items of the others only. */
uint32_t pivot_repeated(const struct pivot *p, uint32_t line);

#endif
