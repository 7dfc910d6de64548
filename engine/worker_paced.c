#include <sys/prctl.h>

#include "engine/units.h"
#include "engine/worker_loop.h"

/* Timers of ours go off when they are due, not up to 50 us later. */
#define TIMER_SLACK_NS 1

/* When this worker's next I/O is to start: the starts of all workers together
 * are evenly spaced. */
static uint64_t next_due(const struct worker *w)
{
	const struct run *r = w->run;
	unsigned __int128 number = w->started;

	number = number * r->workers + w->index;
	return r->start_ns + (uint64_t)(number * NS_PER_SEC / r->rate_iops);
}

/* I/Os in flight x time, up to now and not beyond the window's end. */
static void pass(struct worker *w, uint64_t now)
{
	uint64_t end = run_end_ns(w->run);

	if (now > end)
		now = end;
	if (now > w->depth_to_ns)
		w->depth_ns += w->in_flight * (now - w->depth_to_ns);
	w->depth_to_ns = now;
}

/* Start what is due, as far as slots are idle. */
static bool start_due(struct worker *w)
{
	const struct backend_ops *ops = w->backend->ops;
	uint64_t now = worker_now(w), due = next_due(w);
	struct io_done *top = w->idle + w->idle_count;
	uint32_t n = 0;
	int ret;

	while (n < w->flight.batch && n < w->idle_count && due <= now) {
		struct io_done *next = --top;

		flight_aim(&w->flight, next->slot, now);
		if (w->run->verify)
			worker_verify_begin(w, next->slot, now);
		w->flight.slots[next->slot].due_ns = due;
		w->started++;
		due = next_due(w);
		n++;
	}
	if (!n)
		return true;
	pass(w, now);
	w->in_flight += n;
	w->idle_count -= n;
	ret = ops->submit(w->backend, top, n, false);
	if (ret >= 0)
		return true;
	memcpy(w->flight.done, top, n * sizeof(*top));
	return worker_break_off(w, n, ret);
}

static void count(struct worker *w, const struct io_done *done, uint64_t now)
{
	struct flight *f = &w->flight;
	struct io_slot *s = &f->slots[done->slot];

	if (w->run->verify)
		worker_verify_end(w, done, now);
	if (flight_is_whole(f, done->res)) {
		hist_record(f->hist[s->dir], now - s->due_ns);
		hist_record(w->part.latency[LATENCY_SERVICE],
			    now - s->start_ns);
	} else {
		worker_count_failure(w, done->res);
	}
	s->start_ns = 0;
	w->idle[w->idle_count++].slot = done->slot;
}

/* Until the next start, where there is a slot for it, or event. */
static uint64_t wake_up(const struct worker *w)
{
	uint64_t due = next_due(w);

	if (w->idle_count && due < w->flight.next_event_ns)
		return due;
	return w->flight.next_event_ns;
}

/* What came back until the next start. False when the worker has to end. */
static bool take_back(struct worker *w)
{
	struct flight *f = &w->flight;
	int n = w->backend->ops->reap_until(w->backend, f->done, f->batch,
					    wake_up(w));
	uint64_t now;
	bool due;
	int i;

	if (n < 0)
		return worker_break_off(w, 0, n);
	now = worker_now(w);
	pass(w, now);
	due = now >= f->next_event_ns;
	if (due && !worker_handle_event(w, now))
		return worker_land(w, (uint32_t)n);
	for (i = 0; i < n; i++)
		count(w, &f->done[i], now);
	w->in_flight -= (uint32_t)n;
	return !due || !worker_has_stalled(w, now);
}

static void lay_out_slots(struct worker *w)
{
	uint32_t slot;

	for (slot = 0; slot < w->run->depth; slot++)
		w->idle[slot].slot = slot;
	w->idle_count = w->run->depth;
	w->started = 0;
	w->depth_ns = 0;
	w->depth_to_ns = w->run->start_ns;
}

void worker_fly_paced(struct worker *w)
{
	lay_out_slots(w);
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	while (start_due(w) && take_back(w))
		;
	prctl(PR_SET_TIMERSLACK, 0); /* the thread's default */
	pass(w, worker_now(w));
}
