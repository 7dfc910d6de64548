#include "sweep/planfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/point.h"
#include "sweep/ini.h"
#include "sweep/words.h"

struct reader {
	struct plan_request *req;
	bool has_sweep;
	/* Where keys go: common, or the axes of the last section. */
	struct plan_text *texts;
	int key_count; /* of texts */
};

static int begin_sweep(struct reader *r, const char *where, struct err *err)
{
	if (r->has_sweep)
		return err_usage(err, "%s: [sweep] comes twice; keep one",
				 where);
	r->has_sweep = true;
	r->texts = r->req->common;
	r->key_count = PLAN_KEY_COUNT;
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

static int begin_section(struct reader *r, const char *where,
			 const char *section, struct err *err)
{
	const char *name = behind_word(section, "workload");
	struct words_nearest near = {.word = section};
	char hint[WORDS_HINT_MAX];

	if (!strcmp(section, "sweep"))
		return begin_sweep(r, where, err);
	if (name)
		return begin_workload(r, where, name, err);
	if (behind_word(section, "variant"))
		return err_usage(err,
				 "%s: [%.60s] is not understood by this "
				 "version; plans have [sweep] and [workload "
				 "NAME]",
				 where, section);
	words_offer(&near, "sweep");
	words_offer(&near, "workload");
	return err_usage(err,
			 "%s: [%.60s] is no section of a plan, which has "
			 "[sweep] and [workload NAME]%s",
			 where, section, words_hint(&near, hint));
}

static int find_key(const struct reader *r, const char *where, const char *key,
		    struct err *err)
{
	struct words_nearest near = {.word = key};
	char hint[WORDS_HINT_MAX];
	int i;

	for (i = 0; i < PLAN_KEY_COUNT; i++) {
		const char *name = plan_key_name((enum plan_key)i);

		if (!strcmp(name, key))
			break;
		if (i < r->key_count)
			words_offer(&near, name);
	}
	if (i < r->key_count)
		return i;
	if (i < PLAN_KEY_COUNT)
		return err_usage(err,
				 "%s: '%s' holds for the whole sweep; write it "
				 "under [sweep]",
				 where, key);
	return err_usage(err, "%s: '%s' is no key of a plan%s", where, key,
			 near.best ? words_hint(&near, hint)
				   : "; keys are named like the options of "
				     "iosweep run --help");
}

static int set_key(struct reader *r, const char *where, const char *key,
		   const char *value, struct err *err)
{
	char place[4096];
	int i = find_key(r, where, key, err);

	if (i < 0)
		return i;
	if (!*value)
		return err_usage(err, "%s: '%s' has no value", where, key);
	if (strstr(value, " #") || strstr(value, " ;"))
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

	if (ret)
		return ret;
	if (!r.has_sweep && !req->section_count)
		return err_usage(err,
				 "%s holds no plan; write [sweep] or [workload "
				 "NAME] and keys under it",
				 path);
	return 0;
}
