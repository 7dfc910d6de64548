#include "sweep/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sweep/search_grid.h"

/* The coarse round: so many depths of so many sizes at most, and a share of
 * the visits. */
#define COARSE_SIZES 8
#define COARSE_DEPTHS 3
#define COARSE_SHARE 0.4
/* Points of a later round: fewer learn more quickly, more make the effect of
 * a round better known. */
#define ROUND_POINTS 10
/* The points that decide are visited at least so often. */
#define VISITS_TO_SETTLE 4
/* How far a measured point is moved: two points of equal doubt differ by
 * sqrt(2) of it. */
#define REACH M_SQRT2

struct search {
	struct search_grid grid;
	uint32_t visits, visits_most;
	uint32_t rounds;
	bool settled;
	struct contender *open; /* scratch, a cell each */
	uint32_t *cell_of;	/* by index of the point */
	uint32_t index_count;
};

/* A cell with how far it has to move before the answer changes, as a share
 * of its doubt; 0: it decides. */
struct contender {
	uint32_t cell;
	double move;
};

static int map_indexes(struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->grid.cell_count; i++)
		if (s->grid.cells[i].point->index >= s->index_count)
			s->index_count = s->grid.cells[i].point->index + 1;
	s->cell_of = calloc(s->index_count + (size_t)1, sizeof(*s->cell_of));
	if (!s->cell_of)
		return -ENOMEM;
	for (i = 0; i < s->grid.cell_count; i++)
		s->cell_of[s->grid.cells[i].point->index] = i;
	return 0;
}

int search_new(const struct point *const *points, uint32_t count,
	       uint32_t visits, const struct latency_limit *limit,
	       struct search **out)
{
	struct search *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->visits_most = visits;
	s->open = calloc(count + (size_t)1, sizeof(*s->open));
	rc = search_grid_init(&s->grid, points, count, limit);
	if (!rc && s->open)
		rc = map_indexes(s);
	if (rc || !s->open) {
		search_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	search_grid_fini(&s->grid);
	free(s->cell_of);
	free(s->open);
	free(s);
}

int search_tell(struct search *s, const struct visit *v)
{
	s->visits++;
	return search_grid_add(&s->grid, s->cell_of[v->point], v);
}

struct search_state search_state(const struct search *s)
{
	return (struct search_state){.visits = s->visits,
				     .visits_most = s->visits_most,
				     .settled = s->settled};
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many doublings a range spans, both ends counted, at most count. */
static uint32_t doublings(double log_low, double log_high, uint32_t count)
{
	double n = round((log_high - log_low) / M_LN2) + 1;

	return n < count ? (uint32_t)n : count;
}

/* The cell of a row nearest to a depth. */
static uint32_t nearest_in_row(const struct search_grid *g,
			       const struct search_row *row, double x)
{
	uint32_t i, best = row->first;

	for (i = row->first; i < row->first + row->count; i++)
		if (fabs(g->cells[i].log_outstanding - x) <
		    fabs(g->cells[best].log_outstanding - x))
			best = i;
	return best;
}

/* Some depths of a row, evenly by their logarithm, the deepest among them. */
static uint32_t coarse_row(const struct search_grid *g,
			   const struct search_row *row, uint32_t depths,
			   uint32_t *cells)
{
	const struct search_cell *c = &g->cells[row->first];
	double low = c->log_outstanding;
	double high = c[row->count - 1].log_outstanding;
	uint32_t steps = doublings(low, high, row->count);
	uint32_t count = 0, i;

	depths = least(depths, steps);
	for (i = 1; i <= depths; i++) {
		double at =
		    steps > 1 ? (i * (double)steps / depths - 1) / (steps - 1.0)
			      : 1;
		uint32_t cell = nearest_in_row(g, row, low + (high - low) * at);

		if (!count || cells[count - 1] != cell)
			cells[count++] = cell;
	}
	return count;
}

static uint32_t nearest_row(const struct search_grid *g, double log_size)
{
	uint32_t i, best = 0;

	for (i = 1; i < g->row_count; i++)
		if (fabs(g->rows[i].log_size - log_size) <
		    fabs(g->rows[best].log_size - log_size))
			best = i;
	return best;
}

static uint32_t coarse_round(struct search *s, uint32_t *cells)
{
	const struct search_grid *g = &s->grid;
	uint32_t sizes = least(g->row_count, COARSE_SIZES);
	double low = g->rows[0].log_size;
	double high = g->rows[g->row_count - 1].log_size;
	uint32_t most = (uint32_t)(COARSE_SHARE * s->visits_most);
	uint32_t depths = COARSE_DEPTHS;
	uint32_t count = 0, last = SEARCH_NONE, i;

	while (depths > 1 && sizes * depths > most)
		depths--;
	while (sizes > 2 && sizes * depths > most)
		sizes--;
	for (i = 0; i < sizes; i++) {
		double at = sizes > 1 ? i / (sizes - 1.0) : 0;
		uint32_t row = nearest_row(g, low + (high - low) * at);

		if (row != last)
			count +=
			    coarse_row(g, &g->rows[row], depths, cells + count);
		last = row;
	}
	return count;
}

/* Whether the answer changes when the cell is moved by that much. */
static bool changes(struct search_grid *g, uint32_t cell, double by,
		    uint32_t answer)
{
	return search_grid_choose_moved(g, cell, by) != answer;
}

/* The share of `by` that changes the answer; INFINITY: not even all of it. */
static double least_move(struct search_grid *g, uint32_t cell, double by,
			 uint32_t answer)
{
	double low = 0, high = 1;
	int i;

	if (!changes(g, cell, by, answer))
		return INFINITY;
	for (i = 0; i < 4; i++) {
		double middle = (low + high) / 2;

		if (changes(g, cell, by * middle, answer))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static double openness(struct search_grid *g, uint32_t cell, uint32_t answer)
{
	const struct search_cell *c = &g->cells[cell];
	double reach = c->done ? REACH : 1;

	if (c->closed || !isfinite(c->mid))
		return INFINITY;
	return fmin(least_move(g, cell, reach * (c->high - c->mid), answer),
		    least_move(g, cell, reach * (c->low - c->mid), answer));
}

static bool is_decider(const struct search_choice *choice, uint32_t cell)
{
	return cell == choice->sweet || cell == choice->best ||
	       cell == choice->top || cell == choice->top_best;
}

static int by_move(const void *a, const void *b)
{
	const struct contender *x = a, *y = b;

	if (x->move != y->move)
		return x->move < y->move ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Deciders first, then by how little it takes; *settled when no point is
 * open and the deciders were visited often enough. */
static uint32_t find_open(struct search *s, bool *settled)
{
	struct search_grid *g = &s->grid;
	struct search_choice choice = search_grid_choose(g);
	uint32_t count = 0, i;

	*settled = true;
	for (i = 0; i < g->cell_count; i++) {
		struct contender c = {i, openness(g, i, choice.sweet)};

		if (isfinite(c.move))
			*settled = false;
		if (is_decider(&choice, i) && !g->cells[i].closed &&
		    g->cells[i].done < VISITS_TO_SETTLE) {
			c.move = 0;
			*settled = false;
		}
		/* The best of several is too good by luck: it is visited
		 * until luck is out of it, or another one is the best. */
		if (i == choice.top && !g->cells[i].closed)
			c.move = 0;
		if (isfinite(c.move))
			s->open[count++] = c;
	}
	qsort(s->open, count, sizeof(*s->open), by_move);
	return count;
}

static uint32_t later_round(struct search *s, uint32_t *cells)
{
	uint32_t count = find_open(s, &s->settled);
	uint32_t i;

	if (s->settled)
		return 0;
	count = least(count, ROUND_POINTS);
	for (i = 0; i < count; i++)
		cells[i] = s->open[i].cell;
	return count;
}

int search_ask(struct search *s, uint32_t *out)
{
	uint32_t left = s->visits_most - s->visits;
	uint32_t count, i;

	if (!s->grid.cell_count)
		return 0;
	if (s->rounds++) {
		int rc = search_grid_believe(&s->grid);

		if (rc)
			return rc;
		count = later_round(s, out);
	} else {
		count = coarse_round(s, out);
	}
	count = least(count, left);
	for (i = 0; i < count; i++)
		out[i] = s->grid.cells[out[i]].point->index;
	return (int)count;
}
