#include "sweep/schedule_search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/saturate.h"
#include "engine/units.h"
#include "export/group.h"
#include "sweep/search.h"

struct searches {
	struct schedule schedule;
	const struct plan *plan;
	struct search **list; /* one a group */
	uint32_t count;
	uint32_t *group_of; /* of a point */
	uint32_t *asked;    /* scratch, room for all points */
	bool *open;	    /* points of the next round */
	bool *visited;
	uint32_t round; /* the last one given out */
};

static uint64_t visit_ns(const struct plan_settings *s)
{
	return saturate_add(s->time_ns, s->ramp_ns);
}

uint32_t schedule_search_visits(const struct plan_settings *s)
{
	uint64_t visits = s->budget_ns / visit_ns(s);

	return visits < PLAN_ROUNDS_MAX ? (uint32_t)visits : PLAN_ROUNDS_MAX;
}

static int check_budget(const struct plan_settings *s, struct err *err)
{
	char budget[UNITS_TEXT_MAX], visit[UNITS_TEXT_MAX];
	char least[UNITS_TEXT_MAX];

	if (schedule_search_visits(s) >= SEARCH_VISITS_MIN)
		return 0;
	return err_usage(
	    err,
	    "a budget of %s a workload is less than %d visits of %s, and finds "
	    "nothing; give at least %s, or shorten --time",
	    units_format_duration(budget, s->budget_ns), SEARCH_VISITS_MIN,
	    units_format_duration(visit, visit_ns(s)),
	    units_format_duration(
		least, saturate_multiply(visit_ns(s), SEARCH_VISITS_MIN)));
}

/* Points of the largest group. */
static uint32_t largest(const uint32_t *group_of, uint32_t point_count,
			uint32_t *sizes)
{
	uint32_t most = 0, i;

	for (i = 0; i < point_count; i++)
		if (++sizes[group_of[i]] > most)
			most = sizes[group_of[i]];
	return most;
}

static int check_points(const struct plan *plan, struct err *err)
{
	size_t room = plan->point_count + (size_t)1;
	uint32_t *group_of = calloc(room, sizeof(*group_of));
	uint32_t *sizes = calloc(room, sizeof(*sizes));
	uint32_t most;
	int rc = -ENOMEM;

	if (group_of && sizes)
		rc = group_by_sweep(plan->points, plan->point_count, group_of);
	if (rc < 0) {
		rc = err_failed(err, ENOMEM, "out of memory for %u points",
				plan->point_count);
	} else {
		most = largest(group_of, plan->point_count, sizes);
		rc = most <= SEARCH_POINTS_MAX
			 ? 0
			 : err_usage(err,
				     "a search takes up to %d points a "
				     "workload, and the plan has %u; ask for "
				     "fewer block sizes or outstanding I/Os",
				     SEARCH_POINTS_MAX, most);
	}
	free(sizes);
	free(group_of);
	return rc;
}

int schedule_search_check(const struct plan *plan, struct err *err)
{
	int rc = check_budget(&plan->settings, err);

	return rc ? rc : check_points(plan, err);
}

/* Mark what a search asks for. */
static int open_points(struct searches *s, struct search *search,
		       struct err *err)
{
	int i, count = search_ask(search, s->asked);

	if (count < 0)
		return err_failed(err, -count,
				  "out of memory for what was measured");
	for (i = 0; i < count; i++)
		s->open[s->asked[i]] = true;
	return count;
}

/* The points asked for, in the order that the round has for all. */
static void fill_batch(struct searches *s, struct schedule_batch *batch)
{
	uint32_t i, point;

	plan_round_order(s->plan, s->round, batch->order);
	for (i = 0; i < s->plan->point_count; i++) {
		point = batch->order[i];
		if (!s->open[point])
			continue;
		s->open[point] = false;
		batch->order[batch->count++] = point;
	}
}

static int searches_next(struct schedule *schedule,
			 struct schedule_batch *batch, struct err *err)
{
	struct searches *s = (struct searches *)schedule;
	uint64_t later = 0;
	uint32_t i;

	batch->count = 0;
	for (i = 0; i < s->count; i++) {
		struct search_state state = search_state(s->list[i]);
		int count = open_points(s, s->list[i], err);

		if (count < 0)
			return count;
		if (count)
			later +=
			    state.visits_most - state.visits - (uint32_t)count;
	}
	s->round++;
	batch->round = batch->round_count = s->round;
	batch->later_count = later;
	fill_batch(s, batch);
	return 0;
}

static int searches_visited(struct schedule *schedule, const struct visit *v,
			    struct err *err)
{
	struct searches *s = (struct searches *)schedule;

	s->visited[v->point] = true;
	return search_tell(s->list[s->group_of[v->point]], v)
		   ? err_failed(err, ENOMEM,
				"out of memory for what was measured")
		   : 0;
}

static void searches_free(struct schedule *schedule)
{
	struct searches *s = (struct searches *)schedule;
	uint32_t i;

	for (i = 0; s->list && i < s->count; i++)
		search_free(s->list[i]);
	free(s->list);
	free(s->group_of);
	free(s->asked);
	free(s->open);
	free(s->visited);
	free(s);
}

static const struct schedule_ops searches_ops = {
    .next = searches_next,
    .visited = searches_visited,
    .free = searches_free,
};

static int add_searches(struct searches *s, const struct latency_limit *limit)
{
	const struct plan *plan = s->plan;
	const struct point **points =
	    calloc(plan->point_count + (size_t)1, sizeof(const struct point *));
	uint32_t visits = schedule_search_visits(&plan->settings);
	uint32_t g, i, count;
	int rc = points ? 0 : -ENOMEM;

	for (g = 0; !rc && g < s->count; g++) {
		for (i = 0, count = 0; i < plan->point_count; i++)
			if (s->group_of[i] == g)
				points[count++] = &plan->points[i];
		rc = search_new(points, count, visits, limit, &s->list[g]);
	}
	free(points);
	return rc;
}

struct schedule *schedule_search_new(const struct plan *plan,
				     const struct latency_limit *limit)
{
	size_t room = plan->point_count + (size_t)1;
	struct searches *s = calloc(1, sizeof(*s));
	int groups = -ENOMEM;

	if (!s)
		return NULL;
	s->schedule.ops = &searches_ops;
	s->plan = plan;
	s->group_of = calloc(room, sizeof(*s->group_of));
	s->asked = calloc(room, sizeof(*s->asked));
	s->open = calloc(room, sizeof(*s->open));
	s->visited = calloc(room, sizeof(*s->visited));
	s->list = calloc(room, sizeof(struct search *));
	if (s->group_of && s->asked && s->open && s->visited && s->list)
		groups = group_by_sweep(plan->points, plan->point_count,
					s->group_of);
	if (groups >= 0) {
		s->count = (uint32_t)groups;
		if (!add_searches(s, limit))
			return &s->schedule;
	}
	searches_free(&s->schedule);
	return NULL;
}

struct schedule_search_summary
schedule_search_summarize(const struct schedule *schedule)
{
	const struct searches *s = (const struct searches *)schedule;
	struct schedule_search_summary out = {.workloads = s->count};
	uint32_t i;

	for (i = 0; i < s->count; i++) {
		struct search_state state = search_state(s->list[i]);

		out.settled += state.settled;
		out.visits += state.visits;
	}
	for (i = 0; i < s->plan->point_count; i++)
		out.points += s->visited[i];
	return out;
}
