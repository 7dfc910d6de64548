#include "sweep/search_grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/rounds.h"
#include "export/stats.h"

/* Tries of a point that only ever fails. */
#define FAILURES_MAX 2
/* A point between two measured ones may have this much more IOPS than the
 * better of them, and a size between two that much less MiB/s. */
#define LOG_PEAK 0.3
/* Spread of a visit before any point was visited twice. */
#define LOG_SPREAD_ASSUMED 0.08
/* No doubt reaches further: with very few degrees of freedom the interval
 * itself is hardly known. */
#define LOG_HALF_MAX 0.4

static int by_size_and_outstanding(const void *a, const void *b)
{
	const struct point *x = *(const struct point *const *)a;
	const struct point *y = *(const struct point *const *)b;
	uint64_t s = x->workload.stream.block_size_bytes;
	uint64_t t = y->workload.stream.block_size_bytes;
	uint32_t m = point_outstanding(x), n = point_outstanding(y);

	if (s != t)
		return s < t ? -1 : 1;
	return (m > n) - (m < n);
}

static void add_cell(struct search_grid *g, const struct point *p)
{
	uint64_t size = p->workload.stream.block_size_bytes;
	uint32_t i = g->cell_count++;
	const struct point *before = i ? g->cells[i - 1].point : NULL;

	if (!before || before->workload.stream.block_size_bytes != size)
		g->rows[g->row_count++] = (struct search_row){
		    .first = i, .log_size = log((double)size)};
	g->rows[g->row_count - 1].count++;
	g->points[i] = *p;
	g->points[i].index = i;
	g->cells[i] = (struct search_cell){
	    .point = p,
	    .row = g->row_count - 1,
	    .log_outstanding = log(point_outstanding(p)),
	    .log_tail = NAN,
	};
}

int search_grid_init(struct search_grid *g, const struct point *const *points,
		     uint32_t count, const struct latency_limit *limit)
{
	size_t room = count + (size_t)1;
	const struct point **sorted = calloc(room, sizeof(*sorted));
	uint32_t i;

	*g = (struct search_grid){.limit = {.limit_us = NAN}};
	if (limit)
		g->limit = *limit;
	g->cells = calloc(room, sizeof(*g->cells));
	g->rows = calloc(room, sizeof(*g->rows));
	g->points = calloc(room, sizeof(*g->points));
	if (sorted && g->cells && g->rows && g->points) {
		for (i = 0; i < count; i++)
			sorted[i] = points[i];
		qsort(sorted, count, sizeof(*sorted), by_size_and_outstanding);
		for (i = 0; i < count; i++)
			add_cell(g, sorted[i]);
	}
	free(sorted);
	return g->cell_count == count ? 0 : -ENOMEM;
}

void search_grid_fini(struct search_grid *g)
{
	uint32_t i;

	for (i = 0; g->cells && i < g->cell_count; i++)
		free(g->cells[i].latency);
	free(g->cells);
	free(g->rows);
	free(g->points);
	free(g->visits);
}

static bool limits_percentile(const struct search_grid *g)
{
	return !isnan(g->limit.limit_us) && g->limit.which != PCT_COUNT;
}

static int add_latency(struct search_grid *g, struct search_cell *c,
		       const struct visit *v)
{
	double percentile_ns;
	int d;

	if (!c->latency) {
		c->latency = malloc(sizeof(*c->latency));
		if (!c->latency)
			return -ENOMEM;
		hist_reset(c->latency);
	}
	for (d = 0; d < DIR_COUNT; d++)
		if (v->latency[d])
			hist_merge(c->latency, v->latency[d]);
	percentile_ns =
	    hist_percentile_ns(c->latency, percentile_q[g->limit.which]);
	c->log_tail = log(percentile_ns / hist_mean_ns(c->latency));
	return 0;
}

/* Keep what rounds_estimate reads: counts, no histograms, no samples. */
static int keep_visit(struct search_grid *g, uint32_t cell,
		      const struct visit *v)
{
	struct visit *kept;

	if (g->visit_count == g->visit_capacity) {
		uint32_t capacity = g->visit_capacity * 2 + 64;
		struct visit *grown =
		    realloc(g->visits, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		g->visits = grown;
		g->visit_capacity = capacity;
	}
	kept = &g->visits[g->visit_count++];
	*kept = *v;
	kept->point = cell;
	memset(kept->latency, 0, sizeof(kept->latency));
	kept->samples = NULL;
	kept->sample_count = kept->sample_capacity = 0;
	return 0;
}

int search_grid_add(struct search_grid *g, uint32_t cell, const struct visit *v)
{
	struct search_cell *c = &g->cells[cell];
	int rc;

	/* A window in which nothing completed tells as little as a failure. */
	if (v->state != VISIT_DONE || !(visit_iops(v) > 0)) {
		c->failed++;
		c->closed = v->state == VISIT_SKIPPED ||
			    (!c->done && c->failed >= FAILURES_MAX);
		return 0;
	}
	rc = keep_visit(g, cell, v);
	if (!rc && limits_percentile(g))
		rc = add_latency(g, c, v);
	if (rc)
		return rc;
	c->done++;
	c->ios += v->ios[DIR_READ] + v->ios[DIR_WRITE];
	c->measured_ns += v->measured_ns;
	return 0;
}

static void believe_measured(struct search_cell *c,
			     const struct rounds_doubt *doubt)
{
	double half =
	    stats_half_width_95(sqrt(doubt->within_variance), doubt->within_df);

	if (isnan(half))
		half = 1.96 * LOG_SPREAD_ASSUMED / sqrt(c->done);
	half = fmin(half, LOG_HALF_MAX);
	c->mid =
	    log((double)c->ios * 1e9 / (double)c->measured_ns) + doubt->shift;
	c->low = c->mid - half;
	c->high = c->mid + half;
}

/* log IOPS and its bounds. */
struct belief {
	double mid, low, high;
};

/* Of a row at some outstanding, from its measured points; false without. */
static bool believe_from_row(const struct search_grid *g,
			     const struct search_row *row, double x,
			     struct belief *out)
{
	const struct search_cell *a = NULL, *b = NULL;
	double grown, chord, most;
	uint32_t i;

	for (i = row->first; i < row->first + row->count; i++) {
		const struct search_cell *c = &g->cells[i];

		if (!c->done)
			continue;
		if (c->log_outstanding <= x)
			a = c;
		if (c->log_outstanding >= x && !b)
			b = c;
	}
	if (!a && !b)
		return false;
	if (a == b) {
		*out = (struct belief){a->mid, a->low, a->high};
		return true;
	}
	if (!a) {
		double less = b->log_outstanding - x;

		*out = (struct belief){b->mid - less / 2, b->low - less,
				       b->high + LOG_PEAK};
		return true;
	}
	grown = x - a->log_outstanding;
	if (!b) {
		*out = (struct belief){a->mid, a->low - grown, a->high + grown};
		return true;
	}
	chord = a->mid + (b->mid - a->mid) * grown /
			     (b->log_outstanding - a->log_outstanding);
	most = fmax(a->mid, b->mid);
	out->mid = fmax(chord, (chord + fmin(a->mid + grown, most)) / 2);
	out->high = fmax(out->mid, fmin(a->high + grown, most + LOG_PEAK));
	out->low = fmin(out->mid, fmin(chord - LOG_PEAK, fmin(a->low, b->low)));
	return true;
}

/* Of a size that was not measured, from the next smaller and larger ones that
 * were. */
static void believe_from_sizes(const struct search_grid *g, uint32_t row,
			       double x, struct belief *out)
{
	const struct search_row *own = &g->rows[row];
	struct belief s = {0}, t = {0};
	double up = NAN, down = NAN;
	uint32_t i;

	*out = (struct belief){-INFINITY, -INFINITY, -INFINITY};
	for (i = row; i-- > 0 && isnan(up);)
		if (believe_from_row(g, &g->rows[i], x, &s))
			up = own->log_size - g->rows[i].log_size;
	for (i = row + 1; i < g->row_count && isnan(down); i++)
		if (believe_from_row(g, &g->rows[i], x, &t))
			down = g->rows[i].log_size - own->log_size;
	if (isnan(up) && isnan(down))
		return;
	if (isnan(down))
		*out =
		    (struct belief){s.mid - up, s.low - up - LOG_PEAK, s.high};
	else if (isnan(up))
		*out = (struct belief){t.mid, t.low, t.high + down};
	else
		*out =
		    (struct belief){s.mid + (t.mid - s.mid) * up / (up + down),
				    fmin(t.low, s.low - up) - LOG_PEAK,
				    fmax(s.high, t.high + down)};
}

static void believe_unmeasured(struct search_grid *g, struct search_cell *c)
{
	struct belief b = {-INFINITY, -INFINITY, -INFINITY};

	if (!c->closed &&
	    !believe_from_row(g, &g->rows[c->row], c->log_outstanding, &b))
		believe_from_sizes(g, c->row, c->log_outstanding, &b);
	c->mid = b.mid;
	c->low = b.low;
	c->high = b.high;
}

/* Percentile over mean: its own, else of the nearest in its row that has
 * one, else none. */
static double believe_tail(const struct search_grid *g,
			   const struct search_cell *c)
{
	const struct search_row *row = &g->rows[c->row];
	double nearest = INFINITY, tail = 0;
	uint32_t i;

	for (i = row->first; i < row->first + row->count; i++) {
		const struct search_cell *other = &g->cells[i];
		double apart =
		    fabs(other->log_outstanding - c->log_outstanding);

		if (isnan(other->log_tail) || apart >= nearest)
			continue;
		nearest = apart;
		tail = other->log_tail;
	}
	return tail;
}

int search_grid_believe(struct search_grid *g)
{
	struct rounds_doubt *doubts =
	    calloc(g->cell_count + (size_t)1, sizeof(*doubts));
	uint32_t i;
	int rc = doubts ? rounds_estimate(g->points, g->cell_count, g->visits,
					  g->visit_count, visit_iops, doubts)
			: -ENOMEM;

	for (i = 0; !rc && i < g->cell_count; i++)
		if (g->cells[i].done)
			believe_measured(&g->cells[i], &doubts[i]);
	for (i = 0; !rc && i < g->cell_count; i++)
		if (!g->cells[i].done)
			believe_unmeasured(g, &g->cells[i]);
	for (i = 0; !rc && i < g->cell_count; i++)
		g->cells[i].tail = believe_tail(g, &g->cells[i]);
	free(doubts);
	return rc;
}

/* Whether it has IOPS and keeps the limit; latency by Little's law. */
static bool is_candidate(const struct search_grid *g,
			 const struct search_cell *c)
{
	double log_us;

	if (!isfinite(c->mid))
		return false;
	if (isnan(g->limit.limit_us))
		return true;
	log_us = c->log_outstanding - c->mid + log(1e6) + c->tail;
	return log_us <= log(g->limit.limit_us);
}

static void choose_in_row(const struct search_grid *g, struct search_row *row)
{
	const struct search_cell *cells = g->cells;
	uint32_t end = row->first + row->count;
	uint32_t i;

	row->sweet = row->best = SEARCH_NONE;
	row->log_rate = -INFINITY;
	for (i = row->first; i < end; i++)
		if (is_candidate(g, &cells[i]) &&
		    (row->best == SEARCH_NONE ||
		     cells[i].mid > cells[row->best].mid))
			row->best = i;
	for (i = row->first; row->best != SEARCH_NONE && i < end; i++) {
		if (!is_candidate(g, &cells[i]) ||
		    cells[i].mid < cells[row->best].mid + log(SWEETSPOT_SHARE))
			continue;
		row->sweet = i;
		row->log_rate = cells[i].mid + row->log_size;
		return;
	}
}

static struct search_choice choose_among_rows(const struct search_grid *g)
{
	struct search_choice out = {SEARCH_NONE, SEARCH_NONE, SEARCH_NONE,
				    SEARCH_NONE};
	const struct search_row *row = g->rows, *top = g->rows;
	const struct search_row *end = g->rows + g->row_count;

	for (; row < end; row++)
		if (row->log_rate > top->log_rate)
			top = row;
	if (top->sweet == SEARCH_NONE)
		return out;
	for (row = g->rows;
	     row->log_rate < top->log_rate + log(SWEETSPOT_SHARE);)
		row++;
	return (struct search_choice){row->sweet, row->best, top->sweet,
				      top->best};
}

struct search_choice search_grid_choose(struct search_grid *g)
{
	uint32_t i;

	for (i = 0; i < g->row_count; i++)
		choose_in_row(g, &g->rows[i]);
	return choose_among_rows(g);
}

uint32_t search_grid_choose_moved(struct search_grid *g, uint32_t cell,
				  double by)
{
	struct search_cell *c = &g->cells[cell];
	struct search_row *row = &g->rows[c->row];
	struct search_row kept = *row;
	double mid = c->mid;
	uint32_t sweet;

	c->mid += by;
	choose_in_row(g, row);
	sweet = choose_among_rows(g).sweet;
	*row = kept;
	c->mid = mid;
	return sweet;
}
