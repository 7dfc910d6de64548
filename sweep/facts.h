/*
 * facts: what a result needs to be understood later: what was asked, by which
 * version, on which machine, kernel, device and file system. Goes to run.ini.
 */
#ifndef SWEEP_FACTS_H
#define SWEEP_FACTS_H

#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"
#include "export/result.h"
#include "sweep/plan.h"

struct facts {
	struct run_fact *items; /* owned, in order */
	uint32_t count;
};

/* Append one; values lose control characters later, in the store. 0 or
 * -ENOMEM. An empty or NULL value is not kept: unknown is absent. */
int facts_add(struct facts *facts, const char *section, const char *name,
	      const char *value);
int facts_addf(struct facts *facts, const char *section, const char *name,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* [run]: label, start (UTC), version, command line. */
int facts_add_run(struct facts *facts, const char *label, const char *version,
		  int argc, char **argv);
/* [plan]: settings in full. */
int facts_add_plan(struct facts *facts, const struct plan *plan);
/* [machine]: host, kernel, distribution, CPU, cores, memory. */
int facts_add_machine(struct facts *facts);
/* [target N], N from 1. */
int facts_add_target(struct facts *facts, uint32_t number,
		     const struct target *t);

void facts_fini(struct facts *facts);

#endif
