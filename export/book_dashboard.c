#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/book_dash.h"
#include "export/book_sheet.h"

/*
 * The sheet Lists, left to right: the lists of the dropdowns, what is chosen
 * as numbers, the two views (of the variant, and of what it is compared with),
 * and the grids from which they look up: a row for each metric, group and
 * block size with something in it, found by a number made of the choices. The
 * views hold #N/A where nothing was measured, which charts leave out; the
 * Dashboard shows a blank instead.
 */
enum {
	LISTS,		     /* a column each */
	IDS = DASH_AXES + 1, /* name and number */
	VIEW = IDS + 3,	     /* size, row of the grid, values */
	OTHER = VIEW + DASH_SIDE_MAX + 3,
	GRID = OTHER + DASH_SIDE_MAX + 3, /* key, values */
};
#define VALUES 2		  /* columns before the values of a view */
#define LINES (DASH_SIDE_MAX + 3) /* row of the names of the two lines */

static const char *const selectors[DASH_AXES] = {
    [DASH_METRIC] = "metric",	[DASH_PATTERN] = "pattern",
    [DASH_READ] = "read",	[DASH_VARIANT] = "variant",
    [DASH_COMPARE] = "compare", [DASH_SIZE] = "size",
};

struct dashboard {
	struct book_dash dash;
	struct xlsx_sheet *sheet, *lists;
	uint32_t grid_rows;
	/* What is chosen while nobody has chosen. */
	uint32_t chosen[DASH_AXES], other[DASH_AXES];
	double view[2][DASH_SIDE_MAX][DASH_SIDE_MAX];
};

static uint32_t product(const struct book_dash *d, enum dash_axis from)
{
	uint32_t n = 1;
	int i;

	for (i = (int)from; i < DASH_COMPARE; i++)
		n *= d->lists[i].count;
	return n * d->size_count;
}

/* Number of the first block size of a choice, from 0. */
static uint32_t key_of(const struct book_dash *d,
		       const uint32_t place[DASH_AXES])
{
	uint32_t key = 0;
	int i;

	for (i = DASH_METRIC; i < DASH_COMPARE; i++)
		key += place[i] * product(d, (enum dash_axis)(i + 1));
	return key;
}

static bool has_compare(const struct dashboard *b)
{
	return b->dash.lists[DASH_VARIANT].count > 1;
}

static void put_lists(struct dashboard *b)
{
	uint32_t i;
	int axis;

	for (axis = 0; axis < DASH_AXES; axis++) {
		const struct dash_list *list = &b->dash.lists[axis];

		xlsx_text(b->lists, 0, LISTS + axis, XLSX_HEAD, list->name);
		for (i = 0; i < list->count; i++)
			if (axis == DASH_READ)
				xlsx_number(b->lists, 1 + i, LISTS + axis,
					    XLSX_GENERAL, list->numbers[i]);
			else
				xlsx_text(b->lists, 1 + i, LISTS + axis,
					  XLSX_TEXT, list->texts[i]);
	}
}

static void put_grids(struct dashboard *b)
{
	const struct book_dash *d = &b->dash;
	uint32_t g, metric, z, o, row = 0;

	xlsx_text(b->lists, 0, GRID, XLSX_HEAD_NUMBER, "Key");
	for (o = 0; o < d->outstanding_count; o++)
		xlsx_number(b->lists, 0, GRID + 1 + o, XLSX_HEAD_NUMBER,
			    d->outstandings[o]);
	for (metric = 0; metric < BOOK_METRIC_COUNT; metric++)
		for (g = 0; g < d->model->group_count; g++)
			for (z = 0; z < d->size_count; z++) {
				uint32_t place[DASH_AXES];

				memcpy(place, d->place[g], sizeof(place));
				place[DASH_METRIC] = metric;
				row++;
				xlsx_number(b->lists, row, GRID, XLSX_INTEGER,
					    key_of(d, place) + z);
				for (o = 0; o < d->outstanding_count; o++)
					xlsx_number(
					    b->lists, row, GRID + 1 + o,
					    XLSX_GENERAL,
					    book_dash_value(d, place, z, o));
			}
	b->grid_rows = row;
}

/* Dropdowns are there only where there is something to choose. */
static bool is_dropdown(const struct dashboard *b, int axis)
{
	if (axis == DASH_COMPARE)
		return has_compare(b);
	return b->dash.lists[axis].count > 1;
}

static void put_id(struct dashboard *b, int axis)
{
	uint32_t row = 1 + (uint32_t)axis;
	const struct xlsx_range list = {
	    b->lists, 1, LISTS + axis, b->dash.lists[axis].count, LISTS + axis};
	const struct xlsx_range id = {b->lists, row, IDS + 1, row, IDS + 1};
	char ref[XLSX_REFERENCE_MAX], formula[256], name[32];
	uint32_t chosen =
	    axis == DASH_COMPARE ? b->other[DASH_VARIANT] : b->chosen[axis];

	snprintf(name, sizeof(name), "id_%s", selectors[axis]);
	xlsx_text(b->lists, row, IDS, XLSX_TEXT, b->dash.lists[axis].name);
	xlsx_define(&id, name);
	if (!is_dropdown(b, axis)) {
		xlsx_number(b->lists, row, IDS + 1, XLSX_INTEGER, 1);
		return;
	}
	snprintf(formula, sizeof(formula), "=MATCH(sel_%s,%s,0)",
		 selectors[axis], xlsx_reference(&list, ref));
	xlsx_formula(b->lists, row, IDS + 1, XLSX_INTEGER, formula, chosen + 1);
}

/* The key of the first block size of what is chosen. */
static void put_base(struct dashboard *b, uint32_t n, const char *variant,
		     uint32_t key)
{
	const struct book_dash *d = &b->dash;
	uint32_t row = 2 + DASH_AXES + n;
	const struct xlsx_range at = {b->lists, row, IDS + 1, row, IDS + 1};
	char formula[256], name[32];

	snprintf(name, sizeof(name), "key_%s", variant);
	snprintf(formula, sizeof(formula),
		 "=(id_metric-1)*%u+(id_pattern-1)*%u+(id_read-1)*%u+"
		 "(id_%s-1)*%u",
		 product(d, DASH_PATTERN), product(d, DASH_READ),
		 product(d, DASH_VARIANT), variant, product(d, DASH_COMPARE));
	xlsx_text(b->lists, row, IDS, XLSX_TEXT, name);
	xlsx_define(&at, name);
	xlsx_formula(b->lists, row, IDS + 1, XLSX_INTEGER, formula, key);
}

static void put_ids(struct dashboard *b)
{
	int axis;

	xlsx_text(b->lists, 0, IDS, XLSX_HEAD, "Chosen");
	xlsx_text(b->lists, 0, IDS + 1, XLSX_HEAD_NUMBER, "Place");
	for (axis = 0; axis < DASH_AXES; axis++)
		put_id(b, axis);
	put_base(b, 0, "variant", key_of(&b->dash, b->chosen));
	put_base(b, 1, "compare", key_of(&b->dash, b->other));
}

/* 1 for the first row of the grids; 0 where the group is not there. */
static uint32_t grid_row(const struct dashboard *b, uint32_t key)
{
	const struct book_dash *d = &b->dash;
	uint32_t metric = key / product(d, DASH_PATTERN);
	uint32_t g, place[DASH_AXES];

	for (g = 0; g < d->model->group_count; g++) {
		uint32_t first;

		memcpy(place, d->place[g], sizeof(place));
		place[DASH_METRIC] = metric;
		first = key_of(d, place);
		if (key >= first && key - first < d->size_count)
			return (metric * d->model->group_count + g) *
				   d->size_count +
			       key - first + 1;
	}
	return 0;
}

static void put_view_cell(struct dashboard *b, uint32_t row, uint32_t column,
			  uint32_t o, const char *row_ref, double value)
{
	const struct xlsx_range grid = {b->lists, 1, GRID + 1 + o, b->grid_rows,
					GRID + 1 + o};
	char ref[XLSX_REFERENCE_MAX];
	char formula[5 * XLSX_REFERENCE_MAX + 64];

	xlsx_reference(&grid, ref);
	snprintf(formula, sizeof(formula),
		 "=IF(%s=0,NA(),IF(INDEX(%s,%s)=\"\",NA(),INDEX(%s,%s)))",
		 row_ref, ref, row_ref, ref, row_ref);
	xlsx_formula(b->lists, row, column, XLSX_GENERAL, formula, value);
}

static void put_view(struct dashboard *b, uint32_t column, uint32_t n,
		     const char *variant, const uint32_t place[DASH_AXES])
{
	const struct book_dash *d = &b->dash;
	const struct xlsx_range keys = {b->lists, 1, GRID, b->grid_rows, GRID};
	char ref[XLSX_REFERENCE_MAX], row_ref[XLSX_REFERENCE_MAX];
	char formula[256];
	uint32_t z, o;

	xlsx_text(b->lists, 0, column, XLSX_HEAD, d->lists[DASH_SIZE].name);
	xlsx_text(b->lists, 0, column + 1, XLSX_HEAD_NUMBER, "Row");
	for (o = 0; o < d->outstanding_count; o++)
		xlsx_number(b->lists, 0, column + VALUES + o, XLSX_HEAD_NUMBER,
			    d->outstandings[o]);
	for (z = 0; z < d->size_count; z++) {
		const struct xlsx_range at = {b->lists, 1 + z, column + 1,
					      1 + z, column + 1};

		xlsx_text(b->lists, 1 + z, column, XLSX_LABEL,
			  d->lists[DASH_SIZE].texts[z]);
		snprintf(formula, sizeof(formula),
			 "=IFERROR(MATCH(key_%s+%u,%s,0),0)", variant, z,
			 xlsx_reference(&keys, ref));
		xlsx_formula(b->lists, 1 + z, column + 1, XLSX_INTEGER, formula,
			     grid_row(b, key_of(d, place) + z));
		xlsx_reference(&at, row_ref);
		for (o = 0; o < d->outstanding_count; o++) {
			b->view[n][z][o] = book_dash_value(d, place, z, o);
			put_view_cell(b, 1 + z, column + VALUES + o, o, row_ref,
				      b->view[n][z][o]);
		}
	}
}

/* Two lines are told apart by their variants; a lone one says its size. */
static int axis_of_lines(const struct dashboard *b)
{
	return has_compare(b) ? DASH_VARIANT : DASH_SIZE;
}

static const char *name_of_line(const struct dashboard *b, uint32_t n)
{
	int axis = axis_of_lines(b);

	return b->dash.lists[axis].texts[n ? b->other[axis] : b->chosen[axis]];
}

/* The line of the chosen block size, out of a view. */
static void put_line(struct dashboard *b, uint32_t n, uint32_t column,
		     const char *variant)
{
	uint32_t axis = (uint32_t)axis_of_lines(b);
	const struct xlsx_range names = {
	    b->lists, 1, LISTS + axis, b->dash.lists[axis].count, LISTS + axis};
	uint32_t row = LINES + 1 + n;
	char ref[XLSX_REFERENCE_MAX], formula[256];
	uint32_t o;

	snprintf(formula, sizeof(formula), "=INDEX(%s,id_%s)",
		 xlsx_reference(&names, ref),
		 axis == DASH_VARIANT ? variant : "size");
	xlsx_formula_text(b->lists, row, VIEW, XLSX_LABEL, formula,
			  name_of_line(b, n));
	for (o = 0; o < b->dash.outstanding_count; o++) {
		const struct xlsx_range view = {
		    b->lists, 1, column + VALUES + o, b->dash.size_count,
		    column + VALUES + o};

		snprintf(formula, sizeof(formula), "=INDEX(%s,id_size)",
			 xlsx_reference(&view, ref));
		xlsx_formula(b->lists, row, VIEW + VALUES + o, XLSX_GENERAL,
			     formula, b->view[n][b->chosen[DASH_SIZE]][o]);
	}
}

static uint32_t put_selectors(struct dashboard *b, uint32_t row)
{
	int axis;

	for (axis = 0; axis < DASH_AXES; axis++) {
		const struct dash_list *list = &b->dash.lists[axis];
		const struct xlsx_range at = {b->sheet, row, 2, row, 2};
		const struct xlsx_range from = {b->lists, 1, LISTS + axis,
						list->count, LISTS + axis};
		uint32_t chosen = axis == DASH_COMPARE ? b->other[DASH_VARIANT]
						       : b->chosen[axis];
		char name[32];

		if (!is_dropdown(b, axis))
			continue;
		snprintf(name, sizeof(name), "sel_%s", selectors[axis]);
		xlsx_wide_text(b->sheet, row, 0, 1, XLSX_CAPTION, list->name);
		if (axis == DASH_READ)
			xlsx_wide_number(b->sheet, row, 2, 5, XLSX_INPUT,
					 list->numbers[chosen]);
		else
			xlsx_wide_text(b->sheet, row, 2, 5, XLSX_INPUT,
				       list->texts[chosen]);
		xlsx_choose(&at, &from);
		xlsx_define(&at, name);
		row++;
	}
	return row;
}

static void put_heat_head(struct dashboard *b, uint32_t row, uint32_t column)
{
	const struct book_dash *d = &b->dash;
	uint32_t z, o;

	xlsx_text(b->sheet, row, column, XLSX_HEAD, "Size");
	for (o = 0; o < d->outstanding_count; o++)
		xlsx_number(b->sheet, row, column + 1 + o, XLSX_HEAD_NUMBER,
			    d->outstandings[o]);
	for (z = 0; z < d->size_count; z++)
		xlsx_text(b->sheet, row + 1 + z, column, XLSX_LABEL,
			  d->lists[DASH_SIZE].texts[z]);
}

static void color(struct dashboard *b, uint32_t row, uint32_t column,
		  enum xlsx_heat heat)
{
	const struct xlsx_range range = {b->sheet, row + 1, column + 1,
					 row + b->dash.size_count,
					 column + b->dash.outstanding_count};

	xlsx_heat(&range, heat);
}

static void reference(const struct dashboard *b, uint32_t view, uint32_t z,
		      uint32_t o, char ref[XLSX_REFERENCE_MAX])
{
	uint32_t column = (view ? OTHER : VIEW) + VALUES + o;
	const struct xlsx_range at = {b->lists, 1 + z, column, 1 + z, column};

	xlsx_reference(&at, ref);
}

static void put_heat(struct dashboard *b, uint32_t row, uint32_t column)
{
	char ref[XLSX_REFERENCE_MAX], formula[3 * XLSX_REFERENCE_MAX];
	uint32_t z, o;

	put_heat_head(b, row, column);
	for (z = 0; z < b->dash.size_count; z++)
		for (o = 0; o < b->dash.outstanding_count; o++) {
			reference(b, 0, z, o, ref);
			snprintf(formula, sizeof(formula),
				 "=IF(ISNUMBER(%s),%s,\"\")", ref, ref);
			xlsx_formula(b->sheet, row + 1 + z, column + 1 + o,
				     XLSX_MS, formula, b->view[0][z][o]);
		}
	color(b, row, column, XLSX_HEAT_MORE);
}

static double ratio_of(const struct dashboard *b, uint32_t z, uint32_t o)
{
	double mine = b->view[0][z][o], other = b->view[1][z][o];
	enum book_metric metric = (enum book_metric)b->chosen[DASH_METRIC];

	return book_metric_is_latency(metric) ? mine / other : other / mine;
}

/* How many times better the other one is. */
static void put_ratios(struct dashboard *b, uint32_t row, uint32_t column)
{
	char mine[XLSX_REFERENCE_MAX], other[XLSX_REFERENCE_MAX];
	char formula[6 * XLSX_REFERENCE_MAX + 64];
	uint32_t z, o;

	put_heat_head(b, row, column);
	for (z = 0; z < b->dash.size_count; z++)
		for (o = 0; o < b->dash.outstanding_count; o++) {
			reference(b, 0, z, o, mine);
			reference(b, 1, z, o, other);
			snprintf(formula, sizeof(formula),
				 "=IF(AND(ISNUMBER(%s),ISNUMBER(%s)),"
				 "IF(id_metric>=%d,%s/%s,%s/%s),\"\")",
				 mine, other, BOOK_LATENCY + 1, mine, other,
				 other, mine);
			xlsx_formula(b->sheet, row + 1 + z, column + 1 + o,
				     XLSX_RATIO, formula, ratio_of(b, z, o));
		}
	color(b, row, column, XLSX_HEAT_SPEEDUP);
}

/* "Random, 100% read, direct: IOPS", from the dropdowns. */
static void put_heading(struct dashboard *b, uint32_t row)
{
	char formula[512] = "=", text[BOOK_TITLE_MAX] = "";
	bool first = true;
	int axis;

	for (axis = 0; axis < DASH_COMPARE; axis++) {
		const char *tail = axis == DASH_READ ? "&\"% read\"" : "";
		char part[64];

		if (!is_dropdown(b, axis))
			continue;
		snprintf(part, sizeof(part), "%ssel_%s%s",
			 first ? "" : "&\", \"&", selectors[axis], tail);
		strncat(formula, part, sizeof(formula) - strlen(formula) - 1);
		first = false;
		book_append(text, sizeof(text),
			    b->dash.lists[axis].texts[b->chosen[axis]]);
		if (axis == DASH_READ)
			strncat(text, "% read",
				sizeof(text) - strlen(text) - 1);
	}
	xlsx_height(b->sheet, row, 26);
	xlsx_formula_text(b->sheet, row, 0, XLSX_HEADING, formula, text);
}

static void fill_line(const struct dashboard *b, struct xlsx_series *series,
		      uint32_t row, uint32_t column)
{
	uint32_t last = VALUES + b->dash.outstanding_count - 1;

	series->name = (struct xlsx_range){b->lists, row, VIEW, row, VIEW};
	series->categories =
	    (struct xlsx_range){b->lists, 0, VIEW + VALUES, 0, VIEW + last};
	series->values = (struct xlsx_range){b->lists, row, column + VALUES,
					     row, column + last};
}

static void put_chart(struct dashboard *b, const struct book_place *place,
		      const char *title, const struct xlsx_series *series,
		      const struct xlsx_cached *cached, uint32_t count)
{
	const struct xlsx_chart chart = {
	    .kind = XLSX_LINE,
	    .title = title,
	    .x = {"Outstanding I/Os", false, NAN, NAN},
	    .y = {"Chosen metric, in its unit", false, NAN, NAN},
	    .width = place->width,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	    .series_count = count,
	    .cached = cached,
	};

	xlsx_chart(b->sheet, place->row, place->column, &chart);
}

static void put_charts(struct dashboard *b, const struct book_slots *slots,
		       uint32_t row)
{
	const uint32_t width = slots->columns * BOOK_CELL_PX - 4;
	const struct book_place left = {row, book_slot(slots, 0), width};
	const struct book_place right = {row, book_slot(slots, 1), width};
	struct xlsx_cached cached[DASH_SIDE_MAX], pair_cached[2];
	struct xlsx_series series[DASH_SIDE_MAX], pair[2];
	uint32_t size = b->chosen[DASH_SIZE];
	uint32_t z, n;

	for (z = 0; z < b->dash.size_count; z++) {
		cached[z] = (struct xlsx_cached){b->view[0][z], NULL};
		fill_line(b, &series[z], 1 + z, VIEW);
	}
	put_chart(b, &left, "Each block size, of what is chosen", series,
		  cached, b->dash.size_count);
	for (n = 0; n < 2; n++) {
		fill_line(b, &pair[n], LINES + 1 + n, VIEW);
		pair_cached[n] =
		    (struct xlsx_cached){b->view[n][size], name_of_line(b, n)};
	}
	put_chart(b, &right,
		  has_compare(b) ? "The chosen block size, against the other"
				 : "The chosen block size",
		  pair, pair_cached, has_compare(b) ? 2 : 1);
}

static bool has_answer(const struct book_group *g)
{
	return g->spot && g->spot->sweet;
}

/* What has numbers first, and beside it something else. */
static void choose_defaults(struct dashboard *b)
{
	const struct book_dash *d = &b->dash;
	uint32_t g = 0, i;

	while (g + 1 < d->model->group_count &&
	       !has_answer(&d->model->groups[g]))
		g++;
	memcpy(b->chosen, d->place[g], sizeof(b->chosen));
	b->chosen[DASH_METRIC] = BOOK_IOPS;
	memcpy(b->other, b->chosen, sizeof(b->other));
	for (i = d->model->group_count; i-- > 0;)
		if (i != g && has_answer(&d->model->groups[i]) &&
		    d->place[i][DASH_PATTERN] == d->place[g][DASH_PATTERN] &&
		    d->place[i][DASH_READ] == d->place[g][DASH_READ])
			b->other[DASH_VARIANT] = d->place[i][DASH_VARIANT];
}

static void put_sheet(struct dashboard *b, struct book_sheets *sheets)
{
	uint32_t columns = b->dash.outstanding_count + 1;
	struct book_slots slots = book_set_slots(b->sheet, columns);
	uint32_t other = slots.side_by_side ? book_slot(&slots, 1) : 0;
	uint32_t row = book_put_title(b->sheet, b->dash.model, "Dashboard",
				      sheets, book_slots_width(&slots) - 1);

	xlsx_text(b->sheet, row++, 0, XLSX_TEXT,
		  book_word(b->dash.model, "Choose in the cells with a frame: "
					   "all that is below follows."));
	row = put_selectors(b, row) + 1;
	put_heading(b, row++);
	xlsx_text(b->sheet, row, 0, XLSX_CAPTION,
		  "By block size (down) and outstanding I/Os (across)");
	put_heat(b, row + 1, 0);
	if (!slots.side_by_side)
		row += b->dash.size_count + 3;
	if (has_compare(b)) {
		xlsx_text(b->sheet, row, other, XLSX_CAPTION,
			  "How many times better what it is compared with is");
		put_ratios(b, row + 1, other);
	}
	put_charts(b, &slots, row + b->dash.size_count + 3);
}

bool book_has_dashboard(const struct book_model *m)
{
	struct book_dash *dash = malloc(sizeof(*dash));
	bool has = dash && book_has_answers(m) && book_dash_init(dash, m);

	free(dash);
	return has;
}

static void fill(struct dashboard *b, struct book_sheets *sheets)
{
	choose_defaults(b);
	put_lists(b);
	put_grids(b);
	put_ids(b);
	put_view(b, VIEW, 0, "variant", b->chosen);
	put_view(b, OTHER, 1, "compare", b->other);
	xlsx_text(b->lists, LINES, VIEW, XLSX_HEAD, "Lines");
	put_line(b, 0, VIEW, "variant");
	put_line(b, 1, OTHER, "compare");
	xlsx_width(b->lists, LISTS, IDS, 130);
	/* What charts and cells look up is no reading matter. */
	xlsx_print(b->lists, DASH_CHOICES_MAX, IDS + 1);
	put_sheet(b, sheets);
}

int book_write_dashboard(const struct book_model *m, struct book_sheets *sheets)
{
	struct dashboard *b = calloc(1, sizeof(*b));
	int rc = b && book_dash_init(&b->dash, m) ? 0 : -ENOMEM;

	if (!rc) {
		b->sheet = sheets->dashboard;
		b->lists = sheets->lists;
		fill(b, sheets);
	}
	free(b);
	return rc;
}
