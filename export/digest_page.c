#include "export/digest_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "export/book_sheet.h"
#include "export/svg.h"

typedef double cell_value(const void *arg, const struct result *r);

struct heat {
	const char *caption;
	cell_value *value;
	const void *arg;
	/* Background where a value is least and largest; between, mixed. */
	uint8_t low[3], high[3];
	bool about_one; /* a ratio: white is 1, whatever there is */
};

static const struct {
	enum book_metric metric;
	const char *caption;
} metrics[] = {{BOOK_IOPS, "IOPS"},
	       {BOOK_MIBPS, "MiB/s"},
	       {BOOK_LATENCY, "Average latency, ms"},
	       {BOOK_P99, "p99 latency, ms"}};
#define METRICS (sizeof(metrics) / sizeof(metrics[0]))
#define CHARTS 3 /* the first of them */

static double value_of_metric(const void *arg, const struct result *r)
{
	return book_value(r, *(const enum book_metric *)arg);
}

struct ratio {
	const struct book_model *model;
	uint32_t side;
};

static double value_of_ratio(const void *arg, const struct result *r)
{
	const struct ratio *ratio = arg;
	const struct compare_pair *p =
	    compare_find(&ratio->model->compare, r, ratio->side);

	return compare_ratio(p).value;
}

static struct book_extent extent_of(const struct grid *g,
				    const struct heat *heat)
{
	struct book_extent extent = {NAN, NAN};
	size_t i;

	for (i = 0; i < (size_t)g->row_count * g->column_count; i++)
		book_extend(&extent, heat->value(heat->arg, g->cells[i]));
	return extent;
}

/* By the logarithm: block size and outstanding double. */
static double place_of(const struct book_extent *e, double value)
{
	if (!(value > 0) || !(e->high > e->low))
		return 0;
	return log(value / e->low) / log(e->high / e->low);
}

/* As in the book: 1 is white, 4 and more as blue as it gets, half and less as
 * orange. */
static void mix_ratio(double ratio, unsigned colour[3])
{
	static const uint8_t worse[3] = {0xe6, 0x9f, 0x00};
	static const uint8_t better[3] = {0x56, 0xb4, 0xe9};
	const uint8_t *end = ratio < 1 ? worse : better;
	double place = fabs(log2(ratio)) / (ratio < 1 ? 1 : 2);
	int i;

	for (i = 0; i < 3; i++)
		colour[i] =
		    (unsigned)lround(255 + fmin(place, 1) * (end[i] - 255));
}

static void put_cell(FILE *f, const struct heat *heat,
		     const struct book_extent *extent, double value)
{
	double place = place_of(extent, value);
	char text[UNITS_TEXT_MAX];
	unsigned colour[3];
	int i;

	if (!isfinite(value)) {
		fprintf(f, "<td></td>");
		return;
	}
	for (i = 0; i < 3; i++)
		colour[i] = (unsigned)lround(
		    heat->low[i] + place * (heat->high[i] - heat->low[i]));
	if (heat->about_one)
		mix_ratio(value, colour);
	fprintf(f, "<td style=\"background:#%02x%02x%02x\">%s</td>", colour[0],
		colour[1], colour[2], digest_number(text, value));
}

static void put_heat(FILE *f, const struct grid *g, const struct heat *heat)
{
	struct book_extent extent = extent_of(g, heat);
	char text[UNITS_TEXT_MAX];
	uint32_t row, column;

	if (!isfinite(extent.high))
		return;
	fprintf(f, "<table class=\"heat\"><caption>");
	svg_put_text(f, heat->caption);
	fprintf(f, "</caption>\n<tr><th>Size</th>");
	for (column = 0; column < g->column_count; column++)
		fprintf(f, "<th>%u</th>", g->outstandings[column]);
	fprintf(f, "</tr>\n");
	for (row = 0; row < g->row_count; row++) {
		fprintf(f, "<tr><th>%s</th>",
			units_format_size(text, g->block_sizes[row]));
		for (column = 0; column < g->column_count; column++)
			put_cell(
			    f, heat, &extent,
			    heat->value(heat->arg, grid_at(g, row, column)));
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table>\n");
}

void digest_put_ratio(FILE *f, const struct book_model *m,
		      const struct book_group *base, uint32_t side,
		      const char *caption)
{
	const struct ratio ratio = {m, side};
	const struct heat heat = {.caption = caption,
				  .value = value_of_ratio,
				  .arg = &ratio,
				  .about_one = true};

	put_heat(f, base->grid, &heat);
}

/* The texts and numbers of one chart, in one piece of memory each. */
struct lines {
	struct svg_series *series;
	double *values; /* value, low and high of each series in turn */
	char (*names)[UNITS_TEXT_MAX];
	const char **categories;
};

static void free_lines(struct lines *l)
{
	free(l->series);
	free(l->values);
	free(l->names);
	free(l->categories);
}

static int make_lines(struct lines *l, const struct grid *g)
{
	size_t rows = g->row_count, columns = g->column_count;

	l->series = calloc(rows, sizeof(*l->series));
	l->values = calloc(3 * rows * columns, sizeof(*l->values));
	l->names = calloc(rows + columns, sizeof(*l->names));
	l->categories = calloc(columns, sizeof(*l->categories));
	return l->series && l->values && l->names && l->categories ? 0
								   : -ENOMEM;
}

static void fill_series(struct lines *l, const struct grid *g, uint32_t row,
			enum book_metric metric)
{
	double *value = l->values + (size_t)3 * row * g->column_count;
	double *low = value + g->column_count, *high = low + g->column_count;
	uint32_t i;

	for (i = 0; i < g->column_count; i++) {
		const struct result *r = grid_at(g, row, i);

		value[i] = book_value(r, metric);
		low[i] = r && metric == BOOK_IOPS ? r->iops.low : NAN;
		high[i] = r && metric == BOOK_IOPS ? r->iops.high : NAN;
	}
	l->series[row] = (struct svg_series){
	    units_format_size(l->names[row], g->block_sizes[row]), value, low,
	    high};
}

static void put_chart(FILE *f, const struct grid *g, struct lines *l,
		      const struct svg_chart *chart, enum book_metric metric)
{
	uint32_t i;

	for (i = 0; i < g->row_count; i++)
		fill_series(l, g, i, metric);
	for (i = 0; i < g->column_count; i++) {
		snprintf(l->names[g->row_count + i], UNITS_TEXT_MAX, "%u",
			 g->outstandings[i]);
		l->categories[i] = l->names[g->row_count + i];
	}
	svg_put_chart(f, chart);
}

static int put_charts(FILE *f, const struct grid *g)
{
	struct lines lines = {0};
	uint32_t i;
	int rc = make_lines(&lines, g);

	fprintf(f, "<div class=\"charts\">\n");
	for (i = 0; !rc && i < CHARTS; i++) {
		const struct svg_chart chart = {
		    .title = i ? metrics[i].caption : "IOPS, 95% intervals",
		    .x_title = "I/Os outstanding",
		    .y_title = metrics[i].caption,
		    .log = book_metric_is_latency(metrics[i].metric),
		    .categories = lines.categories,
		    .category_count = g->column_count,
		    .series = lines.series,
		    .series_count = g->row_count,
		};

		put_chart(f, g, &lines, &chart, metrics[i].metric);
	}
	fprintf(f, "</div>\n");
	free_lines(&lines);
	return rc;
}

static bool has_values(const struct grid *g)
{
	size_t i;

	for (i = 0; i < (size_t)g->row_count * g->column_count; i++)
		if (isfinite(book_value(g->cells[i], BOOK_IOPS)))
			return true;
	return false;
}

int digest_put_group(FILE *f, const struct book_group *g)
{
	size_t i;

	if (!has_values(g->grid)) {
		fprintf(f, "<p>Nothing was measured.</p>\n");
		return 0;
	}
	fprintf(f, "<p class=\"note\">Block size down, I/Os outstanding "
		   "across.</p>\n<div class=\"heats\">\n");
	for (i = 0; i < METRICS; i++) {
		bool latency = book_metric_is_latency(metrics[i].metric);
		const struct heat heat = {
		    metrics[i].caption,
		    value_of_metric,
		    &metrics[i].metric,
		    {0xff, 0xff, 0xff},
		    {latency ? 0xf4 : 0x7f, latency ? 0xb1 : 0xb2,
		     latency ? 0x83 : 0xe5},
		    false,
		};

		put_heat(f, g->grid, &heat);
	}
	fprintf(f, "</div>\n");
	return put_charts(f, g->grid);
}
