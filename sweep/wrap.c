#include "sweep/wrap.h"

#include <string.h>

/* Of the first len bytes. */
static unsigned count_characters(const char *text, size_t len)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

unsigned wrap_width(const char *text)
{
	return count_characters(text, strlen(text));
}

void wrap_print(FILE *f, const char *text, unsigned column, unsigned indent,
		unsigned width)
{
	const char *gap = "";

	while (*text) {
		size_t len = strcspn(text, " ");
		unsigned word = count_characters(text, len);

		if (*gap && column + 1 + word > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
			gap = "";
		}
		fprintf(f, "%s%.*s", gap, (int)len, text);
		column += word + (*gap ? 1 : 0);
		gap = " ";
		text += len + strspn(text + len, " ");
	}
	fputc('\n', f);
}
