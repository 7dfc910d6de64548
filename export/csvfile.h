/*
 * csvfile: CSV as RFC 4180 has it, over libcsv. UTF-8, header line, comma,
 * LF, C locale. Text that a spreadsheet would take for a formula (first
 * character = + - @ TAB CR) gets a leading apostrophe when written for
 * people (csvfile_put_safe), never in the run folder's own files.
 */
#ifndef EXPORT_CSVFILE_H
#define EXPORT_CSVFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"

#define CSVFILE_FIELDS_MAX 1024
#define CSVFILE_FIELD_BYTES_MAX ((size_t)64 * 1024)

/*
 * Called for the header (line 1) and every row that ended with its newline;
 * line is where the row begins. Returns 0 to go on or -errno (with err filled)
 * to stop. fields are valid during the call only.
 */
typedef int csvfile_row(void *arg, size_t line, const char **fields,
			size_t count, struct err *err);

/* Where the rows that count end. */
struct csvfile_end {
	uint64_t whole_bytes; /* from the start up to the last whole row */
	bool torn; /* behind it stands a row without its newline, or a last
		    * row with NUL bytes, the mark of blocks that a power
		    * loss left unwritten */
};

/* An open file, at its start. */
struct csvfile_source {
	int fd;		      /* stays the caller's */
	const char *path;     /* for sentences */
	uint64_t limit_bytes; /* read no further; UINT64_MAX: to the end */
};

/*
 * Read all rows. LF or CRLF, an optional byte order mark; empty lines are
 * passed over. Anything that is not CSV (a quote inside an unquoted field,
 * text behind a closing quote, a lone CR, a NUL byte) and anything beyond the
 * limits is an error with path:line. The torn tail is dropped and reported in
 * end (may be NULL). 0 or -errno with a sentence.
 */
int csvfile_read_source(const struct csvfile_source *source, csvfile_row *row,
			void *arg, struct csvfile_end *end, struct err *err);

/* The same for a path; torn may be NULL. */
int csvfile_read(const char *path, csvfile_row *row, void *arg, bool *torn,
		 struct err *err);

/* Append one field, quoted where needed, with a leading comma unless first.
 * Errors stay in the FILE: check ferror once a row. */
void csvfile_put(FILE *f, bool first, const char *text);
/* The same as one line of UTF-8: bytes that are no part of a printable
 * character become '?'. */
void csvfile_put_clean(FILE *f, bool first, const char *text);
/* Clean, and made harmless for spreadsheets. */
void csvfile_put_safe(FILE *f, bool first, const char *text);

#endif
