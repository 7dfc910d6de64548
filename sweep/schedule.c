#include "sweep/schedule.h"

#include <errno.h>
#include <stdlib.h>

int schedule_next(struct schedule *s, struct schedule_batch *batch,
		  struct err *err)
{
	return s->ops->next(s, batch, err);
}

int schedule_visited(struct schedule *s, const struct visit *v, struct err *err)
{
	return s->ops->visited ? s->ops->visited(s, v, err) : 0;
}

void schedule_free(struct schedule *s)
{
	if (s)
		s->ops->free(s);
}

struct schedule *schedule_new(const struct plan *plan)
{
	if (plan->settings.variant_order == PLAN_SEQUENTIAL)
		return schedule_sequential_new(plan);
	if (plan->settings.steady)
		return schedule_steady_new(plan);
	if (plan->settings.precision_pct > 0)
		return schedule_precision_new(plan);
	return schedule_rounds_new(plan);
}

/* Tell the batch's known visits; *all: there were no others. */
static int tell_known(struct schedule *s, const struct schedule_batch *batch,
		      schedule_known *known, void *known_arg, bool *all,
		      struct err *err)
{
	uint32_t i;
	int rc = 0;

	*all = true;
	for (i = 0; !rc && *all && i < batch->count; i++) {
		const struct visit *v =
		    known(known_arg, batch->order[i], batch->round);

		*all = v != NULL;
		if (v)
			rc = schedule_visited(s, v, err);
	}
	return rc;
}

int schedule_is_done(struct schedule *s, uint32_t point_count,
		     schedule_known *known, void *known_arg, bool *out,
		     struct err *err)
{
	struct schedule_batch batch = {
	    .order = malloc(point_count * sizeof(*batch.order))};
	bool all = true;
	int rc = 0;

	if (!batch.order)
		return err_failed(err, ENOMEM, "out of memory");
	do {
		rc = schedule_next(s, &batch, err);
		if (!rc)
			rc = tell_known(s, &batch, known, known_arg, &all, err);
	} while (!rc && all && batch.count);
	free(batch.order);
	if (!rc)
		*out = all;
	return rc;
}

struct rounds {
	struct schedule schedule;
	const struct plan *plan;
	uint32_t round; /* the last one given out */
};

static int rounds_next(struct schedule *s, struct schedule_batch *batch,
		       struct err *err)
{
	struct rounds *r = (struct rounds *)s;
	const struct plan *plan = r->plan;

	(void)err;
	batch->count = 0;
	if (r->round == plan->settings.rounds)
		return 0;
	batch->count = plan->point_count;
	batch->round = ++r->round;
	batch->round_count = plan->settings.rounds;
	batch->later_count =
	    (uint64_t)plan->point_count * (plan->settings.rounds - r->round);
	plan_round_order(plan, r->round, batch->order);
	return 0;
}

static void rounds_free(struct schedule *s)
{
	free(s);
}

static const struct schedule_ops rounds_ops = {
    .next = rounds_next,
    .free = rounds_free,
};

struct schedule *schedule_rounds_new(const struct plan *plan)
{
	struct rounds *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->schedule.ops = &rounds_ops;
	r->plan = plan;
	return &r->schedule;
}
