/*
 * lock: one writer a run folder. flock(2) on a file that names the owner, so
 * that a process that died holds nothing.
 */
#ifndef EXPORT_LOCK_H
#define EXPORT_LOCK_H

#include "engine/err.h"

/* Returns a descriptor to hold, or -EPERM with a sentence that names the
 * owner (ERR_REFUSED), or another -errno with a sentence. folder is for the
 * sentences. */
int lock_take(int dir_fd, const char *folder, struct err *err);

/* Remove the lock file and let go. fd as from lock_take. */
void lock_release(int dir_fd, int fd);

#endif
