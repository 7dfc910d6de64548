#include "export/book_notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/units.h"

/* More lines are not read; the table of results has all of them. */
#define NOTES_MAX 40

struct book_counts book_count_points(const struct book_model *m)
{
	struct book_counts counts = {0, 0, 0, 0, 0};
	uint32_t i, j;

	for (i = 0; i < m->run_count; i++)
		for (j = 0; j < m->runs[i]->point_count; j++) {
			const struct result *r = &m->runs[i]->results[j];

			counts.points++;
			if (r->done)
				counts.done++;
			else if (r->failed)
				counts.failed++;
			else if (r->skipped)
				counts.skipped++;
			else
				counts.missing++;
		}
	return counts;
}

void book_notes_init(struct book_notes *notes)
{
	memset(notes, 0, sizeof(*notes));
}

void book_notes_fini(struct book_notes *notes)
{
	uint32_t i;

	for (i = 0; i < notes->count; i++)
		free(notes->texts[i]);
	free(notes->texts);
}

__attribute__((format(printf, 2, 3))) static void add(struct book_notes *notes,
						      const char *fmt, ...)
{
	char **grown;
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		notes->failed = true;
		return;
	}
	grown = realloc(notes->texts, (notes->count + 1) * sizeof(*grown));
	if (!grown) {
		notes->failed = true;
		free(text);
		return;
	}
	notes->texts = grown;
	notes->texts[notes->count++] = text;
}

/* One thing said of several points: how often, and of which first. */
struct finding {
	const char *what;
	const char *why;
	const struct result *first;
	uint32_t count;
};

struct findings {
	struct finding items[NOTES_MAX];
	uint32_t count;
	uint32_t others; /* points that found no place in items */
};

static void count_finding(struct findings *all, const char *what,
			  const char *why, const struct result *r)
{
	uint32_t i;

	for (i = 0; i < all->count; i++)
		if (all->items[i].what == what &&
		    strcmp(all->items[i].why, why) == 0) {
			all->items[i].count++;
			return;
		}
	if (i == NOTES_MAX) {
		all->others++;
		return;
	}
	all->items[all->count++] = (struct finding){what, why, r, 1};
}

/* "Random read 8K at 64" */
static char *say_point(const struct book_model *m, const struct point *p,
		       char *buf, size_t size)
{
	char text[UNITS_TEXT_MAX];

	snprintf(buf, size, book_words(m, "%s %s at %u"),
		 book_workload_name(m, p),
		 units_format_size(text, p->workload.stream.block_size_bytes),
		 point_outstanding(p));
	return buf;
}

static void say_findings(const struct book_model *m, const struct findings *all,
			 struct book_notes *notes)
{
	char point[LABEL_MAX + UNITS_TEXT_MAX + 16];
	uint32_t i;

	for (i = 0; i < all->count; i++) {
		const struct finding *f = &all->items[i];

		say_point(m, f->first->point, point, sizeof(point));
		if (f->count == 1)
			add(notes, "%s %s: %s.", point, book_word(m, f->what),
			    f->why);
		else
			add(notes,
			    book_words(m, "%u points %s: %s (%s is the "
					  "first)."),
			    f->count, book_word(m, f->what), f->why, point);
	}
	if (all->others)
		add(notes,
		    book_words(m, "%u more points failed or were skipped; see "
				  "Results."),
		    all->others);
}

static void find_failures(const struct book_model *m, struct book_notes *notes)
{
	struct findings all = {.count = 0};
	uint32_t i, j;

	for (i = 0; i < m->run_count; i++)
		for (j = 0; j < m->runs[i]->point_count; j++) {
			const struct result *r = &m->runs[i]->results[j];

			if (r->failed)
				count_finding(&all,
					      r->done ? "failed in some rounds"
						      : "failed",
					      r->reason, r);
			else if (r->skipped)
				count_finding(&all, "skipped", r->reason, r);
		}
	say_findings(m, &all, notes);
}

static const struct result *first_with(const struct book_model *m,
				       enum verdict v, uint32_t *count)
{
	const struct result *first = NULL;
	uint32_t i, j;

	*count = 0;
	for (i = 0; i < m->run_count; i++)
		for (j = 0; j < m->runs[i]->point_count; j++) {
			const struct result *r = &m->runs[i]->results[j];

			if (!(r->verdicts & 1u << v))
				continue;
			if (!first)
				first = r;
			(*count)++;
		}
	return first;
}

static void find_verdicts(const struct book_model *m, struct book_notes *notes)
{
	char point[LABEL_MAX + UNITS_TEXT_MAX + 16];
	char text[VERDICT_TEXT_MAX];
	uint32_t count;
	int v;

	for (v = 0; v < VERDICT_COUNT; v++) {
		const struct result *r = first_with(m, (enum verdict)v, &count);

		if (!r)
			continue;
		say_point(m, r->point, point, sizeof(point));
		verdict_say((enum verdict)v, r, m->opts ? m->opts->theme : NULL,
			    text, sizeof(text));
		add(notes, book_words(m, "%s, %u %s: %s (%s%s). To do: %s."),
		    verdict_name((enum verdict)v), count,
		    book_word(m, count == 1 ? "point" : "points"), text, point,
		    count == 1 ? "" : book_word(m, ", the first"),
		    book_word(m, verdict_advice((enum verdict)v)));
	}
}

/* Is the part among those of words, which stand between "; "? */
static bool is_part(const char *words, const char *part, size_t len)
{
	const char *at;

	for (at = words; at; at = strstr(at, "; ")) {
		at += strspn(at, "; ");
		if (!strncmp(at, part, len) &&
		    (!at[len] || !strncmp(at + len, "; ", 2)))
			return true;
	}
	return false;
}

static void append_parts(const char *note, char *buf, size_t size)
{
	while (*note) {
		const char *next = strstr(note, "; ");
		size_t len = next ? (size_t)(next - note) : strlen(note);
		size_t used = strlen(buf);

		if (!is_part(buf, note, len))
			snprintf(buf + used, size - used, "%s%.*s",
				 used ? "; " : "", (int)len, note);
		note += next ? len + 2 : len;
	}
}

char *book_engine_words(const struct run *run, char *buf, size_t size)
{
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < run->visit_count; i++)
		append_parts(run->visits[i].note, buf, size);
	return buf;
}

/* [resumption N]: run.ini, as the sweep went on. */
static void find_forced_resumptions(const struct run *run, const char *name,
				    struct book_notes *notes)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		const struct run_fact *f = &run->facts[i];

		if (!strncmp(f->section, "resumption ", 11) &&
		    !strcmp(f->name, "differences"))
			add(notes,
			    "%s: went on after an interruption although %s.",
			    name, f->value);
	}
}

static bool all_are_searches(const struct book_model *m)
{
	uint32_t i;

	for (i = 0; i < m->run_count; i++)
		if (!run_is_search(m->runs[i]))
			return false;
	return true;
}

void book_find_warnings(const struct book_model *m, struct book_notes *notes)
{
	struct book_counts counts = book_count_points(m);
	uint32_t i;

	if (counts.missing && all_are_searches(m))
		add(notes,
		    book_words(m, "A search: %u of %u points were not needed "
				  "for the sweet spots and not measured."),
		    counts.missing, counts.points);
	else if (counts.missing)
		add(notes,
		    book_words(m, "%u of %u points were not measured yet."),
		    counts.missing, counts.points);
	find_failures(m, notes);
	find_verdicts(m, notes);
	for (i = 0; i < m->run_count; i++) {
		if (m->runs[i]->torn)
			add(notes,
			    "%s: the last row was cut off when the run ended "
			    "and is left out.",
			    m->run_names[i]);
		find_forced_resumptions(m->runs[i], m->run_names[i], notes);
	}
}

int64_t book_started(const struct run *const *runs, uint32_t run_count)
{
	int64_t first = 0;
	uint32_t i, j;

	for (i = 0; i < run_count; i++)
		for (j = 0; j < runs[i]->visit_count; j++) {
			int64_t at = runs[i]->visits[j].started_utc_ns;

			if (at && (!first || at < first))
				first = at;
		}
	return first;
}

bool book_say_limit(const struct book_model *m, char *buf, size_t size)
{
	static const char *const names[PCT_COUNT + 1] = {
	    [PCT_50] = "p50",	     [PCT_90] = "p90",	  [PCT_95] = "p95",
	    [PCT_99] = "p99",	     [PCT_999] = "p99.9", [PCT_9999] = "p99.99",
	    [PCT_COUNT] = "average",
	};
	const struct latency_limit *limit = m->opts ? m->opts->limit : NULL;

	buf[0] = '\0';
	if (!limit || !isfinite(limit->limit_us))
		return false;
	snprintf(buf, size, book_words(m, "%s latency up to %g ms"),
		 book_word(m, names[limit->which]), book_ms(limit->limit_us));
	return true;
}

char *book_say_amount(const struct book_model *m, char *buf, size_t size)
{
	struct book_counts counts = book_count_points(m);
	char time[BOOK_TIME_SIZE];

	book_format_time(time, book_started(m->runs, m->run_count));
	snprintf(
	    buf, size,
	    book_words(m, "%s%s%u %s on %u %s, %u of %u %s measured"), time,
	    time[0] ? ", " : "", m->workload_count,
	    book_word(m, m->workload_count == 1 ? "workload" : "workloads"),
	    m->target_count,
	    book_word(m, m->target_count == 1 ? "target" : "targets"),
	    counts.done, counts.points,
	    book_word(m, counts.points == 1 ? "point" : "points"));
	return buf;
}

char *book_say_spot(const struct book_model *m, const struct book_group *g,
		    const char *name, char *buf, size_t size)
{
	return sweetspot_say(g->spot, name, m->opts ? m->opts->theme : NULL,
			     buf, size);
}

char *book_title(const struct book_model *m, char *buf, size_t size)
{
	if (m->opts && m->opts->title)
		snprintf(buf, size, "%s", m->opts->title);
	else if (m->run_count == 1)
		snprintf(buf, size, book_words(m, "Storage sweep: %s"),
			 m->run_names[0]);
	else
		snprintf(buf, size,
			 book_words(m, "Storage sweep: %s and %u more"),
			 m->run_names[0], m->run_count - 1);
	return buf;
}

char *book_format_time(char *buf, int64_t utc_ns)
{
	time_t t = (time_t)(utc_ns / (int64_t)NS_PER_SEC);
	struct tm tm;

	if (utc_ns == 0 || !gmtime_r(&t, &tm) ||
	    !strftime(buf, BOOK_TIME_SIZE, "%Y-%m-%d %H:%M UTC", &tm))
		buf[0] = '\0';
	return buf;
}
