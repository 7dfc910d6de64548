#include "sweep/choice.h"

#include <string.h>

#include "sweep/axis.h"
#include "sweep/words.h"

int choice_find(const struct choice *c, const char *name, const char *where,
		struct err *err)
{
	struct words_nearest near = {.word = name};
	char hint[WORDS_HINT_MAX];
	int i;

	for (i = 0; i < c->count; i++) {
		if (!strcmp(c->names[i], name))
			return i;
		words_offer(&near, c->names[i]);
	}
	return err_usage(err, "%s: '%.60s' is not %s%s", where, name, c->noun,
			 words_hint(&near, hint));
}

int choice_parse_list(const struct choice *c, const struct plan_text *t,
		      bool *wanted, struct err *err)
{
	struct axis_names list;
	uint32_t i;
	int ret = axis_parse_names(t->value, t->where, &list, err);

	if (ret)
		return ret;
	for (i = 0; i < list.count && ret >= 0; i++) {
		ret = choice_find(c, list.names[i], t->where, err);
		if (ret >= 0)
			wanted[ret] = true;
	}
	axis_names_free(&list);
	return ret < 0 ? ret : 0;
}

int choice_parse_caches(const struct plan_text *t, bool *wanted,
			struct err *err)
{
	const char *names[CACHE_COUNT];
	const struct choice modes = {
	    .names = names,
	    .count = CACHE_COUNT,
	    .noun = "a cache mode (direct, buffered, dsync or direct+dsync)",
	};
	int i;

	for (i = 0; i < CACHE_COUNT; i++)
		names[i] = cache_mode_name((enum cache_mode)i);
	return choice_parse_list(&modes, t, wanted, err);
}

int choice_find_state(const char *name, const char *where,
		      enum cache_state *out, struct err *err)
{
	const char *names[STATE_COUNT];
	struct choice states = {
	    .names = names,
	    .noun = "a state of the caches (as-is, cold or warm)",
	};
	int i;

	for (i = STATE_AS_IS; i < STATE_COUNT; i++)
		names[states.count++] = cache_state_name((enum cache_state)i);
	i = choice_find(&states, name, where, err);
	if (i < 0)
		return i;
	*out = (enum cache_state)(STATE_AS_IS + i);
	return 0;
}
