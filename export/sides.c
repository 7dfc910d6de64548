#include "export/sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/strings.h"
#include "export/group.h"

struct sides_run {
	uint32_t *group_of; /* sweep group of each point */
	uint32_t group_count;
	struct point *groups; /* the first point of each, variant as here */
	uint32_t *first;      /* its number in the run */
	uint32_t *side_of;    /* of each group */
};

/* Words for storage without its cache: 2; with it: -2; other names: 0. */
static int cache_word(const char *variant)
{
	static const char *const without[] = {
	    "baseline",	  "base",	"before",    "uncached",
	    "not cached", "not-cached", "no cache",  "no-cache",
	    "nocache",	  "cache off",	"cache-off",
	};
	size_t i;

	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (strcasecmp(variant, without[i]) == 0)
			return 2;
	return strcasestr(variant, "cache") ? -2 : 0;
}

static bool goes_past_page_cache(enum cache_mode mode)
{
	return mode == CACHE_DIRECT || mode == CACHE_DIRECT_DSYNC;
}

/* The more, the better a side is as the one to compare with. */
static int base_score(const struct point *p)
{
	return cache_word(p->variant) +
	       (goes_past_page_cache(p->cache) ? 1 : 0);
}

static bool is_cached_of(const struct point *base, const struct point *other)
{
	return cache_word(base->variant) > 0 ||
	       cache_word(other->variant) < 0 ||
	       (goes_past_page_cache(base->cache) &&
		!goes_past_page_cache(other->cache));
}

bool sides_contrast(const struct side *a, const struct side *b)
{
	return cache_word(a->point.variant) * cache_word(b->point.variant) < 0;
}

static bool same_side(const struct sides *s, const struct point *a,
		      const struct point *b)
{
	return a->cache == b->cache && a->engine == b->engine &&
	       strcmp(a->variant, b->variant) == 0 &&
	       (!s->by_target || strcmp(a->target, b->target) == 0);
}

/* The groups of one run, named by their first points. */
static int find_groups(const struct run *run, struct sides_run *out)
{
	size_t room = run->point_count + (size_t)1;
	int count;
	uint32_t i;

	out->group_of = calloc(room, sizeof(*out->group_of));
	if (!out->group_of)
		return -ENOMEM;
	count = group_by_sweep(run->points, run->point_count, out->group_of);
	if (count < 0)
		return count;
	out->groups = calloc((size_t)count + 1, sizeof(*out->groups));
	out->first = calloc((size_t)count + 1, sizeof(*out->first));
	out->side_of = calloc((size_t)count + 1, sizeof(*out->side_of));
	if (!out->groups || !out->first || !out->side_of)
		return -ENOMEM;
	/* Numbered by first appearance. */
	for (i = 0; i < run->point_count; i++)
		if (out->group_of[i] == out->group_count) {
			out->first[out->group_count] = i;
			out->groups[out->group_count++] = run->points[i];
		}
	return 0;
}

/* Does a group of this run look like one of an earlier run? */
static bool looks_like_earlier(const struct sides *s, uint32_t run)
{
	const struct sides_run *r = &s->groups[run];
	uint32_t i, j, k;

	for (i = 0; i < r->group_count; i++)
		for (j = 0; j < run; j++)
			for (k = 0; k < s->groups[j].group_count; k++) {
				const struct point *a = &r->groups[i];
				const struct point *b = &s->groups[j].groups[k];

				if (a->workload.threads ==
					b->workload.threads &&
				    group_same_sweep(a, b))
					return true;
			}
	return false;
}

/* What a group's points are called here; number > 1 where an earlier run says
 * the same. NULL when out of memory. */
static const char *variant_in_set(struct sides *s, const struct run *run,
				  const struct point *p, unsigned number)
{
	const char *name = p->variant[0] ? p->variant : run->label;
	const char *kept;
	char *text;

	if (number <= 1)
		return name;
	if (asprintf(&text, "%s (%u)", name, number) < 0)
		return NULL;
	kept = strings_keep(s->strings, text);
	free(text);
	return kept;
}

static int name_variants(struct sides *s, uint32_t run)
{
	const struct run *from = s->runs[run];
	struct sides_run *r = &s->groups[run];
	unsigned number = 0;
	uint32_t i;

	do {
		number++;
		for (i = 0; i < r->group_count; i++) {
			const struct point *p = &from->points[r->first[i]];

			r->groups[i].variant =
			    variant_in_set(s, from, p, number);
			if (!r->groups[i].variant)
				return -ENOMEM;
		}
	} while (looks_like_earlier(s, run));
	return 0;
}

static uint32_t find_side(const struct sides *s, const struct point *p)
{
	uint32_t i;

	for (i = 0; i < s->count; i++)
		if (same_side(s, &s->sides[i].point, p))
			break;
	return i;
}

/* How many sides and groups there are at the most. */
static size_t count_groups(const struct sides *s)
{
	size_t count = 0;
	uint32_t i;

	for (i = 0; i < s->run_count; i++)
		count += s->groups[i].group_count;
	return count;
}

static void gather(struct sides *s)
{
	uint32_t i, k;

	s->count = 0;
	for (i = 0; i < s->run_count; i++)
		for (k = 0; k < s->groups[i].group_count; k++) {
			const struct point *p = &s->groups[i].groups[k];
			uint32_t at = find_side(s, p);
			struct side *side = &s->sides[at];

			if (at == s->count) {
				s->count++;
				*side = (struct side){.point = *p,
						      .run = s->runs[i],
						      .single_target = true};
			} else if (strcmp(side->point.target, p->target)) {
				side->single_target = false;
			}
		}
}

static void number_groups(struct sides *s)
{
	uint32_t i, k;

	for (i = 0; i < s->run_count; i++)
		for (k = 0; k < s->groups[i].group_count; k++)
			s->groups[i].side_of[k] =
			    find_side(s, &s->groups[i].groups[k]);
}

static int label_sides(struct sides *s)
{
	struct point *points = calloc(s->count + (size_t)1, sizeof(*points));
	struct label_axes all, axes = {.variant = false};
	uint32_t i;

	if (!points)
		return -ENOMEM;
	for (i = 0; i < s->count; i++)
		points[i] = s->sides[i].point;
	label_axes_find(points, s->count, &all);
	axes.variant = all.variant;
	axes.cache = all.cache;
	axes.engine = all.engine;
	axes.target = s->by_target && all.target;
	axes.target_parts = all.target_parts;
	for (i = 0; i < s->count; i++)
		label_side(&axes, &points[i], s->sides[i].label,
			   sizeof(s->sides[i].label));
	free(points);
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_called(const struct side *side, const char *name)
{
	const char *folder = side->run->folder ? side->run->folder : "";

	return !strcmp(side->label, name) ||
	       !strcmp(side->point.variant, name) ||
	       !strcmp(cache_mode_name(side->point.cache), name) ||
	       !strcmp(folder, name) || !strcmp(last_part(folder), name);
}

static void list_labels(const struct sides *s, char *buf, size_t size)
{
	size_t len = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < s->count && len + 1 < size; i++)
		len += (size_t)snprintf(
		    buf + len, size - len, "%s'%s'", i ? ", " : "",
		    s->sides[i].label[0] ? s->sides[i].label
					 : s->sides[i].point.variant);
}

/* The exact label wins over the other names. */
static int find_named(const struct sides *s, const char *name, uint32_t *out,
		      struct err *err)
{
	uint32_t found = 0, i;
	char labels[512];

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->sides[i].label, name)) {
			*out = i;
			return 0;
		}
	for (i = 0; i < s->count; i++)
		if (is_called(&s->sides[i], name)) {
			*out = i;
			found++;
		}
	if (found == 1)
		return 0;
	list_labels(s, labels, sizeof(labels));
	return err_usage(err,
			 "--base: '%s' names %s of the sides; there are %s",
			 name, found ? "several" : "none", labels);
}

static uint32_t find_best(const struct sides *s, bool of_first_run)
{
	uint32_t best = 0, i;

	for (i = 1; i < s->count; i++)
		if ((!of_first_run || s->sides[i].run == s->runs[0]) &&
		    base_score(&s->sides[i].point) >
			base_score(&s->sides[best].point))
			best = i;
	return best;
}

static void base_to_front(struct sides *s, uint32_t base)
{
	struct side side = s->sides[base];
	uint32_t i;

	memmove(&s->sides[1], &s->sides[0], base * sizeof(side));
	s->sides[0] = side;
	for (i = 1; i < s->count; i++)
		s->cache_effect |=
		    is_cached_of(&side.point, &s->sides[i].point);
}

static int arrange(struct sides *s, const struct sides_opts *opts,
		   struct err *err)
{
	uint32_t base;
	int rc;

	s->sides = calloc(count_groups(s) + 1, sizeof(*s->sides));
	if (!s->sides)
		return -ENOMEM;
	s->ordered = opts && opts->ordered;
	gather(s);
	if (s->ordered && s->count == 1) {
		s->by_target = true;
		gather(s);
	}
	rc = label_sides(s);
	if (rc)
		return rc;
	base = find_best(s, s->ordered);
	if (opts && opts->base)
		rc = find_named(s, opts->base, &base, err);
	if (rc)
		return rc;
	base_to_front(s, base);
	number_groups(s);
	return 0;
}

int sides_find(const struct run *const *runs, uint32_t run_count,
	       const struct sides_opts *opts, struct sides *out,
	       struct err *err)
{
	struct sides s = {.runs = runs, .run_count = run_count};
	int rc = 0;
	uint32_t i;

	s.groups = calloc(run_count + (size_t)1, sizeof(*s.groups));
	s.strings = strings_new();
	if (!s.groups || !s.strings)
		rc = -ENOMEM;
	for (i = 0; !rc && i < run_count; i++) {
		rc = find_groups(runs[i], &s.groups[i]);
		if (!rc)
			rc = name_variants(&s, i);
	}
	if (!rc)
		rc = arrange(&s, opts, err);
	if (rc == -ENOMEM)
		err_failed(err, ENOMEM, "out of memory for the comparison");
	if (rc)
		sides_free(&s);
	else
		*out = s;
	return rc;
}

void sides_free(struct sides *s)
{
	uint32_t i;

	for (i = 0; s->groups && i < s->run_count; i++) {
		free(s->groups[i].group_of);
		free(s->groups[i].groups);
		free(s->groups[i].first);
		free(s->groups[i].side_of);
	}
	free(s->groups);
	free(s->sides);
	strings_free(s->strings);
	memset(s, 0, sizeof(*s));
}

uint32_t sides_of(const struct sides *s, uint32_t run, uint32_t point)
{
	const struct sides_run *r = &s->groups[run];

	return r->side_of[r->group_of[point]];
}

const char *sides_variant(const struct sides *s, uint32_t run, uint32_t point)
{
	const struct sides_run *r = &s->groups[run];

	return r->groups[r->group_of[point]].variant;
}

uint32_t sides_group(const struct sides *s, uint32_t run, uint32_t point)
{
	return s->groups[run].group_of[point];
}
