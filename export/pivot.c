#include "export/pivot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/xlsx.h"

/* In English. The measures are not called as the columns of the table, which
 * must differ from the fields that they are made of. */
static const char *const names[PIVOT_FIELDS] = {
    [PIVOT_TARGET] = "Target",
    [PIVOT_VARIANT] = "Variant",
    [PIVOT_CACHE] = "Cache mode",
    [PIVOT_STATE] = "Caches",
    [PIVOT_ENGINE] = "Engine",
    [PIVOT_THREADS] = "Threads",
    [PIVOT_WORKLOAD] = "Workload",
    [PIVOT_OPERATION] = "Operation",
    [PIVOT_PATTERN] = "Pattern",
    [PIVOT_WORKING_SET] = "Working set",
    [PIVOT_BLOCK_SIZE] = "Block size (KiB)",
    [PIVOT_OUTSTANDING] = "Outstanding",
    [PIVOT_IOPS] = "Measured IOPS",
    [PIVOT_MIBPS] = "Measured MiB/s",
    [PIVOT_LATENCY] = "Measured latency (ms)",
    [PIVOT_P99] = "Measured p99 (ms)",
};

static const char *const captions[PIVOT_MEASURES] = {
    "IOPS", "MiB/s", "Average latency (ms)", "p99 latency (ms)"};

/* What one point says for a field: a number, or a text and its order. */
struct said {
	double number;
	const char *text; /* NULL: the number */
	char buf[64];
};

/* A point and where it stands. */
struct source {
	const struct book_model *m;
	const struct run *run;
	uint32_t run_index, index;
	const struct point *point;
};

static void say_share(struct said *out, double pct, const char *all,
		      const char *none, const char *word)
{
	if (pct >= 100)
		out->text = all;
	else if (pct <= 0)
		out->text = none;
	else
		snprintf(out->buf, sizeof(out->buf), "%.15g%% %s", pct, word);
}

static void say_workload(const struct source *s, struct said *out)
{
	uint32_t i;

	out->text = book_workload_name(s->m, s->point);
	for (i = 0; i < s->m->workload_count; i++)
		if (s->m->workloads[i].name == out->text)
			out->number = i;
}

static void say_target(const struct source *s, struct said *out)
{
	uint32_t i;

	for (i = 0; i < s->m->target_count; i++)
		if (!strcmp(s->m->targets[i].path, s->point->target)) {
			out->number = i;
			out->text = s->m->targets[i].label;
		}
}

static void say_variant(const struct source *s, struct said *out)
{
	const struct sides *sides = &s->m->compare.sides;
	struct point shown = *s->point;

	out->number = sides_of(sides, s->run_index, s->index);
	shown.variant = sides_variant(sides, s->run_index, s->index);
	out->text = book_shown((struct book_model *)s->m, &shown).variant;
}

static void say_working_set(const struct point *p, struct said *out)
{
	uint64_t bytes = p->workload.working_set_bytes;

	out->number = bytes ? (double)bytes : INFINITY;
	if (bytes)
		units_format_size(out->buf, bytes);
	else
		out->text = "whole";
}

static void say(const struct source *s, enum pivot_key key, struct said *out)
{
	const struct point *p = s->point;
	const struct stream *stream = &p->workload.stream;

	*out = (struct said){.number = 0, .text = out->buf};
	switch (key) {
	case PIVOT_TARGET:
		say_target(s, out);
		break;
	case PIVOT_VARIANT:
		say_variant(s, out);
		break;
	case PIVOT_CACHE:
		out->number = p->cache;
		out->text = cache_mode_name(p->cache);
		break;
	case PIVOT_STATE:
		out->number = p->state;
		out->text = cache_state_name(p->state);
		break;
	case PIVOT_ENGINE:
		out->number = p->engine;
		out->text = engine_kind_name(p->engine);
		break;
	case PIVOT_WORKLOAD:
		say_workload(s, out);
		break;
	case PIVOT_OPERATION:
		out->number = -stream->read_pct;
		say_share(out, stream->read_pct, "Read", "Write", "read");
		break;
	case PIVOT_PATTERN:
		out->number = stream->random_pct;
		say_share(out, stream->random_pct, "Random", "Sequential",
			  "random");
		break;
	case PIVOT_WORKING_SET:
		say_working_set(p, out);
		break;
	case PIVOT_THREADS:
		*out = (struct said){.number = p->workload.threads};
		break;
	case PIVOT_BLOCK_SIZE:
		*out = (struct said){
		    .number = (double)stream->block_size_bytes / KIB};
		break;
	default:
		*out = (struct said){.number = point_outstanding(p)};
	}
	if (out->text && !out->text[0])
		out->text = "-";
}

/* The item that says so, made where there is none; -1 without memory. */
static int64_t intern(struct pivot_field *f, const struct said *said)
{
	struct pivot_item *grown;
	uint32_t i;

	for (i = f->item_count; i-- > 0;)
		if (said->text ? !strcmp(f->items[i].text, said->text)
			       : f->items[i].number == said->number)
			return i;
	grown = realloc(f->items, (f->item_count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	f->items = grown;
	grown[f->item_count] = (struct pivot_item){.number = said->number};
	if (said->text) {
		grown[f->item_count].text = strdup(said->text);
		if (!grown[f->item_count].text)
			return -1;
	}
	return f->item_count++;
}

static double measure_of(const struct result *r, enum pivot_key measure)
{
	static const enum book_metric metrics[] = {BOOK_IOPS, BOOK_MIBPS,
						   BOOK_LATENCY, BOOK_P99};

	return xlsx_nine_digits(book_value(r, metrics[measure - PIVOT_KEYS]));
}

static int add_record(struct pivot *p, const struct source *s)
{
	const struct result *r = &s->run->results[s->index];
	struct pivot_record *record = &p->records[p->record_count];
	int key;

	if (!isfinite(measure_of(r, PIVOT_IOPS)))
		return 0;
	for (key = 0; key < PIVOT_KEYS; key++) {
		struct said said;
		int64_t item;

		say(s, (enum pivot_key)key, &said);
		item = intern(&p->fields[key], &said);
		if (item < 0)
			return -ENOMEM;
		record->item[key] = (uint32_t)item;
	}
	for (; key < PIVOT_FIELDS; key++)
		record->value[key - PIVOT_KEYS] =
		    measure_of(r, (enum pivot_key)key);
	p->record_count++;
	return 0;
}

static int add_records(struct pivot *p, const struct book_model *m)
{
	struct source s = {.m = m};
	size_t count = 0;

	for (s.run_index = 0; s.run_index < m->run_count; s.run_index++)
		count += m->runs[s.run_index]->point_count;
	p->records = calloc(count + 1, sizeof(*p->records));
	if (!p->records)
		return -ENOMEM;
	for (s.run_index = 0; s.run_index < m->run_count; s.run_index++) {
		s.run = m->runs[s.run_index];
		for (s.index = 0; s.index < s.run->point_count; s.index++) {
			s.point = &s.run->points[s.index];
			if (add_record(p, &s))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Excel takes "A" and "a" for one item. */
static int tell_apart(struct pivot_field *f, uint32_t at)
{
	const char **before = calloc(at + (size_t)1, sizeof(*before));
	char *text = f->items[at].text, *other = NULL;
	unsigned n;
	uint32_t i;

	for (i = 0; before && i < at; i++)
		before[i] = f->items[i].text;
	for (n = 2; before && xlsx_is_among(other ? other : text, before, at);
	     n++) {
		free(other);
		if (asprintf(&other, "%s (%u)", text, n) < 0) {
			other = NULL;
			break;
		}
	}
	free(before);
	if (!before || (n > 2 && !other))
		return -ENOMEM;
	if (other) {
		free(text);
		f->items[at].text = other;
	}
	return 0;
}

static int clean_items(struct pivot_field *f)
{
	uint32_t i;

	for (i = 0; i < f->item_count && f->items[i].text; i++) {
		char *clean =
		    xlsx_clean(f->items[i].text, PIVOT_TEXT_MAX - 16, false);

		if (!clean)
			return -ENOMEM;
		free(f->items[i].text);
		f->items[i].text = clean;
		if (tell_apart(f, i))
			return -ENOMEM;
	}
	return 0;
}

static int by_item(const void *a, const void *b, void *arg)
{
	const struct pivot_field *f = arg;
	const struct pivot_item *x = &f->items[*(const uint32_t *)a];
	const struct pivot_item *y = &f->items[*(const uint32_t *)b];

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->text ? strcmp(x->text, y->text) : 0;
}

/* Sort the items of a field, and say so to the records. */
static int sort_items(struct pivot *p, int key)
{
	struct pivot_field *f = &p->fields[key];
	size_t count = f->item_count + (size_t)1;
	uint32_t *order = calloc(count, sizeof(*order));
	uint32_t *place = calloc(count, sizeof(*place));
	struct pivot_item *sorted = calloc(count, sizeof(*sorted));
	int rc = order && place && sorted ? 0 : -ENOMEM;
	uint32_t i;

	for (i = 0; !rc && i < f->item_count; i++)
		order[i] = i;
	if (!rc)
		qsort_r(order, f->item_count, sizeof(*order), by_item, f);
	for (i = 0; !rc && i < f->item_count; i++) {
		sorted[i] = f->items[order[i]];
		place[order[i]] = i;
	}
	for (i = 0; !rc && i < p->record_count; i++)
		p->records[i].item[key] = place[p->records[i].item[key]];
	if (!rc) {
		free(f->items);
		f->items = sorted;
	} else {
		free(sorted);
	}
	free(place);
	free(order);
	return rc;
}

/* Named workloads, loads and distributions are told by the workload; else its
 * two parts are fields of their own. */
static bool needs_workload(const struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->workload_count; i++) {
		const struct point *p = m->workloads[i].point;

		if (p->section[0] || p->workload.rate_iops ||
		    p->workload.stream.distribution.kind)
			return true;
	}
	return false;
}

static void place_fields(struct pivot *p, const struct book_model *m)
{
	bool workload = needs_workload(m);
	int key;

	for (key = 0; key < PIVOT_KEYS; key++)
		if (p->fields[key].item_count > 1)
			p->fields[key].place =
			    key < PIVOT_WORKLOAD ? PIVOT_PAGE : PIVOT_ROW;
	p->fields[PIVOT_WORKLOAD].place = workload ? PIVOT_ROW : PIVOT_ASIDE;
	p->fields[PIVOT_OPERATION].place = workload ? PIVOT_ASIDE : PIVOT_ROW;
	p->fields[PIVOT_PATTERN].place = workload ? PIVOT_ASIDE : PIVOT_ROW;
	p->fields[PIVOT_BLOCK_SIZE].place = PIVOT_ROW;
	p->fields[PIVOT_OUTSTANDING].place = PIVOT_ROW;
}

static bool is_let_through(const struct pivot *p, const struct pivot_record *r)
{
	uint32_t i;

	for (i = 0; i < p->page_count; i++)
		if (r->item[p->pages[i]] != p->fields[p->pages[i]].chosen)
			return false;
	return true;
}

/* Filters let through what the first record of the base is: one that is there,
 * so that no mean runs over states of the storage. */
static void list_places(struct pivot *p)
{
	uint32_t first = 0, i;
	int key;

	for (i = 1; i < p->record_count; i++)
		if (p->records[i].item[PIVOT_VARIANT] <
		    p->records[first].item[PIVOT_VARIANT])
			first = i;
	p->row_count = p->page_count = 0;
	for (key = 0; key < PIVOT_KEYS; key++) {
		p->fields[key].chosen = p->records[first].item[key];
		if (p->fields[key].place == PIVOT_ROW)
			p->rows[p->row_count++] = (enum pivot_key)key;
		if (p->fields[key].place == PIVOT_PAGE)
			p->pages[p->page_count++] = (enum pivot_key)key;
	}
}

static int by_rows(const void *a, const void *b, void *arg)
{
	const struct pivot_record *x = ((const struct pivot_line *)a)->first;
	const struct pivot_record *y = ((const struct pivot_line *)b)->first;
	const struct pivot *p = arg;
	uint32_t i;

	for (i = 0; i < p->row_count; i++) {
		uint32_t at = x->item[p->rows[i]], than = y->item[p->rows[i]];

		if (at != than)
			return at < than ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

static bool same_rows(const struct pivot *p, const struct pivot_line *a,
		      const struct pivot_line *b)
{
	uint32_t i;

	for (i = 0; i < p->row_count; i++)
		if (a->first->item[p->rows[i]] != b->first->item[p->rows[i]])
			return false;
	return true;
}

/* The mean of what is known in lines of one record each. */
static double mean_of(const struct pivot_line *lines, uint32_t count,
		      uint32_t measure)
{
	uint32_t i, known = 0;
	double sum = 0;

	for (i = 0; i < count; i++) {
		double value = lines[i].first->value[measure];

		if (isfinite(value)) {
			sum += value;
			known++;
		}
	}
	return known ? xlsx_nine_digits(sum / known) : NAN;
}

/* Lines of one record each become lines of one set of items each. */
static void merge_lines(struct pivot *p)
{
	uint32_t begin, end, measure, merged = 0;

	for (begin = 0; begin < p->line_count; begin = end) {
		struct pivot_line line = p->lines[begin];

		for (end = begin + 1; end < p->line_count; end++)
			if (!same_rows(p, &line, &p->lines[end]))
				break;
		for (measure = 0; measure < PIVOT_MEASURES; measure++)
			line.value[measure] =
			    mean_of(&p->lines[begin], end - begin, measure);
		p->lines[merged++] = line;
	}
	p->line_count = merged;
}

static void lay_out(struct pivot *p)
{
	uint32_t i;

	list_places(p);
	p->line_count = 0;
	for (i = 0; i < p->record_count; i++)
		if (is_let_through(p, &p->records[i]))
			p->lines[p->line_count++].first = &p->records[i];
	qsort_r(p->lines, p->line_count, sizeof(*p->lines), by_rows, p);
	merge_lines(p);
}

/* Block size and outstanding stay rows whatever comes. */
static bool turn_into_filter(struct pivot *p)
{
	uint32_t i;

	for (i = 0; i < p->row_count && p->rows[i] < PIVOT_BLOCK_SIZE; i++)
		if (p->fields[p->rows[i]].item_count > 1) {
			p->fields[p->rows[i]].place = PIVOT_PAGE;
			return true;
		}
	return false;
}

/* In the words of the theme, but for one that it has used already. */
static void name_fields(struct pivot *p, const struct theme *theme)
{
	const char *taken[PIVOT_MEASURES + PIVOT_FIELDS];
	uint32_t i, count = 0;

	for (i = 0; i < PIVOT_MEASURES; i++) {
		p->captions[i] = theme_word(theme, captions[i]);
		if (xlsx_is_among(p->captions[i], taken, count))
			p->captions[i] = captions[i];
		taken[count++] = p->captions[i];
	}
	for (i = 0; i < PIVOT_FIELDS; i++) {
		p->fields[i].name = theme_word(theme, names[i]);
		if (xlsx_is_among(p->fields[i].name, taken, count))
			p->fields[i].name = names[i];
		taken[count++] = p->fields[i].name;
	}
}

int pivot_init(struct pivot *p, const struct book_model *m)
{
	int key, rc;

	memset(p, 0, sizeof(*p));
	name_fields(p, m->opts ? m->opts->theme : NULL);
	rc = add_records(p, m);
	for (key = 0; !rc && key < PIVOT_KEYS; key++)
		rc = sort_items(p, key);
	for (key = 0; !rc && key < PIVOT_KEYS; key++)
		rc = clean_items(&p->fields[key]);
	if (rc || !p->record_count)
		return rc;
	p->lines = calloc(p->record_count, sizeof(*p->lines));
	if (!p->lines)
		return -ENOMEM;
	place_fields(p, m);
	do {
		lay_out(p);
	} while (p->line_count > PIVOT_CATEGORIES_MAX && turn_into_filter(p));
	return 0;
}

void pivot_fini(struct pivot *p)
{
	uint32_t i;
	int key;

	for (key = 0; key < PIVOT_KEYS; key++) {
		for (i = 0; i < p->fields[key].item_count; i++)
			free(p->fields[key].items[i].text);
		free(p->fields[key].items);
	}
	free(p->records);
	free(p->lines);
}

bool pivot_knows(const struct pivot *p, enum pivot_key measure)
{
	uint32_t i;

	for (i = 0; i < p->line_count; i++)
		if (isfinite(p->lines[i].value[measure - PIVOT_KEYS]))
			return true;
	return false;
}

uint32_t pivot_repeated(const struct pivot *p, uint32_t line)
{
	const struct pivot_record *r = p->lines[line].first;
	uint32_t i;

	for (i = 0; line && i < p->row_count; i++)
		if (r->item[p->rows[i]] !=
		    p->lines[line - 1].first->item[p->rows[i]])
			break;
	return line ? i : 0;
}
