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

#define PLANFILE_SECTIONS_MAX 1000

/*
 * Fills common and sections of a request that has none yet. 0, or -errno with
 * a sentence (kind usage): a file that cannot be read, is no INI, holds no
 * section, an unknown section or key, a setting in a workload, an empty value,
 * a workload's name twice. Values are not parsed here but by plan_build. On
 * failure the request holds a part; plan_request_fini frees it.
 */
int planfile_read(const char *path, struct plan_request *req, struct err *err);

#endif
