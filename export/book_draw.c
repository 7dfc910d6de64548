#include "export/book_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* Tables wider than this stand one below the other. */
#define SLOT_COLUMNS_MAX 12

static const struct metric_info {
	const char *title;
	const char *unit;
	enum xlsx_style style, best;
	bool latency;
} metrics[BOOK_METRIC_COUNT] = {
    [BOOK_IOPS] = {"IOPS", "IOPS", XLSX_NUMBER, XLSX_NUMBER_BEST, false},
    [BOOK_MIBPS] = {"MB/s", "MiB/s", XLSX_NUMBER, XLSX_NUMBER_BEST, false},
    [BOOK_LATENCY] = {"Average latency", "Average latency (ms)", XLSX_MS,
		      XLSX_MS_BEST, true},
    [BOOK_P99] = {"p99 latency", "p99 latency (ms)", XLSX_MS, XLSX_MS_BEST,
		  true},
};

const char *book_metric_title(enum book_metric metric)
{
	return metrics[metric].title;
}

const char *book_metric_unit(enum book_metric metric)
{
	return metrics[metric].unit;
}

enum xlsx_style book_metric_style(enum book_metric metric, bool best)
{
	return best ? metrics[metric].best : metrics[metric].style;
}

bool book_metric_is_latency(enum book_metric metric)
{
	return metrics[metric].latency;
}

enum book_pattern book_pattern_of(const struct point *p)
{
	if (p->workload.stream.random_pct <= 0)
		return BOOK_SEQUENTIAL;
	return p->workload.stream.random_pct >= 100 ? BOOK_RANDOM : BOOK_MIXED;
}

static bool is_among_drawn(const struct book_model *m,
			   const struct book_group *g)
{
	return g - m->groups < BOOK_GROUPS_DRAWN;
}

bool book_is_drawn(const struct book_model *m, const struct book_group *g)
{
	return is_among_drawn(m, g) &&
	       g->grid->column_count <= BOOK_COLUMNS_DRAWN;
}

bool book_has_sheet(const struct book_model *m, uint32_t workload)
{
	const struct book_group *g;

	for (g = m->groups; g < m->groups + m->group_count; g++)
		if (g->workload == workload)
			return is_among_drawn(m, g);
	return false;
}

struct book_slots book_set_slots(struct xlsx_sheet *s, uint32_t columns)
{
	struct book_slots slots = {.columns = BOOK_SLOT};
	uint32_t width;

	slots.side_by_side = columns <= SLOT_COLUMNS_MAX;
	if (slots.side_by_side && columns > BOOK_SLOT)
		slots.columns = columns;
	width = book_slots_width(&slots);
	xlsx_width(s, 0, (columns > width ? columns : width) - 1, BOOK_CELL_PX);
	return slots;
}

uint32_t book_put_title(struct xlsx_sheet *s, const struct book_model *m,
			const char *title, struct book_sheets *sheets,
			uint32_t last_column)
{
	char about[1024];

	xlsx_height(s, 0, 32);
	xlsx_text(s, 0, 0, XLSX_TITLE, title);
	if (m->run_count == 1)
		snprintf(about, sizeof(about),
			 m->target_count > 1
			     ? book_words(m, "%s, on %s and others")
			     : book_words(m, "%s, on %s"),
			 m->run_names[0],
			 m->target_count ? m->targets[0].label : "-");
	else
		snprintf(about, sizeof(about), book_words(m, "%u runs"),
			 m->run_count);
	xlsx_text(s, 1, 0, XLSX_NOTE, about);
	xlsx_link(s, 1, last_column, "Summary", sheets->summary, 0);
	xlsx_height(s, 2, 8);
	xlsx_repeat(s, 0, 2);
	return 3;
}

uint32_t book_count_lines(const char *text, uint32_t width)
{
	/* Characters are under 6.5 pixels wide on average, and lines break
	 * before the end. */
	uint32_t px = (uint32_t)strlen(text) * 13 / 2;

	return px <= width ? 1 : 1 + px / (width - width / 20);
}

void book_put_lines(struct xlsx_sheet *s, uint32_t row, uint32_t last_column,
		    uint32_t width, enum xlsx_style style, const char *text)
{
	xlsx_height(s, row, 4 + BOOK_ROW_PX * book_count_lines(text, width));
	xlsx_wide_text(s, row, 0, last_column, style, text);
}

void book_extend(struct book_extent *e, double value)
{
	if (!isfinite(value) || value <= 0)
		return;
	if (!(e->low <= value))
		e->low = value;
	if (!(e->high >= value))
		e->high = value;
}

static bool better(const struct book_heat *heat, double value, double than)
{
	if (!isfinite(value))
		return false;
	if (!isfinite(than))
		return true;
	return heat->less_is_better ? value < than : value > than;
}

static void put_header(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       const struct grid *g)
{
	char text[32];
	uint32_t i;

	xlsx_text(s, row, column, XLSX_HEAD, "Size");
	if (book_is_over_sizes(g)) {
		/* It is the name in the legend. */
		snprintf(text, sizeof(text),
			 theme_sentence(xlsx_theme(s), "%u outst."),
			 g->outstandings[0]);
		xlsx_text(s, row, column + 1, XLSX_HEAD_NUMBER, text);
		return;
	}
	for (i = 0; i < g->column_count; i++)
		xlsx_number(s, row, column + 1 + i, XLSX_HEAD_NUMBER,
			    g->outstandings[i]);
}

static double best_of(const struct grid *g, const struct book_heat *heat,
		      book_cell *cell, const void *arg)
{
	size_t count = (size_t)g->row_count * g->column_count;
	double best = NAN;
	size_t i;

	for (i = 0; i < count; i++) {
		double value = cell(arg, g->cells[i]);

		if (better(heat, value, best))
			best = value;
	}
	return best;
}

static void put_cells(struct xlsx_sheet *s, const struct grid *g,
		      struct book_heat *heat, book_cell *cell, const void *arg)
{
	double best = best_of(g, heat, cell, arg);
	const struct xlsx_range *at = &heat->values;
	char size[UNITS_TEXT_MAX];
	uint32_t row, column;

	heat->extent = (struct book_extent){NAN, NAN};
	for (row = 0; row < g->row_count; row++) {
		xlsx_text(s, at->row + row, at->column - 1, XLSX_LABEL,
			  units_format_size(size, g->block_sizes[row]));
		for (column = 0; column < g->column_count; column++) {
			double value = cell(arg, grid_at(g, row, column));
			bool is_best = value >= best && value <= best;

			xlsx_number(s, at->row + row, at->column + column,
				    is_best ? heat->best_style : heat->style,
				    value);
			book_extend(&heat->extent, value);
		}
	}
}

uint32_t book_put_heat(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       const struct grid *g, struct book_heat *heat,
		       book_cell *cell, const void *arg)
{
	const struct theme *theme = xlsx_theme(s);
	char caption[2 * THEME_SENTENCE_MAX];

	snprintf(caption, sizeof(caption),
		 theme_sentence(theme, "%s by block size (down) and "
				       "outstanding I/Os (across)"),
		 theme_word(theme, heat->caption));
	xlsx_text(s, row, column, XLSX_CAPTION, caption);
	put_header(s, row + 1, column, g);
	heat->values = (struct xlsx_range){
	    .sheet = s,
	    .row = row + 2,
	    .column = column + 1,
	    .last_row = row + 1 + g->row_count,
	    .last_column = column + g->column_count,
	};
	put_cells(s, g, heat, cell, arg);
	xlsx_heat(&heat->values, heat->colors);
	return row + 2 + g->row_count;
}

static double metric_cell(const void *arg, const struct result *r)
{
	return book_value(r, *(const enum book_metric *)arg);
}

uint32_t book_put_metric(struct xlsx_sheet *s, uint32_t row, uint32_t column,
			 const struct grid *g, enum book_metric metric,
			 struct book_heat *heat)
{
	const struct metric_info *info = &metrics[metric];

	heat->caption = info->unit;
	heat->colors = info->latency ? XLSX_HEAT_LATENCY : XLSX_HEAT_MORE;
	heat->style = info->style;
	heat->best_style = info->best;
	heat->less_is_better = info->latency;
	return book_put_heat(s, row, column, g, heat, metric_cell, &metric);
}

uint32_t book_pick(uint32_t count, uint32_t picked[XLSX_SERIES_MAX])
{
	uint32_t n = count < XLSX_SERIES_MAX ? count : XLSX_SERIES_MAX;
	uint32_t i;

	for (i = 0; i < n; i++)
		picked[i] =
		    n < count ? (uint32_t)((uint64_t)i * (count - 1) / (n - 1))
			      : i;
	return n;
}
