/*
 * folder: makes a folder for results, and brings the name of a new file or
 * folder to disk.
 */
#ifndef EXPORT_FOLDER_H
#define EXPORT_FOLDER_H

#include "engine/err.h"

/* Make a folder that must not exist, and those above it that do not; 0700 as
 * root. 0, -EPERM with a sentence when it is there (ERR_REFUSED), or another
 * -errno with a sentence. */
int folder_make(const char *path, struct err *err);

/* fsync the folder that holds path. 0 or -errno. */
int folder_sync_parent(const char *path);

#endif
