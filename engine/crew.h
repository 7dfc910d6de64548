/*
 * crew: the threads of the workers. They are made when a visit first needs
 * them and wait, parked, between visits. The caller gives an order to the
 * first n of them and waits until all have carried it out.
 *
 * Not thread safe: one caller.
 */
#ifndef ENGINE_CREW_H
#define ENGINE_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/cpus.h"
#include "engine/err.h"
#include "engine/worker.h"

enum crew_order {
	CREW_PREPARE, /* worker_prepare */
	CREW_RUN,     /* worker_run */
	CREW_FINISH,  /* worker_finish */
	CREW_LEAVE,   /* end the thread */
};

struct crew;

struct crew_member {
	struct worker *worker;
	uint64_t resume_block; /* for worker_prepare; the caller's to set */
	int ret;	       /* of worker_prepare */

	struct crew *crew;
	struct run *run;
	pthread_t thread;
	pthread_cond_t wake; /* there is an order */
	enum crew_order order;
	bool busy; /* has an order that is not carried out */
	/* Abandoned. While busy too, its worker must not be looked at. */
	bool lost;
	struct crew_member *next_lost;
};

struct crew {
	struct crew_member **members;
	uint32_t count;

	pthread_mutex_t lock;
	pthread_cond_t news; /* nobody is busy any more */
	const struct cpus *cpus;
	uint32_t busy;
	bool haunted; /* some were abandoned and may come back */
};

/* cpus is the caller's and must outlive the crew. NULL: no memory. */
struct crew *crew_new(const struct cpus *cpus);

/* Ends all threads, none of whom may be busy. NULL is allowed. */
void crew_free(struct crew *c);

/* At least n parked workers. 0, or -errno with a sentence. */
int crew_reserve(struct crew *c, uint32_t n, struct err *err);

/* Give an order to the first n, none of whom may be busy. run is for
 * CREW_PREPARE and must live until their CREW_FINISH, or for ever when one is
 * abandoned. */
void crew_order(struct crew *c, uint32_t n, enum crew_order order,
		struct run *run);

/* True when nobody is busy, false when until_ns (clock_now_ns) came first. */
bool crew_wait(struct crew *c, uint64_t until_ns);

/*
 * Give up those who are busy or have I/Os in flight: they are lost, and their
 * thread, ring and memory are left alone for ever, since the kernel may still
 * write to them. Returns how many. Others take their places at the next
 * crew_reserve.
 */
uint32_t crew_abandon(struct crew *c);

/* How many of all crews were given up and have not come back, or have I/Os in
 * flight still. */
uint32_t crew_lost_count(void);

#endif
