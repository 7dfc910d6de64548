#include <stdlib.h>
#include <string.h>

#include "sweep/schedule.h"
#include "sweep/variant.h"

/* One variant's part of the plan, with a schedule of its own. */
struct part {
	struct plan plan; /* the whole one's, but for the points */
	uint32_t *whole;  /* by index in the part: index in the whole plan */
	struct schedule *schedule;
};

struct sequential {
	struct schedule schedule;
	struct part *parts;
	uint32_t part_count;
	uint32_t at;	 /* the part under way */
	uint32_t *place; /* by index in the whole plan: in its part */
};

/* Visits that the parts after this one have at the most. */
static uint64_t count_later(const struct sequential *s)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = s->at + 1; i < s->part_count; i++)
		sum += (uint64_t)s->parts[i].plan.point_count *
		       s->parts[i].plan.settings.rounds;
	return sum;
}

static int sequential_next(struct schedule *schedule,
			   struct schedule_batch *batch, struct err *err)
{
	struct sequential *s = (struct sequential *)schedule;
	uint32_t i;
	int ret;

	for (;; s->at++) {
		ret = schedule_next(s->parts[s->at].schedule, batch, err);
		if (ret || batch->count || s->at + 1 == s->part_count)
			break;
	}
	if (ret)
		return ret;
	for (i = 0; i < batch->count; i++)
		batch->order[i] = s->parts[s->at].whole[batch->order[i]];
	batch->later_count += count_later(s);
	return 0;
}

static int sequential_visited(struct schedule *schedule, const struct visit *v,
			      struct err *err)
{
	struct sequential *s = (struct sequential *)schedule;
	struct visit in_part = *v;

	in_part.point = s->place[v->point];
	return schedule_visited(s->parts[s->at].schedule, &in_part, err);
}

static void sequential_free(struct schedule *schedule)
{
	struct sequential *s = (struct sequential *)schedule;
	uint32_t i;

	for (i = 0; s->parts && i < s->part_count; i++) {
		schedule_free(s->parts[i].schedule);
		free(s->parts[i].plan.points);
		free(s->parts[i].whole);
	}
	free(s->parts);
	free(s->place);
	free(s);
}

static const struct schedule_ops sequential_ops = {
    .next = sequential_next,
    .visited = sequential_visited,
    .free = sequential_free,
};

/* False: no memory. */
static bool make_part(struct sequential *s, const struct plan *plan,
		      const char *variant)
{
	struct part *part = &s->parts[s->part_count++];
	uint32_t i, count = 0;

	part->plan = *plan;
	part->plan.points =
	    calloc(plan->point_count, sizeof(*part->plan.points));
	part->whole = calloc(plan->point_count, sizeof(*part->whole));
	if (!part->plan.points || !part->whole)
		return false;
	for (i = 0; i < plan->point_count; i++) {
		if (strcmp(plan->points[i].variant, variant))
			continue;
		part->plan.points[count] = plan->points[i];
		part->plan.points[count].index = count;
		part->whole[count] = i;
		s->place[i] = count++;
	}
	part->plan.point_count = count;
	part->plan.settings.variant_order = PLAN_INTERLEAVED;
	part->schedule = schedule_new(&part->plan);
	return part->schedule;
}

struct schedule *schedule_sequential_new(const struct plan *plan)
{
	const struct variants *v = plan->variants;
	struct sequential *s = calloc(1, sizeof(*s));
	bool made;
	uint32_t i;

	if (!s)
		return NULL;
	s->schedule.ops = &sequential_ops;
	s->parts = calloc(v->count, sizeof(*s->parts));
	s->place = calloc(plan->point_count + (size_t)1, sizeof(*s->place));
	made = s->parts && s->place;
	for (i = 0; made && i < v->count; i++)
		if (v->items[i].used)
			made = make_part(s, plan, v->items[i].name);
	if (made)
		return &s->schedule;
	sequential_free(&s->schedule);
	return NULL;
}
