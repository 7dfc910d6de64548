/*
 * templates: plan files that come with the program, by name. They are looked
 * for beside the binary (../../templates from build/x/, or templates beside
 * it), then in datadir; the first of a name wins.
 */
#ifndef SWEEP_TEMPLATES_H
#define SWEEP_TEMPLATES_H

#include <stddef.h>

#include "engine/err.h"

struct template_info {
	char *name; /* file name without .ini */
	char *path;
	char *headline; /* first comment line; "" where it has none */
};

struct template_list {
	struct template_info *items; /* by name */
	size_t count;
};

/* All that are found; none is no error. 0 or -ENOMEM; template_list_free
 * frees. datadir holds templates/sweeps/ and may not exist. */
int template_list_new(const char *datadir, struct template_list *out);
void template_list_free(struct template_list *list);

/* Path of a template by name, or of a file when the name holds a '/' or ends
 * in .ini; freed by the caller. -ENOENT with a sentence of kind usage that
 * tells the names there are; -ENOMEM. */
int template_find(const char *datadir, const char *name, char **out_path,
		  struct err *err);

/* The same for a theme of workbooks, among those of templates/reports/. */
int theme_find(const char *datadir, const char *name, char **out_path,
	       struct err *err);

#endif
