/*
 * runs: the run folders named on a command line, loaded.
 */
#ifndef SWEEP_RUNS_H
#define SWEEP_RUNS_H

#include <stdint.h>

#include "engine/err.h"
#include "export/result.h"

struct runs_request {
	const char **folders; /* argv's */
	struct run *runs;     /* loaded ones */
	uint32_t folder_count;
	uint32_t count; /* loaded so far */
};

/* Zeroed request; one more folder. 0 or -ENOMEM. */
int runs_add(struct runs_request *req, const char *folder, struct err *err);

/* 0, or -EINVAL with a sentence when none was named; command is its name
 * there. */
int runs_check_named(const struct runs_request *req, const char *command,
		     struct err *err);

/* Load them all, in order. 0, or -errno with a sentence: none was named
 * (command is its name in the sentence), one cannot be read. */
int runs_load(struct runs_request *req, const char *command, struct err *err);

/* Whether an export may be written to path: not over what a run folder's
 * results rest on (its visits.csv and the like), also by way of a link. 0 or
 * -EPERM with a sentence. */
int runs_check_output(const char *path, struct err *err);

void runs_free(struct runs_request *req);

#endif
