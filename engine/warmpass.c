#include "engine/warmpass.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/held.h"
#include "engine/stack.h"
#include "engine/units.h"
#include "engine/warm.h"

struct warmer {
	const struct warm_asked *asked;
	const struct measure_opts *opts;
	uint64_t start_ns;
	uint64_t done; /* bytes read */
	struct stack stack;
	struct warm_sample sample; /* what is the same in all of a pass */
	/* At the begin of the sample, and of the pass. */
	struct mark {
		uint64_t ns, bytes;
		double origin_bytes; /* read there; NAN unknown */
		double held_pct;     /* held.h */
	} sampled, passed;
};

/* Bytes read by the lowest devices that are known, so far. */
static double read_origins(const struct stack *stack)
{
	struct counters_disk disk[STACK_DEVICES_MAX];
	bool known[STACK_DEVICES_MAX];
	dev_t devices[STACK_DEVICES_MAX];
	double sum = 0;
	uint32_t i;

	for (i = 0; i < stack->count; i++)
		devices[i] = stack->device[i].dev;
	if (!stack->is_complete || counters_disks("/proc/diskstats", devices,
						  stack->count, disk, known))
		return NAN;
	for (i = 0; i < stack->count; i++) {
		if (!stack->device[i].is_origin)
			continue;
		sum += known[i] ? (double)disk[i].read_bytes : NAN;
	}
	return sum;
}

static struct mark mark(const struct warmer *w)
{
	return (struct mark){
	    .ns = clock_now_ns(),
	    .bytes = w->done,
	    .origin_bytes = read_origins(&w->stack),
	    .held_pct = held_pct(w->asked->target, w->asked->point->cache,
				 w->asked->fd, w->asked->bytes),
	};
}

/* From one mark to another; elapsed since the warm-up began. */
static void fill_sample(struct warmer *w, const struct mark *from,
			const struct mark *to)
{
	struct warm_sample *s = &w->sample;
	double seconds = (double)(to->ns - from->ns) / NS_PER_SEC;
	double bytes = (double)(to->bytes - from->bytes);

	s->elapsed_ns = to->ns - w->start_ns;
	s->iops = bytes / WARM_BLOCK / seconds;
	s->mibps = bytes / MIB / seconds;
	s->hit_pct =
	    100 * (1 - (to->origin_bytes - from->origin_bytes) / bytes);
	if (from->held_pct >= 100 && to->held_pct >= 100)
		s->hit_pct = 100;
}

static void tell_sample(struct warmer *w)
{
	const struct measure_opts *o = w->opts;
	struct mark now = mark(w);

	if (now.ns == w->sampled.ns || now.bytes == w->sampled.bytes)
		return;
	fill_sample(w, &w->sampled, &now);
	if (o->warmed)
		o->warmed(o->warmed_arg, &w->sample);
	w->sampled = now;
}

/* Bytes of a stretch that reads every other block from `from` to `end`. */
static uint64_t bytes_in(uint64_t from, uint64_t end)
{
	uint64_t pairs = (end - from) / (2 * WARM_BLOCK);
	uint64_t rest = (end - from) % (2 * WARM_BLOCK);

	return pairs * WARM_BLOCK + (rest < WARM_BLOCK ? rest : WARM_BLOCK);
}

/* Every other block from `at` on, in stretches of a sample each. */
static int run_half(struct warmer *w, uint64_t at, struct err *err)
{
	uint64_t bytes = w->asked->bytes;
	uint64_t pairs = bytes / (2 * WARM_BLOCK);
	uint64_t each = (pairs / (WARM_SAMPLES / 2) + 1) * 2 * WARM_BLOCK;
	int ret = 0;

	for (; !ret && at < bytes; at += each) {
		struct warm_stretch what = {
		    .fd = w->asked->fd,
		    .from = at,
		    .end = bytes - at < each ? bytes : at + each,
		    .size = WARM_BLOCK,
		    .stride = 2 * WARM_BLOCK,
		    .before_bytes = w->done,
		    .stop_at = 1,
		};

		ret = warm_stretch(&what, w->opts, err);
		if (!ret) {
			w->done += bytes_in(what.from, what.end);
			tell_sample(w);
		}
	}
	return ret;
}

static int run_pass(struct warmer *w, struct err *err)
{
	struct mark end;
	int ret;

	w->sampled = w->passed = mark(w);
	ret = run_half(w, 0, err);
	if (!ret)
		ret = run_half(w, WARM_BLOCK, err);
	if (ret)
		return ret;
	end = mark(w);
	fill_sample(w, &w->passed, &end);
	if (w->sample.hit_pct < -WARM_FOREIGN_PCT)
		w->sample.hit_pct = NAN;
	return 0;
}

static bool like(const struct warm_outcome *last,
		 const struct warm_sample *pass)
{
	if (pass->hit_pct >= WARM_FULL_PCT)
		return true;
	if (!isnan(pass->hit_pct) && !isnan(last->hit_pct))
		return fabs(pass->hit_pct - last->hit_pct) <= WARM_HIT_POINTS;
	return fabs(pass->mibps / last->mibps - 1) <= WARM_RATE_PCT / 100;
}

static int run_passes(struct warmer *w, struct warm_outcome *out,
		      struct err *err)
{
	const struct measure_opts *o = w->opts;
	int ret = 0;

	while (!ret && out->passes < o->warm_passes_max && !out->converged) {
		w->sample.pass = out->passes + 1;
		ret = run_pass(w, err);
		if (ret)
			break;
		out->converged = ++out->passes >= o->warm_passes_min &&
				 out->passes > 1 && like(out, &w->sample);
		out->hit_pct = w->sample.hit_pct;
		out->mibps = w->sample.mibps;
	}
	return ret;
}

int warm_until_steady(const struct warm_asked *asked,
		      const struct measure_opts *opts, struct warm_outcome *out,
		      struct err *err)
{
	struct warmer w = {
	    .asked = asked,
	    .opts = opts,
	    .start_ns = clock_now_ns(),
	    .sample = {.point = asked->point, .round = asked->round},
	};

	*out = (struct warm_outcome){.hit_pct = NAN, .mibps = NAN};
	stack_load("/sys", asked->target->device, &w.stack);
	return run_passes(&w, out, err);
}
