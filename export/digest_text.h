/*
 * digest_text: what HTML page and Markdown have in common: the sweet spots as
 * rows of texts, and the file that they go to. Internal to export/.
 */
#ifndef EXPORT_DIGEST_TEXT_H
#define EXPORT_DIGEST_TEXT_H

#include <stdio.h>

#include "engine/units.h"
#include "export/book_model.h"
#include "export/book_notes.h"
#include "export/digest.h"

/* The table of sweet spots. */
enum digest_column {
	DIGEST_WORKLOAD,
	DIGEST_SIZE,
	DIGEST_OUTSTANDING,
	DIGEST_IOPS,
	DIGEST_RANGE, /* 95% interval of the IOPS */
	DIGEST_MIBPS,
	DIGEST_LATENCY,
	DIGEST_P99,
	DIGEST_DOUBTS,
	DIGEST_COLUMNS
};
extern const char *const digest_heads[DIGEST_COLUMNS];

#define DIGEST_CELL_MAX (3 * LABEL_MAX)
struct digest_row {
	char cell[DIGEST_COLUMNS][DIGEST_CELL_MAX]; /* "": unknown */
};

/* The row of a group; where it has no sweet spot the size says "none". */
void digest_spot(const struct book_model *m, const struct book_group *g,
		 struct digest_row *row);

/* "Random read, buffered": workload and what tells the group apart. */
char *digest_group_name(const struct book_model *m, const struct book_group *g,
			char *buf, size_t size);

/* The conclusion of the group in words. */
char *digest_sentence(const struct book_model *m, const struct book_group *g,
		      char *buf, size_t size);

/* "2026-01-01 12:00 UTC, 2 workloads on 1 target, 128 of 128 points
 * measured". */
char *digest_about(const struct book_model *m, char *buf, size_t size);

/* As people read it at its size, three digits or more: "1,234", "12.3",
 * "0.123"; "" when unknown. */
char *digest_number(char buf[UNITS_TEXT_MAX], double value);

/* What is written of the model and its notes; errors stay in f. */
typedef int digest_body(FILE *f, const struct book_model *m,
			const struct book_notes *notes);

/* Open, fill, replace. */
int digest_write(const char *path, const struct run *const *runs,
		 uint32_t run_count, const struct book_opts *opts,
		 digest_body *body, struct err *err);

#endif
