/*
 * ini: reads our INI files (plans, templates, reports, run.ini's kin): lines
 * `[section name]`, `key = value`, comments on whole lines (# or ;). UTF-8,
 * LF or CRLF, an optional BOM. Strict: anything else, a key outside a
 * section, a line over 4,096 bytes, a NUL, a duplicate key in a section is an
 * error with path:line.
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

/* where is "path:line". 0 or -errno with a sentence. */
int ini_read(const char *path, ini_handler *handler, void *arg,
	     struct err *err);

#endif
