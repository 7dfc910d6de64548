/* sweep_plan: what the sweep visits, asked anew or by the folder that it takes
 * up. */
#include <errno.h>
#include <string.h>

#include "sweep/schedule_search.h"
#include "sweep/sweep.h"

bool sweep_is_search(const struct sweep *s)
{
	return s->plan.settings.budget_ns > 0;
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

int sweep_make_plan(struct sweep *s, struct err *err)
{
	struct label_axes axes;
	int rc = stage_resolve_folders(&s->req, err);

	if (!rc)
		rc = s->opts.resume ? take_up_plan(s, err)
				    : plan_build(&s->req, &s->plan, err);
	if (!rc && sweep_is_search(s))
		rc = schedule_search_check(&s->plan, err);
	if (rc)
		return rc;
	label_axes_find(s->plan.points, s->plan.point_count, &axes);
	screen_init(&s->screen, stderr, s->opts.quiet, &axes);
	return 0;
}

int sweep_make_schedule(struct sweep *s, struct err *err)
{
	s->schedule = sweep_is_search(s)
			  ? schedule_search_new(&s->plan, sweep_limit(s))
			  : schedule_new(&s->plan);
	return s->schedule ? 0 : err_failed(err, ENOMEM, "out of memory");
}

int sweep_find_finished(struct sweep *s, struct err *err)
{
	int rc = sweep_make_schedule(s, err);

	if (rc)
		return rc;
	rc = schedule_is_done(s->schedule, s->plan.point_count, resume_known,
			      &s->resume, &s->finished, err);
	schedule_free(s->schedule);
	s->schedule = NULL;
	s->known = resume_known_count(&s->resume, &s->failed_before);
	return rc;
}
