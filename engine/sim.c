#include "engine/sim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

/* Noise in time is constant within a cell. */
#define CELL_NS (250 * NS_PER_MS)
/* 2026-01-01T00:00:00Z */
#define START_UTC_NS ((int64_t)1767225600 * 1000000000)
/* Octaves of four of the 1/f noise, from half a second. */
#define PINK_PARTS 7
/* Latencies in a visit, as multiples of their mean. */
#define SHAPE_COUNT 2048
#define SHAPE_SIGMA 0.35
/* What an I/O costs the worker. */
#define CPU_USER_NS 200
#define CPU_SYSTEM_NS 1500

/* Log of a factor over virtual time, a value a cell, grown when needed. */
struct path {
	double scale;
	double *x;
	size_t count, capacity;
	uint64_t rng;
	double walk;
	double part[PINK_PARTS];
};

struct sim {
	struct measurer base;
	struct measure_opts opts;
	struct sim_device device;
	struct sim_noise noise;
	uint64_t now_ns; /* since the start */
	uint32_t calls;
	struct path whole;   /* drift and pink of the device */
	struct path *points; /* correlated noise, by index of the point */
	uint32_t point_count;
	double shape[SHAPE_COUNT];
};

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A generator of its own for each pair of numbers. */
static uint64_t stream_of(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t state = seed;

	state = next_random(&state) ^ a;
	state = next_random(&state) ^ b;
	return next_random(&state);
}

/* Uniform in (0, 1). */
static double uniform(uint64_t *rng)
{
	return ((double)(next_random(rng) >> 12) + 0.5) * 0x1p-52;
}

/* Standard normal (Box and Muller, 1958). */
static double normal(uint64_t *rng)
{
	double radius = sqrt(-2 * log(uniform(rng)));

	return radius * cos(2 * M_PI * uniform(rng));
}

/* One step of an Ornstein-Uhlenbeck process with that time constant and a
 * standard deviation of 1, over one cell; first: from its distribution. */
static double ou_step(double x, double tau_s, bool first, uint64_t *rng)
{
	double keep = exp(-(double)CELL_NS / 1e9 / tau_s);

	if (first)
		return normal(rng);
	return keep * x + sqrt(1 - keep * keep) * normal(rng);
}

static double whole_step(const struct sim_noise *noise, struct path *path)
{
	bool first = path->count == 0;
	double sum = 0, tau_s = 0.5;
	int i;

	if (noise->drift > 0 && !first)
		path->walk += noise->drift * sqrt((double)CELL_NS / 60e9) *
			      normal(&path->rng);
	for (i = 0; noise->pink > 0 && i < PINK_PARTS; i++, tau_s *= 4) {
		path->part[i] =
		    ou_step(path->part[i], tau_s, first, &path->rng);
		sum += path->part[i];
	}
	return path->walk + noise->pink * sum / sqrt(PINK_PARTS);
}

static double point_step(const struct sim_noise *noise, struct path *path)
{
	path->walk = ou_step(path->walk, noise->correlation_s, path->count == 0,
			     &path->rng);
	return noise->correlated * path->scale * path->walk;
}

typedef double path_step(const struct sim_noise *noise, struct path *path);

static int path_extend(struct path *path, size_t count, path_step *step,
		       const struct sim_noise *noise)
{
	if (count > path->capacity) {
		size_t capacity = count + count / 2 + 64;
		double *grown = realloc(path->x, capacity * sizeof(*path->x));

		if (!grown)
			return -ENOMEM;
		path->x = grown;
		path->capacity = capacity;
	}
	while (path->count < count) {
		double x = step(noise, path);

		path->x[path->count++] = x;
	}
	return 0;
}

/* How much noisier than the middle one a point is. */
static double unevenness(const struct sim *s, uint32_t index)
{
	uint64_t rng = stream_of(s->opts.run_seed, 5, index);

	return exp(s->noise.uneven * normal(&rng));
}

/* The path of a point, made when first asked for; NULL without memory. */
static struct path *point_path(struct sim *s, uint32_t index)
{
	if (index >= s->point_count) {
		uint32_t count = index + index / 2 + 16;
		struct path *grown =
		    realloc(s->points, count * sizeof(*s->points));
		uint32_t i;

		if (!grown)
			return NULL;
		s->points = grown;
		for (i = s->point_count; i < count; i++)
			s->points[i] = (struct path){
			    .scale = unevenness(s, i),
			    .rng = stream_of(s->opts.run_seed, 1, i)};
		s->point_count = count;
	}
	return &s->points[index];
}

/* Mean of exp(noise in time) over [from, to); NAN without memory. */
static double mean_factor(struct sim *s, const struct point *p,
			  uint64_t from_ns, uint64_t to_ns)
{
	size_t first = from_ns / CELL_NS;
	size_t end = (to_ns + CELL_NS - 1) / CELL_NS;
	struct path *own = NULL;
	double sum = 0;
	size_t i;

	if (s->noise.drift <= 0 && s->noise.pink <= 0 &&
	    s->noise.correlated <= 0)
		return 1;
	if (path_extend(&s->whole, end, whole_step, &s->noise))
		return NAN;
	if (s->noise.correlated > 0) {
		own = point_path(s, p->index);
		if (!own || path_extend(own, end, point_step, &s->noise))
			return NAN;
	}
	for (i = first; i < end; i++) {
		uint64_t begin = i * CELL_NS > from_ns ? i * CELL_NS : from_ns;
		uint64_t stop =
		    (i + 1) * CELL_NS < to_ns ? (i + 1) * CELL_NS : to_ns;
		double x = s->whole.x[i] + (own ? own->x[i] : 0);

		sum += exp(x) * (double)(stop - begin);
	}
	return sum / (double)(to_ns - from_ns);
}

static double or_one(double factor)
{
	return factor > 0 ? factor : 1;
}

/* How much faster than a random read, direct, of no variant. */
static double kind_factor(const struct sim_device *d, const struct point *p)
{
	const struct stream *st = &p->workload.stream;
	double reads = st->read_pct / 100;
	double sequential = 1 - st->random_pct / 100;
	double read_speed = pow(or_one(d->seq_factor), sequential);
	/* A mix in a closed loop: the times of its parts add up. */
	double factor =
	    1 / (reads / read_speed + (1 - reads) * or_one(d->write_factor));

	if (p->cache == CACHE_BUFFERED)
		factor *= or_one(d->buffered_factor);
	if (d->fast_variant && !strcmp(d->fast_variant, p->variant))
		factor *= or_one(d->variant_factor);
	return factor;
}

/* What a dip at `center` leaves at `at`: a bell over the logarithm. */
static double dip_factor(const struct sim_device *d, double at, double center)
{
	double doublings = log2(at / center);

	if (center <= 0)
		return 1;
	return 1 - (1 - d->dip_to) * exp(-doublings * doublings);
}

double sim_true_iops(const struct sim_device *d, const struct point *p)
{
	double bs = (double)p->workload.stream.block_size_bytes;
	double n = point_outstanding(p);
	double sharpness = 8 / (d->knee > 0 ? d->knee : 2);
	double service_ns =
	    d->service_ns + (d->bytes_per_ns > 0 ? bs / d->bytes_per_ns : 0);
	double iops = n * 1e9 / service_ns;
	double ceiling = INFINITY;

	if (d->max_iops > 0)
		ceiling = d->max_iops;
	if (d->max_bytes_per_s > 0)
		ceiling = fmin(ceiling, d->max_bytes_per_s / bs);
	if (isfinite(ceiling))
		iops /= pow(1 + pow(iops / ceiling, sharpness), 1 / sharpness);
	if (d->fall_from > 0 && d->fall_to > 0 && n > d->fall_from)
		iops *= pow(d->fall_to, log(n / d->fall_from) / log(4));
	iops *= dip_factor(d, n, d->dip_outstanding);
	iops *= dip_factor(d, bs, d->dip_size_bytes);
	return iops * kind_factor(d, p);
}

/* Noise of one visit as a whole. */
static double visit_factor(const struct sim *s, const struct point *p,
			   uint32_t round)
{
	uint64_t rng =
	    stream_of(s->opts.run_seed, (uint64_t)p->index << 32 | round, 2);
	double x =
	    s->noise.independent * unevenness(s, p->index) * normal(&rng);

	if (uniform(&rng) < s->noise.burst_probability)
		x -= s->noise.burst_depth;
	return exp(x);
}

/* Its mean. */
static double expected_visit_factor(const struct sim *s, const struct point *p)
{
	double sd = s->noise.independent * unevenness(s, p->index);
	double lost = 1 - exp(-s->noise.burst_depth);

	return exp(sd * sd / 2) * (1 - s->noise.burst_probability * lost);
}

double sim_mean_iops(struct measurer *m, const struct point *p,
		     uint64_t from_ns, uint64_t to_ns)
{
	struct sim *s = (struct sim *)m;

	if (to_ns <= from_ns)
		return NAN;
	return sim_true_iops(&s->device, p) *
	       mean_factor(s, p, from_ns, to_ns) * expected_visit_factor(s, p);
}

uint64_t sim_elapsed_ns(const struct measurer *m)
{
	return ((const struct sim *)m)->now_ns;
}

static void fill_histogram(const struct sim *s, struct hist *h, uint64_t ios,
			   double mean_ns)
{
	uint32_t i;

	for (i = 0; ios && i < SHAPE_COUNT; i++) {
		/* An even share, so that all shares add up to ios. */
		uint64_t n =
		    ios * (i + 1) / SHAPE_COUNT - ios * i / SHAPE_COUNT;
		double value = fmax(1, round(mean_ns * s->shape[i]));
		uint64_t ns = (uint64_t)value;

		if (!n)
			continue;
		h->bucket[hist_index(ns)] += n;
		h->count += n;
		h->sum_ns += n * ns;
		h->sum_sq_ns += (double)n * value * value;
		if (ns < h->min_ns)
			h->min_ns = ns;
		if (ns > h->max_ns)
			h->max_ns = ns;
	}
}

/* I/Os in flight on average: all that may be, at a rate as few as bring it
 * in a closed loop. */
static double mean_depth(const struct sim *s, const struct point *p,
			 double iops)
{
	double most = point_outstanding(p);
	struct point few = *p;

	if (!p->workload.rate_iops || iops < p->workload.rate_iops)
		return most;
	few.workload.threads = few.workload.queue_depth = 1;
	while (few.workload.queue_depth < most &&
	       sim_true_iops(&s->device, &few) < iops)
		few.workload.queue_depth++;
	return fmin(few.workload.queue_depth,
		    few.workload.queue_depth * iops /
			sim_true_iops(&s->device, &few));
}

/* At a rate that is missed, I/Os wait for their turn: half of what the window
 * is behind at its end, on average. */
static double wait_ns(const struct point *p, double iops, uint64_t window_ns)
{
	double rate = p->workload.rate_iops;

	return rate > iops ? (rate - iops) / rate * (double)window_ns / 2 : 0;
}

static void fill_service(const struct sim *s, double depth, double mean_ns,
			 uint64_t ios, struct visit *v)
{
	if (v->latency[LATENCY_SERVICE])
		fill_histogram(s, v->latency[LATENCY_SERVICE], ios, mean_ns);
	v->service_sum_ns = (uint64_t)llround(mean_ns * (double)ios);
	v->mean_depth = depth;
}

static double iops_of(double ios, const struct visit *v)
{
	return ios * 1e9 / (double)v->measured_ns;
}

/* Counts of the window, from its I/Os in total. */
static void fill_counts(const struct sim *s, const struct point *p, double ios,
			struct visit *v)
{
	double reads = ios * p->workload.stream.read_pct / 100;
	double depth = mean_depth(s, p, iops_of(ios, v));
	double mean_ns = 0;
	int d;

	v->ios[DIR_READ] = (uint64_t)llround(reads);
	v->ios[DIR_WRITE] = (uint64_t)llround(ios) - v->ios[DIR_READ];
	ios = (double)(v->ios[DIR_READ] + v->ios[DIR_WRITE]);
	if (ios > 0)
		mean_ns = depth * (double)v->measured_ns / ios;
	if (p->workload.rate_iops) {
		fill_service(s, depth, mean_ns, (uint64_t)ios, v);
		mean_ns += wait_ns(p, iops_of(ios, v), v->measured_ns);
	}
	for (d = 0; d < DIR_COUNT; d++) {
		v->bytes[d] = v->ios[d] * p->workload.stream.block_size_bytes;
		v->lat_sum_ns[d] =
		    (uint64_t)llround(mean_ns * (double)v->ios[d]);
		if (!v->latency[d])
			continue;
		fill_histogram(s, v->latency[d], v->ios[d], mean_ns);
		v->lat_min_ns[d] = v->latency[d]->min_ns;
		v->lat_max_ns[d] = v->latency[d]->max_ns;
	}
}

/* Cut counts into intervals by running sums, so that they add up. */
static void fill_samples(struct sim *s, const struct point *p,
			 uint64_t begin_ns, struct visit *v)
{
	uint64_t rng = stream_of(s->opts.run_seed, v->seed, 3);
	uint32_t count = (uint32_t)(v->measured_ns / v->interval_ns);
	double mean = mean_factor(s, p, begin_ns, begin_ns + v->measured_ns);
	uint32_t i;
	int d;

	memset(v->samples, 0, count * sizeof(*v->samples));
	for (i = 0; i < count; i++) {
		struct sample *at = &v->samples[i];
		uint64_t from = begin_ns + i * v->interval_ns;
		double share = (double)v->interval_ns / (double)v->measured_ns *
			       mean_factor(s, p, from, from + v->interval_ns) /
			       mean * exp(s->noise.within * normal(&rng));

		for (d = 0; d < DIR_COUNT; d++) {
			at->ios[d] =
			    (uint64_t)llround(share * (double)v->ios[d]);
			at->bytes[d] =
			    at->ios[d] * p->workload.stream.block_size_bytes;
			if (v->lat_max_ns[d] > at->lat_max_ns)
				at->lat_max_ns = v->lat_max_ns[d];
		}
		at->lat_sum_ns = v->interval_ns * point_outstanding(p);
		if (p->workload.rate_iops)
			at->lat_sum_ns = (uint64_t)llround(
			    share * ((double)v->lat_sum_ns[DIR_READ] +
				     (double)v->lat_sum_ns[DIR_WRITE]));
	}
	v->sample_count = count;
}

static void fill_surroundings(const struct point *p, struct visit *v)
{
	double ios = (double)(v->ios[DIR_READ] + v->ios[DIR_WRITE]);
	double most =
	    p->workload.threads * (double)v->measured_ns; /* CPU there is */
	double want = ios * (CPU_USER_NS + CPU_SYSTEM_NS);
	double scale = want > most ? most / want : 1;

	v->cpu_user_ns = (uint64_t)(ios * CPU_USER_NS * scale);
	v->cpu_system_ns = (uint64_t)(ios * CPU_SYSTEM_NS * scale);
	v->cpu_wait_ns = 0;
	v->cpu_peak_pct = 100 * scale * want / most;
	v->punted_threads = 0;
	if (p->cache != CACHE_DIRECT && p->cache != CACHE_DIRECT_DSYNC)
		return;
	v->device_depth =
	    p->workload.rate_iops ? v->mean_depth : point_outstanding(p);
	v->device_read_bytes = (double)v->bytes[DIR_READ];
	v->device_write_bytes = (double)v->bytes[DIR_WRITE];
	v->origin_read_bytes = v->device_read_bytes;
	v->origin_write_bytes = v->device_write_bytes;
	v->hit_pct = 0;
	v->hit_source = HIT_DEVICES;
}

static void fail(struct visit *v, const char *reason)
{
	v->state = VISIT_FAILED;
	snprintf(v->reason, sizeof(v->reason), "%s", reason);
}

/* How much faster than settled the device is at that time. */
static double fresh_factor(const struct sim *s, uint64_t at_ns)
{
	const struct sim_device *d = &s->device;

	if (!(d->settle_s > 0))
		return 1;
	return 1 + (or_one(d->fresh_factor) - 1) *
		       exp(-(double)at_ns / 1e9 / d->settle_s);
}

static void measure_window(struct sim *s, const struct point *p,
			   struct visit *v)
{
	uint64_t begin_ns = s->now_ns + s->opts.ramp_ns;
	double factor = mean_factor(s, p, begin_ns, begin_ns + s->opts.time_ns);
	double iops = sim_true_iops(&s->device, p) * factor *
		      visit_factor(s, p, v->round) * fresh_factor(s, begin_ns);

	if (p->workload.rate_iops && iops > p->workload.rate_iops)
		iops = p->workload.rate_iops;
	v->interval_ns = s->opts.interval_ns;
	if (!v->interval_ns)
		v->interval_ns = s->opts.time_ns / 10;
	if (v->interval_ns < 10 * NS_PER_MS)
		v->interval_ns = 10 * NS_PER_MS;
	if (isnan(factor) ||
	    (!s->device.counts_only &&
	     visit_reserve(v, (uint32_t)(s->opts.time_ns / v->interval_ns)))) {
		fail(v, "out of memory: measure with less outstanding");
		return;
	}
	v->state = VISIT_DONE;
	v->engine_used = ENGINE_SIM;
	snprintf(v->note, sizeof(v->note), "simulated");
	v->ramp_ns = s->opts.ramp_ns;
	v->measured_ns = s->opts.time_ns;
	fill_counts(s, p, iops * (double)v->measured_ns / 1e9, v);
	if (v->samples)
		fill_samples(s, p, begin_ns, v);
	fill_surroundings(p, v);
	s->now_ns = begin_ns + v->measured_ns;
}

static void sim_measure(struct measurer *m, const struct point *p,
			uint32_t round, struct visit *v)
{
	struct sim *s = (struct sim *)m;

	visit_reset(v);
	v->point = p->index;
	v->round = round;
	v->seed = point_seed(p, s->opts.run_seed, round);
	v->started_utc_ns = START_UTC_NS + (int64_t)s->now_ns;
	if (s->opts.stop && *s->opts.stop >= 2) {
		v->state = VISIT_STOPPED;
		return;
	}
	s->calls++;
	if (s->device.fail_every && s->calls % s->device.fail_every == 0) {
		fail(v, "simulated failure: nothing to do about it");
		s->now_ns += s->opts.ramp_ns;
		return;
	}
	measure_window(s, p, v);
}

static void sim_free(struct measurer *m)
{
	struct sim *s = (struct sim *)m;
	uint32_t i;

	for (i = 0; i < s->point_count; i++)
		free(s->points[i].x);
	free(s->points);
	free(s->whole.x);
	free(s);
}

/* Lognormal multiples with a mean of exactly 1. */
static void make_shape(struct sim *s)
{
	uint64_t rng = stream_of(s->opts.run_seed, 4, 0);
	double sum = 0;
	int i;

	for (i = 0; i < SHAPE_COUNT; i++) {
		s->shape[i] = exp(SHAPE_SIGMA * normal(&rng));
		sum += s->shape[i];
	}
	for (i = 0; i < SHAPE_COUNT; i++)
		s->shape[i] *= SHAPE_COUNT / sum;
}

int sim_new(const struct measure_opts *opts, const struct sim_device *device,
	    const struct sim_noise *noise, struct measurer **out)
{
	static const struct measurer_ops ops = {.measure = sim_measure,
						.free = sim_free};
	struct sim *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->base.ops = &ops;
	s->opts = *opts;
	s->device = *device;
	s->noise = *noise;
	s->whole.rng = stream_of(opts->run_seed, 0, 0);
	make_shape(s);
	*out = &s->base;
	return 0;
}
