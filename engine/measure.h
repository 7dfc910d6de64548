/*
 * measure: the one function that the session calls, behind a table, so that
 * the real engine and the simulator are interchangeable.
 */
#ifndef ENGINE_MEASURE_H
#define ENGINE_MEASURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"
#include "engine/target.h"
#include "engine/visit.h"

/* What the screen shows while a visit is under way: since its window began. */
struct measure_tick {
	bool ramping;	     /* the window has not begun yet */
	bool prefilling;     /* reading once into the page cache before */
	uint64_t elapsed_ns; /* of the ramp or the window */
	uint64_t ios;
	uint64_t bytes;
	uint64_t lat_sum_ns;
};

/* One stretch of a warm-up. */
struct warm_sample {
	uint32_t pass;	     /* from 1 */
	uint64_t elapsed_ns; /* since the warm-up began, at its end */
	double iops;
	double mibps;
	double hit_pct;		   /* of the reads; NAN unknown */
	const struct point *point; /* that is being warmed for */
	uint32_t round;
};

struct measure_opts {
	uint64_t time_ns;	/* measured window */
	uint64_t ramp_ns;	/* discarded before it */
	uint64_t interval_ns;	/* of the series; 0: time/20, at least 10 ms */
	uint32_t batch;		/* I/Os a submit call; 0: clamp(depth/4, 1, 8),
				 * under libaio and for UINT32_MAX all that are
				 * there */
	bool poll;		/* IOPOLL: polled completions of the device */
	bool busy_wait;		/* spin on the completion queue */
	bool verify;		/* read back what was written, judge it */
	const char *cpus;	/* "0-3,6": pin workers in turn; NULL: no */
	uint64_t io_timeout_ns; /* of one I/O; 0: 30 s */
	uint64_t run_seed;
	/* Devices to count besides the target's own and those below it
	 * ("/dev/sdb,/dev/sdc", see stack_check_watch), and a shell command
	 * that prints counters as name=value, run before and after each visit;
	 * NULL: none. */
	const char *watch;
	const char *probe;
	/* Called about 5 times a second from the calling thread; NULL: no. */
	void (*tick)(void *arg, const struct measure_tick *tick);
	void *tick_arg;
	/* Passes that make a cache warm (STATE_WARM), and what becomes of its
	 * curve; NULL: nothing. */
	uint32_t warm_passes_min, warm_passes_max;
	void (*warmed)(void *arg, const struct warm_sample *sample);
	void *warmed_arg;
	/* 2 and more: end the visit at once (state STOPPED), and 1 a warm-up
	 * in passes. May be NULL. */
	const volatile sig_atomic_t *stop;
};

struct measurer;

struct measurer_ops {
	/*
	 * Measure one visit. v is reset first; id, point, round, seed are
	 * filled too (id is left for the caller). Never fails as a call: what
	 * went wrong is v->state and v->reason.
	 */
	void (*measure)(struct measurer *m, const struct point *p,
			uint32_t round, struct visit *v);
	/* May be NULL: see measure_earlier. */
	void (*earlier)(struct measurer *m, const struct point *p,
			const struct visit *v);
	void (*free)(struct measurer *m);
};

/* First member of every measurer. */
struct measurer {
	const struct measurer_ops *ops;
};

/*
 * The real engine. targets are the distinct targets of the plan, matched with
 * a point by the pointer or text of point->target; they and opts' pointers
 * stay the caller's and must outlive it. Rings, buffers and threads outlive
 * visits. 0 or -errno.
 */
int measure_engine_new(const struct measure_opts *opts, struct target *targets,
		       uint32_t target_count, struct measurer **out,
		       struct err *err);

/* Shorthand for m->ops. */
void measure_visit(struct measurer *m, const struct point *p, uint32_t round,
		   struct visit *v);
void measure_free(struct measurer *m); /* NULL is allowed */

/*
 * A visit of the point that an earlier program run made: its sequential
 * streams go on about where that visit left them (the ramp's I/Os, which are
 * not counted, at the window's rate), and do not read again what a cache below
 * has just seen. Visits of one point in their order.
 */
void measure_earlier(struct measurer *m, const struct point *p,
		     const struct visit *v);

/* The limit on one I/O, its default where opts says none. */
uint64_t measure_io_timeout_ns(const struct measure_opts *opts);

/* Threads of this process that were given up, caught in I/Os that have not
 * returned: the kernel may keep the process until they do. */
uint32_t measure_stuck_threads(void);

/* Whether the point can be measured on that target at all, and is not going to
 * be skipped; if not, why, into reason. */
bool measure_fits(const struct point *p, const struct target *t, char *reason,
		  size_t size);

/* Bytes of buffers that a point needs, for the plan and the preflight:
 * outstanding x block size, rounded to pages, and twice that for a mix, since
 * what was read must not become what is written. A sweep needs the largest
 * of its points for reads plus the largest for writes. */
uint64_t measure_memory_bytes(const struct point *p);

#endif
