/*
 * groupby: --group-by KEY,KEY of the commands that put runs side by side.
 */
#ifndef SWEEP_GROUPBY_H
#define SWEEP_GROUPBY_H

#include "engine/err.h"
#include "export/tags.h"

#define GROUPBY_HELP                                                           \
	"rows of configurations by these tags, such as storage,raid; also "    \
	"target, run and variant (default: all tags)"

struct groupby {
	char *text; /* owned; NULL: not said */
	struct tags_keys keys;
};

/* 0, or -errno with a sentence. groupby_fini frees. */
int groupby_parse(struct groupby *g, const char *text, const char *where,
		  struct err *err);

/* 0, or -EINVAL with a sentence when no run has one of them. */
int groupby_check(const struct groupby *g, const struct run *runs,
		  uint32_t count, struct err *err);

/* NULL where nothing was said. */
const struct tags_keys *groupby_keys(const struct groupby *g);
void groupby_fini(struct groupby *g);

#endif
