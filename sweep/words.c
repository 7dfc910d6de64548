#include "sweep/words.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Longer words are no misspelt names of ours. */
#define WORD_MAX 40

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Optimal string alignment distance, in three rows. */
static unsigned count_edits(const char *a, size_t a_len, const char *b,
			    size_t b_len)
{
	unsigned rows[3][WORD_MAX + 1];
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned)j;
	for (i = 1; i <= a_len; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *up = rows[(i + 2) % 3];
		const unsigned *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (j = 1; j <= b_len; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			row[j] =
			    min3(up[j] + 1, row[j - 1] + 1, up[j - 1] + !same);
			if (i > 1 && j > 1 &&
			    lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = min3(row[j], up2[j - 2] + 1, row[j]);
		}
	}
	return rows[a_len % 3][b_len];
}

void words_offer(struct words_nearest *near, const char *name)
{
	size_t word_len = strlen(near->word);
	size_t name_len = strlen(name);
	unsigned edits;

	if (word_len > WORD_MAX || name_len > WORD_MAX)
		return;
	edits = count_edits(near->word, word_len, name, name_len);
	/* "depth" means queue-depth, though much is missing. */
	if (word_len >= 4 && strstr(name, near->word))
		edits = 1;
	if (edits > 1 + word_len / 4 || edits >= name_len)
		return;
	if (near->best && near->edits <= edits)
		return;
	near->best = name;
	near->edits = edits;
}

char *words_hint(const struct words_nearest *near, char buf[WORDS_HINT_MAX])
{
	buf[0] = '\0';
	if (near->best)
		snprintf(buf, WORDS_HINT_MAX, "; did you mean '%s'?",
			 near->best);
	return buf;
}

/* Length of a lead byte's sequence and the bits of it that count; 0 for a
 * byte that leads nothing. */
static unsigned lead_bits(unsigned char c, uint32_t *bits)
{
	if (c < 0x80) {
		*bits = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*bits = c & 0x1f;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*bits = c & 0x0f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*bits = c & 0x07;
		return 4;
	}
	return 0;
}

/* Bytes of the character at text and its code point; 0 when they are not
 * UTF-8 (overlong, surrogate, beyond U+10FFFF, cut). */
static unsigned decode(const char *text, uint32_t *out)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code;
	unsigned i, len = lead_bits((unsigned char)text[0], &code);

	for (i = 1; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c & 0x3f);
	}
	if (!len || code < least[len] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*out = code;
	return len;
}

/* C0, DEL and C1 controls, and what XML forbids besides. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe ||
	       code == 0xffff;
}

bool words_are_clean(const char *text)
{
	while (*text) {
		uint32_t code = 0;
		unsigned len = decode(text, &code);

		if (!len || is_control(code))
			return false;
		text += len;
	}
	return true;
}

/* Characters that stand for an ASCII one in pasted text. */
static const struct lookalike {
	uint32_t code;
	const char *name;
	bool dash;
} lookalikes[] = {
    {0x00a0, "no-break space", false},
    {0x00ad, "soft hyphen", true},
    {0x00d7, "multiplication sign", false},
    {0x2010, "hyphen", true},
    {0x2011, "non-breaking hyphen", true},
    {0x2012, "figure dash", true},
    {0x2013, "en dash", true},
    {0x2014, "em dash", true},
    {0x2015, "horizontal bar", true},
    {0x2018, "left single quotation mark", false},
    {0x2019, "right single quotation mark", false},
    {0x201c, "left double quotation mark", false},
    {0x201d, "right double quotation mark", false},
    {0x2026, "ellipsis", false},
    {0x2212, "minus sign", true},
    {0xfe58, "small em dash", true},
    {0xfe63, "small hyphen-minus", true},
    {0xff0d, "fullwidth hyphen-minus", true},
    {0, NULL, false},
};

static const struct lookalike *find_lookalike(uint32_t code)
{
	const struct lookalike *l;

	for (l = lookalikes; l->name; l++)
		if (l->code == code)
			return l;
	return NULL;
}

const char *words_foreign_char(const char *text, char buf[WORDS_CHAR_MAX])
{
	const struct lookalike *known;
	uint32_t code = 0;

	while (*text && (unsigned char)*text < 0x80)
		text++;
	if (!*text)
		return NULL;
	if (!decode(text, &code)) {
		snprintf(buf, WORDS_CHAR_MAX, "byte 0x%02x (not UTF-8)",
			 (unsigned char)*text);
		return buf;
	}
	known = find_lookalike(code);
	snprintf(buf, WORDS_CHAR_MAX, "U+%04X%s%s%s", (unsigned)code,
		 known ? " (" : "", known ? known->name : "", known ? ")" : "");
	return buf;
}

bool words_start_with_foreign_dash(const char *text)
{
	const struct lookalike *known;
	uint32_t code = 0;

	if (!decode(text, &code))
		return false;
	known = find_lookalike(code);
	return known && known->dash;
}
