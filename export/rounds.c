#include "export/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "export/fit.h"
#include "export/group.h"

/* A cell on its way into the fit of its storage group. */
struct entry {
	uint32_t group;
	struct fit_cell cell; /* the round as the visit has it, at first */
};

struct work {
	uint32_t *group_of; /* storage group of a point */
	uint32_t *place;    /* of a point within its group */
	uint32_t *size;	    /* points of a group */
	struct entry *entries;
	uint32_t entry_count;
	struct fit_cell *cells; /* of one group */
};

static void work_free(struct work *w)
{
	free(w->group_of);
	free(w->place);
	free(w->size);
	free(w->entries);
	free(w->cells);
}

static int by_group_and_round(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->cell.round > y->cell.round) -
	       (x->cell.round < y->cell.round);
}

static void collect(struct work *w, uint32_t point_count,
		    const struct visit *visits, uint32_t visit_count,
		    rounds_measure *measure)
{
	uint32_t i;

	for (i = 0; i < visit_count; i++) {
		const struct visit *v = &visits[i];
		double value;

		if (v->state != VISIT_DONE || v->aside ||
		    v->point >= point_count)
			continue;
		value = measure(v);
		if (!(value > 0) || !isfinite(value))
			continue;
		w->entries[w->entry_count++] =
		    (struct entry){.group = w->group_of[v->point],
				   .cell = {.point = w->place[v->point],
					    .round = v->round,
					    .y = log(value)}};
	}
	qsort(w->entries, w->entry_count, sizeof(*w->entries),
	      by_group_and_round);
}

/* Fit the entries from begin on that belong to one group, their rounds
 * numbered from 0 without gaps; *end is behind the last one. */
static int fit_group(struct work *w, uint32_t begin, uint32_t *end,
		     struct fit *fit)
{
	uint32_t group = w->entries[begin].group;
	uint32_t rounds = 0;
	uint32_t i;

	for (i = begin; i < w->entry_count && w->entries[i].group == group;
	     i++) {
		if (i > begin &&
		    w->entries[i].cell.round != w->entries[i - 1].cell.round)
			rounds++;
		w->cells[i - begin] = w->entries[i].cell;
		w->cells[i - begin].round = rounds;
	}
	*end = i;
	return fit_new(w->cells, i - begin, w->size[group], rounds + 1, fit);
}

/* Rounds can be told apart only where the fit had some to spare. */
static void take_within(const struct fit *fit, const struct fit_point *p,
			struct rounds_doubt *out)
{
	if (!(fit->residual.df > 0))
		return;
	out->within_variance = p->residual.value / p->n;
	out->within_df = p->residual.df;
}

static void take_group(const struct work *w, uint32_t group,
		       const struct fit *fit, uint32_t point_count,
		       struct rounds_doubt *out)
{
	uint32_t i;

	for (i = 0; i < point_count; i++) {
		struct stats_estimate level;

		if (w->group_of[i] != group)
			continue;
		level = fit_level(fit, w->place[i]);
		out[i].visits = fit->point[w->place[i]].n;
		if (!out[i].visits)
			continue;
		out[i].shift = fit->point[w->place[i]].shift;
		out[i].half_width = stats_half_width_95(level.se, level.df);
		out[i].se = level.se;
		out[i].df = level.df;
		take_within(fit, &fit->point[w->place[i]], &out[i]);
	}
}

static int work_new(struct work *w, const struct point *points,
		    uint32_t point_count, uint32_t visit_count)
{
	size_t points_room = point_count + (size_t)1;
	size_t visits_room = visit_count + (size_t)1;
	int groups;
	uint32_t i;

	w->group_of = calloc(points_room, sizeof(*w->group_of));
	w->place = calloc(points_room, sizeof(*w->place));
	w->size = calloc(points_room, sizeof(*w->size));
	w->entries = malloc(visits_room * sizeof(*w->entries));
	w->cells = malloc(visits_room * sizeof(*w->cells));
	if (!w->group_of || !w->place || !w->size || !w->entries || !w->cells)
		return -ENOMEM;
	groups = group_by_storage(points, point_count, w->group_of);
	if (groups < 0)
		return groups;
	for (i = 0; i < point_count; i++)
		w->place[i] = w->size[w->group_of[i]]++;
	return 0;
}

int rounds_estimate(const struct point *points, uint32_t point_count,
		    const struct visit *visits, uint32_t visit_count,
		    rounds_measure *measure, struct rounds_doubt *out)
{
	struct work w = {0};
	uint32_t begin, end, i;
	int rc = work_new(&w, points, point_count, visit_count);

	if (rc)
		goto out;
	for (i = 0; i < point_count; i++)
		out[i] = (struct rounds_doubt){
		    .half_width = NAN, .se = NAN, .within_variance = NAN};
	collect(&w, point_count, visits, visit_count, measure);
	for (begin = 0; begin < w.entry_count; begin = end) {
		struct fit fit;

		rc = fit_group(&w, begin, &end, &fit);
		if (rc)
			goto out;
		take_group(&w, w.entries[begin].group, &fit, point_count, out);
		fit_free(&fit);
	}
out:
	work_free(&w);
	return rc;
}
