/*
 * plan: what a sweep will do: its settings and its points. Every way to
 * describe work (options, plan file, template) fills the same struct
 * plan_request; plan_build turns it into points. Opens nothing.
 */
#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"

#define PLAN_POINTS_MAX 100000

enum plan_order { PLAN_SHUFFLE, PLAN_AS_PLANNED };

/* Names of all that can be said on the command line and, without the dashes,
 * in a plan file; values are kept as text until plan_build, together with
 * the place where they were said ("--block-size" or "plan.ini:7"). */
enum plan_key {
	/* axes */
	PLAN_BLOCK_SIZE,
	PLAN_OUTSTANDING,
	PLAN_QUEUE_DEPTH,
	PLAN_PATTERN,
	PLAN_READ,
	PLAN_THREADS,
	PLAN_WORKING_SET,
	PLAN_CACHE,
	PLAN_ENGINE,
	PLAN_VARIANT,
	PLAN_AXIS_COUNT,
	/* settings of the whole sweep */
	PLAN_SIZE = PLAN_AXIS_COUNT,
	PLAN_TIME,
	PLAN_RAMP,
	PLAN_ROUNDS,
	PLAN_PAUSE,
	PLAN_MAX_TIME,
	PLAN_ORDER,
	PLAN_SEED,
	PLAN_KEY_COUNT
};

/* "block-size", "outstanding", ... NULL past the end. */
const char *plan_key_name(enum plan_key key);

struct plan_text {
	char *value; /* owned; NULL: not said */
	char *where;
};

/* One cross product. */
struct plan_section {
	char *name; /* "" for the one that stands for the options alone */
	struct plan_text axis[PLAN_AXIS_COUNT];
};

struct plan_request {
	/* Said on the command line; they override file and sections. */
	struct plan_text option[PLAN_KEY_COUNT];
	/* Said in [sweep] of the plan file; defaults of its sections. */
	struct plan_text common[PLAN_KEY_COUNT];
	struct plan_section *sections; /* [workload NAME], in file order */
	uint32_t section_count;
	char **targets; /* in order, duplicates allowed and dropped */
	uint32_t target_count;
};

struct plan_settings {
	uint64_t size_bytes; /* of a file that has to be made; 0: not said */
	uint64_t time_ns, ramp_ns, pause_ns;
	uint64_t max_time_ns; /* 0: none */
	uint32_t rounds;
	enum plan_order order;
	uint64_t seed;
};

struct plan {
	struct plan_settings settings;
	struct point *points;
	uint32_t point_count;
	uint32_t dropped_indivisible; /* outstanding not divisible by threads */
	char **targets;		      /* distinct, in order */
	uint32_t target_count;
	void *strings; /* owner of the texts of points */
};

/* Zeroed request -> texts. Copies value and where; a later text for the same
 * key replaces the earlier. 0 or -ENOMEM. */
int plan_text_set(struct plan_text *t, const char *value, const char *where);
void plan_request_fini(struct plan_request *req);

/*
 * Points in a stated order: target, section, variant, cache, engine, pattern
 * (sequential first, then by random %), read % descending, threads, block
 * size, outstanding, each ascending, whatever the order in which values were
 * given. Duplicates (same full key) are dropped. A pure write or read at a
 * given pattern appears once. Errors: anything that does not parse; both
 * outstanding and queue-depth said at the same level; over PLAN_POINTS_MAX;
 * no point left. Seed: the one said, else drawn from getrandom(2).
 */
int plan_build(const struct plan_request *req, struct plan *out,
	       struct err *err);
void plan_fini(struct plan *plan);

struct plan_estimate {
	uint64_t visit_count;
	uint64_t time_ns; /* of all visits with ramp and pause, layout aside */
	uint64_t memory_bytes; /* of the largest point */
	uint32_t writing_points;
	bool cut_by_max_time;
};
void plan_estimate(const struct plan *plan, struct plan_estimate *out);

/* The order of one round: a permutation of point indexes into order
 * (point_count entries): as planned, or shuffled freshly by seed and round. */
void plan_round_order(const struct plan *plan, uint32_t round, uint32_t *order);

#endif
