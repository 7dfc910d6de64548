#include "sweep/groupby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/words.h"

static bool is_there(const struct tags_keys *keys, const char *key)
{
	uint32_t i;

	for (i = 0; i < keys->count; i++)
		if (!strcmp(keys->key[i], key))
			return true;
	return false;
}

int groupby_parse(struct groupby *g, const char *text, const char *where,
		  struct err *err)
{
	char *rest, *key;

	groupby_fini(g);
	g->text = strdup(text);
	if (!g->text)
		return err_failed(err, ENOMEM, "out of memory");
	rest = g->text;
	while ((key = strsep(&rest, ","))) {
		if (!*key)
			return err_usage(err,
					 "%s: '%.60s' names no tag between its "
					 "commas; write such as storage,raid",
					 where, text);
		if (is_there(&g->keys, key))
			return err_usage(err,
					 "%s: '%.60s' is there twice; keep one",
					 where, key);
		if (g->keys.count == TAGS_KEYS_MAX)
			return err_usage(err,
					 "%s: more than %d tags; a table has "
					 "no room for them",
					 where, TAGS_KEYS_MAX);
		g->keys.key[g->keys.count++] = key;
	}
	return 0;
}

static bool has_tag(const struct run *runs, uint32_t count, const char *key,
		    struct words_nearest *near)
{
	bool found = false;
	uint32_t r, i;

	for (r = 0; r < count; r++)
		for (i = 0; i < runs[r].fact_count; i++) {
			const struct run_fact *f = &runs[r].facts[i];

			if (!tags_is_tag(f))
				continue;
			words_offer(near, f->name);
			found |= !strcmp(f->name, key);
		}
	return found;
}

int groupby_check(const struct groupby *g, const struct run *runs,
		  uint32_t count, struct err *err)
{
	char hint[WORDS_HINT_MAX];
	uint32_t i;

	for (i = 0; i < g->keys.count; i++) {
		const char *key = g->keys.key[i];
		struct words_nearest near = {.word = key};

		words_offer(&near, "target");
		words_offer(&near, "run");
		words_offer(&near, "variant");
		if (near.best && !strcmp(near.best, key))
			continue;
		if (!has_tag(runs, count, key, &near))
			return err_usage(err,
					 "--group-by: no run has the tag "
					 "'%.60s' (--tag, or [tags] in its "
					 "run.ini)%s",
					 key, words_hint(&near, hint));
	}
	return 0;
}

const struct tags_keys *groupby_keys(const struct groupby *g)
{
	return g->keys.count ? &g->keys : NULL;
}

void groupby_fini(struct groupby *g)
{
	free(g->text);
	memset(g, 0, sizeof(*g));
}
