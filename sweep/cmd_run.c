#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/warmup.h"
#include "sweep/cmd.h"
#include "sweep/facts.h"
#include "sweep/interrupt.h"
#include "sweep/options.h"
#include "sweep/outfolder.h"
#include "sweep/precondition.h"
#include "sweep/preflight.h"
#include "sweep/report.h"
#include "sweep/resume.h"
#include "sweep/schedule_search.h"
#include "sweep/screen.h"
#include "sweep/session.h"
#include "sweep/show.h"
#include "sweep/stage.h"
#include "sweep/themefile.h"

/* All that a sweep holds, in the order in which it comes to be. */
struct sweep {
	int argc;
	char **argv;
	struct plan_request req;
	struct run_options opts;
	struct theme theme;   /* where opts name one */
	struct resume resume; /* what its plan's texts are, with --resume */
	struct plan plan;
	struct facts facts;
	struct stage stage;
	struct precondition_done *preconditioned; /* one a target, or NULL */
	struct screen screen;
	char *folder;
	struct store *store;
	struct measurer *measurer;
	struct schedule *schedule;
	struct session_outcome outcome;
	bool warmup_lost; /* told that its curve cannot be written */
	/* Of a run that is taken up. */
	uint32_t known, failed_before; /* visits that are there already */
	bool finished;		       /* it lacks none */
};

static struct book_opts book_opts_of(const struct sweep *s)
{
	return themefile_opts(s->opts.theme ? &s->theme : NULL, &s->opts.limit);
}

static const struct latency_limit *limit_of(const struct sweep *s)
{
	return book_opts_of(s).limit;
}

static bool is_search(const struct sweep *s)
{
	return s->plan.settings.budget_ns > 0;
}

/* The label of the run: the user's, else the last part of the first target's
 * path. */
static const char *label_of(const struct sweep *s)
{
	const char *path = s->plan.targets[0];
	const char *slash = strrchr(path, '/');

	if (s->opts.label)
		return s->opts.label;
	return slash && slash[1] ? slash + 1 : path;
}

static void tell_plan(struct sweep *s)
{
	struct plan_estimate estimate;
	char rounds[PLAN_TEXT_MAX], text[PLAN_TEXT_MAX];

	plan_estimate(&s->plan, &estimate);
	screen_say(&s->screen, "%" PRIu32 " point%s, %s, about %s",
		   s->plan.point_count, s->plan.point_count == 1 ? "" : "s",
		   plan_format_rounds(&s->plan, rounds, sizeof(rounds)),
		   plan_format_time(&estimate, text, sizeof(text)));
	if (s->plan.dropped_indivisible)
		screen_say(&s->screen,
			   "%" PRIu64 " combinations left out: their "
			   "outstanding I/Os do not divide by their threads",
			   (uint64_t)s->plan.dropped_indivisible);
}

static void tell_targets(struct sweep *s)
{
	char doubt[512], have[UNITS_TEXT_MAX], asked[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < s->stage.count; i++) {
		const struct target *t = &s->stage.targets[i];

		if (stage_doubt(&s->stage, i, doubt, sizeof(doubt))[0])
			screen_warn(&s->screen, "warning: %s", doubt);
		if (s->req.option[PLAN_SIZE].value && t->kind == TARGET_FILE &&
		    t->size_bytes != s->plan.settings.size_bytes)
			screen_warn(&s->screen,
				    "warning: %s is there already and is used "
				    "as it is, %s; --size %s is for files that "
				    "have to be made",
				    t->path,
				    units_format_bytes(have, t->size_bytes),
				    units_format_size(
					asked, s->plan.settings.size_bytes));
	}
}

/* What there is to know of the run as it begins. */
static int gather_facts(const struct sweep *s, struct facts *facts,
			struct err *err)
{
	char doubt[512];
	char section[32];
	uint32_t i;

	facts_add_run(facts, label_of(s), iosweep_version, s->argc, s->argv);
	facts_add_plan(facts, &s->plan);
	resume_note_settings(facts, &s->req, &s->plan, &s->opts);
	facts_add_machine(facts);
	for (i = 0; i < s->stage.count; i++) {
		if (s->stage.items[i].missing)
			continue;
		facts_add_target(facts, i + 1, &s->stage.targets[i]);
		snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
		facts_add(facts, section, "made_by_this_run",
			  s->stage.items[i].made ? "yes" : NULL);
		facts_add(facts, section, "warning",
			  stage_doubt(&s->stage, i, doubt, sizeof(doubt)));
		if (s->preconditioned)
			precondition_add_facts(facts, i + 1,
					       &s->preconditioned[i]);
	}
	return facts->failed
		   ? err_failed(err, ENOMEM, "out of memory for run.ini")
		   : 0;
}

static int put_facts(struct sweep *s, struct err *err)
{
	if (s->facts.failed)
		return err_failed(err, ENOMEM, "out of memory for run.ini");
	return store_put_facts(s->store, s->facts.items, s->facts.count,
			       s->plan.point_count, err);
}

/* A new run folder, or one more beginning in the one that is there. */
static int make_store(struct sweep *s, struct err *err)
{
	int rc;

	if (s->opts.resume) {
		resume_note(&s->resume, &s->facts, s->argc, s->argv);
		return put_facts(s, err);
	}
	rc = gather_facts(s, &s->facts, err);
	return rc ? rc
		  : store_create(s->folder, s->facts.items, s->facts.count,
				 s->plan.points, s->plan.point_count, &s->store,
				 err);
}

/* How it ended, for whoever goes on. Not knowing it is no failure. */
static void note_end(struct sweep *s, const struct err *err)
{
	const struct session_outcome *out = &s->outcome;

	facts_remove(&s->facts, RESUME_END);
	facts_add_time(&s->facts, RESUME_END, "utc");
	facts_add(&s->facts, RESUME_END, "by",
		  err->kind	   ? err->text
		  : out->stopped   ? interrupt_name()
		  : out->timed_out ? "--max-time"
				   : "the end of the plan");
	put_facts(s, NULL);
}

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

static struct measure_opts measure_opts_of(struct sweep *s)
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
	const struct measure_opts opts = measure_opts_of(s);

	int rc = measure_engine_new(&opts, s->stage.targets, s->stage.count,
				    &s->measurer, err);

	if (!rc)
		resume_tell_measurer(&s->resume, s->measurer);
	return rc;
}

static int make_schedule(struct sweep *s, struct err *err)
{
	s->schedule = is_search(s) ? schedule_search_new(&s->plan, limit_of(s))
				   : schedule_new(&s->plan);
	return s->schedule ? 0 : err_failed(err, ENOMEM, "out of memory");
}

/* The plan that a run folder holds. Nobody else may write there from here
 * on. */
static int take_up_plan(struct sweep *s, struct err *err)
{
	int rc = store_reopen(s->opts.resume, &s->store, err);

	if (rc)
		return rc;
	s->folder = strdup(store_folder(s->store));
	if (!s->folder)
		return err_failed(err, ENOMEM, "out of memory for a path");
	rc = resume_read(s->folder, s->opts.retry_failed, &s->resume, err);
	return rc ? rc
		  : resume_plan(&s->resume, &s->req, &s->opts, &s->plan, err);
}

static int make_plan(struct sweep *s, struct err *err)
{
	struct label_axes axes;
	int rc = stage_resolve_folders(&s->req, err);

	if (!rc)
		rc = s->opts.resume ? take_up_plan(s, err)
				    : plan_build(&s->req, &s->plan, err);
	if (!rc && is_search(s))
		rc = schedule_search_check(&s->plan, err);
	if (rc)
		return rc;
	label_axes_find(s->plan.points, s->plan.point_count, &axes);
	screen_init(&s->screen, stderr, s->opts.quiet, &axes);
	return 0;
}

/* Whether a run that is taken up lacks no visit. */
static int find_finished(struct sweep *s, struct err *err)
{
	int rc = make_schedule(s, err);

	if (rc)
		return rc;
	rc = schedule_is_done(s->schedule, s->plan.point_count, resume_known,
			      &s->resume, &s->finished, err);
	schedule_free(s->schedule);
	s->schedule = NULL;
	s->known = resume_known_count(&s->resume, &s->failed_before);
	return rc;
}

static int check_as_then(struct sweep *s, struct err *err)
{
	struct facts now = {0};
	int rc = gather_facts(s, &now, err);

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
	    outfolder_choose(s->opts.out, label_of(s), &s->folder, &err))
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

/* Look at the targets and at the run folder: nothing is created yet. */
static int prepare(struct sweep *s, struct err *err)
{
	int rc = stage_look(&s->plan, s->opts.consent, &s->stage, err);

	if (!rc && s->opts.resume)
		rc = check_as_then(s, err);
	return rc ? rc : preflight(s, err);
}

static int lay_out(struct sweep *s, struct err *err)
{
	const struct stage_layout_opts opts = {
	    .refill = s->opts.layout,
	    .progress = screen_layout,
	    .progress_arg = &s->screen,
	    .stop = &interrupt_count,
	};
	int rc = stage_check_direct(&s->stage, &s->plan, err);

	if (rc)
		return rc;
	rc = stage_layout(&s->stage, &s->plan, &opts, err);
	screen_clear(&s->screen);
	if (rc)
		return rc;
	rc = stage_check_direct(&s->stage, &s->plan, err);
	if (rc)
		stage_remove(&s->stage, NULL);
	return rc;
}

static int precondition(struct sweep *s, struct err *err)
{
	const struct measure_opts measure = measure_opts_of(s);
	const struct precondition_opts opts = {
	    .measure = &measure,
	    .window_ns = PRECONDITION_WINDOW_NS,
	    .begins = screen_precondition,
	    .progress = screen_layout,
	    .arg = &s->screen,
	    .stop = &interrupt_count,
	};
	int rc;

	/* A run that is taken up has had it. */
	if (!s->plan.settings.precondition || s->opts.resume)
		return 0;
	s->preconditioned = calloc(s->stage.count, sizeof(*s->preconditioned));
	if (!s->preconditioned)
		return err_failed(err, ENOMEM, "out of memory");
	rc = precondition_run(&s->stage, &s->plan, &opts, s->preconditioned,
			      err);
	screen_clear(&s->screen);
	return rc;
}

static void refresh(void *arg)
{
	struct sweep *s = arg;
	const struct book_opts opts = book_opts_of(s);
	struct err err = {0};

	if (report_refresh(s->folder, &opts, &err))
		screen_warn(&s->screen, "warning: %s", err.text);
}

static void tell_outcome(struct sweep *s)
{
	const struct session_outcome *out = &s->outcome;
	uint32_t visits = out->done + out->failed + out->skipped;
	char text[UNITS_TEXT_MAX];

	screen_say(&s->screen,
		   "%" PRIu32 " visit%s in %s: %" PRIu32 " done, %" PRIu32
		   " failed, %" PRIu32 " skipped",
		   visits, visits == 1 ? "" : "s",
		   units_format_duration(text, out->elapsed_ns), out->done,
		   out->failed, out->skipped);
	if (s->opts.verbose && visits)
		screen_say(&s->screen,
			   "overhead a visit %.2f ms beside ramp and window; "
			   "run folder %.2f ms",
			   (double)out->overhead_ns / visits / 1e6,
			   (double)out->store_ns / visits / 1e6);
	if (out->verified_blocks > 0)
		screen_say(&s->screen,
			   "%s blocks were read back, all as they had been "
			   "written",
			   units_format_number(text, out->verified_blocks));
	if (out->stopped)
		screen_warn(&s->screen,
			    "stopped: what was measured is kept; iosweep run "
			    "--resume %s goes on",
			    s->folder);
	if (out->timed_out)
		screen_warn(&s->screen,
			    "the time limit --max-time ended the sweep: what "
			    "was measured is kept; iosweep run --resume %s "
			    "goes on",
			    s->folder);
}

/* What the search spared. */
static void tell_search(struct sweep *s)
{
	struct schedule_search_summary sum =
	    schedule_search_summarize(s->schedule);
	char used[UNITS_TEXT_MAX], grid[UNITS_TEXT_MAX];
	struct plan_estimate estimate;

	plan_estimate(&s->plan, &estimate);
	screen_say(&s->screen,
		   "search: %" PRIu32 " of %" PRIu32
		   " points in %s, where the whole grid takes %s; settled for "
		   "%" PRIu32 " of %" PRIu32 " workload%s",
		   sum.points, s->plan.point_count,
		   units_format_duration(used, s->outcome.elapsed_ns),
		   units_format_duration(grid, estimate.grid_time_ns),
		   sum.settled, sum.workloads, sum.workloads == 1 ? "" : "s");
}

/* ---- between variants ---- */

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
	tell_outcome(s);
	if (is_search(s))
		tell_search(s);
	return rc;
}

/* How many points got to the goal, going by the verdict of those that did
 * not. */
static void tell_goal(struct sweep *s, const struct run *run,
		      enum verdict verdict, const char *goal)
{
	uint32_t i, done = 0, short_of = 0;

	for (i = 0; i < run->point_count; i++) {
		done += run->results[i].done > 0;
		short_of += run->results[i].verdicts >> verdict & 1;
	}
	if (short_of)
		screen_warn(&s->screen,
			    "%" PRIu32 " of %" PRIu32
			    " points did not get %s (%s)",
			    short_of, done, goal, verdict_name(verdict));
	else
		screen_say(&s->screen, "all points are %s", goal);
}

/* Points that fell short of what decides when a point is done. */
static void tell_short(struct sweep *s, const struct run *run)
{
	const struct plan_settings *set = &s->plan.settings;
	char goal[32];

	if (set->precision_pct > 0) {
		snprintf(goal, sizeof(goal), "within +-%g%%",
			 set->precision_pct);
		tell_goal(s, run, VERDICT_NOT_CONVERGED, goal);
	}
	if (set->steady)
		tell_goal(s, run, VERDICT_NOT_STEADY, "steady");
}

static int show_result(struct sweep *s, struct err *err)
{
	struct show_style style = show_style_detect(stdout, s->opts.no_color);
	const struct book_opts opts = book_opts_of(s);
	struct err why = {0};
	struct run run;
	int rc = run_load(s->folder, &run, &why);

	/* Not the user's words, as it would be elsewhere: our own folder. */
	if (rc)
		return err_failed(err, -rc, "%s", why.text);
	tell_short(s, &run);
	rc = report_write(&run, &opts, err);
	if (!s->opts.quiet) {
		int show_rc =
		    show_sweetspots(stdout, &run, limit_of(s), &style, err);

		if (!rc)
			printf("\nworkbook: %s/%s\n", s->folder, REPORT_BOOK);
		rc = rc ? rc : show_rc;
	}
	run_fini(&run);
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

static int measure_all(struct sweep *s, struct err *err)
{
	struct err report_err = {0};
	int rc = make_store(s, err);

	if (!rc)
		rc = make_measurer(s, err);
	if (!rc)
		rc = make_schedule(s, err);
	if (rc)
		return rc;
	rc = run_session(s, err);
	if (!rc)
		rc = check_measured(s, err);
	/* Before the book, which tells all that run.ini does. */
	note_end(s, err);
	/* Also after a failure: what was measured is shown and kept. */
	if (show_result(s, rc ? &report_err : err) && !rc)
		rc = -EIO;
	if (report_err.kind)
		screen_warn(&s->screen, "warning: %s", report_err.text);
	return rc;
}

/* Before anything else is asked of the target, which may hang too. */
static void tell_stuck(struct sweep *s)
{
	uint32_t stuck = measure_stuck_threads();

	if (stuck)
		screen_warn(&s->screen,
			    "%" PRIu32 " thread%s caught in I/Os that never "
			    "returned: the results are whole, but the kernel "
			    "may keep this process until it gives them up",
			    stuck, stuck == 1 ? " is" : "s are");
}

static void close_sweep(struct sweep *s, struct err *err)
{
	schedule_free(s->schedule);
	measure_free(s->measurer);
	store_close(s->store, err);
	tell_stuck(s);
	if (s->opts.remove_made)
		stage_remove(&s->stage, err);
	stage_fini(&s->stage);
	facts_fini(&s->facts);
	free(s->preconditioned);
	free(s->folder);
	plan_fini(&s->plan);
	resume_fini(&s->resume);
	plan_request_fini(&s->req);
	theme_fini(&s->theme);
}

static int sweep_status(const struct sweep *s, const struct err *err)
{
	if (err->kind)
		return err_exit_status(err);
	if (s->outcome.stopped)
		return interrupt_exit_status();
	return s->outcome.failed || s->failed_before ? EXIT_SOME_FAILED
						     : EXIT_OK;
}

/* Nothing is left to measure. A crash may have cost it the book. */
static int tell_finished(struct sweep *s, struct err *err)
{
	screen_say(&s->screen,
		   "%s has every visit of its plan: nothing is left to do",
		   s->folder);
	if (s->failed_before)
		screen_warn(&s->screen,
			    "%" PRIu32 " of its visits failed; --retry-failed "
			    "repeats them",
			    s->failed_before);
	return show_result(s, err);
}

static void tell_taken_up(struct sweep *s)
{
	screen_say(&s->screen, "%s goes on: %" PRIu32 " visit%s there already",
		   s->folder, s->known, s->known == 1 ? " is" : "s are");
}

static int sweep_run(struct sweep *s, struct err *err)
{
	int rc = make_plan(s, err);

	if (!rc && s->opts.theme)
		rc = themefile_read(iosweep_datadir, s->opts.theme, &s->theme,
				    err);
	if (!rc && s->opts.resume)
		rc = find_finished(s, err);
	if (!rc && s->finished)
		rc = resume_check(&s->resume, s->opts.force_resume, err);
	if (!rc && s->finished)
		return tell_finished(s, err);
	if (!rc)
		rc = prepare(s, err);
	if (rc)
		return rc;
	tell_plan(s);
	if (s->opts.resume)
		tell_taken_up(s);
	interrupt_install();
	rc = lay_out(s, err);
	if (!rc)
		rc = precondition(s, err);
	if (rc)
		return rc;
	tell_targets(s);
	return measure_all(s, err);
}

static int sweep_command(int argc, char **argv, enum options_command command,
			 struct err *err)
{
	struct sweep s = {.argc = argc, .argv = argv};
	int status;
	int rc = options_parse(argc, argv, command, iosweep_datadir, &s.req,
			       &s.opts, err);

	if (rc == CLI_HELP)
		options_print_help(command, stdout);
	else if (!rc)
		rc = sweep_run(&s, err);
	close_sweep(&s, err);
	/* Stopped while the file was laid out: told, but no fault. */
	if (rc == -EINTR && interrupt_count)
		status = interrupt_exit_status();
	else
		status = sweep_status(&s, err);
	return status;
}

int cmd_run(int argc, char **argv, struct err *err)
{
	return sweep_command(argc, argv, OPTIONS_RUN, err);
}

int cmd_find(int argc, char **argv, struct err *err)
{
	return sweep_command(argc, argv, OPTIONS_FIND, err);
}
