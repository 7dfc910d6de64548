/*
 * readers: every reader of what strangers may have written, as a function of
 * bytes, so that the corpora under tests/data/corpus are replayed by
 * test_corpus and extended by scripts/fuzz with one and the same code. A
 * reader may refuse its input with a sentence; it must not crash, leak, hang,
 * or break the invariants asserted here.
 */
#ifndef TESTS_READERS_H
#define TESTS_READERS_H

#include <stddef.h>
#include <stdint.h>

struct reader {
	const char *name; /* of its corpus folder too */
	void (*feed)(const uint8_t *data, size_t size);
};

/* Ends with a NULL name. */
extern const struct reader readers[];

/* NULL when there is none of that name. */
const struct reader *reader_find(const char *name);

#endif
