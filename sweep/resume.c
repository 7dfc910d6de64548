#include "sweep/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/runfile.h"

#define SETTINGS "settings"
/* More would fill run.ini. */
#define RESUMPTIONS_MAX 100
#define CUT_SHORT "cut short: killed, or the machine went down"

static const char no_memory[] = "out of memory for what is there already";

/* ---- differences ---- */

__attribute__((format(printf, 2, 3))) static int differ(struct resume *r,
							const char *fmt, ...)
{
	char *one, *all;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&one, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -ENOMEM;
	rc = asprintf(&all, "%s%s%s", r->differences ? r->differences : "",
		      r->differences ? "; " : "", one);
	free(one);
	if (rc < 0)
		return -ENOMEM;
	free(r->differences);
	r->differences = all;
	return 0;
}

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
			facts_add(facts, SETTINGS,
				  plan_key_name((enum plan_key)i), t->value);
	}
	/* What is not said of these is drawn, or follows from the others. */
	facts_addf(facts, SETTINGS, plan_key_name(PLAN_ROUNDS), "%" PRIu32,
		   plan->settings.rounds);
	facts_addf(facts, SETTINGS, plan_key_name(PLAN_SEED), "%" PRIu64,
		   plan->settings.seed);
	for (i = 0; i < OPTIONS_KEPT_COUNT; i++)
		facts_add(facts, SETTINGS, options_kept_name(i), opts->kept[i]);
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
	if (!run_fact(&r->run, SETTINGS, plan_key_name(PLAN_SEED))[0])
		return err_refused(
		    err,
		    "%s/" RUNFILE_FACTS " has no [" SETTINGS
		    "] with a seed, so the sweep cannot go on as "
		    "it began; sweep into another folder",
		    folder);
	return index_visits(r) ? err_failed(err, ENOMEM, no_memory) : 0;
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

/* ---- the plan ---- */

/* What the command line, or the plan file that it names, says now. */
static const struct plan_text *said_now(const struct plan_request *req, int key)
{
	if (req->option[key].value)
		return &req->option[key];
	return req->common[key].value ? &req->common[key] : NULL;
}

/* [settings], as the texts of a request. */
static int read_settings(const struct run *run, struct plan_request *then)
{
	char where[128];
	int key, rc = 0;

	for (key = PLAN_AXIS_COUNT; !rc && key < PLAN_KEY_COUNT; key++) {
		const char *name = plan_key_name((enum plan_key)key);
		const char *value = run_fact(run, SETTINGS, name);

		snprintf(where, sizeof(where),
			 RUNFILE_FACTS ": [" SETTINGS "] %s", name);
		if (value[0])
			rc = plan_text_set(&then->common[key], value, where);
	}
	return rc;
}

/* How long the sweep may take is a matter of today. */
static bool binds(int key)
{
	return key != PLAN_MAX_TIME;
}

static int hold_setting(struct resume *r, struct plan_request *then, int key,
			const struct plan_text *now, struct err *err)
{
	struct plan_settings before, after;
	struct plan_text *t = &then->common[key];
	char *was = t->value ? strdup(t->value) : NULL;
	int rc = plan_settings_parse(then, &before, err);

	if (!rc && plan_text_set(t, now->value, now->where))
		rc = err_failed(err, ENOMEM, no_memory);
	if (!rc)
		rc = plan_settings_parse(then, &after, err);
	if (!rc && binds(key) && memcmp(&before, &after, sizeof(before)) &&
	    differ(r, "%s is %s (was %s)", plan_key_name((enum plan_key)key),
		   now->value, was ? was : "not said"))
		rc = err_failed(err, ENOMEM, no_memory);
	free(was);
	return rc;
}

static int take_settings(struct resume *r, const struct plan_request *req,
			 struct plan_settings *out, struct err *err)
{
	struct plan_request then = {0};
	int key, rc = read_settings(&r->run, &then);

	if (rc)
		err_failed(err, ENOMEM, no_memory);
	for (key = PLAN_AXIS_COUNT; !rc && key < PLAN_KEY_COUNT; key++) {
		const struct plan_text *now = said_now(req, key);

		if (now)
			rc = hold_setting(r, &then, key, now, err);
	}
	if (!rc)
		rc = plan_settings_parse(&then, out, err);
	plan_request_fini(&then);
	return rc;
}

static int take_options(struct resume *r, struct run_options *opts,
			struct err *err)
{
	int i, rc = 0;

	for (i = 0; !rc && i < OPTIONS_KEPT_COUNT; i++) {
		const char *name = options_kept_name(i);
		const char *was = run_fact(&r->run, SETTINGS, name);
		const char *now = opts->kept[i];

		if (!now && was[0])
			rc = options_keep(opts, i, was, err);
		if (now && options_kept_binds(i) && strcmp(now, was) &&
		    differ(r, "%s is %s (was %s)", name, now,
			   was[0] ? was : "not said"))
			rc = err_failed(err, ENOMEM, no_memory);
	}
	return rc;
}

/* The targets of the points, in order, once each. */
static int take_targets(const struct run *run, struct plan *plan)
{
	uint32_t i, t;

	plan->targets = calloc(run->point_count, sizeof(*plan->targets));
	if (!plan->targets)
		return -ENOMEM;
	for (i = 0; i < run->point_count; i++) {
		const char *path = run->points[i].target;

		/* Points of one target stand together. */
		for (t = plan->target_count; t > 0; t--)
			if (!strcmp(plan->targets[t - 1], path))
				break;
		if (t)
			continue;
		plan->targets[plan->target_count] = strdup(path);
		if (!plan->targets[plan->target_count])
			return -ENOMEM;
		plan->target_count++;
	}
	return 0;
}

static int take_points(const struct run *run, struct plan *plan)
{
	size_t bytes = run->point_count * sizeof(*plan->points);

	plan->points = malloc(bytes);
	if (!plan->points)
		return -ENOMEM;
	memcpy(plan->points, run->points, bytes);
	plan->point_count = run->point_count;
	return take_targets(run, plan);
}

static bool says_axes(const struct plan_request *req)
{
	int key;

	for (key = 0; key < PLAN_AXIS_COUNT; key++)
		if (said_now(req, key))
			return true;
	return req->section_count > 0;
}

static int lend_targets(struct plan_request *req, const struct plan *plan)
{
	uint32_t i;

	if (req->target_count)
		return 0;
	req->targets = calloc(plan->target_count, sizeof(*req->targets));
	if (!req->targets)
		return -ENOMEM;
	for (i = 0; i < plan->target_count; i++) {
		req->targets[i] = strdup(plan->targets[i]);
		if (!req->targets[i])
			return -ENOMEM;
		req->target_count++;
	}
	return 0;
}

static int other_points(const struct resume *r, const char *what,
			struct err *err)
{
	return err_refused(err,
			   "%s/" RUNFILE_PLAN " holds another plan than asked "
			   "for: %s; name neither targets nor axes nor a plan "
			   "to go on with the one that is there, or sweep into "
			   "another folder",
			   r->run.folder, what);
}

static int check_targets(const struct resume *r, const struct plan_request *req,
			 const struct plan *plan, struct err *err)
{
	uint32_t i, t;

	for (i = 0; i < req->target_count; i++) {
		for (t = 0; t < plan->target_count; t++)
			if (!strcmp(req->targets[i], plan->targets[t]))
				break;
		if (t == plan->target_count)
			return other_points(r, req->targets[i], err);
	}
	return 0;
}

static int compare_points(const struct resume *r, const struct plan *asked,
			  const struct plan *plan, struct err *err)
{
	char ours[1024], theirs[1024], what[2 * 1024 + 128];
	uint32_t i;

	if (asked->point_count != plan->point_count) {
		snprintf(what, sizeof(what),
			 "%" PRIu32 " points and not %" PRIu32,
			 plan->point_count, asked->point_count);
		return other_points(r, what, err);
	}
	for (i = 0; i < plan->point_count; i++) {
		point_full_key(&asked->points[i], ours, sizeof(ours));
		point_full_key(&plan->points[i], theirs, sizeof(theirs));
		if (!strcmp(ours, theirs))
			continue;
		snprintf(what, sizeof(what), "point %" PRIu32 " is '%s'", i + 1,
			 theirs);
		return other_points(r, what, err);
	}
	return 0;
}

static int check_points(const struct resume *r, struct plan_request *req,
			const struct plan *plan, struct err *err)
{
	struct plan asked = {0};
	int rc;

	if (!says_axes(req))
		return check_targets(r, req, plan, err);
	if (lend_targets(req, plan))
		return err_failed(err, ENOMEM, no_memory);
	rc = plan_build(req, &asked, err);
	if (!rc)
		rc = compare_points(r, &asked, plan, err);
	plan_fini(&asked);
	return rc;
}

int resume_plan(struct resume *r, struct plan_request *req,
		struct run_options *opts, struct plan *out, struct err *err)
{
	struct plan plan = {0};
	int rc = take_settings(r, req, &plan.settings, err);

	if (!rc)
		rc = take_options(r, opts, err);
	if (!rc && take_points(&r->run, &plan))
		rc = err_failed(err, ENOMEM, no_memory);
	if (!rc)
		rc = check_points(r, req, &plan, err);
	if (rc)
		plan_fini(&plan);
	else
		*out = plan;
	return rc;
}

/* ---- the same machine, version and targets ---- */

/* Facts whose change would tell a different story in the middle of it. */
static const char *const machine_facts[] = {"host", "kernel", "cpu", "cores",
					    NULL};
static const char *const run_facts[] = {"iosweep_version", NULL};
static const char *const target_facts[] = {
    "kind",	   "size_bytes",   "layout_seed",	  "inode",
    "file_system", "device_model", "device_id",		  "scheduler",
    "nr_requests", "rotational",   "logical_block_bytes", NULL};

static const char *find_fact(const struct facts *facts, const char *section,
			     const char *name)
{
	uint32_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].section, section) &&
		    !strcmp(facts->items[i].name, name))
			return facts->items[i].value;
	return "";
}

static int compare_facts(struct resume *r, const struct facts *now,
			 const char *section, const char *const *names)
{
	bool target = !strncmp(section, "target ", 7);
	int rc = 0;

	for (; !rc && *names; names++) {
		const char *was = run_fact(&r->run, section, *names);
		const char *is = find_fact(now, section, *names);

		if (strcmp(was, is))
			rc = differ(r, "%s%s%s is %s (was %s)",
				    target ? section : "", target ? ": " : "",
				    *names, is[0] ? is : "unknown",
				    was[0] ? was : "unknown");
	}
	return rc;
}

static int compare_target(struct resume *r, const struct facts *now,
			  const struct stage *stage, uint32_t i)
{
	char section[32];

	snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
	if (!stage->items[i].missing)
		return compare_facts(r, now, section, target_facts);
	return differ(r, "%s, %s, is not there any more (it was %s)", section,
		      stage->items[i].path,
		      run_fact(&r->run, section, "resolved"));
}

int resume_compare(struct resume *r, const struct facts *now,
		   const struct stage *stage, struct err *err)
{
	int rc = compare_facts(r, now, "run", run_facts);
	uint32_t i;

	if (!rc)
		rc = compare_facts(r, now, "machine", machine_facts);
	for (i = 0; !rc && i < stage->count; i++)
		rc = compare_target(r, now, stage, i);
	return rc ? err_failed(err, ENOMEM, no_memory) : 0;
}

int resume_check(const struct resume *r, bool forced, struct err *err)
{
	if (!r->differences || forced)
		return 0;
	return err_refused(err,
			   "%s was begun otherwise: %s; --force-resume goes on "
			   "all the same",
			   r->run.folder, r->differences);
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
