/*
 * bookrun: a run in memory with the numbers of a simple device, for tests of
 * what is made of a run. No folder, no noise; results are filled directly, so
 * that nothing of the analysis is needed.
 */
#ifndef TESTS_BOOKRUN_H
#define TESTS_BOOKRUN_H

#include "export/result.h"

#define BOOKRUN_AXIS_MAX 400 /* values; what is behind them ends the list */

/* The cross product of these; an axis without values has the default. */
struct bookrun_axes {
	const char *label;			      /* "fake" */
	uint64_t block_sizes[BOOKRUN_AXIS_MAX + 1];   /* 8K */
	uint32_t outstandings[BOOKRUN_AXIS_MAX + 1];  /* 1 */
	double randoms[BOOKRUN_AXIS_MAX + 1];	      /* 100; ends with -1 */
	double reads[BOOKRUN_AXIS_MAX + 1];	      /* 100; ends with -1 */
	const char *targets[BOOKRUN_AXIS_MAX + 1];    /* "/data/test.dat" */
	const char *variants[BOOKRUN_AXIS_MAX + 1];   /* "" */
	const char *sections[BOOKRUN_AXIS_MAX + 1];   /* "" */
	enum cache_mode caches[BOOKRUN_AXIS_MAX + 1]; /* direct */
	uint32_t cache_count;
	uint32_t threads[BOOKRUN_AXIS_MAX + 1]; /* 1 */
	uint32_t rounds;			/* 5 */
	bool no_latency; /* as imported from a tool that does not tell it */
	/* Intervals of 100 ms a visit; with them come histograms. 0: none. */
	uint32_t samples;
};

/* 8K..1M and 1..128: the default grid of 64. */
void bookrun_axes_default(struct bookrun_axes *axes);

/*
 * Fill run. A point of n outstanding at block size b does n / (90 us + b / 2.5
 * GB/s) IOPS up to a ceiling of 250,000 IOPS or 2.2 GB/s, smoothed at the
 * knee; sequential ones 1.2 times, writes 0.8 times, buffered and variants
 * named "cached" 3 times that, the second target half. Of the intervals the
 * first third of each visit does 60%, the others go up and down by 5%, and the
 * one in the middle has a latency of 50 times the mean. Fails the test when
 * out of memory.
 */
void bookrun_init(struct bookrun_axes *axes, struct run *run);
void bookrun_fini(struct run *run);

/* Turn a point into one that failed or was skipped; the reason is kept by
 * pointer. */
void bookrun_fail(struct run *run, uint32_t point, const char *reason);
void bookrun_skip(struct run *run, uint32_t point, const char *reason);
/* Into one that was never visited. */
void bookrun_forget(struct run *run, uint32_t point);

/* Add a fact; copies. */
void bookrun_fact(struct run *run, const char *section, const char *name,
		  const char *value);

#endif
