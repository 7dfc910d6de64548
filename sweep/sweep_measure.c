/* sweep_measure: the engine, the session and what they call on the way. */
#include <errno.h>

#include "export/warmup.h"
#include "sweep/interrupt.h"
#include "sweep/report.h"
#include "sweep/sweep.h"

/* Nothing rests on the curve: what keeps it from being written is told once. */
static void keep_warmup(void *arg, const struct warm_sample *sample)
{
	struct sweep *s = arg;
	struct err err = {0};

	if (warmup_append(s->folder, sample, &err) && !s->warmup_lost) {
		screen_warn(&s->screen, "warning: %s", err.text);
		s->warmup_lost = true;
	}
}

struct measure_opts sweep_measure_opts(struct sweep *s)
{
	const struct plan_settings *set = &s->plan.settings;

	return (struct measure_opts){
	    .time_ns = set->time_ns,
	    .ramp_ns = set->ramp_ns,
	    .interval_ns = s->opts.interval_ns,
	    .batch = s->opts.batch,
	    .poll = s->opts.poll,
	    .busy_wait = s->opts.busy_wait,
	    .verify = s->opts.verify,
	    .cpus = s->opts.cpus,
	    .io_timeout_ns = s->opts.io_timeout_ns,
	    .run_seed = set->seed,
	    .watch = s->opts.watch,
	    .probe = s->opts.probe,
	    .warm_passes_min = set->warm_passes_min,
	    .warm_passes_max = set->warm_passes_max,
	    .warmed = keep_warmup,
	    .warmed_arg = s,
	    .tick = screen_tick,
	    .tick_arg = &s->screen,
	    .stop = &interrupt_count,
	};
}

static int make_measurer(struct sweep *s, struct err *err)
{
	const struct measure_opts opts = sweep_measure_opts(s);

	int rc = measure_engine_new(&opts, s->stage.targets, s->stage.count,
				    &s->measurer, err);

	if (!rc)
		resume_tell_measurer(&s->resume, s->measurer);
	return rc;
}

static void refresh(void *arg)
{
	struct sweep *s = arg;
	const struct book_opts opts = sweep_book_opts(s);
	struct err err = {0};

	if (report_refresh(s->folder, &opts, &err))
		screen_warn(&s->screen, "warning: %s", err.text);
}

static void release_targets(void *arg)
{
	struct sweep *s = arg;
	uint32_t i;

	for (i = 0; i < s->stage.count; i++)
		target_close_fds(&s->stage.targets[i]);
}

static int renew_targets(void *arg, const struct variant *v, struct err *err)
{
	struct sweep *s = arg;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->stage.count; i++)
		if (plan_measures(&s->plan, v->name, s->plan.targets[i]))
			rc = stage_renew(&s->stage, i, err);
	return rc;
}

static void tell_switch(void *arg, const char *text)
{
	struct sweep *s = arg;

	screen_say(&s->screen, "%s", text);
}

static int run_session(struct sweep *s, struct err *err)
{
	struct switcher switcher = {
	    .plan = &s->plan,
	    .stop = &interrupt_count,
	    .release = release_targets,
	    .entered = renew_targets,
	    .tell = tell_switch,
	    .arg = s,
	};
	struct session session = {
	    .plan = &s->plan,
	    .schedule = s->schedule,
	    .measurer = s->measurer,
	    .store = s->store,
	    .observer = {.visit_begins = screen_visit_begins,
			 .visit_ended = screen_visit_ended,
			 .arg = &s->screen,
			 .refresh = refresh,
			 .refresh_arg = s},
	    .switcher = &switcher,
	    .stop = &interrupt_count,
	    .known = s->opts.resume ? resume_known : NULL,
	    .known_arg = &s->resume,
	};
	int rc = session_run(&session, &s->outcome, err);

	screen_clear(&s->screen);
	sweep_tell_outcome(s);
	if (sweep_is_search(s))
		sweep_tell_search(s);
	return rc;
}

/* A sweep that skipped all it was asked for has no result. */
static int check_measured(const struct sweep *s, struct err *err)
{
	const struct session_outcome *out = &s->outcome;

	if (out->done || out->failed || !out->skipped || s->resume.latest_count)
		return 0;
	return err_failed(err, ENODATA,
			  "nothing was measured: every point was skipped");
}

int sweep_measure_all(struct sweep *s, struct err *err)
{
	struct err report_err = {0};
	int rc = make_measurer(s, err);

	if (!rc)
		rc = sweep_make_schedule(s, err);
	if (rc)
		return rc;
	rc = run_session(s, err);
	if (!rc)
		rc = check_measured(s, err);
	/* Before the book, which tells all that run.ini does. */
	sweep_note_end(s, err);
	/* Also after a failure: what was measured is shown and kept. */
	if (sweep_show_result(s, rc ? &report_err : err) && !rc)
		rc = -EIO;
	if (report_err.kind)
		screen_warn(&s->screen, "warning: %s", report_err.text);
	return rc;
}
