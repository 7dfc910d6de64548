/* resume_plan: what was asked, by the folder and by the command line. */
#include "sweep/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/runfile.h"

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
		const char *value = run_fact(run, RESUME_SETTINGS, name);

		snprintf(where, sizeof(where),
			 RUNFILE_FACTS ": [" RESUME_SETTINGS "] %s", name);
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
		rc = err_failed(err, ENOMEM, RESUME_NO_MEMORY);
	if (!rc)
		rc = plan_settings_parse(then, &after, err);
	if (!rc && binds(key) && memcmp(&before, &after, sizeof(before)) &&
	    resume_differ(r, "%s is %s (was %s)",
			  plan_key_name((enum plan_key)key), now->value,
			  was ? was : "not said"))
		rc = err_failed(err, ENOMEM, RESUME_NO_MEMORY);
	free(was);
	return rc;
}

static int take_settings(struct resume *r, const struct plan_request *req,
			 struct plan_settings *out, struct err *err)
{
	struct plan_request then = {0};
	int key, rc = read_settings(&r->run, &then);

	if (rc)
		err_failed(err, ENOMEM, RESUME_NO_MEMORY);
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
		const char *was = run_fact(&r->run, RESUME_SETTINGS, name);
		const char *now = opts->kept[i];

		if (!now && was[0])
			rc = options_keep(opts, i, was, err);
		if (now && options_kept_binds(i) && strcmp(now, was) &&
		    resume_differ(r, "%s is %s (was %s)", name, now,
				  was[0] ? was : "not said"))
			rc = err_failed(err, ENOMEM, RESUME_NO_MEMORY);
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
	return req->section_count > 0 || req->variant_count > 0;
}

/* A variant has it in place of the sweep's targets. */
static bool is_variants_own(const struct plan_request *req, const char *path)
{
	uint32_t i;

	for (i = 0; i < req->variant_count; i++) {
		const char *own =
		    req->variants[i].key[PLAN_VARIANT_TARGET].value;

		if (own && !strcmp(own, path))
			return true;
	}
	return false;
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
		if (is_variants_own(req, plan->targets[i]))
			continue;
		req->targets[req->target_count] = strdup(plan->targets[i]);
		if (!req->targets[req->target_count])
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

/* A plan that was named again takes the place of the folder's, whose points
 * are the same: it knows more than plan.csv does. */
static int check_points(const struct resume *r, struct plan_request *req,
			struct plan *plan, struct err *err)
{
	struct plan asked = {0};
	int rc;

	if (!says_axes(req))
		return check_targets(r, req, plan, err);
	if (lend_targets(req, plan))
		return err_failed(err, ENOMEM, RESUME_NO_MEMORY);
	rc = plan_build(req, &asked, err);
	if (!rc)
		rc = compare_points(r, &asked, plan, err);
	if (!rc) {
		struct plan folder_s = *plan;

		asked.settings = plan->settings;
		*plan = asked;
		asked = folder_s;
	}
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
		rc = err_failed(err, ENOMEM, RESUME_NO_MEMORY);
	if (!rc)
		rc = check_points(r, req, &plan, err);
	if (!rc)
		rc = resume_variants(r, req, &plan, err);
	if (rc)
		plan_fini(&plan);
	else
		*out = plan;
	return rc;
}
