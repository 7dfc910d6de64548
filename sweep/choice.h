/*
 * choice: one or several of a closed list of names, such as cache modes.
 */
#ifndef SWEEP_CHOICE_H
#define SWEEP_CHOICE_H

#include <stdbool.h>

#include "engine/err.h"
#include "engine/point.h"
#include "sweep/plan.h"

/* What may be chosen. */
struct choice {
	const char *const *names;
	int count;
	const char *noun; /* "an order (shuffle or plan)" */
};

/* The place of a name among the names, or -EINVAL with a sentence that begins
 * with where and offers the nearest name. */
int choice_find(const struct choice *c, const char *name, const char *where,
		struct err *err);

/* A list of names: sets wanted[i] of each that is said, and leaves the others.
 * 0, or -errno with a sentence. */
int choice_parse_list(const struct choice *c, const struct plan_text *t,
		      bool *wanted, struct err *err);

/* A list of cache modes, by enum cache_mode. */
int choice_parse_caches(const struct plan_text *t, bool *wanted,
			struct err *err);

/* One state of the caches: "as-is", "cold", "warm". */
int choice_find_state(const char *name, const char *where,
		      enum cache_state *out, struct err *err);

#endif
