#include "export/xlsx_lib.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What libxlsxwriter takes for a chart's size unscaled. */
#define LIB_WIDTH 480.0
#define LIB_HEIGHT 288.0

#define INK 0x1F2933
#define GREY 0x6B7280
#define GRID 0xE1E6EB
#define FRAME 0xC9D2DB

/* Titles are short; a user's word in them may not be. */
#define TITLE_MAX 120

/* Eight colours that colour-blind readers tell apart too. Black has a name,
 * since 0 means "not set". */
static const lxw_color_t series_colors[] = {
    LXW_COLOR_BLACK, 0x0072B2, 0x56B4E9, 0x009E73,
    0x882255,	     0xE69F00, 0xD55E00, 0xCC79A7,
};
static const lxw_color_t side_colors[] = {
    0xE69F00, 0x0072B2, 0x009E73,	 0x882255,
    0x56B4E9, 0xD55E00, LXW_COLOR_BLACK, 0xCC79A7,
};
static const lxw_color_t time_colors[] = {
    0x0072B2, 0xD55E00, 0xB8C4D0,	 0x882255,
    0x56B4E9, 0xE69F00, LXW_COLOR_BLACK, 0xCC79A7,
};
static const lxw_color_t *const palettes[] = {
    [XLSX_PALETTE_SERIES] = series_colors,
    [XLSX_PALETTE_SIDES] = side_colors,
    [XLSX_PALETTE_TIME] = time_colors,
};
#define COLORS 8
/* The dashes of the library are not among them: they write invalid XML. */
static const uint8_t markers[] = {
    LXW_CHART_MARKER_CIRCLE,  LXW_CHART_MARKER_SQUARE,
    LXW_CHART_MARKER_DIAMOND, LXW_CHART_MARKER_TRIANGLE,
    LXW_CHART_MARKER_X,	      LXW_CHART_MARKER_PLUS,
    LXW_CHART_MARKER_STAR,
};
#define MARKERS (sizeof(markers) / sizeof(markers[0]))

/* ='Sheet name'!$A$1:$B$9 */
static void formula(const struct xlsx_range *r, char *buf)
{
	buf[0] = '=';
	xlsx_reference(r, buf + 1);
}

/* The library reads formulas as zeros: fill what it would have read. */
static lxw_series_data_point *add_cached(lxw_series_range *range)
{
	lxw_series_data_point *point = calloc(1, sizeof(*point));

	if (!point)
		return NULL;
	range->ignore_cache = LXW_TRUE;
	range->num_data_points++;
	STAILQ_INSERT_TAIL(range->data_cache, point, list_pointers);
	return point;
}

static bool cache_values(lxw_series_range *range,
			 const struct xlsx_range *cells, const double *values)
{
	uint32_t count = 1 + cells->last_row - cells->row + cells->last_column -
			 cells->column;
	uint32_t i;

	for (i = 0; i < count; i++) {
		lxw_series_data_point *point = add_cached(range);

		if (!point)
			return false;
		point->number = values[i];
		point->no_data = !isfinite(values[i]);
	}
	return true;
}

static bool cache_name(lxw_series_range *range, const char *name)
{
	lxw_series_data_point *point = add_cached(range);

	if (!point)
		return false;
	point->is_string = LXW_TRUE;
	range->has_string_cache = LXW_TRUE;
	point->string = xlsx_clean(name, TITLE_MAX, false);
	return point->string != NULL;
}

static lxw_chart_series *add_series(lxw_chart *chart,
				    const struct xlsx_series *from,
				    const struct xlsx_cached *cached)
{
	char categories[XLSX_REFERENCE_MAX + 1], values[XLSX_REFERENCE_MAX + 1];
	lxw_chart_series *series;

	formula(&from->categories, categories);
	formula(&from->values, values);
	series = chart_add_series(chart, categories, values);
	if (series)
		chart_series_set_name_range(series, from->name.sheet->name,
					    from->name.row,
					    (lxw_col_t)from->name.column);
	if (series && cached &&
	    !cache_values(series->values, &from->values, cached->values))
		return NULL;
	if (series && cached && cached->name &&
	    !cache_name(series->title.range, cached->name))
		return NULL;
	return series;
}

static void paint_line(lxw_chart_series *series, lxw_color_t color, uint32_t n,
		       bool plain)
{
	uint8_t type = markers[n % MARKERS];
	lxw_chart_line line = {
	    .color = color,
	    .width = 1.75,
	    .dash_type = n < COLORS ? LXW_CHART_LINE_DASH_SOLID
				    : LXW_CHART_LINE_DASH_DASH,
	};
	lxw_chart_line edge = {.color = color, .width = 1};
	lxw_chart_fill fill = {.color = color};

	chart_series_set_line(series, &line);
	if (plain) {
		chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
		return;
	}
	chart_series_set_marker_type(series, type);
	chart_series_set_marker_size(series, 6);
	chart_series_set_marker_line(series, &edge);
	if (type != LXW_CHART_MARKER_X && type != LXW_CHART_MARKER_PLUS &&
	    type != LXW_CHART_MARKER_STAR)
		chart_series_set_marker_fill(series, &fill);
}

/* Red, as no series is. */
#define LIMIT 0xC00000

static void paint_limit(lxw_chart_series *series)
{
	lxw_chart_line line = {
	    .color = LIMIT,
	    .width = 1.25,
	    .dash_type = LXW_CHART_LINE_DASH_SQUARE_DOT,
	};

	chart_series_set_line(series, &line);
	chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
}

static void paint(lxw_chart_series *series, const struct xlsx_chart *c,
		  uint32_t n, const struct theme *theme)
{
	const lxw_color_t *colors = palettes[c->palette];
	/* Black is for lines: bars of it are heavy, so it comes last. */
	uint32_t shift = c->kind == XLSX_COLUMN && colors == series_colors;
	lxw_chart_fill fill = {.color = colors[(n + shift) % COLORS]};

	if (theme && theme->series_count && colors == series_colors)
		fill.color = theme->series[(n + shift) % theme->series_count];

	if (c->kind == XLSX_COLUMN)
		chart_series_set_fill(series, &fill);
	else
		paint_line(series, fill.color, n, c->plain);
}

/* Whole decades around what is drawn, begun below the least value so that no
 * bar has height 0, and the other axis at the least. */
static void set_log(lxw_chart_axis *lib, const struct xlsx_axis *axis)
{
	double low = pow(10, floor(log10(axis->low * 0.999)));
	double high = pow(10, ceil(log10(axis->high)));

	chart_axis_set_log_base(lib, 10);
	chart_axis_set_min(lib, low);
	chart_axis_set_max(lib, high > low ? high : low * 10);
	chart_axis_set_crossing(lib, low);
}

/* The least of 1, 1.5, 2, 2.5 .. times a power of ten that holds it. */
static double round_up(double value)
{
	double step = pow(10, floor(log10(value))) / 2;

	return ceil(value / step * (1 - 1e-9)) * step;
}

static void set_axis(lxw_chart_axis *lib, const struct xlsx_axis *axis,
		     const struct theme *theme)
{
	lxw_chart_font name = {
	    .size = 10, .bold = LXW_EXPLICIT_FALSE, .color = GREY};
	lxw_chart_font labels = {.size = 9, .color = GREY};
	lxw_chart_line line = {.color = FRAME, .width = 0.75};

	chart_axis_set_name(lib, theme_word(theme, axis->title));
	chart_axis_set_name_font(lib, &name);
	chart_axis_set_num_font(lib, &labels);
	chart_axis_set_line(lib, &line);
	if (axis->log && axis->low > 0 && isfinite(axis->high))
		set_log(lib, axis);
}

static void set_grid(lxw_chart_axis *axis)
{
	lxw_chart_line line = {.color = GRID, .width = 0.75};

	chart_axis_major_gridlines_set_visible(axis, LXW_TRUE);
	chart_axis_major_gridlines_set_line(axis, &line);
}

static void set_frame(lxw_chart *chart, const char *title)
{
	lxw_chart_font title_font = {
	    .size = 13, .bold = LXW_TRUE, .color = INK};
	lxw_chart_font legend_font = {.size = 9, .color = INK};
	lxw_chart_line frame = {.color = FRAME, .width = 0.75};

	chart_title_set_name(chart, title);
	chart_title_set_name_font(chart, &title_font);
	chart_legend_set_position(chart, LXW_CHART_LEGEND_RIGHT);
	chart_legend_set_font(chart, &legend_font);
	chart_chartarea_set_line(chart, &frame);
}

/* Marks of an axis below 10 need their digits, those above their commas. */
#define MARKS "[>=10]#,##0;General"

static const char *format_of(const struct xlsx_axis *axis)
{
	return axis->log && axis->low < 10 ? "General" : MARKS;
}

static void set_axes(lxw_chart *chart, const struct xlsx_chart *c,
		     const struct theme *theme)
{
	set_axis(chart->x_axis, &c->x, theme);
	set_axis(chart->y_axis, &c->y, theme);
	if (c->x_from_zero && c->x.high > 0) {
		chart_axis_set_min(chart->x_axis, 0);
		chart_axis_set_max(chart->x_axis, round_up(c->x.high));
	}
	set_grid(chart->y_axis);
	if (c->kind == XLSX_SCATTER)
		set_grid(chart->x_axis);
	chart_axis_set_num_format(chart->y_axis,
				  c->y_format ? c->y_format : format_of(&c->y));
	if (c->kind == XLSX_SCATTER)
		chart_axis_set_num_format(chart->x_axis, format_of(&c->x));
}

static lxw_chart *new_chart(lxw_workbook *book, enum xlsx_chart_kind kind)
{
	static const uint8_t types[] = {
	    [XLSX_LINE] = LXW_CHART_LINE,
	    [XLSX_COLUMN] = LXW_CHART_COLUMN,
	    [XLSX_SCATTER] = LXW_CHART_SCATTER_STRAIGHT_WITH_MARKERS,
	};

	return workbook_add_chart(book, types[kind]);
}

/* Between two categories, % of a bar: a lone bar must not fill the chart. */
static uint16_t gap_of(const struct xlsx_chart *c)
{
	const struct xlsx_range *r = &c->series[0].categories;
	uint32_t rows = r->last_row - r->row + 1;
	uint32_t categories = rows > 1 ? rows : r->last_column - r->column + 1;

	return categories * c->series_count > 3 ? 60 : 400;
}

static void draw(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		 const struct xlsx_chart *c, char *title)
{
	lxw_chart *chart = new_chart(s->book->lib, c->kind);
	lxw_chart_options options = {
	    .x_offset = 1,
	    .y_offset = 1,
	    .x_scale = c->width / LIB_WIDTH,
	    .y_scale = c->height / LIB_HEIGHT,
	    .description = title,
	};
	uint32_t i;

	for (i = 0; chart && i < c->series_count; i++) {
		lxw_chart_series *series = add_series(
		    chart, &c->series[i], c->cached ? &c->cached[i] : NULL);

		if (!series) {
			chart = NULL;
			break;
		}
		if (i >= c->series_count - c->limit_count)
			paint_limit(series);
		else
			paint(series, c, i, s->book->theme);
	}
	if (!chart) {
		xlsx_no_memory(s->book);
		return;
	}
	set_frame(chart, title);
	set_axes(chart, c, s->book->theme);
	if (c->kind == XLSX_COLUMN)
		chart_set_series_gap(chart, gap_of(c));
	xlsx_check(s->book,
		   worksheet_insert_chart_opt(s->lib, row, (lxw_col_t)column,
					      chart, &options),
		   "a chart");
}

/* "IOPS - random read": both parts are words. On the heap. */
static char *title_in_words(const struct theme *theme, const char *title)
{
	const char *dash = strstr(title, " - ");
	char *head = dash ? strndup(title, (size_t)(dash - title)) : NULL;
	char *joined = NULL, *clean;

	if (head && asprintf(&joined, "%s - %s", theme_word(theme, head),
			     theme_word(theme, dash + 3)) < 0)
		joined = NULL;
	clean = xlsx_clean(joined ? joined : theme_word(theme, title),
			   TITLE_MAX, false);
	free(head);
	free(joined);
	return clean;
}

void xlsx_chart(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		const struct xlsx_chart *chart)
{
	char *title;

	assert(chart->title[0] != '='); /* the library would evaluate it */
	if (!xlsx_works(s))
		return;
	title = title_in_words(s->book->theme, chart->title);
	if (title)
		draw(s, row, column, chart, title);
	else
		xlsx_no_memory(s->book);
	free(title);
}
