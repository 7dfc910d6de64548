#include "engine/strings.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

/* Open addressing, never more than half full. */
struct strings {
	char **slots;	   /* NULL: free */
	size_t slot_count; /* a power of two */
	size_t used;
};

/* FNV-1a. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

/* Where text is or would be. */
static char **find_slot(char **slots, size_t slot_count, const char *text)
{
	size_t i = hash_text(text) & (slot_count - 1);

	while (slots[i] && strcmp(slots[i], text))
		i = (i + 1) & (slot_count - 1);
	return &slots[i];
}

static int grow(struct strings *s)
{
	size_t count = s->slot_count * 2;
	char **slots = calloc(count, sizeof(*slots));
	size_t i;

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < s->slot_count; i++)
		if (s->slots[i])
			*find_slot(slots, count, s->slots[i]) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->slot_count = count;
	return 0;
}

struct strings *strings_new(void)
{
	struct strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->slot_count = FIRST_SLOTS;
	s->slots = calloc(s->slot_count, sizeof(*s->slots));
	if (!s->slots) {
		free(s);
		return NULL;
	}
	return s;
}

const char *strings_keep(struct strings *s, const char *text)
{
	char **slot = find_slot(s->slots, s->slot_count, text);

	if (*slot)
		return *slot;
	if ((s->used + 1) * 2 > s->slot_count) {
		if (grow(s))
			return NULL;
		slot = find_slot(s->slots, s->slot_count, text);
	}
	*slot = strdup(text);
	if (*slot)
		s->used++;
	return *slot;
}

void strings_free(struct strings *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->slot_count; i++)
		free(s->slots[i]);
	free(s->slots);
	free(s);
}
