/*
 * planfile: reads a plan file or template (INI) into a plan_request.
 *
 * Sections: [sweep] (common axes and settings), [workload NAME] (axes only),
 * [variant NAME] is refused for now with a sentence. Keys are the option
 * names of plan_key_name; an unknown key is an error with path:line and the
 * nearest known key.
 */
#ifndef SWEEP_PLANFILE_H
#define SWEEP_PLANFILE_H

#include "engine/err.h"
#include "sweep/plan.h"

int planfile_read(const char *path, struct plan_request *req, struct err *err);

/* Where templates are: beside the binary (../../templates from build/x/, or
 * templates beside it), then datadir. */
struct template_info {
	char *name; /* file name without .ini */
	char *path;
	char *headline; /* first comment line */
};
struct template_list {
	struct template_info *items; /* by name */
	size_t count;
};
int template_list_new(const char *datadir, struct template_list *out);
void template_list_free(struct template_list *list);
/* Path of a template by name, or of a file when the name holds a '/' or ends
 * in .ini; freed by the caller. -ENOENT with the list of names. */
int template_find(const char *datadir, const char *name, char **out_path,
		  struct err *err);

#endif
