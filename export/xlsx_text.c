#include "export/xlsx.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wctype.h>

#include "engine/text.h"

#define REPLACEMENT 0xfffd
#define ELLIPSIS 0x2026

/* The character at *s, which moves behind it: a blank for a control
 * character, REPLACEMENT for a byte that is no UTF-8 and for what XML does not
 * carry. */
static uint32_t next_character(const char **s)
{
	unsigned char first = (unsigned char)**s;
	size_t len = text_sequence(*s);
	uint32_t c = len > 1 ? first & (0x7fu >> len) : first;
	size_t i;

	for (i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)(*s)[i] & 0x3f);
	*s += len ? len : 1;
	if (first < 0x20 || first == 0x7f)
		return ' ';
	return len == 0 || c == 0xfffe || c == 0xffff ? REPLACEMENT : c;
}

static size_t units_of(uint32_t c)
{
	return c > 0xffff ? 2 : 1;
}

static char *put(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*out++ = (char)(0xe0 | c >> 12);
		} else {
			*out++ = (char)(0xf0 | c >> 18);
			*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

/* UTF-16 units of text after cleaning, escapes aside. */
static size_t units(const char *text)
{
	size_t n = 0;

	while (*text)
		n += units_of(next_character(&text));
	return n;
}

/* _xHHHH_ stands for a character in the strings of a sheet. */
static bool is_escape(const char *s)
{
	size_t i;

	if (s[0] != '_' || s[1] != 'x')
		return false;
	for (i = 2; i < 6; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return s[6] == '_';
}

bool xlsx_is_clean(const char *text, size_t max)
{
	const char *c;

	for (c = text; *c; c++)
		if (*c < 0x20 || *c > 0x7e || (c[0] == '_' && c[1] == 'x'))
			return false;
	return (size_t)(c - text) <= max;
}

char *xlsx_clean(const char *text, size_t max, bool in_cell)
{
	/* A bad byte grows to 3; the underscore of an escape to 7, but that
	 * is one of 7 bytes. */
	char *clean = malloc(strlen(text) * 3 + sizeof("..."));
	char *out = clean;
	bool cut = units(text) > max;
	size_t left = cut ? max - 1 : max;

	if (!clean)
		return NULL;
	while (*text) {
		bool escape = in_cell && is_escape(text);
		uint32_t c = next_character(&text);

		if (units_of(c) > left)
			break;
		left -= units_of(c);
		out = put(out, c);
		if (escape) {
			memcpy(out, "x005F_", 6);
			out += 6;
		}
	}
	if (cut)
		out = put(out, ELLIPSIS);
	*out = '\0';
	return clean;
}

/* Lower case over all of Unicode where the system has C.UTF-8. */
static uint32_t lower(uint32_t c, locale_t unicode)
{
	if (unicode)
		return towlower_l((wint_t)c, unicode);
	return c < 0x80 ? (uint32_t)tolower((int)c) : c;
}

static bool same_name(const char *a, const char *b, locale_t unicode)
{
	while (*a && *b)
		if (lower(next_character(&a), unicode) !=
		    lower(next_character(&b), unicode))
			return false;
	return *a == *b;
}

bool xlsx_is_among(const char *name, const char *const *names, size_t count)
{
	locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	bool found = false;
	size_t i;

	for (i = 0; i < count && !found; i++)
		found = same_name(name, names[i], unicode);
	if (unicode)
		freelocale(unicode);
	return found;
}

static bool is_taken(const char *name, const char *const *names, size_t count)
{
	const char *const reserved = "History";

	return xlsx_is_among(name, &reserved, 1) ||
	       xlsx_is_among(name, names, count);
}

/* In formulas the library puts quotes around a name only when it sees a
 * character that is neither letter nor digit: A1, RC, 2024 and TRUE, which
 * mean something else there, need a word before them. */
static bool needs_a_word(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			return false;
	return strlen(name) <= 3 || strpbrk(name, "0123456789") ||
	       strcasecmp(name, "TRUE") == 0 || strcasecmp(name, "FALSE") == 0;
}

/* At most max units of name, then suffix. */
static void join(const char *name, const char *suffix, char out[XLSX_NAME_SIZE])
{
	size_t left = XLSX_NAME_MAX - strlen(suffix);
	char *end = out;

	while (*name) {
		uint32_t c = next_character(&name);

		if (units_of(c) > left)
			break;
		left -= units_of(c);
		end = put(end, c);
	}
	while (end > out && end[-1] == ' ')
		end--;
	strcpy(end, suffix);
}

/* Without the characters that names must not have, and without those that
 * would need care in every formula (' and !) or link (#) to the sheet. */
static void fit(const char *wanted, char *out)
{
	const char *c;
	char *end = out;

	for (c = wanted; *c; c++)
		if (strchr("[]:*?/\\!'#", *c))
			*end++ = '-';
		else
			*end++ = *c;
	*end = '\0';
}

void xlsx_sheet_name(const char *wanted, const char *const *names, size_t count,
		     char out[XLSX_NAME_SIZE])
{
	char *clean = xlsx_clean(wanted, 4 * XLSX_NAME_MAX, false);
	char base[4 * 3 * XLSX_NAME_MAX + sizeof("Workload ")] = "Workload ";
	size_t prefix = strlen(base);
	char suffix[16] = "";
	const char *name;
	unsigned n = 1;

	fit(clean ? clean : "", base + prefix);
	free(clean);
	name = base + prefix;
	name += strspn(name, " ");
	if (!name[0] || needs_a_word(name)) {
		memmove(base + prefix, name, strlen(name) + 1);
		name = base;
	}
	join(name, suffix, out);
	while (is_taken(out, names, count)) {
		snprintf(suffix, sizeof(suffix), " (%u)", ++n);
		join(name, suffix, out);
	}
}
