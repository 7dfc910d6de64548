/*
 * sysfile: small files of sysfs and procfs as text, under a root that tests
 * may choose.
 */
#ifndef ENGINE_SYSFILE_H
#define ENGINE_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

#define SYSFILE_PATH_MAX 512

/* The file whose path is printed by fmt, as much of it as fits, without white
 * space at its end. 0 or -errno; buf is "" on failure. */
int sysfile_read(char *buf, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same where it holds a number, as bcache writes them too: "12", "1.5k"
 * (binary, rounded). 0, -errno or -EINVAL. */
int sysfile_number(double *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
