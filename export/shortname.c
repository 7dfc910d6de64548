#include "export/shortname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/text.h"

#define ELLIPSIS "\xe2\x80\xa6"

struct shortname {
	char *full;
	char *cut;
};

static size_t step(const char *s)
{
	size_t len = text_sequence(s);

	return len ? len : 1;
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s += step(s))
		n++;
	return n;
}

static const char *skip(const char *s, size_t count)
{
	while (count--)
		s += step(s);
	return s;
}

char *shortname_cut(const char *text, size_t max, char *buf)
{
	size_t count = characters(text);
	size_t tail = max * 2 / 5;
	size_t head = max - 1 - tail;

	if (count <= max)
		snprintf(buf, SHORTNAME_SIZE, "%s", text);
	else
		snprintf(buf, SHORTNAME_SIZE, "%.*s" ELLIPSIS "%s",
			 (int)(skip(text, head) - text), text,
			 skip(text, count - tail));
	return buf;
}

static int is_taken(const struct shortnames *names, const char *cut)
{
	uint32_t i;

	for (i = 0; i < names->count; i++)
		if (strcasecmp(names->items[i].cut, cut) == 0)
			return 1;
	return 0;
}

static char *make(const struct shortnames *names, const char *text)
{
	char buf[SHORTNAME_SIZE], *cut;
	unsigned n = 1;

	cut = strdup(shortname_cut(text, SHORTNAME_MAX, buf));
	while (cut && is_taken(names, cut)) {
		char number[16];

		free(cut);
		snprintf(number, sizeof(number), " (%u)", ++n);
		shortname_cut(text, SHORTNAME_MAX - strlen(number), buf);
		if (asprintf(&cut, "%s%s", buf, number) < 0)
			cut = NULL;
	}
	return cut;
}

const char *shortnames_get(struct shortnames *names, const char *text)
{
	struct shortname *grown, *item;
	uint32_t i;

	if (characters(text) <= SHORTNAME_MAX)
		return text;
	for (i = 0; i < names->count; i++)
		if (strcmp(names->items[i].full, text) == 0)
			return names->items[i].cut;
	grown = realloc(names->items, (names->count + 1) * sizeof(*grown));
	if (!grown)
		return text;
	names->items = grown;
	item = &grown[names->count];
	item->full = strdup(text);
	item->cut = item->full ? make(names, text) : NULL;
	if (!item->cut) {
		free(item->full);
		return text;
	}
	names->count++;
	return item->cut;
}

void shortnames_free(struct shortnames *names)
{
	uint32_t i;

	for (i = 0; i < names->count; i++) {
		free(names->items[i].full);
		free(names->items[i].cut);
	}
	free(names->items);
	memset(names, 0, sizeof(*names));
}
