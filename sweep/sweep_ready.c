/* sweep_ready: from the plan to targets that can be measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/aside.h"
#include "sweep/interrupt.h"
#include "sweep/outfolder.h"
#include "sweep/preflight.h"
#include "sweep/sweep.h"

static int check_as_then(struct sweep *s, struct err *err)
{
	struct facts now = {0};
	int rc = sweep_gather_facts(s, &now, err);

	if (!rc)
		rc = resume_compare(&s->resume, &now, &s->stage, err);
	if (!rc)
		rc = resume_check(&s->resume, s->opts.force_resume, err);
	facts_fini(&now);
	if (!rc)
		resume_adopt(&s->resume, &s->stage);
	if (!rc && s->resume.differences)
		screen_warn(&s->screen, "warning: goes on although %s",
			    s->resume.differences);
	return rc;
}

/* Problems that only a run has: the files to be filled again, its folder. */
static int add_own_problems(struct sweep *s, struct preflight *p)
{
	struct err err = {0};
	int rc = 0;

	if (s->opts.layout && stage_check_refill(&s->stage, &err))
		rc = preflight_add(p, err.text);
	err_clear(&err);
	if (!rc && !s->folder &&
	    outfolder_choose(s->opts.out, sweep_label(s), &s->folder, &err))
		rc = preflight_add(p, err.text);
	return rc;
}

static int preflight(struct sweep *s, struct err *err)
{
	struct preflight p = {0};
	uint32_t i;
	int rc = 0;

	if (add_own_problems(s, &p))
		rc = err_failed(err, ENOMEM, "out of memory before the sweep");
	preflight_raise_limits();
	if (!rc)
		rc = preflight_look(&s->plan, &s->stage, s->folder, &p, err);
	if (!rc)
		rc = preflight_refuse(&p, stderr, err);
	for (i = 0; !rc && i < p.note_count; i++)
		screen_say(&s->screen, "note: %s", p.notes[i]);
	preflight_fini(&p);
	return rc;
}

struct looking {
	struct aside aside;
	const struct sweep *sweep;
	struct stage stage;
};

static int call_look(struct aside *a, struct err *err)
{
	struct looking *l = (struct looking *)a;
	const struct sweep *s = l->sweep;

	return stage_look(&s->plan, s->opts.consent, &l->stage, err);
}

/* A target may hang as soon as it is opened, as on a server that has gone. */
static int look_at_targets(struct sweep *s, struct err *err)
{
	const struct aside_asked asked = {
	    .call = call_look,
	    .what = "opening the targets",
	    .limit_ns = s->opts.io_timeout_ns,
	};
	struct looking *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return err_failed(err, ENOMEM, "out of memory for the targets");
	l->sweep = s;
	rc = aside_run(&l->aside, &asked, err);
	if (aside_given_up_count())
		return rc;
	s->stage = l->stage;
	free(l);
	return rc;
}

int sweep_prepare(struct sweep *s, struct err *err)
{
	int rc = look_at_targets(s, err);

	if (!rc && s->opts.resume)
		rc = check_as_then(s, err);
	return rc ? rc : preflight(s, err);
}

struct laying_out {
	struct aside aside;
	struct sweep *sweep;
};

static void layout_moved(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	struct laying_out *l = arg;

	l->aside.moved++;
	if (!aside_ends(&l->aside.quit, 1))
		screen_layout(&l->sweep->screen, done_bytes, total_bytes);
}

static int call_layout(struct aside *a, struct err *err)
{
	struct laying_out *l = (struct laying_out *)a;
	struct sweep *s = l->sweep;
	const struct stage_layout_opts opts = {
	    .refill = s->opts.layout,
	    .progress = layout_moved,
	    .progress_arg = l,
	    .stop = &a->quit,
	    .aside = a,
	};

	return stage_layout(&s->stage, &s->plan, &opts, err);
}

static int lay_out(struct sweep *s, struct err *err)
{
	const struct aside_asked asked = {
	    .call = call_layout,
	    .what = "laying out and looking into the targets",
	    .limit_ns = s->opts.io_timeout_ns,
	    .stop = &interrupt_count,
	    .stop_at = 1,
	};
	struct laying_out *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return err_failed(err, ENOMEM, "out of memory for the layout");
	l->sweep = s;
	rc = aside_run(&l->aside, &asked, err);
	if (!aside_given_up_count())
		free(l);
	return rc;
}

int sweep_lay_out(struct sweep *s, struct err *err)
{
	int rc = stage_check_direct(&s->stage, &s->plan, err);

	if (rc)
		return rc;
	rc = lay_out(s, err);
	screen_clear(&s->screen);
	if (rc)
		return rc;
	rc = stage_check_direct(&s->stage, &s->plan, err);
	if (rc)
		stage_remove(&s->stage, NULL);
	return rc;
}

int sweep_plan_precondition(struct sweep *s, struct err *err)
{
	uint32_t i;

	if (!s->plan.settings.precondition)
		return 0;
	s->preconditioned = calloc(s->stage.count, sizeof(*s->preconditioned));
	if (!s->preconditioned)
		return err_failed(err, ENOMEM, "out of memory");
	for (i = 0; s->opts.resume && i < s->stage.count; i++)
		/* A file that has to be made again has not had it. */
		if (resume_was_preconditioned(&s->resume, i) &&
		    !s->stage.items[i].missing)
			s->preconditioned[i].state = PRECONDITION_EARLIER;
	return 0;
}

static int note_preconditioned(void *arg, uint32_t target, struct err *err)
{
	return sweep_note_preconditioned(arg, target, err);
}

int sweep_precondition(struct sweep *s, struct err *err)
{
	const struct measure_opts measure = sweep_measure_opts(s);
	const struct precondition_opts opts = {
	    .measure = &measure,
	    .window_ns = PRECONDITION_WINDOW_NS,
	    .begins = screen_precondition,
	    .progress = screen_layout,
	    .arg = &s->screen,
	    .ended = note_preconditioned,
	    .ended_arg = s,
	    .stop = &interrupt_count,
	};
	int rc;

	if (!s->preconditioned)
		return 0;
	rc = precondition_run(&s->stage, &s->plan, &opts, s->preconditioned,
			      err);
	screen_clear(&s->screen);
	if (!rc)
		return 0;
	sweep_note_end(s, err);
	screen_warn(&s->screen,
		    "no point was measured yet: iosweep run --resume %s goes "
		    "on with the target that was not done",
		    s->folder);
	return rc;
}
