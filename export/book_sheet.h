/*
 * book_sheet: the sheets of a book and what they draw alike: heat maps and
 * charts over them. Internal to export/.
 */
#ifndef EXPORT_BOOK_SHEET_H
#define EXPORT_BOOK_SHEET_H

#include "export/book_model.h"
#include "export/xlsx.h"

/* Patterns, each with a sheet of its own where sides are compared. */
enum book_pattern {
	BOOK_SEQUENTIAL,
	BOOK_RANDOM,
	BOOK_MIXED,
	BOOK_PATTERN_COUNT
};

/* Sheets with a PivotTable each. */
#define BOOK_PIVOTS 2

struct book_sheets {
	struct xlsx_sheet *summary;
	struct xlsx_sheet *dashboard, *lists; /* NULL: nothing to choose */
	struct xlsx_sheet **workloads;	      /* one a workload; NULL: none */
	struct xlsx_sheet *sides[BOOK_PATTERN_COUNT]; /* NULL: no pairs */
	struct xlsx_sheet *targets;		      /* NULL: one target,
						       * no tags */
	struct xlsx_sheet *working_sets;	      /* NULL: no such axis */
	struct xlsx_sheet *latency, *histogram;	      /* NULL: not known */
	struct xlsx_sheet *series;		      /* NULL: no intervals */
	struct xlsx_sheet *warmup;		      /* NULL: none was made */
	/* NULL: not asked for, or nothing to show. */
	struct xlsx_sheet *pivots[BOOK_PIVOTS], *pivot_data;
	struct xlsx_sheet *results, *environment;
	/* What charts need and no reader: the next free row too. */
	struct xlsx_sheet *data;
	uint32_t data_row;
	uint32_t *group_rows; /* where each group begins on its sheet */
};

/* What is drawn of a very large sweep, since nobody looks at more and Excel
 * has no more columns; Summary's table and Results have all of it. */
#define BOOK_GROUPS_DRAWN 250
#define BOOK_COLUMNS_DRAWN 1000
bool book_is_drawn(const struct book_model *m, const struct book_group *g);
/* True when some group of a workload is among the first BOOK_GROUPS_DRAWN. */
bool book_has_sheet(const struct book_model *m, uint32_t workload);

/* Titles made of names and labels. */
#define BOOK_TITLE_MAX (4 * LABEL_MAX)

/* Where a chart goes, and how wide it may be. */
struct book_place {
	uint32_t row, column;
	uint32_t width; /* pixels */
};

/* Each fills its sheet; what fails in writing sticks to the workbook. The
 * int of some is 0 or -ENOMEM. */
int book_write_summary(const struct book_model *m, struct book_sheets *sheets);
void book_put_data_title(const struct book_model *m,
			 struct book_sheets *sheets);
/* Its lower part, from row on: what was run, and how to read it. */
void book_write_about(const struct book_model *m, struct xlsx_sheet *s,
		      uint32_t row);
/* True when some group has a sweet spot: else Summary has no charts. */
bool book_has_answers(const struct book_model *m);
/* The sheet with the numbers of Summary's two charts, and the charts. */
int book_write_data(const struct book_model *m, struct book_sheets *sheets,
		    const struct book_place places[2]);
void book_write_workload(const struct book_model *m, uint32_t workload,
			 struct book_sheets *sheets);
void book_write_sides(const struct book_model *m, enum book_pattern pattern,
		      struct book_sheets *sheets);
void book_write_targets(const struct book_model *m, struct book_sheets *sheets);
/* Whether some load was measured over several working sets. */
bool book_has_working_sets(const struct book_model *m);
void book_write_working_sets(const struct book_model *m,
			     struct book_sheets *sheets);
/* False where there is nothing to choose, or too much. */
bool book_has_dashboard(const struct book_model *m);
int book_write_dashboard(const struct book_model *m,
			 struct book_sheets *sheets);
int book_write_latency(const struct book_model *m, struct book_sheets *sheets);
int book_write_histogram(const struct book_model *m,
			 struct book_sheets *sheets);
int book_write_series(const struct book_model *m, struct book_sheets *sheets);
/* True when a run has the curve of a warm-up. */
bool book_has_warmup(const struct book_model *m);
void book_write_warmup(const struct book_model *m, struct book_sheets *sheets);
int book_write_results(const struct book_model *m, struct book_sheets *sheets);
void book_write_environment(const struct book_model *m,
			    struct book_sheets *sheets);

/* Width of Summary: of its table, and of all that is below. */
#define BOOK_SUMMARY_COLUMNS 13
#define BOOK_SUMMARY_NAME_PX 250 /* of the first column */
#define BOOK_SUMMARY_PX 1430

enum book_pattern book_pattern_of(const struct point *p);

/*
 * Sheets with charts are cut into slots of columns of one width, so that two
 * charts stand side by side, each under its own table, a column between.
 */
#define BOOK_CELL_PX 66
#define BOOK_DATA_HEAD_PX 62 /* of names of points, on the sheet of data */
#define BOOK_ROW_PX 20
#define BOOK_SLOT 9 /* columns: 594 pixels */
#define BOOK_CHART_HEIGHT 380
#define BOOK_CHART_ROWS 20 /* that high, with room below */

struct book_slots {
	uint32_t columns;  /* of a slot */
	bool side_by_side; /* tables fit into the slots */
};

/* Columns that two slots and their gap take. */
static inline uint32_t book_slots_width(const struct book_slots *slots)
{
	return 2 * slots->columns + 1;
}

/* Slots for tables of so many columns, labels included; sets the widths. */
struct book_slots book_set_slots(struct xlsx_sheet *s, uint32_t columns);

/* First column of slot 0 or 1. */
static inline uint32_t book_slot(const struct book_slots *slots, uint32_t n)
{
	return n ? slots->columns + 1 : 0;
}

/* Title, what it is about, and the way back, printed on each page. Returns
 * the next row. */
uint32_t book_put_title(struct xlsx_sheet *s, const struct book_model *m,
			const char *title, struct book_sheets *sheets,
			uint32_t last_column);

/* Lines that a text takes in a cell of that many pixels, not too few. */
uint32_t book_count_lines(const char *text, uint32_t width);

/* Text over the columns 0 to last, in a row as high as it needs at that
 * width in pixels. */
void book_put_lines(struct xlsx_sheet *s, uint32_t row, uint32_t last_column,
		    uint32_t width, enum xlsx_style style, const char *text);

/* Least and largest positive finite value; NAN while there is none. */
struct book_extent {
	double low, high;
};
void book_extend(struct book_extent *e, double value);

/* "IOPS", "MB/s", "Average latency", "p99 latency": in titles of charts. */
const char *book_metric_title(enum book_metric metric);
/* With its unit, for axes and tables. */
const char *book_metric_unit(enum book_metric metric);
enum xlsx_style book_metric_style(enum book_metric metric, bool best);
bool book_metric_is_latency(enum book_metric metric);

/* A table of block size (down) and outstanding (across), coloured. */
struct book_heat {
	struct xlsx_range values;
	struct book_extent extent;
	const char *caption;
	enum xlsx_heat colors;
	enum xlsx_style style, best_style;
	bool less_is_better;
};

/* Its lines go over the block sizes, since there is one outstanding only. */
static inline bool book_is_over_sizes(const struct grid *g)
{
	return g->column_count == 1 && g->row_count > 1;
}

/* The value of a cell, NAN where there is none. */
typedef double book_cell(const void *arg, const struct result *r);

/*
 * Draw it at row, column: caption, header, then a row a block size; fills
 * values and extent. Returns the row behind it.
 */
uint32_t book_put_heat(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       const struct grid *g, struct book_heat *heat,
		       book_cell *cell, const void *arg);
uint32_t book_put_metric(struct xlsx_sheet *s, uint32_t row, uint32_t column,
			 const struct grid *g, enum book_metric metric,
			 struct book_heat *heat);

/* Into picked: at most XLSX_SERIES_MAX of count things for a chart, spread
 * evenly, first and last among them. Returns how many. */
uint32_t book_pick(uint32_t count, uint32_t picked[XLSX_SERIES_MAX]);

#endif
