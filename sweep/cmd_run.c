#include <errno.h>
#include <stdlib.h>

#include "engine/aside.h"
#include "sweep/cmd.h"
#include "sweep/interrupt.h"
#include "sweep/sweep.h"
#include "sweep/themefile.h"

static void close_sweep(struct sweep *s, struct err *err)
{
	schedule_free(s->schedule);
	measure_free(s->measurer);
	store_close(s->store, err);
	sweep_tell_stuck(s);
	/* What a call looks at that hangs stays, the target too. */
	if (aside_given_up_count())
		return;
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

static int sweep_run(struct sweep *s, struct err *err)
{
	int rc = sweep_make_plan(s, err);

	if (!rc && s->opts.theme)
		rc = themefile_read(iosweep_datadir, s->opts.theme, &s->theme,
				    err);
	if (!rc && s->opts.resume)
		rc = sweep_find_finished(s, err);
	if (!rc && s->finished)
		rc = resume_check(&s->resume, s->opts.force_resume, err);
	if (!rc && s->finished)
		return sweep_tell_finished(s, err);
	if (!rc)
		rc = sweep_prepare(s, err);
	if (rc)
		return rc;
	sweep_tell_plan(s);
	if (s->opts.resume)
		sweep_tell_taken_up(s);
	interrupt_install();
	rc = sweep_plan_precondition(s, err);
	if (!rc)
		rc = sweep_lay_out(s, err);
	if (!rc)
		rc = sweep_make_store(s, err);
	if (!rc)
		rc = sweep_precondition(s, err);
	if (rc)
		return rc;
	sweep_tell_targets(s);
	return sweep_measure_all(s, err);
}

static int sweep_command(int argc, char **argv, enum options_command command,
			 struct err *err)
{
	static struct sweep s; /* calls that hang may outlive us */
	int status, rc;

	s = (struct sweep){.argc = argc, .argv = argv};
	rc = options_parse(argc, argv, command, iosweep_datadir, &s.req,
			   &s.opts, err);

	if (rc == CLI_HELP)
		options_print_help(command, stdout);
	else if (!rc)
		rc = sweep_run(&s, err);
	close_sweep(&s, err);
	/* The folder is what a sweep is for; a terminal may get lost. */
	if (rc != CLI_HELP)
		clearerr(stdout);
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
