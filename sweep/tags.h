/*
 * tags: --tag KEY=VALUE, and the sections [tags] and [tags TARGET] of a plan
 * file, on their way into run.ini (export/tags.h).
 */
#ifndef SWEEP_TAGS_H
#define SWEEP_TAGS_H

#include "sweep/facts.h"
#include "sweep/plan.h"

/* One of a plan file; target NULL: of all. What the command line says of a
 * key holds before it. 0 or -errno with a sentence. */
int tags_add(struct plan_request *req, const char *target, const char *key,
	     const char *value, const char *where, struct err *err);

/* KEY=VALUE, of the command line: of all targets. 0 or -errno with a
 * sentence. */
int tags_add_option(struct plan_request *req, const char *text,
		    const char *where, struct err *err);

/* 0, or -EINVAL with a sentence when one is about a target that the plan does
 * not measure. */
int tags_check(const struct plan_request *req, const struct plan *plan,
	       struct err *err);

/* [tags], then [tags TARGET]. */
void tags_add_facts(const struct plan_request *req, struct facts *facts);

#endif
