/*
 * tempdir: a folder of a test's own under $TMPDIR or /tmp, and whole files in
 * and out of it. Anything that fails ends the program: tests cannot go on
 * without.
 */
#ifndef TESTS_TEMPDIR_H
#define TESTS_TEMPDIR_H

#include <stddef.h>

/* Made new; freed and removed with all that is in it by tempdir_remove. */
char *tempdir_new(void);
void tempdir_remove(char *path);

/* folder/name; freed by the caller. */
char *tempdir_path(const char *folder, const char *name);

/* The whole file with a NUL behind it; freed by the caller. length may be
 * NULL. */
char *file_read(const char *path, size_t *length);
void file_write(const char *path, const char *data, size_t length);

#endif
