#include "engine/watch.h"

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/units.h"

#define TICK_NS (200 * NS_PER_MS)
/* The workers give up on an I/O by themselves; this much later the caller
 * gives up on a worker that is caught in a system call. */
#define GRACE_NS (1 * NS_PER_SEC)

/* What was read of machine and device at one moment. */
struct snapshot {
	bool taken;
	bool has_disk;
	bool has_machine;
	uint64_t at_ns;
	struct counters_disk disk;
	struct counters_machine machine;
	struct counters_punt punt;
};

struct state {
	struct watch *w;
	struct snapshot begin, end;
	uint64_t next_tick_ns;
	uint64_t deadline_ns;
};

static void take(const struct watch *w, struct snapshot *s, int edge)
{
	s->has_disk = w->target->device &&
		      counters_disk(w->target->device, &s->disk) == 0;
	s->has_machine = counters_machine(&s->machine) == 0;
	counters_punt(&s->punt);
	flow_read_disks(w->flow, edge);
	s->at_ns = clock_now_ns();
	s->taken = true;
}

/* The caller may be late by some milliseconds on a busy machine: rates are
 * over its own interval, totals scaled to the window. */
static void fill_disk(struct visit *v, const struct snapshot *a,
		      const struct snapshot *b, uint64_t time_ns)
{
	double elapsed = (double)(b->at_ns - a->at_ns);
	double scale = (double)time_ns / elapsed;

	v->device_depth =
	    (double)(b->disk.weighted_ms - a->disk.weighted_ms) * 1e6 / elapsed;
	v->device_read_bytes =
	    (double)(b->disk.read_bytes - a->disk.read_bytes) * scale;
	v->device_write_bytes =
	    (double)(b->disk.write_bytes - a->disk.write_bytes) * scale;
}

static void fill_machine(struct visit *v, const struct counters_machine *a,
			 const struct counters_machine *b)
{
	double total = (double)(b->total - a->total);

	if (b->total <= a->total)
		return;
	v->machine_cpu_pct = (double)(b->busy - a->busy) * 100.0 / total;
	v->machine_steal_pct = (double)(b->steal - a->steal) * 100.0 / total;
}

static void fill(const struct state *s)
{
	struct visit *v = s->w->visit;
	const struct snapshot *a = &s->begin, *b = &s->end;

	if (!a->taken || !b->taken || b->at_ns <= a->at_ns)
		return;
	if (a->has_disk && b->has_disk)
		fill_disk(v, a, b, s->w->run->time_ns);
	if (a->has_machine && b->has_machine)
		fill_machine(v, &a->machine, &b->machine);
	v->punted_threads = counters_punted(&a->punt, &b->punt);
}

static void tick(const struct watch *w, uint64_t now)
{
	const struct run *r = w->run;
	uint64_t window = run_window_ns(r);
	struct measure_tick t = {.ramping = now < window};
	uint32_t i;

	t.elapsed_ns = now - (t.ramping ? r->start_ns : window);
	for (i = 0; i < r->workers; i++) {
		struct worker_published *p =
		    &w->crew->members[i]->worker->published;

		/* Late into the window: its counters are of the ramp. */
		if (atomic_load(&p->in_window) == t.ramping)
			continue;
		t.ios += atomic_load_explicit(&p->ios, memory_order_relaxed);
		t.lat_sum_ns +=
		    atomic_load_explicit(&p->lat_sum_ns, memory_order_relaxed);
	}
	t.bytes = t.ios * r->stream.block_size_bytes;
	w->opts->tick(w->opts->tick_arg, &t);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The next moment at which there is something to do. */
static uint64_t next_moment(const struct state *s)
{
	uint64_t next = earlier(s->next_tick_ns, s->deadline_ns);

	if (!s->begin.taken)
		next = earlier(next, run_window_ns(s->w->run));
	else if (!s->end.taken)
		next = earlier(next, run_end_ns(s->w->run));
	return next;
}

static void do_what_is_due(struct state *s, uint64_t now)
{
	struct watch *w = s->w;

	if (!s->begin.taken && now >= run_window_ns(w->run))
		take(w, &s->begin, 0);
	if (!s->end.taken && now >= run_end_ns(w->run))
		take(w, &s->end, 1);
	if (w->opts->stop && *w->opts->stop >= 2 && !w->stopped) {
		w->stopped = true;
		atomic_store(&w->run->quit, true);
		s->deadline_ns = now + GRACE_NS;
	}
	if (now < s->next_tick_ns)
		return;
	s->next_tick_ns = now + TICK_NS;
	if (w->opts->tick && now < run_end_ns(w->run))
		tick(w, now);
}

static void begin(struct state *s)
{
	struct watch *w = s->w;
	struct run *r = w->run;

	w->stopped = false;
	w->lost = 0;
	w->suspended_ns = 0;
	w->visit->started_utc_ns = clock_utc_ns();
	r->start_ns = clock_now_ns();
	s->next_tick_ns = r->start_ns + TICK_NS;
	s->deadline_ns = run_end_ns(r) + r->io_timeout_ns + GRACE_NS;
	crew_order(w->crew, r->workers, CREW_RUN, r);
}

/* Wait until the next moment; true when the workers are back. Who is woken
 * much later than he asked for did not run meanwhile, and neither did the
 * workers: that time is no sign of a hanging device. */
static bool wait_for_crew(struct state *s)
{
	struct watch *w = s->w;
	uint64_t asked = next_moment(s);
	bool back = crew_wait(w->crew, asked);
	uint64_t now = clock_now_ns();
	uint64_t late = now > asked ? now - asked : 0;

	if (late >= WATCH_SUSPENDED_NS)
		s->deadline_ns += late;
	if (late >= WATCH_SUSPENDED_NS && late >= w->run->time_ns / 10)
		w->suspended_ns += late;
	return back;
}

void watch_visit(struct watch *w)
{
	struct state s = {.w = w};
	uint64_t now;

	begin(&s);
	while (!wait_for_crew(&s)) {
		now = clock_now_ns();
		do_what_is_due(&s, now);
		if (now >= s.deadline_ns)
			break;
	}
	/* Who comes back late, after all, goes no further. */
	atomic_store(&w->run->quit, true);
	w->end_ns = clock_now_ns();
	if (s.begin.taken && !s.end.taken)
		take(w, &s.end, 1);
	fill(&s);
	w->lost = crew_abandon(w->crew);
}
