#include "engine/warm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

#define ALIGN 4096 /* of buffers, for O_DIRECT */
#define TICK_NS (200 * NS_PER_MS)
/* How long a read that nobody wants any more may take to return. */
#define GRACE_NS (1 * NS_PER_SEC)

/* What the reading thread and its watcher share. One that is caught in a read
 * keeps it for ever. */
struct reader {
	alignas(ALIGN) char buffer[WARM_SIZE_MAX];
	struct warm_stretch what; /* its fd is our own */
	atomic_uint_fast64_t at;  /* where the next read begins */
	atomic_bool quit;	  /* nobody wants more of it */
	int errnum; /* why it ended early; 0 at the end of the file */

	pthread_mutex_t lock;
	pthread_cond_t news;
	bool ended, lost;
};

/* Readers that were left alone, caught in a read. */
static atomic_uint lost_count;

uint32_t warm_lost_count(void)
{
	return lost_count;
}

/* ---- the reading thread ---- */

static void read_all(struct reader *r)
{
	const struct warm_stretch *what = &r->what;

	while (r->at < what->end && !r->quit) {
		uint64_t left = what->end - r->at;
		uint64_t size = left < what->size ? left : what->size;
		ssize_t n = pread(what->fd, r->buffer, size, (off_t)r->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r->errnum = n < 0 ? errno : 0;
			return;
		}
		r->at += (uint64_t)n == size ? what->stride : (uint64_t)n;
	}
}

static void free_reader(struct reader *r)
{
	pthread_cond_destroy(&r->news);
	pthread_mutex_destroy(&r->lock);
	close(r->what.fd);
	free(r);
}

static void *serve(void *arg)
{
	struct reader *r = arg;
	bool lost;

	read_all(r);
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	lost = r->lost;
	pthread_cond_signal(&r->news);
	pthread_mutex_unlock(&r->lock);
	if (lost) {
		lost_count--;
		free_reader(r);
	}
	return NULL;
}

/* ---- its watcher ---- */

struct watcher {
	const struct measure_opts *opts;
	struct reader *reader;
	uint64_t start_ns;
	uint64_t moved_ns; /* when `at` was last seen to move */
	uint64_t at;
};

/* Wait for the end, a tick at the most. True: it has ended. */
static bool await(struct reader *r)
{
	uint64_t until_ns = clock_now_ns() + TICK_NS;
	struct timespec until = {
	    .tv_sec = (time_t)(until_ns / NS_PER_SEC),
	    .tv_nsec = (long)(until_ns % NS_PER_SEC),
	};
	bool ended;
	int ret = 0;

	pthread_mutex_lock(&r->lock);
	while (!r->ended && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&r->news, &r->lock, &until);
	ended = r->ended;
	pthread_mutex_unlock(&r->lock);
	return ended;
}

static void report(const struct watcher *w, uint64_t now)
{
	const struct warm_stretch *what = &w->reader->what;
	uint64_t reads = (w->at - what->from) / what->stride;
	struct measure_tick tick = {
	    .prefilling = true,
	    .bytes = what->before_bytes + reads * what->size,
	};

	if (!w->opts->tick)
		return;
	tick.elapsed_ns = now - w->start_ns;
	tick.ios = tick.bytes / what->size;
	w->opts->tick(w->opts->tick_arg, &tick);
}

static bool stop_asked(const struct watcher *w)
{
	return w->opts->stop && *w->opts->stop >= w->reader->what.stop_at;
}

/* Until it has ended, true, or hangs. */
static bool watch(struct watcher *w)
{
	struct reader *r = w->reader;
	uint64_t limit_ns = measure_io_timeout_ns(w->opts);

	while (!await(r)) {
		uint64_t now = clock_now_ns();

		if (r->at != w->at)
			w->moved_ns = now;
		w->at = r->at;
		report(w, now);
		if (stop_asked(w) && !r->quit) {
			r->quit = true;
			w->moved_ns = now;
			limit_ns = GRACE_NS;
		}
		if (now - w->moved_ns >= limit_ns)
			return false;
	}
	return true;
}

/* Left alone, unless it has come back just now. */
static bool abandon(struct reader *r)
{
	bool lost;

	pthread_mutex_lock(&r->lock);
	lost = r->lost = !r->ended;
	r->quit = true;
	lost_count += lost;
	pthread_mutex_unlock(&r->lock);
	return lost;
}

static int say_hung(const struct watcher *w, struct err *err)
{
	char size[UNITS_TEXT_MAX], out_for[UNITS_TEXT_MAX];

	return err_failed(
	    err, ETIMEDOUT,
	    "reading into the cache before the point: the read of %s at "
	    "byte %llu did not return for %s: the device or the way to it "
	    "hangs, see dmesg",
	    units_format_size(size, w->reader->what.size),
	    (unsigned long long)w->at,
	    units_format_duration(out_for, clock_now_ns() - w->moved_ns));
}

static int judge(const struct reader *r, struct err *err)
{
	unsigned long long at = r->at;

	if (r->at >= r->what.end)
		return 0;
	if (r->quit)
		return -EINTR;
	if (r->errnum)
		return err_failed(err, r->errnum,
				  "reading into the cache before the "
				  "point failed at byte %llu: %s",
				  at, strerror(r->errnum));
	return err_failed(err, EIO,
			  "the target ended at byte %llu while it was read "
			  "into the cache: it is smaller than when the "
			  "run began",
			  at);
}

/* Deaf to signals, which are the caller's. */
static int start(struct reader *r, pthread_t *thread)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(thread, NULL, serve, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

/* NULL with errno set. It has a descriptor of its own: the caller's may be
 * closed while a read hangs. */
static struct reader *new_reader(const struct warm_stretch *what)
{
	struct reader *r = aligned_alloc(ALIGN, sizeof(*r));
	pthread_condattr_t attr;

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->what = *what;
	r->what.fd = fcntl(what->fd, F_DUPFD_CLOEXEC, 0);
	if (r->what.fd < 0) {
		free(r);
		return NULL;
	}
	r->at = what->from;
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->news, &attr);
	pthread_condattr_destroy(&attr);
	return r;
}

int warm_stretch(const struct warm_stretch *what,
		 const struct measure_opts *opts, struct err *err)
{
	struct watcher w = {
	    .opts = opts, .start_ns = clock_now_ns(), .at = what->from};
	pthread_t thread;
	bool returned, quit;
	int ret;

	if (opts->stop && *opts->stop >= what->stop_at)
		return -EINTR;
	w.moved_ns = w.start_ns;
	w.reader = new_reader(what);
	if (!w.reader)
		return err_failed(err, errno,
				  "cannot prepare to read into the cache: %s",
				  strerror(errno));
	report(&w, w.start_ns);
	ret = start(w.reader, &thread);
	if (ret) {
		free_reader(w.reader);
		return err_failed(err, ret,
				  "cannot start a thread to read with: %s",
				  strerror(ret));
	}
	returned = watch(&w);
	quit = w.reader->quit; /* one that is left alone is its own */
	if (!returned && abandon(w.reader)) {
		pthread_detach(thread);
		return quit ? -EINTR : say_hung(&w, err);
	}
	pthread_join(thread, NULL);
	ret = judge(w.reader, err);
	free_reader(w.reader);
	return ret;
}

int warm_read(int fd, uint64_t bytes, const struct measure_opts *opts,
	      struct err *err)
{
	const struct warm_stretch all = {
	    .fd = fd,
	    .end = bytes,
	    .size = WARM_SIZE_MAX,
	    .stride = WARM_SIZE_MAX,
	    .stop_at = 2,
	};

	return warm_stretch(&all, opts, err);
}
