/* sweep_folder: what run.ini says of the run, as it begins and as it ends. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/interrupt.h"
#include "sweep/sweep.h"
#include "sweep/tags.h"

const char *sweep_label(const struct sweep *s)
{
	const char *path = s->plan.targets[0];
	const char *slash = strrchr(path, '/');

	if (s->opts.label)
		return s->opts.label;
	return slash && slash[1] ? slash + 1 : path;
}

/* What of target i preconditioning may change. */
static void add_state(const struct sweep *s, struct facts *facts, uint32_t i)
{
	char doubt[512], section[32];

	snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
	facts_add(facts, section, "warning",
		  stage_doubt(&s->stage, i, doubt, sizeof(doubt)));
	if (s->preconditioned)
		precondition_add_facts(facts, i + 1, &s->preconditioned[i]);
}

static bool is_pending(const struct sweep *s, uint32_t i)
{
	return s->preconditioned &&
	       s->preconditioned[i].state == PRECONDITION_PENDING;
}

int sweep_gather_facts(const struct sweep *s, struct facts *facts,
		       struct err *err)
{
	char section[32];
	uint32_t i;

	facts_add_run(facts, sweep_label(s), iosweep_version, s->argc, s->argv);
	tags_add_facts(&s->req, facts);
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
		if (!is_pending(s, i))
			add_state(s, facts, i);
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

int sweep_make_store(struct sweep *s, struct err *err)
{
	int rc;

	if (s->opts.resume) {
		resume_note(&s->resume, &s->facts, s->argc, s->argv);
		return put_facts(s, err);
	}
	rc = sweep_gather_facts(s, &s->facts, err);
	return rc ? rc
		  : store_create(s->folder, s->facts.items, s->facts.count,
				 s->plan.points, s->plan.point_count, &s->store,
				 err);
}

int sweep_note_preconditioned(struct sweep *s, uint32_t target, struct err *err)
{
	char section[32];

	/* Of a file that a resumed run had to make again. */
	snprintf(section, sizeof(section), "target %" PRIu32, target + 1);
	facts_remove(&s->facts, section, "precondition_");
	facts_remove(&s->facts, section, "warning");
	add_state(s, &s->facts, target);
	return put_facts(s, err);
}

void sweep_note_end(struct sweep *s, const struct err *err)
{
	const struct session_outcome *out = &s->outcome;

	facts_remove(&s->facts, RESUME_END, "");
	facts_add_time(&s->facts, RESUME_END, "utc");
	facts_add(&s->facts, RESUME_END, "by",
		  err->kind	   ? err->text
		  : out->stopped   ? interrupt_name()
		  : out->timed_out ? "--max-time"
				   : "the end of the plan");
	put_facts(s, NULL);
}
