/*
 * precondition: brings flash into the state that it has in use, before the
 * first round (--precondition). A drive that was never written, or trimmed,
 * answers from its tables and has room to spare; its numbers last minutes.
 *
 * After SNIA's SSS PTS 2.0.2: first workload independent, the region written
 * twice in sequence with large blocks (of random data, for drives that
 * compress); then workload dependent, the writing workload of the sweep until
 * it is steady (export/steady.h), or for a time. It writes, so a target needs
 * what points that write need: a file of ours, or consent.
 */
#ifndef SWEEP_PRECONDITION_H
#define SWEEP_PRECONDITION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/measure.h"
#include "engine/units.h"
#include "export/steady.h"
#include "sweep/facts.h"
#include "sweep/stage.h"

#define PRECONDITION_PASSES 2
/* The rounds of PTS. */
#define PRECONDITION_WINDOW_NS (60 * NS_PER_SEC)

/* What is going to be done to one target. */
struct precondition_task {
	uint64_t region_bytes; /* the largest that its points use */
	bool has_workload;     /* false: no point of it writes */
	/* The point that writes most of all, then jumps most, then has the
	 * smallest blocks, then most in flight; past the page cache where the
	 * target can. */
	struct point workload;
};

/* size_bytes: of the target, also where it is not there yet. */
void precondition_plan(const struct plan *plan, const char *path,
		       uint64_t size_bytes, struct precondition_task *out);

/* "Random write 4K x 32" into buf, which is returned. */
char *precondition_name(const struct precondition_task *task, char *buf,
			size_t size);

enum precondition_state {
	PRECONDITION_PENDING,
	PRECONDITION_DONE,
	PRECONDITION_EARLIER, /* by a program run before: nothing else is
			       * known of it here */
};

/* What was done. */
struct precondition_done {
	enum precondition_state state;
	struct precondition_task task;
	uint64_t pass_ns[PRECONDITION_PASSES];
	uint64_t workload_ns;
	uint32_t windows;
	double iops, mibps;   /* of the last window */
	struct steady steady; /* of the last five; NAN with fewer */
};

struct precondition_opts {
	/* How the engine is set up; time_ns, ramp_ns and stop are not looked
	 * at. tick is called in windows, as in a visit. */
	const struct measure_opts *measure;
	uint64_t window_ns; /* PRECONDITION_WINDOW_NS but in tests */
	/* Before each pass and window: "pass 1 of 2 over /x", "Random write 4K
	 * x 32, window 1"; p is NULL in passes. */
	void (*begins)(void *arg, const char *what, const struct point *p);
	layout_progress *progress; /* of a pass */
	void *arg;		   /* of both */
	/* Behind each target, by its place in the stage: 0, or -errno with a
	 * sentence, which ends it. May be NULL. */
	int (*ended)(void *arg, uint32_t target, struct err *err);
	void *ended_arg;
	const volatile sig_atomic_t *stop;
};

/*
 * All targets that are pending, in turn; out has one a target of the stage. 0,
 * or -errno with a sentence; -EINTR when stopped: then the targets keep what
 * was written.
 */
int precondition_run(struct stage *stage, const struct plan *plan,
		     const struct precondition_opts *opts,
		     struct precondition_done *out, struct err *err);

/* Its first fact, which stands there once a target is done. */
#define PRECONDITION_FACT "precondition_region_bytes"

/* What was done, into [target N], N from 1; nothing of one that is not DONE. */
void precondition_add_facts(struct facts *facts, uint32_t number,
			    const struct precondition_done *done);

#endif
