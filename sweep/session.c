#include "sweep/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/units.h"

#define REFRESH_EVERY_NS (60 * NS_PER_SEC)
/* The most of the time that goes into rewriting the derived files. */
#define REFRESH_SHARE 0.01

struct loop {
	struct session *s;
	struct session_outcome *out;
	struct session_progress at;
	struct visit visit;
	struct schedule_batch batch;
	uint64_t measured; /* visits, known ones aside */
	uint64_t began_ns;
	uint64_t refreshed_ns;	  /* end of the last refresh */
	uint64_t refresh_cost_ns; /* how long it took */
	uint64_t refresh_sum_ns;
	uint64_t pause_sum_ns;
};

static bool stop_asked(const struct session *s)
{
	return s->stop && *s->stop;
}

/* Time left: what a visit took so far, or what the plan says at first. */
static void update_progress(struct loop *l)
{
	const struct plan_settings *set = &l->s->plan->settings;
	uint64_t each = set->time_ns + set->ramp_ns + set->pause_ns;

	l->at.elapsed_ns = clock_now_ns() - l->began_ns;
	if (l->measured)
		each = l->at.elapsed_ns / l->measured;
	l->at.left_ns = each * (l->at.visit_count - (l->at.visit - 1));
	if (set->max_time_ns &&
	    l->at.elapsed_ns + l->at.left_ns > set->max_time_ns)
		l->at.left_ns = set->max_time_ns > l->at.elapsed_ns
				    ? set->max_time_ns - l->at.elapsed_ns
				    : 0;
}

static void count_visit(struct session_outcome *out, const struct visit *v)
{
	switch (v->state) {
	case VISIT_DONE:
		out->done++;
		break;
	case VISIT_FAILED:
		out->failed++;
		break;
	case VISIT_SKIPPED:
		out->skipped++;
		break;
	case VISIT_STOPPED:
	case VISIT_STATE_COUNT:
		break;
	}
}

/* A pause that a stop request cuts short. */
static void pause_between(struct loop *l)
{
	uint64_t left = l->s->plan->settings.pause_ns;
	uint64_t begin = clock_now_ns();

	while (left && !stop_asked(l->s)) {
		uint64_t nap = left < 100 * NS_PER_MS ? left : 100 * NS_PER_MS;
		struct timespec ts = {.tv_sec = 0, .tv_nsec = (long)nap};

		nanosleep(&ts, NULL);
		left -= nap;
	}
	l->pause_sum_ns += clock_now_ns() - begin;
}

static void refresh_when_due(struct loop *l)
{
	const struct session_observer *o = &l->s->observer;
	uint64_t begin = clock_now_ns();
	uint64_t since = begin - l->refreshed_ns;
	uint64_t every =
	    o->refresh_every_ns ? o->refresh_every_ns : REFRESH_EVERY_NS;

	if (!o->refresh || since < every ||
	    (double)l->refresh_cost_ns > REFRESH_SHARE * (double)since)
		return;
	o->refresh(o->refresh_arg);
	l->refreshed_ns = clock_now_ns();
	l->refresh_cost_ns = l->refreshed_ns - begin;
	l->refresh_sum_ns += l->refresh_cost_ns;
}

static int keep_visit(struct loop *l, const struct point *p, struct err *err)
{
	uint64_t begin = clock_now_ns();
	int rc = 0;

	if (l->s->store)
		rc = store_append(l->s->store, p, &l->visit, err);
	l->out->store_ns += clock_now_ns() - begin;
	return rc;
}

static int measure_point(struct loop *l, const struct point *p, struct err *err)
{
	const struct session_observer *o = &l->s->observer;
	int rc;

	rc = l->s->switcher ? switcher_prepare(l->s->switcher, p, err) : 0;
	if (rc == -EINTR) {
		l->out->stopped = true;
		return 0;
	}
	if (rc)
		return rc;
	update_progress(l);
	if (o->visit_begins)
		o->visit_begins(o->arg, &l->at, p);
	measure_visit(l->s->measurer, p, l->at.round, &l->visit);
	if (l->visit.state == VISIT_STOPPED)
		return 0;
	rc = keep_visit(l, p, err);
	if (rc)
		return rc;
	count_visit(l->out, &l->visit);
	l->out->overhead_ns -= l->visit.ramp_ns + l->visit.measured_ns;
	l->measured++;
	l->at.visit++;
	update_progress(l);
	if (o->visit_ended)
		o->visit_ended(o->arg, &l->at, p, &l->visit);
	if (l->visit.corrupt_blocks > 0)
		return err_failed(err, EIO,
				  "%s: %s; the sweep ends here: do not trust "
				  "this storage with data",
				  p->target, l->visit.reason);
	if (l->visit.verified_blocks > 0)
		l->out->verified_blocks += l->visit.verified_blocks;
	return schedule_visited(l->s->schedule, &l->visit, err);
}

static const struct visit *find_known(const struct loop *l, uint32_t point)
{
	const struct session *s = l->s;

	return s->known ? s->known(s->known_arg, point, l->at.round) : NULL;
}

static int visit_point(struct loop *l, const struct point *p, struct err *err)
{
	const struct visit *known = find_known(l, p->index);
	int rc;

	if (known) {
		l->at.visit++;
		return schedule_visited(l->s->schedule, known, err);
	}
	rc = measure_point(l, p, err);
	if (rc)
		return rc;
	refresh_when_due(l);
	if (l->s->plan->settings.pause_ns)
		pause_between(l);
	return 0;
}

/* True when the loop has to end before the next visit. */
static bool ends_now(struct loop *l)
{
	uint64_t max_time_ns = l->s->plan->settings.max_time_ns;

	if (stop_asked(l->s)) {
		l->out->stopped = true;
		return true;
	}
	if (max_time_ns && clock_now_ns() - l->began_ns >= max_time_ns)
		l->out->timed_out = true;
	return l->out->timed_out;
}

static int run_batch(struct loop *l, struct err *err)
{
	const struct point *points = l->s->plan->points;
	uint32_t i;
	int rc = 0;

	l->at.round = l->batch.round;
	l->at.round_count = l->batch.round_count;
	l->at.visit_count =
	    l->at.visit - 1 + l->batch.count + l->batch.later_count;
	for (i = 0; !rc && i < l->batch.count; i++) {
		if (ends_now(l))
			return 0;
		rc = visit_point(l, &points[l->batch.order[i]], err);
	}
	return rc;
}

static int run_schedule(struct loop *l, struct err *err)
{
	int rc;

	do {
		rc = schedule_next(l->s->schedule, &l->batch, err);
		if (!rc)
			rc = run_batch(l, err);
	} while (!rc && l->batch.count && !l->out->stopped &&
		 !l->out->timed_out);
	/* A stop during the very last visit ended that visit too. */
	if (l->visit.state == VISIT_STOPPED)
		l->out->stopped = true;
	return rc;
}

int session_run(struct session *s, struct session_outcome *out, struct err *err)
{
	const struct plan *plan = s->plan;
	struct loop l = {.s = s, .out = out};
	int rc;

	memset(out, 0, sizeof(*out));
	visit_init(&l.visit);
	l.batch.order =
	    malloc((size_t)plan->point_count * sizeof(*l.batch.order));
	if (!l.batch.order)
		return err_failed(err, ENOMEM,
				  "out of memory for %u points: plan fewer",
				  plan->point_count);
	l.began_ns = l.refreshed_ns = clock_now_ns();
	l.at.visit = 1;
	rc = run_schedule(&l, err);
	if (s->switcher) {
		int left = switcher_leave(s->switcher, err);

		rc = rc ? rc : left;
		l.pause_sum_ns += s->switcher->spent_ns;
	}
	out->elapsed_ns = clock_now_ns() - l.began_ns;
	/* visit_point has taken away ramps and windows already. */
	out->overhead_ns +=
	    out->elapsed_ns - out->store_ns - l.pause_sum_ns - l.refresh_sum_ns;
	visit_fini(&l.visit);
	free(l.batch.order);
	return rc;
}
