#include "sweep/precondition.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/aside.h"
#include "engine/clock.h"
#include "engine/units.h"
#include "export/label.h"

/* Whether a is the better workload. */
static bool writes_more(const struct point *a, const struct point *b)
{
	const struct stream *x = &a->workload.stream, *y = &b->workload.stream;

	if (x->read_pct != y->read_pct)
		return x->read_pct < y->read_pct;
	if (x->random_pct != y->random_pct)
		return x->random_pct > y->random_pct;
	if (x->block_size_bytes != y->block_size_bytes)
		return x->block_size_bytes < y->block_size_bytes;
	return point_outstanding(a) > point_outstanding(b);
}

void precondition_plan(const struct plan *plan, const char *path,
		       uint64_t size_bytes, struct precondition_task *out)
{
	const struct point *best = NULL;
	uint64_t region = 0;
	uint32_t i;

	for (i = 0; i < plan->point_count; i++) {
		const struct point *p = &plan->points[i];
		uint64_t set = p->workload.working_set_bytes;

		if (strcmp(p->target, path))
			continue;
		if (!set || set > size_bytes)
			set = size_bytes;
		if (set > region)
			region = set;
		if (point_writes(p) && (!best || writes_more(p, best)))
			best = p;
	}
	memset(out, 0, sizeof(*out));
	out->region_bytes = region;
	out->has_workload = best != NULL;
	if (best)
		out->workload = *best;
	/* It makes a state of the storage, and asks for none. */
	out->workload.state = STATE_AS_IS;
}

char *precondition_name(const struct precondition_task *task, char *buf,
			size_t size)
{
	const struct point *p = &task->workload;
	char name[POINT_NAME_MAX], block[UNITS_TEXT_MAX];

	snprintf(buf, size, "%s %s x %u",
		 point_workload_name(p, name, sizeof(name)),
		 units_format_size(block, p->workload.stream.block_size_bytes),
		 point_outstanding(p));
	return buf;
}

/* What is at work while one target is preconditioned. */
struct work {
	const struct plan *plan;
	const struct precondition_opts *opts;
	struct target *target;
	struct precondition_done *done;
	/* 2 as soon as the user asks to stop: no window is waited for. */
	volatile sig_atomic_t end;
};

static int stopped(const struct work *w, struct err *err)
{
	return err_failed(err, EINTR, "stopped while %s was preconditioned",
			  w->target->path);
}

/* A pass, of its own since the storage may never take it. */
struct writing {
	struct aside aside;
	layout_progress *progress;
	void *progress_arg;
	struct target *target;
	struct layout_request req;
};

static void pass_moved(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	struct writing *p = arg;

	p->aside.moved++;
	if (p->progress && !aside_ends(&p->aside.quit, 1))
		p->progress(p->progress_arg, done_bytes, total_bytes);
}

static int call_pass(struct aside *a, struct err *err)
{
	struct writing *p = (struct writing *)a;

	return layout_overwrite(p->target, &p->req, err);
}

static int write_aside(struct work *w, int pass, const char *what,
		       struct err *err)
{
	const struct aside_asked asked = {
	    .call = call_pass,
	    .what = what,
	    .limit_ns = measure_io_timeout_ns(w->opts->measure),
	    .stop = w->opts->stop,
	    .stop_at = 1,
	};
	struct writing *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_failed(err, ENOMEM, "out of memory");
	p->progress = w->opts->progress;
	p->progress_arg = w->opts->arg;
	p->target = w->target;
	p->req = (struct layout_request){
	    .size_bytes = w->done->task.region_bytes,
	    /* Other data in each pass, and than the layout wrote. */
	    .seed = w->plan->settings.seed + 1 + (uint64_t)pass,
	    .progress = pass_moved,
	    .progress_arg = p,
	    .stop = &p->aside.quit,
	};
	rc = aside_run(&p->aside, &asked, err);
	if (!aside_given_up_count())
		free(p);
	return rc;
}

static int write_pass(struct work *w, int pass, struct err *err)
{
	uint64_t begin = clock_now_ns();
	char what[TARGET_NAME_MAX];
	int rc;

	snprintf(what, sizeof(what), "pass %d of %d over %s", pass + 1,
		 PRECONDITION_PASSES, w->target->path);
	w->opts->begins(w->opts->arg, what, NULL);
	rc = write_aside(w, pass, what, err);
	w->done->pass_ns[pass] = clock_now_ns() - begin;
	return rc;
}

static void tick(void *arg, const struct measure_tick *tick)
{
	struct work *w = arg;
	const struct measure_opts *m = w->opts->measure;

	if (w->opts->stop && *w->opts->stop)
		w->end = 2;
	if (m->tick)
		m->tick(m->tick_arg, tick);
}

/* The last five windows' IOPS, the newest last. */
static void take_window(struct work *w, const struct visit *v, double *last)
{
	struct precondition_done *d = w->done;

	memmove(last, last + 1, (STEADY_ROUNDS - 1) * sizeof(*last));
	last[STEADY_ROUNDS - 1] = visit_iops(v);
	d->iops = visit_iops(v);
	d->mibps = visit_mibps(v);
	d->windows++;
	if (d->windows >= STEADY_ROUNDS)
		d->steady = steady_measure(last);
}

static bool has_enough(const struct work *w)
{
	const struct precondition_done *d = w->done;
	uint64_t time_ns = w->plan->settings.precondition_time_ns;

	if (time_ns)
		return d->workload_ns >= time_ns;
	return steady_holds(&d->steady) || d->windows >= STEADY_ROUNDS_MAX;
}

static void tell_window(const struct work *w)
{
	const struct precondition_done *d = w->done;
	char name[POINT_NAME_MAX + 64], what[POINT_NAME_MAX + 160];
	char iops[UNITS_TEXT_MAX];

	precondition_name(&d->task, name, sizeof(name));
	if (d->windows)
		snprintf(what, sizeof(what),
			 "%s, window %u, the last one had %s IOPS", name,
			 d->windows + 1, units_format_number(iops, d->iops));
	else
		snprintf(what, sizeof(what), "%s, window 1", name);
	w->opts->begins(w->opts->arg, what, &d->task.workload);
}

static int run_window(struct work *w, struct measurer *m, struct visit *v,
		      double *last, struct err *err)
{
	uint64_t begin = clock_now_ns();

	tell_window(w);
	measure_visit(m, &w->done->task.workload, w->done->windows + 1, v);
	w->done->workload_ns += clock_now_ns() - begin;
	if (v->state == VISIT_STOPPED || w->end)
		return stopped(w, err);
	if (v->state != VISIT_DONE)
		return err_failed(err, EIO, "cannot precondition %s: %s",
				  w->target->path, v->reason);
	take_window(w, v, last);
	return 0;
}

static int run_windows(struct work *w, struct measurer *m, struct err *err)
{
	double last[STEADY_ROUNDS] = {0};
	struct visit v;
	int rc = 0;

	visit_init(&v);
	while (!rc && !has_enough(w)) {
		rc = w->opts->stop && *w->opts->stop
			 ? stopped(w, err)
			 : run_window(w, m, &v, last, err);
	}
	visit_fini(&v);
	return rc;
}

static int run_workload(struct work *w, struct err *err)
{
	struct measure_opts opts = *w->opts->measure;
	uint64_t time_ns = w->plan->settings.precondition_time_ns;
	struct measurer *m;
	int rc;

	opts.ramp_ns = 0;
	opts.time_ns = w->opts->window_ns;
	if (time_ns && time_ns < opts.time_ns)
		opts.time_ns = time_ns;
	opts.tick = tick;
	opts.tick_arg = w;
	opts.stop = &w->end;
	rc = measure_engine_new(&opts, w->target, 1, &m, err);
	if (rc)
		return rc;
	rc = run_windows(w, m, err);
	measure_free(m);
	return rc;
}

static int precondition_one(struct work *w, struct err *err)
{
	struct precondition_task *task = &w->done->task;
	int pass, rc = 0;

	memset(w->done, 0, sizeof(*w->done));
	precondition_plan(w->plan, w->target->path, w->target->size_bytes,
			  task);
	if (w->target->direct_offset_align)
		task->workload.cache = CACHE_DIRECT;
	w->done->steady = (struct steady){NAN, NAN};
	w->done->iops = w->done->mibps = NAN;
	for (pass = 0; !rc && pass < PRECONDITION_PASSES; pass++)
		rc = write_pass(w, pass, err);
	if (!rc && task->has_workload)
		rc = run_workload(w, err);
	/* The claim of a device is not the sweep's. */
	if (!aside_given_up_count())
		target_close_fds(w->target);
	return rc;
}

int precondition_run(struct stage *stage, const struct plan *plan,
		     const struct precondition_opts *opts,
		     struct precondition_done *out, struct err *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < stage->count; i++) {
		struct work w = {.plan = plan,
				 .opts = opts,
				 .target = &stage->targets[i],
				 .done = &out[i]};

		if (w.done->state != PRECONDITION_PENDING)
			continue;
		rc = precondition_one(&w, err);
		if (rc)
			break;
		w.done->state = PRECONDITION_DONE;
		if (w.done->task.region_bytes == w.target->size_bytes) {
			stage->items[i].unwritten_bytes = 0;
			stage->items[i].all_zero = false;
		}
		if (opts->ended)
			rc = opts->ended(opts->ended_arg, i, err);
	}
	return rc;
}

static void add_workload(struct facts *facts, const char *section,
			 const struct precondition_done *done)
{
	char text[POINT_NAME_MAX + 64];

	facts_add(facts, section, "precondition_workload",
		  precondition_name(&done->task, text, sizeof(text)));
	facts_add(facts, section, "precondition_workload_time",
		  units_format_duration(text, done->workload_ns));
	facts_addf(facts, section, "precondition_workload_iops", "%.0f",
		   done->iops);
	facts_addf(facts, section, "precondition_workload_mibps", "%.1f",
		   done->mibps);
	if (isnan(done->steady.range_pct))
		return;
	facts_add(facts, section, "precondition_steady",
		  steady_holds(&done->steady) ? "yes" : "no");
	facts_addf(facts, section, "precondition_range_pct", "%.1f",
		   done->steady.range_pct);
	facts_addf(facts, section, "precondition_slope_pct", "%.1f",
		   done->steady.slope_pct);
}

void precondition_add_facts(struct facts *facts, uint32_t number,
			    const struct precondition_done *done)
{
	char section[32], name[64], text[UNITS_TEXT_MAX];
	int pass;

	snprintf(section, sizeof(section), "target %u", number);
	if (done->state != PRECONDITION_DONE)
		return;
	facts_addf(facts, section, PRECONDITION_FACT, "%llu",
		   (unsigned long long)done->task.region_bytes);
	for (pass = 0; pass < PRECONDITION_PASSES; pass++) {
		double seconds = (double)done->pass_ns[pass] / 1e9;

		snprintf(name, sizeof(name), "precondition_pass_%d_time",
			 pass + 1);
		facts_add(facts, section, name,
			  units_format_duration(text, done->pass_ns[pass]));
		snprintf(name, sizeof(name), "precondition_pass_%d_mibps",
			 pass + 1);
		facts_addf(facts, section, name, "%.1f",
			   (double)done->task.region_bytes / seconds /
			       (double)MIB);
	}
	if (done->task.has_workload)
		add_workload(facts, section, done);
}
