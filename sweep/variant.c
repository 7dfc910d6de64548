#include "sweep/variant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/axis.h"
#include "sweep/choice.h"
#include "sweep/words.h"

static int out_of_memory(struct err *err)
{
	return err_failed(err, ENOMEM, "out of memory for the variants");
}

static int copy_text(const struct plan_text *t, char **out, struct err *err)
{
	if (!t->value)
		return 0;
	*out = strdup(t->value);
	return *out ? 0 : out_of_memory(err);
}

/* What is said on the command line holds for every variant. */
static int parse_state(const struct plan_request *req,
		       const struct plan_variant *section,
		       enum cache_state *out, struct err *err)
{
	const struct plan_text *said = &req->option[PLAN_STATE];

	if (!said->value && section)
		said = &section->key[PLAN_VARIANT_STATE];
	if (!said->value)
		said = &req->common[PLAN_STATE];
	return said->value
		   ? choice_find_state(said->value, said->where, out, err)
		   : 0;
}

static int parse_caches(const struct plan_request *req,
			const struct plan_variant *section, struct variant *v,
			struct err *err)
{
	const struct plan_text *said = &section->key[PLAN_VARIANT_CACHE];

	if (!said->value || req->option[PLAN_CACHE].value)
		return 0;
	v->has_caches = true;
	return choice_parse_caches(said, v->caches, err);
}

static int parse_one(const struct plan_request *req,
		     const struct plan_variant *section, struct variant *v,
		     struct err *err)
{
	const struct plan_text *key = section->key;
	int ret = parse_state(req, section, &v->state, err);

	v->name = strdup(section->name);
	if (!v->name)
		return out_of_memory(err);
	if (!ret)
		ret = parse_caches(req, section, v, err);
	if (!ret)
		ret = copy_text(&key[PLAN_VARIANT_ENTER], &v->enter, err);
	if (!ret)
		ret = copy_text(&key[PLAN_VARIANT_LEAVE], &v->leave, err);
	if (!ret)
		ret = copy_text(&key[PLAN_VARIANT_BEFORE_POINT],
				&v->before_point, err);
	if (!ret)
		ret = copy_text(&key[PLAN_VARIANT_TARGET], &v->target, err);
	return ret;
}

int variants_parse(const struct plan_request *req, struct variants *out,
		   struct err *err)
{
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (!req->variant_count)
		return 0;
	out->declared = true;
	out->items = calloc(req->variant_count, sizeof(*out->items));
	if (!out->items)
		return out_of_memory(err);
	while (!ret && out->count < req->variant_count) {
		ret = parse_one(req, &req->variants[out->count],
				&out->items[out->count], err);
		out->count++;
	}
	return ret;
}

void variants_fini(struct variants *v)
{
	uint32_t i;

	for (i = 0; i < v->count; i++) {
		free(v->items[i].name);
		free(v->items[i].enter);
		free(v->items[i].leave);
		free(v->items[i].before_point);
		free(v->items[i].target);
	}
	free(v->items);
	memset(v, 0, sizeof(*v));
}

/* Its place, or -1. */
static int64_t place_of(const struct variants *v, const char *name)
{
	uint32_t i;

	for (i = 0; i < v->count; i++)
		if (!strcmp(v->items[i].name, name))
			return i;
	return -1;
}

const struct variant *variants_find(const struct variants *v, const char *name)
{
	int64_t i = place_of(v, name);

	return i < 0 ? NULL : &v->items[i];
}

/* The place of a label, a new one where nobody has said it before. */
static int64_t add_label(struct variants *v, const struct plan_request *req,
			 const char *name, struct err *err)
{
	int64_t i = place_of(v, name);
	struct variant *grown;
	int ret;

	if (i >= 0)
		return i;
	if (v->count == VARIANTS_MAX)
		return err_usage(err, "more than %d variants; name fewer",
				 VARIANTS_MAX);
	grown = realloc(v->items, (v->count + 1) * sizeof(*grown));
	if (!grown)
		return out_of_memory(err);
	v->items = grown;
	memset(&grown[v->count], 0, sizeof(*grown));
	ret = parse_state(req, NULL, &grown[v->count].state, err);
	if (ret)
		return ret;
	grown[v->count].name = strdup(name);
	if (!grown[v->count].name)
		return out_of_memory(err);
	return v->count++;
}

/* The place of a section selected. */
static int64_t find_declared(const struct variants *v, const char *name,
			     const char *where, struct err *err)
{
	struct words_nearest near = {.word = name};
	char hint[WORDS_HINT_MAX];
	int64_t found = place_of(v, name);
	uint32_t i;

	if (found >= 0)
		return found;
	for (i = 0; i < v->count; i++)
		words_offer(&near, v->items[i].name);
	return err_usage(err,
			 "%s: '%.60s' is no [variant] of this plan, which "
			 "begins with '%.60s'%s",
			 where, name, v->items[0].name,
			 words_hint(&near, hint));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Without a word: all that is declared, or one of no name. */
static int select_all(struct variants *v, const struct plan_request *req,
		      uint32_t *places, struct err *err)
{
	uint32_t i;
	int64_t place;

	if (!v->declared) {
		place = add_label(v, req, "", err);
		places[0] = (uint32_t)place;
		return place < 0 ? (int)place : 1;
	}
	for (i = 0; i < v->count; i++)
		places[i] = i;
	return (int)v->count;
}

static int compare_places(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static int select_names(struct variants *v, const struct plan_request *req,
			const struct plan_text *said, uint32_t *places,
			struct err *err)
{
	struct axis_names list;
	uint32_t i;
	int64_t place = 0;
	int ret = axis_parse_names(said->value, said->where, &list, err);

	if (ret)
		return ret;
	qsort(list.names, list.count, sizeof(*list.names), compare_names);
	for (i = 0; i < list.count && place >= 0; i++) {
		place = v->declared
			    ? find_declared(v, list.names[i], said->where, err)
			    : add_label(v, req, list.names[i], err);
		places[i] = (uint32_t)place;
	}
	ret = place < 0 ? (int)place : (int)list.count;
	axis_names_free(&list);
	if (ret > 0 && v->declared)
		qsort(places, (size_t)ret, sizeof(*places), compare_places);
	return ret;
}

int variants_select(struct variants *v, const struct plan_request *req,
		    const struct plan_section *section, uint32_t **out,
		    uint32_t *out_count, struct err *err)
{
	struct plan_text fallback;
	const struct plan_text *said =
	    plan_said(req, section, PLAN_VARIANT, &fallback);
	uint32_t *places = calloc(AXIS_NAMES_MAX, sizeof(*places));
	int i, count;

	if (!places)
		return out_of_memory(err);
	count = said ? select_names(v, req, said, places, err)
		     : select_all(v, req, places, err);
	if (count < 0) {
		free(places);
		return count;
	}
	for (i = 0; i < count; i++)
		v->items[places[i]].used = true;
	*out = places;
	*out_count = (uint32_t)count;
	return 0;
}

bool variants_warm(const struct variants *v)
{
	uint32_t i;

	for (i = 0; i < v->count; i++)
		if (v->items[i].used && v->items[i].state == STATE_WARM)
			return true;
	return false;
}

bool variants_cost_switches(const struct variants *v)
{
	uint32_t i;

	for (i = 0; i < v->count; i++)
		if (v->items[i].used &&
		    (v->items[i].enter || v->items[i].leave))
			return true;
	return variants_warm(v);
}
