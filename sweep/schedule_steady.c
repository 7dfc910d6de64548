#include <stdlib.h>

#include "export/steady.h"
#include "sweep/schedule.h"

/* What was seen of a point. */
struct track {
	double last[STEADY_ROUNDS]; /* IOPS of its last done visits */
	uint32_t done, failed, skipped;
};

struct settle {
	struct schedule schedule;
	const struct plan *plan;
	uint32_t round; /* the last one given out */
	struct track *tracks;
};

static bool is_steady(const struct track *t)
{
	struct steady steady = steady_measure(t->last);

	return t->done >= STEADY_ROUNDS && steady_holds(&steady);
}

/* Visits until it may be steady, which is all that can be foreseen. */
static uint32_t need_more(const struct settle *s, const struct track *t)
{
	uint32_t left = s->plan->settings.rounds - s->round;
	uint32_t missing =
	    t->done < STEADY_ROUNDS ? STEADY_ROUNDS - t->done : 1;
	bool hopeless = !t->done && t->failed >= STEADY_ROUNDS;

	if (t->skipped || hopeless || is_steady(t))
		return 0;
	return missing < left ? missing : left;
}

static int settle_next(struct schedule *schedule, struct schedule_batch *batch,
		       struct err *err)
{
	struct settle *s = (struct settle *)schedule;
	uint32_t most = 0, count = 0, i;
	uint64_t visits = 0;

	(void)err;
	plan_round_order(s->plan, s->round + 1, batch->order);
	for (i = 0; i < s->plan->point_count; i++) {
		uint32_t point = batch->order[i];
		uint32_t more = need_more(s, &s->tracks[point]);

		if (!more)
			continue;
		batch->order[count++] = point;
		visits += more;
		if (more > most)
			most = more;
	}
	batch->count = count;
	batch->round_count = s->round + most;
	batch->later_count = visits - count;
	batch->round = ++s->round;
	return 0;
}

static int settle_visited(struct schedule *schedule, const struct visit *v,
			  struct err *err)
{
	struct settle *s = (struct settle *)schedule;
	struct track *t = &s->tracks[v->point];
	int i;

	(void)err;
	t->failed += v->state == VISIT_FAILED;
	t->skipped += v->state == VISIT_SKIPPED;
	if (v->state != VISIT_DONE)
		return 0;
	t->done++;
	for (i = 1; i < STEADY_ROUNDS; i++)
		t->last[i - 1] = t->last[i];
	t->last[STEADY_ROUNDS - 1] = visit_iops(v);
	return 0;
}

static void settle_free(struct schedule *schedule)
{
	struct settle *s = (struct settle *)schedule;

	free(s->tracks);
	free(s);
}

static const struct schedule_ops settle_ops = {
    .next = settle_next,
    .visited = settle_visited,
    .free = settle_free,
};

struct schedule *schedule_steady_new(const struct plan *plan)
{
	struct settle *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->schedule.ops = &settle_ops;
	s->plan = plan;
	s->tracks = calloc(plan->point_count + (size_t)1, sizeof(*s->tracks));
	if (s->tracks)
		return &s->schedule;
	free(s);
	return NULL;
}
