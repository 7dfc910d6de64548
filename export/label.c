#include "export/label.h"

#include <stdio.h>
#include <string.h>

#include "engine/units.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
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
		append(buf, size, base_name(p->target));
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

char *label_group(const struct label_axes *axes, const struct point *p,
		  char *buf, size_t size)
{
	char text[64];
	char number[UNITS_TEXT_MAX];

	point_workload_name(p, buf, size);
	/* A named section tells its threads itself. */
	if (axes->threads && !p->section[0]) {
		snprintf(text, sizeof(text), "%u threads", p->workload.threads);
		append(buf, size, text);
	}
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
