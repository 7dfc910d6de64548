#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/precision.h"
#include "sweep/schedule.h"

struct precise {
	struct schedule schedule;
	const struct plan *plan;
	struct precision_rule rule;
	uint32_t round; /* the last one given out */
	struct visit *visits;
	uint32_t visit_count, visit_room;
	uint32_t *more; /* visits that each point still needs */
};

/* The points that need a visit, in the order that the round has for all. */
static void fill_batch(const struct precise *s, struct schedule_batch *batch)
{
	uint32_t most = 0, count = 0, i;
	uint64_t visits = 0;

	plan_round_order(s->plan, s->round, batch->order);
	for (i = 0; i < s->plan->point_count; i++) {
		uint32_t point = batch->order[i];

		if (!s->more[point])
			continue;
		batch->order[count++] = point;
		visits += s->more[point];
		if (s->more[point] > most)
			most = s->more[point];
	}
	batch->count = count;
	batch->round = s->round;
	batch->round_count = s->round - 1 + most;
	batch->later_count = visits - count;
}

static int precise_next(struct schedule *schedule, struct schedule_batch *batch,
			struct err *err)
{
	struct precise *s = (struct precise *)schedule;
	int open = precision_more(s->plan->points, s->plan->point_count,
				  s->visits, s->visit_count, &s->rule, s->more);

	if (open < 0)
		return err_failed(err, -open,
				  "out of memory for what was measured");
	batch->count = 0;
	if (!open)
		return 0;
	s->round++;
	fill_batch(s, batch);
	return 0;
}

static int precise_visited(struct schedule *schedule, const struct visit *v,
			   struct err *err)
{
	struct precise *s = (struct precise *)schedule;
	struct visit *copy;

	if (s->visit_count == s->visit_room) {
		uint32_t room = s->visit_room + s->visit_room / 2 + 64;
		struct visit *grown =
		    realloc(s->visits, (size_t)room * sizeof(*grown));

		if (!grown)
			return err_failed(err, ENOMEM,
					  "out of memory for what was "
					  "measured");
		s->visits = grown;
		s->visit_room = room;
	}
	copy = &s->visits[s->visit_count++];
	*copy = *v;
	/* The session's memory. */
	memset(copy->latency, 0, sizeof(copy->latency));
	copy->samples = NULL;
	copy->sample_count = copy->sample_capacity = 0;
	return 0;
}

static void precise_free(struct schedule *schedule)
{
	struct precise *s = (struct precise *)schedule;

	free(s->visits);
	free(s->more);
	free(s);
}

static const struct schedule_ops precise_ops = {
    .next = precise_next,
    .visited = precise_visited,
    .free = precise_free,
};

struct schedule *schedule_precision_new(const struct plan *plan)
{
	struct precise *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->schedule.ops = &precise_ops;
	s->plan = plan;
	s->rule = (struct precision_rule){.precision_pct =
					      plan->settings.precision_pct,
					  .min_visits = PRECISION_MIN_VISITS,
					  .max_visits = plan->settings.rounds};
	s->more = calloc(plan->point_count + (size_t)1, sizeof(*s->more));
	if (s->more)
		return &s->schedule;
	free(s);
	return NULL;
}
