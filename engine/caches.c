#include "engine/caches.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cold.h"
#include "engine/counters.h"
#include "engine/pagecache.h"
#include "engine/warm.h"
#include "engine/warmpass.h"

/* Of the region in the page cache, to count as there. */
#define THERE_PCT 99

int caches_init(struct caches *c, const struct measure_opts *opts,
		const struct target *targets, uint32_t target_count)
{
	c->opts = opts;
	c->targets = targets;
	c->target_count = target_count;
	c->warm = calloc(target_count + (size_t)1, sizeof(*c->warm));
	return c->warm ? 0 : -ENOMEM;
}

void caches_fini(struct caches *c)
{
	free(c->warm);
	memset(c, 0, sizeof(*c));
}

void caches_forget(struct caches *c)
{
	c->read_target = NULL;
}

static bool is_storage(const struct caches_visit *v)
{
	return v->target->kind == TARGET_FILE ||
	       v->target->kind == TARGET_DEVICE;
}

static bool through_page_cache(const struct caches_visit *v)
{
	return (v->point->cache == CACHE_BUFFERED ||
		v->point->cache == CACHE_DSYNC) &&
	       is_storage(v);
}

/* Pushed out of the page cache meanwhile, as a memory cgroup does; false where
 * that cannot be told. */
static bool has_left(int fd, uint64_t region)
{
	return pagecache_resident_pct(fd, region) < THERE_PCT;
}

/*
 * Points through the page cache find the region in it, or as much of it as
 * memory holds. The pass is spared when the last one was the same and nothing
 * has gone past the cache since.
 */
static int read_once(struct caches *c, struct caches_visit *v, struct err *err)
{
	uint64_t memory = counters_memory_available();
	uint64_t region = v->region_bytes;
	bool there;
	int ret;

	if (!through_page_cache(v)) {
		/* Direct writes throw their blocks out of the cache. */
		if (point_writes(v->point) && c->read_target == v->target)
			caches_forget(c);
		return 0;
	}
	there = c->read_target == v->target && c->read_bytes >= region &&
		!has_left(v->fd, region);
	snprintf(v->note, sizeof(v->note), "%s%s",
		 there ? "in the page cache since an earlier point"
		       : "read into the page cache before",
		 region > memory ? ", as far as memory holds it" : "");
	if (there)
		return 0;
	caches_forget(c);
	ret = warm_read(v->fd, region < memory ? region : memory, c->opts, err);
	if (ret < 0)
		return ret;
	c->read_target = v->target;
	c->read_bytes = region;
	return 0;
}

static void make_cold(struct caches *c, struct caches_visit *v)
{
	double left;

	if (!is_storage(v))
		return;
	left = cold_drop(v->target, v->fd, v->region_bytes);
	caches_forget(c);
	v->cold_left_pct = left;
	if (isnan(left)) {
		v->reached = REACHED_UNKNOWN;
		snprintf(v->note, sizeof(v->note),
			 "cold: dropped as far as permitted, what is left is "
			 "not known");
	} else if (left >= COLD_LEFT_PCT) {
		v->reached = REACHED_NO;
		snprintf(v->note, sizeof(v->note),
			 "not cold: %.0f%% is still in the page cache", left);
	} else {
		v->reached = REACHED_YES;
		snprintf(v->note, sizeof(v->note), "cold: page cache dropped");
	}
}

static void note_warm(struct caches_visit *v, const struct warm_outcome *out)
{
	char hit[32] = "";

	if (!isnan(out->hit_pct))
		snprintf(hit, sizeof(hit), ", hit %.1f%%", out->hit_pct);
	snprintf(v->note, sizeof(v->note),
		 out->converged ? "warm: %" PRIu32 " passes%s"
				: "not warm: still changing after %" PRIu32
				  " passes%s",
		 out->passes, hit);
}

/* The last warm-up holds for the same region again, and for a part of it where
 * the cache held it whole; else what was read last is what the cache kept. */
static bool holds(const struct caches_warm *last, uint64_t region)
{
	return last->bytes == region || (last->bytes > region && last->whole);
}

static void tell_warm(struct caches_visit *v, const struct caches_warm *w)
{
	v->warm_passes = w->passes;
	v->reached = w->converged ? REACHED_YES : REACHED_NO;
}

/* Once, until the visits go to another variant or a region beyond it. */
static int make_warm(struct caches *c, struct caches_visit *v, struct err *err)
{
	struct caches_warm *last =
	    &c->warm[v->target - c->targets][through_page_cache(v)];
	uint32_t align = target_alignment(v->target, v->point->cache);
	const struct warm_asked asked = {
	    .target = v->target,
	    .fd = v->fd,
	    .bytes = v->region_bytes / align * align,
	    .point = v->point,
	    .round = v->round,
	};
	struct warm_outcome out;
	int ret;

	if (!is_storage(v))
		return 0;
	if (holds(last, v->region_bytes)) {
		snprintf(v->note, sizeof(v->note),
			 "%swarm since an earlier "
			 "point",
			 last->converged ? "" : "not ");
		tell_warm(v, last);
		return 0;
	}
	ret = warm_until_steady(&asked, c->opts, &out, err);
	if (ret < 0)
		return ret;
	note_warm(v, &out);
	*last = (struct caches_warm){
	    .bytes = v->region_bytes,
	    .passes = out.passes,
	    .converged = out.converged,
	    .whole = out.hit_pct >= WARM_FULL_PCT,
	};
	tell_warm(v, last);
	return 0;
}

/* What was warm when the visits left a variant may have been evicted. */
static void follow_variant(struct caches *c, const struct point *p)
{
	if (c->variant && !strcmp(c->variant, p->variant))
		return;
	c->variant = p->variant;
	caches_forget(c);
	memset(c->warm, 0, c->target_count * sizeof(*c->warm));
}

int caches_prepare(struct caches *c, struct caches_visit *v, struct err *err)
{
	v->note[0] = '\0';
	v->reached = REACHED_NOT_ASKED;
	v->cold_left_pct = v->warm_passes = NAN;
	follow_variant(c, v->point);
	switch (v->point->state) {
	case STATE_COLD:
		make_cold(c, v);
		return 0;
	case STATE_WARM:
		return make_warm(c, v, err);
	case STATE_UNSAID:
		return read_once(c, v, err);
	case STATE_AS_IS:
	case STATE_COUNT:
		break;
	}
	return 0;
}
