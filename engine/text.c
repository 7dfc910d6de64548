#include "engine/text.h"

#include <stdbool.h>
#include <stdint.h>

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Length by the first byte, and the bits of the code point it holds. */
static size_t lead(unsigned char c, uint32_t *bits)
{
	if (c < 0x80) {
		*bits = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*bits = c & 0x1fu;
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*bits = c & 0x0fu;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*bits = c & 0x07u;
		return 4;
	}
	return 0;
}

static bool is_printable(uint32_t point)
{
	return point >= 0x20 && (point < 0x7f || point > 0x9f);
}

size_t text_sequence(const char *s)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *c = (const unsigned char *)s;
	uint32_t point;
	size_t length = lead(c[0], &point);
	size_t i;

	for (i = 1; i < length; i++) {
		if (!continues(c[i]))
			return 0;
		point = point << 6 | (c[i] & 0x3fu);
	}
	if (!length || point < smallest[length] || point > 0x10ffff ||
	    (point >= 0xd800 && point <= 0xdfff) || !is_printable(point))
		return 0;
	return length;
}

void text_clean(char *s)
{
	while (*s) {
		size_t length = text_sequence(s);

		if (!length) {
			*s = '?';
			length = 1;
		}
		s += length;
	}
}
