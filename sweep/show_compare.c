#include "sweep/show_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/compare_words.h"
#include "sweep/wrap.h"

/* Marks behind a ratio, so that no colour is needed. */
static const char marks[COMPARE_VERDICT_COUNT] = {
    [COMPARE_UNSURE] = '?',
    [COMPARE_SAME] = '=',
    [COMPARE_FASTER] = '+',
    [COMPARE_SLOWER] = '-',
};

/* Backgrounds in the 256-colour cube, from 0.5x (orange) over 1x (white) to
 * 4x (blue), each readable below black text. */
static const struct shade {
	double below;
	unsigned char colour;
} shades[] = {
    {0.6, 208},	 {0.8, 215}, {0.95, 223}, {1.05, 231},
    {1.25, 195}, {2, 153},   {3, 117},	  {INFINITY, 75},
};

static unsigned colour_of(double ratio)
{
	const struct shade *s = shades;

	while (ratio >= s->below && !isinf(s->below))
		s++;
	return s->colour;
}

struct heat {
	const struct compare *compare;
	uint32_t side;
};

static void put_cell(FILE *f, const struct result *r,
		     const struct show_style *style, const void *arg)
{
	const struct heat *heat = arg;
	const struct compare_pair *p =
	    r ? compare_find(heat->compare, r, heat->side) : NULL;
	double ratio = compare_ratio(p).value;
	char number[24], text[32];

	if (!isfinite(ratio)) {
		fprintf(f, "%8s ", r ? "-" : "");
		return;
	}
	compare_ratio_text(ratio, number, sizeof(number));
	number[strlen(number) - 1] = marks[p->verdict]; /* not "x" */
	snprintf(text, sizeof(text), "%s", number);
	if (style->colour)
		fprintf(f, "\033[38;5;16;48;5;%um%8s \033[0m", colour_of(ratio),
			text);
	else
		fprintf(f, "%8s ", text);
}

static const struct grid *find_grid(const struct grid_list *lists,
				    const struct compare *c,
				    const struct compare_workload *l)
{
	const struct grid_list *list = &lists[c->pairs[l->first].base_run];
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (list->grids[i].group == l->group)
			return &list->grids[i];
	return NULL;
}

static void put_sentence(FILE *f, const char *text,
			 const struct show_style *style)
{
	if (text[0])
		wrap_print(f, text, 0, 2, style->width);
}

static void put_workload(FILE *f, const struct compare *c,
			 const struct compare_workload *l,
			 const struct grid *grid,
			 const struct show_style *style)
{
	const struct heat heat = {c, l->side};
	char text[COMPARE_TEXT_MAX];

	const char *other = c->sides.sides[l->side].label;
	const char *base = c->sides.sides[0].label;

	if (l->by == COMPARE_LATENCY)
		fprintf(f, "\n%s: mean latency of %s / %s\n", l->name, base,
			other);
	else
		fprintf(f, "\n%s: IOPS of %s / %s\n", l->name, other, base);
	if (grid)
		show_grid(f, grid, style, put_cell, &heat);
	put_sentence(f, compare_workload_text(c, l, text, sizeof(text)), style);
	put_sentence(f, compare_spot_text(l, text, sizeof(text)), style);
	put_sentence(f, compare_seen_text(l, text, sizeof(text)), style);
}

static void put_rest(FILE *f, const struct compare *c, uint32_t side,
		     const struct show_style *style)
{
	char text[COMPARE_TEXT_MAX];
	uint32_t lost, n;

	for (lost = 0;; lost++) {
		compare_lost_text(c, side, lost, text, sizeof(text));
		if (!text[0])
			break;
		fputs(lost ? "" : "\n", f);
		put_sentence(f, text, style);
	}
	for (n = 0;; n++) {
		compare_caveat_text(c, side, n, text, sizeof(text));
		if (!text[0])
			break;
		fputs(lost || n ? "" : "\n", f);
		put_sentence(f, text, style);
	}
}

static void put_sides(FILE *f, const struct compare *c)
{
	uint32_t i;

	for (i = 0; i < c->sides.count; i++) {
		const struct side *side = &c->sides.sides[i];

		fprintf(f, "%-6s %s  (%s, on %s%s)\n", i ? "other" : "base",
			side->label, side->run->folder, side->point.target,
			side->single_target ? "" : " and others");
	}
	fputs("\nBlock size down, outstanding I/Os across; above 1 is faster.\n"
	      "+ faster, - slower, = same within noise, ? unsure\n",
	      f);
}

int show_compare(FILE *f, const struct compare *c,
		 const struct show_style *style, struct err *err)
{
	const struct sides *s = &c->sides;
	struct grid_list *lists =
	    calloc(s->run_count + (size_t)1, sizeof(*lists));
	uint32_t i, k;
	int rc = lists ? 0 : -ENOMEM;

	for (i = 0; !rc && i < s->run_count; i++)
		rc = grid_build(s->runs[i], &lists[i]);
	if (!rc)
		put_sides(f, c);
	for (i = 1; !rc && i < s->count; i++) {
		for (k = 0; k < c->workload_count; k++)
			if (c->workloads[k].side == i)
				put_workload(
				    f, c, &c->workloads[k],
				    find_grid(lists, c, &c->workloads[k]),
				    style);
		put_rest(f, c, i, style);
	}
	for (i = 0; lists && i < s->run_count; i++)
		grid_free(&lists[i]);
	free(lists);
	return rc ? err_failed(err, -rc, "out of memory for the heat maps") : 0;
}
