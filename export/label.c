#include "export/label.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"

/* The last parts of a path, the whole where it has no more. A slash at the
 * end belongs to the last part. */
static const char *last_parts(const char *path, unsigned parts)
{
	const char *c = path + strlen(path);

	if (c > path && c[-1] == '/')
		c--;
	while (c > path) {
		if (c[-1] == '/' && !--parts)
			return c;
		c--;
	}
	return path;
}

/* Points of one target lie together, so that looking where it changes is
 * enough. */
static bool begins_target(const struct point *points, uint32_t i)
{
	return i == 0 || strcmp(points[i - 1].target, points[i].target) != 0;
}

static bool confuses(const struct point *points, uint32_t i, unsigned parts)
{
	const char *target = points[i].target;
	uint32_t k;

	for (k = 0; k < i; k++)
		if (begins_target(points, k) &&
		    strcmp(points[k].target, target) != 0 &&
		    !strcmp(last_parts(points[k].target, parts),
			    last_parts(target, parts)))
			return true;
	return false;
}

static unsigned find_target_parts(const struct point *points, uint32_t count)
{
	unsigned parts = 1;
	uint32_t i;

	for (i = 1; i < count; i++)
		while (begins_target(points, i) && confuses(points, i, parts))
			parts++;
	return parts;
}

void label_axes_find(const struct point *points, uint32_t count,
		     struct label_axes *out)
{
	uint32_t i;

	memset(out, 0, sizeof(*out));
	for (i = 1; i < count; i++) {
		const struct point *a = &points[0], *b = &points[i];

		out->variant |= strcmp(a->variant, b->variant) != 0;
		out->cache |= a->cache != b->cache;
		out->target |= strcmp(a->target, b->target) != 0;
		out->engine |= a->engine != b->engine;
		out->threads |= a->workload.threads != b->workload.threads;
		out->working_set |= a->workload.working_set_bytes !=
				    b->workload.working_set_bytes;
	}
	out->target_parts = out->target ? find_target_parts(points, count) : 1;
}

static void append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	if (!text[0] || len + 1 >= size)
		return;
	snprintf(buf + len, size - len, "%s%s", len ? ", " : "", text);
}

static void append_side(const struct label_axes *axes, const struct point *p,
			char *buf, size_t size)
{
	if (axes->target)
		append(buf, size,
		       last_parts(p->target,
				  axes->target_parts ? axes->target_parts : 1));
	if (axes->variant)
		append(buf, size, p->variant);
	if (axes->cache)
		append(buf, size, cache_mode_name(p->cache));
	if (axes->engine)
		append(buf, size, engine_kind_name(p->engine));
}

char *label_side(const struct label_axes *axes, const struct point *p,
		 char *buf, size_t size)
{
	buf[0] = '\0';
	append_side(axes, p, buf, size);
	return buf;
}

char *label_threads(uint32_t threads, char buf[LABEL_THREADS_MAX])
{
	snprintf(buf, LABEL_THREADS_MAX, "%u %s", threads,
		 threads == 1 ? "thread" : "threads");
	return buf;
}

char *label_group(const struct label_axes *axes, const struct point *p,
		  char *buf, size_t size)
{
	char text[64], threads[LABEL_THREADS_MAX];
	char number[UNITS_TEXT_MAX];

	point_workload_name(p, buf, size);
	/* A named section tells its threads itself. */
	if (axes->threads && !p->section[0])
		append(buf, size, label_threads(p->workload.threads, threads));
	if (axes->working_set) {
		snprintf(text, sizeof(text), "working set %s",
			 p->workload.working_set_bytes
			     ? units_format_size(number,
						 p->workload.working_set_bytes)
			     : "whole");
		append(buf, size, text);
	}
	append_side(axes, p, buf, size);
	return buf;
}
