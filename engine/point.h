/*
 * point: what is asked for, in plain data. A point is one combination of the
 * axes of a sweep: a workload on a target in a variant of the storage.
 *
 * Knows no format and no option; sweep/plan makes points, everybody reads
 * them.
 */
#ifndef ENGINE_POINT_H
#define ENGINE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/distribution.h"

enum direction { DIR_READ, DIR_WRITE, DIR_COUNT };

/* How the file or device is opened. */
enum cache_mode {
	CACHE_DIRECT,	    /* O_DIRECT */
	CACHE_BUFFERED,	    /* through the page cache */
	CACHE_DSYNC,	    /* page cache, each write durable (O_DSYNC) */
	CACHE_DIRECT_DSYNC, /* O_DIRECT | O_DSYNC */
	CACHE_COUNT
};

enum engine_kind {
	ENGINE_AUTO, /* io_uring, else libaio, else sync: asked, never used */
	ENGINE_IO_URING,
	ENGINE_LIBAIO,
	ENGINE_SYNC,
	ENGINE_NULL, /* scripted, for the tests of the engine itself */
	ENGINE_SIM,  /* simulated device on a virtual clock */
	ENGINE_COUNT
};

/* The state of the storage's caches in which a visit begins. */
enum cache_state {
	STATE_UNSAID, /* as it is; but what goes through the page cache is read
		       * into it once */
	STATE_AS_IS,  /* as it is, whatever that may be */
	STATE_COLD,   /* dropped before every visit */
	STATE_WARM,   /* its region read until that changes nothing more */
	STATE_COUNT
};

/* One stream of I/Os. */
struct stream {
	uint64_t block_size_bytes;
	double read_pct;   /* 0 to 100, of the I/Os */
	double random_pct; /* 0 sequential, 100 random; between: that share of
			    * I/Os jumps to a random block, the others go on
			    * behind the last one */
	/* Where those that jump go; uniform where none does. */
	struct distribution distribution;
};

struct workload {
	struct stream stream;
	uint64_t working_set_bytes; /* 0: the whole target */
	uint32_t threads;
	uint32_t queue_depth; /* I/Os kept in flight by one thread */
	/* I/Os started a second in total, evenly spaced, whether earlier ones
	 * came back or not, as long as no more than outstanding are in
	 * flight; 0: none, as one comes back the next is started. */
	uint32_t rate_iops;
};

/*
 * Text is owned by whoever made the point (plan or run) and outlives it.
 * `variant` and `section` are "" where there is none.
 */
struct point {
	uint32_t index; /* place in the plan, from 0 */
	struct workload workload;
	const char *target;  /* the path as the user gave it */
	const char *variant; /* a named state of the storage */
	const char *section; /* the name of its workload in the plan file */
	enum cache_mode cache;
	enum engine_kind engine;
	enum cache_state state;
};

/*
 * Three ways to compare workloads, each of which looks at all that the one
 * before does, so that a new member has one place. compare_name: what the name
 * tells (point_workload_name, section aside): mix, pattern, distribution, rate.
 * compare_sweep: all but what a grid lays out: block size, threads, queue
 * depth. Below, at or over 0; total orders. same: equal in everything.
 */
int workload_compare_name(const struct workload *a, const struct workload *b);
int workload_compare_sweep(const struct workload *a, const struct workload *b);
bool workload_same(const struct workload *a, const struct workload *b);

/* Names as typed and stored, NULL past the end: "direct", "buffered",
 * "dsync", "direct+dsync"; "auto", "io_uring", "libaio", "sync", "null",
 * "sim"; "", "as-is", "cold", "warm". */
const char *cache_mode_name(enum cache_mode mode);
const char *engine_kind_name(enum engine_kind kind);
const char *cache_state_name(enum cache_state state);
/* The other way: 0, or -EINVAL when there is no such name. */
int cache_mode_from_name(const char *name, enum cache_mode *out);
int engine_kind_from_name(const char *name, enum engine_kind *out);
int cache_state_from_name(const char *name, enum cache_state *out);

/* threads x queue depth: I/Os in flight in total. */
uint32_t point_outstanding(const struct point *p);

bool point_reads(const struct point *p);  /* some I/O is a read */
bool point_writes(const struct point *p); /* some I/O is a write */

/*
 * The pair key: the workload alone, so that baseline and cached, disk A and
 * disk B, meet. The full key: everything but the index. Both are texts such
 * as "bs=8192 read=100 random=0 ws=0 t=1 qd=32", with " dist=zipf:1.1" behind
 * it where the blocks are not drawn alike, and " rate=500" at a rate; they end
 * at size - 1 characters at most and the needed length (snprintf's) is
 * returned, so that a caller can tell a cut.
 */
#define POINT_KEY_MAX 192
int point_pair_key(const struct point *p, char *buf, size_t size);
int point_full_key(const struct point *p, char *buf, size_t size);

/* Decides which blocks are hot: the same in all rounds and on all sides, so
 * that a cache can learn them. */
uint64_t point_hot_key(uint64_t run_seed);

/* Seed of a visit: a hash of run seed, pair key and round, so that all sides
 * of a comparison see the same offsets. */
uint64_t point_seed(const struct point *p, uint64_t run_seed, uint32_t round);

/*
 * The workload as people say it, into buf: "Sequential read", "Random write",
 * "Random 70% read", "60% random 65% read"; the section's name where it has
 * one. Behind it how blocks are drawn where they are not drawn alike: "Random
 * read, Zipf 1.1", "Random read, 90% to 10%", and the rate where there is one:
 * "Random read, 500 IOPS". It does not name size or depth.
 */
#define POINT_NAME_MAX 128
char *point_workload_name(const struct point *p, char *buf, size_t size);

#endif
