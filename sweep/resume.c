#include "sweep/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/runfile.h"
#include "sweep/precondition.h"

/* More would fill run.ini. */
#define RESUMPTIONS_MAX 100
#define CUT_SHORT "cut short: killed, or the machine went down"

/* ---- what is noted when a run begins ---- */

void resume_note_settings(struct facts *facts, const struct plan_request *req,
			  const struct plan *plan,
			  const struct run_options *opts)
{
	struct plan_text fallback;
	int i;

	for (i = PLAN_AXIS_COUNT; i < PLAN_KEY_COUNT; i++) {
		const struct plan_text *t =
		    plan_said(req, NULL, (enum plan_key)i, &fallback);

		if (t && i != PLAN_SEED && i != PLAN_ROUNDS)
			facts_add(facts, RESUME_SETTINGS,
				  plan_key_name((enum plan_key)i), t->value);
	}
	/* What is not said of these is drawn, or follows from the others. */
	facts_addf(facts, RESUME_SETTINGS, plan_key_name(PLAN_ROUNDS),
		   "%" PRIu32, plan->settings.rounds);
	facts_addf(facts, RESUME_SETTINGS, plan_key_name(PLAN_SEED), "%" PRIu64,
		   plan->settings.seed);
	for (i = 0; i < OPTIONS_KEPT_COUNT; i++)
		facts_add(facts, RESUME_SETTINGS, options_kept_name(i),
			  opts->kept[i]);
}

/* ---- what is there ---- */

static int by_point_and_round(const void *a, const void *b)
{
	const struct visit *v = *(const struct visit *const *)a;
	const struct visit *w = *(const struct visit *const *)b;

	if (v->point != w->point)
		return v->point < w->point ? -1 : 1;
	if (v->round != w->round)
		return v->round < w->round ? -1 : 1;
	return (v->id > w->id) - (v->id < w->id);
}

static bool same_pair(const struct visit *v, const struct visit *w)
{
	return v->point == w->point && v->round == w->round;
}

static int index_visits(struct resume *r)
{
	uint32_t i, n = r->run.visit_count, kept = 0;
	const struct visit **list = malloc((n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		list[i] = &r->run.visits[i];
	qsort(list, n, sizeof(*list), by_point_and_round);
	for (i = 0; i < n; i++)
		if (i + 1 == n || !same_pair(list[i], list[i + 1]))
			list[kept++] = list[i];
	r->latest = list;
	r->latest_count = kept;
	return 0;
}

int resume_read(const char *folder, bool retry_failed, struct resume *r,
		struct err *err)
{
	int rc = run_read(folder, &r->run, err);

	r->retry_failed = retry_failed;
	if (rc)
		return rc;
	if (!run_fact(&r->run, RESUME_SETTINGS, plan_key_name(PLAN_SEED))[0])
		return err_refused(
		    err,
		    "%s/" RUNFILE_FACTS " has no [" RESUME_SETTINGS
		    "] with a seed, so the sweep cannot go on as "
		    "it began; sweep into another folder",
		    folder);
	return index_visits(r) ? err_failed(err, ENOMEM, RESUME_NO_MEMORY) : 0;
}

static bool is_known(const struct resume *r, const struct visit *v)
{
	return v->state != VISIT_FAILED || !r->retry_failed;
}

const struct visit *resume_known(void *arg, uint32_t point, uint32_t round)
{
	const struct resume *r = arg;
	uint32_t low = 0, high = r->latest_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct visit *v = r->latest[middle];

		if (v->point == point && v->round == round)
			return is_known(r, v) ? v : NULL;
		if (v->point < point || (v->point == point && v->round < round))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void resume_tell_measurer(const struct resume *r, struct measurer *m)
{
	uint32_t i;

	for (i = 0; i < r->run.visit_count; i++) {
		const struct visit *v = &r->run.visits[i];

		if (v->state == VISIT_DONE)
			measure_earlier(m, &r->run.points[v->point], v);
	}
}

uint32_t resume_known_count(const struct resume *r, uint32_t *failed)
{
	uint32_t i, n = 0;

	*failed = 0;
	for (i = 0; i < r->latest_count; i++) {
		if (!is_known(r, r->latest[i]))
			continue;
		*failed += r->latest[i]->state == VISIT_FAILED;
		n++;
	}
	return n;
}

void resume_adopt(const struct resume *r, struct stage *stage)
{
	char section[32], seed[32];
	uint32_t i;

	for (i = 0; i < stage->count; i++) {
		const struct target *t = &stage->targets[i];

		snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
		snprintf(seed, sizeof(seed), "%" PRIu64, t->layout_seed);
		if (!stage->items[i].missing && t->laid_out &&
		    run_fact(&r->run, section, "made_by_this_run")[0] &&
		    !strcmp(run_fact(&r->run, section, "layout_seed"), seed))
			stage->items[i].made = true;
	}
}

bool resume_was_preconditioned(const struct resume *r, uint32_t i)
{
	char section[32];

	snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
	return run_fact(&r->run, section, PRECONDITION_FACT)[0] != '\0';
}

/* ---- what is noted when it goes on ---- */

/* The number of a [resumption N], 0 for other sections. */
static unsigned resumption_number(const char *section)
{
	unsigned number;

	return sscanf(section, "resumption %u", &number) == 1 ? number : 0;
}

static unsigned last_number(const struct run *run)
{
	unsigned last = 0;
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		unsigned number = resumption_number(run->facts[i].section);

		last = number > last ? number : last;
	}
	return last;
}

/* All facts of the folder but those that the store or the end of a run adds,
 * and those of resumptions long ago. */
static void copy_facts(struct facts *facts, const struct run *run,
		       unsigned next)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		const struct run_fact *f = &run->facts[i];
		unsigned number = resumption_number(f->section);

		if (!strcmp(f->section, RUNFILE_SECTION) ||
		    !strcmp(f->section, RESUME_END) ||
		    (number && number + RESUMPTIONS_MAX <= next))
			continue;
		facts_add(facts, f->section, f->name, f->value);
	}
}

void resume_note(const struct resume *r, struct facts *facts, int argc,
		 char **argv)
{
	unsigned number = last_number(&r->run) + 1;
	const char *after = run_fact(&r->run, RESUME_END, "by");
	char section[32];

	copy_facts(facts, &r->run, number);
	snprintf(section, sizeof(section), "resumption %u", number);
	facts_add_start(facts, section, argc, argv);
	facts_add(facts, section, "after", after[0] ? after : CUT_SHORT);
	facts_addf(facts, section, "visits_before", "%" PRIu32,
		   r->run.visit_count);
	facts_add(facts, section, "differences", r->differences);
}

void resume_fini(struct resume *r)
{
	free(r->latest);
	free(r->differences);
	run_fini(&r->run);
	memset(r, 0, sizeof(*r));
}
