/*
 * stage: the targets of a plan before and after the sweep: what is there,
 * what has to be made, what may be written, what is not worth reading.
 * Nothing is created or opened for writing before stage_layout.
 */
#ifndef SWEEP_STAGE_H
#define SWEEP_STAGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/aside.h"
#include "engine/err.h"
#include "engine/layout.h"
#include "engine/target.h"
#include "sweep/plan.h"

/* The file that is made in a folder given as target. */
#define STAGE_FILE_NAME "iosweep.dat"
/* Blocks looked at to find a target that holds nothing but zeros. */
#define STAGE_ZERO_SAMPLES 64

struct stage_target {
	const char *path;	  /* the plan's */
	bool missing;		  /* has to be laid out first */
	bool written;		  /* some point, or preconditioning, writes */
	bool made;		  /* laid out by this program run */
	uint64_t unwritten_bytes; /* holes; 0 where none or unknown */
	bool all_zero;
	char *problem; /* why it must not be written or made; owned; NULL */
};

struct stage {
	struct stage_target *items; /* one a target of the plan, same order */
	struct target *targets;	    /* probed ones; those missing are zeroed */
	uint32_t count;
	uint64_t size_bytes;
};

/*
 * Replace folders among the request's targets by a file in them. 0 or
 * -ENOMEM. Before plan_build, since the path is part of a point.
 */
int stage_resolve_folders(struct plan_request *req, struct err *err);

/*
 * Look at every target and decide: may it be written where points write
 * (consent: the path named on the command line, or NULL), is there room for
 * the files that have to be made. 0, or -errno with the first problem's
 * sentence. stage_fini after success.
 */
int stage_open(const struct plan *plan, const char *consent, struct stage *out,
	       struct err *err);

/* The same, but what is refused stays with its target, as its problem: for
 * the preflight, which tells all of them. */
int stage_look(const struct plan *plan, const char *consent, struct stage *out,
	       struct err *err);

/* How large target i is, or will be once it is made. */
uint64_t stage_bytes(const struct stage *stage, uint32_t i);

/* Whether target i is a file that is there, which --layout fills again. */
bool stage_refills(const struct stage *stage, uint32_t i);

/* Whether all files that are there may be filled again (--layout): 0, or
 * -errno with a sentence. */
int stage_check_refill(const struct stage *stage, struct err *err);

struct stage_layout_opts {
	bool refill; /* --layout: write existing files whole again, too */
	layout_progress *progress;
	void *progress_arg;
	const volatile sig_atomic_t *stop;
	struct aside *aside; /* told how it gets on; NULL: nobody */
};

/* Make what is missing, then look for holes and zeros in all of them. 0 or
 * -errno with a sentence; -EINTR when stopped. */
int stage_layout(struct stage *stage, const struct plan *plan,
		 const struct stage_layout_opts *opts, struct err *err);

/* O_DIRECT where points ask for it: 0, or -EOPNOTSUPP with a sentence that
 * offers --cache buffered. Before stage_layout it tells of files that are to
 * be made what can be told without making one, after it all. */
int stage_check_direct(const struct stage *stage, const struct plan *plan,
		       struct err *err);

/* What makes target i not worth reading, one sentence into buf, or "". */
char *stage_doubt(const struct stage *stage, uint32_t i, char *buf,
		  size_t size);

/* Remove the files that this program run made, where they are still there. 0,
 * or the first -errno with a sentence. */
int stage_remove(struct stage *stage, struct err *err);

/*
 * Look anew at a target that a person's command may have brought back under
 * another number: it has to be of the same kind and size as before. Its open
 * descriptors are dropped. 0, or -errno with a sentence and the target as it
 * was.
 */
int stage_renew(struct stage *stage, uint32_t i, struct err *err);

void stage_fini(struct stage *stage);

#endif
