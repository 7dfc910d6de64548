#include "engine/worker.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/worker_loop.h"

/* How often a worker looks up from its I/Os: for run->quit. */
#define LOOK_UP_NS ((uint64_t)10000000)
/* One that did not look up for so long was stopped itself: what came back
 * meanwhile is yet to be reaped. */
#define STOPPED_NS ((uint64_t)1000000000)

/* Failures without a success between them until a worker gives up, so that a
 * dead target does not cost millions of them. */
#define FAILURES_MAX 1000

#define CACHE_LINE 128

/* ---- making one ---- */

struct worker *worker_new(uint32_t index)
{
	struct worker *w = aligned_alloc(CACHE_LINE, sizeof(*w));

	if (!w)
		return NULL;
	memset(w, 0, sizeof(*w));
	w->index = index;
	/* Stamps of other runs and workers must not come again. */
	if (getrandom(&w->flight.write_stamp, sizeof(w->flight.write_stamp),
		      0) < 0)
		w->flight.write_stamp = clock_now_ns() << 16;
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
	free(w->flight.slots);
	free(w->flight.done);
	free(w->idle);
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
	free(w->flight.slots);
	free(w->flight.done);
	free(w->idle);
	w->idle = alloc_lines(depth * sizeof(*w->idle));
	w->flight.slots = alloc_lines(depth * sizeof(*w->flight.slots));
	w->flight.done = alloc_lines(depth * sizeof(*w->flight.done));
	w->slot_capacity =
	    w->flight.slots && w->flight.done && w->idle ? depth : 0;
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
	w->flight.hist[DIR_READ] = w->part.latency[DIR_READ];
	w->flight.hist[DIR_WRITE] = w->part.latency[DIR_WRITE];
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
	    .slots = w->flight.slots,
	    .stride_bytes = run->stride_bytes,
	    .paced = run->rate_iops > 0,
	};
	size_t share = (size_t)run->depth * run->stride_bytes;
	int d;

	for (d = 0; d < DIR_COUNT; d++)
		if (run->area[d])
			job.buffer[d] = run->area[d] + w->index * share;
	w->flight.write_buffer = job.buffer[DIR_WRITE];
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
	    .hot_key = run->hot_key,
	    .resume_block = resume_block,
	};

	offsets_init(&w->flight.offsets, &plan);
	memset(w->flight.slots, 0, run->depth * sizeof(*w->flight.slots));
	w->run = run;
	w->flight.block_size = (uint32_t)run->stream.block_size_bytes;
	w->flight.batch = run->batch;
	w->flight.stride_bytes = run->stride_bytes;
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
	const struct hist *r = w->flight.hist[DIR_READ],
			  *wr = w->flight.hist[DIR_WRITE];

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

/* Time that the I/Os in flight at that moment had taken by then. */
static uint64_t age_of_all(const struct worker *w, uint64_t at)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < w->run->depth; i++) {
		uint64_t start = w->flight.slots[i].start_ns;

		if (start && start < at)
			sum += at - start;
	}
	return sum;
}

/* The ramp is over: forget what it counted. The I/O goes on. */
static void open_window(struct worker *w)
{
	int d;

	for (d = 0; d < DIR_COUNT; d++) {
		hist_reset(w->flight.hist[d]);
		w->mark_count[d] = 0;
		w->mark_sum_ns[d] = 0;
		w->past_max_ns[d] = 0;
	}
	hist_reset(w->part.latency[LATENCY_SERVICE]);
	w->depth_ns = 0;
	memset(w->part.errors, 0, sizeof(w->part.errors));
	w->part.error_count = 0;
	w->count_at_failure = 0;
	w->in_window = true;
	w->sample_end_ns = run_window_ns(w->run) + w->run->interval_ns;
	w->age_ns = age_of_all(w, run_window_ns(w->run));
	counters_thread(&w->cpu_since);
	w->offsets_since = w->flight.offsets;
	atomic_store(&w->published.in_window, true);
}

static void close_sample(struct worker *w)
{
	struct sample *s = &w->part.samples[w->part.sample_count++];
	int d;

	memset(s, 0, sizeof(*s));
	for (d = 0; d < DIR_COUNT; d++) {
		struct hist *h = w->flight.hist[d];

		s->ios[d] = h->count - w->mark_count[d];
		s->bytes[d] = s->ios[d] * w->flight.block_size;
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
		if (w->past_max_ns[d] > w->flight.hist[d]->max_ns)
			w->flight.hist[d]->max_ns = w->past_max_ns[d];
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

bool worker_handle_event(struct worker *w, uint64_t now)
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
	w->flight.next_event_ns = next_event(w, now);
	if (now < run_end_ns(w->run))
		return true;
	w->part.edge_ns =
	    (double)age_of_all(w, run_end_ns(w->run)) - (double)w->age_ns;
	return false;
}

/* ---- failures ---- */

__attribute__((noinline, cold)) void worker_count_failure(struct worker *w,
							  int32_t res)
{
	uint64_t count =
	    w->flight.hist[DIR_READ]->count + w->flight.hist[DIR_WRITE]->count;

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
		if (!is_late(w, &w->flight.slots[i], now))
			continue;
		w->stuck = w->flight.slots[i];
		n++;
	}
	w->stuck_count = n;
	w->stuck_ns = now;
	return n > 0;
}

/* ---- the loop ---- */

void worker_verify_begin(struct worker *w, uint32_t slot, uint64_t now)
{
	struct flight *f = &w->flight;
	const struct io_slot *s = &f->slots[slot];

	if (s->dir != DIR_WRITE)
		return;
	verify_stamp(f->write_buffer + slot * f->stride_bytes, f->block_size,
		     w->run->verify_mark, s->offset, now);
	verify_log_begin(&w->run->verify[w->index], s->offset, now);
}

void worker_verify_end(struct worker *w, const struct io_done *done,
		       uint64_t now)
{
	const struct io_slot *s = &w->flight.slots[done->slot];

	if (s->dir == DIR_WRITE)
		verify_log_end(&w->run->verify[w->index], s->offset, now,
			       flight_is_whole(&w->flight, done->res));
}

/* Count the n I/Os that came back by now and aim their slots anew. */
static void turn_around(struct worker *w, uint32_t n, uint64_t now)
{
	struct flight *f = &w->flight;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct io_done *done = &f->done[i];

		if (unlikely(w->run->verify))
			worker_verify_end(w, done, now);
		if (likely(flight_is_whole(f, done->res))) {
			flight_turn(f, done->slot, now);
		} else {
			worker_count_failure(w, done->res);
			flight_aim(f, done->slot, now);
		}
		if (unlikely(w->run->verify))
			worker_verify_begin(w, done->slot, now);
	}
}

bool worker_land(struct worker *w, uint32_t n)
{
	uint64_t now = w->run->verify && n ? worker_now(w) : 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (w->run->verify)
			worker_verify_end(w, &w->flight.done[i], now);
		w->flight.slots[w->flight.done[i].slot].start_ns = 0;
	}
	w->in_flight -= n;
	return false;
}

bool worker_break_off(struct worker *w, uint32_t n, int ret)
{
	w->end = WORKER_BROKEN;
	w->broken_errno = -ret;
	return worker_land(w, n);
}

/* Bring all slots into flight, a batch at a time. */
static bool take_off(struct worker *w)
{
	uint32_t slot, n = 0;
	uint64_t now = 0;
	int ret;

	for (slot = 0; slot < w->run->depth; slot++) {
		if (n == 0)
			now = worker_now(w);
		flight_aim(&w->flight, slot, now);
		if (w->run->verify)
			worker_verify_begin(w, slot, now);
		w->flight.done[n++].slot = slot;
		if (n < w->flight.batch && slot + 1 < w->run->depth)
			continue;
		ret = w->backend->ops->submit(w->backend, w->flight.done, n,
					      false);
		if (ret < 0)
			return worker_break_off(w, 0, ret);
		w->in_flight += n;
		n = 0;
	}
	return true;
}

bool worker_has_stalled(struct worker *w, uint64_t now)
{
	bool was_stopped = now > w->looked_ns + STOPPED_NS;

	w->looked_ns = now;
	if (w->failures_in_turn >= FAILURES_MAX)
		w->end = WORKER_FAILING;
	else if (!was_stopped && find_stuck(w, now))
		w->end = WORKER_STUCK;
	return w->end != WORKER_DONE;
}

/* One batch, whatever it holds. False when the worker has to end. */
static bool turn(struct worker *w)
{
	struct backend *b = w->backend;
	const struct backend_ops *ops = b->ops;
	int n = ops->reap(b, w->flight.done, w->flight.batch);
	uint64_t now;
	bool due;
	int ret;

	if (unlikely(n < 0))
		return worker_break_off(w, 0, n);
	now = worker_now(w);
	due = now >= w->flight.next_event_ns;
	if (unlikely(due) && !worker_handle_event(w, now))
		return worker_land(w, (uint32_t)n);
	turn_around(w, (uint32_t)n, now);
	if (unlikely(due) && worker_has_stalled(w, now))
		return worker_land(w, (uint32_t)n);
	ret = ops->submit(b, w->flight.done, (uint32_t)n, true);
	return likely(ret >= 0) || worker_break_off(w, (uint32_t)n, ret);
}

/* Batches without end: what is ordinary by the backend's own loop. */
static void fly(struct worker *w)
{
	struct backend *b = w->backend;
	uint32_t n = 0;
	int ret = 0;

	do {
		if (b->ops->fly && !w->run->verify)
			ret = b->ops->fly(b, &w->flight, &n);
		if (unlikely(ret < 0)) {
			worker_break_off(w, n, ret);
			return;
		}
	} while (turn(w));
}

/* Take back what is still in flight; none of it counts. */
static void come_down(struct worker *w)
{
	const struct backend_ops *ops = w->backend->ops;
	int n;

	while (w->in_flight) {
		if (ops->submit(w->backend, w->flight.done, 0, true) < 0)
			break;
		n = ops->reap(w->backend, w->flight.done, w->flight.batch);
		if (n < 0)
			break;
		worker_land(w, (uint32_t)n);
		if (n == 0 && find_stuck(w, worker_now(w)))
			break;
	}
	if (w->in_flight)
		w->end = w->end == WORKER_BROKEN ? w->end : WORKER_STUCK;
}

/* Also where it came so late that it saw nothing of its window. */
static double waited_since(double wait_ns)
{
	struct counters_thread now;

	counters_thread(&now);
	return now.wait_ns - wait_ns;
}

void worker_run(struct worker *w)
{
	struct counters_thread before;

	counters_thread(&before);
	w->backend->start_ns = w->run->start_ns;
	w->flight.next_event_ns = w->run->start_ns;
	w->looked_ns = w->run->start_ns;
	if (w->run->rate_iops)
		worker_fly_paced(w);
	else if (take_off(w))
		fly(w);
	if (w->in_window)
		close_window(w);
	w->waited_ns = waited_since(before.wait_ns);
	/* One that cannot go on ends it for all. */
	if (w->end != WORKER_DONE)
		atomic_store(&w->run->quit, true);
	come_down(w);
}
