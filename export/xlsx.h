/*
 * xlsx: writes a workbook; the modules xlsx_*.c are the only ones that know
 * libxlsxwriter. Internal to export/: book_*.c say what goes where, this says
 * how it is written so that every program opens it.
 *
 * The first failure sticks: every later call does nothing and xlsx_close
 * tells it, so callers check once. Text may be anything: it is cleaned here.
 * A number that is not finite leaves its cell empty; one with a fraction is
 * rounded to nine digits, which nothing measured fills: a quarter less file.
 * Rows and columns count from 0.
 */
#ifndef EXPORT_XLSX_H
#define EXPORT_XLSX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "export/theme.h"

/* Most rows of a sheet. */
#define XLSX_ROWS_MAX 1048576
/* Most characters of a cell and of a sheet's name, in UTF-16 units. */
#define XLSX_CELL_MAX 32767
#define XLSX_NAME_MAX 31
/* Room for a sheet's name: 3 bytes a unit at most, and the NUL. */
#define XLSX_NAME_SIZE (XLSX_NAME_MAX * 3 + 1)

struct xlsx;
struct xlsx_sheet; /* owned by its workbook */

/* How a cell looks. The numbers say their format. */
enum xlsx_style {
	XLSX_TEXT,
	XLSX_TITLE,
	XLSX_HEADING,
	XLSX_CAPTION, /* bold, above a table */
	XLSX_NOTE,    /* small and grey */
	XLSX_RIGHT,   /* text to the right, as in 64K among numbers */
	XLSX_TOP,     /* bold, name of a row */
	XLSX_WRAP,    /* text over several lines */
	XLSX_LINK,
	XLSX_BESIDE,	  /* text right of a number: set in a little */
	XLSX_WRAP_BESIDE, /* the same over several lines */
	XLSX_WARNING,	  /* a sentence over the sheet, on yellow */
	XLSX_SAYING,	  /* a conclusion: the same, larger */
	XLSX_HEAD,	  /* header of a table: text, wrapped */
	XLSX_HEAD_BESIDE, /* over XLSX_BESIDE */
	XLSX_HEAD_NUMBER, /* header of a table over numbers: to the right */
	XLSX_HEAD_GROUP,  /* over several of them: to the middle */
	XLSX_LABEL,	  /* name of a row in a table */
	XLSX_TILE_NAME,
	XLSX_TILE_COUNT,  /* 1,234 */
	XLSX_TILE_NUMBER, /* three digits and more: 0.52, 1,234 */
	XLSX_TILE_MS,
	XLSX_TILE_RATIO,
	XLSX_TILE_TEXT,
	XLSX_TILE_NOTE,
	XLSX_INPUT,	  /* to choose in: in a frame */
	XLSX_INTEGER,	  /* 1234 */
	XLSX_GENERAL,	  /* as many digits as it has */
	XLSX_COUNT,	  /* 1,234 */
	XLSX_NUMBER,	  /* three digits and more */
	XLSX_MS,	  /* the same, for milliseconds */
	XLSX_PERCENT,	  /* 98.5 */
	XLSX_RATIO,	  /* 1.25x */
	XLSX_NUMBER_BEST, /* bold in a box */
	XLSX_MS_BEST,
	XLSX_RATIO_BEST,
	XLSX_FASTER, /* verdicts of a comparison */
	XLSX_SLOWER,
	XLSX_UNSURE,
	XLSX_STYLE_COUNT
};

struct xlsx_range {
	const struct xlsx_sheet *sheet;
	uint32_t row, column, last_row, last_column;
};

/*
 * Begin a workbook that will be written to path (an existing file is
 * replaced at xlsx_close). theme, which may be NULL, gives author, font,
 * colours and words: a heading, a title of a chart or an axis and the name of a
 * sheet that is one of its words is put as it says. It outlives the workbook.
 * created: seconds since 1970 of the document property; equal contents then
 * give equal bytes. title is a property too. 0 or -errno with a sentence, which
 * leaves it to the caller to name the file.
 */
int xlsx_open(const char *path, int64_t created, const char *title,
	      const struct theme *theme, struct xlsx **out, struct err *err);

/*
 * The same for any number of rows in little memory: each sheet takes its rows
 * in ascending order, each row whole before the next, and neither tables nor
 * charts.
 */
int xlsx_open_in_order(const char *path, int64_t created, const char *title,
		       struct xlsx **out, struct err *err);

/*
 * Write the file, verify that every part of it came out whole, and free. 0,
 * or -errno with the sentence of the first failure since xlsx_open; what lies
 * at path is then of no use.
 */
int xlsx_close(struct xlsx *x, struct err *err);

/* Free without writing. */
void xlsx_drop(struct xlsx *x);

/* A sheet at the end. The name is made fit: see xlsx_sheet_name. NULL after a
 * failure; every function takes a NULL sheet and does nothing. */
struct xlsx_sheet *xlsx_add_sheet(struct xlsx *x, const char *name);

/* That of its workbook; NULL for none. */
const struct theme *xlsx_theme(const struct xlsx_sheet *s);

/* What its tab says, "" for NULL. */
const char *xlsx_name(const struct xlsx_sheet *s);
/* Its part in the package is xl/worksheets/sheet<number>.xml; 0 for NULL. */
uint32_t xlsx_part_number(const struct xlsx_sheet *s);

void xlsx_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
	       enum xlsx_style style, const char *text);
void xlsx_number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		 enum xlsx_style style, double value);
/* What a cell holds of a number: nine digits where it has a fraction. */
double xlsx_nine_digits(double value);
/* The number format of a style; NULL: none. */
const char *xlsx_style_format(enum xlsx_style style);
/* A number with a number format of the caller, such as "#,##0.0"; the format
 * must outlive the workbook. */
void xlsx_number_as(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		    const char *format, double value);
/*
 * A formula with the value that it has now, for programs that do not
 * calculate: a number, or a text. NAN is an empty text, also where the formula
 * makes #N/A of it: the library cannot write an error, and a text that looks
 * like one is none. The formula is ours alone, never made of a user's text.
 */
void xlsx_formula(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		  enum xlsx_style style, const char *formula, double value);
void xlsx_formula_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       enum xlsx_style style, const char *formula,
		       const char *value);
/* 'Sheet name'!$A$1:$B$9 for a formula, into buf; returns buf. */
#define XLSX_REFERENCE_MAX (XLSX_NAME_SIZE + 32)
char *xlsx_reference(const struct xlsx_range *range, char *buf);
/* Name a range. Begins with a word and _, so that it is like no cell. */
void xlsx_define(const struct xlsx_range *range, const char *name);
/* A dropdown in a cell with what stands in the cells of from. */
void xlsx_choose(const struct xlsx_range *cell, const struct xlsx_range *from);
/* Text that leads to a cell of a sheet. */
void xlsx_link(struct xlsx_sheet *s, uint32_t row, uint32_t column,
	       const char *text, const struct xlsx_sheet *target,
	       uint32_t target_row);
/* Text or number over several columns of one row; one column is allowed. */
void xlsx_wide_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		    uint32_t last_column, enum xlsx_style style,
		    const char *text);
void xlsx_wide_number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		      uint32_t last_column, enum xlsx_style style,
		      double value);

/* Pixels at 100%; columns are 64 and rows 20 where nothing is said. */
void xlsx_width(struct xlsx_sheet *s, uint32_t column, uint32_t last_column,
		uint32_t pixels);
void xlsx_height(struct xlsx_sheet *s, uint32_t row, uint32_t pixels);
/* Rows above and columns to the left stay in view. */
void xlsx_freeze(struct xlsx_sheet *s, uint32_t row, uint32_t column);
/* Buttons to filter by, in the first row of the range. */
void xlsx_filter(const struct xlsx_range *range);
/* Print the first rows on every page. */
void xlsx_repeat(struct xlsx_sheet *s, uint32_t row, uint32_t last_row);
/* Print no more than the cells up to here. */
void xlsx_print(struct xlsx_sheet *s, uint32_t last_row, uint32_t last_column);
/* A printed page begins with this row; calls in ascending order. */
void xlsx_break(struct xlsx_sheet *s, uint32_t row);

/* The theme's logo, where it has one, with its right edge at that many pixels
 * from the left, no higher than height. */
void xlsx_logo(struct xlsx_sheet *s, uint32_t right, uint32_t height);

enum xlsx_heat { XLSX_HEAT_MORE, XLSX_HEAT_LATENCY, XLSX_HEAT_SPEEDUP };
/* Colour the numbers of a range by their size. */
void xlsx_heat(const struct xlsx_range *range, enum xlsx_heat heat);

struct xlsx_header {
	const char *text; /* unique in its table, whatever its case */
	enum xlsx_style style;
};

/* Make the range an Excel table: a row of headers, which are written here
 * (one a column), and at least one more row. */
void xlsx_table(const struct xlsx_range *range, const char *name,
		const struct xlsx_header *headers);

enum xlsx_chart_kind { XLSX_LINE, XLSX_COLUMN, XLSX_SCATTER };
enum xlsx_palette {
	XLSX_PALETTE_SERIES, /* eight that stay apart, then dashed */
	XLSX_PALETTE_SIDES,  /* not cached, cached, then others */
	XLSX_PALETTE_TIME,   /* one that is, its start-up, one beside it */
};

struct xlsx_series {
	struct xlsx_range name;	      /* one cell */
	struct xlsx_range categories; /* x of a scatter chart; one or two
				       * columns, or one row */
	struct xlsx_range values;     /* as long as the categories */
};

/* Where values and name of a series are formulas, what they say now: as many
 * as there are cells, NAN for #N/A; name NULL: it is none. */
struct xlsx_cached {
	const double *values;
	const char *name;
};

/* One axis. low and high bound the data that is drawn (NAN: unknown). */
struct xlsx_axis {
	const char *title; /* with its unit */
	bool log;	   /* base 10, over whole decades around low, high */
	double low, high;
};

/* Excel draws at most 255 series; eyes tell far fewer apart. */
#define XLSX_SERIES_MAX 16

struct xlsx_chart {
	enum xlsx_chart_kind kind;
	enum xlsx_palette palette;
	const char *title; /* begins with a word of ours, never with '=' */
	bool plain;	   /* lines without markers */
	struct xlsx_axis x, y;
	bool x_from_zero;	/* linear, to a round number above its high */
	const char *y_format;	/* of its numbers; NULL: with commas, and digits
				 * where they are small */
	uint32_t width, height; /* pixels */
	const struct xlsx_series *series;
	uint32_t series_count; /* from 1 */
	uint32_t limit_count;  /* so many, the last of them, are lines
				* to stay below: thin and dashed */
	const struct xlsx_cached *cached; /* one a series; NULL: no formulas */
};

/* Draw a chart with its corner in the corner of a cell. */
void xlsx_chart(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		const struct xlsx_chart *chart);

/* xlsx_text.c: pure, no library. */

/*
 * Text as XML can carry it, on the heap: invalid UTF-8 becomes U+FFFD,
 * control characters become blanks, _x0041_ (which Excel would read as 'A') is
 * escaped when in_cell is set, and a text longer than max UTF-16 units ends
 * in an ellipsis. NULL when out of memory.
 */
char *xlsx_clean(const char *text, size_t max, bool in_cell);
/* True only where xlsx_clean would give the same text, as of most; quick. */
bool xlsx_is_clean(const char *text, size_t max);

/* Whether name is one of count names, whatever its case. */
bool xlsx_is_among(const char *name, const char *const *names, size_t count);

/*
 * A name that Excel accepts for a sheet and that is not among names (count
 * of them, compared without case): cleaned, without []:*?/\!'#, not "History",
 * not empty, not like a cell's address, at most 31 UTF-16 units; "(2)" and so
 * on at the end where it is taken.
 */
void xlsx_sheet_name(const char *wanted, const char *const *names, size_t count,
		     char out[XLSX_NAME_SIZE]);

/* xlsx_verify.c: every part of the package at path can be read back, its
 * checksum is right and its XML ends as it began. libxlsxwriter does not see
 * a write to its temporary files that fails. 0 or -EIO with a sentence. */
int xlsx_verify(const char *path, struct err *err);

#endif
