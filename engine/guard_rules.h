/*
 * guard_rules: the decision table of the guard. For guard.c only; everybody
 * else asks guard.h.
 */
#ifndef ENGINE_GUARD_RULES_H
#define ENGINE_GUARD_RULES_H

#include <sys/stat.h>

#include "engine/err.h"
#include "engine/kin.h"
#include "engine/target.h"

/* What is judged, and what is known of it. */
struct guard_matter {
	const struct target *t;
	char name[TARGET_NAME_MAX]; /* for sentences */
	struct stat st;
	int path_fd;	  /* O_PATH: the inode that is meant */
	int read_fd;	  /* the same, for reading; a device: held (O_EXCL) */
	int read_error;	  /* why there is none, else 0 */
	struct kins kins; /* of a device, filled by the first rule */
};

/* A row of the table: 0, or -errno with the sentence. */
typedef int guard_rule(struct guard_matter *m, struct err *err);

/* The rows that a target of that kind has to pass, in order, NULL at the end.
 */
guard_rule *const *guard_rules_for(enum target_kind kind);

/* Whether an open descriptor is the disk that was probed: 0 or -EPERM. */
int guard_same_disk(const struct guard_matter *m, int fd, struct err *err);

#endif
