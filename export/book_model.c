#include "export/book_configs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool same_workload(const struct point *a, const struct point *b)
{
	return strcmp(a->section, b->section) == 0 &&
	       workload_compare_name(&a->workload, &b->workload) == 0;
}

static const struct sweetspot *spot_of(const struct sweetspot_list *list,
				       const struct point *group)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (list->spots[i].group == group)
			return &list->spots[i];
	return NULL;
}

static int add_run(struct book_model *m, uint32_t index)
{
	const struct run *run = m->runs[index];
	struct grid_list *grids = &m->grids[index];
	struct sweetspot_list *spots = &m->spots[index];
	struct book_group *grown;
	uint32_t i;

	if (grid_build(run, grids) ||
	    sweetspot_find(run, m->opts ? m->opts->limit : NULL, spots))
		return -ENOMEM;
	grown = realloc(m->groups,
			(m->group_count + grids->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->groups = grown;
	for (i = 0; i < grids->count; i++) {
		struct book_group *g = &m->groups[m->group_count++];
		uint32_t at = (uint32_t)(grids->grids[i].group - run->points);

		memset(g, 0, sizeof(*g));
		g->run = run;
		g->grid = &grids->grids[i];
		g->spot = spot_of(spots, g->grid->group);
		g->point = *g->grid->group;
		g->point.variant = sides_variant(&m->compare.sides, index, at);
		g->side = sides_of(&m->compare.sides, index, at);
	}
	return 0;
}

/* A section's own name stays; "Random read" becomes "random read". */
static void lower_name(struct book_workload *w)
{
	memcpy(w->lower, w->name, sizeof(w->lower));
	if (!w->point->section[0])
		w->lower[0] = (char)tolower((unsigned char)w->lower[0]);
}

struct point book_shown(struct book_model *m, const struct point *p)
{
	struct point shown = *p;

	shown.variant = shortnames_get(&m->shortnames, p->variant);
	shown.section = shortnames_get(&m->shortnames, p->section);
	return shown;
}

static const struct theme *theme_of(const struct book_model *m)
{
	return m->opts ? m->opts->theme : NULL;
}

const char *book_word(const struct book_model *m, const char *text)
{
	return theme_word(theme_of(m), text);
}

const char *book_words(const struct book_model *m, const char *format)
{
	return theme_sentence(theme_of(m), format);
}

/* Names of ours, of which sections have none. */
static void translate_workload(const struct book_model *m,
			       struct book_workload *w)
{
	char english[LABEL_MAX];

	if (w->point->section[0])
		return;
	memcpy(english, w->name, sizeof(english));
	theme_numbered(theme_of(m), english, w->name, sizeof(w->name));
	memcpy(english, w->lower, sizeof(english));
	theme_numbered(theme_of(m), english, w->lower, sizeof(w->lower));
}

/* A section with several patterns makes several workloads of one name. */
static void name_workloads(struct book_model *m)
{
	uint32_t i, j;

	for (i = 0; i < m->workload_count; i++) {
		struct book_workload *w = &m->workloads[i];
		struct point plain = book_shown(m, w->point);
		char pattern[POINT_NAME_MAX];
		bool shared = false;

		point_workload_name(&plain, w->name, POINT_NAME_MAX);
		for (j = 0; j < m->workload_count; j++)
			shared |= j != i && w->point->section[0] &&
				  strcmp(w->point->section,
					 m->workloads[j].point->section) == 0;
		plain.section = "";
		point_workload_name(&plain, pattern, sizeof(pattern));
		pattern[0] = (char)tolower((unsigned char)pattern[0]);
		if (shared)
			book_append(w->name, sizeof(w->name), pattern);
		lower_name(w);
	}
	for (i = 0; i < m->workload_count; i++)
		translate_workload(m, &m->workloads[i]);
}

static uint32_t find_workload(const struct book_model *m, const struct point *p)
{
	uint32_t i;

	for (i = 0; i < m->workload_count; i++)
		if (same_workload(m->workloads[i].point, p))
			break;
	return i;
}

const char *book_workload_name(const struct book_model *m,
			       const struct point *p)
{
	uint32_t i = find_workload(m, p);

	return i < m->workload_count ? m->workloads[i].name : "";
}

static uint32_t workload_of(struct book_model *m, const struct point *p)
{
	uint32_t i = find_workload(m, p);

	if (i < m->workload_count)
		return i;
	m->workloads[m->workload_count++].point = p;
	return i;
}

static int find_workloads(struct book_model *m)
{
	uint32_t i;

	m->workloads = calloc(m->group_count + 1, sizeof(*m->workloads));
	if (!m->workloads)
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++) {
		struct book_group *g = &m->groups[i];

		g->place = i;
		g->workload = workload_of(m, g->grid->group);
		m->workloads[g->workload].group_count++;
	}
	name_workloads(m);
	return 0;
}

static uint32_t target_of(struct book_model *m, const char *path)
{
	uint32_t i;

	for (i = 0; i < m->target_count; i++)
		if (strcmp(m->targets[i].path, path) == 0)
			return i;
	m->targets[m->target_count++].path = path;
	return i;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Two targets may have one file name in two folders. */
static void name_target(struct book_model *m, struct book_target *t)
{
	const char *name = base_name(t->path);
	uint32_t i;

	for (i = 0; i < m->target_count; i++)
		if (&m->targets[i] != t &&
		    strcmp(base_name(m->targets[i].path), name) == 0)
			name = t->path;
	snprintf(t->label, sizeof(t->label), "%s",
		 shortnames_get(&m->shortnames, name));
}

static int find_targets(struct book_model *m)
{
	uint32_t i;

	m->targets = calloc(m->group_count + 1, sizeof(*m->targets));
	if (!m->targets)
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++)
		m->groups[i].target = target_of(m, m->groups[i].point.target);
	for (i = 0; i < m->target_count; i++)
		name_target(m, &m->targets[i]);
	return 0;
}

static int find_axes(const struct book_model *m, struct label_axes *axes)
{
	struct point *points = calloc(m->group_count + 1, sizeof(*points));
	uint32_t i;

	if (!points)
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++)
		points[i] = m->groups[i].point;
	label_axes_find(points, m->group_count, axes);
	free(points);
	return 0;
}

void book_append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	if (text[0])
		snprintf(buf + len, size - len, "%s%s", len ? ", " : "", text);
}

/* Two groups of one workload that a short label does not tell apart: threads
 * in a named section. */
static void tell_apart(struct book_group *a, struct book_group *b)
{
	uint32_t s = a->point.workload.threads, t = b->point.workload.threads;
	char text[LABEL_THREADS_MAX];

	if (s == t)
		return;
	book_append(a->label, LABEL_MAX, label_threads(s, text));
	book_append(b->label, LABEL_MAX, label_threads(t, text));
}

/* label_group without the workload's name in front, and with the target in a
 * name that is its own. */
static void label(struct book_model *m, struct book_group *g,
		  const struct label_axes *axes)
{
	struct point shown = book_shown(m, &g->point);
	struct label_axes others = *axes;
	char name[LABEL_MAX], text[LABEL_MAX];
	size_t skip;

	others.target = false;
	point_workload_name(&shown, name, sizeof(name));
	label_group(&others, &shown, text, sizeof(text));
	skip = strlen(name);
	if (text[skip] == ',')
		skip += 2;
	if (m->target_count > 1)
		book_append(g->label, LABEL_MAX, m->targets[g->target].label);
	book_append(g->label, LABEL_MAX, text + skip);
}

static int label_groups(struct book_model *m)
{
	struct label_axes axes;
	uint32_t i, j;

	if (find_axes(m, &axes))
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++)
		label(m, &m->groups[i], &axes);
	for (i = 0; i < m->group_count; i++) {
		struct book_group *a = &m->groups[i];

		for (j = i + 1;
		     j < m->group_count && m->groups[j].workload == a->workload;
		     j++)
			if (strcmp(a->label, m->groups[j].label) == 0)
				tell_apart(a, &m->groups[j]);
	}
	return 0;
}

static int name_runs(struct book_model *m)
{
	uint32_t i;

	m->run_names = calloc(m->run_count + (size_t)1, sizeof(*m->run_names));
	if (!m->run_names)
		return -ENOMEM;
	for (i = 0; i < m->run_count; i++)
		m->run_names[i] =
		    shortnames_get(&m->shortnames, m->runs[i]->label);
	return 0;
}

static int by_sheet(const void *a, const void *b)
{
	const struct book_group *x = a, *y = b;

	if (x->workload != y->workload)
		return x->workload < y->workload ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

int book_model_init(struct book_model *m, const struct run *const *runs,
		    uint32_t run_count, const struct book_opts *opts)
{
	uint32_t i;
	int rc = 0;

	memset(m, 0, sizeof(*m));
	m->runs = runs;
	m->run_count = run_count;
	m->opts = opts;
	m->grids = calloc(run_count + 1, sizeof(*m->grids));
	m->spots = calloc(run_count + 1, sizeof(*m->spots));
	if (!m->grids || !m->spots || name_runs(m))
		return -ENOMEM;
	rc = compare_runs(runs, run_count, opts ? opts->sides : NULL,
			  opts ? opts->limit : NULL, &m->compare, NULL);
	for (i = 0; i < run_count && !rc; i++)
		rc = add_run(m, i);
	if (!rc)
		rc = find_workloads(m);
	if (!rc)
		rc = book_name_sides(m);
	if (!rc)
		rc = find_targets(m);
	if (rc)
		return rc;
	qsort(m->groups, m->group_count, sizeof(*m->groups), by_sheet);
	rc = label_groups(m);
	return rc ? rc : book_find_configs(m);
}

void book_model_fini(struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->run_count; i++) {
		if (m->grids)
			grid_free(&m->grids[i]);
		if (m->spots)
			sweetspot_free(&m->spots[i]);
	}
	compare_free(&m->compare);
	shortnames_free(&m->shortnames);
	free(m->run_names);
	free(m->grids);
	free(m->spots);
	free(m->groups);
	free(m->workloads);
	free(m->sides);
	free(m->targets);
	free(m->configs.rows);
}
