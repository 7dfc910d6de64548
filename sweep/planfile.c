#include "sweep/planfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/point.h"
#include "export/tags.h"
#include "sweep/ini.h"
#include "sweep/tags.h"
#include "sweep/variant.h"
#include "sweep/words.h"

struct reader {
	struct plan_request *req;
	bool has_sweep;
	/* Where keys go: common, or the keys of the last section. */
	struct plan_text *texts;
	int key_count;	 /* of texts */
	bool in_variant; /* they are enum plan_variant_key */
	/* In [tags] keys are anybody's. */
	bool in_tags;
	char *tags_target; /* owned; NULL: of all */
};

static int begin_sweep(struct reader *r, const char *where, struct err *err)
{
	if (r->has_sweep)
		return err_usage(err, "%s: [sweep] comes twice; keep one",
				 where);
	r->has_sweep = true;
	r->texts = r->req->common;
	r->key_count = PLAN_KEY_COUNT;
	r->in_variant = false;
	return 0;
}

static int check_workload_name(const struct plan_request *req,
			       const char *where, const char *name,
			       struct err *err)
{
	uint32_t i;

	if (!*name)
		return err_usage(err,
				 "%s: the workload has no name; write "
				 "[workload NAME]",
				 where);
	if (strlen(name) >= POINT_NAME_MAX)
		return err_usage(err,
				 "%s: the name of the workload is longer than "
				 "%d bytes",
				 where, POINT_NAME_MAX - 1);
	for (i = 0; i < req->section_count; i++)
		if (!strcmp(req->sections[i].name, name))
			return err_usage(err,
					 "%s: [workload %s] comes twice; give "
					 "each its own name",
					 where, name);
	return 0;
}

static int begin_workload(struct reader *r, const char *where, const char *name,
			  struct err *err)
{
	struct plan_request *req = r->req;
	struct plan_section *sections, *section;
	int ret = check_workload_name(req, where, name, err);

	if (ret)
		return ret;
	if (req->section_count == PLANFILE_SECTIONS_MAX)
		return err_usage(err, "%s: more than %d workloads; write fewer",
				 where, PLANFILE_SECTIONS_MAX);
	sections = realloc(req->sections,
			   (req->section_count + 1) * sizeof(*sections));
	if (!sections)
		return err_failed(err, ENOMEM, "out of memory");
	req->sections = sections;
	section = &sections[req->section_count];
	memset(section, 0, sizeof(*section));
	section->name = strdup(name);
	if (!section->name)
		return err_failed(err, ENOMEM, "out of memory");
	req->section_count++;
	r->texts = section->axis;
	r->key_count = PLAN_AXIS_COUNT;
	r->in_variant = false;
	return 0;
}

/* A variant is named in lists, where commas part names. */
static int check_variant_name(const struct plan_request *req, const char *where,
			      const char *name, struct err *err)
{
	uint32_t i;

	if (!*name || strchr(name, ','))
		return err_usage(err,
				 "%s: '%.60s' is no name of a variant; write "
				 "[variant NAME] without a comma in it",
				 where, name);
	if (strlen(name) >= POINT_NAME_MAX)
		return err_usage(err,
				 "%s: the name of the variant is longer than "
				 "%d bytes",
				 where, POINT_NAME_MAX - 1);
	for (i = 0; i < req->variant_count; i++)
		if (!strcmp(req->variants[i].name, name))
			return err_usage(err,
					 "%s: [variant %s] comes twice; give "
					 "each its own name",
					 where, name);
	return 0;
}

static int begin_variant(struct reader *r, const char *where, const char *name,
			 struct err *err)
{
	struct plan_request *req = r->req;
	struct plan_variant *variants, *variant;
	int ret = check_variant_name(req, where, name, err);

	if (ret)
		return ret;
	if (req->variant_count == VARIANTS_MAX)
		return err_usage(err, "%s: more than %d variants; write fewer",
				 where, VARIANTS_MAX);
	variants = realloc(req->variants,
			   (req->variant_count + 1) * sizeof(*variants));
	if (!variants)
		return err_failed(err, ENOMEM, "out of memory");
	req->variants = variants;
	variant = &variants[req->variant_count];
	memset(variant, 0, sizeof(*variant));
	variant->name = strdup(name);
	if (!variant->name)
		return err_failed(err, ENOMEM, "out of memory");
	req->variant_count++;
	r->texts = variant->key;
	r->key_count = PLAN_VARIANT_KEY_COUNT;
	r->in_variant = true;
	return 0;
}

/* What stands behind a word and blanks; NULL when text begins otherwise. */
static const char *behind_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(text, word, len) || (text[len] && text[len] != ' '))
		return NULL;
	return text + len + strspn(text + len, " ");
}

static int begin_tags(struct reader *r, const char *target, struct err *err)
{
	r->in_tags = true;
	if (*target) {
		r->tags_target = strdup(target);
		if (!r->tags_target)
			return err_failed(err, ENOMEM, "out of memory");
	}
	return 0;
}

static int begin_section(struct reader *r, const char *where,
			 const char *section, struct err *err)
{
	const char *workload = behind_word(section, "workload");
	const char *variant = behind_word(section, "variant");
	const char *tags = behind_word(section, TAGS_SECTION);
	struct words_nearest near = {.word = section};
	char hint[WORDS_HINT_MAX];

	r->in_tags = false;
	free(r->tags_target);
	r->tags_target = NULL;
	if (!strcmp(section, "sweep"))
		return begin_sweep(r, where, err);
	if (workload)
		return begin_workload(r, where, workload, err);
	if (variant)
		return begin_variant(r, where, variant, err);
	if (tags)
		return begin_tags(r, tags, err);
	words_offer(&near, "sweep");
	words_offer(&near, "workload");
	words_offer(&near, "variant");
	words_offer(&near, TAGS_SECTION);
	return err_usage(err,
			 "%s: [%.60s] is no section of a plan, which has "
			 "[sweep], [workload NAME], [variant NAME], [tags] and "
			 "[tags TARGET]%s",
			 where, section, words_hint(&near, hint));
}

/* The place of a name among those of a table; -1, and the nearest offered. */
static int find_name(const char *(*name_of)(int i), int count, const char *key,
		     struct words_nearest *near)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!strcmp(name_of(i), key))
			return i;
		words_offer(near, name_of(i));
	}
	return -1;
}

static const char *plan_name(int i)
{
	return plan_key_name((enum plan_key)i);
}

static const char *variant_name(int i)
{
	return plan_variant_key_name((enum plan_variant_key)i);
}

/* A key that belongs to another section than the one it stands in. */
static int refuse_place(const struct reader *r, const char *where,
			const char *key, struct err *err)
{
	struct words_nearest near = {.word = key};
	int plan = find_name(plan_name, PLAN_KEY_COUNT, key, &near);

	if (plan < 0 &&
	    find_name(variant_name, PLAN_VARIANT_KEY_COUNT, key, &near) >= 0)
		return err_usage(err,
				 "%s: '%s' belongs to a variant; write it "
				 "under [variant NAME]",
				 where, key);
	if (plan >= PLAN_AXIS_COUNT)
		return err_usage(err,
				 "%s: '%s' holds for the whole sweep; write it "
				 "under [sweep]",
				 where, key);
	if (plan >= 0 && r->in_variant)
		return err_usage(err,
				 "%s: '%s' is the same for all variants, so "
				 "that they can be compared; write it under "
				 "[sweep] or [workload NAME]",
				 where, key);
	return 0;
}

static int find_key(const struct reader *r, const char *where, const char *key,
		    struct err *err)
{
	struct words_nearest near = {.word = key};
	char hint[WORDS_HINT_MAX];
	int i = find_name(r->in_variant ? variant_name : plan_name,
			  r->key_count, key, &near);

	if (i >= 0)
		return i;
	i = refuse_place(r, where, key, err);
	if (i)
		return i;
	return err_usage(err, "%s: '%s' is no key of a %s%s", where, key,
			 r->in_variant ? "variant" : "plan",
			 near.best ? words_hint(&near, hint)
			 : r->in_variant
			     ? ", which has target, cache, state, enter, leave "
			       "and before-point"
			     : "; keys are named like the options of iosweep "
			       "run --help");
}

/* Commands are the shell's: # and ; have a meaning there. */
static bool has_comment(const struct reader *r, int key, const char *value)
{
	if (r->in_variant && key >= PLAN_VARIANT_FIRST_COMMAND)
		return false;
	return strstr(value, " #") || strstr(value, " ;");
}

static int set_key(struct reader *r, const char *where, const char *key,
		   const char *value, struct err *err)
{
	char place[4096];
	int i;

	if (r->in_tags)
		return tags_add(r->req, r->tags_target, key, value, where, err);
	i = find_key(r, where, key, err);
	if (i < 0)
		return i;
	if (!*value)
		return err_usage(err, "%s: '%s' has no value", where, key);
	if (has_comment(r, i, value))
		return err_usage(err,
				 "%s: '%s' has a comment behind its value; "
				 "comments are lines of their own",
				 where, key);
	snprintf(place, sizeof(place), "%s: %s", where, key);
	if (plan_text_set(&r->texts[i], value, place))
		return err_failed(err, ENOMEM, "out of memory");
	return 0;
}

static int handle(void *arg, const char *where, const char *section,
		  const char *key, const char *value, struct err *err)
{
	if (!key)
		return begin_section(arg, where, section, err);
	return set_key(arg, where, key, value, err);
}

int planfile_read(const char *path, struct plan_request *req, struct err *err)
{
	struct reader r = {.req = req};
	int ret = ini_read(path, handle, &r, err);

	free(r.tags_target);
	if (ret)
		return ret;
	if (!r.has_sweep && !req->section_count && !req->variant_count)
		return err_usage(err,
				 "%s holds no plan; write [sweep], [workload "
				 "NAME] or [variant NAME] and keys under it",
				 path);
	return 0;
}
