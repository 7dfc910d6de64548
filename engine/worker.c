#include "engine/worker.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/clock.h"
#include "engine/counters.h"

/* How often a worker looks up from its I/Os: for run->quit. */
#define LOOK_UP_NS ((uint64_t)10000000)

/* Failures without a success between them until a worker gives up, so that a
 * dead target does not cost millions of them. */
#define FAILURES_MAX 1000

/* A write carries a number of its own in every so many bytes, so that storage
 * that folds equal blocks finds none. */
#define STAMP_BYTES 4096

#define CACHE_LINE 128

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- making one ---- */

struct worker *worker_new(uint32_t index)
{
	struct worker *w = aligned_alloc(CACHE_LINE, sizeof(*w));

	if (!w)
		return NULL;
	memset(w, 0, sizeof(*w));
	w->index = index;
	/* Stamps of other runs and workers must not come again. */
	if (getrandom(&w->write_stamp, sizeof(w->write_stamp), 0) < 0)
		w->write_stamp = clock_now_ns() << 16;
	visit_init(&w->part);
	return w;
}

void worker_free(struct worker *w)
{
	int i;

	if (!w)
		return;
	for (i = 0; i < ENGINE_COUNT; i++)
		if (w->backends[i])
			w->backends[i]->ops->destroy(w->backends[i]);
	visit_fini(&w->part);
	free(w->slots);
	free(w->done);
	free(w);
}

/* ---- prepare ---- */

/* Whole cache lines, so that no other thread's data share them. */
static void *alloc_lines(size_t bytes)
{
	return aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE *
					     CACHE_LINE);
}

static int reserve_slots(struct worker *w, uint32_t depth)
{
	if (depth <= w->slot_capacity)
		return 0;
	free(w->slots);
	free(w->done);
	w->slots = alloc_lines(depth * sizeof(*w->slots));
	w->done = alloc_lines(depth * sizeof(*w->done));
	w->slot_capacity = w->slots && w->done ? depth : 0;
	return w->slot_capacity ? 0 : -ENOMEM;
}

static int reserve(struct worker *w, const struct run *run)
{
	int ret = reserve_slots(w, run->depth);

	visit_reset(&w->part);
	if (ret == 0)
		ret = visit_reserve(&w->part, run->samples);
	if (ret < 0)
		return err_failed(&w->err, ENOMEM, "no memory for a thread");
	w->hist[DIR_READ] = w->part.latency[DIR_READ];
	w->hist[DIR_WRITE] = w->part.latency[DIR_WRITE];
	return 0;
}

static int choose_backend(struct worker *w, const struct run *run)
{
	struct backend **b = &w->backends[run->ops->kind];
	int ret;

	if (!*b) {
		ret = run->ops->create(&run->opts, b, &w->err);
		if (ret < 0)
			return ret;
	}
	w->backend = *b;
	w->now = run->ops->now;
	return 0;
}

static int prepare_backend(struct worker *w, const struct run *run)
{
	struct backend_job job = {
	    .fd = run->fd,
	    .block_size_bytes = run->stream.block_size_bytes,
	    .depth = run->depth,
	    .slots = w->slots,
	    .stride_bytes = run->stride_bytes,
	};
	size_t share = (size_t)run->depth * run->stride_bytes;
	int d;

	for (d = 0; d < DIR_COUNT; d++)
		if (run->area[d])
			job.buffer[d] = run->area[d] + w->index * share;
	w->write_buffer = job.buffer[DIR_WRITE];
	return w->backend->ops->prepare(w->backend, &job, &w->err);
}

static void clear(struct worker *w, struct run *run, uint64_t resume_block)
{
	struct offsets_plan plan = {
	    .stream = &run->stream,
	    .region_bytes = run->region_bytes,
	    .worker = w->index,
	    .workers = run->workers,
	    .seed = run->seed,
	    .resume_block = resume_block,
	};

	offsets_init(&w->offsets, &plan);
	memset(w->slots, 0, run->depth * sizeof(*w->slots));
	w->run = run;
	w->block_size = (uint32_t)run->stream.block_size_bytes;
	w->batch = run->batch;
	w->stride_bytes = run->stride_bytes;
	w->in_flight = 0;
	w->in_window = false;
	w->failures_in_turn = 0;
	w->count_at_failure = 0;
	w->end = WORKER_DONE;
	w->stuck_count = 0;
	atomic_store(&w->published.in_window, false);
	atomic_store(&w->published.ios, 0);
	atomic_store(&w->published.lat_sum_ns, 0);
}

int worker_prepare(struct worker *w, struct run *run, uint64_t resume_block)
{
	int ret;

	err_clear(&w->err);
	ret = reserve(w, run);
	if (ret == 0)
		ret = choose_backend(w, run);
	if (ret == 0)
		ret = prepare_backend(w, run);
	if (ret == 0)
		clear(w, run, resume_block);
	return ret;
}

void worker_finish(struct worker *w)
{
	if (w->backend)
		w->backend->ops->finish(w->backend);
}

/* ---- the window and its intervals ---- */

static void publish(struct worker *w)
{
	const struct hist *r = w->hist[DIR_READ], *wr = w->hist[DIR_WRITE];

	atomic_store_explicit(&w->published.ios, r->count + wr->count,
			      memory_order_relaxed);
	atomic_store_explicit(&w->published.lat_sum_ns, r->sum_ns + wr->sum_ns,
			      memory_order_relaxed);
}

/* CPU and switches go up from the window's begin: subtracted at its end. */
static void read_cpu(struct worker *w, struct counters_thread *since)
{
	struct counters_thread now;

	counters_thread(&now);
	w->part.cpu_user_ns = now.user_ns - since->user_ns;
	w->part.cpu_system_ns = now.system_ns - since->system_ns;
	w->part.cpu_wait_ns = now.wait_ns - since->wait_ns;
	w->part.switches_voluntary =
	    (double)(now.switches_voluntary - since->switches_voluntary);
	w->part.switches_involuntary =
	    (double)(now.switches_involuntary - since->switches_involuntary);
}

/* The ramp is over: forget what it counted. The I/O goes on. */
static void open_window(struct worker *w)
{
	int d;

	for (d = 0; d < DIR_COUNT; d++) {
		hist_reset(w->hist[d]);
		w->mark_count[d] = 0;
		w->mark_sum_ns[d] = 0;
		w->past_max_ns[d] = 0;
	}
	memset(w->part.errors, 0, sizeof(w->part.errors));
	w->part.error_count = 0;
	w->count_at_failure = 0;
	w->in_window = true;
	w->sample_end_ns = run_window_ns(w->run) + w->run->interval_ns;
	counters_thread(&w->cpu_since);
	atomic_store(&w->published.in_window, true);
}

static void close_sample(struct worker *w)
{
	struct sample *s = &w->part.samples[w->part.sample_count++];
	int d;

	memset(s, 0, sizeof(*s));
	for (d = 0; d < DIR_COUNT; d++) {
		struct hist *h = w->hist[d];

		s->ios[d] = h->count - w->mark_count[d];
		s->bytes[d] = s->ios[d] * w->block_size;
		s->lat_sum_ns += h->sum_ns - w->mark_sum_ns[d];
		if (h->max_ns > s->lat_max_ns)
			s->lat_max_ns = h->max_ns;
		if (h->max_ns > w->past_max_ns[d])
			w->past_max_ns[d] = h->max_ns;
		h->max_ns = 0;
		w->mark_count[d] = h->count;
		w->mark_sum_ns[d] = h->sum_ns;
	}
	w->sample_end_ns += w->run->interval_ns;
}

static void close_window(struct worker *w)
{
	int d;

	read_cpu(w, &w->cpu_since);
	for (d = 0; d < DIR_COUNT; d++)
		if (w->past_max_ns[d] > w->hist[d]->max_ns)
			w->hist[d]->max_ns = w->past_max_ns[d];
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool sample_is_open(const struct worker *w)
{
	return w->in_window && w->part.sample_count < w->run->samples;
}

static uint64_t next_event(const struct worker *w, uint64_t now)
{
	uint64_t next = earlier(now + LOOK_UP_NS, run_end_ns(w->run));

	if (!w->in_window)
		next = earlier(next, run_window_ns(w->run));
	if (sample_is_open(w))
		next = earlier(next, w->sample_end_ns);
	return next;
}

/*
 * Something is due: the window begins, an interval or the window ends, or
 * somebody wants us to stop. Comes before what was stamped `now` is counted.
 * False when the worker has to end.
 */
static bool handle_event(struct worker *w, uint64_t now)
{
	if (atomic_load_explicit(&w->run->quit, memory_order_relaxed)) {
		w->end = WORKER_QUIT;
		return false;
	}
	if (!w->in_window && now >= run_window_ns(w->run))
		open_window(w);
	while (sample_is_open(w) && now >= w->sample_end_ns)
		close_sample(w);
	publish(w);
	w->next_event_ns = next_event(w, now);
	return now < run_end_ns(w->run);
}

/* ---- failures ---- */

static __attribute__((noinline, cold)) void count_failure(struct worker *w,
							  int32_t res)
{
	uint64_t count = w->hist[DIR_READ]->count + w->hist[DIR_WRITE]->count;

	visit_count_error(&w->part, res < 0 ? -res : 0, 1);
	if (count != w->count_at_failure)
		w->failures_in_turn = 0;
	w->count_at_failure = count;
	w->failures_in_turn++;
}

static bool is_late(const struct worker *w, const struct io_slot *s,
		    uint64_t now)
{
	return s->start_ns && now > s->start_ns + w->run->io_timeout_ns;
}

/* Whether some I/O has not returned for too long; names them if so. */
static bool find_stuck(struct worker *w, uint64_t now)
{
	uint32_t i, n = 0;

	for (i = 0; i < w->run->depth; i++) {
		if (!is_late(w, &w->slots[i], now))
			continue;
		w->stuck = w->slots[i];
		n++;
	}
	w->stuck_count = n;
	return n > 0;
}

/* ---- the loop ---- */

static inline uint64_t stamp(const struct worker *w)
{
	return w->now ? w->now(w->backend) : clock_now_ns();
}

static inline void stamp_write(struct worker *w, uint32_t slot)
{
	char *block = w->write_buffer + slot * w->stride_bytes;
	uint32_t at;

	for (at = 0; at < w->block_size; at += STAMP_BYTES)
		memcpy(block + at, &w->write_stamp, sizeof(w->write_stamp));
	w->write_stamp++;
}

/* Aim a slot at its next block. */
static inline void aim(struct worker *w, uint32_t slot, uint64_t now)
{
	struct io_slot *s = &w->slots[slot];

	s->start_ns = now;
	s->offset = offsets_next(&w->offsets, &s->dir);
	if (s->dir == DIR_WRITE)
		stamp_write(w, slot);
}

/* Count the n I/Os that came back by now and aim their slots anew. */
static inline void turn_around(struct worker *w, uint32_t n, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct io_done *done = &w->done[i];
		struct io_slot *s = &w->slots[done->slot];

		if (likely(done->res == (int32_t)w->block_size))
			hist_record(w->hist[s->dir], now - s->start_ns);
		else
			count_failure(w, done->res);
		aim(w, done->slot, now);
	}
}

static void land(struct worker *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		w->slots[w->done[i].slot].start_ns = 0;
	w->in_flight -= n;
}

static void break_off(struct worker *w, int ret)
{
	w->end = WORKER_BROKEN;
	w->broken_errno = -ret;
}

/* Bring all slots into flight, a batch at a time. */
static bool take_off(struct worker *w)
{
	uint32_t slot, n = 0;
	uint64_t now = 0;
	int ret;

	for (slot = 0; slot < w->run->depth; slot++) {
		if (n == 0)
			now = stamp(w);
		aim(w, slot, now);
		w->done[n++].slot = slot;
		if (n < w->batch && slot + 1 < w->run->depth)
			continue;
		ret = w->backend->ops->submit(w->backend, w->done, n, false);
		if (ret < 0) {
			break_off(w, ret);
			return false;
		}
		w->in_flight += n;
		n = 0;
	}
	return true;
}

/* Looked at every now and then: only failures, or I/Os that do not return. */
static bool has_stalled(struct worker *w, uint64_t now)
{
	if (w->failures_in_turn >= FAILURES_MAX)
		w->end = WORKER_FAILING;
	else if (find_stuck(w, now))
		w->end = WORKER_STUCK;
	return w->end != WORKER_DONE;
}

static void fly(struct worker *w)
{
	struct backend *b = w->backend;
	const struct backend_ops *ops = b->ops;
	uint64_t now;
	bool due;
	int n, ret;

	for (;;) {
		n = ops->reap(b, w->done, w->batch);
		if (unlikely(n < 0)) {
			break_off(w, n);
			return;
		}
		now = stamp(w);
		due = now >= w->next_event_ns;
		if (unlikely(due) && !handle_event(w, now))
			break;
		turn_around(w, (uint32_t)n, now);
		if (unlikely(due) && has_stalled(w, now))
			break;
		ret = ops->submit(b, w->done, (uint32_t)n, true);
		if (unlikely(ret < 0)) {
			break_off(w, ret);
			break;
		}
	}
	land(w, (uint32_t)n);
}

/* Take back what is still in flight; none of it counts. */
static void come_down(struct worker *w)
{
	const struct backend_ops *ops = w->backend->ops;
	int n;

	while (w->in_flight) {
		if (ops->submit(w->backend, w->done, 0, true) < 0)
			break;
		n = ops->reap(w->backend, w->done, w->batch);
		if (n < 0)
			break;
		land(w, (uint32_t)n);
		if (n == 0 && find_stuck(w, stamp(w)))
			break;
	}
	if (w->in_flight)
		w->end = w->end == WORKER_BROKEN ? w->end : WORKER_STUCK;
}

void worker_run(struct worker *w)
{
	w->backend->start_ns = w->run->start_ns;
	w->next_event_ns = w->run->start_ns;
	if (take_off(w))
		fly(w);
	if (w->in_window)
		close_window(w);
	/* One that cannot go on ends it for all. */
	if (w->end != WORKER_DONE)
		atomic_store(&w->run->quit, true);
	come_down(w);
}
