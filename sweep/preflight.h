/*
 * preflight: before the first I/O, everything that a sweep will need and
 * cannot have, all of it at once, each with its remedy; and what is good to
 * know but stands in no way. Looks, and creates nothing.
 */
#ifndef SWEEP_PREFLIGHT_H
#define SWEEP_PREFLIGHT_H

#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"
#include "sweep/plan.h"
#include "sweep/stage.h"

struct preflight {
	/* Sentences, owned. */
	char **problems; /* the sweep must not begin */
	uint32_t problem_count;
	char **notes;
	uint32_t note_count;
};

/*
 * Of targets (stage_look), memory, threads, open files, AIO contexts and room
 * for the results, whose folder will be made at `results` (NULL: where the
 * program stands). out is zeroed by the caller; preflight_fini frees it in
 * each case. 0 or -ENOMEM with a sentence.
 */
int preflight_look(const struct plan *plan, const struct stage *stage,
		   const char *results, struct preflight *out, struct err *err);

/* One more problem, copied. 0 or -ENOMEM. */
int preflight_add(struct preflight *p, const char *sentence);

/* 0 without a problem. One is refused with its sentence; several are refused
 * with their number, after each was printed to f as a line of its own. */
int preflight_refuse(const struct preflight *p, FILE *f, struct err *err);

/* Let the program have as many open files as it is allowed to. */
void preflight_raise_limits(void);

void preflight_fini(struct preflight *p);

#endif
