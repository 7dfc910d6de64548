#include "engine/places.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_COUNT 64

/* Room for point; the list at least doubles, as indices come in any order. */
static struct place *find(struct places *p, uint32_t point)
{
	uint32_t count = p->count ? p->count : FIRST_COUNT;
	struct place *grown;

	if (point < p->count)
		return &p->place[point];
	while (count <= point)
		count *= 2;
	grown = realloc(p->place, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + p->count, 0, (count - p->count) * sizeof(*grown));
	p->place = grown;
	p->count = count;
	return &p->place[point];
}

uint64_t *places_get(struct places *p, uint32_t point, uint32_t workers)
{
	struct place *place = find(p, point);
	uint64_t *grown;

	if (!place || place->count >= workers)
		return place ? place->block : NULL;
	grown = realloc(place->block, workers * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + place->count, 0,
	       (workers - place->count) * sizeof(*grown));
	place->block = grown;
	place->count = workers;
	return grown;
}

void places_free(struct places *p)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		free(p->place[i].block);
	free(p->place);
	memset(p, 0, sizeof(*p));
}
