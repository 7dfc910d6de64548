#include "export/book_compare.h"
#include "export/book_configtable.h"

#include <math.h>
#include <stdio.h>

#include "engine/units.h"

/* The table of answers: the target's path takes four columns. */
enum {
	TARGET,
	SIZE = 4,
	OUTSTANDING,
	IOPS,
	LOW,
	HIGH,
	MIBPS,
	LATENCY,
	P99,
	CPU,
	COLUMNS
};

static const char *const heads[COLUMNS] = {
    [SIZE] = "Sweet block size",
    [OUTSTANDING] = "Outst. I/Os",
    [IOPS] = "IOPS",
    [LOW] = "IOPS, 95% from",
    [HIGH] = "IOPS, 95% to",
    [MIBPS] = "MiB/s",
    [LATENCY] = "Average latency (ms)",
    [P99] = "p99 latency (ms)",
    [CPU] = "CPU (% of a core)",
};

static void put_heads(struct xlsx_sheet *s, uint32_t row)
{
	uint32_t i;

	xlsx_height(s, row, 62);
	xlsx_wide_text(s, row, TARGET, SIZE - 1, XLSX_HEAD, "Target");
	for (i = SIZE; i < COLUMNS; i++)
		xlsx_text(s, row, i, XLSX_HEAD_NUMBER, heads[i]);
}

static void put_answer(const struct book_model *m, struct xlsx_sheet *s,
		       uint32_t row, const struct book_group *g)
{
	const struct result *r = g->spot ? g->spot->sweet : NULL;
	char size[UNITS_TEXT_MAX];

	xlsx_wide_text(s, row, TARGET, SIZE - 1, XLSX_TEXT,
		       m->targets[g->target].label);
	if (!r)
		return;
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
	xlsx_number(s, row, CPU, XLSX_PERCENT, r->cpu_pct);
}

static bool same_setting(const struct book_group *a, const struct book_group *b)
{
	return a->workload == b->workload && a->side == b->side &&
	       a->point.workload.threads == b->point.workload.threads &&
	       workload_compare_sweep(&a->point.workload, &b->point.workload) ==
		   0;
}

/* Groups like g on other targets, g first. Nothing when an earlier group has
 * gathered them. */
static void gather(const struct book_model *m, uint32_t first,
		   struct book_compare *c)
{
	uint32_t i;

	c->count = 0;
	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];

		if (!same_setting(g, &m->groups[first]))
			continue;
		if (i < first) {
			c->count = 0;
			return;
		}
		if (c->count == XLSX_SERIES_MAX)
			return;
		c->members[c->count] = g;
		c->names[c->count++] = m->targets[g->target].label;
	}
}

static uint32_t put_block(const struct book_model *m, struct book_compare *c,
			  uint32_t row)
{
	const struct book_group *g = c->members[0];
	const struct book_workload *w = &m->workloads[g->workload];
	const char *side = m->sides[g->side].label;
	char heading[BOOK_TITLE_MAX], suffix[BOOK_TITLE_MAX];
	uint32_t k;

	snprintf(heading, sizeof(heading), "%s", w->name);
	book_append(heading, sizeof(heading), side);
	snprintf(suffix, sizeof(suffix), "%s", w->lower);
	book_append(suffix, sizeof(suffix), side);
	c->suffix = suffix;
	xlsx_height(c->sheet, row, 26);
	xlsx_text(c->sheet, row, 0, XLSX_HEADING, heading);
	put_heads(c->sheet, row + 1);
	row += 2;
	for (k = 0; k < c->count; k++)
		put_answer(m, c->sheet, row++, c->members[k]);
	row = book_put_compare(c, row + 1);
	return book_put_compare_charts(c, row) + 1;
}

void book_write_targets(const struct book_model *m, struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->targets;
	struct book_compare c = {
	    .sheet = s,
	    .slots = book_set_slots(s, BOOK_SLOT),
	};
	uint32_t row = book_put_title(s, m, "Compare targets", sheets,
				      book_slots_width(&c.slots) - 1);
	bool first = !m->configs.count;
	uint32_t i;

	row = book_put_configs(m, sheets, &c.slots, row + 1);
	if (m->target_count < 2)
		return;
	xlsx_text(s, row - 1, 0, XLSX_NOTE,
		  "Each target at its own sweet spot, and at its own sweet "
		  "outstanding for each block size.");
	row++;
	for (i = 0; i < m->group_count && i < BOOK_GROUPS_DRAWN; i++) {
		gather(m, i, &c);
		if (c.count < 2)
			continue;
		if (!first)
			xlsx_break(s, row);
		first = false;
		row = put_block(m, &c, row);
	}
}
