/*
 * facts: what a result needs to be understood later: what was asked, by which
 * version, on which machine, kernel, device and file system. Goes to run.ini.
 */
#ifndef SWEEP_FACTS_H
#define SWEEP_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"
#include "export/result.h"
#include "sweep/plan.h"

struct facts {
	struct run_fact *items; /* owned, in order */
	uint32_t count;
	bool failed; /* out of memory at some point; check once, at the end */
};

/* Append one; values lose control characters later, in the store. An empty
 * or NULL value is not kept: unknown is absent. */
void facts_add(struct facts *facts, const char *section, const char *name,
	       const char *value);
void facts_addf(struct facts *facts, const char *section, const char *name,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* This moment, UTC. */
void facts_add_time(struct facts *facts, const char *section, const char *name);

/* Of the program run that begins: start (UTC) and command line. */
void facts_add_start(struct facts *facts, const char *section, int argc,
		     char **argv);
/* [run]: label, start, version. */
void facts_add_run(struct facts *facts, const char *label, const char *version,
		   int argc, char **argv);
/* [plan]: settings in full. [variant N]: each variant in use, from 1. */
void facts_add_plan(struct facts *facts, const struct plan *plan);
/* [machine]: host, kernel, distribution, CPU, cores, memory. */
void facts_add_machine(struct facts *facts);
/* Drop the facts of a section whose names begin so, "": all; absent is fine. */
void facts_remove(struct facts *facts, const char *section, const char *begin);
/* [target N], N from 1. */
void facts_add_target(struct facts *facts, uint32_t number,
		      const struct target *t);

void facts_fini(struct facts *facts);

#endif
