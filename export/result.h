/*
 * result: a point over its visits, and a whole run, in plain data. run.c
 * loads it from a run folder, analyse.c computes the results, every output
 * (points.csv, workbook, terminal) reads it. Unknown is NAN.
 */
#ifndef EXPORT_RESULT_H
#define EXPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"
#include "engine/visit.h"
#include "export/verdict.h"

/* A value with its 95% interval; bounds NAN where unknown. */
struct interval {
	double value, low, high;
};

enum percentile {
	PCT_50,
	PCT_90,
	PCT_95,
	PCT_99,
	PCT_999,
	PCT_9999,
	PCT_COUNT
};
extern const double percentile_q[PCT_COUNT]; /* 0.5 .. 0.9999 */

/* The non-empty span of a histogram; small enough to keep one a point. */
struct hist_span {
	uint32_t first; /* index of bucket[0] in struct hist */
	uint32_t count;
	uint64_t *bucket; /* owned */
};

struct result {
	const struct point *point;
	uint32_t done, failed, skipped; /* visits by state */
	uint32_t aside; /* done ones that the numbers do not rest on: not among
			 * those of `done` */
	uint32_t first_round, last_round; /* of `done`; 0 without */
	const char *reason; /* why, of the last failed or skipped visit; "" */
	/* Sums over the done visits; histograms not kept here. */
	struct visit total;
	/* Merged over the done visits; that of service times is empty where
	 * there is no rate. */
	struct hist_span latency[LATENCY_COUNT];

	/* From the visits' means. A result without a done visit has NAN. */
	struct interval iops;
	struct interval mibps;
	struct interval lat_mean_us;
	/* When IOPS are compared with those of another point of the same
	 * target, variant and cache mode: variance of the logarithm, what hit
	 * the device in whole rounds taken out, and its degrees of freedom.
	 * NAN and 0 where rounds cannot be told apart. */
	double within_variance, within_df;
	/* From the merged histogram of both directions; with its binomial
	 * interval. NAN where n (1 - p) < 10. */
	struct interval lat_us[PCT_COUNT];
	double lat_min_us, lat_max_us, lat_stddev_us;
	double read_lat_mean_us, write_lat_mean_us;
	double read_p99_us, write_p99_us;
	double service_p99_us; /* at a rate; else NAN */
	double read_iops, write_iops;
	double cpu_pct;	     /* of one core, workers' user + system */
	double cpu_peak_pct; /* busiest worker, waiting for a core included */
	double device_depth;
	double little;	       /* IOPS x latency / outstanding */
	double best_share_pct; /* IOPS as % of the best of its block size
				* within workload, variant, cache, target */
	uint32_t verdicts;     /* bits 1 << enum verdict, see verdict.h */
	double verdict_value[VERDICT_COUNT]; /* the number of each bit set;
					      * NAN elsewhere */
};

/* A name and a value of run.ini, in file order. */
struct run_fact {
	char *section;
	char *name;
	char *value;
};

struct run {
	char *folder; /* as given */
	char *label;
	struct run_fact *facts;
	uint32_t fact_count;
	struct point *points; /* in plan order */
	uint32_t point_count;
	struct visit *visits; /* in file order */
	uint32_t visit_count;
	struct result *results;	 /* one a point, same order */
	struct strings *strings; /* owner of the texts of points */
	bool torn;		 /* a torn tail was dropped while reading */
};

/* The value of a fact or "" . */
const char *run_fact(const struct run *run, const char *section,
		     const char *name);

/* Whether the results rest on a steady window (--steady; steady.h). */
bool run_wants_steady(const struct run *run);

/* [plan] of a search for the sweet spot, and what it may take a workload; not
 * there in other runs. Points that a search did not need have no visits. */
#define RUN_SEARCH_FACT "search_budget"
bool run_is_search(const struct run *run);

/* More is refused by run_read: folders come from strangers. */
#define RUN_POINTS_MAX 100000
#define RUN_VISITS_MAX 1000000
#define RUN_SAMPLES_MAX 20000000
#define RUN_HISTOGRAM_BYTES_MAX ((uint64_t)2 << 30)

/*
 * Read a run folder: run.ini, plan.csv, visits.csv with the samples of the
 * done visits (series.csv) and their histograms (latency.csv), merged into the
 * results. Of the results only point and latency are filled. Rows without a
 * commit record and torn tails are ignored, torn says so; a failed visit that
 * was repeated later is ignored as well; what belongs to
 * visits that were taken out of visits.csv is ignored too. All texts are clean
 * UTF-8 without control characters ('?' instead). 0, or -errno with a sentence
 * with file:line. run_fini frees after success.
 */
int run_read(const char *folder, struct run *run, struct err *err);

/* run_read, then analyse_run. */
int run_load(const char *folder, struct run *run, struct err *err);
void run_fini(struct run *run);

/*
 * Fill run->results from points, visits and spans: sums, intervals,
 * percentiles, shares, verdicts. Needs results[i].point and latency set, and
 * the visits of one point in the order of their time. Also used by tests that
 * build a run in memory. 0 or -ENOMEM.
 *
 * A value is the sum over the done visits, or the ratio of two sums; an
 * interval says how far the mean over the time of the sweep may be off, from
 * the spread of the visits (rounds.h). With one visit a point it comes from
 * the spread of others that had several, else from the visit's own samples,
 * else it is unknown.
 */
int analyse_run(struct run *run);

#endif
