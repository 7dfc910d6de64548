/*
 * screen: what a person sees while a sweep runs: one line that is rewritten
 * on a terminal, a plain line a visit in a log, nothing with --quiet. All of
 * it goes to one stream (stderr), so that stdout stays clean.
 */
#ifndef SWEEP_SCREEN_H
#define SWEEP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/measure.h"
#include "engine/visit.h"
#include "export/label.h"
#include "sweep/session.h"

enum screen_kind { SCREEN_QUIET, SCREEN_LOG, SCREEN_TERMINAL };

#define SCREEN_TASK_MAX 320

struct screen {
	FILE *f;
	enum screen_kind kind;
	struct label_axes axes;
	struct session_progress at;
	const struct point *point;  /* under way */
	char task[SCREEN_TASK_MAX]; /* before the sweep; "": the layout */
	uint64_t last_drawn_ns;
	bool line_open; /* a rewritable line stands on the terminal */
};

/* Terminal or log by what f is; axes tell points of the plan apart. */
void screen_init(struct screen *s, FILE *f, bool quiet,
		 const struct label_axes *axes);

/* A whole line of its own, above the progress line; not with quiet. */
void screen_say(struct screen *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, with quiet too: warnings. */
void screen_warn(struct screen *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Hooks for session_observer and measure_opts.tick; arg is the screen. */
void screen_visit_begins(void *arg, const struct session_progress *at,
			 const struct point *p);
void screen_visit_ended(void *arg, const struct session_progress *at,
			const struct point *p, const struct visit *v);
void screen_tick(void *arg, const struct measure_tick *tick);
/* For layout_request.progress. */
void screen_layout(void *arg, uint64_t done_bytes, uint64_t total_bytes);

/* For precondition_opts.begins: what is done before the sweep, of which
 * screen_layout and screen_tick tell until the first visit. */
void screen_precondition(void *arg, const char *what, const struct point *p);

/* Wipe the progress line. */
void screen_clear(struct screen *s);

#endif
