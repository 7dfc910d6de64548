#include "engine/flow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/capture.h"
#include "engine/clock.h"
#include "engine/held.h"
#include "engine/pagecache.h"

/* Names and values of a user's command. */
#define PROBE_TEXT_MAX 16384

static const char *const source_names[HIT_SOURCE_COUNT] = {
    [HIT_UNKNOWN] = "",
    [HIT_DEVICES] = "device counters",
    [HIT_PROBE] = "probe",
    [HIT_DM_CACHE] = "dm-cache",
    [HIT_BCACHE] = "bcache",
    [HIT_ARC] = "zfs arc",
    [HIT_PAGE_CACHE] = "page cache",
};

const char *hit_source_name(enum hit_source source)
{
	return (unsigned)source < HIT_SOURCE_COUNT ? source_names[source]
						   : NULL;
}

int hit_source_from_name(const char *name, enum hit_source *out)
{
	int i;

	for (i = HIT_DEVICES; i < HIT_SOURCE_COUNT; i++) {
		if (strcmp(source_names[i], name))
			continue;
		*out = (enum hit_source)i;
		return 0;
	}
	return -EINVAL;
}

static void run_probe(const char *command, struct cachecounts *out)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	char text[PROBE_TEXT_MAX];

	if (capture_run(argv, CAPTURE_LIMIT_NS, text, sizeof(text)) == 0)
		cachecount_parse_lines(text, out);
}

static void read_counts(const struct flow *f, const char *fs,
			struct cachecounts *out)
{
	static const struct cachecount_roots roots = {"/sys", "/proc"};

	out->count = 0;
	cachecount_read(&roots, &f->stack, fs, out);
	if (f->opts.probe)
		run_probe(f->opts.probe, out);
}

static bool is_storage(const struct target *t)
{
	return t->kind == TARGET_FILE || t->kind == TARGET_DEVICE;
}

void flow_begin(struct flow *f, const struct target *t, const struct point *p,
		int fd, uint64_t region_bytes, struct visit *v)
{
	memset(f->known, 0, sizeof(f->known));
	f->disk_ns[0] = f->disk_ns[1] = 0;
	/* Caches come and go between visits. */
	stack_load("/sys", is_storage(t) ? t->device : 0, &f->stack);
	if (f->opts.watch)
		stack_watch(&f->stack, f->opts.watch);
	snprintf(f->fs, sizeof(f->fs), "%s", t->fs);
	if (is_storage(t))
		v->resident_before_pct =
		    pagecache_resident_pct(fd, region_bytes);
	f->held_before_pct = held_pct(t, p->cache, fd, region_bytes);
	read_counts(f, f->fs, &f->before);
	f->before_ns = clock_now_ns();
}

void flow_read_disks(struct flow *f, int edge)
{
	dev_t devices[STACK_DEVICES_MAX];
	uint32_t i;

	for (i = 0; i < f->stack.count; i++)
		devices[i] = f->stack.device[i].dev;
	if (f->stack.count)
		counters_disks("/proc/diskstats", devices, f->stack.count,
			       f->disk[edge], f->known[edge]);
	f->disk_ns[edge] = clock_now_ns();
}

/* ---- what the disks moved ---- */

struct moved {
	double read_bytes, write_bytes, read_ios, write_ios, weighted_ms;
};

/* Scaled to the window, since the edges are read by some milliseconds late on
 * a busy machine. False where it is not known. */
static bool moved(const struct flow *f, uint32_t i, uint64_t window_ns,
		  struct moved *out)
{
	const struct counters_disk *a = &f->disk[0][i], *b = &f->disk[1][i];
	double scale =
	    (double)window_ns / (double)(f->disk_ns[1] - f->disk_ns[0]);

	if (!f->known[0][i] || !f->known[1][i] ||
	    f->disk_ns[1] <= f->disk_ns[0])
		return false;
	out->read_bytes = (double)(b->read_bytes - a->read_bytes) * scale;
	out->write_bytes = (double)(b->write_bytes - a->write_bytes) * scale;
	out->read_ios = (double)(b->read_ios - a->read_ios) * scale;
	out->write_ios = (double)(b->write_ios - a->write_ios) * scale;
	out->weighted_ms = (double)(b->weighted_ms - a->weighted_ms) * scale;
	return true;
}

static void put_device(struct visit *v, const struct stack_device *d,
		       const struct moved *m)
{
	const char *role = stack_role_name(d->role);

	visit_add_counter(v, role, d->name, "read_bytes", round(m->read_bytes));
	visit_add_counter(v, role, d->name, "write_bytes",
			  round(m->write_bytes));
	visit_add_counter(v, role, d->name, "read_ios", round(m->read_ios));
	visit_add_counter(v, role, d->name, "write_ios", round(m->write_ios));
	visit_add_counter(v, role, d->name, "weighted_ms",
			  round(m->weighted_ms));
}

static void fill_devices(const struct flow *f, uint64_t window_ns,
			 struct visit *v)
{
	double reads = 0, writes = 0;
	bool complete = f->stack.is_complete;
	struct moved m;
	uint32_t i;

	for (i = 0; i < f->stack.count; i++) {
		const struct stack_device *d = &f->stack.device[i];
		bool known = moved(f, i, window_ns, &m);

		if (known)
			put_device(v, d, &m);
		if (!d->is_origin)
			continue;
		complete &= known;
		reads += known ? m.read_bytes : 0;
		writes += known ? m.write_bytes : 0;
	}
	if (!complete)
		return;
	v->origin_read_bytes = reads;
	v->origin_write_bytes = writes;
}

/* ---- hits ---- */

static const enum hit_source source_of[CACHECOUNT_KIND_COUNT] = {
    [CACHECOUNT_BCACHE] = HIT_BCACHE,
    [CACHECOUNT_DM] = HIT_DM_CACHE,
    [CACHECOUNT_ARC] = HIT_ARC,
    [CACHECOUNT_PROBE] = HIT_PROBE,
};

/* Bytes of ours that came to the lowest devices: no more than the target's own
 * let through. What they moved beyond is readahead on the way, or others'. */
static double reached(const struct visit *v, enum direction d)
{
	if (d == DIR_READ)
		return fmin(v->origin_read_bytes, v->device_read_bytes);
	return fmin(v->origin_write_bytes, v->device_write_bytes);
}

/* Of the reads where there are any, else of the writes: a mix would call
 * every write that goes through a miss. */
static void fill_hits(const struct flow *f, const struct point *p,
		      double held_after_pct, uint64_t span_ns, struct visit *v)
{
	enum direction d = point_reads(p) ? DIR_READ : DIR_WRITE;
	enum cachecount_kind kind = CACHECOUNT_PROBE;

	v->hit_pct = cachecount_hit_pct(&f->before, &f->after, d == DIR_WRITE,
					span_ns, &kind);
	v->hit_source = source_of[kind];
	if (!isnan(v->hit_pct))
		return;
	if (d == DIR_READ && f->held_before_pct >= 100 &&
	    held_after_pct >= 100) {
		v->hit_pct = 100;
		v->hit_source = HIT_PAGE_CACHE;
		return;
	}
	if (isfinite(v->origin_read_bytes))
		v->hit_pct = 100 * (1 - reached(v, d) / (double)v->bytes[d]);
	v->hit_source = HIT_DEVICES;
	if (isfinite(v->hit_pct))
		return;
	v->hit_pct = NAN;
	v->hit_source = HIT_UNKNOWN;
}

static void put_counts(const struct flow *f, struct visit *v)
{
	uint32_t i;

	for (i = 0; i < f->after.count; i++) {
		const struct cachecount *c = &f->after.at[i];
		double delta = cachecount_delta(&f->before, c);
		char after[CACHECOUNT_NAME_MAX + 8];
		const char *role =
		    c->kind == CACHECOUNT_PROBE ? "probe" : "counter";

		visit_add_counter(v, role, c->source, c->name, delta);
		snprintf(after, sizeof(after), "%s_after", c->name);
		visit_add_counter(v, role, c->source, after, c->value);
	}
}

void flow_end(struct flow *f, const struct target *t, const struct point *p,
	      int fd, uint64_t region_bytes, uint64_t window_ns,
	      struct visit *v)
{
	double held = held_pct(t, p->cache, fd, region_bytes);
	uint64_t span_ns;

	read_counts(f, f->fs, &f->after);
	span_ns = clock_now_ns() - f->before_ns;
	if (!isnan(v->resident_before_pct))
		v->resident_after_pct =
		    pagecache_resident_pct(fd, region_bytes);
	fill_devices(f, window_ns, v);
	put_counts(f, v);
	fill_hits(f, p, held, span_ns, v);
}
