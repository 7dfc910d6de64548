/*
 * tempfile: replaces a file as a whole: written beside it, fsynced, renamed
 * over it. Who reads it sees the old or the new one, never a half.
 */
#ifndef EXPORT_TEMPFILE_H
#define EXPORT_TEMPFILE_H

#include <stdio.h>

#include "engine/err.h"

struct tempfile {
	FILE *file; /* to write to; errors are found by tempfile_commit */
	char *path; /* what will be replaced, symbolic links resolved */
	char *temp; /* .NAME.XXXXXX beside it */
};

/* 0, or -errno with a sentence; -EINVAL where path is there and is no regular
 * file, so that a device is never renamed over. */
int tempfile_open(const char *path, struct tempfile *t, struct err *err);

/* Flush, fsync, rename, fsync the folder. 0 or -errno with a sentence; then
 * what was at path is untouched. Frees in both cases. */
int tempfile_commit(struct tempfile *t, struct err *err);

/* Remove the temporary file and free. */
void tempfile_abort(struct tempfile *t);

/* Remove what a killed process left of temporary files for `name` in the
 * folder, those of libxlsxwriter included. Only for one who holds the folder's
 * lock. */
void tempfile_sweep(int dir_fd, const char *name);

#endif
