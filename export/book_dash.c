#include "export/book_dash.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/units.h"

static bool is_listed(const struct dash_list *list, const char *text)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (strcasecmp(list->texts[i], text) == 0)
			return true;
	return false;
}

/* A text that a cell takes as text when it is chosen. */
static void make_choice(const struct dash_list *list, const char *text,
			char out[LABEL_MAX])
{
	unsigned char first = (unsigned char)text[0];
	char base[LABEL_MAX];
	unsigned n = 1;
	char *c;

	snprintf(base, sizeof(base), "%s%s",
		 isalpha(first) || first >= 0x80 ? "" : "as ", text);
	for (c = base; *c; c++)
		if (strchr("*?~\"", *c))
			*c = '-';
	snprintf(out, LABEL_MAX, "%s", base);
	while (is_listed(list, out)) {
		base[LABEL_MAX - 16] = '\0';
		snprintf(out, LABEL_MAX, "%.*s (%u)", LABEL_MAX - 16, base,
			 ++n);
	}
}

/* Place of a group's text in a list, which grows; originals tells texts that
 * were made alike by make_choice apart. */
static uint32_t enlist(struct dash_list *list, const char **originals,
		       const char *text)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (strcmp(originals[i], text) == 0)
			return i;
	make_choice(list, text, list->texts[i]);
	originals[i] = text;
	return list->count++;
}

static uint32_t enlist_number(struct dash_list *list, double number)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (fabs(list->numbers[i] - number) < 1e-9)
			return i;
	list->numbers[i] = number;
	snprintf(list->texts[i], LABEL_MAX, "%g", number);
	return list->count++;
}

static bool has_sections(const struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->workload_count; i++)
		if (m->workloads[i].point->section[0])
			return true;
	return false;
}

static void pattern_text(const struct book_model *m, const struct point *p,
			 char *buf, size_t size)
{
	double random = p->workload.stream.random_pct;

	if (random <= 0)
		snprintf(buf, size, "%s", book_word(m, "Sequential"));
	else if (random >= 100)
		snprintf(buf, size, "%s", book_word(m, "Random"));
	else
		snprintf(buf, size, book_words(m, "Mixed, %g%% random"),
			 random);
}

static void list_groups(struct book_dash *d)
{
	char patterns[DASH_CHOICES_MAX][LABEL_MAX];
	const char *names[DASH_CHOICES_MAX], *labels[DASH_CHOICES_MAX];
	const struct book_model *m = d->model;
	bool named = has_sections(m);
	uint32_t i;

	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];
		const char *name = m->workloads[g->workload].name;

		if (!named) {
			pattern_text(m, &g->point, patterns[i], LABEL_MAX);
			name = patterns[i];
		}
		d->place[i][DASH_PATTERN] =
		    enlist(&d->lists[DASH_PATTERN], names, name);
		d->place[i][DASH_READ] = enlist_number(
		    &d->lists[DASH_READ],
		    named ? 100 : g->point.workload.stream.read_pct);
		d->place[i][DASH_VARIANT] =
		    enlist(&d->lists[DASH_VARIANT], labels,
			   g->label[0] ? g->label : "all");
	}
	d->lists[DASH_COMPARE] = d->lists[DASH_VARIANT];
	d->lists[DASH_PATTERN].name = named ? "Workload" : "Pattern";
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ascending, each once, picked evenly where they are too many. */
static uint32_t distinct(uint64_t *values, uint32_t count,
			 uint64_t out[DASH_SIDE_MAX])
{
	uint32_t i, kept = 0;
	uint32_t n = 0;

	qsort(values, count, sizeof(*values), by_value);
	for (i = 0; i < count; i++)
		if (!kept || values[kept - 1] != values[i])
			values[kept++] = values[i];
	n = kept < DASH_SIDE_MAX ? kept : DASH_SIDE_MAX;
	for (i = 0; i < n; i++)
		out[i] =
		    values[n < kept ? (uint64_t)i * (kept - 1) / (n - 1) : i];
	return n;
}

static bool list_sides(struct book_dash *d)
{
	const struct book_model *m = d->model;
	uint64_t picked[DASH_SIDE_MAX];
	size_t room = 1;
	uint64_t *values;
	uint32_t i, j, n = 0;

	for (i = 0; i < m->group_count; i++)
		room += m->groups[i].grid->row_count +
			m->groups[i].grid->column_count;
	values = malloc(room * sizeof(*values));
	if (!values)
		return false;
	for (i = 0; i < m->group_count; i++)
		for (j = 0; j < m->groups[i].grid->row_count; j++)
			values[n++] = m->groups[i].grid->block_sizes[j];
	d->size_count = distinct(values, n, d->sizes);
	for (n = 0, i = 0; i < m->group_count; i++)
		for (j = 0; j < m->groups[i].grid->column_count; j++)
			values[n++] = m->groups[i].grid->outstandings[j];
	d->outstanding_count = distinct(values, n, picked);
	for (i = 0; i < d->outstanding_count; i++)
		d->outstandings[i] = (uint32_t)picked[i];
	free(values);
	return true;
}

bool book_dash_init(struct book_dash *d, const struct book_model *m)
{
	static const enum book_metric metrics[] = {BOOK_IOPS, BOOK_MIBPS,
						   BOOK_LATENCY, BOOK_P99};
	static const char *const metric_names[] = {
	    "IOPS", "MiB/s", "Average latency (ms)", "p99 latency (ms)"};
	struct dash_list *list = &d->lists[DASH_METRIC];
	uint32_t i;

	_Static_assert(sizeof(metrics) / sizeof(*metrics) == BOOK_METRIC_COUNT,
		       "each metric can be chosen, in its place");
	memset(d, 0, sizeof(*d));
	d->model = m;
	if (m->group_count == 0 || m->group_count > DASH_CHOICES_MAX ||
	    !list_sides(d))
		return false;
	for (i = 0; i < BOOK_METRIC_COUNT; i++)
		snprintf(list->texts[list->count++], LABEL_MAX, "%s",
			 book_word(m, metric_names[metrics[i]]));
	list_groups(d);
	list = &d->lists[DASH_SIZE];
	for (i = 0; i < d->size_count; i++)
		units_format_size(list->texts[list->count++], d->sizes[i]);
	list->name = "Block size";
	d->lists[DASH_METRIC].name = "Metric";
	d->lists[DASH_READ].name = "Read (%)";
	d->lists[DASH_VARIANT].name = "Variant";
	d->lists[DASH_COMPARE].name = "Compare with";
	return d->size_count * d->outstanding_count > 1;
}

static const struct book_group *group_at(const struct book_dash *d,
					 const uint32_t place[DASH_AXES])
{
	uint32_t i;

	for (i = 0; i < d->model->group_count; i++)
		if (d->place[i][DASH_PATTERN] == place[DASH_PATTERN] &&
		    d->place[i][DASH_READ] == place[DASH_READ] &&
		    d->place[i][DASH_VARIANT] == place[DASH_VARIANT])
			return &d->model->groups[i];
	return NULL;
}

double book_dash_value(const struct book_dash *d,
		       const uint32_t place[DASH_AXES], uint32_t size,
		       uint32_t outstanding)
{
	const struct book_group *g = group_at(d, place);
	uint32_t row, column;

	if (!g)
		return NAN;
	for (row = 0; row < g->grid->row_count; row++)
		if (g->grid->block_sizes[row] == d->sizes[size])
			break;
	for (column = 0; column < g->grid->column_count; column++)
		if (g->grid->outstandings[column] ==
		    d->outstandings[outstanding])
			break;
	if (row == g->grid->row_count || column == g->grid->column_count)
		return NAN;
	return book_value(grid_at(g->grid, row, column),
			  (enum book_metric)place[DASH_METRIC]);
}
