/*
 * sweetspot: the answer of a sweep, by the definition in README ("sweet
 * spot"). Pure: from results to structs; knows no format.
 *
 * A group is what is swept over block size and outstanding with the rest
 * fixed: target, variant, cache mode, section, read %, random %, threads rule
 * aside. For each block size: the smallest outstanding with IOPS >= 95% of
 * that size's best. Over the sizes: the smallest block size that, at its own
 * sweet outstanding, has MiB/s >= 95% of the best. If the interval of a
 * smaller candidate straddles the 95% mark, it is named too, undecided.
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

struct sweetspot_size {
	uint64_t block_size_bytes;
	const struct result *sweet; /* smallest outstanding at >= 95% */
	const struct result *best;  /* most IOPS of that size */
};

struct sweetspot {
	/* The first point of the group: target, variant, cache, read %,
	 * random %, section are the group's. */
	const struct point *group;
	struct sweetspot_size *sizes; /* by block size, ascending; owned */
	uint32_t size_count;
	const struct result *sweet;	/* NULL: nothing measured, or no point
					 * keeps the latency limit */
	const struct result *undecided; /* the smaller one that may be it too,
					 * or NULL */
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

/* True when two points belong to one group. */
bool sweetspot_same_group(const struct point *a, const struct point *b);

/*
 * The conclusion in words, into buf: "Random read: 64K at 32 outstanding,
 * 2,104 MiB/s, 33,664 IOPS, 1.0 ms; more outstanding adds latency only."
 */
char *sweetspot_sentence(const struct sweetspot *spot, char *buf, size_t size);

/* "mean=2ms", "p99=500us"; 0 or -EINVAL with a sentence. */
int latency_limit_parse(const char *text, const char *where,
			struct latency_limit *out, struct err *err);

#endif
