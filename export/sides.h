/*
 * sides: which states of the storage a set of runs holds, to be held against
 * each other. A side is a variant in a cache mode by an engine; points
 * without a variant have their run's label for one, and a run that repeats
 * what an earlier one of the same name has becomes "name (2)". The workbook
 * and `iosweep compare` find their sides here. Pure.
 */
#ifndef EXPORT_SIDES_H
#define EXPORT_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "export/label.h"
#include "export/result.h"

struct side {
	struct point point;    /* one of it, its variant as called here */
	const struct run *run; /* where that one is from */
	char label[LABEL_MAX]; /* "cached", "buffered"; "" for an only side */
	bool single_target;
};

struct sides {
	const struct run *const *runs;
	uint32_t run_count;
	struct side *sides; /* the base first */
	uint32_t count;
	/* Some side differs from the base by a cache, as names or modes tell;
	 * else they are only different. */
	bool cache_effect;
	bool by_target; /* the sides are targets */
	bool ordered;	/* as asked */
	struct sides_run *groups;
	struct strings *strings; /* owner of the variants made here */
};

struct sides_opts {
	/* Label, variant, cache mode, run folder or its name of the base;
	 * NULL: the one whose name or mode says that it has no cache, else
	 * the first. */
	const char *base;
	/* Without a name, the base is one of the first run's. And where all
	 * is of one side, its targets are the sides. */
	bool ordered;
};

/* opts may be NULL. 0, -ENOMEM, or -EINVAL with a sentence: no side or several
 * have that name. sides_free after success. */
int sides_find(const struct run *const *runs, uint32_t run_count,
	       const struct sides_opts *opts, struct sides *out,
	       struct err *err);
void sides_free(struct sides *s);

/* The side of a point, and its variant as called here; by the numbers of run
 * and point. */
uint32_t sides_of(const struct sides *s, uint32_t run, uint32_t point);
const char *sides_variant(const struct sides *s, uint32_t run, uint32_t point);

/* The sweep group of a point within its run (group.h). */
uint32_t sides_group(const struct sides *s, uint32_t run, uint32_t point);

/* A cache may be a device of its own in front of the disk: /dev/sdb and
 * /dev/bcache0 can then be compared, if the names of their sides say so. */
bool sides_contrast(const struct side *a, const struct side *b);

#endif
