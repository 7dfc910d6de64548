#include "export/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

#define RATIO_TEXT 24
#define PLACE_TEXT (2 * UNITS_TEXT_MAX)

char *compare_ratio_text(double ratio, char *buf, size_t size)
{
	int digits = 0;

	if (!isfinite(ratio)) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (ratio < 0.095 || (ratio > 0.9 && ratio < 1.1))
		digits = 3;
	else if (ratio < 9.995)
		digits = 2;
	else if (ratio < 99.95)
		digits = 1;
	snprintf(buf, size, "%.*fx", digits, ratio);
	return buf;
}

static char *place_text(const struct result *r, char *buf, size_t size)
{
	char block[UNITS_TEXT_MAX];

	snprintf(buf, size, "%s x %u",
		 units_format_size(block,
				   r->point->workload.stream.block_size_bytes),
		 point_outstanding(r->point));
	return buf;
}

static const char *label_of(const struct compare *c, uint32_t side)
{
	return c->sides.sides[side].label;
}

static void append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s", text);
}

static void append_interval(const struct compare_workload *l, char *buf,
			    size_t size)
{
	const struct interval *mean = &l->mean[l->by];
	char low[RATIO_TEXT], high[RATIO_TEXT], text[160];

	if (isfinite(mean->low))
		snprintf(text, sizeof(text),
			 " (95%% interval %s to %s%s, geometric mean of %u "
			 "points)",
			 compare_ratio_text(mean->low, low, sizeof(low)),
			 compare_ratio_text(mean->high, high, sizeof(high)),
			 l->optimistic ? ", optimistic: one visit a point" : "",
			 l->count);
	else
		snprintf(text, sizeof(text),
			 " (geometric mean of %u points; how sure it is, is "
			 "not known)",
			 l->count);
	append(buf, size, text);
}

static void append_verdict(const struct compare *c,
			   const struct compare_workload *l, char *buf,
			   size_t size)
{
	static const char *const before[COMPARE_VERDICT_COUNT] = {
	    "unsure whether ", "", "", ""};
	static const char *const between[COMPARE_VERDICT_COUNT] = {
	    [COMPARE_UNSURE] = "differs from",
	    [COMPARE_SAME] = "is, within noise, as fast as",
	    [COMPARE_FASTER] = "is faster than",
	    [COMPARE_SLOWER] = "is slower than",
	};
	char ratio[RATIO_TEXT];
	size_t len = strlen(buf);

	compare_ratio_text(l->mean[l->by].value, ratio, sizeof(ratio));
	snprintf(buf + len, size - len, "%s'%s' %s '%s': %s%s",
		 before[l->verdict], label_of(c, l->side), between[l->verdict],
		 label_of(c, 0), ratio,
		 l->by == COMPARE_LATENCY ? " in mean latency" : "");
}

static void append_extremes(const struct compare_workload *l, char *buf,
			    size_t size)
{
	char best[RATIO_TEXT], worst[RATIO_TEXT], text[256];
	char at[PLACE_TEXT], at_worst[PLACE_TEXT];

	if (!l->best || l->count < 2)
		return;
	snprintf(text, sizeof(text), " Best %s at %s, worst %s at %s.",
		 compare_ratio_text(compare_ratio(l->best).value, best,
				    sizeof(best)),
		 place_text(l->best->base, at, sizeof(at)),
		 compare_ratio_text(compare_ratio(l->worst).value, worst,
				    sizeof(worst)),
		 place_text(l->worst->base, at_worst, sizeof(at_worst)));
	append(buf, size, text);
}

static void append_counts(const struct compare_workload *l, char *buf,
			  size_t size)
{
	static const enum compare_verdict order[] = {
	    COMPARE_FASTER, COMPARE_SLOWER, COMPARE_SAME, COMPARE_UNSURE};
	const char *before = " Point by point: ";
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!l->verdicts[order[i]])
			continue;
		snprintf(text, sizeof(text), "%s%u %s", before,
			 l->verdicts[order[i]], compare_verdict_name(order[i]));
		append(buf, size, text);
		before = ", ";
	}
	append(buf, size, ".");
}

char *compare_workload_text(const struct compare *c,
			    const struct compare_workload *l, char *buf,
			    size_t size)
{
	snprintf(buf, size, "%s: ", l->name);
	append_verdict(c, l, buf, size);
	append_interval(l, buf, size);
	append(buf, size, ".");
	append_extremes(l, buf, size);
	append_counts(l, buf, size);
	return buf;
}

static char *spot_text(const struct result *r, char *buf, size_t size)
{
	char place[PLACE_TEXT], number[UNITS_TEXT_MAX];

	snprintf(buf, size, "%s (%s MiB/s)",
		 place_text(r, place, sizeof(place)),
		 units_format_number(number, r->mibps.value));
	return buf;
}

char *compare_spot_text(const struct compare_workload *l, char *buf,
			size_t size)
{
	const struct result *a = l->base_spot ? l->base_spot->sweet : NULL;
	const struct result *b = l->other_spot ? l->other_spot->sweet : NULL;
	char from[2 * PLACE_TEXT], to[2 * PLACE_TEXT];
	char number[UNITS_TEXT_MAX];

	buf[0] = '\0';
	if (!a || !b)
		return buf;
	spot_text(a, from, sizeof(from));
	spot_text(b, to, sizeof(to));
	if (a->point->workload.stream.block_size_bytes ==
		b->point->workload.stream.block_size_bytes &&
	    point_outstanding(a->point) == point_outstanding(b->point))
		snprintf(buf, size,
			 "The sweet spot stays at %s, %s MiB/s on the other "
			 "side.",
			 from, units_format_number(number, b->mibps.value));
	else
		snprintf(buf, size, "The sweet spot moves from %s to %s.", from,
			 to);
	return buf;
}

char *compare_seen_text(const struct compare_workload *l, char *buf,
			size_t size)
{
	double point = 100 * (l->seen_point - 1);
	double mean = 100 * (l->seen_mean - 1);

	buf[0] = '\0';
	if (isfinite(point) && isfinite(mean) && mean > 0)
		snprintf(buf, size,
			 "A change of %.3g%% over all of them, or of %.3g%% at "
			 "one point alone, would have been told with a "
			 "probability of 80%%; smaller ones are easily missed.",
			 mean, point);
	return buf;
}

/* Facts of two runs that may explain a difference. */
static const struct fact {
	const char *section, *name, *words;
} watched[] = {
    {"machine", "host", "host"},
    {"machine", "kernel", "kernel"},
    {"plan", "time", "time a visit"},
    {"run", "iosweep_version", "version of iosweep"},
    {"target 1", "scheduler", "I/O scheduler"},
    {"target 1", "nr_requests", "nr_requests"},
    {"target 1", "file_system", "file system"},
    {"target 1", "device_model", "device model"},
};

static void put_differences(const struct run *a, const struct run *b, char *buf,
			    size_t size)
{
	const char *before = "The runs differ in more: ";
	char text[2 * 96 + 64];
	size_t i;

	buf[0] = '\0';
	for (i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
		const struct fact *f = &watched[i];
		const char *x = run_fact(a, f->section, f->name);
		const char *y = run_fact(b, f->section, f->name);

		if (!strcmp(x, y))
			continue;
		snprintf(text, sizeof(text), "%s%s (%.80s, %.80s)", before,
			 f->words, x[0] ? x : "not known",
			 y[0] ? y : "not known");
		append(buf, size, text);
		before = ", ";
	}
	if (buf[0])
		append(buf, size, ".");
}

static void put_caveat(const struct compare *c, uint32_t side, int which,
		       char *buf, size_t size)
{
	const struct compare_side *about = &c->about[side];
	const struct run *base = c->sides.sides[0].run;
	const struct run *other = c->sides.sides[side].run;

	buf[0] = '\0';
	switch (which) {
	case 0:
		if (!about->interleaved)
			snprintf(buf, size,
				 "The sides were measured one after the other: "
				 "what changed on the storage in between is "
				 "part of every ratio, and drift that was seen "
				 "widens the intervals; sides measured in the "
				 "same rounds of one run tell more.");
		break;
	case 1:
		if (about->other_offsets)
			snprintf(
			    buf, size,
			    "The runs have different seeds, so random "
			    "offsets differ; give the later one the --seed "
			    "of the first.");
		break;
	case 2:
		if (about->other_sizes)
			snprintf(buf, size,
				 "The devices are of different sizes and were "
				 "used whole; --working-set makes them alike.");
		break;
	case 3:
		if (base != other)
			put_differences(base, other, buf, size);
		break;
	case 4:
		if (about->itself)
			snprintf(buf, size,
				 "Both sides are the same visits: a run "
				 "compared with itself.");
		break;
	case 5:
		if (about->passed)
			snprintf(buf, size,
				 "The cache lets sequential I/O pass at %u "
				 "points: hardly any hits there, while random "
				 "reads are served by it.",
				 about->passed);
		break;
	default:
		break;
	}
}

#define CAVEATS 6

char *compare_caveat_text(const struct compare *c, uint32_t side, uint32_t n,
			  char *buf, size_t size)
{
	int which;

	buf[0] = '\0';
	/* Without a pair there is no ratio to be careful with. */
	if (!c->pair_count)
		return buf;
	for (which = 0; which < CAVEATS; which++) {
		put_caveat(c, side, which, buf, size);
		if (buf[0] && !n--)
			return buf;
	}
	buf[0] = '\0';
	return buf;
}

char *compare_reason_text(const struct compare *c,
			  const struct compare_lost *lost, char *buf,
			  size_t size)
{
	static const char *const reasons[COMPARE_REASON_COUNT] = {
	    [COMPARE_NOT_PLANNED] = "not in the plan of",
	    [COMPARE_OTHER_TARGET] = "on another target in",
	    [COMPARE_OTHER_SIZE] = "on a file of another size in",
	    [COMPARE_FAILED] = "failed in",
	    [COMPARE_SKIPPED] = "skipped in",
	    [COMPARE_NOT_MEASURED] = "not measured in",
	};

	snprintf(buf, size, "%s '%s'%s%s", reasons[lost->reason],
		 label_of(c, lost->lacking), lost->detail[0] ? ": " : "",
		 lost->detail);
	return buf;
}

static bool alike(const struct compare_lost *a, const struct compare_lost *b)
{
	return a->side == b->side && a->lacking == b->lacking &&
	       a->reason == b->reason;
}

/* Is it the first one of its reason? */
static bool leads(const struct compare *c, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < i; k++)
		if (alike(&c->lost[k], &c->lost[i]))
			return false;
	return true;
}

char *compare_lost_text(const struct compare *c, uint32_t side, uint32_t n,
			char *buf, size_t size)
{
	char reason[VISIT_REASON_MAX + LABEL_MAX], place[PLACE_TEXT];
	char name[POINT_NAME_MAX];
	uint32_t i, k, count = 0;

	buf[0] = '\0';
	for (i = 0; i < c->lost_count; i++)
		if (c->lost[i].side == side && leads(c, i) && !n--)
			break;
	if (i == c->lost_count)
		return buf;
	for (k = i; k < c->lost_count; k++)
		count += alike(&c->lost[i], &c->lost[k]);
	snprintf(
	    buf, size, "%u point%s did not pair: %s; for example %s, %s.",
	    count, count == 1 ? "" : "s",
	    compare_reason_text(c, &c->lost[i], reason, sizeof(reason)),
	    point_workload_name(c->lost[i].result->point, name, sizeof(name)),
	    place_text(c->lost[i].result, place, sizeof(place)));
	return buf;
}
