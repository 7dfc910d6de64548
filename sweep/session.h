/*
 * session: visits the points of a plan, as a schedule asks for them, and hands
 * each visit to the run folder. It knows neither engine nor screen: it calls a
 * measurer and tells an observer.
 */
#ifndef SWEEP_SESSION_H
#define SWEEP_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "export/store.h"
#include "sweep/plan.h"
#include "sweep/schedule.h"
#include "sweep/switcher.h"

/* Where the sweep stands; passed to the observer. */
struct session_progress {
	uint64_t visit;	      /* the one under way, from 1 */
	uint64_t visit_count; /* expected in all */
	uint32_t round, round_count;
	uint64_t elapsed_ns; /* since the first visit */
	uint64_t left_ns;    /* learnt from the visits so far */
};

/* What happens, as it happens. Any function may be NULL. */
struct session_observer {
	void (*visit_begins)(void *arg, const struct session_progress *at,
			     const struct point *p);
	void (*visit_ended)(void *arg, const struct session_progress *at,
			    const struct point *p, const struct visit *v);
	void *arg;
	/* Between visits, at most every refresh_every_ns and 1% of the time:
	 * bring the derived files up to date. Its failure does not end the
	 * sweep. */
	void (*refresh)(void *refresh_arg);
	void *refresh_arg;
	uint64_t refresh_every_ns; /* 0: 60 s */
};

struct session {
	const struct plan *plan;
	struct schedule *schedule;
	struct measurer *measurer;
	struct store *store; /* NULL: the observer alone gets the visits */
	struct session_observer observer;
	struct switcher *switcher; /* between variants; NULL: nothing to do */
	/* 1: end after the visit under way; 2: it was ended at once. */
	const volatile sig_atomic_t *stop;
	/* A visit that the run folder has already (by index of point, and
	 * round), or NULL: it is told to the schedule and not measured again.
	 * The function may be NULL. */
	schedule_known *known;
	void *known_arg;
};

struct session_outcome {
	uint32_t done, failed, skipped; /* visits, known ones aside */
	bool stopped;			/* by the user, before the end */
	bool timed_out;			/* by --max-time */
	double verified_blocks;		/* read back as they were written */
	uint64_t elapsed_ns;
	uint64_t store_ns;    /* of it spent in the run folder (fsync) */
	uint64_t overhead_ns; /* neither ramp, window, pause nor store */
};

/*
 * Run until the schedule has nothing left. A failed visit is kept with its
 * reason and the sweep goes on. 0, or -errno with a sentence when the run
 * folder could not be written, the schedule failed or a command of a variant
 * did; out is filled in both cases, and the last variant left.
 */
int session_run(struct session *s, struct session_outcome *out,
		struct err *err);

#endif
