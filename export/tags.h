/*
 * tags: what the storage was, in the user's words: "raid" is "5". They are
 * facts of run.ini, so that one that was forgotten can be written there later:
 *
 *	[tags]
 *	raid = 5
 *	[tags /dev/sdb]
 *	raid = 10
 *
 * The second section holds for that target alone, and before the first.
 */
#ifndef EXPORT_TAGS_H
#define EXPORT_TAGS_H

#include "export/result.h"

#define TAGS_SECTION "tags"

/* Bytes of a name and of what it says, without the NUL. */
#define TAGS_KEY_MAX 64
#define TAGS_VALUE_MAX 256

/* So many names head the columns of a table. */
#define TAGS_KEYS_MAX 6

/* A fact that is a tag. */
bool tags_is_tag(const struct run_fact *fact);

/* What a tag says of a target of the run, "" where it says nothing. */
const char *tags_value(const struct run *run, const char *target,
		       const char *key);

/* "raid=5, media=ssd" into buf, as many as fit whole; returns buf. */
char *tags_text(const struct run *run, const char *target, char *buf,
		size_t size);

/* Names of tags, in order of first appearance; those of runs are theirs. */
struct tags_keys {
	const char *key[TAGS_KEYS_MAX];
	uint32_t count;
};

/* Those of all runs; what is over TAGS_KEYS_MAX is left out. */
void tags_keys_find(const struct run *const *runs, uint32_t run_count,
		    struct tags_keys *out);

#endif
