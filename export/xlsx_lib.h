/*
 * xlsx_lib: what the modules xlsx_*.c share: the library's objects behind
 * struct xlsx. Nobody else includes it.
 */
#ifndef EXPORT_XLSX_LIB_H
#define EXPORT_XLSX_LIB_H

#include <locale.h>
#include <xlsxwriter.h>

#include "export/xlsx.h"

/* Number formats that callers bring along (xlsx_number_as). */
#define XLSX_FORMATS_MAX 64

struct xlsx_own_format {
	const char *text;
	lxw_format *format;
};

struct xlsx_sheet {
	struct xlsx *book;
	lxw_worksheet *lib;
	char name[XLSX_NAME_SIZE];
	lxw_row_t *breaks; /* count of them, then a 0 */
	uint32_t break_count;
};

struct xlsx {
	char *path;
	const struct theme *theme;
	lxw_workbook *lib;
	/* Numbers are written with printf: a decimal comma breaks the book. */
	locale_t c_locale, callers_locale;
	lxw_format *formats[XLSX_STYLE_COUNT];
	struct xlsx_own_format own[XLSX_FORMATS_MAX];
	uint32_t own_count;
	struct xlsx_sheet **sheets;
	uint32_t sheet_count;
	int rc; /* of the first failure, with its sentence: */
	struct err err;
};

/* True when s can be written to. */
static inline bool xlsx_works(const struct xlsx_sheet *s)
{
	return s && s->book->rc == 0;
}

/* Keep the first failure, told of what was being written. */
void xlsx_check(struct xlsx *x, lxw_error code, const char *what);
/* The same for the one failure that needs no explanation. */
void xlsx_no_memory(struct xlsx *x);

/* All formats, made at the beginning. */
void xlsx_make_formats(struct xlsx *x);

#endif
