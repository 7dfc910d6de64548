/*
 * switcher: brings the storage from one variant into the next by the commands
 * of the plan, and out of the last one whatever happens. A variant is entered
 * before its first visit and left before another one is entered, or at the
 * end; once its `enter` has begun, its `leave` is run in any case.
 */
#ifndef SWEEP_SWITCHER_H
#define SWEEP_SWITCHER_H

#include <signal.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"
#include "sweep/plan.h"
#include "sweep/variant.h"

struct switcher {
	const struct plan *plan;
	/* 2: a command under way is ended. `leave` is not, only its time
	 * limit ends it. */
	const volatile sig_atomic_t *stop;
	/* Before a command that changes the storage: nothing may hold it. */
	void (*release)(void *arg);
	/* After `enter`: look at the variant's targets anew. 0, or -errno with
	 * a sentence. */
	int (*entered)(void *arg, const struct variant *v, struct err *err);
	/* What happens, a line without its end. */
	void (*tell)(void *arg, const char *text);
	void *arg;
	/* The switcher's own; zeroed by the caller. */
	const struct variant *active;
	const char *target; /* of the last point in it */
	uint64_t spent_ns;  /* in commands */
};

/*
 * Before a visit of p: leave and enter where p is of another variant than the
 * last, then its before-point. 0; -EINTR when the user ended a command or
 * asked for the end during one, without a sentence; or -errno with one, and
 * then the sweep has to end.
 */
int switcher_prepare(struct switcher *s, const struct point *p,
		     struct err *err);

/* Leave the active variant, if any. 0, or -errno with a sentence, which is put
 * behind one that err holds already. */
int switcher_leave(struct switcher *s, struct err *err);

#endif
