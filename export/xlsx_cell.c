#include "export/xlsx_lib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INK 0x1F2933
#define BLUE 0x0B3C5D
#define GREY 0x6B7280
#define LINE 0xB8C4D0
#define LINK 0x0563C1
#define HEAD_FILL 0xE6ECF2
#define TILE_FILL 0xF1F5F9
#define WARN_FILL 0xFFF4CE
/* As the ends of the scale of speed-ups, lighter. */
#define FASTER_FILL 0xCFE9F9
#define SLOWER_FILL 0xFBE3B8

/* Three digits are enough for a measured number; more for large ones. */
#define THREE_DIGITS "[<9.995]0.00;[<99.95]0.0;#,##0"
#define FORMAT_MS "[<0.9995]0.000;[<99.95]0.00;#,##0"
#define FORMAT_RATIO "0.00\"x\""

/* What is not said stays at the default; but what has the size of the body
 * stands at the top, so that a high row begins on one line. */
struct look {
	const char *number;
	double size;
	uint32_t ink, fill;
	bool bold, wrap, box, underline, apart, link, inset;
	uint8_t align, valign;
};

static const struct look looks[XLSX_STYLE_COUNT] = {
    [XLSX_TEXT] = {.ink = INK},
    [XLSX_TITLE] = {.size = 18, .bold = true, .ink = BLUE},
    [XLSX_HEADING] = {.size = 14, .bold = true, .ink = BLUE},
    [XLSX_CAPTION] = {.bold = true, .ink = INK},
    [XLSX_NOTE] = {.size = 9, .ink = GREY},
    [XLSX_RIGHT] = {.ink = INK, .align = LXW_ALIGN_RIGHT},
    [XLSX_TOP] = {.bold = true, .ink = INK},
    [XLSX_WRAP] = {.wrap = true, .ink = INK},
    [XLSX_LINK] = {.ink = LINK, .link = true},
    [XLSX_WARNING] = {.wrap = true,
		      .ink = INK,
		      .fill = WARN_FILL,
		      .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_SAYING] = {.size = 12,
		     .wrap = true,
		     .ink = INK,
		     .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_HEAD] = {.bold = true,
		   .wrap = true,
		   .ink = INK,
		   .fill = HEAD_FILL,
		   .underline = true,
		   .align = LXW_ALIGN_LEFT,
		   .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_BESIDE] = {.ink = INK, .inset = true},
    [XLSX_WRAP_BESIDE] = {.wrap = true, .ink = INK, .inset = true},
    [XLSX_HEAD_BESIDE] = {.bold = true,
			  .wrap = true,
			  .ink = INK,
			  .fill = HEAD_FILL,
			  .underline = true,
			  .inset = true,
			  .align = LXW_ALIGN_LEFT,
			  .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_HEAD_NUMBER] = {.bold = true,
			  .wrap = true,
			  .ink = INK,
			  .fill = HEAD_FILL,
			  .underline = true,
			  .align = LXW_ALIGN_RIGHT,
			  .number = "#,##0",
			  .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_HEAD_GROUP] = {.bold = true,
			 .wrap = true,
			 .ink = INK,
			 .fill = HEAD_FILL,
			 .apart = true,
			 .align = LXW_ALIGN_CENTER,
			 .valign = LXW_ALIGN_VERTICAL_CENTER},
    [XLSX_LABEL] = {.bold = true,
		    .ink = INK,
		    .fill = HEAD_FILL,
		    .align = LXW_ALIGN_LEFT},
    [XLSX_TILE_NAME] = {.size = 10,
			.ink = GREY,
			.fill = TILE_FILL,
			.align = LXW_ALIGN_CENTER},
    [XLSX_TILE_COUNT] = {.size = 20,
			 .bold = true,
			 .ink = BLUE,
			 .fill = TILE_FILL,
			 .align = LXW_ALIGN_CENTER,
			 .number = "#,##0"},
    [XLSX_TILE_NUMBER] = {.size = 20,
			  .bold = true,
			  .ink = BLUE,
			  .fill = TILE_FILL,
			  .align = LXW_ALIGN_CENTER,
			  .number = THREE_DIGITS},
    [XLSX_TILE_MS] = {.size = 20,
		      .bold = true,
		      .ink = BLUE,
		      .fill = TILE_FILL,
		      .align = LXW_ALIGN_CENTER,
		      .number = "[<0.9995]0.000\" ms\";[<99.95]0.00\" ms\";"
				"#,##0\" ms\""},
    [XLSX_TILE_RATIO] = {.size = 20,
			 .bold = true,
			 .ink = BLUE,
			 .fill = TILE_FILL,
			 .align = LXW_ALIGN_CENTER,
			 .number = FORMAT_RATIO},
    [XLSX_TILE_TEXT] = {.size = 20,
			.bold = true,
			.ink = BLUE,
			.fill = TILE_FILL,
			.align = LXW_ALIGN_CENTER},
    [XLSX_TILE_NOTE] = {.size = 9,
			.ink = GREY,
			.fill = TILE_FILL,
			.align = LXW_ALIGN_CENTER,
			.wrap = true,
			.valign = LXW_ALIGN_VERTICAL_TOP},
    [XLSX_INPUT] = {.bold = true,
		    .ink = BLUE,
		    .fill = WARN_FILL,
		    .box = true,
		    .align = LXW_ALIGN_LEFT},
    [XLSX_INTEGER] = {.ink = INK, .number = "0"},
    [XLSX_GENERAL] = {.ink = INK},
    [XLSX_COUNT] = {.ink = INK, .number = "#,##0"},
    [XLSX_NUMBER] = {.ink = INK, .number = THREE_DIGITS},
    [XLSX_MS] = {.ink = INK, .number = FORMAT_MS},
    [XLSX_PERCENT] = {.ink = INK, .number = "0.0"},
    [XLSX_RATIO] = {.ink = INK, .number = FORMAT_RATIO},
    [XLSX_NUMBER_BEST] = {.ink = INK,
			  .number = THREE_DIGITS,
			  .bold = true,
			  .box = true},
    [XLSX_MS_BEST] = {.ink = INK,
		      .number = FORMAT_MS,
		      .bold = true,
		      .box = true},
    [XLSX_RATIO_BEST] = {.ink = INK,
			 .number = FORMAT_RATIO,
			 .bold = true,
			 .box = true},
    [XLSX_FASTER] = {.ink = INK, .fill = FASTER_FILL, .inset = true},
    [XLSX_SLOWER] = {.ink = INK, .fill = SLOWER_FILL, .inset = true},
    [XLSX_UNSURE] = {.ink = GREY, .inset = true},
};

/* What the theme says instead. */
static uint32_t themed(uint32_t color, const struct theme *theme)
{
	if (theme && color == BLUE && theme->title_color)
		return theme->title_color;
	if (theme && color == HEAD_FILL && theme->head_color)
		return theme->head_color;
	return color;
}

static void dress(lxw_format *f, const struct look *look,
		  const struct theme *theme)
{
	format_set_font_color(f, themed(look->ink, theme));
	if (theme && theme->font[0])
		format_set_font_name(f, theme->font);
	if (look->number)
		format_set_num_format(f, look->number);
	if (look->size > 0)
		format_set_font_size(f, look->size);
	if (look->bold)
		format_set_bold(f);
	if (look->wrap)
		format_set_text_wrap(f);
	if (look->fill)
		format_set_bg_color(f, themed(look->fill, theme));
	if (look->align)
		format_set_align(f, look->align);
	if (look->valign)
		format_set_align(f, look->valign);
	else if (look->size <= 0)
		format_set_align(f, LXW_ALIGN_VERTICAL_TOP);
	if (look->inset)
		format_set_indent(f, 1);
	if (look->link)
		format_set_underline(f, LXW_UNDERLINE_SINGLE);
	if (look->box)
		format_set_border(f, LXW_BORDER_MEDIUM);
	if (look->apart) {
		format_set_left(f, LXW_BORDER_MEDIUM);
		format_set_left_color(f, LXW_COLOR_WHITE);
	}
	if (look->underline) {
		format_set_bottom(f, LXW_BORDER_THIN);
		format_set_bottom_color(f, LINE);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_look(const struct look *a, const struct look *b)
{
	return same_text(a->number, b->number) && a->size == b->size &&
	       a->ink == b->ink && a->fill == b->fill && a->bold == b->bold &&
	       a->wrap == b->wrap && a->box == b->box &&
	       a->underline == b->underline && a->apart == b->apart &&
	       a->link == b->link && a->inset == b->inset &&
	       a->align == b->align && a->valign == b->valign;
}

/*
 * The format of that look; those before n have theirs. Two formats must never
 * be alike: of the second the library does not remember that it knows it, and
 * hashes all of it again for every cell, a tenth of a large book's time.
 */
static lxw_format *format_of(struct xlsx *x, const struct look *look, int n)
{
	lxw_format *format;
	int i;

	for (i = 0; i < n; i++)
		if (same_look(&looks[i], look))
			return x->formats[i];
	format = workbook_add_format(x->lib);
	if (format)
		dress(format, look, x->theme);
	else
		xlsx_no_memory(x);
	return format;
}

void xlsx_make_formats(struct xlsx *x)
{
	int i;

	for (i = 0; i < XLSX_STYLE_COUNT && !x->rc; i++)
		x->formats[i] = format_of(x, &looks[i], i);
}

const char *xlsx_style_format(enum xlsx_style style)
{
	return looks[style].number;
}

/* Headings are ours, and words of a theme; other texts may be anybody's. */
static bool is_heading(enum xlsx_style style)
{
	return style == XLSX_TITLE || style == XLSX_HEADING ||
	       style == XLSX_CAPTION || style == XLSX_TOP ||
	       style == XLSX_HEAD || style == XLSX_HEAD_NUMBER ||
	       style == XLSX_HEAD_BESIDE || style == XLSX_HEAD_GROUP ||
	       style == XLSX_TILE_NAME;
}

static void text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		 enum xlsx_style style, const char *clean)
{
	xlsx_check(s->book,
		   worksheet_write_string(s->lib, row, (lxw_col_t)column, clean,
					  s->book->formats[style]),
		   "a text");
}

void xlsx_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
	       enum xlsx_style style, const char *said)
{
	char *clean;

	if (!xlsx_works(s))
		return;
	if (is_heading(style))
		said = theme_word(s->book->theme, said);
	if (xlsx_is_clean(said, XLSX_CELL_MAX)) {
		text(s, row, column, style, said);
		return;
	}
	clean = xlsx_clean(said, XLSX_CELL_MAX, true);
	if (clean)
		text(s, row, column, style, clean);
	else
		xlsx_no_memory(s->book);
	free(clean);
}

/*
 * Nine digits of a number with a fraction. Powers of ten up to 10^22 and whole
 * numbers below 2^53 are exact in a double, so that the quotient is the double
 * nearest to those nine digits, and is written as them.
 */
double xlsx_nine_digits(double value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,	1e4,  1e5,
					1e6,  1e7,  1e8,  1e9,	1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16};
	double size = fabs(value);
	size_t i = 0;

	if (size < 1e-8 || size >= 1e8 || size == floor(size))
		return value;
	while (size * powers[i] < 1e8)
		i++;
	return round(value * powers[i]) / powers[i];
}

static void number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		   lxw_format *format, double value)
{
	if (!isfinite(value))
		return;
	xlsx_check(s->book,
		   worksheet_write_number(s->lib, row, (lxw_col_t)column,
					  xlsx_nine_digits(value), format),
		   "a number");
}

void xlsx_number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		 enum xlsx_style style, double value)
{
	if (xlsx_works(s))
		number(s, row, column, s->book->formats[style], value);
}

static lxw_format *own_format(struct xlsx *x, const char *text)
{
	const struct look look = {.ink = INK, .number = text};
	lxw_format *format;
	uint32_t i;

	for (i = 0; i < x->own_count; i++)
		if (x->own[i].text == text || !strcmp(x->own[i].text, text))
			return x->own[i].format;
	if (x->own_count == XLSX_FORMATS_MAX)
		return x->formats[XLSX_NUMBER];
	format = format_of(x, &look, XLSX_STYLE_COUNT);
	if (!format)
		return NULL;
	x->own[x->own_count].text = text;
	x->own[x->own_count++].format = format;
	return format;
}

void xlsx_number_as(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		    const char *format, double value)
{
	if (xlsx_works(s))
		number(s, row, column, own_format(s->book, format), value);
}

void xlsx_link(struct xlsx_sheet *s, uint32_t row, uint32_t column,
	       const char *text, const struct xlsx_sheet *target,
	       uint32_t target_row)
{
	char url[sizeof("internal:''!A1048576") + XLSX_NAME_SIZE];
	char *clean;

	if (!xlsx_works(s) || !target)
		return;
	snprintf(url, sizeof(url), "internal:'%s'!A%u", target->name,
		 (unsigned)target_row + 1);
	clean =
	    xlsx_clean(theme_word(s->book->theme, text), XLSX_CELL_MAX, true);
	if (clean)
		xlsx_check(s->book,
			   worksheet_write_url_opt(
			       s->lib, row, (lxw_col_t)column, url,
			       s->book->formats[XLSX_LINK], clean, NULL),
			   "a link");
	else
		xlsx_no_memory(s->book);
	free(clean);
}

static void merge(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		  uint32_t last_column, enum xlsx_style style)
{
	if (xlsx_works(s) && last_column > column)
		xlsx_check(s->book,
			   worksheet_merge_range(s->lib, row, (lxw_col_t)column,
						 row, (lxw_col_t)last_column,
						 "", s->book->formats[style]),
			   "a wide cell");
}

void xlsx_wide_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		    uint32_t last_column, enum xlsx_style style,
		    const char *text)
{
	merge(s, row, column, last_column, style);
	xlsx_text(s, row, column, style, text);
}

void xlsx_wide_number(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		      uint32_t last_column, enum xlsx_style style, double value)
{
	merge(s, row, column, last_column, style);
	xlsx_number(s, row, column, style, value);
}

void xlsx_heat(const struct xlsx_range *range, enum xlsx_heat heat)
{
	static const uint32_t colors[][3] = {
	    [XLSX_HEAT_MORE] = {0xF7FBFF, 0x9ECAE1, 0x4292C6},
	    [XLSX_HEAT_LATENCY] = {0xFFFFFF, 0xFDD0A2, 0xF16913},
	    [XLSX_HEAT_SPEEDUP] = {0xE69F00, 0xFFFFFF, 0x56B4E9},
	};
	bool speedup = heat == XLSX_HEAT_SPEEDUP;
	lxw_conditional_format rule = {
	    .type = LXW_CONDITIONAL_3_COLOR_SCALE,
	    .min_color = colors[heat][0],
	    .mid_color = colors[heat][1],
	    .max_color = colors[heat][2],
	    .mid_rule_type = LXW_CONDITIONAL_RULE_TYPE_PERCENTILE,
	    .mid_value = 50,
	};

	if (!xlsx_works(range->sheet))
		return;
	if (speedup) {
		/* By numbers, so that 1.00x is white. */
		rule.min_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
		rule.mid_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
		rule.max_rule_type = LXW_CONDITIONAL_RULE_TYPE_NUMBER;
		rule.min_value = 0.5;
		rule.mid_value = 1;
		rule.max_value = 4;
	}
	xlsx_check(range->sheet->book,
		   worksheet_conditional_format_range(
		       range->sheet->lib, range->row, (lxw_col_t)range->column,
		       range->last_row, (lxw_col_t)range->last_column, &rule),
		   "a heat map");
}

void xlsx_table(const struct xlsx_range *range, const char *name,
		const struct xlsx_header *headers)
{
	size_t count = range->last_column - range->column + 1;
	lxw_table_column *columns;
	lxw_table_column **list;
	size_t i;

	if (!xlsx_works(range->sheet))
		return;
	columns = calloc(count, sizeof(*columns));
	list = calloc(count + 1, sizeof(*list));
	for (i = 0; i < count && columns && list; i++) {
		columns[i].header = (char *)headers[i].text;
		columns[i].header_format =
		    range->sheet->book->formats[headers[i].style];
		list[i] = &columns[i];
	}
	if (columns && list) {
		lxw_table_options options = {
		    .name = (char *)name,
		    .columns = list,
		    .style_type = LXW_TABLE_STYLE_TYPE_LIGHT,
		    .style_type_number = 1,
		};

		xlsx_check(range->sheet->book,
			   worksheet_add_table(
			       range->sheet->lib, range->row,
			       (lxw_col_t)range->column, range->last_row,
			       (lxw_col_t)range->last_column, &options),
			   "the table");
	} else {
		xlsx_no_memory(range->sheet->book);
	}
	free(list);
	free(columns);
}
