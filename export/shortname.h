/*
 * shortname: names from outside (labels, paths, sections) made short enough
 * for titles, legends and tabs: cut in the middle, since long names differ at
 * their ends, and two that would look alike are numbered.
 */
#ifndef EXPORT_SHORTNAME_H
#define EXPORT_SHORTNAME_H

#include <stddef.h>
#include <stdint.h>

/* Most characters of a short name. */
#define SHORTNAME_MAX 32
/* Room for one: 4 bytes a character at most, and the NUL. */
#define SHORTNAME_SIZE (SHORTNAME_MAX * 4 + 1)

/* At most max (at least 8) characters of text into buf of SHORTNAME_SIZE,
 * with an ellipsis in the middle where something is left out. A byte that is
 * no UTF-8 counts as a character. max is at most SHORTNAME_MAX. Returns buf. */
char *shortname_cut(const char *text, size_t max, char *buf);

/* Names that were shortened; all zeros is empty. */
struct shortnames {
	struct shortname *items; /* owned */
	uint32_t count;
};

/*
 * text itself where it is short enough, else its short form, the same for the
 * same text, and different for two that differ. Lives as long as names and
 * text do. When memory runs out: text.
 */
const char *shortnames_get(struct shortnames *names, const char *text);
void shortnames_free(struct shortnames *names);

#endif
