/*
 * sweetspot: the answer of a sweep, by the definition in README ("sweet
 * spot"). Pure: from results to structs; knows no format.
 *
 * A group (group.h) is what is swept over block size and outstanding with
 * the rest fixed. For each block size: the smallest outstanding with IOPS >=
 * 95% of that size's best. Over the sizes: the smallest block size that, at
 * its own sweet outstanding, has MiB/s >= 95% of the best of them. Values
 * decide; but where a smaller candidate falls short of its mark by its value
 * and may truly reach it, by the 95% interval of the ratio within rounds, both
 * are named, undecided: of two block sizes the smaller one first, as it costs
 * least when it was wrong, if its value is at least 95% of the mark; elsewhere,
 * and of two outstanding, the one that has the value.
 * With a latency limit: the same among the points whose value keeps it; an
 * unknown latency does not.
 */
#ifndef EXPORT_SWEETSPOT_H
#define EXPORT_SWEETSPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "export/result.h"

#define SWEETSPOT_SHARE 0.95

/* A limit such as p99=2ms; which = PCT_COUNT: the mean; limit_us NAN: no
 * limit. */
struct latency_limit {
	enum percentile which;
	double limit_us;
};

/* A block size with at least one point to choose from. */
struct sweetspot_size {
	uint64_t block_size_bytes;
	const struct result *sweet; /* smallest outstanding at >= 95% */
	const struct result *best;  /* most IOPS of that size */
	/* Of all that was measured, the latency limit aside: */
	const struct result *peak;    /* most IOPS */
	const struct result *deepest; /* most outstanding */
};

struct sweetspot {
	/* The first point of the group: target, variant, cache, read %,
	 * random %, section are the group's. */
	const struct point *group;
	struct sweetspot_size *sizes; /* by block size, ascending; owned */
	uint32_t size_count;
	const struct result *sweet;	/* NULL: nothing measured, or no point
					 * keeps the latency limit */
	const struct result *undecided; /* the other one that may be it, or
					 * NULL */
	const struct result *peak_iops, *peak_mibps, *lowest_latency;
};

struct sweetspot_list {
	struct sweetspot *spots; /* in order of first appearance; owned */
	uint32_t count;
};

/* limit may be NULL. 0 or -ENOMEM. sweetspot_free frees. */
int sweetspot_find(const struct run *run, const struct latency_limit *limit,
		   struct sweetspot_list *out);
void sweetspot_free(struct sweetspot_list *list);

/* True when two points belong to one group, threads aside. */
bool sweetspot_same_group(const struct point *a, const struct point *b);

/*
 * The conclusion in words, into buf (SWEETSPOT_TEXT_MAX is enough), cut at
 * size - 1; returns buf: "Random read: 64K at 32 outstanding, 2,104 MiB/s,
 * 33,664 IOPS, 0.95 ms; more outstanding adds latency only." Latency is the
 * mean. Also where nothing was measured or nothing keeps the limit. name is
 * what it begins with, such as a label_group; NULL: the workload's.
 */
#define SWEETSPOT_TEXT_MAX 512
struct theme;
char *sweetspot_say(const struct sweetspot *spot, const char *name,
		    const struct theme *theme, char *buf, size_t size);
char *sweetspot_sentence(const struct sweetspot *spot, const char *name,
			 char *buf, size_t size);

/* "mean=2ms", "p99=500us", also p50, p90, p95, p99.9, p99.99. 0, or -EINVAL
 * with a sentence; out is untouched on failure. */
int latency_limit_parse(const char *text, const char *where,
			struct latency_limit *out, struct err *err);

#endif
