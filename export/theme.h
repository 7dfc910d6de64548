/*
 * theme: how a workbook looks and what is in it, in plain data. sweep/themefile
 * reads it, book_*.c and xlsx_*.c go by it.
 */
#ifndef EXPORT_THEME_H
#define EXPORT_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/sweetspot.h"

#define THEME_TEXT_MAX 200
#define THEME_NUMBER "{n}"     /* in a word, instead of a number */
#define THEME_SENTENCE_MAX 400 /* bytes of a word, too */
#define THEME_FONT_MAX 31
#define THEME_SERIES_MAX 8
#define THEME_WORDS_MAX 250

/* Sheets that a theme may leave out. */
enum theme_sheet {
	THEME_DASHBOARD,
	THEME_CACHE_EFFECT,
	THEME_COMPARE_TARGETS,
	THEME_LATENCY,
	THEME_HISTOGRAM,
	THEME_TIME_SERIES,
	THEME_SHEETS
};

/* A text of ours, and what stands there instead. */
struct theme_word {
	char *english;
	char *word;
};

struct theme_words {
	struct theme_word items[THEME_WORDS_MAX];
	uint32_t count;
};

/* All zeros is the default look; colours are 0xRRGGBB, 0 where not said (black
 * is 0x010101). Texts are clean UTF-8. */
struct theme {
	char title[THEME_TEXT_MAX + 1]; /* "": "Storage sweep: <label>" */
	char subtitle[THEME_TEXT_MAX + 1];
	char author[THEME_TEXT_MAX + 1];
	char font[THEME_FONT_MAX + 1];
	uint32_t title_color, head_color;
	uint32_t series[THEME_SERIES_MAX];
	uint32_t series_count;
	bool without[THEME_SHEETS];
	bool has_limit;
	struct latency_limit limit;
	unsigned char *logo; /* a PNG, owned; NULL: none */
	size_t logo_size;
	uint32_t logo_width, logo_height; /* pixels, as the library sees it */
	struct theme_words words;
	struct theme_words sentences; /* formats of printf, like by like */
};

/* What stands for text in this theme: text itself where nothing does. theme
 * may be NULL. */
const char *theme_word(const struct theme *theme, const char *text);

/* The same with a number in it: "Random {n}% read" is the word for "Random 70%
 * read". Into buf; returns buf. */
char *theme_numbered(const struct theme *theme, const char *text, char *buf,
		     size_t size);

/* The same for a format of printf, among the sentences. */
__attribute__((format_arg(2))) const char *
theme_sentence(const struct theme *theme, const char *format);

/* Do two formats take the same arguments in the same order? */
bool theme_formats_match(const char *a, const char *b);

void theme_fini(struct theme *theme);

/*
 * Is it a PNG that can be taken into a book: at most THEME_LOGO_BYTES_MAX and
 * 4,096 pixels a side, whole from its first chunk to its last? Fills the size
 * in pixels at 96 dpi, by which the library draws it. 0 or -EINVAL.
 */
#define THEME_LOGO_BYTES_MAX (1024 * 1024)
int theme_measure_logo(const unsigned char *bytes, size_t size, uint32_t *width,
		       uint32_t *height);

#endif
