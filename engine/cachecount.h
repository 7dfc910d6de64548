/*
 * cachecount: what caches count of themselves: bcache, dm-cache and the ARC of
 * ZFS, and what a command of the user's prints. Names and running totals: read
 * twice and subtract.
 */
#ifndef ENGINE_CACHECOUNT_H
#define ENGINE_CACHECOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/stack.h"

/* Whose hit ratio it is. */
enum cachecount_kind {
	CACHECOUNT_BCACHE,
	CACHECOUNT_DM,
	CACHECOUNT_ARC,
	CACHECOUNT_PROBE,
	CACHECOUNT_KIND_COUNT
};

#define CACHECOUNT_NAME_MAX 64
struct cachecount {
	enum cachecount_kind kind;
	char source[CACHECOUNT_NAME_MAX]; /* "bcache0", "dm-3", "zfs arc" */
	char name[CACHECOUNT_NAME_MAX];	  /* "cache_hits" */
	double value;
};

#define CACHECOUNT_MAX 96
struct cachecounts {
	struct cachecount at[CACHECOUNT_MAX];
	uint32_t count;
};

/* Where the system's files are: "/sys" and "/proc". */
struct cachecount_roots {
	const char *sys, *proc;
};

/* Append what the caches in a stack count, and the ARC where the file system
 * is zfs. What cannot be read is left out. */
void cachecount_read(const struct cachecount_roots *roots,
		     const struct stack *stack, const char *fs,
		     struct cachecounts *out);

/* The parsers. dm: what stands behind "cache" in a status, "8 27/1024 128
 * ..."; 0 or -EINVAL (a failed cache says "Fail"). lines: name=value, others
 * are passed over, and with them texts that are no number. */
int cachecount_parse_dm(const char *source, const char *status,
			struct cachecounts *out);
void cachecount_parse_lines(const char *text, struct cachecounts *out);

/* bcache gathers its counts only every 300 s / 22: over less than ten times
 * that, they say more of other visits than of this one. */
#define CACHECOUNT_BCACHE_SPAN_NS ((uint64_t)136000000000)

/*
 * Hits of 100 between two readings that are span_ns apart, of the first source
 * that tells: the user's command (names hits and misses), dm-cache, bcache, the
 * ARC. writes: of the writes, where a source has them apart. NAN where none
 * tells or nothing was looked up; *out_kind is set otherwise.
 */
double cachecount_hit_pct(const struct cachecounts *before,
			  const struct cachecounts *after, bool writes,
			  uint64_t span_ns, enum cachecount_kind *out_kind);

/* The same name of the same source before; NAN where there is none. */
double cachecount_delta(const struct cachecounts *before,
			const struct cachecount *after);

#endif
