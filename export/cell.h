/*
 * cell: the text of a single cell and back, exactly: what is written reads
 * back equal. C locale whatever the program's is.
 */
#ifndef EXPORT_CELL_H
#define EXPORT_CELL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/visit.h"

/* Parsers: 0, or -EINVAL with out untouched. Nothing before or behind the
 * value, and no empty text. */

/* Digits only. */
int cell_parse_integer(const char *text, uint64_t max, uint64_t *out);
/* Decimal, finite. */
int cell_parse_real(const char *text, double *out);
/* "2026-01-02T03:04:05.678900000Z", 1970 to 2261. */
int cell_parse_time(const char *text, int64_t *out_utc_ns);
/* "EIO:3 short:1 other:2"; unused entries are zeroed. */
int cell_parse_errors(const char *text,
		      struct io_error_count out[VISIT_ERROR_KINDS]);

/* Writers: return buf. Room for any cell but the errors: */
#define CELL_TEXT_MAX 64

char *cell_format_integer(char *buf, uint64_t value);
/* As short as reads back equal. value must be finite. */
char *cell_format_real(char *buf, double value);
char *cell_format_time(char *buf, int64_t utc_ns);

#define CELL_ERRORS_MAX 320
char *cell_format_errors(char *buf,
			 const struct io_error_count errors[VISIT_ERROR_KINDS]);

#endif
