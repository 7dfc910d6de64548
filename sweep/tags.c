#include "sweep/tags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/tags.h"
#include "sweep/words.h"

static bool is_key(const char *key)
{
	size_t length = strlen(key);

	return length && length <= TAGS_KEY_MAX && words_are_clean(key) &&
	       !strpbrk(key, "=,") && !strchr("[#; ", key[0]) &&
	       key[length - 1] != ' ';
}

static bool is_value(const char *value)
{
	size_t length = strlen(value);

	return length && length <= TAGS_VALUE_MAX && words_are_clean(value);
}

static int check(const char *key, const char *value, const char *where,
		 struct err *err)
{
	if (!is_key(key))
		return err_usage(err,
				 "%s: '%.60s' is not the name of a tag; write "
				 "up to %d bytes of text without '=' and ',', "
				 "such as raid=5",
				 where, key, TAGS_KEY_MAX);
	if (!is_value(value))
		return err_usage(err,
				 "%s: the tag '%s' needs a value of up to %d "
				 "bytes of text, such as raid=5",
				 where, key, TAGS_VALUE_MAX);
	return 0;
}

static bool same_target(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* One that was said before it, of that key and target or by the command line
 * of all. */
static const struct plan_tag *said_before(const struct plan_request *req,
					  const char *target, const char *key)
{
	uint32_t i;

	for (i = 0; i < req->tag_count; i++)
		if (!strcmp(req->tags[i].key, key) &&
		    (req->tags[i].option ||
		     same_target(req->tags[i].target, target)))
			return &req->tags[i];
	return NULL;
}

static int append(struct plan_request *req, const char *target, const char *key,
		  const char *value, const char *where, struct err *err)
{
	struct plan_tag *tags =
	    realloc(req->tags, (req->tag_count + 1) * sizeof(*tags));
	struct plan_tag *tag;

	if (!tags)
		return err_failed(err, ENOMEM, "out of memory");
	req->tags = tags;
	tag = &tags[req->tag_count++];
	tag->target = target ? strdup(target) : NULL;
	tag->key = strdup(key);
	tag->value = strdup(value);
	tag->where = strdup(where);
	tag->option = false;
	if ((target && !tag->target) || !tag->key || !tag->value || !tag->where)
		return err_failed(err, ENOMEM, "out of memory");
	return 0;
}

int tags_add(struct plan_request *req, const char *target, const char *key,
	     const char *value, const char *where, struct err *err)
{
	const struct plan_tag *before;
	int rc = check(key, value, where, err);

	if (rc)
		return rc;
	before = said_before(req, target, key);
	if (!before)
		return append(req, target, key, value, where, err);
	if (before->option && strcmp(where, before->where))
		return 0;
	return err_usage(err, "%s: the tag '%s' comes twice; keep one", where,
			 key);
}

int tags_add_option(struct plan_request *req, const char *text,
		    const char *where, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *key = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	int rc;

	if (!equals)
		return err_usage(err,
				 "%s: '%.60s' is not a tag; write KEY=VALUE, "
				 "such as raid=5",
				 where, text);
	if (!key)
		return err_failed(err, ENOMEM, "out of memory");
	rc = tags_add(req, NULL, key, equals + 1, where, err);
	if (!rc)
		req->tags[req->tag_count - 1].option = true;
	free(key);
	return rc;
}

static bool is_measured(const struct plan *plan, const char *target)
{
	uint32_t i;

	for (i = 0; i < plan->target_count; i++)
		if (!strcmp(plan->targets[i], target))
			return true;
	return false;
}

int tags_check(const struct plan_request *req, const struct plan *plan,
	       struct err *err)
{
	uint32_t i;

	for (i = 0; i < req->tag_count; i++)
		if (req->tags[i].target &&
		    !is_measured(plan, req->tags[i].target))
			return err_usage(err,
					 "%s: [tags %s] is about a target that "
					 "is not measured; name it as the "
					 "command line does",
					 req->tags[i].where,
					 req->tags[i].target);
	return 0;
}

void tags_add_facts(const struct plan_request *req, struct facts *facts)
{
	uint32_t i;

	for (i = 0; i < req->tag_count; i++)
		if (!req->tags[i].target)
			facts_add(facts, TAGS_SECTION, req->tags[i].key,
				  req->tags[i].value);
	for (i = 0; i < req->tag_count; i++) {
		char *section;

		if (!req->tags[i].target)
			continue;
		if (asprintf(&section, TAGS_SECTION " %s",
			     req->tags[i].target) < 0) {
			facts->failed = true;
			return;
		}
		facts_add(facts, section, req->tags[i].key, req->tags[i].value);
		free(section);
	}
}
