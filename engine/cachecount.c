#include "engine/cachecount.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/capture.h"
#include "engine/sysfile.h"

static void add(struct cachecounts *out, enum cachecount_kind kind,
		const char *source, const char *name, double value)
{
	struct cachecount *c = &out->at[out->count];

	if (out->count == CACHECOUNT_MAX)
		return;
	out->count++;
	c->kind = kind;
	snprintf(c->source, sizeof(c->source), "%.*s",
		 (int)sizeof(c->source) - 1, source);
	snprintf(c->name, sizeof(c->name), "%.*s", (int)sizeof(c->name) - 1,
		 name);
	c->value = value;
}

/* ---- bcache: /sys/dev/block/N/bcache/stats_total/NAME ---- */

static void read_bcache(const char *sys, const struct stack_device *d,
			struct cachecounts *out)
{
	static const char *const names[] = {
	    "stats_total/cache_hits",	     "stats_total/cache_misses",
	    "stats_total/cache_bypass_hits", "stats_total/cache_bypass_misses",
	    "stats_total/bypassed",	     "dirty_data",
	};
	size_t i;
	double value;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *slash = strchr(names[i], '/');

		if (!sysfile_number(&value, "%s/dev/block/%u:%u/bcache/%s", sys,
				    major(d->dev), minor(d->dev), names[i]))
			add(out, CACHECOUNT_BCACHE, d->name,
			    slash ? slash + 1 : names[i], value);
	}
}

/* ---- dm-cache ---- */

int cachecount_parse_dm(const char *source, const char *status,
			struct cachecounts *out)
{
	static const char *const names[] = {
	    "used_blocks", "total_blocks", "read_hits",
	    "read_misses", "write_hits",   "write_misses",
	    "demotions",   "promotions",   "dirty_blocks"};
	uint64_t n[9];
	size_t i;

	if (sscanf(status,
		   "%*u %*u/%*u %*u %" SCNu64 "/%" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64,
		   &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7],
		   &n[8]) != 9)
		return -EINVAL;
	for (i = 0; i < 9; i++)
		add(out, CACHECOUNT_DM, source, names[i], (double)n[i]);
	return 0;
}

/* Without --noflush the cache would write its metadata for us. */
static void read_dm(const char *sys, const struct stack_device *d,
		    struct cachecounts *out)
{
	char text[1024], name[256];
	const char *const argv[] = {
	    "dmsetup", "status", "--noflush", "--target", "cache", name, NULL};
	const char *type;

	if (sysfile_read(name, sizeof(name), "%s/dev/block/%u:%u/dm/name", sys,
			 major(d->dev), minor(d->dev)) ||
	    capture_run(argv, CAPTURE_LIMIT_NS, text, sizeof(text)) != 0)
		return;
	type = strstr(text, " cache ");
	if (type)
		cachecount_parse_dm(d->name, type + 7, out);
}

/* ---- ARC: lines "name type data" ---- */

static void read_arc(const char *proc, struct cachecounts *out)
{
	static const char *const names[] = {"hits",
					    "misses",
					    "demand_data_hits",
					    "demand_data_misses",
					    "l2_hits",
					    "l2_misses",
					    "size",
					    "c_max"};
	char text[16384], name[64], *line, *save = NULL;
	uint64_t value;
	size_t i;

	if (sysfile_read(text, sizeof(text), "%s/spl/kstat/zfs/arcstats", proc))
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%63s %*u %" SCNu64, name, &value) != 2)
			continue;
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(name, names[i]))
				add(out, CACHECOUNT_ARC, "zfs arc", name,
				    (double)value);
	}
}

void cachecount_read(const struct cachecount_roots *roots,
		     const struct stack *stack, const char *fs,
		     struct cachecounts *out)
{
	uint32_t i;

	for (i = 0; i < stack->count; i++) {
		const struct stack_device *d = &stack->device[i];

		if (!strncmp(d->name, "bcache", 6))
			read_bcache(roots->sys, d, out);
		else if (!strncmp(d->name, "dm-", 3) && d->role != STACK_CACHE)
			read_dm(roots->sys, d, out);
	}
	if (!strcmp(fs, "zfs"))
		read_arc(roots->proc, out);
}

/* ---- name=value ---- */

static bool parse_line(const char *line, struct cachecounts *out)
{
	const char *equals = strchr(line, '=');
	char name[CACHECOUNT_NAME_MAX], *end;
	double value;

	if (!equals || equals == line ||
	    (size_t)(equals - line) >= sizeof(name) ||
	    strcspn(line, " \t,\"") < (size_t)(equals - line))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - line), line);
	value = strtod(equals + 1, &end);
	if (end == equals + 1 || end[strspn(end, " \t\r")] || !isfinite(value))
		return false;
	add(out, CACHECOUNT_PROBE, "probe", name, value);
	return true;
}

void cachecount_parse_lines(const char *text, struct cachecounts *out)
{
	char line[256];

	while (*text) {
		size_t length = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (length < sizeof(line))
			parse_line(line, out);
		text += length + (text[length] == '\n');
	}
}

/* ---- hits ---- */

double cachecount_delta(const struct cachecounts *before,
			const struct cachecount *after)
{
	uint32_t i;

	for (i = 0; i < before->count; i++) {
		const struct cachecount *b = &before->at[i];

		if (b->kind == after->kind &&
		    !strcmp(b->source, after->source) &&
		    !strcmp(b->name, after->name))
			return after->value - b->value;
	}
	return NAN;
}

/* What a name of a kind rose by, over all its sources; NAN: none has it. */
static double rise(const struct cachecounts *before,
		   const struct cachecounts *after, enum cachecount_kind kind,
		   const char *name)
{
	double sum = NAN;
	uint32_t i;

	for (i = 0; i < after->count; i++) {
		const struct cachecount *a = &after->at[i];

		if (a->kind != kind || strcmp(a->name, name))
			continue;
		sum = (isnan(sum) ? 0 : sum) + cachecount_delta(before, a);
	}
	return sum;
}

double cachecount_hit_pct(const struct cachecounts *before,
			  const struct cachecounts *after, bool writes,
			  uint64_t span_ns, enum cachecount_kind *out_kind)
{
	static const struct {
		enum cachecount_kind kind;
		const char *hits[2], *misses[2]; /* of reads, of writes */
		uint64_t span_ns;
	} ways[] = {
	    {CACHECOUNT_PROBE, {"hits", "hits"}, {"misses", "misses"}, 0},
	    {CACHECOUNT_DM,
	     {"read_hits", "write_hits"},
	     {"read_misses", "write_misses"},
	     0},
	    {CACHECOUNT_BCACHE,
	     {"cache_hits", "cache_hits"},
	     {"cache_misses", "cache_misses"},
	     CACHECOUNT_BCACHE_SPAN_NS},
	    {CACHECOUNT_ARC,
	     {"demand_data_hits", NULL},
	     {"demand_data_misses", NULL},
	     0},
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		double hits, misses;

		if (!ways[i].hits[writes] || span_ns < ways[i].span_ns)
			continue;
		hits = rise(before, after, ways[i].kind, ways[i].hits[writes]);
		misses =
		    rise(before, after, ways[i].kind, ways[i].misses[writes]);
		/* A counter that was reset between tells nothing. */
		if (!(hits >= 0 && misses >= 0 && hits + misses > 0))
			continue;
		*out_kind = ways[i].kind;
		return 100 * hits / (hits + misses);
	}
	return NAN;
}
