/*
 * sweep: `run` and `find` from the command line to the book. cmd_run.c is the
 * order of things; each job has a file of its own:
 *
 *	sweep_plan.c	what to visit: asked anew, or taken up (--resume)
 *	sweep_ready.c	the targets: guard, preflight, layout, precondition
 *	sweep_folder.c	run.ini: facts as it begins, how it ended
 *	sweep_measure.c	engine and session, from the first visit to the last
 *	sweep_result.c	the book, and what the terminal shows at the end
 *	sweep_tell.c	what the screen says on the way
 *
 * Functions return 0, or -errno with a sentence; what they made stays in the
 * sweep, and cmd_run.c frees it.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "export/book.h"
#include "export/store.h"
#include "export/theme.h"
#include "sweep/facts.h"
#include "sweep/options.h"
#include "sweep/plan.h"
#include "sweep/precondition.h"
#include "sweep/resume.h"
#include "sweep/schedule.h"
#include "sweep/screen.h"
#include "sweep/session.h"
#include "sweep/stage.h"

/* All that a sweep holds, in the order in which it comes to be. */
struct sweep {
	int argc;
	char **argv;
	struct plan_request req;
	struct run_options opts;
	struct theme theme;   /* where opts name one */
	struct resume resume; /* what its plan's texts are, with --resume */
	struct plan plan;
	struct facts facts;
	struct stage stage;
	struct precondition_done *preconditioned; /* one a target, or NULL */
	struct screen screen;
	char *folder;
	struct store *store;
	struct measurer *measurer;
	struct schedule *schedule;
	struct session_outcome outcome;
	bool warmup_lost; /* told that its curve cannot be written */
	/* Of a run that is taken up. */
	uint32_t known, failed_before; /* visits that are there already */
	bool finished;		       /* it lacks none */
};

/* ---- sweep_plan ---- */

/* The plan, and with --resume the folder, which nobody else may write from
 * here on. */
int sweep_make_plan(struct sweep *s, struct err *err);
int sweep_make_schedule(struct sweep *s, struct err *err);
/* Whether a run that is taken up lacks no visit. */
int sweep_find_finished(struct sweep *s, struct err *err);
bool sweep_is_search(const struct sweep *s);

/* ---- sweep_ready ---- */

/* Look at the targets and at the run folder: nothing is created yet. */
int sweep_prepare(struct sweep *s, struct err *err);
/* Which targets have to be preconditioned, before they are laid out. */
int sweep_plan_precondition(struct sweep *s, struct err *err);
/* -EINTR where it was stopped, as below. */
int sweep_lay_out(struct sweep *s, struct err *err);
/* In the run folder, which keeps what is done: --resume goes on there. */
int sweep_precondition(struct sweep *s, struct err *err);

/* ---- sweep_folder ---- */

/* The user's label, else the last part of the first target's path. */
const char *sweep_label(const struct sweep *s);
/* What there is to know of the run as it begins. */
int sweep_gather_facts(const struct sweep *s, struct facts *facts,
		       struct err *err);
/* A new run folder, or one more beginning in the one that is there. */
int sweep_make_store(struct sweep *s, struct err *err);
/* What became of a target, as soon as that is done. */
int sweep_note_preconditioned(struct sweep *s, uint32_t target,
			      struct err *err);
/* How it ended, for whoever goes on. Not knowing it is no failure. */
void sweep_note_end(struct sweep *s, const struct err *err);

/* ---- sweep_measure ---- */

struct measure_opts sweep_measure_opts(struct sweep *s);
/* Into the folder that is there. Also after a failure what was measured is
 * shown and kept. */
int sweep_measure_all(struct sweep *s, struct err *err);

/* ---- sweep_result ---- */

struct book_opts sweep_book_opts(const struct sweep *s);
const struct latency_limit *sweep_limit(const struct sweep *s);
int sweep_show_result(struct sweep *s, struct err *err);
/* Nothing is left to measure. A crash may have cost it the book. */
int sweep_tell_finished(struct sweep *s, struct err *err);

/* ---- sweep_tell ---- */

void sweep_tell_plan(struct sweep *s);
void sweep_tell_targets(struct sweep *s);
void sweep_tell_taken_up(struct sweep *s);
void sweep_tell_outcome(struct sweep *s);
/* What the search spared. */
void sweep_tell_search(struct sweep *s);
/* Before anything else is asked of the target, which may hang too. */
void sweep_tell_stuck(struct sweep *s);

#endif
