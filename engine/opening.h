/*
 * opening: target_fd as a visit needs it: opening may hang, and the guard
 * reads what is on a target before it is written.
 */
#ifndef ENGINE_OPENING_H
#define ENGINE_OPENING_H

#include <stdbool.h>

#include "engine/err.h"
#include "engine/measure.h"
#include "engine/target.h"

/*
 * As target_fd. -ETIMEDOUT with a sentence when the target did not answer
 * within opts' timeout, -EINTR when opts' stop said 2 meanwhile: then it is
 * left alone (t->left_alone) and not opened again.
 */
int opening_fd(struct target *t, enum cache_mode mode, bool writes,
	       const struct measure_opts *opts, struct err *err);

#endif
