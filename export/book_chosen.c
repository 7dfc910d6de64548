#include "export/book_chosen.h"

#include <stdio.h>

#include "engine/units.h"

bool book_has_histogram(const struct book_group *g, const struct result *r)
{
	(void)g;
	return r->latency[DIR_READ].count || r->latency[DIR_WRITE].count;
}

bool book_has_series(const struct book_group *g, const struct result *r)
{
	uint32_t i;

	for (i = 0; i < g->run->visit_count; i++) {
		const struct visit *v = &g->run->visits[i];

		if (v->point == r->point->index && v->state == VISIT_DONE &&
		    v->sample_count)
			return true;
	}
	return false;
}

static const struct result *sweet_of(const struct book_group *g, book_has *has)
{
	const struct result *r = g->spot ? g->spot->sweet : NULL;

	return r && has(g, r) ? r : NULL;
}

static const struct result *peak_of(const struct book_group *g, book_has *has)
{
	const struct result *r = g->spot ? g->spot->peak_iops : NULL;

	return r && r != g->spot->sweet && has(g, r) ? r : NULL;
}

static void add(const struct book_model *m, const struct book_group *g,
		const struct result *r, const char *why,
		struct book_choice *out)
{
	struct book_chosen *item = &out->items[out->count];
	char size[UNITS_TEXT_MAX];

	if (!r || out->count == XLSX_SERIES_MAX)
		return;
	out->count++;
	item->group = g;
	item->result = r;
	item->why = why;
	snprintf(
	    item->name, sizeof(item->name), book_words(m, "%s %s at %u"),
	    m->workloads[g->workload].name,
	    units_format_size(size, r->point->workload.stream.block_size_bytes),
	    point_outstanding(r->point));
	book_append(item->name, sizeof(item->name), g->label);
}

void book_choose(const struct book_model *m, book_has *has,
		 struct book_choice *out)
{
	uint32_t sweets = 0, peaks = 0, seen = 0;
	uint32_t i;

	out->count = 0;
	for (i = 0; i < m->group_count; i++) {
		sweets += sweet_of(&m->groups[i], has) != NULL;
		peaks += peak_of(&m->groups[i], has) != NULL;
	}
	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];
		const struct result *sweet = sweet_of(g, has);

		/* Of too many, those where a step of the picture begins. */
		if (sweet && (sweets <= XLSX_SERIES_MAX ||
			      seen * XLSX_SERIES_MAX / sweets == out->count))
			add(m, g, sweet, book_word(m, "sweet spot"), out);
		seen += sweet != NULL;
		if (sweets + peaks <= XLSX_SERIES_MAX)
			add(m, g, peak_of(g, has), book_word(m, "peak IOPS"),
			    out);
	}
}
