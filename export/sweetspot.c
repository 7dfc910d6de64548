#include "export/sweetspot.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/group.h"
#include "export/stats.h"
#include "export/theme.h"

/* The points of one group: measured ones, by size and then outstanding. */
struct members {
	const struct result **items;
	uint32_t count;
	const struct latency_limit *limit;
};

static uint64_t size_of(const struct result *r)
{
	return r->point->workload.stream.block_size_bytes;
}

static int by_size_and_outstanding(const void *a, const void *b)
{
	const struct result *x = *(const struct result *const *)a;
	const struct result *y = *(const struct result *const *)b;
	uint32_t m = point_outstanding(x->point);
	uint32_t n = point_outstanding(y->point);

	if (size_of(x) != size_of(y))
		return size_of(x) < size_of(y) ? -1 : 1;
	if (m != n)
		return m < n ? -1 : 1;
	return (x->point->index > y->point->index) -
	       (x->point->index < y->point->index);
}

static bool keeps_limit(const struct result *r,
			const struct latency_limit *limit)
{
	double latency;

	if (!limit || isnan(limit->limit_us))
		return true;
	latency = limit->which == PCT_COUNT ? r->lat_mean_us.value
					    : r->lat_us[limit->which].value;
	/* An unknown latency keeps no promise. */
	return latency <= limit->limit_us;
}

/* The one with more IOPS, the first of equals; a may be NULL. */
static const struct result *more_iops(const struct result *a,
				      const struct result *b)
{
	return a && a->iops.value >= b->iops.value ? a : b;
}

/*
 * Whether a, whose value is below the mark that b sets, may truly reach it:
 * the upper end of the 95% interval of their ratio within rounds, or of a's
 * own interval where rounds cannot be told apart. The fewer degrees of
 * freedom of the two are taken, which widens the interval if anything.
 */
static bool may_reach(const struct result *a, const struct result *b,
		      const struct interval *value, double mark)
{
	double variance = a->within_variance + b->within_variance;
	double half = stats_half_width_95(sqrt(variance),
					  fmin(a->within_df, b->within_df));

	if (isnan(half))
		return value->high >= mark;
	return value->value * exp(half) >= mark;
}

/*
 * Fill one size from its points, ascending in outstanding; false when none
 * keeps the limit. *maybe is the smallest one before the sweet spot whose
 * true IOPS may reach the mark.
 */
static bool choose_outstanding(const struct result *const *items,
			       uint32_t count,
			       const struct latency_limit *limit,
			       struct sweetspot_size *size,
			       const struct result **maybe)
{
	double mark;
	uint32_t i;

	*size = (struct sweetspot_size){.block_size_bytes = size_of(items[0]),
					.deepest = items[count - 1]};
	for (i = 0; i < count; i++) {
		size->peak = more_iops(size->peak, items[i]);
		if (keeps_limit(items[i], limit))
			size->best = more_iops(size->best, items[i]);
	}
	if (!size->best)
		return false;
	mark = SWEETSPOT_SHARE * size->best->iops.value;
	*maybe = NULL;
	for (i = 0; !size->sweet; i++) {
		if (!keeps_limit(items[i], limit))
			continue;
		if (items[i]->iops.value >= mark)
			size->sweet = items[i];
		else if (!*maybe &&
			 may_reach(items[i], size->best, &items[i]->iops, mark))
			*maybe = items[i];
	}
	return true;
}

/* The smallest size with that many MiB/s but fewer than the mark, that may
 * truly be at it; NULL: none. */
static const struct result *tied_size(const struct sweetspot *spot,
				      const struct result *best, double least)
{
	double mark = SWEETSPOT_SHARE * best->mibps.value;
	uint32_t i;

	for (i = 0; spot->sizes[i].sweet->mibps.value < mark; i++) {
		const struct result *r = spot->sizes[i].sweet;

		if (r->mibps.value >= least &&
		    may_reach(r, best, &r->mibps, mark))
			return r;
	}
	return NULL;
}

/*
 * Among the sizes: the smallest at the mark. A tie goes to the smaller one,
 * which costs a few percent of MiB/s when it was wrong; the larger one costs
 * half of the IOPS and twice the latency. One that is further off by its value
 * and only badly known is no tie. A doubt about the outstanding of the sweet
 * size is told only when no smaller size is in doubt.
 */
static void choose_size(struct sweetspot *spot,
			const struct result *const *maybe)
{
	const struct result *best = spot->sizes[0].sweet;
	const struct result *tied;
	double mark;
	uint32_t i;

	for (i = 1; i < spot->size_count; i++)
		if (spot->sizes[i].sweet->mibps.value > best->mibps.value)
			best = spot->sizes[i].sweet;
	mark = SWEETSPOT_SHARE * best->mibps.value;
	for (i = 0; spot->sizes[i].sweet->mibps.value < mark;)
		i++;
	tied = tied_size(spot, best, SWEETSPOT_SHARE * mark);
	spot->sweet = tied ? tied : spot->sizes[i].sweet;
	spot->undecided =
	    tied ? spot->sizes[i].sweet : tied_size(spot, best, 0);
	if (!spot->undecided)
		spot->undecided = maybe[i];
}

static void find_peaks(const struct members *m, struct sweetspot *spot)
{
	uint32_t i;

	for (i = 0; i < m->count; i++) {
		const struct result *r = m->items[i];

		spot->peak_iops = more_iops(spot->peak_iops, r);
		if (!spot->peak_mibps ||
		    r->mibps.value > spot->peak_mibps->mibps.value)
			spot->peak_mibps = r;
		if (!spot->lowest_latency ||
		    r->lat_mean_us.value <
			spot->lowest_latency->lat_mean_us.value)
			spot->lowest_latency = r;
	}
}

static int solve_group(struct members *m, struct sweetspot *spot)
{
	const struct result **maybe; /* of each size */
	uint32_t begin, end;

	spot->sizes = calloc(m->count + (size_t)1, sizeof(*spot->sizes));
	maybe = calloc(m->count + (size_t)1, sizeof(const struct result *));
	if (!spot->sizes || !maybe) {
		free(maybe);
		return -ENOMEM;
	}
	qsort(m->items, m->count, sizeof(*m->items), by_size_and_outstanding);
	find_peaks(m, spot);
	for (begin = 0; begin < m->count; begin = end) {
		end = begin + 1;
		while (end < m->count &&
		       size_of(m->items[end]) == size_of(m->items[begin]))
			end++;
		spot->size_count += choose_outstanding(
		    m->items + begin, end - begin, m->limit,
		    &spot->sizes[spot->size_count], &maybe[spot->size_count]);
	}
	if (spot->size_count)
		choose_size(spot, maybe);
	free(maybe);
	return 0;
}

/* Measured, and more than nothing came out. */
static bool is_measured(const struct result *r)
{
	return r->done && r->iops.value > 0 && isfinite(r->iops.value);
}

static int solve_run(const struct run *run, const uint32_t *group_of,
		     struct members *m, struct sweetspot_list *list)
{
	uint32_t g, i;
	int rc = 0;

	for (i = run->point_count; i-- > 0;)
		list->spots[group_of[i]].group = &run->points[i];
	for (g = 0; g < list->count && !rc; g++) {
		m->count = 0;
		for (i = 0; i < run->point_count; i++)
			if (group_of[i] == g && is_measured(&run->results[i]))
				m->items[m->count++] = &run->results[i];
		rc = solve_group(m, &list->spots[g]);
	}
	return rc;
}

int sweetspot_find(const struct run *run, const struct latency_limit *limit,
		   struct sweetspot_list *out)
{
	size_t room = run->point_count + (size_t)1;
	struct sweetspot_list list = {0};
	uint32_t *group_of = malloc(room * sizeof(*group_of));
	struct members m = {.items =
				malloc(room * sizeof(const struct result *)),
			    .limit = limit};
	int rc = -ENOMEM;

	if (group_of && m.items)
		rc = group_by_sweep(run->points, run->point_count, group_of);
	if (rc >= 0) {
		list.count = (uint32_t)rc;
		list.spots =
		    calloc(list.count + (size_t)1, sizeof(*list.spots));
		rc = list.spots ? solve_run(run, group_of, &m, &list) : -ENOMEM;
	}
	free(m.items);
	free(group_of);
	if (rc)
		sweetspot_free(&list);
	else
		*out = list;
	return rc;
}

void sweetspot_free(struct sweetspot_list *list)
{
	uint32_t i;

	for (i = 0; list->spots && i < list->count; i++)
		free(list->spots[i].sizes);
	free(list->spots);
	memset(list, 0, sizeof(*list));
}

bool sweetspot_same_group(const struct point *a, const struct point *b)
{
	return group_same_sweep(a, b);
}

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t size,
							 const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + used, size - used, fmt, ap);
	va_end(ap);
}

/* "64K at 32 outstanding", in any language. */
#define PLACE_MAX (UNITS_TEXT_MAX + THEME_SENTENCE_MAX)

static char *format_latency(char *buf, double us)
{
	if (isfinite(us) && us >= 0)
		return units_format_duration(buf, (uint64_t)(us * 1e3 + 0.5));
	return strcpy(buf, "-");
}

static char *say_place(char *buf, size_t size, const struct theme *theme,
		       const struct result *r)
{
	char text[UNITS_TEXT_MAX];

	snprintf(buf, size, theme_sentence(theme, "%s at %u outstanding"),
		 units_format_size(text, size_of(r)),
		 point_outstanding(r->point));
	return buf;
}

/* What a larger outstanding would do, from the points that were measured. */
static const char *beyond(const struct sweetspot *spot)
{
	const struct sweetspot_size *own = spot->sizes;

	while (own->sweet != spot->sweet)
		own++;
	if (own->deepest == own->sweet)
		return "more outstanding was not measured";
	if (SWEETSPOT_SHARE * own->peak->iops.value > own->sweet->iops.value)
		return "more outstanding breaks the latency limit";
	return "more outstanding adds latency only";
}

/* Where there is no answer. */
static void say_why_not(const struct sweetspot *spot, const struct theme *theme,
			char *buf, size_t size)
{
	const struct result *r = spot->lowest_latency;
	char latency[UNITS_TEXT_MAX], place[PLACE_MAX];

	if (!r)
		append(buf, size, "%s",
		       theme_word(theme, "nothing was measured."));
	else
		append(buf, size,
		       theme_sentence(theme,
				      "no point keeps the latency limit; the "
				      "lowest mean latency is %s, %s."),
		       format_latency(latency, r->lat_mean_us.value),
		       say_place(place, sizeof(place), theme, r));
}

char *sweetspot_say(const struct sweetspot *spot, const char *name,
		    const struct theme *theme, char *buf, size_t size)
{
	const struct result *r = spot->sweet;
	char workload[POINT_NAME_MAX], place[PLACE_MAX];
	char mibps[UNITS_TEXT_MAX], iops[UNITS_TEXT_MAX];
	char latency[UNITS_TEXT_MAX];

	point_workload_name(spot->group, workload, sizeof(workload));
	snprintf(buf, size, "%s: ", name ? name : workload);
	if (!r) {
		say_why_not(spot, theme, buf, size);
		return buf;
	}
	append(buf, size, "%s, %s MiB/s, %s IOPS, %s; %s",
	       say_place(place, sizeof(place), theme, r),
	       units_format_number(mibps, r->mibps.value),
	       units_format_number(iops, r->iops.value),
	       format_latency(latency, r->lat_mean_us.value),
	       theme_word(theme, beyond(spot)));
	if (spot->undecided) {
		append(buf, size, "; ");
		append(buf, size,
		       theme_sentence(theme, "undecided: %s may do as well"),
		       say_place(place, sizeof(place), theme, spot->undecided));
	}
	append(buf, size, ".");
	return buf;
}

char *sweetspot_sentence(const struct sweetspot *spot, const char *name,
			 char *buf, size_t size)
{
	return sweetspot_say(spot, name, NULL, buf, size);
}

static int metric_from_name(const char *name, size_t len, enum percentile *out)
{
	static const char *const names[PCT_COUNT + 1] = {
	    [PCT_50] = "p50",	  [PCT_90] = "p90",    [PCT_95] = "p95",
	    [PCT_99] = "p99",	  [PCT_999] = "p99.9", [PCT_9999] = "p99.99",
	    [PCT_COUNT] = "mean",
	};
	int i;

	for (i = 0; i <= PCT_COUNT; i++) {
		if (strlen(names[i]) != len || strncmp(names[i], name, len))
			continue;
		*out = (enum percentile)i;
		return 0;
	}
	return -EINVAL;
}

int latency_limit_parse(const char *text, const char *where,
			struct latency_limit *out, struct err *err)
{
	const char *equals = strchr(text, '=');
	enum percentile which;
	uint64_t ns;
	int rc;

	if (!equals || metric_from_name(text, (size_t)(equals - text), &which))
		return err_usage(err,
				 "%s: '%s' is not a latency limit: use mean, "
				 "p50, p90, p95, p99, p99.9 or p99.99, '=' "
				 "and a time, such as p99=2ms",
				 where, text);
	rc = units_parse_duration(equals + 1, where, &ns, err);
	if (rc)
		return rc;
	out->which = which;
	out->limit_us = (double)ns / 1e3;
	return 0;
}
