#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/units.h"
#include "export/book_chosen.h"
#include "export/book_limit.h"
#include "export/transient.h"

/*
 * A chart shows at most so many intervals of a point. Of more, groups of
 * neighbours keep those with the least and most IOPS, the longest mean and
 * the longest single latency, each at its time: nothing is averaged, and no
 * peak is lost.
 */
#define INTERVALS_MAX 2000
#define KEPT 4

/* Lower than others, so that two points are on a printed page. */
#define HEIGHT 320
#define ROWS 17

#define SERIES_MAX 3

enum { TIME, IOPS, MIBPS, MEAN, LONGEST, WARM_IOPS, WARM_MEAN, COLUMNS };

static const char *const heads[COLUMNS] = {
    [TIME] = "Time (s)",
    [IOPS] = "IOPS",
    [MIBPS] = "MiB/s",
    [MEAN] = "Average latency",
    [LONGEST] = "Longest latency",
    [WARM_IOPS] = "Start-up",
    [WARM_MEAN] = "Average in start-up",
};

struct interval_row {
	double time_s, iops, mibps, mean_ms, longest_ms;
	bool warm;	 /* in a start-up that the ramp did not cover */
	bool visit_ends; /* a gap follows */
};

struct timeline {
	struct interval_row *rows;
	uint32_t count;
};

static struct interval_row row_of(const struct visit *v, uint32_t i,
				  double start_s, double warm_share)
{
	const struct sample *s = &v->samples[i];
	double seconds = (double)v->interval_ns / 1e9;
	double ios = (double)(s->ios[DIR_READ] + s->ios[DIR_WRITE]);
	double bytes = (double)(s->bytes[DIR_READ] + s->bytes[DIR_WRITE]);

	return (struct interval_row){
	    .time_s = start_s + (i + 0.5) * seconds,
	    .iops = ios / seconds,
	    .mibps = bytes / seconds / (double)MIB,
	    .mean_ms = ios > 0 ? (double)s->lat_sum_ns / ios / 1e6 : NAN,
	    .longest_ms = ios > 0 ? (double)s->lat_max_ns / 1e6 : NAN,
	    .warm = i < warm_share * v->sample_count,
	    .visit_ends = i + 1 == v->sample_count,
	};
}

static double warm_share(const struct visit *const *visits, uint32_t count)
{
	struct transient found;

	if (!transient_find(visits, count, &found))
		return 0;
	return found.share_pct / 100;
}

/* The visits of a point one after another, as if without a pause. */
static int fill(const struct book_chosen *c, struct timeline *t)
{
	const struct run *run = c->group->run;
	const struct visit **visits =
	    calloc(run->visit_count + (size_t)1, sizeof(*visits));
	uint32_t i, k, count = 0, total = 0;
	double start_s = 0, share;

	for (i = 0; visits && i < run->visit_count; i++) {
		const struct visit *v = &run->visits[i];

		if (v->point != c->result->point->index ||
		    v->state != VISIT_DONE || !v->sample_count)
			continue;
		visits[count++] = v;
		total += v->sample_count;
	}
	t->count = 0;
	t->rows = calloc(total + (size_t)1, sizeof(*t->rows));
	if (visits && t->rows) {
		share = warm_share(visits, count);
		for (i = 0; i < count; i++) {
			for (k = 0; k < visits[i]->sample_count; k++)
				t->rows[t->count++] =
				    row_of(visits[i], k, start_s, share);
			start_s += (double)visits[i]->sample_count *
				   (double)visits[i]->interval_ns / 1e9;
		}
	}
	free(visits);
	return visits && t->rows ? 0 : -1;
}

/* The first of `count` rows that is most by what `of` says. */
static uint32_t most(const struct interval_row *rows, uint32_t count,
		     double of(const struct interval_row *r))
{
	uint32_t best = 0;
	uint32_t i;

	for (i = 1; i < count; i++)
		if (of(&rows[i]) > of(&rows[best]) || isnan(of(&rows[best])))
			best = i;
	return best;
}

static double more_iops(const struct interval_row *r)
{
	return r->iops;
}
static double less_iops(const struct interval_row *r)
{
	return -r->iops;
}
static double more_mean(const struct interval_row *r)
{
	return r->mean_ms;
}
static double more_longest(const struct interval_row *r)
{
	return r->longest_ms;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Move the rows worth keeping of rows[first .. first + count) to the place
 * behind those kept so far; returns how many. */
static uint32_t keep(struct timeline *t, uint32_t first, uint32_t count,
		     uint32_t kept)
{
	const struct interval_row *rows = t->rows + first;
	uint32_t picked[KEPT] = {
	    most(rows, count, more_iops), most(rows, count, less_iops),
	    most(rows, count, more_mean), most(rows, count, more_longest)};
	bool ends = false;
	uint32_t i, n = 0;

	for (i = 0; i < count; i++)
		ends |= rows[i].visit_ends;
	qsort(picked, KEPT, sizeof(*picked), by_number);
	for (i = 0; i < KEPT; i++)
		if (i == 0 || picked[i] != picked[i - 1])
			t->rows[kept + n++] = rows[picked[i]];
	t->rows[kept + n - 1].visit_ends = ends;
	return n;
}

static void thin_out(struct timeline *t)
{
	uint32_t groups = INTERVALS_MAX / KEPT;
	uint32_t total = t->count;
	uint32_t i;

	if (total <= INTERVALS_MAX)
		return;
	t->count = 0;
	for (i = 0; i < groups; i++) {
		uint32_t first = (uint32_t)((uint64_t)total * i / groups);
		uint32_t end = (uint32_t)((uint64_t)total * (i + 1) / groups);

		t->count += keep(t, first, end - first, t->count);
	}
}

/* Where the numbers of a point stand. */
struct table {
	struct xlsx_sheet *sheet;
	uint32_t head, last;
	bool warm;
	double end_s; /* of what is drawn */
	struct book_extent iops, latency;
};

static void put_main(const struct table *t, uint32_t row, uint32_t iops,
		     uint32_t mean, const struct interval_row *r)
{
	xlsx_number(t->sheet, row, iops, XLSX_NUMBER, r->iops);
	xlsx_number(t->sheet, row, mean, XLSX_MS, r->mean_ms);
}

/* A blank row after each visit breaks the line. */
static void put_rows(struct table *t, const struct timeline *line)
{
	uint32_t row = t->head;
	uint32_t i;

	for (i = 0; i < COLUMNS; i++)
		xlsx_text(t->sheet, t->head, i, XLSX_HEAD_NUMBER, heads[i]);
	for (i = 0; i < line->count; i++) {
		const struct interval_row *r = &line->rows[i];

		row++;
		xlsx_number_as(t->sheet, row, TIME, "0.000", r->time_s);
		xlsx_number(t->sheet, row, MIBPS, XLSX_NUMBER, r->mibps);
		xlsx_number(t->sheet, row, LONGEST, XLSX_MS, r->longest_ms);
		book_extend(&t->iops, r->iops);
		book_extend(&t->latency, r->mean_ms);
		book_extend(&t->latency, r->longest_ms);
		t->last = row;
		t->end_s = r->time_s;
		t->warm |= r->warm;
		if (r->warm)
			put_main(t, row, WARM_IOPS, WARM_MEAN, r);
		/* The lines meet in the first interval behind a start-up. */
		if (!r->warm)
			put_main(t, row, IOPS, MEAN, r);
		if (!r->warm && i && r[-1].warm && !r[-1].visit_ends)
			put_main(t, row, WARM_IOPS, WARM_MEAN, r);
		row += r->visit_ends;
	}
}

static void draw(struct xlsx_sheet *s, const struct book_place *place,
		 const struct table *t, const uint32_t columns[SERIES_MAX],
		 const struct xlsx_series *limit, struct xlsx_chart *chart)
{
	struct xlsx_series series[SERIES_MAX + 1];
	uint32_t i, count = 0;

	for (i = 0; i < SERIES_MAX; i++) {
		uint32_t c = columns[i];

		if (c == TIME || (c >= WARM_IOPS && !t->warm))
			continue;
		series[count++] = (struct xlsx_series){
		    .name = {t->sheet, t->head, c, t->head, c},
		    .categories = {t->sheet, t->head + 1, TIME, t->last, TIME},
		    .values = {t->sheet, t->head + 1, c, t->last, c},
		};
	}
	if (limit)
		series[count++] = *limit;
	chart->limit_count = limit ? 1 : 0;
	chart->kind = XLSX_SCATTER;
	chart->plain = true;
	chart->palette = XLSX_PALETTE_TIME;
	chart->x = (struct xlsx_axis){"Measured time (s)", false, 0, t->end_s};
	chart->x_from_zero = true;
	chart->width = place->width;
	chart->height = HEIGHT;
	chart->series = series;
	chart->series_count = count;
	xlsx_chart(s, place->row, place->column, chart);
}

static void draw_both(const struct book_model *m, struct book_sheets *sheets,
		      uint32_t row, const struct book_slots *slots,
		      struct table *t, const char *name)
{
	static const uint32_t iops[SERIES_MAX] = {IOPS, WARM_IOPS, TIME};
	static const uint32_t latency[SERIES_MAX] = {MEAN, WARM_MEAN, LONGEST};
	const uint32_t width = slots->columns * BOOK_CELL_PX - 4;
	const struct book_place left = {row, book_slot(slots, 0), width};
	const struct book_place right = {row, book_slot(slots, 1), width};
	char title[BOOK_TITLE_MAX];
	struct xlsx_chart chart = {.title = title};
	struct xlsx_series limit;
	uint32_t limits;

	snprintf(title, sizeof(title), "IOPS over time - %s", name);
	chart.y = (struct xlsx_axis){"IOPS", false, NAN, NAN};
	draw(sheets->series, &left, t, iops, NULL, &chart);
	if (!isfinite(t->latency.high))
		return;
	limits = book_limit_across(m, sheets, 0, t->end_s, &t->latency, &limit);
	snprintf(title, sizeof(title), "Latency over time - %s", name);
	chart.y = (struct xlsx_axis){"Latency (ms)", true, t->latency.low,
				     t->latency.high};
	draw(sheets->series, &right, t, latency, limits ? &limit : NULL,
	     &chart);
}

static int put_point(const struct book_model *m, const struct book_chosen *c,
		     struct book_sheets *sheets, const struct book_slots *slots,
		     uint32_t row)
{
	struct table t = {.sheet = sheets->data,
			  .head = sheets->data_row + 1,
			  .iops = {NAN, NAN},
			  .latency = {NAN, NAN}};
	struct timeline line = {NULL, 0};
	char text[3 * LABEL_MAX];
	uint32_t total;

	if (fill(c, &line)) {
		free(line.rows);
		return -ENOMEM;
	}
	total = line.count;
	thin_out(&line);
	xlsx_text(t.sheet, t.head - 1, 0, XLSX_CAPTION, c->name);
	put_rows(&t, &line);
	sheets->data_row = t.last + 3;
	snprintf(text, sizeof(text), "%s (%s)", c->name, c->why);
	xlsx_height(sheets->series, row, 26);
	xlsx_text(sheets->series, row, 0, XLSX_HEADING, text);
	if (line.count < total) {
		snprintf(text, sizeof(text),
			 "%u of %u intervals are drawn, the extremes among "
			 "them; series.csv has all.",
			 line.count, total);
		xlsx_text(sheets->series, row + 1, 0, XLSX_NOTE, text);
	}
	draw_both(m, sheets, row + 2, slots, &t, c->name);
	free(line.rows);
	return 0;
}

int book_write_series(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->series;
	struct book_slots slots = book_set_slots(s, BOOK_SLOT);
	struct book_choice choice;
	uint32_t i, row;

	book_choose(m, book_has_series, &choice);
	row = book_put_title(s, m, "Time series", sheets,
			     book_slots_width(&slots) - 1);
	xlsx_text(s, row++, 0, XLSX_NOTE,
		  book_word(m,
			    "The visits of a point one after another, "
			    "without their ramps and the time between them; "
			    "a start-up that the ramp did not cover is drawn "
			    "in orange."));
	for (i = 0; i < choice.count; i++) {
		if (i && i % 2 == 0)
			xlsx_break(s, row);
		if (put_point(m, &choice.items[i], sheets, &slots, row))
			return -ENOMEM;
		row += 2 + ROWS;
	}
	return 0;
}
