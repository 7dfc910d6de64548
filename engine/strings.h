/*
 * strings: keeps one copy of each text that it is shown, until it is freed
 * as a whole. For the few texts that many points share (target, variant,
 * section). Not thread safe.
 */
#ifndef ENGINE_STRINGS_H
#define ENGINE_STRINGS_H

struct strings;

/* NULL when there is no memory. */
struct strings *strings_new(void);

/* The kept copy: the same pointer for equal texts, valid until strings_free.
 * NULL when there is no memory. */
const char *strings_keep(struct strings *s, const char *text);

void strings_free(struct strings *s); /* NULL is allowed */

#endif
