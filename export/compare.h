/*
 * compare: one side of the storage held against another (sides.h), point by
 * point and workload by workload, so that "faster" can be trusted. Pure:
 * from runs to structs; knows no format.
 *
 * Points pair by their pair key, the workload alone, on the same target; on
 * different ones where the names of the sides speak of a cache, or, for
 * `iosweep compare`, where each side has one target only. A ratio says how
 * many times better the other side is: more IOPS and MiB/s, less latency. It
 * is that of the two numbers that are shown; how far it may be off is
 * estimated on logarithms:
 * - where both sides were visited in the same rounds of one run, from the
 *   differences within the rounds, so that what hit the device in a round
 *   cancels (randomized blocks: Box, Hunter, Hunter, Statistics for
 *   Experimenters, 2005, chapter 4);
 * - else from the spread of the visits on each side (Welch, Biometrika 34,
 *   1947);
 * - variances from few visits are drawn towards those of the other points
 *   (Smyth, Statistical Applications in Genetics and Molecular Biology 3 (1),
 *   2004; fit.h says how far);
 * - where all there is is one visit on each side, from batch means within its
 *   window (batch.h), which misses noise that outlasts the window: the pair
 *   is marked optimistic.
 * The p99 latency has an interval where every visit has a p99 of its own.
 *
 * Verdicts are about IOPS, and where I/Os start at a given rate, which both
 * sides do unless they miss it, about mean latency. Where nothing differs, a
 * whole comparison says "faster" or "slower" anywhere with a probability of at
 * most 5%: 3.5% are spent on the single pairs, over all of which false
 * discoveries are held by Benjamini and Hochberg (J. R. Statist. Soc. B 57,
 * 1995), 1.5% on the workloads' means (S. Holm, Scandinavian Journal of
 * Statistics 6, 1979). Where no difference is told, a 95% interval of the ratio
 * within 1/1.05 to 1.05 says "same within noise": changes under 5% are of
 * little use to an admin and within what disks do from hour to hour; else
 * "unsure". (An interval of 95% within the margin is a test of equivalence
 * at 2.5%: D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987.) All of this
 * holds for the time of the runs. Sides that were measured one after the other
 * have the drift that was seen within them in their intervals
 * (compare_parts.h); more than that is not known.
 */
#ifndef EXPORT_COMPARE_H
#define EXPORT_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "export/result.h"
#include "export/sides.h"
#include "export/sweetspot.h"

#define COMPARE_MARGIN 1.05
#define COMPARE_POINTS_RATE 0.035
#define COMPARE_MEANS_RATE 0.015
/* Probability with which a detectable change would have been told. */
#define COMPARE_POWER 0.8

enum compare_metric {
	COMPARE_IOPS,
	COMPARE_MIBPS,
	COMPARE_LATENCY, /* mean */
	COMPARE_P99,
	COMPARE_METRIC_COUNT
};

enum compare_verdict {
	COMPARE_UNSURE,
	COMPARE_SAME,
	COMPARE_FASTER,
	COMPARE_SLOWER,
	COMPARE_VERDICT_COUNT
};

struct compare_pair {
	uint32_t side; /* of the other, from 1 */
	uint32_t base_run, other_run;
	const struct result *base, *other; /* both measured */
	/* Over 1 is better; NAN where unknown. */
	struct interval ratio[COMPARE_METRIC_COUNT];
	/* Of the logarithm of the ratio: NAN and 0 unknown. */
	double se[COMPARE_METRIC_COUNT], df[COMPARE_METRIC_COUNT];
	enum compare_metric by; /* what the verdict is about */
	double p; /* of "no difference" in it, as it is; NAN unknown */
	enum compare_verdict verdict;
	bool within_rounds; /* by differences within rounds */
	bool optimistic;    /* one visit a side */
	/* The cache lets sequential I/O pass: compare_passes. */
	bool passed;
};

/* Why a point has no pair. */
enum compare_reason {
	COMPARE_NOT_PLANNED,  /* the other side has no such workload */
	COMPARE_OTHER_TARGET, /* it has, on another target */
	COMPARE_OTHER_SIZE,   /* it has, in a file of another size */
	COMPARE_FAILED,	      /* all its visits failed */
	COMPARE_SKIPPED,
	COMPARE_NOT_MEASURED, /* not visited (yet) */
	COMPARE_REASON_COUNT
};

struct compare_lost {
	uint32_t side;
	uint32_t lacking; /* the side that has no number: 0 or `side` */
	const struct result *result; /* the point, on the other one of them */
	enum compare_reason reason;
	const char *detail; /* why it failed; "" */
};

/* The pairs of one workload of the base: pattern, read % and what else makes
 * a sweep group. */
struct compare_workload {
	uint32_t side;
	char name[LABEL_MAX];	   /* "Random read" */
	uint32_t first, count;	   /* of compare.pairs */
	const struct point *group; /* first point of the base's group */
	struct interval mean[COMPARE_METRIC_COUNT]; /* geometric */
	enum compare_metric by; /* what verdicts are about, of all pairs */
	double p;		/* of the mean of it, adjusted; NAN unknown */
	double se, df;		/* of its logarithm */
	enum compare_verdict verdict;
	uint32_t verdicts[COMPARE_VERDICT_COUNT];	/* of the pairs */
	const struct compare_pair *best, *worst;	/* NULL: no ratio */
	const struct sweetspot *base_spot, *other_spot; /* or NULL */
	bool optimistic;
	/* The smallest change, as a ratio such as 1.03, that would have been
	 * told with a probability of 80%: of one point alone (the middle one)
	 * and of the mean. NAN unknown. */
	double seen_point, seen_mean;
};

/* What has to be said about a side against the base. */
struct compare_side {
	bool interleaved;   /* measured at the same time, else in turn */
	bool itself;	    /* the same visits: a run against itself */
	bool other_offsets; /* different seeds */
	bool other_sizes;   /* whole devices of different sizes */
	uint32_t passed;    /* pairs that the cache lets pass */
};

struct compare {
	struct sides sides;
	struct compare_side *about; /* one a side; [0] unused */
	/* By side, then base run, group and plan. */
	struct compare_pair *pairs;
	uint32_t pair_count;
	struct compare_lost *lost; /* by side */
	uint32_t lost_count;
	struct compare_workload *workloads; /* by side */
	uint32_t workload_count;
	struct sweetspot_list *spots; /* one a run */
};

/* opts and limit (for the sweet spots) may be NULL. Runs stay the caller's and
 * outlive the comparison. 0, or -errno with a sentence. compare_free after
 * success. One side alone is no error: no pairs. */
int compare_runs(const struct run *const *runs, uint32_t run_count,
		 const struct sides_opts *opts,
		 const struct latency_limit *limit, struct compare *out,
		 struct err *err);
void compare_free(struct compare *c);

/* The pair of a base's result on a side, or NULL. */
const struct compare_pair *
compare_find(const struct compare *c, const struct result *base, uint32_t side);

/* The ratio that the verdict is about; of NULL, one that is unknown. */
struct interval compare_ratio(const struct compare_pair *p);

/* "unsure", "same", "faster", "slower": for CSV and JSON. */
const char *compare_verdict_name(enum compare_verdict v);
/* "iops", "mibps", "lat_mean", "lat_p99". */
const char *compare_metric_name(enum compare_metric m);

/* The value of a result that a metric compares; NAN where unknown. */
double compare_value(const struct result *r, enum compare_metric m);

/*
 * Does a cache let sequential I/O pass? Its hits on the sequential point are
 * near 0 (below 10%) while the same side's random reads are served by it (the
 * median of them at least 50%). Caches such as bcache do so on purpose. False
 * where either is unknown (NAN).
 */
#define COMPARE_PASSED_HIT_PCT 10.0
#define COMPARE_SERVED_HIT_PCT 50.0
bool compare_passes(double sequential_hit_pct, double random_hit_pct);

#endif
