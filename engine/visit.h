/*
 * visit: what was measured in one window of one point in one round, in plain
 * data. The engine and the simulator fill it, the run folder keeps it.
 *
 * Unknown is not zero: a double that is not known is NAN. Counts of I/O are
 * those that completed inside the measured window, and nothing else.
 */
#ifndef ENGINE_VISIT_H
#define ENGINE_VISIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/hist.h"
#include "engine/point.h"

enum visit_state {
	VISIT_DONE,    /* measured; errors may have been counted in it */
	VISIT_FAILED,  /* could not be measured, the reason says why */
	VISIT_SKIPPED, /* was not tried (alignment, size), reason says why */
	VISIT_STOPPED, /* the user ended it: never stored */
	VISIT_STATE_COUNT
};

/* Histograms of a visit: by direction, and the service time of all. */
enum { LATENCY_SERVICE = DIR_COUNT, LATENCY_COUNT };

/* Whether the caches were in the state that the point asks for; the later the
 * worse, so that of several visits the greatest counts. */
enum state_reached {
	REACHED_NOT_ASKED,
	REACHED_YES,
	REACHED_UNKNOWN,
	REACHED_NO,
	REACHED_COUNT
};

#define VISIT_REASON_MAX 256
#define VISIT_NOTE_MAX 160
#define VISIT_ERROR_KINDS 8

/* I/Os that ended with this errno; a short read or write counts as
 * errnum 0, kinds beyond the table together as VISIT_ERROR_OTHER. */
#define VISIT_ERROR_OTHER (-1)
struct io_error_count {
	int errnum;
	uint64_t count;
};

/* Where a hit ratio is from. */
enum hit_source {
	HIT_UNKNOWN,
	HIT_DEVICES,  /* bytes asked against bytes at the lowest device */
	HIT_PROBE,    /* a command of the user's */
	HIT_DM_CACHE, /* the cache's own counts: */
	HIT_BCACHE,
	HIT_ARC,
	HIT_PAGE_CACHE, /* it held the whole region before and after */
	HIT_SOURCE_COUNT
};

/* What one device or cache counted in the window. */
#define VISIT_COUNTER_NAME_MAX 64
struct visit_counter {
	const char *role; /* a literal: "target", "below", "origin", ... */
	char source[VISIT_COUNTER_NAME_MAX]; /* "sda", "bcache0", "probe" */
	char name[VISIT_COUNTER_NAME_MAX];   /* "read_bytes" */
	double value;
};

/* One interval of the measured window. */
struct sample {
	uint64_t ios[DIR_COUNT];
	uint64_t bytes[DIR_COUNT];
	uint64_t lat_sum_ns; /* of all I/Os of the interval */
	uint64_t lat_max_ns;
};

struct visit {
	uint32_t id;	/* unique in its run, from 1 */
	uint32_t point; /* index of its point */
	uint32_t round; /* from 1 */
	/* Measured, but its point's result does not rest on it: it came before
	 * the window of a steady state. Set by the analysis, not stored. */
	bool aside;
	uint64_t seed;
	enum visit_state state;
	char reason[VISIT_REASON_MAX]; /* "" when done */
	int64_t started_utc_ns;	       /* wall clock, start of the ramp */

	uint64_t ramp_ns;
	uint64_t measured_ns; /* true length of the window */
	uint64_t ios[DIR_COUNT];
	uint64_t bytes[DIR_COUNT];
	/* Latency from just before the submit call to the completion seen; at
	 * a rate from the moment at which the I/O was scheduled to start. */
	uint64_t lat_sum_ns[DIR_COUNT];
	uint64_t lat_min_ns[DIR_COUNT]; /* UINT64_MAX without I/O */
	uint64_t lat_max_ns[DIR_COUNT]; /* 0 without I/O */
	/* p99 of both directions together, of a visit read back from a run
	 * folder; NAN where fewer than ten I/Os are above it. */
	double lat_p99_ns;
	/* At a rate: sum of the service times, from just before the submit
	 * call, and I/Os in flight on average. Else 0 and NAN. */
	uint64_t service_sum_ns;
	double mean_depth;
	/* Time that the I/Os in flight at the window's end had taken by then,
	 * less the same at its begin: what the latencies of the I/Os that ended
	 * inside leave out, and have too much. NAN where unknown. */
	double edge_ns;
	/* Histograms, owned by the visit; that of the service time is empty
	 * where there is no rate. NULL where they are not kept (a visit read
	 * back from a run folder). */
	struct hist *latency[LATENCY_COUNT];

	uint64_t error_count; /* in total */
	struct io_error_count
	    errors[VISIT_ERROR_KINDS]; /* by kind, most
					* frequent kinds; unused
					* have count 0 */
	enum engine_kind engine_used;
	char note[VISIT_NOTE_MAX]; /* what the engine has to say: fallbacks,
				    * features, "read once into the page cache
				    * before" */

	/* Workers: CPU and context switches over the window. */
	uint64_t cpu_user_ns;
	uint64_t cpu_system_ns;
	double cpu_wait_ns; /* ready to run, but no core was free */
	double switches_voluntary;
	double switches_involuntary;
	double cpu_peak_pct; /* CPU that the neediest worker had or waited
			      * for, of one core */
	/* Machine over the window: busy and stolen, % of all its cores. */
	double machine_cpu_pct;
	double machine_steal_pct;

	/* Of the block device behind the target over the window, from
	 * /proc/diskstats: weighted time / elapsed is the depth it saw. */
	double device_depth;
	double device_read_bytes;
	double device_write_bytes;
	double punted_threads; /* most kernel I/O worker threads seen */

	/* At the lowest devices that are known under the target, caches aside;
	 * the share of the reads (of the writes where there are none) that a
	 * cache served, below 0 where more was read than asked; the share of
	 * the region in the page cache before and after; distinct bytes that
	 * the I/Os of the window went to. */
	double origin_read_bytes;
	double origin_write_bytes;
	double hit_pct;
	enum hit_source hit_source;
	double resident_before_pct;
	double resident_after_pct;
	double touched_bytes;
	/* Caches cold: the most that the page cache still held before, of the
	 * region or of a file below. Warm: the passes read to get there. */
	enum state_reached state_reached;
	double cold_left_pct;
	double warm_passes;
	struct visit_counter *counters; /* owned; may be NULL */
	uint32_t counter_count;
	uint32_t counter_capacity;
	/* Blocks that were read back after the window, and those of them that
	 * were not as they had been written (--verify). */
	double verified_blocks;
	double corrupt_blocks;

	uint64_t interval_ns; /* length of a sample */
	uint32_t sample_count;
	uint32_t sample_capacity;
	struct sample *samples; /* whole intervals only; owned; may be NULL */
};

/* Empty visit: state SKIPPED, counts 0, doubles NAN, no memory. */
void visit_init(struct visit *v);

/* The same, keeping the memory that v already owns (histograms emptied). */
void visit_reset(struct visit *v);

/* Make room: all histograms (emptied) and `samples` intervals. 0 or
 * -ENOMEM. What is there already is kept and reused. */
int visit_reserve(struct visit *v, uint32_t samples);

void visit_fini(struct visit *v);

/* Add a counter; names are cut where they are too long. 0 or -ENOMEM. */
int visit_add_counter(struct visit *v, const char *role, const char *source,
		      const char *name, double value);

/* Count one failed or short I/O; kinds beyond the table fall into the last
 * entry. count must not be 0. */
void visit_count_error(struct visit *v, int errnum, uint64_t count);

/* Derived, NAN where nothing was measured: I/Os a second, MiB (2^20 bytes) a
 * second, mean latency in us over both directions. */
double visit_iops(const struct visit *v);
double visit_mibps(const struct visit *v);
double visit_lat_mean_us(const struct visit *v);

/* At a rate: the mean service time in us. NAN without one. */
double visit_service_mean_us(const struct visit *v);

/*
 * IOPS x mean latency / outstanding, at a rate IOPS x mean service time / I/Os
 * in flight on average: 1 where the numbers agree (Little's law). NAN where
 * unknown. Exact in a window of any length where edge_ns is known; edges is the
 * part of it that the I/Os which ended inside the window do not make up.
 */
double visit_little(const struct visit *v, const struct point *p);
double visit_edges(const struct visit *v, const struct point *p);

#endif
