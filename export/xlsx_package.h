/*
 * xlsx_package: a finished workbook as what it is, a zip of XML parts: reads
 * parts, and writes a copy in which some are other or new. The book itself is
 * never touched. For what libxlsxwriter cannot write; internal to export/.
 */
#ifndef EXPORT_XLSX_PACKAGE_H
#define EXPORT_XLSX_PACKAGE_H

#include <stdio.h>

#include "engine/err.h"

struct xlsx_package;

/* Open the book at path. 0 or -errno with a sentence. */
int xlsx_package_open(const char *path, struct xlsx_package **out,
		      struct err *err);
void xlsx_package_close(struct xlsx_package *p);

/* The text of a part as it will be written, to be freed; NULL with a sentence
 * when it is not there or cannot be read. */
char *xlsx_package_text(const struct xlsx_package *p, const char *name,
			struct err *err);

/* Replace a part, or add it behind the others; takes text, which is on the
 * heap, also on failure. NULL is out of memory. 0 or -errno with a sentence. */
int xlsx_package_put(struct xlsx_package *p, const char *name, char *text,
		     struct err *err);

/* Put text in front of the one place in a part where mark stands. 0, or
 * -errno with a sentence: also where it stands nowhere, or twice. */
int xlsx_package_insert(struct xlsx_package *p, const char *name,
			const char *mark, const char *text, struct err *err);

/* Write the copy; equal contents give equal bytes. Errors of `to` itself are
 * left to whoever closes it. 0 or -errno with a sentence. */
int xlsx_package_write(const struct xlsx_package *p, FILE *to, struct err *err);

#endif
