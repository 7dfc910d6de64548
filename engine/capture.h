/*
 * capture: what a program prints. It runs in a process group of its own, with
 * nothing to read, and is killed with all its children when it takes too long.
 */
#ifndef ENGINE_CAPTURE_H
#define ENGINE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#define CAPTURE_LIMIT_NS ((uint64_t)10000000000)

/*
 * Run argv (the program is found along PATH) and put what it prints, as much
 * of it as fits, into buf, ended by NUL. Its exit status; or -ETIMEDOUT,
 * -EINTR when a signal ended it, -ENOENT and others where it could not be
 * run. buf is valid in all cases.
 */
int capture_run(const char *const argv[], uint64_t limit_ns, char *buf,
		size_t size);

#endif
