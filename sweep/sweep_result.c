/* sweep_result: the book, and what the terminal shows at the end. */
#include <inttypes.h>
#include <stdio.h>

#include "sweep/report.h"
#include "sweep/show.h"
#include "sweep/sweep.h"
#include "sweep/themefile.h"

struct book_opts sweep_book_opts(const struct sweep *s)
{
	struct book_opts opts =
	    themefile_opts(s->opts.theme ? &s->theme : NULL, &s->opts.limit);

	opts.pivot = s->opts.pivot;
	return opts;
}

const struct latency_limit *sweep_limit(const struct sweep *s)
{
	return sweep_book_opts(s).limit;
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

int sweep_show_result(struct sweep *s, struct err *err)
{
	struct show_style style = show_style_detect(stdout, s->opts.no_color);
	struct book_opts opts = sweep_book_opts(s);
	struct err why = {0}, warning = {0};
	struct run run;
	int rc = run_load(s->folder, &run, &why);

	/* Not the user's words, as it would be elsewhere: our own folder. */
	if (rc)
		return err_failed(err, -rc, "%s", why.text);
	tell_short(s, &run);
	opts.warning = &warning;
	rc = report_write(&run, &opts, err);
	if (warning.kind)
		screen_warn(&s->screen, "warning: %s", warning.text);
	if (!s->opts.quiet) {
		int show_rc =
		    show_sweetspots(stdout, &run, sweep_limit(s), &style, err);

		if (!rc)
			printf("\nworkbook: %s/%s\n", s->folder, REPORT_BOOK);
		rc = rc ? rc : show_rc;
	}
	run_fini(&run);
	return rc;
}

int sweep_tell_finished(struct sweep *s, struct err *err)
{
	screen_say(&s->screen,
		   "%s has every visit of its plan: nothing is left to do",
		   s->folder);
	if (s->failed_before)
		screen_warn(&s->screen,
			    "%" PRIu32 " of its visits failed; --retry-failed "
			    "repeats them",
			    s->failed_before);
	return sweep_show_result(s, err);
}
