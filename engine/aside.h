/*
 * aside: a call into storage that may never return, made in a thread of its
 * own, so that it can be given up. For what has no watchdog of its own:
 * opening a target, laying it out, reading back.
 */
#ifndef ENGINE_ASIDE_H
#define ENGINE_ASIDE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"

/* Looked at by both sides; the first member of the call's argument. */
struct aside {
	/* The call counts up as it gets on. */
	atomic_uint_fast64_t moved;
	/* The call sets it while the kernel may rightly take long (a flush):
	 * ten times the limit. */
	atomic_bool patient;
	/* 2: the call ends as soon as it sees it (aside_ends), and touches
	 * nothing of its caller's any more. */
	volatile sig_atomic_t quit;
};

/* Whether a stop that another thread may set says so much. NULL: never. */
static inline bool aside_ends(const volatile sig_atomic_t *stop, int at)
{
	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) >= at;
}

struct aside_asked {
	int (*call)(struct aside *a, struct err *err);
	const char *what; /* "laying out /x", for the sentence */
	uint64_t limit_ns;
	const volatile sig_atomic_t *stop; /* NULL: none */
	int stop_at;			   /* that of it ends the call */
};

/*
 * What the call returned, with its sentence. -ETIMEDOUT with a sentence when
 * it did not get on for limit_ns, -EINTR when it did not within some seconds
 * of stop: then it is given up, and a and all that the call uses has to be left
 * alone for good. -EAGAIN, -ENOMEM with a sentence: not begun.
 */
int aside_run(struct aside *a, const struct aside_asked *asked,
	      struct err *err);

/* Calls that were given up and have not come back. */
uint32_t aside_lost_count(void);
/* Calls that were given up, ever: what they use is not to be freed. */
uint32_t aside_given_up_count(void);

#endif
