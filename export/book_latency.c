#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hist.h"
#include "export/book_chosen.h"
#include "export/book_notes.h"
#include "export/book_sheet.h"

/* Points of a line of the exceedance chart, a decade of shares. */
#define STEPS_A_DECADE 20
/* Bins of the histogram, a decade of latency. */
#define BINS_A_DECADE 10
#define BIN_MIN (-6 * BINS_A_DECADE) /* 1 ns, in ms */
#define BIN_COUNT (12 * BINS_A_DECADE)

/* Columns of the table of percentiles: the name takes the first ones. */
enum { NAME, WHY = 5, IOS, MEAN, FIRST_PCT, MOST = FIRST_PCT + PCT_COUNT };

/* Both directions of a point. */
struct merged {
	uint64_t bucket[HIST_BUCKETS];
	uint64_t count;
};

static void merge(const struct result *r, struct merged *out)
{
	uint32_t d, i;

	memset(out, 0, sizeof(*out));
	for (d = 0; d < DIR_COUNT; d++)
		for (i = 0; i < r->latency[d].count; i++) {
			uint64_t n = r->latency[d].bucket[i];

			out->bucket[r->latency[d].first + i] += n;
			out->count += n;
		}
}

static double upper_ms(uint32_t bucket)
{
	return (double)hist_bucket_upper(bucket) / 1e6;
}

static void put_heads(struct xlsx_sheet *s, uint32_t row)
{
	static const char *const names[PCT_COUNT] = {"p50", "p90",   "p95",
						     "p99", "p99.9", "p99.99"};
	uint32_t i;

	xlsx_height(s, row, 44);
	xlsx_wide_text(s, row, NAME, WHY - 1, XLSX_HEAD, "Point");
	xlsx_text(s, row, WHY, XLSX_HEAD, "Why");
	xlsx_text(s, row, IOS, XLSX_HEAD_NUMBER, "I/Os");
	xlsx_text(s, row, MEAN, XLSX_HEAD_NUMBER, "Average (ms)");
	for (i = 0; i < PCT_COUNT; i++) {
		char head[32];

		snprintf(head, sizeof(head), "%s (ms)", names[i]);
		xlsx_text(s, row, FIRST_PCT + i, XLSX_HEAD_NUMBER, head);
	}
	xlsx_text(s, row, MOST, XLSX_HEAD_NUMBER, "Longest (ms)");
}

static void put_percentiles(struct xlsx_sheet *s, uint32_t row,
			    const struct book_chosen *c)
{
	const struct result *r = c->result;
	uint32_t i;

	xlsx_wide_text(s, row, NAME, WHY - 1, XLSX_LABEL, c->name);
	xlsx_text(s, row, WHY, XLSX_TEXT, c->why);
	xlsx_number(s, row, IOS, XLSX_COUNT,
		    (double)(r->total.ios[DIR_READ] + r->total.ios[DIR_WRITE]));
	xlsx_number(s, row, MEAN, XLSX_MS, book_ms(r->lat_mean_us.value));
	for (i = 0; i < PCT_COUNT; i++)
		xlsx_number(s, row, FIRST_PCT + i, XLSX_MS,
			    book_ms(r->lat_us[i].value));
	xlsx_number(s, row, MOST, XLSX_MS, book_ms(r->lat_max_us));
}

/* A table of latency and share on the sheet of data, its header at row. */
struct lines {
	struct xlsx_sheet *data;
	struct xlsx_series series[XLSX_SERIES_MAX + 1]; /* and the limit */
	uint32_t count;
	bool limited; /* the last is the limit */
	struct book_extent x, y;
};

static void put_pair(struct lines *l, uint32_t row, uint32_t column,
		     double latency_ms, double share)
{
	xlsx_number_as(l->data, row, column, "0.0000", latency_ms);
	xlsx_number_as(l->data, row, column + 1, "0.000000", share);
	book_extend(&l->x, latency_ms);
	book_extend(&l->y, share);
}

static void add_line(struct lines *l, uint32_t head, uint32_t last,
		     uint32_t column, const char *name)
{
	xlsx_text(l->data, head, column, XLSX_HEAD_NUMBER, "Latency (ms)");
	xlsx_text(l->data, head, column + 1, XLSX_HEAD_NUMBER, name);
	if (last == head)
		return;
	l->series[l->count++] = (struct xlsx_series){
	    .name = {l->data, head, column + 1, head, column + 1},
	    .categories = {l->data, head + 1, column, last, column},
	    .values = {l->data, head + 1, column + 1, last, column + 1},
	};
}

/* For the ends of buckets, the share of I/Os that took longer: exact, and as
 * many as a line needs. Returns the last row. */
static uint32_t put_exceedance(struct lines *l, const struct merged *m,
			       uint32_t head, uint32_t column)
{
	double next = 1;
	uint64_t left = m->count;
	uint32_t row = head;
	uint32_t i;

	for (i = 0; i < HIST_BUCKETS && left; i++) {
		double share;

		if (!m->bucket[i])
			continue;
		if (left == m->count)
			put_pair(l, ++row, column,
				 (double)hist_bucket_lower(i) / 1e6, 1);
		left -= m->bucket[i];
		share = (double)left / (double)m->count;
		if (left && (share <= next || left == 1)) {
			put_pair(l, ++row, column, upper_ms(i), share);
			next = share * pow(10, -1.0 / STEPS_A_DECADE);
		}
	}
	return row;
}

/* "p99 latency up to 2 ms", an upright line over all shares, so that it is
 * where a curve has to be below its mark. Returns the last row. */
static uint32_t put_limit(struct lines *l, const struct book_model *m,
			  uint32_t head, uint32_t column)
{
	char name[BOOK_LIMIT_MAX];

	if (!book_say_limit(m, name, sizeof(name)) || !isfinite(l->y.low))
		return head;
	put_pair(l, head + 1, column, book_ms(m->opts->limit->limit_us), 1);
	put_pair(l, head + 2, column, book_ms(m->opts->limit->limit_us),
		 l->y.low);
	add_line(l, head, head + 2, column, name);
	l->limited = true;
	return head + 2;
}

static int put_exceedances(const struct book_model *m,
			   const struct book_choice *choice,
			   struct book_sheets *sheets, struct lines *l)
{
	struct merged *merged = malloc(sizeof(*merged));
	uint32_t head = sheets->data_row + 1, end = head;
	uint32_t i, last;

	if (!merged)
		return -ENOMEM;
	xlsx_height(l->data, head, BOOK_DATA_HEAD_PX);
	xlsx_text(l->data, head - 1, 0, XLSX_CAPTION,
		  "Share of I/Os that took longer");
	for (i = 0; i < choice->count; i++) {
		merge(choice->items[i].result, merged);
		last = put_exceedance(l, merged, head, 2 * i);
		add_line(l, head, last, 2 * i, choice->items[i].name);
		end = last > end ? last : end;
	}
	last = put_limit(l, m, head, 2 * choice->count);
	sheets->data_row = (last > end ? last : end) + 2;
	free(merged);
	return 0;
}

static void draw_exceedance(struct xlsx_sheet *s, uint32_t row, uint32_t width,
			    const struct lines *l)
{
	const struct xlsx_chart chart = {
	    .kind = XLSX_SCATTER,
	    .plain = true,
	    .title = "Share of I/Os that took longer",
	    .x = {"Latency (ms)", true, l->x.low, l->x.high},
	    .y = {"Share of I/Os that took longer", true, l->y.low, 1},
	    .width = width,
	    .height = 2 * BOOK_CHART_HEIGHT - 200,
	    .series = l->series,
	    .series_count = l->count,
	    .limit_count = l->limited ? 1 : 0,
	};

	if (l->count)
		xlsx_chart(s, row, 0, &chart);
}

/* Points above the chart that leave room for it on a printed page. */
#define FIRST_PAGE_POINTS 6

int book_write_latency(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->latency;
	struct lines lines = {
	    .data = sheets->data, .x = {NAN, NAN}, .y = {NAN, NAN}};
	struct book_choice choice;
	uint32_t i, row;

	book_choose(m, book_has_histogram, &choice);
	xlsx_width(s, 0, MOST, 80);
	row = book_put_title(s, m, "Latency", sheets, MOST);
	xlsx_text(s, row++, 0, XLSX_NOTE,
		  book_word(m,
			    "The sweet spot of each workload, and its peak "
			    "of IOPS where that is another. A percentile is "
			    "blank where fewer than ten I/Os lie above it."));
	put_heads(s, row++);
	for (i = 0; i < choice.count; i++)
		put_percentiles(s, row++, &choice.items[i]);
	if (put_exceedances(m, &choice, sheets, &lines))
		return -ENOMEM;
	if (choice.count > FIRST_PAGE_POINTS)
		xlsx_break(s, row + 1);
	draw_exceedance(s, row + 1, (MOST + 1) * 80 - 4, &lines);
	return 0;
}

static int bin_of(uint32_t bucket)
{
	double middle = ((double)hist_bucket_lower(bucket) +
			 (double)hist_bucket_upper(bucket)) /
			2e6;
	int bin = (int)floor(log10(middle) * BINS_A_DECADE) - BIN_MIN;

	return bin < 0 ? 0 : bin >= BIN_COUNT ? BIN_COUNT - 1 : bin;
}

/* Shares in % of each bin, for every point chosen. */
struct bins {
	double share[XLSX_SERIES_MAX][BIN_COUNT];
	int first, last; /* with anything in them; first > last: none */
};

static void fill_bins(struct bins *b, uint32_t point, const struct merged *m)
{
	uint32_t i;

	for (i = 0; i < HIST_BUCKETS; i++) {
		int bin = bin_of(i);

		if (!m->bucket[i])
			continue;
		b->share[point][bin] +=
		    100 * (double)m->bucket[i] / (double)m->count;
		b->first = bin < b->first ? bin : b->first;
		b->last = bin > b->last ? bin : b->last;
	}
}

/* What is not 0 does not look so. */
#define SHARE_FORMAT "[=0]0;[<0.05]0.000;0.0"

/* Columns: the end of the bin, then a point each. */
static void put_bins(struct xlsx_sheet *s, uint32_t head, const struct bins *b,
		     const struct book_choice *choice)
{
	uint32_t row = head + 1;
	uint32_t i;
	int bin;

	xlsx_height(s, head, 82);
	xlsx_text(s, head, 0, XLSX_HEAD, "Up to (ms)");
	for (i = 0; i < choice->count; i++)
		xlsx_text(s, head, 1 + i, XLSX_HEAD_NUMBER,
			  choice->items[i].name);
	for (bin = b->first; bin <= b->last; bin++, row++) {
		double end =
		    pow(10, (double)(bin + 1 + BIN_MIN) / BINS_A_DECADE);
		char text[32];

		snprintf(text, sizeof(text), "%.3g", end);
		xlsx_text(s, row, 0, XLSX_LABEL, text);
		for (i = 0; i < choice->count; i++)
			xlsx_number_as(s, row, 1 + i, SHARE_FORMAT,
				       b->share[i][bin]);
	}
}

static void draw_bins(struct xlsx_sheet *s, uint32_t row, uint32_t head,
		      uint32_t last, const struct book_choice *choice)
{
	struct xlsx_series series[XLSX_SERIES_MAX];
	const struct xlsx_chart chart = {
	    .kind = choice->count == 1 ? XLSX_COLUMN : XLSX_LINE,
	    .title = "Latency histogram",
	    .x = {"Latency up to (ms)", false, NAN, NAN},
	    .y = {"% of I/Os", false, NAN, NAN},
	    .width = 1100,
	    .height = BOOK_CHART_HEIGHT,
	    .series = series,
	    .series_count = choice->count,
	};
	uint32_t i;

	for (i = 0; i < choice->count; i++)
		series[i] = (struct xlsx_series){
		    .name = {s, head, 1 + i, head, 1 + i},
		    .categories = {s, head + 1, 0, last, 0},
		    .values = {s, head + 1, 1 + i, last, 1 + i},
		};
	xlsx_chart(s, row, 0, &chart);
}

int book_write_histogram(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->histogram;
	struct merged *merged = malloc(sizeof(*merged));
	struct bins *bins = calloc(1, sizeof(*bins));
	struct book_choice choice;
	uint32_t i, row, head;
	int rc = -ENOMEM;

	if (!merged || !bins)
		goto out;
	book_choose(m, book_has_histogram, &choice);
	bins->first = BIN_COUNT;
	bins->last = -1;
	for (i = 0; i < choice.count; i++) {
		merge(choice.items[i].result, merged);
		fill_bins(bins, i, merged);
	}
	xlsx_width(s, 0, 0, 90);
	xlsx_width(s, 1, XLSX_SERIES_MAX, 110);
	row = book_put_title(s, m, "Latency histogram", sheets, 9);
	xlsx_text(s, row, 0, XLSX_NOTE,
		  book_word(m, "% of I/Os in bins of equal width on a "
			       "logarithmic scale, from the buckets of "
			       "latency.csv."));
	head = row + 1 + BOOK_CHART_ROWS;
	xlsx_break(s, head);
	put_bins(s, head, bins, &choice);
	draw_bins(s, row + 1, head,
		  head + 1 + (uint32_t)(bins->last - bins->first), &choice);
	rc = 0;
out:
	free(merged);
	free(bins);
	return rc;
}
