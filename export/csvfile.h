/*
 * csvfile: CSV as RFC 4180 has it, over libcsv. UTF-8, header line, comma,
 * LF, C locale. Text that a spreadsheet would take for a formula (first
 * character = + - @ TAB CR) gets a leading apostrophe when written for
 * people (csvfile_text), never in the run folder's own files.
 */
#ifndef EXPORT_CSVFILE_H
#define EXPORT_CSVFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/err.h"

/*
 * Read path: call row for the header (line 1) and every row that ended with
 * its newline. A last row without newline is dropped and *torn set to true
 * (torn may be NULL). row returns 0 to go on or -errno (with err filled) to
 * stop. fields are valid during the call only. Limits: 1,024 fields a row,
 * 64 KiB a field, beyond is an error with path:line. 0 or -errno.
 */
typedef int csvfile_row(void *arg, size_t line, const char **fields,
			size_t count, struct err *err);
int csvfile_read(const char *path, csvfile_row *row, void *arg, bool *torn,
		 struct err *err);

/* Append one field, quoted where needed, with a leading comma unless first.
 * Errors stay in the FILE: check ferror once a row. */
void csvfile_put(FILE *f, bool first, const char *text);
/* The same, made harmless for spreadsheets. */
void csvfile_put_safe(FILE *f, bool first, const char *text);

#endif
