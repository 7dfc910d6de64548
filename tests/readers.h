/*
 * readers: every reader of what strangers may have written, as a function of
 * bytes, so that the corpora under tests/data/corpus are replayed by
 * test_corpus and extended by scripts/fuzz with one and the same code. A
 * reader may refuse its input with a sentence; it must not crash, leak, hang,
 * or break the invariants asserted here.
 */
#ifndef TESTS_READERS_H
#define TESTS_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

struct reader {
	const char *name; /* of its corpus folder too */
	void (*feed)(const uint8_t *data, size_t size);
};

/* Ends with a NULL name. */
extern const struct reader readers[];

/* NULL when there is none of that name. */
const struct reader *reader_find(const char *name);

/* Between the files of a folder, or the arguments of a command line, that
 * stand in one input. */
#define READER_MARK 0x1d
#define READER_MARK_TEXT "\x1d"

/* A whole run folder: run.ini, plan.csv, visits.csv, latency.csv, series.csv,
 * devices.csv, warmup.csv; and everything that is computed from it. */
void reader_feed_run(const uint8_t *data, size_t size);

/* An invariant of ours that an input broke; a fuzzer wants a crash. */
void reader_must(bool holds);
/* An error is a sentence for one line of a terminal. */
void reader_must_say(const struct err *err);

#endif
