/*
 * ini: reads our INI files (plans, templates, reports, run.ini's kin): lines
 * `[section name]`, `key = value`, comments on whole lines (# or ;). UTF-8,
 * LF or CRLF, an optional BOM. Strict: anything else, a key outside a
 * section, a line over 4,096 bytes, a NUL or other control character, bytes
 * that are not UTF-8, a duplicate key in a section is an error with path:line.
 * A value may be empty; ; and # inside a value are part of it. A section may
 * come twice: that is the handler's to judge.
 */
#ifndef SWEEP_INI_H
#define SWEEP_INI_H

#include <stddef.h>

#include "engine/err.h"

/* Called for every section line (key and value NULL) and every key. section
 * is the text between the brackets, trimmed. Return 0 or -errno with err
 * filled to stop. */
typedef int ini_handler(void *arg, const char *where, const char *section,
			const char *key, const char *value, struct err *err);

/* Calls the handler in file order; its where is "path:line". 0 or -errno with
 * a sentence (kind usage, also for a file that cannot be read). */
int ini_read(const char *path, ini_handler *handler, void *arg,
	     struct err *err);

#endif
