#include "export/theme.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 4096

static const char *look_up(const struct theme_words *words, const char *text)
{
	uint32_t i;

	for (i = 0; i < words->count; i++)
		if (strcmp(words->items[i].english, text) == 0)
			return words->items[i].word;
	return text;
}

const char *theme_word(const struct theme *theme, const char *text)
{
	return theme ? look_up(&theme->words, text) : text;
}

char *theme_numbered(const struct theme *theme, const char *text, char *buf,
		     size_t size)
{
	size_t before = strcspn(text, "0123456789");
	size_t number = strspn(text + before, "0123456789.");
	char pattern[THEME_SENTENCE_MAX + 1];
	const char *word, *place;

	snprintf(pattern, sizeof(pattern), "%.*s" THEME_NUMBER "%s",
		 (int)before, text, text + before + number);
	word = theme_word(theme, number ? pattern : text);
	place = strstr(word, THEME_NUMBER);
	if (word == pattern || !place)
		snprintf(buf, size, "%s", word == pattern ? text : word);
	else
		snprintf(buf, size, "%.*s%.*s%s", (int)(place - word), word,
			 (int)number, text + before,
			 place + strlen(THEME_NUMBER));
	return buf;
}

const char *theme_sentence(const struct theme *theme, const char *format)
{
	return theme ? look_up(&theme->sentences, format) : format;
}

/* The next conversion at or behind *at, which moves behind it; its length, 0
 * where there is none. "%%" is no conversion. */
static size_t next_conversion(const char **at, const char **begin)
{
	for (*begin = strchr(*at, '%'); *begin; *begin = strchr(*at, '%')) {
		size_t len = 1 + strspn(*begin + 1, "#0- +'.123456789hljztL*$");

		len += (*begin)[len] != '\0';
		*at = *begin + len;
		if (len != 2 || (*begin)[1] != '%')
			return len;
	}
	return 0;
}

bool theme_formats_match(const char *a, const char *b)
{
	const char *first, *second;
	size_t len, other;

	do {
		len = next_conversion(&a, &first);
		other = next_conversion(&b, &second);
		if (len != other || (len && memcmp(first, second, len) != 0))
			return false;
	} while (len);
	return true;
}

static void free_words(struct theme_words *words)
{
	uint32_t i;

	for (i = 0; i < words->count; i++) {
		free(words->items[i].english);
		free(words->items[i].word);
	}
}

void theme_fini(struct theme *theme)
{
	free_words(&theme->words);
	free_words(&theme->sentences);
	free(theme->logo);
	memset(theme, 0, sizeof(*theme));
}

static uint32_t big_endian(const unsigned char *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
	       (uint32_t)b[2] << 8 | b[3];
}

/* Pixels on a screen of 96 dpi, from those of the file and its pixels a
 * metre. */
static uint32_t on_screen(uint32_t pixels, uint32_t a_metre)
{
	double dpi = a_metre ? a_metre * 0.0254 : 96;
	double shown = pixels * 96.0 / dpi;

	return shown < 1 ? 1 : shown > 1e6 ? 1000000 : (uint32_t)shown;
}

/* The chunk at offset: its type and data, and where the next begins. False
 * where it does not fit. PNG specification (W3C), 5.3. */
struct chunk {
	const unsigned char *type, *data;
	uint32_t length;
};

static bool next_chunk(const unsigned char *bytes, size_t size, size_t *offset,
		       struct chunk *out)
{
	if (size - *offset < 12)
		return false;
	out->length = big_endian(bytes + *offset);
	out->type = bytes + *offset + 4;
	out->data = out->type + 4;
	if (out->length > size - *offset - 12)
		return false;
	*offset += 12 + (size_t)out->length;
	return true;
}

int theme_measure_logo(const unsigned char *bytes, size_t size, uint32_t *width,
		       uint32_t *height)
{
	static const unsigned char signature[8] = {0x89, 'P',  'N',  'G',
						   '\r', '\n', 0x1a, '\n'};
	uint32_t w = 0, h = 0, x_metre = 0, y_metre = 0;
	size_t offset = sizeof(signature);
	struct chunk c;

	if (size > THEME_LOGO_BYTES_MAX || size < offset ||
	    memcmp(bytes, signature, offset) != 0)
		return -EINVAL;
	while (next_chunk(bytes, size, &offset, &c)) {
		if (memcmp(c.type, "IHDR", 4) == 0 && c.length == 13) {
			w = big_endian(c.data);
			h = big_endian(c.data + 4);
		} else if (memcmp(c.type, "pHYs", 4) == 0 && c.length == 9 &&
			   c.data[8] == 1) {
			x_metre = big_endian(c.data);
			y_metre = big_endian(c.data + 4);
		} else if (memcmp(c.type, "IEND", 4) == 0) {
			if (offset != size || !w || w > SIDE_MAX || !h ||
			    h > SIDE_MAX)
				return -EINVAL;
			*width = on_screen(w, x_metre);
			*height = on_screen(h, y_metre);
			return 0;
		}
	}
	return -EINVAL;
}
