/*
 * book_notes: what has to be said about the runs of a book in words: how much
 * was measured, what failed and why, which numbers have something against
 * them. Pure. Internal to export/.
 */
#ifndef EXPORT_BOOK_NOTES_H
#define EXPORT_BOOK_NOTES_H

#include "export/book_model.h"

/* Points by what became of them. */
struct book_counts {
	uint32_t points;
	uint32_t done;	  /* measured at least once */
	uint32_t failed;  /* never measured, some visit failed */
	uint32_t skipped; /* never measured, never tried */
	uint32_t missing; /* not visited at all */
};
struct book_counts book_count_points(const struct book_model *m);

/* Sentences, each once. */
struct book_notes {
	char **texts; /* owned */
	uint32_t count;
	bool failed; /* out of memory at some point */
};
void book_notes_init(struct book_notes *notes);
void book_notes_fini(struct book_notes *notes);

/* Everything that speaks against a number: failures and skips by reason,
 * verdicts, torn tails. */
void book_find_warnings(const struct book_model *m, struct book_notes *notes);

/* What the engine had to say of the visits of a run, each part once, into buf,
 * as much as fits; returns buf. */
char *book_engine_words(const struct run *run, char *buf, size_t size);

/* Earliest start of a visit in the runs, UTC in ns since 1970; 0 when nothing
 * was visited. */
int64_t book_started(const struct run *const *runs, uint32_t run_count);

/* "2026-01-01 12:00 UTC, 2 workloads on 1 target, 128 of 128 points measured"
 * into buf; returns buf. */
char *book_say_amount(const struct book_model *m, char *buf, size_t size);

/* The conclusion on a group, which has a spot; name begins it. Returns buf. */
char *book_say_spot(const struct book_model *m, const struct book_group *g,
		    const char *name, char *buf, size_t size);

/* "p99 latency up to 2 ms" into buf; false, "" when there is no limit. */
#define BOOK_LIMIT_MAX (THEME_SENTENCE_MAX + 32)
bool book_say_limit(const struct book_model *m, char *buf, size_t size);

/* The title asked for, or "Storage sweep: <label>". Returns buf. */
char *book_title(const struct book_model *m, char *buf, size_t size);

/* "2026-01-01 12:00 UTC" into buf of BOOK_TIME_SIZE; returns buf. */
#define BOOK_TIME_SIZE 32
char *book_format_time(char *buf, int64_t utc_ns);

#endif
