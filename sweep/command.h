/*
 * command: runs one command line of a plan by /bin/sh, in a process group of
 * its own, with what it says caught and its time limited. It knows nothing of
 * plans; switcher decides what is run and when.
 */
#ifndef SWEEP_COMMAND_H
#define SWEEP_COMMAND_H

#include <signal.h>
#include <stdint.h>

#include "engine/err.h"

/* What it said is told in one sentence: its end, where the reason stands. */
#define COMMAND_OUTPUT_MAX 512

struct command {
	const char *name; /* for sentences: "enter of variant 'cached'" */
	const char *text; /* for /bin/sh -c */
	/* Put into its environment as IOSWEEP_VARIANT, _TARGET, _POINT, beside
	 * our own; NULL: not set. */
	const char *variant, *target, *point;
	uint64_t timeout_ns;
	/* It is ended once this reaches stop_at. NULL: never. */
	const volatile sig_atomic_t *stop;
	sig_atomic_t stop_at;
};

/*
 * Run it to its end. Its standard input is empty; stdout and stderr are read
 * as one, and processes that it leaves behind (a daemon) are left alone. When
 * its time is over or it is to stop, its whole group gets SIGTERM, and SIGKILL
 * where that does not end it within two seconds.
 *
 * 0, or -errno with one sentence that says which command, what became of it
 * and the end of its output: -ECHILD it ended with another status than 0 or by
 * a signal; -ETIMEDOUT; -EINTR stopped; another when it cannot be started, or
 * not be ended.
 */
int command_run(const struct command *c, struct err *err);

#endif
