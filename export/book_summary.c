#include "export/book_sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "export/book_notes.h"

/* Columns of the sheet, which the table of sweet spots takes all. */
enum {
	WORKLOAD,
	MEASURED,
	SIZE,
	OUTSTANDING,
	IOPS,
	LOW,
	HIGH,
	MIBPS,
	LATENCY,
	P99,
	SHARE,
	ALSO,
	COLUMNS
};
#define NAME_PX BOOK_SUMMARY_NAME_PX
#define MEASURED_PX 170
#define NUMBER_PX 84
#define SHEET_PX BOOK_SUMMARY_PX

_Static_assert(COLUMNS == BOOK_SUMMARY_COLUMNS &&
		   NAME_PX + MEASURED_PX + (COLUMNS - SIZE) * NUMBER_PX ==
		       SHEET_PX,
	       "what lies below the table is as wide as it");

static const char *const heads[COLUMNS] = {
    [WORKLOAD] = "Workload",
    [MEASURED] = "Measured as",
    [SIZE] = "Block size",
    [OUTSTANDING] = "Outstanding",
    [IOPS] = "IOPS",
    [LOW] = "IOPS, 95% from",
    [HIGH] = "IOPS, 95% to",
    [MIBPS] = "MiB/s",
    [LATENCY] = "Average latency (ms)",
    [P99] = "p99 latency (ms)",
    [SHARE] = "% of that size's best",
    [ALSO] = "Undecided against",
};

/* Tiles lie over these columns, about 250 pixels each. */
#define TILES 5
static const uint32_t tile_first[TILES] = {WORKLOAD, MEASURED, OUTSTANDING,
					   HIGH, P99};
static const uint32_t tile_last[TILES] = {WORKLOAD, SIZE, LOW, LATENCY, ALSO};

struct tile {
	const char *name;
	enum xlsx_style style;
	double value; /* NAN: "-" */
	char note[3 * LABEL_MAX];
};

/* "Random read, 8K at 64 outstanding, buffered" */
static void say_where(const struct book_model *m, const struct book_group *g,
		      const struct result *r, char *buf, size_t size)
{
	char text[UNITS_TEXT_MAX];

	snprintf(
	    buf, size, "%s, %s at %u outstanding",
	    m->workloads[g->workload].name,
	    units_format_size(text, r->point->workload.stream.block_size_bytes),
	    point_outstanding(r->point));
	book_append(buf, size, g->label);
}

static const struct result *peak_of(const struct book_group *g,
				    enum book_metric metric)
{
	if (!g->spot)
		return NULL;
	switch (metric) {
	case BOOK_IOPS:
		return g->spot->peak_iops;
	case BOOK_MIBPS:
		return g->spot->peak_mibps;
	default:
		return g->spot->lowest_latency;
	}
}

static void fill_peak(const struct book_model *m, enum book_metric metric,
		      struct tile *tile)
{
	bool less = book_metric_is_latency(metric);
	uint32_t i;

	tile->value = NAN;
	for (i = 0; i < m->group_count; i++) {
		const struct result *r = peak_of(&m->groups[i], metric);
		double value = book_value(r, metric);

		if (!isfinite(value) ||
		    (less ? value >= tile->value : value <= tile->value))
			continue;
		tile->value = value;
		say_where(m, &m->groups[i], r, tile->note, sizeof(tile->note));
	}
}

/* The measure of what another side brings: over all pairs of points the
 * median of its IOPS against the base's. */
static void fill_speedup(const struct book_model *m, struct tile *tile)
{
	uint32_t side;

	tile->value = NAN;
	for (side = 1; side < m->side_count; side++) {
		uint32_t count;
		double ratio = book_median_speedup(m, side, &count);

		if (!isfinite(ratio) || ratio <= tile->value)
			continue;
		tile->value = ratio;
		snprintf(tile->note, sizeof(tile->note),
			 "IOPS, %s against %s, median of %u pairs",
			 m->sides[side].label, m->sides[0].label, count);
	}
	tile->name =
	    m->cache_effect ? "Speed-up of the cache" : "Against the base";
	tile->style = XLSX_TILE_RATIO;
}

static void fill_best_p99(const struct book_model *m, struct tile *tile)
{
	uint32_t i;

	tile->name = "p99 latency at the sweet spot";
	tile->style = XLSX_TILE_MS;
	tile->value = NAN;
	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];
		const struct result *r = g->spot ? g->spot->sweet : NULL;
		double value = book_value(r, BOOK_P99);

		if (!isfinite(value) || value >= tile->value)
			continue;
		tile->value = value;
		say_where(m, g, r, tile->note, sizeof(tile->note));
	}
}

static void append_count(struct tile *tile, uint32_t count, const char *what)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %s", count, what);
	if (count)
		book_append(tile->note, sizeof(tile->note), text);
}

static void fill_points(const struct book_model *m, struct tile *tile)
{
	struct book_counts counts = book_count_points(m);

	tile->name = "Points measured";
	tile->style = XLSX_TILE_COUNT;
	tile->value = counts.done;
	snprintf(tile->note, sizeof(tile->note), "of %u", counts.points);
	append_count(tile, counts.failed, "failed");
	append_count(tile, counts.skipped, "skipped");
	append_count(tile, counts.missing, "not yet measured");
}

static void put_tile(struct xlsx_sheet *s, uint32_t row, uint32_t n,
		     const struct tile *tile)
{
	uint32_t first = tile_first[n], last = tile_last[n];

	xlsx_wide_text(s, row, first, last, XLSX_TILE_NAME, tile->name);
	if (isfinite(tile->value))
		xlsx_wide_number(s, row + 1, first, last, tile->style,
				 tile->value);
	else
		xlsx_wide_text(s, row + 1, first, last, XLSX_TILE_TEXT, "-");
	xlsx_wide_text(s, row + 2, first, last, XLSX_TILE_NOTE, tile->note);
}

static uint32_t put_tiles(const struct book_model *m, struct xlsx_sheet *s,
			  uint32_t row)
{
	struct tile tiles[TILES] = {
	    {"Peak IOPS", XLSX_TILE_COUNT, NAN, ""},
	    {"Peak MiB/s", XLSX_TILE_NUMBER, NAN, ""},
	    {"Lowest average latency", XLSX_TILE_MS, NAN, ""},
	};
	uint32_t i;

	fill_peak(m, BOOK_IOPS, &tiles[0]);
	fill_peak(m, BOOK_MIBPS, &tiles[1]);
	fill_peak(m, BOOK_LATENCY, &tiles[2]);
	if (book_has_pairs(m))
		fill_speedup(m, &tiles[3]);
	else
		fill_best_p99(m, &tiles[3]);
	fill_points(m, &tiles[4]);
	xlsx_height(s, row, 24);
	xlsx_height(s, row + 1, 36);
	xlsx_height(s, row + 2, 34);
	for (i = 0; i < TILES; i++)
		put_tile(s, row, i, &tiles[i]);
	return row + 4;
}

/* One sentence a group; the table below has all of them. */
#define SENTENCES_MAX 8

/* The group's own words: "Random read, buffered: 64K at ...". */
static void say_spot(const struct book_group *g, char *buf, size_t size)
{
	char name[POINT_NAME_MAX + LABEL_MAX];
	size_t len;

	point_workload_name(g->spot->group, name, POINT_NAME_MAX);
	len = strlen(name);
	if (g->label[0])
		snprintf(name + len, sizeof(name) - len, ", %s", g->label);
	sweetspot_sentence(g->spot, name, buf, size);
}

static uint32_t put_sentences(const struct book_model *m, struct xlsx_sheet *s,
			      uint32_t row)
{
	char text[512 + LABEL_MAX + POINT_NAME_MAX];
	uint32_t i;

	for (i = 0; i < m->group_count && i < SENTENCES_MAX; i++) {
		if (!m->groups[i].spot)
			continue;
		say_spot(&m->groups[i], text, sizeof(text));
		book_put_lines(s, row++, COLUMNS - 1, SHEET_PX, XLSX_SAYING,
			       text);
	}
	if (i < m->group_count) {
		snprintf(text, sizeof(text), "and %u more in the table",
			 m->group_count - i);
		xlsx_text(s, row++, 0, XLSX_NOTE, text);
	}
	return row + 1;
}

static void say_limit(const struct book_model *m, char *buf, size_t size)
{
	static const char *const names[PCT_COUNT + 1] = {
	    [PCT_50] = "p50",	     [PCT_90] = "p90",	  [PCT_95] = "p95",
	    [PCT_99] = "p99",	     [PCT_999] = "p99.9", [PCT_9999] = "p99.99",
	    [PCT_COUNT] = "average",
	};
	const struct latency_limit *limit = m->opts ? m->opts->limit : NULL;

	if (limit && isfinite(limit->limit_us))
		snprintf(buf, size,
			 "Sweet spots among the points with %s latency up to "
			 "%g ms",
			 names[limit->which], book_ms(limit->limit_us));
	else
		snprintf(buf, size, "Sweet spots");
}

/* What tells it apart, or where nothing does, how it was. */
static void put_measured_as(const struct book_model *m, struct xlsx_sheet *s,
			    uint32_t row, const struct book_group *g)
{
	char text[2 * LABEL_MAX];

	snprintf(text, sizeof(text), "%s, %s", m->targets[g->target].label,
		 cache_mode_name(g->point.cache));
	xlsx_text(s, row, MEASURED, XLSX_TEXT, g->label[0] ? g->label : text);
}

static void put_spot(const struct book_model *m, struct xlsx_sheet *s,
		     uint32_t row, const struct book_group *g)
{
	const struct result *r = g->spot ? g->spot->sweet : NULL;
	char size[UNITS_TEXT_MAX];
	char also[2 * UNITS_TEXT_MAX];

	put_measured_as(m, s, row, g);
	if (!r) {
		xlsx_text(s, row, SIZE, XLSX_TEXT, "none");
		return;
	}
	xlsx_text(s, row, SIZE, XLSX_RIGHT,
		  units_format_size(
		      size, r->point->workload.stream.block_size_bytes));
	xlsx_number(s, row, OUTSTANDING, XLSX_COUNT,
		    point_outstanding(r->point));
	xlsx_number(s, row, IOPS, XLSX_NUMBER, r->iops.value);
	xlsx_number(s, row, LOW, XLSX_NUMBER, r->iops.low);
	xlsx_number(s, row, HIGH, XLSX_NUMBER, r->iops.high);
	xlsx_number(s, row, MIBPS, XLSX_NUMBER, r->mibps.value);
	xlsx_number(s, row, LATENCY, XLSX_MS, book_value(r, BOOK_LATENCY));
	xlsx_number(s, row, P99, XLSX_MS, book_value(r, BOOK_P99));
	xlsx_number(s, row, SHARE, XLSX_PERCENT, r->best_share_pct);
	r = g->spot->undecided;
	if (!r)
		return;
	snprintf(
	    also, sizeof(also), "%s at %u",
	    units_format_size(size, r->point->workload.stream.block_size_bytes),
	    point_outstanding(r->point));
	xlsx_text(s, row, ALSO, XLSX_RIGHT, also);
}

static uint32_t put_spots(const struct book_model *m,
			  struct book_sheets *sheets, uint32_t row)
{
	struct xlsx_sheet *s = sheets->summary;
	char caption[128];
	uint32_t i;

	say_limit(m, caption, sizeof(caption));
	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, caption);
	xlsx_height(s, row, 44);
	for (i = 0; i < COLUMNS; i++)
		xlsx_text(s, row, i, i < SIZE ? XLSX_HEAD : XLSX_HEAD_NUMBER,
			  heads[i]);
	row++;
	for (i = 0; i < m->group_count; i++, row++) {
		const struct book_group *g = &m->groups[i];

		xlsx_link(s, row, WORKLOAD, m->workloads[g->workload].name,
			  sheets->workloads[g->workload],
			  sheets->group_rows[i]);
		put_spot(m, s, row, g);
	}
	return row + 1;
}

/* To the sheets that no row of the table leads to, side by side. */
static uint32_t put_links(const struct book_sheets *sheets, uint32_t row)
{
	const struct xlsx_sheet *const targets[] = {
	    sheets->sides[BOOK_SEQUENTIAL],
	    sheets->sides[BOOK_RANDOM],
	    sheets->sides[BOOK_MIXED],
	    sheets->targets,
	    sheets->results,
	    sheets->environment,
	};
	static const uint32_t places[] = {WORKLOAD, MEASURED, OUTSTANDING,
					  LOW,	    MIBPS,    P99};
	uint32_t used = 0;
	size_t i;

	for (i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (targets[i])
			xlsx_link(sheets->summary, row, places[used++],
				  xlsx_name(targets[i]), targets[i], 0);
	return row + 2;
}

static uint32_t put_warnings(const struct book_model *m, struct xlsx_sheet *s,
			     uint32_t row)
{
	struct book_notes notes;
	uint32_t i;

	book_notes_init(&notes);
	book_find_warnings(m, &notes);
	if (notes.count == 0) {
		book_notes_fini(&notes);
		return row;
	}
	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, "Before trusting it");
	for (i = 0; i < notes.count; i++)
		book_put_lines(s, row++, COLUMNS - 1, SHEET_PX, XLSX_WARNING,
			       notes.texts[i]);
	book_notes_fini(&notes);
	return row + 1;
}

static uint32_t put_title(const struct book_model *m, struct xlsx_sheet *s)
{
	char title[256], about[256], time[BOOK_TIME_SIZE];

	book_title(m->runs, m->run_count, m->opts, title, sizeof(title));
	book_format_time(time, book_started(m->runs, m->run_count));
	snprintf(about, sizeof(about), "%s%s%u %s on %u %s", time,
		 time[0] ? ", " : "", m->workload_count,
		 m->workload_count == 1 ? "workload" : "workloads",
		 m->target_count, m->target_count == 1 ? "target" : "targets");
	xlsx_height(s, 0, 32);
	xlsx_text(s, 0, 0, XLSX_TITLE, title);
	xlsx_text(s, 1, 0, XLSX_NOTE, about);
	xlsx_height(s, 2, 8);
	xlsx_repeat(s, 0, 2);
	return 3;
}

/* Rows above the charts that leave room for them on a printed page. */
#define FIRST_PAGE_ROWS 21

int book_write_summary(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->summary;
	struct book_place places[2] = {
	    {0, WORKLOAD, NAME_PX + MEASURED_PX + 2 * NUMBER_PX - 8},
	    {0, IOPS, (COLUMNS - IOPS) * NUMBER_PX - 4},
	};
	uint32_t row;
	int rc;

	xlsx_width(s, WORKLOAD, WORKLOAD, NAME_PX);
	xlsx_width(s, MEASURED, MEASURED, MEASURED_PX);
	xlsx_width(s, SIZE, COLUMNS - 1, NUMBER_PX);
	row = put_title(m, s);
	row = put_tiles(m, s, row);
	row = put_sentences(m, s, row);
	row = put_spots(m, sheets, row);
	row = put_links(sheets, row);
	if (row > FIRST_PAGE_ROWS)
		xlsx_break(s, row);
	places[0].row = places[1].row = row;
	rc = book_write_data(m, sheets, places);
	row += BOOK_CHART_ROWS;
	xlsx_break(s, row);
	row = put_warnings(m, s, row);
	book_write_about(m, s, row);
	return rc;
}
