/*
 * search: the sweet spot of one workload (pattern, read %, ...) without
 * visiting every point of block size x outstanding. Pure: ask which points to
 * visit next, visit them in random order, tell what came out, until ask
 * returns 0. Knows neither engine nor screen.
 *
 * First a coarse round: every block size at a few depths. Then, round by
 * round, the points that decide the answer and those that could change it:
 * moved to an end of what is believed of it (search_grid.h), the others left
 * where they are, a point that changes the sweet spot is open. Bracketing the
 * knee and repeating close contenders are the same rule, since a point that
 * was never visited is believed within wide bounds. Rounds are randomized
 * blocks, so export/'s analysis holds for what was measured. The search ends
 * when nothing is open, or when its visits are used up.
 */
#ifndef SWEEP_SEARCH_H
#define SWEEP_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/point.h"
#include "engine/visit.h"
#include "export/sweetspot.h"

/* Fewer visits find nothing worth the name in a larger grid. */
#define SEARCH_VISITS_MIN 12

/* More points of one workload than this take too long to think about. */
#define SEARCH_POINTS_MAX 4096

struct search;

/*
 * points: one sweep group (group.h), kept by the caller while the search
 * lives; visits: the most that it may ask for. limit may be NULL. 0 or
 * -ENOMEM; search_free frees.
 */
int search_new(const struct point *const *points, uint32_t count,
	       uint32_t visits, const struct latency_limit *limit,
	       struct search **out);
void search_free(struct search *s);

/* The points of the next round, by point.index, into out (room for as many as
 * there are points). Returns how many: 0 at the end; or -ENOMEM. */
int search_ask(struct search *s, uint32_t *out);

/* Take in a visit of a point that was asked for; v->point is its index. What
 * is asked next depends on what was told and on nothing else. 0 or -ENOMEM. */
int search_tell(struct search *s, const struct visit *v);

struct search_state {
	uint32_t visits;      /* told so far */
	uint32_t visits_most; /* that it may ask for */
	bool settled;	      /* nothing was open at the last ask */
};
struct search_state search_state(const struct search *s);

#endif
