/*
 * factfile: run.ini, what is known about a run as a whole: sections of names
 *and values, each on a line of its own.
 *
 *	[machine]
 *	kernel = 6.1.0
 */
#ifndef EXPORT_FACTFILE_H
#define EXPORT_FACTFILE_H

#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"
#include "export/result.h"

#define FACTFILE_FACTS_MAX 4096
#define FACTFILE_BYTES_MAX (1024 * 1024)

/*
 * Write all facts, in order, grouped by section. Section, name and value are
 * made lines of clean UTF-8 ('?' for what cannot be kept: control characters,
 * '=' in a name). Names are not empty and do not begin with [ # or ;. Returns
 * -EINVAL with a sentence when a name is there twice in a section, else 0;
 * other errors stay in the FILE.
 */
int factfile_write(FILE *f, const struct run_fact *facts, uint32_t count,
		   struct err *err);

/*
 * Read them back from the descriptor of a regular file. Strict: a line is
 * `[section]`, `name = value`, empty or a comment (# or ;); duplicates, a
 * name outside a section and NUL bytes are errors with path:line. 0 or
 * -errno with a sentence; factfile_free frees after success.
 */
int factfile_read(int fd, const char *path, struct run_fact **out_facts,
		  uint32_t *out_count, struct err *err);
void factfile_free(struct run_fact *facts, uint32_t count);

#endif
