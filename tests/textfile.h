/*
 * textfile: a scratch file with given bytes for tests of readers.
 */
#ifndef TESTS_TEXTFILE_H
#define TESTS_TEXTFILE_H

#include <stddef.h>

#define TEXTFILE_PATH_MAX 64

/* A new file under /tmp holding size bytes of data; its path into path. Ends
 * the test program when it cannot. */
void textfile_new(char path[TEXTFILE_PATH_MAX], const void *data, size_t size);
/* Fill an existing one anew. */
void textfile_refill(const char *path, const void *data, size_t size);

#endif
