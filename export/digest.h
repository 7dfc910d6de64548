/*
 * digest: what the workbook says, for people without Excel: one HTML page
 * that needs nothing from outside (tables, heat maps, SVG charts), or Markdown
 * for a ticket.
 */
#ifndef EXPORT_DIGEST_H
#define EXPORT_DIGEST_H

#include "export/book.h"

/*
 * Write path by temp file and rename in its folder; options as for the book.
 * 0 or -errno with a sentence; on failure an older file at path is untouched.
 */
int digest_write_html(const char *path, const struct run *const *runs,
		      uint32_t run_count, const struct book_opts *opts,
		      struct err *err);
int digest_write_md(const char *path, const struct run *const *runs,
		    uint32_t run_count, const struct book_opts *opts,
		    struct err *err);

#endif
