#include "export/book_configs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a key means that is no tag. */
static const char *builtin(const struct book_model *m,
			   const struct book_group *g, const char *key)
{
	if (!strcmp(key, "target"))
		return g->point.target;
	if (!strcmp(key, "run"))
		return g->run->label;
	if (!strcmp(key, "variant"))
		return m->sides[g->side].label;
	return "";
}

static const char *value_of(struct book_model *m, const struct book_group *g,
			    uint32_t key)
{
	const char *name = m->configs.keys.key[key];
	const char *value = tags_value(g->run, g->point.target, name);

	if (!value[0])
		value = builtin(m, g, name);
	return value[0] ? shortnames_get(&m->shortnames, value) : BOOK_NO_TAG;
}

static void name_config(struct book_config *c, uint32_t key_count)
{
	uint32_t i;

	for (i = 0; i < key_count; i++)
		book_append(c->name, sizeof(c->name), c->tag[i]);
}

/* Blank tags last, "5" before "10". */
static int by_tags(const void *a, const void *b)
{
	const struct book_config *x = a, *y = b;
	int i, order;

	if (x->group->workload != y->group->workload)
		return x->group->workload < y->group->workload ? -1 : 1;
	for (i = 0; i < TAGS_KEYS_MAX && x->tag[i]; i++) {
		bool x_none = !strcmp(x->tag[i], BOOK_NO_TAG);
		bool y_none = !strcmp(y->tag[i], BOOK_NO_TAG);

		if (x_none != y_none)
			return x_none ? 1 : -1;
		order = strverscmp(x->tag[i], y->tag[i]);
		if (order)
			return order;
	}
	return x->group < y->group ? -1 : x->group > y->group;
}

static bool same_tags(const struct book_config *a, const struct book_config *b)
{
	int i;

	if (a->group->workload != b->group->workload)
		return false;
	for (i = 0; i < TAGS_KEYS_MAX && a->tag[i]; i++)
		if (strcmp(a->tag[i], b->tag[i]) != 0)
			return false;
	return true;
}

/* Rows of one configuration lie behind each other. */
static void tell_apart(struct book_config *rows, uint32_t count)
{
	uint32_t i, end;

	for (i = 0; i < count; i = end) {
		for (end = i + 1;
		     end < count && same_tags(&rows[i], &rows[end]); end++)
			;
		if (end == i + 1)
			continue;
		for (; i < end; i++)
			book_append(rows[i].name, sizeof(rows[i].name),
				    rows[i].of);
	}
}

static bool has_two(const struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->workload_count; i++)
		if (m->workloads[i].group_count > 1)
			return true;
	return false;
}

int book_find_configs(struct book_model *m)
{
	const struct tags_keys *asked = m->opts ? m->opts->group_by : NULL;
	uint32_t i, k;

	if (asked)
		m->configs.keys = *asked;
	else if (has_two(m))
		tags_keys_find(m->runs, m->run_count, &m->configs.keys);
	if (!m->configs.keys.count)
		return 0;
	m->configs.rows =
	    calloc(m->group_count + (size_t)1, sizeof(*m->configs.rows));
	if (!m->configs.rows)
		return -ENOMEM;
	for (i = 0; i < m->group_count; i++) {
		struct book_config *c = &m->configs.rows[i];

		c->group = &m->groups[i];
		for (k = 0; k < m->configs.keys.count; k++)
			c->tag[k] = value_of(m, c->group, k);
		c->result = c->group->spot ? c->group->spot->sweet : NULL;
		snprintf(c->of, sizeof(c->of), "%s",
			 c->group->label[0]
			     ? c->group->label
			     : m->targets[c->group->target].label);
		name_config(c, m->configs.keys.count);
	}
	m->configs.count = m->group_count;
	qsort(m->configs.rows, m->configs.count, sizeof(*m->configs.rows),
	      by_tags);
	tell_apart(m->configs.rows, m->configs.count);
	for (k = 0; k < m->configs.keys.count; k++)
		m->configs.keys.key[k] =
		    shortnames_get(&m->shortnames, m->configs.keys.key[k]);
	return 0;
}

const char *book_configs_key(const struct book_model *m, uint32_t key)
{
	return m->configs.keys.key[key];
}

char *book_configs_by(const struct book_model *m, char *buf, size_t size)
{
	uint32_t k;

	buf[0] = '\0';
	for (k = 0; k < m->configs.keys.count; k++)
		book_append(buf, size, m->configs.keys.key[k]);
	return buf;
}

const struct book_config *book_configs_of(const struct book_model *m,
					  uint32_t workload,
					  uint32_t *out_count)
{
	uint32_t first = 0, end;

	while (first < m->configs.count &&
	       m->configs.rows[first].group->workload != workload)
		first++;
	for (end = first; end < m->configs.count &&
			  m->configs.rows[end].group->workload == workload;)
		end++;
	*out_count = end - first;
	return m->configs.rows + first;
}

static const struct result *first_unmeasured(const struct grid *g)
{
	uint32_t i;

	for (i = 0; i < g->row_count * g->column_count; i++)
		if (g->cells[i] && !g->cells[i]->done)
			return g->cells[i];
	return NULL;
}

char *book_config_note(const struct book_config *c, char *buf, size_t size)
{
	const struct result *r = c->result;

	if (r)
		return verdict_names(r->verdicts, buf, size);
	r = first_unmeasured(c->group->grid);
	if (!r)
		snprintf(buf, size, "no point keeps the latency limit");
	else if (!r->failed && !r->skipped)
		snprintf(buf, size, "not measured");
	else
		snprintf(buf, size, "%s%s%s", r->failed ? "failed" : "skipped",
			 r->reason && r->reason[0] ? ": " : "",
			 r->reason ? r->reason : "");
	return buf;
}
