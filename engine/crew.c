#include "engine/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/units.h"

/* All who were ever abandoned: left alone on purpose, not leaked. */
static struct crew_member *the_lost;
static atomic_uint lost_count; /* of them, those not back with all I/Os */

/* ---- the threads ---- */

static enum crew_order await_order(struct crew_member *m)
{
	struct crew *c = m->crew;
	enum crew_order order;

	pthread_mutex_lock(&c->lock);
	while (!m->busy)
		pthread_cond_wait(&m->wake, &c->lock);
	order = m->order;
	pthread_mutex_unlock(&c->lock);
	return order;
}

static void carry_out(struct crew_member *m, enum crew_order order)
{
	switch (order) {
	case CREW_PREPARE:
		m->ret = worker_prepare(m->worker, m->run, m->resume_block);
		break;
	case CREW_RUN:
		worker_run(m->worker);
		break;
	case CREW_FINISH:
		worker_finish(m->worker);
		break;
	case CREW_LEAVE:
		break;
	}
}

/* False when the crew went on without this thread. */
static bool report(struct crew_member *m)
{
	struct crew *c = m->crew;
	bool lost;

	pthread_mutex_lock(&c->lock);
	lost = m->lost;
	if (lost && !m->worker->in_flight)
		lost_count--;
	if (!lost) {
		m->busy = false;
		if (--c->busy == 0)
			pthread_cond_signal(&c->news);
	}
	pthread_mutex_unlock(&c->lock);
	return !lost;
}

static void *serve(void *arg)
{
	struct crew_member *m = arg;
	enum crew_order order;

	do {
		order = await_order(m);
		carry_out(m, order);
	} while (report(m) && order != CREW_LEAVE);
	return NULL;
}

/* ---- the crew ---- */

struct crew *crew_new(const struct cpus *cpus)
{
	struct crew *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return NULL;
	c->cpus = cpus;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->news, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

static void free_member(struct crew_member *m)
{
	pthread_cond_destroy(&m->wake);
	worker_free(m->worker);
	free(m);
}

/* Pinned where asked, and deaf to signals, which are the caller's. */
static int start_thread(struct crew_member *m, uint32_t index)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int ret;

	pthread_attr_init(&attr);
	ret = cpus_pin(m->crew->cpus, index, &attr);
	if (ret == 0) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		ret = -pthread_create(&m->thread, &attr, serve, m);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pthread_attr_destroy(&attr);
	return ret;
}

static int add_member(struct crew *c, uint32_t index)
{
	struct crew_member *m = calloc(1, sizeof(*m));
	int ret = -ENOMEM;

	if (!m)
		return ret;
	m->crew = c;
	pthread_cond_init(&m->wake, NULL);
	m->worker = worker_new(index);
	if (m->worker)
		ret = start_thread(m, index);
	if (ret < 0)
		free_member(m);
	else
		c->members[index] = m;
	return ret;
}

static int grow_list(struct crew *c, uint32_t n)
{
	struct crew_member **grown;

	if (n <= c->count)
		return 0;
	grown = realloc(c->members, n * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + c->count, 0, (n - c->count) * sizeof(*grown));
	c->members = grown;
	c->count = n;
	return 0;
}

int crew_reserve(struct crew *c, uint32_t n, struct err *err)
{
	uint32_t i;
	int ret = grow_list(c, n);

	for (i = 0; ret == 0 && i < n; i++)
		if (!c->members[i] || c->members[i]->lost)
			ret = add_member(c, i);
	if (ret < 0)
		return err_failed(err, -ret,
				  "cannot start %u threads: %s (see ulimit -u)",
				  n, strerror(-ret));
	return 0;
}

/* With the lock held. */
static void give_order(struct crew_member *m, enum crew_order order,
		       struct run *run)
{
	m->order = order;
	m->run = run;
	m->busy = true;
	m->crew->busy++;
	pthread_cond_signal(&m->wake);
}

void crew_order(struct crew *c, uint32_t n, enum crew_order order,
		struct run *run)
{
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < n; i++)
		give_order(c->members[i], order, run);
	pthread_mutex_unlock(&c->lock);
}

bool crew_wait(struct crew *c, uint64_t until_ns)
{
	struct timespec until = {
	    .tv_sec = (time_t)(until_ns / NS_PER_SEC),
	    .tv_nsec = (long)(until_ns % NS_PER_SEC),
	};
	bool done;
	int ret = 0;

	pthread_mutex_lock(&c->lock);
	while (c->busy && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&c->news, &c->lock, &until);
	done = !c->busy;
	pthread_mutex_unlock(&c->lock);
	return done;
}

uint32_t crew_abandon(struct crew *c)
{
	uint32_t i, n = 0;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->count; i++) {
		struct crew_member *m = c->members[i];

		if (!m || (!m->busy && !m->worker->in_flight))
			continue;
		m->lost = true;
		m->next_lost = the_lost;
		the_lost = m;
		pthread_detach(m->thread);
		n++;
	}
	c->busy = 0;
	c->haunted |= n > 0;
	lost_count += n;
	pthread_mutex_unlock(&c->lock);
	return n;
}

uint32_t crew_lost_count(void)
{
	return lost_count;
}

static bool is_here(const struct crew_member *m)
{
	return m && !m->lost;
}

static void dismiss(struct crew *c)
{
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->count; i++)
		if (is_here(c->members[i]))
			give_order(c->members[i], CREW_LEAVE, NULL);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < c->count; i++) {
		if (!is_here(c->members[i]))
			continue;
		pthread_join(c->members[i]->thread, NULL);
		free_member(c->members[i]);
	}
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	dismiss(c);
	free(c->members);
	/* A thread that comes back after all still looks at the lock. */
	if (c->haunted)
		return;
	pthread_cond_destroy(&c->news);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
