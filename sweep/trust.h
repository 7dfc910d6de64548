/*
 * trust: whether nobody but us can have written a file of commands.
 */
#ifndef SWEEP_TRUST_H
#define SWEEP_TRUST_H

#include "engine/err.h"

/*
 * For root: the file, and each folder on the way to it, belongs to root or to
 * the user behind sudo, and nobody else may write it; a folder further up that
 * all may write but where all keep what is theirs (/tmp) is no harm. Links are
 * followed first. 0, or -EPERM with a sentence that says what others can
 * write. Anybody else runs commands with their own rights: 0.
 */
int trust_file(const char *path, struct err *err);

#endif
