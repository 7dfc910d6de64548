/*
 * schedule: what to visit next. The session asks for one batch after another
 * until one is empty, and tells of every visit of it, so that a schedule may
 * decide by what was measured (a precision asked for, a search) or not (fixed
 * rounds). It neither measures nor stores.
 *
 * Decisions rest on the plan and on the visits told, and on nothing else: told
 * the same visits again, a schedule asks for the same batches. That is how a
 * sweep is taken up again: session.h, `known`.
 */
#ifndef SWEEP_SCHEDULE_H
#define SWEEP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/visit.h"
#include "sweep/plan.h"

/* Points to visit in this order, each once, all in one round. */
struct schedule_batch {
	uint32_t *order; /* the caller's, room for all points of the plan */
	uint32_t count;	 /* 0: nothing is left to do */
	uint32_t round;	 /* from 1: part of a visit's seed and its row; a
			  * point is visited once in a round */
	uint32_t round_count; /* rounds expected in all, for the screen */
	uint64_t later_count; /* visits expected after this batch: progress and
			       * time left rest on it */
};

struct schedule;

struct schedule_ops {
	/* Fill the batch, order included. 0, or -errno with a sentence. */
	int (*next)(struct schedule *s, struct schedule_batch *batch,
		    struct err *err);
	/* A visit of the batch ended: done, failed or skipped; v->point is
	 * the index of its point, and v is the session's and reused. NULL
	 * where nobody wants to know. 0, or -errno with a sentence. */
	int (*visited)(struct schedule *s, const struct visit *v,
		       struct err *err);
	void (*free)(struct schedule *s);
};

/* First member of every schedule. */
struct schedule {
	const struct schedule_ops *ops;
};

/* Shorthands for s->ops. */
int schedule_next(struct schedule *s, struct schedule_batch *batch,
		  struct err *err);
int schedule_visited(struct schedule *s, const struct visit *v,
		     struct err *err);
void schedule_free(struct schedule *s); /* NULL is allowed */

/* A visit that is there already, by index of its point and round; NULL: it is
 * not. */
typedef const struct visit *schedule_known(void *arg, uint32_t point,
					   uint32_t round);

/* Whether nothing is left to do once the visits that known has were told. The
 * schedule is good for nothing else afterwards. 0 or -errno with a sentence. */
int schedule_is_done(struct schedule *s, uint32_t point_count,
		     schedule_known *known, void *known_arg, bool *out,
		     struct err *err);

/* Every point once in each of settings.rounds rounds, in the order of
 * plan_round_order. plan stays the caller's and outlives it. NULL when out of
 * memory. */
struct schedule *schedule_rounds_new(const struct plan *plan);

/* --precision: rounds over the points that have not reached
 * settings.precision_pct (export/precision.h), settings.rounds of them at the
 * most. NULL as above. */
struct schedule *schedule_precision_new(const struct plan *plan);

/* --steady: rounds over the points that are not in the steady state of
 * export/steady.h, settings.rounds of them at the most. NULL as above. */
struct schedule *schedule_steady_new(const struct plan *plan);

/* One variant after the other, each as its part of the plan alone would be;
 * for plans made by plan_build. NULL as above. */
struct schedule *schedule_sequential_new(const struct plan *plan);

/* The one that the settings ask for. NULL as above. */
struct schedule *schedule_new(const struct plan *plan);

#endif
