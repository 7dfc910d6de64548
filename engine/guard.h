/*
 * guard: the one place that decides whether a target may be written.
 *
 * A block device is refused unless the consent names exactly that device, and
 * refused all the same when it, a partition, a parent or a holder of it is
 * mounted, is swap, or is held by another exclusive opener, or when that
 * cannot be told. An existing file is written only when it carries our mark
 * (xattr user.iosweep), or the consent names it. The decision is made on the
 * open descriptor (fstat), so a path swapped after the check changes nothing.
 */
#ifndef ENGINE_GUARD_H
#define ENGINE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"

/*
 * Open t for reading and writing with extra open(2) flags (O_DIRECT, O_DSYNC).
 * Returns the descriptor, or -EPERM with a sentence that names the device or
 * file, what stands against it and what to do (kind ERR_REFUSED), or another
 * -errno when the open itself failed.
 */
int guard_open_writable(const struct target *t, int flags, struct err *err);

/* The same decision without keeping anything open for writing: for `plan`,
 * `check` and the preflight. Opens devices read-only at most. 0 or -EPERM. */
int guard_check_writable(const struct target *t, struct err *err);

#endif
