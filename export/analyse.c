#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/batch.h"
#include "export/group.h"
#include "export/result.h"
#include "export/rounds.h"
#include "export/stats.h"
#include "export/steady.h"
#include "export/verdict.h"

const double percentile_q[PCT_COUNT] = {
    [PCT_50] = 0.5,  [PCT_90] = 0.9,	[PCT_95] = 0.95,
    [PCT_99] = 0.99, [PCT_999] = 0.999, [PCT_9999] = 0.9999,
};

/* What one analysis needs besides the run. */
struct work {
	struct run *run;
	uint32_t *start; /* visits of point i: order[start[i] .. start[i+1]] */
	const struct visit **order; /* done visits by point, in file order */
	double *clock_back_s;	    /* before a visit of that point */
	struct rounds_doubt *iops, *latency;
	double precision_pct; /* asked; NAN: none */
	bool steady;	      /* asked */
	struct hist *hist;    /* scratch */
};

static const struct interval unknown = {.value = NAN, .low = NAN, .high = NAN};

static void work_free(struct work *w)
{
	free(w->start);
	free(w->order);
	free(w->clock_back_s);
	free(w->iops);
	free(w->latency);
	free(w->hist);
}

static int work_new(struct run *run, struct work *w)
{
	size_t points = run->point_count + (size_t)1;

	*w = (struct work){.run = run};
	w->start = calloc(points + 1, sizeof(*w->start));
	w->order =
	    calloc(run->visit_count + (size_t)1, sizeof(const struct visit *));
	w->clock_back_s = calloc(points, sizeof(*w->clock_back_s));
	w->iops = calloc(points, sizeof(*w->iops));
	w->latency = calloc(points, sizeof(*w->latency));
	w->hist = malloc(sizeof(*w->hist));
	if (w->start && w->order && w->clock_back_s && w->iops && w->latency &&
	    w->hist)
		return 0;
	work_free(w);
	return -ENOMEM;
}

static void count_states(struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->visit_count; i++) {
		const struct visit *v = &run->visits[i];
		struct result *r = &run->results[v->point];

		if (v->state == VISIT_DONE) {
			r->done += !v->aside;
			r->aside += v->aside;
			continue;
		}
		r->failed += v->state == VISIT_FAILED;
		r->skipped += v->state == VISIT_SKIPPED;
		r->reason = v->reason;
	}
}

/* Counting sort of the done visits by point. */
static void order_visits(struct work *w)
{
	const struct run *run = w->run;
	uint32_t *next = w->start + 1;
	uint32_t i;

	/* next[i] moves from the start of point i to that of point i + 1. */
	for (i = 1; i < run->point_count; i++)
		next[i] = next[i - 1] + run->results[i - 1].done;
	for (i = 0; i < run->visit_count; i++) {
		const struct visit *v = &run->visits[i];

		if (v->state == VISIT_DONE && !v->aside)
			w->order[next[v->point]++] = v;
	}
}

/* Visits follow one another: one that started before its predecessor ended
 * tells of a wall clock that was set back. */
static void find_clock_steps(struct work *w)
{
	const struct run *run = w->run;
	uint32_t i;

	for (i = 1; i < run->visit_count; i++) {
		const struct visit *a = &run->visits[i - 1];
		const struct visit *b = &run->visits[i];
		double took = (double)a->ramp_ns + (double)a->measured_ns;
		double apart = (double)(b->started_utc_ns - a->started_utc_ns);

		w->clock_back_s[b->point] =
		    fmax(w->clock_back_s[b->point], (took - apart) / 1e9);
	}
}

static void add_errors(struct visit *total, const struct visit *v)
{
	uint64_t left = v->error_count;
	int i;

	for (i = 0; i < VISIT_ERROR_KINDS; i++) {
		if (!v->errors[i].count)
			continue;
		visit_count_error(total, v->errors[i].errnum,
				  v->errors[i].count);
		left -= v->errors[i].count;
	}
	total->error_count += left; /* of kinds that were not kept */
}

/* A sum with an unknown part is unknown: NAN stays. */
static void add_visit(struct visit *total, const struct visit *v)
{
	int d;

	for (d = 0; d < DIR_COUNT; d++) {
		total->ios[d] += v->ios[d];
		total->bytes[d] += v->bytes[d];
		total->lat_sum_ns[d] += v->lat_sum_ns[d];
		if (v->lat_min_ns[d] < total->lat_min_ns[d])
			total->lat_min_ns[d] = v->lat_min_ns[d];
		if (v->lat_max_ns[d] > total->lat_max_ns[d])
			total->lat_max_ns[d] = v->lat_max_ns[d];
	}
	total->ramp_ns += v->ramp_ns;
	total->measured_ns += v->measured_ns;
	total->cpu_user_ns += v->cpu_user_ns;
	total->cpu_system_ns += v->cpu_system_ns;
	total->service_sum_ns += v->service_sum_ns;
	total->edge_ns += v->edge_ns;
	total->switches_voluntary += v->switches_voluntary;
	total->switches_involuntary += v->switches_involuntary;
	total->device_read_bytes += v->device_read_bytes;
	total->device_write_bytes += v->device_write_bytes;
	total->origin_read_bytes += v->origin_read_bytes;
	total->origin_write_bytes += v->origin_write_bytes;
	total->punted_threads = fmax(total->punted_threads, v->punted_threads);
	if (v->state_reached > total->state_reached)
		total->state_reached = v->state_reached;
	total->cold_left_pct = fmax(total->cold_left_pct, v->cold_left_pct);
	total->warm_passes = fmax(total->warm_passes, v->warm_passes);
	add_errors(total, v);
}

/* Mean over the visits where it is known, weighted by their length. */
static double mean_over(const struct visit *const *visits, uint32_t count,
			size_t offset)
{
	double sum = 0, weight = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		double value;

		memcpy(&value, (const char *)visits[i] + offset, sizeof(value));
		if (isnan(value))
			continue;
		sum += value * (double)visits[i]->measured_ns;
		weight += (double)visits[i]->measured_ns;
	}
	return sum / weight;
}

static void sum_visits(struct result *r, const struct visit *const *visits)
{
	struct visit *t = &r->total;
	const struct visit *last = visits[r->done - 1];
	uint32_t i;

	t->state = VISIT_DONE;
	t->point = last->point;
	t->started_utc_ns = visits[0]->started_utc_ns;
	r->first_round = visits[0]->round;
	r->last_round = last->round;
	t->engine_used = last->engine_used;
	memcpy(t->note, last->note, sizeof(t->note));
	t->switches_voluntary = t->switches_involuntary = 0;
	t->device_read_bytes = t->device_write_bytes = 0;
	t->origin_read_bytes = t->origin_write_bytes = 0;
	t->edge_ns = 0;
	for (i = 0; i < r->done; i++)
		add_visit(t, visits[i]);
#define MEAN(field) mean_over(visits, r->done, offsetof(struct visit, field))
	t->cpu_peak_pct = MEAN(cpu_peak_pct);
	t->machine_cpu_pct = MEAN(machine_cpu_pct);
	t->machine_steal_pct = MEAN(machine_steal_pct);
	t->device_depth = MEAN(device_depth);
	t->hit_pct = MEAN(hit_pct);
	t->resident_before_pct = MEAN(resident_before_pct);
	t->resident_after_pct = MEAN(resident_after_pct);
	t->touched_bytes = MEAN(touched_bytes);
	for (i = 0; i < r->done; i++)
		if (visits[i]->hit_source != HIT_UNKNOWN)
			t->hit_source = visits[i]->hit_source;
	t->mean_depth = MEAN(mean_depth);
#undef MEAN
}

static struct interval around(double value, const struct rounds_doubt *doubt,
			      double half_width)
{
	value *= exp(doubt->shift);
	return (struct interval){.value = value,
				 .low = value * exp(-half_width),
				 .high = value * exp(half_width)};
}

static void fill_means(struct result *r, const struct visit *const *visits,
		       const struct rounds_doubt *iops,
		       const struct rounds_doubt *latency)
{
	double half = iops->half_width, lat_half = latency->half_width;
	double mib_per_io;

	/* A visit without any I/O has no logarithm. */
	if (iops->visits < r->done)
		half = lat_half = NAN;
	if (r->done == 1 && isnan(half))
		half = lat_half = batch_half_width(visits[0]);
	r->within_variance = iops->within_variance;
	r->within_df = iops->within_df;
	r->iops = around(visit_iops(&r->total), iops, half);
	r->lat_mean_us =
	    around(visit_lat_mean_us(&r->total), latency, lat_half);
	mib_per_io = visit_mibps(&r->total) / visit_iops(&r->total);
	r->mibps.value = r->iops.value * mib_per_io;
	r->mibps.low = r->iops.low * mib_per_io;
	r->mibps.high = r->iops.high * mib_per_io;
}

static double direction_mean_us(const struct visit *t, enum direction d)
{
	return t->ios[d] ? (double)t->lat_sum_ns[d] / (double)t->ios[d] / 1e3
			 : NAN;
}

static void fill_parts(struct result *r)
{
	const struct visit *t = &r->total;
	double reads = (double)t->ios[DIR_READ];
	double writes = (double)t->ios[DIR_WRITE];
	uint64_t min_ns = t->lat_min_ns[DIR_READ];
	uint64_t max_ns = t->lat_max_ns[DIR_READ];

	if (t->lat_min_ns[DIR_WRITE] < min_ns)
		min_ns = t->lat_min_ns[DIR_WRITE];
	if (t->lat_max_ns[DIR_WRITE] > max_ns)
		max_ns = t->lat_max_ns[DIR_WRITE];
	if (reads + writes > 0) {
		r->lat_min_us = (double)min_ns / 1e3;
		r->lat_max_us = (double)max_ns / 1e3;
		/* Shares of the whole, so that they add up to it. */
		r->read_iops = r->iops.value * reads / (reads + writes);
		r->write_iops = r->iops.value * writes / (reads + writes);
	}
	r->read_lat_mean_us = direction_mean_us(t, DIR_READ);
	r->write_lat_mean_us = direction_mean_us(t, DIR_WRITE);
	r->little = visit_little(t, r->point);
	r->cpu_pct =
	    t->measured_ns
		? 100 * ((double)t->cpu_user_ns + (double)t->cpu_system_ns) /
		      (double)t->measured_ns
		: NAN;
	r->cpu_peak_pct = t->cpu_peak_pct;
	r->device_depth = t->device_depth;
}

/* Add a span to a histogram; sums from the middles of its buckets. */
static void add_buckets(struct hist *h, const struct hist_span *span)
{
	uint32_t i;

	for (i = 0; i < span->count; i++) {
		uint32_t index = span->first + i;
		uint64_t n = span->bucket[i];
		double middle = ((double)hist_bucket_lower(index) +
				 (double)(hist_bucket_upper(index) - 1)) /
				2;

		h->bucket[index] += n;
		h->count += n;
		h->sum_ns += (uint64_t)(middle * (double)n);
		h->sum_sq_ns += middle * middle * (double)n;
	}
}

static void widen(struct hist *h, uint64_t min_ns, uint64_t max_ns)
{
	if (min_ns < h->min_ns)
		h->min_ns = min_ns;
	if (max_ns > h->max_ns)
		h->max_ns = max_ns;
}

/* Min and max, which are known exactly, from the total. */
static void add_span(struct hist *h, const struct hist_span *span,
		     const struct visit *total, enum direction d)
{
	if (!span->count)
		return;
	add_buckets(h, span);
	widen(h, total->lat_min_ns[d], total->lat_max_ns[d]);
}

static double service_p99_us(struct hist *h, const struct hist_span *span)
{
	hist_reset(h);
	if (!span->count)
		return NAN;
	add_buckets(h, span);
	widen(h, hist_bucket_lower(span->first),
	      hist_bucket_upper(span->first + span->count - 1) - 1);
	return hist_percentile_ns(h, 0.99) / 1e3;
}

static void fill_percentiles(struct result *r, struct hist *h)
{
	const struct visit *t = &r->total;
	int p;

	hist_reset(h);
	add_span(h, &r->latency[DIR_READ], t, DIR_READ);
	r->read_p99_us = hist_percentile_ns(h, 0.99) / 1e3;
	add_span(h, &r->latency[DIR_WRITE], t, DIR_WRITE);
	for (p = 0; p < PCT_COUNT; p++) {
		struct hist_quantile q;

		if (!hist_quantile_ns(h, percentile_q[p], &q))
			continue;
		r->lat_us[p] = (struct interval){.value = q.value_ns / 1e3,
						 .low = q.low_ns / 1e3,
						 .high = q.high_ns / 1e3};
	}
	r->lat_stddev_us = hist_stddev_ns(h) / 1e3;
	hist_reset(h);
	add_span(h, &r->latency[DIR_WRITE], t, DIR_WRITE);
	r->write_p99_us = hist_percentile_ns(h, 0.99) / 1e3;
	r->service_p99_us = service_p99_us(h, &r->latency[LATENCY_SERVICE]);
}

/* Everything unknown, as without a done visit. */
static void blank(struct result *r)
{
	int p;

	r->done = r->failed = r->skipped = r->aside = 0;
	r->first_round = r->last_round = 0;
	r->reason = "";
	visit_init(&r->total);
	r->iops = r->mibps = r->lat_mean_us = unknown;
	for (p = 0; p < PCT_COUNT; p++)
		r->lat_us[p] = unknown;
	r->lat_min_us = r->lat_max_us = r->lat_stddev_us = NAN;
	r->read_lat_mean_us = r->write_lat_mean_us = NAN;
	r->read_p99_us = r->write_p99_us = r->service_p99_us = NAN;
	r->read_iops = r->write_iops = NAN;
	r->cpu_pct = r->cpu_peak_pct = NAN;
	r->device_depth = r->little = r->best_share_pct = NAN;
}

static void analyse_point(struct work *w, uint32_t i)
{
	struct result *r = &w->run->results[i];
	const struct visit *const *visits = w->order + w->start[i];
	struct verdict_input in = {.result = r,
				   .visits = visits,
				   .visit_count = r->done,
				   .correction = exp(w->iops[i].shift),
				   .precision_pct = w->precision_pct,
				   .steady_asked = w->steady,
				   .clock_back_s = w->clock_back_s[i]};

	if (r->done) {
		sum_visits(r, visits);
		fill_means(r, visits, &w->iops[i], &w->latency[i]);
		fill_parts(r);
		fill_percentiles(r, w->hist);
	}
	r->verdicts = verdict_judge(&in, r->verdict_value);
}

/* What --precision asked for, as the session noted it. */
static double precision_asked(const struct run *run)
{
	const char *text = run_fact(run, "plan", "precision");
	double pct;

	return units_parse_percent(text, "", &pct, NULL) ? NAN : pct;
}

bool run_wants_steady(const struct run *run)
{
	return !strcmp(run_fact(run, "plan", "steady"), "yes");
}

/* Each point has a window of its own and means to be as it is there: what
 * other rounds did to the device says nothing about it. */
static void forget_rounds(struct rounds_doubt *doubt, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		doubt[i].shift = 0;
		doubt[i].within_variance = NAN;
		doubt[i].within_df = 0;
	}
}

static int estimate(const struct work *w, rounds_measure *measure,
		    struct rounds_doubt *out)
{
	const struct run *run = w->run;
	int rc = rounds_estimate(run->points, run->point_count, run->visits,
				 run->visit_count, measure, out);

	if (!rc && w->steady)
		forget_rounds(out, run->point_count);
	return rc;
}

struct share {
	uint32_t group;
	uint64_t size;
	struct result *result;
};

static int by_group_and_size(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static void share_of_best(struct share *shares, uint32_t count)
{
	double best = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (shares[i].result->iops.value > best)
			best = shares[i].result->iops.value;
	for (i = 0; i < count; i++)
		if (best > 0)
			shares[i].result->best_share_pct =
			    100 * shares[i].result->iops.value / best;
}

static int fill_shares(struct run *run)
{
	size_t room = run->point_count + (size_t)1;
	uint32_t *group_of = malloc(room * sizeof(*group_of));
	struct share *shares = malloc(room * sizeof(*shares));
	uint32_t begin, end, i;
	int rc = -ENOMEM;

	if (!group_of || !shares)
		goto out;
	rc = group_by_sweep(run->points, run->point_count, group_of);
	if (rc < 0)
		goto out;
	for (i = 0; i < run->point_count; i++)
		shares[i] = (struct share){
		    group_of[i],
		    run->points[i].workload.stream.block_size_bytes,
		    &run->results[i]};
	qsort(shares, run->point_count, sizeof(*shares), by_group_and_size);
	for (begin = 0; begin < run->point_count; begin = end) {
		end = begin + 1;
		while (end < run->point_count &&
		       !by_group_and_size(&shares[begin], &shares[end]))
			end++;
		share_of_best(shares + begin, end - begin);
	}
	rc = 0;
out:
	free(shares);
	free(group_of);
	return rc;
}

int analyse_run(struct run *run)
{
	struct work w;
	uint32_t i;
	int rc = work_new(run, &w);

	if (rc)
		return rc;
	w.steady = run_wants_steady(run);
	if (w.steady)
		rc = steady_set_aside(run->visits, run->visit_count,
				      run->point_count);
	if (rc)
		goto out;
	for (i = 0; i < run->point_count; i++)
		blank(&run->results[i]);
	count_states(run);
	order_visits(&w);
	find_clock_steps(&w);
	w.precision_pct = precision_asked(run);
	rc = estimate(&w, visit_iops, w.iops);
	if (!rc)
		rc = estimate(&w, visit_lat_mean_us, w.latency);
	for (i = 0; !rc && i < run->point_count; i++)
		analyse_point(&w, i);
	if (!rc)
		rc = fill_shares(run);
out:
	work_free(&w);
	return rc;
}
