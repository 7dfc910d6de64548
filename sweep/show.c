#include "sweep/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/grid.h"
#include "export/label.h"
#include "sweep/wrap.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN 40
#define SHADES 8

/* A ramp of backgrounds in the 256-colour cube, light to dark, each readable
 * below black text; and its twin in ASCII. */
static const unsigned char ramp_more_is_better[SHADES] = {231, 189, 153, 117,
							  111, 75,  69,	 33};
static const unsigned char ramp_less_is_better[SHADES] = {231, 230, 223, 222,
							  216, 215, 209, 208};
static const char ramp_ascii[SHADES + 1] = " .:-=+%@";

struct metric_info {
	const char *title;
	const unsigned char *ramp;
	bool less_is_better;
	double (*value)(const struct result *r);
};

static double metric_iops(const struct result *r)
{
	return r->iops.value;
}

static double metric_mibps(const struct result *r)
{
	return r->mibps.value;
}

static double metric_latency(const struct result *r)
{
	return r->lat_mean_us.value;
}

static const struct metric_info metrics[] = {
    [SHOW_IOPS] = {"IOPS", ramp_more_is_better, false, metric_iops},
    [SHOW_MIBPS] = {"MiB/s", ramp_more_is_better, false, metric_mibps},
    [SHOW_LATENCY] = {"average latency, us", ramp_less_is_better, true,
		      metric_latency},
};

static bool colour_wanted(FILE *f, bool no_color)
{
	const char *term = getenv("TERM");
	const char *off = getenv("NO_COLOR");

	return !no_color && isatty(fileno(f)) && term && *term &&
	       strcmp(term, "dumb") != 0 && !(off && *off);
}

struct show_style show_style_detect(FILE *f, bool no_color)
{
	struct show_style style = {
	    .colour = colour_wanted(f, no_color),
	    .width = WIDTH_DEFAULT,
	};
	struct winsize ws;

	if (!ioctl(fileno(f), TIOCGWINSZ, &ws) && ws.ws_col)
		style.width = ws.ws_col;
	if (style.width < WIDTH_MIN)
		style.width = WIDTH_MIN;
	return style;
}

/* The name padded to width; a longer one has a line of its own. */
static void put_name(FILE *f, const char *name, int width)
{
	int n = (int)wrap_width(name);

	if (n > width)
		fprintf(f, "%s\n%*s", name, width, "");
	else
		fprintf(f, "%s%*s", name, width - n, "");
}

static void put_number(FILE *f, int width, double value)
{
	char buf[UNITS_TEXT_MAX];

	fprintf(f, " %*s", width, units_format_number(buf, value));
}

static void put_spot(FILE *f, const struct sweetspot *spot,
		     const struct label_axes *axes, int name_width)
{
	const struct result *r = spot->sweet;
	char name[LABEL_MAX];
	char size[UNITS_TEXT_MAX];
	char at[2 * UNITS_TEXT_MAX];

	put_name(f, label_group(axes, spot->group, name, sizeof(name)),
		 name_width);
	if (!r) {
		fprintf(f, "  none\n");
		return;
	}
	snprintf(
	    at, sizeof(at), "%s x %u",
	    units_format_size(size, r->point->workload.stream.block_size_bytes),
	    point_outstanding(r->point));
	fprintf(f, "  %-10s", at);
	put_number(f, 10, r->iops.value);
	put_number(f, 8, r->mibps.value);
	put_number(f, 9, r->lat_mean_us.value);
	put_number(f, 9, r->lat_us[PCT_99].value);
	fputc('\n', f);
}

static void put_sentences(FILE *f, const struct sweetspot_list *list,
			  const struct label_axes *axes,
			  const struct show_style *style)
{
	char text[SWEETSPOT_TEXT_MAX];
	char name[LABEL_MAX];
	uint32_t i;

	for (i = 0; i < list->count; i++) {
		const struct sweetspot *spot = &list->spots[i];

		label_group(axes, spot->group, name, sizeof(name));
		wrap_print(f,
			   sweetspot_sentence(spot, name, text, sizeof(text)),
			   0, 2, style->width);
	}
}

/* Of a search: what the sweet spots are the best of. */
static void put_search(FILE *f, const struct run *run,
		       const struct show_style *style)
{
	uint32_t measured = 0, i;
	char text[128];

	if (!run_is_search(run))
		return;
	for (i = 0; i < run->point_count; i++)
		measured += run->results[i].done > 0;
	snprintf(text, sizeof(text),
		 "A search: of %u points the %u that decide were measured.",
		 run->point_count, measured);
	wrap_print(f, text, 0, 2, style->width);
}

static void put_lost_points(FILE *f, const struct run *run,
			    const struct show_style *style)
{
	uint32_t failed = 0, skipped = 0, i;
	const struct result *example = NULL;
	char text[VISIT_REASON_MAX + 128] = "";
	size_t len = 0;

	for (i = 0; i < run->point_count; i++) {
		const struct result *r = &run->results[i];

		failed += r->failed > 0;
		skipped += r->skipped > 0 && !r->failed;
		if (!example && (r->failed || r->skipped))
			example = r;
	}
	if (!example)
		return;
	if (failed)
		len = (size_t)snprintf(text, sizeof(text),
				       "%u of %u points failed", failed,
				       run->point_count);
	if (skipped)
		len += (size_t)snprintf(
		    text + len, sizeof(text) - len, "%s%u of %u points skipped",
		    failed ? ", " : "", skipped, run->point_count);
	snprintf(text + len, sizeof(text) - len, "; for example: %s",
		 example->reason);
	wrap_print(f, text, 0, 2, style->width);
}

int show_sweetspots(FILE *f, const struct run *run,
		    const struct latency_limit *limit,
		    const struct show_style *style, struct err *err)
{
	/* What the columns behind the name take. */
	const int rest = 52;
	struct sweetspot_list list;
	struct label_axes axes;
	int name_width = (int)style->width - rest;
	uint32_t i;

	if (sweetspot_find(run, limit, &list))
		return err_failed(err, ENOMEM,
				  "out of memory for the sweet spots");
	if (name_width < 12)
		name_width = 12;
	if (name_width > 40)
		name_width = 40;
	label_axes_find(run->points, run->point_count, &axes);
	put_name(f, "Sweet spot", name_width);
	fprintf(f, "  %-10s %10s %8s %9s %9s\n", "size x I/O", "IOPS", "MiB/s",
		"mean us", "p99 us");
	for (i = 0; i < list.count; i++)
		put_spot(f, &list.spots[i], &axes, name_width);
	fputc('\n', f);
	put_sentences(f, &list, &axes, style);
	put_search(f, run, style);
	put_lost_points(f, run, style);
	sweetspot_free(&list);
	return 0;
}

/* The values of a grid in ascending order, for ranks. */
struct ranks {
	double *sorted;
	uint32_t count;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int ranks_init(struct ranks *ranks, const struct grid *g,
		      const struct metric_info *m)
{
	uint32_t cells = g->row_count * g->column_count;
	uint32_t i;

	ranks->count = 0;
	ranks->sorted = malloc(((size_t)cells + 1) * sizeof(double));
	if (!ranks->sorted)
		return -ENOMEM;
	for (i = 0; i < cells; i++) {
		double v = g->cells[i] ? m->value(g->cells[i]) : NAN;

		if (isfinite(v))
			ranks->sorted[ranks->count++] = v;
	}
	qsort(ranks->sorted, ranks->count, sizeof(double), by_value);
	return 0;
}

/* Shade by rank, so that half of the cells lie on each side of the middle. */
static int shade_of(const struct ranks *ranks, double v)
{
	uint32_t below = 0;

	if (ranks->count < 2)
		return 0;
	while (below < ranks->count - 1 && ranks->sorted[below] < v)
		below++;
	return (int)((double)below * (SHADES - 1) / (ranks->count - 1) + 0.5);
}

static bool is_best(const struct ranks *ranks, const struct metric_info *m,
		    double v)
{
	double best = ranks->sorted[m->less_is_better ? 0 : ranks->count - 1];

	return m->less_is_better ? v <= best : v >= best;
}

struct shades {
	const struct ranks *ranks;
	const struct metric_info *metric;
};

static void put_cell(FILE *f, const struct result *r,
		     const struct show_style *style, const void *arg)
{
	const struct ranks *ranks = ((const struct shades *)arg)->ranks;
	const struct metric_info *m = ((const struct shades *)arg)->metric;
	double v = r ? m->value(r) : NAN;
	char number[UNITS_TEXT_MAX];
	char text[UNITS_TEXT_MAX + 2];
	int shade;

	if (!isfinite(v)) {
		fprintf(f, "%8s ", r ? "-" : "");
		return;
	}
	shade = shade_of(ranks, v);
	snprintf(text, sizeof(text), "%s%s", is_best(ranks, m, v) ? "*" : "",
		 units_format_number(number, v));
	if (style->colour)
		fprintf(f, "\033[38;5;16;48;5;%um%8s \033[0m", m->ramp[shade],
			text);
	else
		fprintf(f, "%8s%c", text, ramp_ascii[shade]);
}

/* Some columns of a grid. */
static void put_columns(FILE *f, const struct grid *g,
			const struct show_style *style, uint32_t from,
			uint32_t to, show_cell *cell, const void *arg)
{
	char size[UNITS_TEXT_MAX];
	uint32_t row, col;

	fprintf(f, "%7s", "");
	for (col = from; col < to; col++)
		fprintf(f, "%8u ", g->outstandings[col]);
	fputc('\n', f);
	for (row = 0; row < g->row_count; row++) {
		fprintf(f, "%6s ",
			units_format_size(size, g->block_sizes[row]));
		for (col = from; col < to; col++)
			cell(f, grid_at(g, row, col), style, arg);
		fputc('\n', f);
	}
}

void show_grid(FILE *f, const struct grid *g, const struct show_style *style,
	       show_cell *cell, const void *arg)
{
	uint32_t fit = (style->width - 7) / 9;
	uint32_t col, end;

	for (col = 0; col < g->column_count; col = end) {
		end = col + fit < g->column_count ? col + fit : g->column_count;
		put_columns(f, g, style, col, end, cell, arg);
	}
}

static int put_grid(FILE *f, const struct grid *g,
		    const struct label_axes *axes, const struct metric_info *m,
		    const struct show_style *style)
{
	char name[LABEL_MAX];
	struct ranks ranks;
	const struct shades shades = {&ranks, m};

	if (ranks_init(&ranks, g, m))
		return -ENOMEM;
	fprintf(f, "\n%s: %s\n",
		label_group(axes, g->group, name, sizeof(name)), m->title);
	fprintf(f, "  block size down, outstanding I/Os across%s%s, * best\n",
		style->colour ? "" : ", low to high",
		style->colour ? "" : ramp_ascii);
	show_grid(f, g, style, put_cell, &shades);
	free(ranks.sorted);
	return 0;
}

int show_heatmaps(FILE *f, const struct run *run, enum show_metric metric,
		  const struct show_style *style, struct err *err)
{
	struct grid_list grids;
	struct label_axes axes;
	uint32_t i;
	int rc = grid_build(run, &grids);

	if (rc)
		goto out;
	label_axes_find(run->points, run->point_count, &axes);
	for (i = 0; !rc && i < grids.count; i++)
		rc = put_grid(f, &grids.grids[i], &axes, &metrics[metric],
			      style);
	grid_free(&grids);
out:
	if (rc)
		err_failed(err, -rc, "out of memory for the heat maps");
	return rc;
}
