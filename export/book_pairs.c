#include "export/book_compare.h"

#include <math.h>
#include <stdio.h>

#include "engine/units.h"
#include "export/columns.h"
#include "export/compare_words.h"

/* The table of pairs; a ratio takes three columns, the verdict two. The hit
 * ratios of both stand last, where there are any. */
enum {
	SIZE,
	OUTSTANDING,
	BASE,
	OTHER,
	IOPS,
	LATENCY = IOPS + 3,
	P99 = LATENCY + 3,
	VERDICT = P99 + 3,
	HITS = VERDICT + 2,
	HITS_OTHER,
	MARK,
};
#define HEAD_HEIGHT 62

static const struct measure {
	uint32_t column;
	enum compare_metric metric;
	const char *title;
} measures[] = {
    {IOPS, COMPARE_IOPS, "IOPS ratio, 95% interval"},
    {LATENCY, COMPARE_LATENCY, "Average latency ratio, 95% interval"},
    {P99, COMPARE_P99, "p99 latency ratio, 95% interval"},
};
#define MEASURES (sizeof(measures) / sizeof(measures[0]))

/* Text over all columns of the sheet. */
static uint32_t put_text(const struct book_compare *c, uint32_t row,
			 enum xlsx_style style, const char *text)
{
	uint32_t last = book_slots_width(&c->slots) - 1;

	if (!text[0])
		return row;
	book_put_lines(c->sheet, row, last, last * BOOK_CELL_PX, style, text);
	return row + 1;
}

static uint32_t put_finding(const struct book_compare *c,
			    const struct compare_workload *l, uint32_t row)
{
	char text[COMPARE_TEXT_MAX];

	row = put_text(
	    c, row, XLSX_SAYING,
	    compare_workload_text(&c->model->compare, l, text, sizeof(text)));
	row = put_text(c, row, XLSX_WRAP,
		       compare_spot_text(l, text, sizeof(text)));
	return put_text(c, row, XLSX_WRAP,
			compare_seen_text(l, text, sizeof(text)));
}

uint32_t book_put_findings(const struct book_compare *c,
			   const struct book_group *g, uint32_t row)
{
	const struct compare *compare = &c->model->compare;
	uint32_t i;

	for (i = 0; i < compare->workload_count; i++) {
		const struct compare_workload *l = &compare->workloads[i];

		if (l->group == g->grid->group)
			row = put_finding(c, l, row);
	}
	return row;
}

static uint32_t put_caveats_of(const struct book_compare *c, uint32_t side,
			       uint32_t row)
{
	const struct compare *compare = &c->model->compare;
	char text[COMPARE_TEXT_MAX], line[COMPARE_TEXT_MAX + LABEL_MAX + 4];
	uint32_t n;

	for (n = 0;; n++) {
		compare_caveat_text(compare, side, n, text, sizeof(text));
		if (!text[0])
			break;
		snprintf(line, sizeof(line), "%s%s%s",
			 c->model->side_count > 2 ? c->model->sides[side].label
						  : "",
			 c->model->side_count > 2 ? ": " : "", text);
		row = put_text(c, row, XLSX_WRAP, line);
	}
	for (n = 0;; n++) {
		compare_lost_text(compare, side, n, text, sizeof(text));
		if (!text[0])
			break;
		row = put_text(c, row, XLSX_WRAP, text);
	}
	return row;
}

uint32_t book_put_caveats(const struct book_compare *c, uint32_t row)
{
	uint32_t side;

	for (side = 1; side < c->model->side_count; side++)
		row = put_caveats_of(c, side, row);
	return row;
}

/* The hit ratio of a point, where there is such a column; else NAN. */
static double hit_pct(const struct book_group *g, const struct result *r)
{
	const struct column *column = column_find("hit_pct");
	struct column_row row = {.point = r->point, .result = r, .run = g->run};
	struct column_value value = {.known = false};

	if (column)
		column->get(&row, &value);
	return value.known ? value.real : NAN;
}

static void put_heads(const struct book_compare *c, uint32_t member,
		      uint32_t row)
{
	struct xlsx_sheet *s = c->sheet;
	size_t i;

	xlsx_height(s, row, 40);
	xlsx_height(s, row + 1, HEAD_HEIGHT);
	xlsx_wide_text(s, row, SIZE, OUTSTANDING, XLSX_HEAD_GROUP, "");
	xlsx_text(s, row + 1, SIZE, XLSX_HEAD, "Size");
	xlsx_text(s, row + 1, OUTSTANDING, XLSX_HEAD_NUMBER, "Outst. I/Os");
	xlsx_wide_text(s, row, BASE, OTHER, XLSX_HEAD_GROUP, "IOPS");
	xlsx_text(s, row + 1, BASE, XLSX_HEAD_NUMBER, c->names[0]);
	xlsx_text(s, row + 1, OTHER, XLSX_HEAD_NUMBER, c->names[member]);
	for (i = 0; i < MEASURES; i++) {
		uint32_t column = measures[i].column;

		xlsx_wide_text(s, row, column, column + 2, XLSX_HEAD_GROUP,
			       measures[i].title);
		xlsx_text(s, row + 1, column, XLSX_HEAD_NUMBER, "Ratio");
		xlsx_text(s, row + 1, column + 1, XLSX_HEAD_NUMBER, "from");
		xlsx_text(s, row + 1, column + 2, XLSX_HEAD_NUMBER, "to");
	}
	xlsx_wide_text(s, row, VERDICT, VERDICT + 1, XLSX_HEAD_GROUP, "");
	xlsx_wide_text(s, row + 1, VERDICT, VERDICT + 1, XLSX_HEAD,
		       "Comparison");
}

static void put_hit_heads(const struct book_compare *c, uint32_t member,
			  uint32_t row)
{
	xlsx_wide_text(c->sheet, row, HITS, HITS_OTHER, XLSX_HEAD_GROUP,
		       "Hits (%)");
	xlsx_text(c->sheet, row + 1, HITS, XLSX_HEAD_NUMBER, c->names[0]);
	xlsx_text(c->sheet, row + 1, HITS_OTHER, XLSX_HEAD_NUMBER,
		  c->names[member]);
}

static void put_verdict(struct xlsx_sheet *s, uint32_t row,
			const struct compare_pair *p)
{
	static const enum xlsx_style styles[COMPARE_VERDICT_COUNT] = {
	    [COMPARE_UNSURE] = XLSX_UNSURE,
	    [COMPARE_SAME] = XLSX_TEXT,
	    [COMPARE_FASTER] = XLSX_FASTER,
	    [COMPARE_SLOWER] = XLSX_SLOWER,
	};
	char text[64];

	snprintf(text, sizeof(text), "%s%s", compare_verdict_name(p->verdict),
		 p->optimistic ? ", optimistic" : "");
	xlsx_wide_text(s, row, VERDICT, VERDICT + 1, styles[p->verdict], text);
	if (p->passed)
		xlsx_text(s, row, MARK, XLSX_NOTE,
			  "cache lets sequential I/O pass");
}

static void put_pair(const struct book_compare *c, uint32_t row,
		     const struct compare_pair *p)
{
	struct xlsx_sheet *s = c->sheet;
	char size[UNITS_TEXT_MAX];
	size_t i;

	xlsx_text(s, row, SIZE, XLSX_LABEL,
		  units_format_size(
		      size, p->base->point->workload.stream.block_size_bytes));
	xlsx_number(s, row, OUTSTANDING, XLSX_COUNT,
		    point_outstanding(p->base->point));
	xlsx_number(s, row, BASE, XLSX_NUMBER, p->base->iops.value);
	xlsx_number(s, row, OTHER, XLSX_NUMBER, p->other->iops.value);
	for (i = 0; i < MEASURES; i++) {
		const struct interval *ratio = &p->ratio[measures[i].metric];
		uint32_t column = measures[i].column;

		xlsx_number(s, row, column, XLSX_RATIO, ratio->value);
		xlsx_number(s, row, column + 1, XLSX_RATIO, ratio->low);
		xlsx_number(s, row, column + 2, XLSX_RATIO, ratio->high);
	}
	put_verdict(s, row, p);
}

/* True when there was one to put. */
static bool put_hits(const struct book_compare *c, uint32_t member,
		     uint32_t row, const struct compare_pair *p)
{
	double base = hit_pct(c->members[0], p->base);
	double other = hit_pct(c->members[member], p->other);

	xlsx_number(c->sheet, row, HITS, XLSX_PERCENT, base);
	xlsx_number(c->sheet, row, HITS_OTHER, XLSX_PERCENT, other);
	return !isnan(base) || !isnan(other);
}

static uint32_t put_table(const struct book_compare *c, uint32_t member,
			  uint32_t row)
{
	const struct grid *g = c->members[0]->grid;
	size_t cells = (size_t)g->row_count * g->column_count;
	char caption[BOOK_TITLE_MAX];
	bool hits = false;
	uint32_t first;
	size_t i;

	snprintf(caption, sizeof(caption), "Every pair of %s: %s against %s",
		 c->suffix, c->names[member], c->names[0]);
	xlsx_break(c->sheet, row);
	xlsx_text(c->sheet, row, 0, XLSX_CAPTION, caption);
	put_heads(c, member, row + 1);
	first = row += 3;
	for (i = 0; i < cells; i++) {
		const struct compare_pair *p = compare_find(
		    &c->model->compare, g->cells[i], c->members[member]->side);

		if (!p)
			continue;
		put_pair(c, row, p);
		hits |= put_hits(c, member, row++, p);
	}
	if (hits)
		put_hit_heads(c, member, first - 2);
	for (i = 0; i < MEASURES && row > first; i++) {
		const struct xlsx_range range = {c->sheet, first,
						 measures[i].column, row - 1,
						 measures[i].column};

		xlsx_heat(&range, XLSX_HEAT_SPEEDUP);
	}
	return row + 1;
}

uint32_t book_put_pairs(const struct book_compare *c, uint32_t row)
{
	uint32_t k;

	for (k = 1; k < c->count; k++)
		row = put_table(c, k, row);
	return row;
}
