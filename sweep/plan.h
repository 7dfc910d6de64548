/*
 * plan: what a sweep will do: its settings and its points. Every way to
 * describe work (options, plan file, template) fills the same struct
 * plan_request; plan_build turns it into points. Opens nothing.
 */
#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"

#define PLAN_POINTS_MAX 100000
#define PLAN_TARGETS_MAX 1000
/* The visits of any plan can be counted in 32 bits. */
#define PLAN_ROUNDS_MAX 10000

/* A wider interval says nothing. */
#define PLAN_PRECISION_MAX_PCT 50

/* Passes of a warm-up. */
#define PLAN_WARM_PASSES_MAX 1000

enum plan_order { PLAN_SHUFFLE, PLAN_AS_PLANNED };

/* How the variants take turns. */
enum plan_variant_order {
	/* Within each round: point by point where that costs nothing, else
	 * one block a variant, in fresh random order. */
	PLAN_INTERLEAVED,
	PLAN_ABBA,	 /* a block a variant and round, there and back */
	PLAN_SEQUENTIAL, /* all rounds of one, then all of the next */
};

/* Most threads of a point, and I/Os that one thread keeps in flight: io_uring
 * takes less (BACKEND_URING_DEPTH_MAX). */
#define PLAN_THREADS_MAX 4096
#define PLAN_QUEUE_DEPTH_MAX 32768

/* Names of all that can be said on the command line and, without the dashes,
 * in a plan file; values are kept as text until plan_build, together with
 * the place where they were said ("--block-size", "plan.ini:7: block-size"). */
enum plan_key {
	/* axes */
	PLAN_BLOCK_SIZE,
	PLAN_OUTSTANDING,
	PLAN_QUEUE_DEPTH,
	PLAN_PATTERN,
	PLAN_DISTRIBUTION,
	PLAN_READ,
	PLAN_THREADS,
	PLAN_RATE,
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
	PLAN_PRECISION,
	PLAN_STEADY,
	PLAN_PRECONDITION,
	PLAN_PRECONDITION_TIME,
	PLAN_BUDGET,
	PLAN_PAUSE,
	PLAN_MAX_TIME,
	PLAN_ORDER,
	PLAN_SEED,
	PLAN_STATE,
	PLAN_WARM_PASSES,
	PLAN_VARIANT_ORDER,
	PLAN_COMMAND_TIMEOUT,
	PLAN_KEY_COUNT
};

/* "block-size", "outstanding", ... NULL past the end. */
const char *plan_key_name(enum plan_key key);
/* What holds where nothing was said, as text: "8K..1M"; NULL: nothing. */
const char *plan_key_default(enum plan_key key);

struct plan_text {
	char *value; /* owned; NULL: not said */
	char *where;
};

/* One cross product. */
struct plan_section {
	char *name; /* "" for the one that stands for the options alone */
	struct plan_text axis[PLAN_AXIS_COUNT];
};

/* "interleaved", "abba", "sequential". */
const char *plan_variant_order_name(enum plan_variant_order order);

/* Keys of a [variant NAME] section. */
enum plan_variant_key {
	PLAN_VARIANT_TARGET,
	PLAN_VARIANT_CACHE,
	PLAN_VARIANT_STATE,
	/* commands */
	PLAN_VARIANT_ENTER,
	PLAN_VARIANT_LEAVE,
	PLAN_VARIANT_BEFORE_POINT,
	PLAN_VARIANT_KEY_COUNT
};
#define PLAN_VARIANT_FIRST_COMMAND PLAN_VARIANT_ENTER

/* "target", "cache", "state", "enter", ... NULL past the end. */
const char *plan_variant_key_name(enum plan_variant_key key);

/* A state of the storage that the plan describes. */
struct plan_variant {
	char *name;
	struct plan_text key[PLAN_VARIANT_KEY_COUNT];
};

/* What the storage is, in the user's words. */
struct plan_tag {
	char *target; /* NULL: of all */
	char *key, *value, *where;
	bool option; /* of the command line */
};

struct plan_request {
	/* Said on the command line; they override file and sections. */
	struct plan_text option[PLAN_KEY_COUNT];
	/* Said in [sweep] of the plan file; defaults of its sections. */
	struct plan_text common[PLAN_KEY_COUNT];
	struct plan_section *sections; /* [workload NAME], in file order */
	uint32_t section_count;
	struct plan_variant *variants; /* [variant NAME], in file order */
	uint32_t variant_count;
	char **targets; /* in order, duplicates allowed and dropped */
	uint32_t target_count;
	struct plan_tag *tags; /* tags.h */
	uint32_t tag_count;
};

struct plan_settings {
	uint64_t size_bytes; /* of a file that has to be made */
	uint64_t time_ns;
	uint64_t ramp_ns, pause_ns; /* may be 0 */
	uint64_t max_time_ns;	    /* 0: none */
	uint32_t rounds;      /* at the most, where a rule ends them sooner */
	uint64_t budget_ns;   /* of a search, a workload; 0: no search */
	double precision_pct; /* half width of the 95% interval; 0: none */
	bool steady;	      /* visit each point until it is steady */
	bool precondition;
	uint64_t precondition_time_ns; /* of its workload; 0: until steady */
	enum plan_order order;
	uint64_t seed;
	enum plan_variant_order variant_order;
	uint64_t command_timeout_ns;
	uint32_t warm_passes_min, warm_passes_max;
};

struct plan {
	struct plan_settings settings;
	struct point *points;
	uint32_t point_count;
	uint64_t dropped_indivisible; /* outstanding not divisible by threads */
	char **targets;		      /* distinct, in order; owned */
	uint32_t target_count;
	struct variants *variants;
	struct product *products; /* one a section; own points' other texts */
	uint32_t product_count;
};

/* Zeroed request -> texts. Copies value and where; a later text for the same
 * key replaces the earlier. 0 or -ENOMEM. */
int plan_text_set(struct plan_text *t, const char *value, const char *where);
void plan_request_fini(struct plan_request *req);

/* Some variant has a command to be run. */
bool plan_request_has_commands(const struct plan_request *req);

/* What was said for an axis or setting: the option, else the section's (NULL:
 * none), else the file's, else the default; NULL where nothing holds. The
 * default is put into *fallback. */
const struct plan_text *plan_said(const struct plan_request *req,
				  const struct plan_section *section,
				  enum plan_key key,
				  struct plan_text *fallback);

/* The settings alone. Rounds, where they were not said: 5, and 10 where a
 * precision is asked for, which needs 3 at the least, and 25 for a steady
 * state, which needs 5. 0, or -errno with a sentence and out untouched. Equal
 * settings are equal byte for byte. */
int plan_settings_parse(const struct plan_request *req,
			struct plan_settings *out, struct err *err);

/*
 * Points in a stated order: target and section as given, then variant (as
 * declared, or labels by name), cache, engine, working set, pattern (sequential
 * first, then by random %), distribution (uniform, Zipf, hot), read %
 * descending, rate, threads, block size, outstanding, each ascending, whatever
 * the order in which values were given. Duplicates (same full key) are dropped.
 * A pure write or read at a given pattern appears once, and a sequential one
 * has no distribution.
 *
 * What is said for a key: the option, else its section's, else the file's,
 * else the default. Outstanding and queue-depth are one choice: the most
 * specific level that says either decides.
 *
 * A variant with a target of its own is measured there and not on the
 * request's targets. plan->targets are all that some point is measured on.
 *
 * 0, or -errno with a sentence: anything that does not parse; both outstanding
 * and queue-depth said at the same level; over PLAN_POINTS_MAX; no target, or
 * one that no variant is measured on; no point left. Seed: the one said, else
 * drawn from getrandom(2), below 2^53 so that a spreadsheet shows it whole. out
 * is untouched on failure.
 */
int plan_build(const struct plan_request *req, struct plan *out,
	       struct err *err);
void plan_fini(struct plan *plan);

struct plan_estimate {
	/* Least: where every point reaches what is asked as soon as it can. */
	uint32_t least_rounds;
	uint64_t least_visit_count, visit_count;
	/* Of all visits with ramp and pause, layout and --max-time aside;
	 * UINT64_MAX: beyond it. */
	uint64_t least_time_ns, time_ns;
	uint64_t grid_time_ns; /* of all points in all rounds, where a search
				* does not need them */
	uint64_t memory_bytes; /* of the largest point */
	uint32_t writing_points;
	bool cut_by_max_time; /* time_ns is over --max-time */
};
void plan_estimate(const struct plan *plan, struct plan_estimate *out);

/* "5 rounds", "3 to 10 rounds until +-2%"; "12m 16s", "7m 22s to 24m 32s, cut
 * short by --max-time"; of a search "a search of 2 workloads, up to 2m 00s
 * each": into buf of PLAN_TEXT_MAX bytes, which is returned. */
#define PLAN_TEXT_MAX 128
char *plan_format_rounds(const struct plan *plan, char *buf, size_t size);
char *plan_format_time(const struct plan_estimate *e, char *buf, size_t size);

/* The order of the variants where none was said: a cache that has to stay warm
 * takes blocks. */
void plan_choose_variant_order(struct plan *plan);

/* Some point of that variant is measured on that target. */
bool plan_measures(const struct plan *plan, const char *variant,
		   const char *target);

/* The order of one round: a permutation of point indexes into order
 * (point_count entries): as planned, or shuffled freshly by seed and round;
 * within a block a variant where they take turns by blocks. */
void plan_round_order(const struct plan *plan, uint32_t round, uint32_t *order);

#endif
