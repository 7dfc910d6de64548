/*
 * resume: goes on with a sweep that ended before its plan did. What was asked
 * comes from the run folder (plan.csv; run.ini, [settings]), what is there
 * already too, and what is not as it was then is told, all of it at once.
 *
 * run.ini notes what a resumption needs and what became of it:
 *
 *	[settings]	as options say it: time = 1s, seed = 42, batch = 8
 *	[end]		how the program ended; absent when it was cut short
 *	[resumption N]	when, what was there, why, and what differed
 */
#ifndef SWEEP_RESUME_H
#define SWEEP_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "export/result.h"
#include "sweep/facts.h"
#include "sweep/options.h"
#include "sweep/plan.h"
#include "sweep/stage.h"

#define RESUME_SETTINGS "settings"
#define RESUME_END "end"
#define RESUME_NO_MEMORY "out of memory for what is there already"

/* Zeroed before resume_read. */
struct resume {
	struct run run; /* the folder as it was found */
	/* The latest visit of each point and round, sorted by both. */
	const struct visit **latest;
	uint32_t latest_count;
	/* "; "-separated: what is not as it was. */
	char *differences;
	bool retry_failed;
};

/* [settings] of a run that begins: what plan and options hold, in full. */
void resume_note_settings(struct facts *facts, const struct plan_request *req,
			  const struct plan *plan,
			  const struct run_options *opts);

/* Read the folder. The caller holds it (store_reopen). 0 or -errno with a
 * sentence. resume_fini frees in each case. */
int resume_read(const char *folder, bool retry_failed, struct resume *r,
		struct err *err);

/*
 * The plan of the folder, into out; its texts stay r's. What req says beside
 * it has to be the same: settings that are not are differences, and hold; other
 * points are refused. Options of opts that were not said are as they were. 0
 * or -errno with a sentence; plan_fini frees out.
 */
int resume_plan(struct resume *r, struct plan_request *req,
		struct run_options *opts, struct plan *out, struct err *err);

/* Note one thing that is not as it was. 0 or -ENOMEM. */
int resume_differ(struct resume *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The variants of the folder, into plan, whose points are there already: their
 * commands from the plan file that req was read from. 0 or -errno with a
 * sentence; plan_fini frees in both cases. */
int resume_variants(const struct resume *r, const struct plan_request *req,
		    struct plan *plan, struct err *err);

/* Find what of machine, version and targets (now, as facts; stage) is not as
 * it was. 0 or -ENOMEM with a sentence. */
int resume_compare(struct resume *r, const struct facts *now,
		   const struct stage *stage, struct err *err);

/* 0 when nothing differs, or forced; else refused with a sentence that names
 * all that does. */
int resume_check(const struct resume *r, bool forced, struct err *err);

/* Files that the run made and that still are those count as made by this
 * program run (--remove). */
void resume_adopt(const struct resume *r, struct stage *stage);

/* Whether target i was preconditioned then. */
bool resume_was_preconditioned(const struct resume *r, uint32_t i);

/* For session.known; arg is the resume. */
const struct visit *resume_known(void *arg, uint32_t point, uint32_t round);

/* Tell the measurer of all that was measured. */
void resume_tell_measurer(const struct resume *r, struct measurer *m);

/* Visits that resume_known knows, and how many of them failed. */
uint32_t resume_known_count(const struct resume *r, uint32_t *failed);

/* The facts of the folder, and [resumption N] behind them; those on the end
 * before are left out. facts is empty. */
void resume_note(const struct resume *r, struct facts *facts, int argc,
		 char **argv);

void resume_fini(struct resume *r);

#endif
