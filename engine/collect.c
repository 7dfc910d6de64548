#include "engine/collect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* Of a reason, for the I/Os that it names. */
#define STUCK_NAMES_MAX 150

/* ---- sums ---- */

static void add_samples(struct visit *v, const struct visit *part, bool first)
{
	uint32_t i, d;

	/* Whole intervals only: those that every worker has seen. */
	if (first || part->sample_count < v->sample_count)
		v->sample_count = part->sample_count;
	for (i = 0; i < v->sample_count; i++) {
		struct sample *into = &v->samples[i];
		const struct sample *from = &part->samples[i];

		if (first)
			memset(into, 0, sizeof(*into));
		for (d = 0; d < DIR_COUNT; d++) {
			into->ios[d] += from->ios[d];
			into->bytes[d] += from->bytes[d];
		}
		into->lat_sum_ns += from->lat_sum_ns;
		if (from->lat_max_ns > into->lat_max_ns)
			into->lat_max_ns = from->lat_max_ns;
	}
}

static void add_cpu(struct visit *v, const struct visit *part, uint64_t time_ns)
{
	double busy = (double)(part->cpu_user_ns + part->cpu_system_ns);
	double pct;

	/* A worker that others keep from its core is short of CPU too. */
	if (part->cpu_wait_ns > 0)
		busy += part->cpu_wait_ns;
	pct = busy * 100.0 / (double)time_ns;
	/* The first worker's fields are still unknown in the sum. */
	if (isnan(v->cpu_peak_pct)) {
		v->cpu_peak_pct = 0;
		v->cpu_wait_ns = 0;
		v->switches_voluntary = 0;
		v->switches_involuntary = 0;
	}
	if (pct > v->cpu_peak_pct)
		v->cpu_peak_pct = pct;
	v->cpu_user_ns += part->cpu_user_ns;
	v->cpu_system_ns += part->cpu_system_ns;
	v->cpu_wait_ns += part->cpu_wait_ns;
	v->switches_voluntary += part->switches_voluntary;
	v->switches_involuntary += part->switches_involuntary;
}

static void add_part(struct visit *v, const struct worker *w, bool first)
{
	const struct visit *part = &w->part;
	int i;

	for (i = 0; i < LATENCY_COUNT; i++)
		hist_merge(v->latency[i], part->latency[i]);
	for (i = 0; i < VISIT_ERROR_KINDS; i++)
		if (part->errors[i].count)
			visit_count_error(v, part->errors[i].errnum,
					  part->errors[i].count);
	add_samples(v, part, first);
	v->edge_ns = first ? part->edge_ns : v->edge_ns + part->edge_ns;
	if (w->in_window)
		add_cpu(v, part, w->run->time_ns);
}

static void fill_totals(struct visit *v, uint64_t block_size)
{
	int d;

	for (d = 0; d < DIR_COUNT; d++) {
		const struct hist *h = v->latency[d];

		v->ios[d] = h->count;
		v->bytes[d] = h->count * block_size;
		v->lat_sum_ns[d] = h->sum_ns;
		v->lat_min_ns[d] = h->min_ns;
		v->lat_max_ns[d] = h->max_ns;
	}
}

static bool is_back(const struct crew_member *m)
{
	return !(m->lost && m->busy);
}

/* Of a visit at a rate. */
static void fill_service(const struct watch *w)
{
	const struct run *r = w->run;
	double depth_ns = 0;
	uint32_t i;

	for (i = 0; i < r->workers; i++)
		if (is_back(w->crew->members[i]))
			depth_ns +=
			    (double)w->crew->members[i]->worker->depth_ns;
	w->visit->service_sum_ns = w->visit->latency[LATENCY_SERVICE]->sum_ns;
	w->visit->mean_depth = depth_ns / (double)r->time_ns;
}

static void sum_up(const struct watch *w)
{
	const struct run *r = w->run;
	bool first = true;
	uint32_t i;

	for (i = 0; i < r->workers; i++) {
		if (!is_back(w->crew->members[i]))
			continue;
		add_part(w->visit, w->crew->members[i]->worker, first);
		first = false;
	}
	fill_totals(w->visit, r->stream.block_size_bytes);
	if (r->rate_iops)
		fill_service(w);
	w->visit->interval_ns = r->interval_ns;
	w->visit->ramp_ns = r->ramp_ns;
}

/* ---- why it failed ---- */

static const struct advice {
	int errnum;
	const char *text;
} advices[] = {
    {EINVAL, "the target does not take this block size or alignment in this "
	     "cache mode; see iosweep check"},
    {EIO, "the device reports errors, see dmesg"},
    {ENOSPC, "the storage behind the target is full"},
    {EDQUOT, "the quota is used up"},
    {EBADF, "the target is not open for this direction"},
    {EPERM, "a security policy forbids it"},
    {EACCES, "a security policy forbids it"},
    {EAGAIN, "the kernel is short of memory or requests"},
    {ENOMEM, "the kernel is short of memory"},
    {EFAULT, "the kernel cannot reach the buffers"},
    {ENODEV, "the device has gone"},
    {ENXIO, "the device has gone"},
    {ESHUTDOWN, "the device has gone"},
};

static const char *advice_on(int errnum)
{
	size_t i;

	for (i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (advices[i].errnum == errnum)
			return advices[i].text;
	return "see dmesg";
}

static const char *short_advice(const struct watch *w)
{
	if (w->target->kind == TARGET_ZERO)
		return "/dev/zero gives io_uring 4K at most: use 4K, or "
		       "--engine libaio or sync";
	if (w->target->kind == TARGET_NULL)
		return "there is nothing to read in /dev/null: write to it, or "
		       "read /dev/zero";
	return "the target is smaller than it was when the run began";
}

static void say(struct visit *v, enum visit_state state, const char *text)
{
	v->state = state;
	snprintf(v->reason, sizeof(v->reason), "%s", text);
}

static const struct io_error_count *most_frequent(const struct visit *v)
{
	const struct io_error_count *most = &v->errors[0];
	int i;

	for (i = 1; i < VISIT_ERROR_KINDS; i++)
		if (v->errors[i].count > most->count)
			most = &v->errors[i];
	return most;
}

/* "every I/O failed" or "the last 1000 I/Os failed" and what came back. */
static void say_failing(const struct watch *w, const char *which)
{
	struct visit *v = w->visit;
	const struct io_error_count *e = most_frequent(v);

	v->state = VISIT_FAILED;
	if (e->errnum == 0)
		snprintf(v->reason, sizeof(v->reason), "%s came back short: %s",
			 which, short_advice(w));
	else if (w->run->opts.poll &&
		 (e->errnum == EOPNOTSUPP || e->errnum == EINVAL))
		snprintf(v->reason, sizeof(v->reason),
			 "%s failed: the target has no polled completions; run "
			 "without --poll, or give the driver poll queues and "
			 "use --cache direct",
			 which);
	else
		snprintf(v->reason, sizeof(v->reason), "%s failed: %s; %s",
			 which, strerror(e->errnum), advice_on(e->errnum));
}

/* The I/Os that have not returned, the first few by name. */
struct stuck {
	uint32_t count;
	char names[STUCK_NAMES_MAX];
};

/* "the read of 4K at byte 81920, out for 61.2 s" */
static void name_stuck(struct stuck *s, const struct io_slot *io,
		       uint64_t block_size, uint64_t now)
{
	char size[UNITS_TEXT_MAX], out_for[UNITS_TEXT_MAX], one[128];
	size_t used = strlen(s->names);

	snprintf(one, sizeof(one), "%sthe %s of %s at byte %llu, out for %s",
		 used ? "; " : "", io->dir == DIR_READ ? "read" : "write",
		 units_format_size(size, block_size),
		 (unsigned long long)io->offset,
		 units_format_duration(out_for, now - io->start_ns));
	if (used + strlen(one) < sizeof(s->names))
		strcpy(s->names + used, one);
}

/* Those of a worker that are late now. One that is caught in a system call
 * wrote its slots before that call, and does nothing else. */
__attribute__((no_sanitize("thread"))) static uint32_t
add_late(struct stuck *s, const struct worker *w, uint64_t now)
{
	uint32_t i, n = 0;

	for (i = 0; i < w->run->depth; i++) {
		const struct io_slot io = w->flight.slots[i];

		if (!io.start_ns || now <= io.start_ns + w->run->io_timeout_ns)
			continue;
		name_stuck(s, &io, w->flight.block_size, now);
		n++;
	}
	s->count += n;
	return n;
}

/* Its I/Os may have come back after all, when it was too late. */
static void add_stuck(struct stuck *s, const struct worker *w)
{
	if (add_late(s, w, w->stuck_ns))
		return;
	s->count += w->stuck_count;
	if (w->stuck_count)
		name_stuck(s, &w->stuck, w->flight.block_size, w->stuck_ns);
}

static void find_stuck(const struct watch *w, struct stuck *s)
{
	uint32_t i;

	for (i = 0; i < w->run->workers; i++) {
		const struct crew_member *m = w->crew->members[i];

		if (!is_back(m))
			add_late(s, m->worker, w->end_ns);
		else if (m->worker->end == WORKER_STUCK)
			add_stuck(s, m->worker);
	}
}

/* lost: threads that are caught in a system call. */
static void say_stuck(const struct watch *w, uint32_t lost)
{
	char limit[UNITS_TEXT_MAX], caught[64] = "";
	struct stuck s = {.count = 0};
	struct visit *v = w->visit;

	find_stuck(w, &s);
	if (lost)
		snprintf(caught, sizeof(caught), " with %u of %u threads", lost,
			 w->run->workers);
	v->state = VISIT_FAILED;
	snprintf(v->reason, sizeof(v->reason),
		 "%u of %u I/Os did not return%s within %s%s%s%s: the device "
		 "or the way to it hangs, see dmesg",
		 s.count, w->run->workers * w->run->depth, caught,
		 units_format_duration(limit, w->run->io_timeout_ns),
		 s.names[0] ? " (" : "", s.names, s.names[0] ? ")" : "");
}

static void say_broken(struct visit *v, int errnum)
{
	v->state = VISIT_FAILED;
	snprintf(v->reason, sizeof(v->reason),
		 "the kernel refused to take I/Os: %s; %s", strerror(errnum),
		 advice_on(errnum));
}

/* Of the window, from which on having no processor explains it. */
#define STARVED_SHARE 0.5

/* ---- the outcome ---- */

/* How the workers ended, taken together. */
struct outcome {
	uint32_t lost;			       /* caught in a system call */
	bool stuck;			       /* I/Os did not return */
	const struct worker *broken, *failing; /* one of them */
	bool quit;
};

static void look_at(const struct worker *w, struct outcome *o)
{
	switch (w->end) {
	case WORKER_STUCK:
		o->stuck = true;
		break;
	case WORKER_BROKEN:
		o->broken = w;
		break;
	case WORKER_FAILING:
		o->failing = w;
		break;
	case WORKER_QUIT:
		o->quit = true;
		break;
	case WORKER_DONE:
		break;
	}
}

static void say_suspended(const struct watch *w)
{
	char time[UNITS_TEXT_MAX];

	w->visit->state = VISIT_FAILED;
	w->visit->measured_ns = w->run->time_ns;
	snprintf(w->visit->reason, sizeof(w->visit->reason),
		 "iosweep did not run for %s of it: it was stopped or frozen, "
		 "or the machine had no time for it; measure again",
		 units_format_duration(time, w->suspended_ns));
}

static void judge_early_end(const struct watch *w, const struct outcome *o)
{
	uint64_t window = run_window_ns(w->run);

	w->visit->measured_ns = w->end_ns > window ? w->end_ns - window : 0;
	if (w->stopped)
		say(w->visit, VISIT_STOPPED, "stopped by the user");
	else if (o->stuck || o->lost)
		say_stuck(w, o->lost);
	else if (o->broken)
		say_broken(w->visit, o->broken->broken_errno);
	else if (w->visit->ios[DIR_READ] + w->visit->ios[DIR_WRITE] == 0)
		say_failing(w, "every I/O");
	else
		say_failing(w, "all of the last I/Os");
}

/* Of the workers, on average; NAN where the kernel does not tell. */
static double mean_waited_ns(const struct watch *w)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < w->run->workers; i++)
		sum += w->crew->members[i]->worker->waited_ns;
	return sum / w->run->workers;
}

/* Nobody came back in time: was it the target, or had we no processor? */
static void say_nothing_done(const struct watch *w)
{
	double waited_ns = mean_waited_ns(w);
	char waited[UNITS_TEXT_MAX];

	if (!(waited_ns > STARVED_SHARE * (double)w->run->time_ns)) {
		say(w->visit, VISIT_FAILED,
		    "no I/O completed inside the measured time: the target is "
		    "slower than that; give a longer --time");
		return;
	}
	w->visit->state = VISIT_FAILED;
	snprintf(w->visit->reason, sizeof(w->visit->reason),
		 "no I/O completed inside the measured time: its threads "
		 "waited %s for a processor, which says nothing about the "
		 "target; end what else runs here, or give a longer --time",
		 units_format_duration(waited, (uint64_t)waited_ns));
}

static void judge_whole_window(const struct watch *w)
{
	struct visit *v = w->visit;

	v->measured_ns = w->run->time_ns;
	if (v->ios[DIR_READ] + v->ios[DIR_WRITE])
		v->state = VISIT_DONE;
	else if (v->error_count)
		say_failing(w, "every I/O");
	else
		say_nothing_done(w);
}

void collect_visit(const struct watch *w)
{
	struct outcome o = {0};
	uint32_t i;

	sum_up(w);
	for (i = 0; i < w->run->workers; i++) {
		if (is_back(w->crew->members[i]))
			look_at(w->crew->members[i]->worker, &o);
		else
			o.lost++;
	}
	if (w->suspended_ns && !w->stopped && !o.lost)
		say_suspended(w);
	else if (o.lost || o.stuck || o.broken || o.failing || o.quit)
		judge_early_end(w, &o);
	else
		judge_whole_window(w);
}
