#include "engine/aside.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/units.h"

#define TICK_NS (50 * NS_PER_MS)
#define GRACE_NS (5 * NS_PER_SEC)
#define PATIENCE 10

struct helper {
	struct aside *aside;
	int (*call)(struct aside *a, struct err *err);
	struct err err;
	int rc;
	pthread_mutex_t lock;
	pthread_cond_t news;
	bool ended, lost;
	struct helper *next_lost;
};

/* Reachable for good, as what they use is. */
static struct helper *the_lost;
static atomic_uint lost_count, given_up_count;

uint32_t aside_lost_count(void)
{
	return lost_count;
}

uint32_t aside_given_up_count(void)
{
	return given_up_count;
}

static void *serve(void *arg)
{
	struct helper *h = arg;

	h->rc = h->call(h->aside, &h->err);
	pthread_mutex_lock(&h->lock);
	h->ended = true;
	if (h->lost)
		lost_count--;
	pthread_cond_signal(&h->news);
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* Wait for the end, a tick at the most. True: it has ended. */
static bool await(struct helper *h)
{
	uint64_t until_ns = clock_now_ns() + TICK_NS;
	struct timespec until = {
	    .tv_sec = (time_t)(until_ns / NS_PER_SEC),
	    .tv_nsec = (long)(until_ns % NS_PER_SEC),
	};
	bool ended;
	int ret = 0;

	pthread_mutex_lock(&h->lock);
	while (!h->ended && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&h->news, &h->lock, &until);
	ended = h->ended;
	pthread_mutex_unlock(&h->lock);
	return ended;
}

static void tell_quit(struct aside *a)
{
	__atomic_store_n(&a->quit, 2, __ATOMIC_RELAXED);
}

/* Until it has ended, 0, or is to be given up: -ETIMEDOUT, -EINTR. */
static int watch(struct helper *h, const struct aside_asked *asked,
		 uint64_t *still_ns)
{
	uint64_t at = h->aside->moved, moved_ns = clock_now_ns();
	bool quit = false;

	while (!await(h)) {
		uint64_t now = clock_now_ns(), limit = asked->limit_ns;

		if (h->aside->moved != at)
			moved_ns = now;
		at = h->aside->moved;
		if (h->aside->patient)
			limit *= PATIENCE;
		if (!quit && aside_ends(asked->stop, asked->stop_at)) {
			quit = true;
			tell_quit(h->aside);
			moved_ns = now;
		}
		if (quit)
			limit = GRACE_NS;
		*still_ns = now - moved_ns;
		if (*still_ns >= limit)
			return quit ? -EINTR : -ETIMEDOUT;
	}
	return 0;
}

/* Left alone, unless it has come back just now. */
static bool give_up(struct helper *h)
{
	bool lost;

	tell_quit(h->aside);
	pthread_mutex_lock(&h->lock);
	lost = h->lost = !h->ended;
	if (lost) {
		lost_count++;
		given_up_count++;
		h->next_lost = the_lost;
		the_lost = h;
	}
	pthread_mutex_unlock(&h->lock);
	return lost;
}

static int say_lost(const struct aside_asked *asked, int why, uint64_t still_ns,
		    struct err *err)
{
	char still[UNITS_TEXT_MAX];

	if (why == -EINTR)
		return err_failed(err, EINTR,
				  "stopped while %s, which hangs: see dmesg",
				  asked->what);
	return err_failed(err, ETIMEDOUT,
			  "%s did not get on for %s: the device or the way to "
			  "it hangs, see dmesg; --io-timeout sets how long is "
			  "waited",
			  asked->what, units_format_duration(still, still_ns));
}

static struct helper *new_helper(struct aside *a,
				 const struct aside_asked *asked)
{
	struct helper *h = calloc(1, sizeof(*h));
	pthread_condattr_t attr;

	if (!h)
		return NULL;
	h->aside = a;
	h->call = asked->call;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->news, &attr);
	pthread_condattr_destroy(&attr);
	return h;
}

static void free_helper(struct helper *h)
{
	pthread_cond_destroy(&h->news);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Deaf to signals, which are the caller's. */
static int start(struct helper *h, pthread_t *thread)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(thread, NULL, serve, h);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int aside_run(struct aside *a, const struct aside_asked *asked, struct err *err)
{
	struct helper *h = new_helper(a, asked);
	uint64_t still_ns = 0;
	pthread_t thread;
	int rc;

	if (!h)
		return err_failed(err, ENOMEM, "out of memory for %s",
				  asked->what);
	rc = start(h, &thread);
	if (rc) {
		free_helper(h);
		return err_failed(err, rc, "cannot start a thread for %s: %s",
				  asked->what, strerror(rc));
	}
	rc = watch(h, asked, &still_ns);
	if (rc && give_up(h)) {
		pthread_detach(thread);
		return say_lost(asked, rc, still_ns, err);
	}
	pthread_join(thread, NULL);
	rc = h->rc;
	if (err)
		*err = h->err;
	free_helper(h);
	return rc;
}
