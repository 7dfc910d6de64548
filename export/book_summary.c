#include "export/book_sheet.h"

#include <errno.h>
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
	DOUBTS,
	COLUMNS
};
#define NAME_PX BOOK_SUMMARY_NAME_PX
#define MEASURED_PX 170
#define NUMBER_PX 84
#define DOUBTS_PX 170
#define SHEET_PX BOOK_SUMMARY_PX

_Static_assert(COLUMNS == BOOK_SUMMARY_COLUMNS &&
		   NAME_PX + MEASURED_PX + (DOUBTS - SIZE) * NUMBER_PX +
			   DOUBTS_PX ==
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
    [DOUBTS] = "Verdicts",
};

/* Tiles lie over these columns, about 250 pixels each. */
#define TILES 5
static const uint32_t tile_first[TILES] = {WORKLOAD, MEASURED, OUTSTANDING,
					   HIGH, P99};
static const uint32_t tile_last[TILES] = {WORKLOAD, SIZE, LOW, LATENCY, DOUBTS};

struct tile {
	const char *name;
	enum xlsx_style style;
	double value;  /* NAN: the text */
	char text[48]; /* "": "-" */
	char note[3 * LABEL_MAX];
};

/* "Random read, 8K at 64 outstanding, buffered" */
static void say_where(const struct book_model *m, const struct book_group *g,
		      const struct result *r, char *buf, size_t size)
{
	char text[UNITS_TEXT_MAX];

	snprintf(
	    buf, size, book_words(m, "%s, %s at %u outstanding"),
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
		snprintf(
		    tile->note, sizeof(tile->note),
		    book_words(m, "IOPS, %s against %s, median of %u pairs"),
		    m->sides[side].label, m->sides[0].label, count);
	}
	tile->name =
	    m->cache_effect ? "Speed-up of the cache" : "Against the base";
	tile->style = XLSX_TILE_RATIO;
}

/* Of the groups' sweet spots the one with the most MiB/s. */
static void fill_sweet(const struct book_model *m, struct tile *tile)
{
	const struct result *best = NULL;
	char size[UNITS_TEXT_MAX];
	uint32_t i;

	tile->name = "Sweet spot";
	tile->value = NAN;
	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];
		const struct result *r = g->spot ? g->spot->sweet : NULL;

		if (!r || (best && r->mibps.value <= best->mibps.value))
			continue;
		best = r;
		snprintf(tile->text, sizeof(tile->text), "%s at %u",
			 units_format_size(
			     size, r->point->workload.stream.block_size_bytes),
			 point_outstanding(r->point));
		snprintf(tile->note, sizeof(tile->note), "%s",
			 m->workloads[g->workload].name);
		book_append(tile->note, sizeof(tile->note), g->label);
	}
}

static void append_count(const struct book_model *m, struct tile *tile,
			 uint32_t count, const char *what)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %s", count, book_word(m, what));
	if (count)
		book_append(tile->note, sizeof(tile->note), text);
}

static void fill_points(const struct book_model *m, struct tile *tile)
{
	struct book_counts counts = book_count_points(m);

	tile->name = "Points measured";
	tile->style = XLSX_TILE_COUNT;
	tile->value = counts.done;
	snprintf(tile->note, sizeof(tile->note), book_words(m, "of %u"),
		 counts.points);
	append_count(m, tile, counts.failed, "failed");
	append_count(m, tile, counts.skipped, "skipped");
	append_count(m, tile, counts.missing, "not measured");
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
		xlsx_wide_text(s, row + 1, first, last, XLSX_TILE_TEXT,
			       tile->text[0] ? tile->text : "-");
	xlsx_wide_text(s, row + 2, first, last, XLSX_TILE_NOTE, tile->note);
}

static uint32_t put_tiles(const struct book_model *m, struct xlsx_sheet *s,
			  uint32_t row)
{
	struct tile tiles[TILES] = {
	    {"Peak IOPS", XLSX_TILE_COUNT, NAN, "", ""},
	    {"Peak MiB/s", XLSX_TILE_NUMBER, NAN, "", ""},
	    {"Lowest average latency", XLSX_TILE_MS, NAN, "", ""},
	};
	uint32_t i;

	fill_peak(m, BOOK_IOPS, &tiles[0]);
	fill_peak(m, BOOK_MIBPS, &tiles[1]);
	fill_peak(m, BOOK_LATENCY, &tiles[2]);
	fill_sweet(m, &tiles[3]);
	if (book_has_pairs(m))
		fill_speedup(m, &tiles[4]);
	else
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
static void say_spot(const struct book_model *m, const struct book_group *g,
		     char *buf, size_t size)
{
	char name[2 * LABEL_MAX];

	snprintf(name, sizeof(name), "%s", m->workloads[g->workload].name);
	book_append(name, sizeof(name), g->label);
	book_say_spot(m, g, name, buf, size);
}

/* All groups where they are few, else the first of each workload. */
static bool is_said(const struct book_model *m, uint32_t i)
{
	return m->group_count <= SENTENCES_MAX || i == 0 ||
	       m->groups[i].workload != m->groups[i - 1].workload;
}

static uint32_t put_sentences(const struct book_model *m, struct xlsx_sheet *s,
			      uint32_t row)
{
	char text[SWEETSPOT_TEXT_MAX + 2 * LABEL_MAX];
	uint32_t i, said = 0;

	for (i = 0; i < m->group_count && said < SENTENCES_MAX; i++) {
		if (!m->groups[i].spot || !is_said(m, i))
			continue;
		say_spot(m, &m->groups[i], text, sizeof(text));
		book_put_lines(s, row++, COLUMNS - 1, SHEET_PX, XLSX_SAYING,
			       text);
		said++;
	}
	if (said < m->group_count) {
		snprintf(text, sizeof(text),
			 book_words(m, "and %u more in the table"),
			 m->group_count - said);
		xlsx_text(s, row++, 0, XLSX_NOTE, text);
	}
	return row;
}

/* To the reasons for doubt at the end of the sheet. */
static void put_doubts_link(const struct book_model *m, struct xlsx_sheet *s,
			    uint32_t row, uint32_t warnings,
			    uint32_t target_row)
{
	char text[THEME_SENTENCE_MAX + 16];

	snprintf(text, sizeof(text),
		 book_words(m, "Before trusting it: %u %s, with what to do, "
			       "below"),
		 warnings, book_word(m, warnings == 1 ? "remark" : "remarks"));
	if (warnings)
		xlsx_link(s, row, 0, text, s, target_row);
	else
		xlsx_text(s, row, 0, XLSX_TEXT,
			  book_word(m, "Nothing was found that speaks against "
				       "these numbers."));
}

static void say_caption(const struct book_model *m, char *buf, size_t size)
{
	char limit[BOOK_LIMIT_MAX];

	snprintf(buf, size, "Sweet spots");
	if (book_say_limit(m, limit, sizeof(limit)))
		snprintf(buf, size,
			 book_words(m, "Sweet spots among the points with %s"),
			 limit);
}

/* What tells it apart, or where nothing does, how it was. */
static void put_measured_as(const struct book_model *m, struct xlsx_sheet *s,
			    uint32_t row, const struct book_group *g)
{
	char text[2 * LABEL_MAX];

	snprintf(text, sizeof(text), "%s, %s", m->targets[g->target].label,
		 cache_mode_name(g->point.cache));
	if (g->label[0])
		snprintf(text, sizeof(text), "%s", g->label);
	if (book_count_lines(text, MEASURED_PX) > 1)
		xlsx_height(s, row, 2 * BOOK_ROW_PX);
	xlsx_text(s, row, MEASURED, XLSX_WRAP, text);
}

static void put_verdicts(struct xlsx_sheet *s, uint32_t row,
			 const struct result *r)
{
	char names[VERDICT_NAMES_MAX];

	xlsx_text(s, row, DOUBTS, XLSX_RIGHT,
		  verdict_names(r->verdicts, names, sizeof(names)));
}

static void put_spot(const struct book_model *m, struct xlsx_sheet *s,
		     uint32_t row, const struct book_group *g)
{
	const struct result *r = g->spot ? g->spot->sweet : NULL;
	char size[UNITS_TEXT_MAX];
	char also[2 * UNITS_TEXT_MAX];

	put_measured_as(m, s, row, g);
	if (!r) {
		xlsx_text(s, row, SIZE, XLSX_RIGHT, book_word(m, "none"));
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
	put_verdicts(s, row, r);
	r = g->spot->undecided;
	if (!r)
		return;
	snprintf(
	    also, sizeof(also), "%s at %u",
	    units_format_size(size, r->point->workload.stream.block_size_bytes),
	    point_outstanding(r->point));
	xlsx_text(s, row, ALSO, XLSX_RIGHT, also);
}

/* It leads to the group's place on the sheet of its workload. */
static void put_name(const struct book_model *m, struct book_sheets *sheets,
		     uint32_t row, uint32_t group)
{
	uint32_t workload = m->groups[group].workload;
	const char *name = m->workloads[workload].name;

	if (group < BOOK_GROUPS_DRAWN)
		xlsx_link(sheets->summary, row, WORKLOAD, name,
			  sheets->workloads[workload],
			  sheets->group_rows[group]);
	else
		xlsx_text(sheets->summary, row, WORKLOAD, XLSX_TEXT, name);
}

static uint32_t put_spots(const struct book_model *m,
			  struct book_sheets *sheets, uint32_t row)
{
	struct xlsx_sheet *s = sheets->summary;
	char caption[THEME_SENTENCE_MAX + BOOK_LIMIT_MAX];
	uint32_t i;

	say_caption(m, caption, sizeof(caption));
	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, caption);
	xlsx_height(s, row, 44);
	for (i = 0; i < COLUMNS; i++)
		xlsx_text(s, row, i, i < SIZE ? XLSX_HEAD : XLSX_HEAD_NUMBER,
			  heads[i]);
	row++;
	for (i = 0; i < m->group_count; i++, row++) {
		const struct book_group *g = &m->groups[i];

		put_name(m, sheets, row, i);
		put_spot(m, s, row, g);
	}
	if (m->group_count > BOOK_GROUPS_DRAWN)
		xlsx_text(s, row++, 0, XLSX_NOTE,
			  "Those without a link are not drawn; Results has "
			  "all of their points.");
	return row + 1;
}

/* To the sheets that no row of the table leads to, side by side. */
static uint32_t put_links(const struct book_sheets *sheets, uint32_t row)
{
	const struct xlsx_sheet *const targets[] = {
	    sheets->dashboard,
	    sheets->sides[BOOK_SEQUENTIAL],
	    sheets->sides[BOOK_RANDOM],
	    sheets->sides[BOOK_MIXED],
	    sheets->targets,
	    sheets->latency,
	    sheets->histogram,
	    sheets->series,
	    sheets->results,
	    sheets->environment,
	};
	static const uint32_t places[] = {WORKLOAD, MEASURED, OUTSTANDING,
					  LOW,	    MIBPS,    SHARE};
	const uint32_t across = sizeof(places) / sizeof(places[0]);
	uint32_t used = 0;
	size_t i;

	for (i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (!targets[i])
			continue;
		xlsx_link(sheets->summary, row + used / across,
			  places[used % across], xlsx_name(targets[i]),
			  targets[i], 0);
		used++;
	}
	return row + 2 + (used - 1) / across;
}

static uint32_t put_warnings(const struct book_notes *notes,
			     struct xlsx_sheet *s, uint32_t row)
{
	uint32_t i;

	if (notes->count == 0)
		return row;
	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, "Before trusting it");
	for (i = 0; i < notes->count; i++)
		book_put_lines(s, row++, COLUMNS - 1, SHEET_PX, XLSX_WARNING,
			       notes->texts[i]);
	return row + 1;
}

static uint32_t put_title(const struct book_model *m, struct xlsx_sheet *s)
{
	char title[256], about[256];

	book_title(m, title, sizeof(title));
	book_say_amount(m, about, sizeof(about));
	xlsx_height(s, 0, 32);
	xlsx_text(s, 0, 0, XLSX_TITLE, title);
	if (m->opts && m->opts->theme && m->opts->theme->subtitle[0]) {
		xlsx_text(s, 1, 0, XLSX_CAPTION, m->opts->theme->subtitle);
		xlsx_text(s, 2, 0, XLSX_NOTE, about);
	} else {
		xlsx_text(s, 1, 0, XLSX_NOTE, about);
		xlsx_height(s, 2, 8);
	}
	xlsx_logo(s, SHEET_PX, 56);
	xlsx_repeat(s, 0, 2);
	return 3;
}

/* Rows above the charts that leave room for them on a printed page. */
#define FIRST_PAGE_ROWS 24

/* The two charts, where there is something to draw. */
static int put_charts(const struct book_model *m, struct book_sheets *sheets,
		      uint32_t *row)
{
	const struct book_place places[2] = {
	    {*row, WORKLOAD, NAME_PX + MEASURED_PX + 2 * NUMBER_PX - 8},
	    {*row, IOPS, (DOUBTS - IOPS) * NUMBER_PX + DOUBTS_PX - 4},
	};

	if (!book_has_answers(m))
		return 0;
	if (*row > FIRST_PAGE_ROWS)
		xlsx_break(sheets->summary, *row);
	*row += BOOK_CHART_ROWS;
	xlsx_break(sheets->summary, *row);
	return book_write_data(m, sheets, places);
}

int book_write_summary(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->summary;
	struct book_notes notes;
	uint32_t row, link_row;
	int rc;

	book_notes_init(&notes);
	book_find_warnings(m, &notes);
	xlsx_width(s, WORKLOAD, WORKLOAD, NAME_PX);
	xlsx_width(s, MEASURED, MEASURED, MEASURED_PX);
	xlsx_width(s, SIZE, DOUBTS - 1, NUMBER_PX);
	xlsx_width(s, DOUBTS, DOUBTS, DOUBTS_PX);
	row = put_title(m, s);
	row = put_tiles(m, s, row);
	link_row = put_sentences(m, s, row);
	row = put_spots(m, sheets, link_row + 2);
	row = put_links(sheets, row);
	rc = put_charts(m, sheets, &row);
	put_doubts_link(m, s, link_row, notes.count, row);
	row = put_warnings(&notes, s, row);
	book_write_about(m, s, row);
	if (notes.failed)
		rc = -ENOMEM;
	book_notes_fini(&notes);
	return rc;
}
