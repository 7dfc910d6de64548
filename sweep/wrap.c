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

/* Bytes up to a blank at which a line may break: a number stays with the word
 * behind it, which is its unit or what it counts. */
static size_t count_unbroken(const char *text)
{
	size_t len = strcspn(text, " ");

	if (len && text[len] == ' ' && text[len + 1] != ' ' &&
	    text[len - 1] >= '0' && text[len - 1] <= '9')
		len += 1 + strcspn(text + len + 1, " ");
	return len;
}

void wrap_print(FILE *f, const char *text, unsigned column, unsigned indent,
		unsigned width)
{
	const char *gap = "";

	while (*text) {
		size_t len = count_unbroken(text);
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
