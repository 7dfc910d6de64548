#include "engine/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const cache_names[CACHE_COUNT] = {
    [CACHE_DIRECT] = "direct",
    [CACHE_BUFFERED] = "buffered",
    [CACHE_DSYNC] = "dsync",
    [CACHE_DIRECT_DSYNC] = "direct+dsync",
};

static const char *const engine_names[ENGINE_COUNT] = {
    [ENGINE_AUTO] = "auto",	[ENGINE_IO_URING] = "io_uring",
    [ENGINE_LIBAIO] = "libaio", [ENGINE_SYNC] = "sync",
    [ENGINE_NULL] = "null",	[ENGINE_SIM] = "sim",
};

static const char *const state_names[STATE_COUNT] = {
    [STATE_UNSAID] = "",
    [STATE_AS_IS] = "as-is",
    [STATE_COLD] = "cold",
    [STATE_WARM] = "warm",
};

static int name_index(const char *const *names, int count, const char *name)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -EINVAL;
}

const char *cache_mode_name(enum cache_mode mode)
{
	return (unsigned)mode < CACHE_COUNT ? cache_names[mode] : NULL;
}

const char *engine_kind_name(enum engine_kind kind)
{
	return (unsigned)kind < ENGINE_COUNT ? engine_names[kind] : NULL;
}

const char *cache_state_name(enum cache_state state)
{
	return (unsigned)state < STATE_COUNT ? state_names[state] : NULL;
}

int cache_mode_from_name(const char *name, enum cache_mode *out)
{
	int i = name_index(cache_names, CACHE_COUNT, name);

	if (i < 0)
		return i;
	*out = (enum cache_mode)i;
	return 0;
}

int engine_kind_from_name(const char *name, enum engine_kind *out)
{
	int i = name_index(engine_names, ENGINE_COUNT, name);

	if (i < 0)
		return i;
	*out = (enum engine_kind)i;
	return 0;
}

#define THREE_WAY(a, b) (((a) > (b)) - ((a) < (b)))

int workload_compare_name(const struct workload *a, const struct workload *b)
{
	const struct stream *s = &a->stream, *t = &b->stream;
	int d = THREE_WAY(s->read_pct, t->read_pct);

	if (!d)
		d = THREE_WAY(s->random_pct, t->random_pct);
	if (!d)
		d = distribution_compare(&s->distribution, &t->distribution);
	return d ? d : THREE_WAY(a->rate_iops, b->rate_iops);
}

int workload_compare_sweep(const struct workload *a, const struct workload *b)
{
	int d = workload_compare_name(a, b);

	return d ? d : THREE_WAY(a->working_set_bytes, b->working_set_bytes);
}

bool workload_same(const struct workload *a, const struct workload *b)
{
	return workload_compare_sweep(a, b) == 0 &&
	       a->stream.block_size_bytes == b->stream.block_size_bytes &&
	       a->threads == b->threads && a->queue_depth == b->queue_depth;
}

int cache_state_from_name(const char *name, enum cache_state *out)
{
	int i = name_index(state_names, STATE_COUNT, name);

	if (i < 0)
		return i;
	*out = (enum cache_state)i;
	return 0;
}

uint32_t point_outstanding(const struct point *p)
{
	return p->workload.threads * p->workload.queue_depth;
}

bool point_reads(const struct point *p)
{
	return p->workload.stream.read_pct > 0;
}

bool point_writes(const struct point *p)
{
	return p->workload.stream.read_pct < 100;
}

int point_pair_key(const struct point *p, char *buf, size_t size)
{
	const struct workload *w = &p->workload;
	const struct distribution *d = &w->stream.distribution;
	char name[DISTRIBUTION_NAME_MAX] = "";
	char rate[32] = "";

	if (w->rate_iops)
		snprintf(rate, sizeof(rate), " rate=%" PRIu32, w->rate_iops);
	if (d->kind != DISTRIBUTION_UNIFORM)
		distribution_name(d, name);
	return snprintf(buf, size,
			"bs=%" PRIu64 " read=%g random=%g ws=%" PRIu64
			" t=%" PRIu32 " qd=%" PRIu32 "%s%s%s",
			w->stream.block_size_bytes, w->stream.read_pct,
			w->stream.random_pct, w->working_set_bytes, w->threads,
			w->queue_depth, name[0] ? " dist=" : "", name, rate);
}

int point_full_key(const struct point *p, char *buf, size_t size)
{
	char pair[POINT_KEY_MAX];

	point_pair_key(p, pair, sizeof(pair));
	return snprintf(buf, size, "%s cache=%s engine=%s%s%s %s|%s|%s", pair,
			cache_mode_name(p->cache), engine_kind_name(p->engine),
			p->state ? " state=" : "", cache_state_name(p->state),
			p->variant, p->section, p->target);
}

/* Finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t point_hot_key(uint64_t run_seed)
{
	return mix64(run_seed ^ 0xd1b54a32d192ed03u);
}

uint64_t point_seed(const struct point *p, uint64_t run_seed, uint32_t round)
{
	char key[POINT_KEY_MAX];
	uint64_t hash = mix64(run_seed + 0x9e3779b97f4a7c15u);
	const char *c;

	point_pair_key(p, key, sizeof(key));
	for (c = key; *c; c++)
		hash = mix64(hash ^ (unsigned char)*c);
	return mix64(hash ^ ((uint64_t)round << 32));
}

/* As part of a name: ", Zipf 1.1"; "" for uniform. */
static void distribution_words(const struct distribution *d, char *buf,
			       size_t size)
{
	switch (d->kind) {
	case DISTRIBUTION_UNIFORM:
		buf[0] = '\0';
		break;
	case DISTRIBUTION_ZIPF:
		snprintf(buf, size, ", Zipf %g", d->theta);
		break;
	case DISTRIBUTION_HOT:
		snprintf(buf, size, ", %g%% to %g%%", d->hot_ios_pct,
			 d->hot_blocks_pct);
		break;
	}
}

/* As part of a name: ", 500 IOPS"; "" without a rate. */
static void rate_words(uint32_t rate_iops, char *buf, size_t size)
{
	buf[0] = '\0';
	if (rate_iops)
		snprintf(buf, size, ", %" PRIu32 " IOPS", rate_iops);
}

char *point_workload_name(const struct point *p, char *buf, size_t size)
{
	const struct stream *s = &p->workload.stream;
	char rate[32];
	char pattern[32];
	char what[32];
	char drawn[64];

	distribution_words(&s->distribution, drawn, sizeof(drawn));
	rate_words(p->workload.rate_iops, rate, sizeof(rate));
	if (p->section[0]) {
		snprintf(buf, size, "%s%s%s", p->section, drawn, rate);
		return buf;
	}
	if (s->random_pct <= 0)
		snprintf(pattern, sizeof(pattern), "Sequential");
	else if (s->random_pct >= 100)
		snprintf(pattern, sizeof(pattern), "Random");
	else
		snprintf(pattern, sizeof(pattern), "%g%% random",
			 s->random_pct);
	if (s->read_pct >= 100)
		snprintf(what, sizeof(what), "read");
	else if (s->read_pct <= 0)
		snprintf(what, sizeof(what), "write");
	else
		snprintf(what, sizeof(what), "%g%% read", s->read_pct);
	snprintf(buf, size, "%s %s%s%s", pattern, what, drawn, rate);
	return buf;
}
