#include "export/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "export/result.h"
#include "export/steady.h"
#include "export/theme.h"
#include "export/transient.h"

/* Below so many I/Os per outstanding one, the edges of the window alone move
 * counters by percents. */
#define EDGE_SAFE_IOS 50

/* The number stands between before and after. */
struct wording {
	const char *name;
	const char *before;
	int decimals;
	const char *after;
	const char *advice;
};

static const struct wording wordings[VERDICT_COUNT] = {
    [VERDICT_ONE_VISIT] = {"one-visit", "measured in ", 0,
			   " visit only: noise that lasts longer than a visit "
			   "is not in its interval, if it has one",
			   "use --rounds 5"},
    [VERDICT_UNSTEADY] = {"unsteady", "the last five visits span ", 0,
			  "% of their mean (steady: within 20%)",
			  "use more rounds, or find out what else uses the "
			  "storage"},
    [VERDICT_TREND] = {"trend", "IOPS changed by ", 0,
		       "% over the last five visits (steady: within 10%)",
		       "precondition the region or warm the cache first, and "
		       "use more rounds"},
    [VERDICT_NOT_STEADY] = {"not-steady", "no steady state in ", 0,
			    " visits of the point (SNIA: five with a range "
			    "within 20% and a slope within 10%)",
			    "raise the limit (--rounds), use --precondition "
			    "where it is flash, or longer visits (--time)"},
    [VERDICT_FELL] = {"fell", "IOPS fell by ", 0,
		      "% during the run and stayed there",
		      "look for throttling by heat or credit, or a write "
		      "cache that was full"},
    [VERDICT_TRANSIENT] = {"transient", "the first ", 0,
			   "% of each visit ran at another rate than the rest",
			   "use a longer --ramp"},
    [VERDICT_NOT_CONVERGED] = {"not-converged", "the interval is still +-", 1,
			       "% wide, more than the precision asked",
			       "raise the limit (--rounds), or use longer "
			       "visits (--time)"},
    [VERDICT_CORRECTED] = {"corrected", "corrected by ", 1,
			   "% for the rounds that it missed",
			   "compare with care; without --precision every "
			   "point sees every round"},
    [VERDICT_SHALLOW] = {"shallow", "the device saw only ", 1,
			 " I/Os in flight on average",
			 "raise nr_requests, try --engine io_uring, or more "
			 "threads"},
    [VERDICT_MIX_OFF] = {"mix-off", "reads were ", 1,
			 "% of the I/Os, not as asked", "use longer visits"},
    [VERDICT_RATE_MISSED] = {"rate-missed", "only ", 1,
			     "% of the rate asked was reached; latency counts "
			     "the time that I/Os waited for their turn",
			     "use a lower --rate or more outstanding I/Os, or "
			     "run without --rate to see the most there is"},
    [VERDICT_LITTLE] = {"little", "IOPS x latency is ", 3,
			" of the outstanding I/Os, where 1.00 +- 0.02 is right",
			"use longer visits (--time) if I/Os outlast them; else "
			"do not trust this point and report it as a fault"},
    [VERDICT_CPU_BOUND] = {"cpu-bound",
			   "the busiest worker used or waited for ", 0,
			   "% of a core: the CPU limits, not the storage",
			   "use more threads if cores idle, larger blocks, or "
			   "stop what else runs"},
    [VERDICT_PUNTED] = {"punted", "I/O was handed to ", 0,
			" kernel worker threads",
			"lower the outstanding I/Os below nr_requests, use "
			"--cache direct, or --engine libaio"},
    [VERDICT_CACHE_BELOW] = {"cache-below",
			     "served from a cache below, or blocks never "
			     "written: only ",
			     0, "% of the bytes reached the device",
			     "write the file whole (--layout), use a larger "
			     "one, or take it as the cached case"},
    [VERDICT_READ_AHEAD] = {"read-ahead", "the devices below the target read ",
			    0, "% more than was asked",
			    "look for readahead on the way, or for others who "
			    "use them; devices.csv has each device"},
    [VERDICT_FOREIGN_IO] = {"foreign-io", "the device moved ", 0,
			    "% more than was asked here: somebody else used "
			    "it",
			    "find out who (iotop, pidstat -d) and measure "
			    "again"},
    [VERDICT_NOT_COLD] = {"not-cold", "", 0,
			  "% was still in the page cache (?: not known), where "
			  "cold caches were asked for",
			  "run as root, which may drop every cache, and end "
			  "what maps or reads the target"},
    [VERDICT_NOT_WARM] = {"not-warm", "the caches still changed after ", 0,
			  " passes over the region",
			  "raise --warm-passes, or use a smaller "
			  "--working-set: the cache may not hold this one"},
    [VERDICT_CLOCK] = {"clock", "the wall clock went back by ", 1,
		       " s during the run",
		       "time stamps are doubtful, the measures are not; check "
		       "time synchronization"},
    [VERDICT_ERRORS] = {"errors", "", 0, " I/Os failed or were cut short",
			"see the reasons in visits.csv and the kernel log"},
};

/* Bits and numbers while they are found. */
struct findings {
	uint32_t bits;
	double *value;
};

static void find(struct findings *f, enum verdict v, double value)
{
	f->bits |= 1u << v;
	f->value[v] = value;
}

static double total_ios(const struct result *r)
{
	return (double)r->total.ios[DIR_READ] + (double)r->total.ios[DIR_WRITE];
}

static double total_bytes(const struct result *r)
{
	return (double)r->total.bytes[DIR_READ] +
	       (double)r->total.bytes[DIR_WRITE];
}

static bool is_direct(const struct result *r)
{
	return r->point->cache == CACHE_DIRECT ||
	       r->point->cache == CACHE_DIRECT_DSYNC;
}

static void judge_steadiness(const struct verdict_input *in, struct findings *f)
{
	double last[STEADY_ROUNDS];
	struct steady steady = {NAN, NAN};
	uint32_t i;

	if (in->visit_count >= STEADY_ROUNDS) {
		for (i = 0; i < STEADY_ROUNDS; i++)
			last[i] = visit_iops(
			    in->visits[in->visit_count - STEADY_ROUNDS + i]);
		steady = steady_measure(last);
	}
	if (steady.range_pct > STEADY_RANGE_PCT)
		find(f, VERDICT_UNSTEADY, steady.range_pct);
	if (fabs(steady.slope_pct) > STEADY_SLOPE_PCT)
		find(f, VERDICT_TREND, steady.slope_pct);
	if (in->steady_asked && !steady_holds(&steady))
		find(f, VERDICT_NOT_STEADY,
		     in->result->done + in->result->aside);
}

/* % lost at a split of the visits that leaves all later clear of all earlier
 * ones; 0 when they are not. */
static double lost_at(const struct verdict_input *in, uint32_t split)
{
	double before = 0, after = 0, least = INFINITY, most = 0;
	uint32_t i;

	for (i = 0; i < in->visit_count; i++) {
		double iops = visit_iops(in->visits[i]);

		if (i < split) {
			before += iops / split;
			least = fmin(least, iops);
		} else {
			after += iops / (in->visit_count - split);
			most = fmax(most, iops);
		}
	}
	if (most > (1 - VERDICT_FELL_GAP_PCT / 100) * least)
		return 0;
	return 100 * (1 - after / before);
}

static void judge_level(const struct verdict_input *in, struct findings *f)
{
	double lost = 0;
	uint32_t split;

	if (in->visit_count < STEADY_ROUNDS)
		return;
	for (split = 2; split <= in->visit_count - 2; split++)
		lost = fmax(lost, lost_at(in, split));
	if (lost > VERDICT_FELL_PCT)
		find(f, VERDICT_FELL, lost);
}

static void judge_begin(const struct verdict_input *in, struct findings *f)
{
	struct transient t;

	if (transient_find(in->visits, in->visit_count, &t))
		find(f, VERDICT_TRANSIENT, t.share_pct);
}

static void judge_interval(const struct verdict_input *in, struct findings *f)
{
	const struct interval *iops = &in->result->iops;
	double half = 100 * (iops->high / iops->value - 1);
	double correction = 100 * (in->correction - 1);

	if (in->visit_count == 1)
		find(f, VERDICT_ONE_VISIT, 1);
	/* An unknown interval has not reached any precision either. */
	if (in->precision_pct > 0 && !(half <= in->precision_pct))
		find(f, VERDICT_NOT_CONVERGED, half);
	if (fabs(correction) >= VERDICT_CORRECTED_PCT)
		find(f, VERDICT_CORRECTED, correction);
}

/* I/Os that were due at a window's end do not make a rate missed. */
static void judge_rate(const struct verdict_input *in, struct findings *f)
{
	const struct result *r = in->result;
	double asked = r->point->workload.rate_iops;
	double due = asked * (double)r->total.measured_ns / 1e9;
	double edges = (double)point_outstanding(r->point) * in->visit_count;

	if (asked > 0 && total_ios(r) + edges < VERDICT_RATE_SHARE * due)
		find(f, VERDICT_RATE_MISSED, 100 * total_ios(r) / due);
}

/* The numbers do not agree, or leave out too much that outlasts the window. */
static void judge_little(const struct verdict_input *in, struct findings *f)
{
	const struct result *r = in->result;
	double inside = r->little - visit_edges(&r->total, r->point);
	/* What is in flight at both edges of each visit's window. */
	double edges =
	    2.0 * point_outstanding(r->point) * in->visit_count / total_ios(r);

	if (isnan(inside))
		inside = r->little;
	else if (fabs(r->little - 1) > VERDICT_LITTLE_OFF)
		find(f, VERDICT_LITTLE, r->little);
	if (fabs(inside - 1) > VERDICT_LITTLE_OFF + edges)
		find(f, VERDICT_LITTLE, inside);
}

static void judge_loop(const struct verdict_input *in, struct findings *f)
{
	const struct result *r = in->result;
	double asked = r->point->workload.stream.read_pct;
	double ios = total_ios(r);
	double reads = 100 * (double)r->total.ios[DIR_READ] / ios;
	/* Four standard deviations of a mix that is drawn I/O by I/O. */
	double luck = 4 * sqrt(asked * (100 - asked) / ios);

	if (fabs(reads - asked) > fmax(VERDICT_MIX_POINTS, luck))
		find(f, VERDICT_MIX_OFF, reads);
	if (r->cpu_peak_pct > VERDICT_CPU_PCT)
		find(f, VERDICT_CPU_BOUND, r->cpu_peak_pct);
	if (r->total.punted_threads > 0)
		find(f, VERDICT_PUNTED, r->total.punted_threads);
}

/* What reached both the target's device and the lowest that are known. */
static double reached_bytes(const struct visit *t)
{
	double device = t->device_read_bytes + t->device_write_bytes;
	double origin = t->origin_read_bytes + t->origin_write_bytes;

	return fmin(device, origin);
}

static void judge_hits(const struct verdict_input *in, struct findings *f)
{
	const struct visit *t = &in->result->total;
	double outstanding = point_outstanding(in->result->point);
	double asked = (double)t->bytes[DIR_READ];
	double more = 100 * (t->origin_read_bytes / asked - 1);

	/* Foreign I/O on the target itself is told as such. */
	if (asked > 0 && more > VERDICT_FOREIGN_PCT &&
	    total_ios(in->result) >= EDGE_SAFE_IOS * outstanding &&
	    !(f->bits & 1u << VERDICT_FOREIGN_IO))
		find(f, VERDICT_READ_AHEAD, more);
}

/* Whether the caches were as asked for. */
static void judge_caches(const struct verdict_input *in, struct findings *f)
{
	const struct visit *t = &in->result->total;
	bool known = t->state_reached == REACHED_NO;

	if (t->state_reached < REACHED_UNKNOWN)
		return;
	if (in->result->point->state == STATE_COLD)
		find(f, VERDICT_NOT_COLD, known ? t->cold_left_pct : NAN);
	else
		find(f, VERDICT_NOT_WARM, t->warm_passes);
}

static void judge_device(const struct verdict_input *in, struct findings *f)
{
	const struct result *r = in->result;
	const struct visit *t = &r->total;
	double outstanding = point_outstanding(r->point);
	double own = total_bytes(r);
	double foreign, reached;

	if (!is_direct(r) || total_ios(r) < EDGE_SAFE_IOS * outstanding)
		return;
	reached = 100 * reached_bytes(t) / own;
	/* Writes of our own file may make more of them (journal, checksums);
	 * reads do not. */
	foreign = t->device_read_bytes - (double)t->bytes[DIR_READ];
	if (!point_writes(r->point))
		foreign += t->device_write_bytes;
	if (reached < VERDICT_CACHE_PCT)
		find(f, VERDICT_CACHE_BELOW, reached);
	else if (100 * foreign / own > VERDICT_FOREIGN_PCT)
		find(f, VERDICT_FOREIGN_IO, 100 * foreign / own);
	if (reached >= VERDICT_CACHE_PCT && !r->point->workload.rate_iops &&
	    r->device_depth < VERDICT_DEPTH_SHARE * outstanding &&
	    outstanding - r->device_depth >= 1)
		find(f, VERDICT_SHALLOW, r->device_depth);
}

uint32_t verdict_judge(const struct verdict_input *in,
		       double value[VERDICT_COUNT])
{
	struct findings f = {.value = value};
	int i;

	for (i = 0; i < VERDICT_COUNT; i++)
		value[i] = NAN;
	if (in->result->total.error_count)
		find(&f, VERDICT_ERRORS, (double)in->result->total.error_count);
	if (!in->visit_count)
		return f.bits;
	judge_interval(in, &f);
	judge_caches(in, &f);
	if (total_ios(in->result) > 0) {
		judge_steadiness(in, &f);
		judge_level(in, &f);
		judge_begin(in, &f);
		judge_loop(in, &f);
		judge_little(in, &f);
		judge_rate(in, &f);
		judge_device(in, &f);
		judge_hits(in, &f);
	}
	if (in->clock_back_s > VERDICT_CLOCK_S)
		find(&f, VERDICT_CLOCK, in->clock_back_s);
	return f.bits;
}

const char *verdict_name(enum verdict v)
{
	return (unsigned)v < VERDICT_COUNT ? wordings[v].name : NULL;
}

const char *verdict_advice(enum verdict v)
{
	return (unsigned)v < VERDICT_COUNT ? wordings[v].advice : NULL;
}

char *verdict_say(enum verdict v, const struct result *r,
		  const struct theme *theme, char *buf, size_t size)
{
	const struct wording *w = &wordings[v];
	double value = r->verdict_value[v];
	char english[VERDICT_TEXT_MAX], number[UNITS_TEXT_MAX] = "?";
	const char *words, *at;

	buf[0] = '\0';
	if (!(r->verdicts & (1u << v)))
		return buf;
	if (isfinite(value))
		snprintf(number, sizeof(number), "%.*f", w->decimals, value);
	snprintf(english, sizeof(english), "%s" THEME_NUMBER "%s", w->before,
		 w->after);
	words = theme_word(theme, english);
	at = strstr(words, THEME_NUMBER);
	if (at)
		snprintf(buf, size, "%.*s%s%s", (int)(at - words), words,
			 number, at + strlen(THEME_NUMBER));
	else
		snprintf(buf, size, "%s", words);
	return buf;
}

char *verdict_sentence(enum verdict v, const struct result *r, char *buf,
		       size_t size)
{
	return verdict_say(v, r, NULL, buf, size);
}

char *verdict_names(uint32_t bits, char *buf, size_t size)
{
	size_t used = 0;
	int v;

	buf[0] = '\0';
	for (v = 0; v < VERDICT_COUNT; v++) {
		if (!(bits & (1u << v)) || used >= size)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? " " : "", wordings[v].name);
	}
	return buf;
}
