#include "export/compare_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The rounds of one run on one side: half of R times the mean square of the
 * steps from one to the next, how much of that is not noise, and degrees of
 * freedom. */
struct compare_spell {
	double square, drift, df;
};

/* A visit's distance from its point's mean. */
struct step {
	uint32_t round;
	double off;
};

struct rounds {
	struct step *steps;
	uint32_t count, points;
	struct compare_cell *cells;
};

static int by_round(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->round > y->round) - (x->round < y->round);
}

static void add_point(struct rounds *r, uint32_t count)
{
	double mean = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		mean += r->cells[i].y / count;
	for (i = 0; i < count; i++)
		r->steps[r->count++] =
		    (struct step){r->cells[i].round, r->cells[i].y - mean};
	r->points += count > 0;
}

/* Mean of the steps of one round; *end is behind them, *squares their sum of
 * squares around it. */
static double effect(const struct rounds *r, uint32_t begin, uint32_t *end,
		     double *squares)
{
	double sum = 0, sum_sq = 0;
	uint32_t i, n;

	for (i = begin;
	     i < r->count && r->steps[i].round == r->steps[begin].round; i++) {
		sum += r->steps[i].off;
		sum_sq += r->steps[i].off * r->steps[i].off;
	}
	n = i - begin;
	*end = i;
	*squares = sum_sq - sum * sum / n;
	return sum / n;
}

static struct compare_spell wander(struct rounds *r)
{
	double before = NAN, moved = 0, within = 0, shares = 0, last_share = 0;
	uint32_t rounds = 0, begin, end;
	double n, df;

	qsort(r->steps, r->count, sizeof(*r->steps), by_round);
	for (begin = 0; begin < r->count; begin = end) {
		double squares, at = effect(r, begin, &end, &squares);
		double share = 1.0 / (end - begin);

		if (rounds++) {
			moved += (at - before) * (at - before);
			shares += share + last_share;
		}
		before = at;
		last_share = share;
		within += squares;
	}
	df = (double)r->count - r->points - rounds + 1;
	if (rounds < 2 || df < 1)
		return (struct compare_spell){.square = 0};
	n = rounds;
	/* Degrees of freedom of a mean square of successive differences: J.
	 * von Neumann, Annals of Mathematical Statistics 12, 1941. */
	return (struct compare_spell){
	    .square = n / 2 * moved / (n - 1),
	    .drift = n / 2 * (moved - within / df * shares) / (n - 1),
	    .df = 2 * (n - 1) * (n - 1) / (3 * n - 4)};
}

static size_t place(const struct compare *c, uint32_t side, uint32_t run,
		    int part, int m)
{
	return (((size_t)side * c->sides.run_count + run) * 2 + (size_t)part) *
		   COMPARE_METRIC_COUNT +
	       (size_t)m;
}

/* Of the points that one run has on one part of a side's pairs. */
static struct compare_spell find(const struct compare_work *w, struct rounds *r,
				 uint32_t side, uint32_t run, int part,
				 enum compare_metric m)
{
	const struct compare *c = w->c;
	uint32_t i;

	r->count = r->points = 0;
	for (i = 0; i < c->pair_count; i++) {
		const struct compare_pair *p = &c->pairs[i];
		uint32_t of = part ? p->other_run : p->base_run;

		if (p->side == side && of == run)
			add_point(r, compare_cells(
					 &w->visits[run],
					 compare_point(
					     c, run, part ? p->other : p->base),
					 m, r->cells));
	}
	return wander(r);
}

int compare_find_drift(struct compare_work *w)
{
	const struct compare *c = w->c;
	struct rounds r = {0};
	size_t most = 1;
	uint32_t side, run;
	int part, m;

	for (run = 0; run < c->sides.run_count; run++)
		most += c->sides.runs[run]->visit_count;
	w->spells =
	    calloc(place(c, c->sides.count, 0, 0, 0) + 1, sizeof(*w->spells));
	r.steps = malloc(most * sizeof(*r.steps));
	r.cells = malloc(most * sizeof(*r.cells));
	if (w->spells && r.steps && r.cells)
		for (side = 1; side < c->sides.count; side++)
			for (run = 0; !c->about[side].interleaved &&
				      run < c->sides.run_count;
			     run++)
				for (part = 0; part < 2; part++)
					for (m = 0; m < COMPARE_METRIC_COUNT;
					     m++)
						w->spells[place(c, side, run,
								part, m)] =
						    find(
							w, &r, side, run, part,
							(enum compare_metric)m);
	free(r.cells);
	free(r.steps);
	return w->spells && r.steps && r.cells ? 0 : -ENOMEM;
}

/* Noise makes some estimates of no drift negative: both together count. */
struct stats_variance compare_drift(const struct compare_work *w,
				    const struct compare_pair *p,
				    enum compare_metric m)
{
	const struct compare_spell *a =
	    &w->spells[place(w->c, p->side, p->base_run, 0, m)];
	const struct compare_spell *b =
	    &w->spells[place(w->c, p->side, p->other_run, 1, m)];
	struct stats_variance out =
	    stats_add((struct stats_variance){a->square, a->df},
		      (struct stats_variance){b->square, b->df});

	out.value = fmax(0, a->drift + b->drift);
	return out;
}
