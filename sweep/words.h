/*
 * words: help with what people type: the nearest known name for a misspelt
 * one, and characters that do not belong: dashes pasted from a web page,
 * control characters, bytes that are not UTF-8.
 */
#ifndef SWEEP_WORDS_H
#define SWEEP_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The nearest of the names offered, by edits (a letter more, less, other, or
 * two swapped), case aside. Start with the word alone; best stays NULL until
 * a name is near enough to be meant. Names stay the caller's.
 *
 *	struct words_nearest near = {.word = "blocksize"};
 *	words_offer(&near, "block-size");
 */
struct words_nearest {
	const char *word;
	const char *best;
	unsigned edits; /* from word to best */
};
void words_offer(struct words_nearest *near, const char *name);

/* "; did you mean 'block-size'?", or "" where nothing is near. Returns buf. */
#define WORDS_HINT_MAX 96
char *words_hint(const struct words_nearest *near, char buf[WORDS_HINT_MAX]);

/* True when text is UTF-8 without control characters: fit for a terminal, CSV
 * and XML. "" is. */
bool words_are_clean(const char *text);

/* The first character beyond ASCII as people look it up, "U+2013 (en dash)",
 * into buf; NULL when all is ASCII. Returns buf. */
#define WORDS_CHAR_MAX 48
const char *words_foreign_char(const char *text, char buf[WORDS_CHAR_MAX]);

/* True when text begins with a dash that is not '-': U+2013 and its like. */
bool words_start_with_foreign_dash(const char *text);

#endif
