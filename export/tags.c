#include "export/tags.h"

#include <stdio.h>
#include <string.h>

#define SECTION_LENGTH (sizeof(TAGS_SECTION) - 1)

/* What a section is about: "" for all targets, NULL when it holds no tags. */
static const char *about(const struct run_fact *f)
{
	if (strncmp(f->section, TAGS_SECTION, SECTION_LENGTH))
		return NULL;
	if (f->section[SECTION_LENGTH] == ' ')
		return f->section + SECTION_LENGTH + 1;
	return f->section[SECTION_LENGTH] ? NULL : "";
}

bool tags_is_tag(const struct run_fact *fact)
{
	return about(fact);
}

static const char *find(const struct run *run, const char *target,
			const char *key)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		const char *of = about(&run->facts[i]);

		if (of && !strcmp(of, target) &&
		    !strcmp(run->facts[i].name, key))
			return run->facts[i].value;
	}
	return "";
}

const char *tags_value(const struct run *run, const char *target,
		       const char *key)
{
	const char *value = find(run, target, key);

	return value[0] ? value : find(run, "", key);
}

static bool has(const struct tags_keys *keys, const char *key)
{
	uint32_t i;

	for (i = 0; i < keys->count; i++)
		if (!strcmp(keys->key[i], key))
			return true;
	return false;
}

static void add_keys(const struct run *run, struct tags_keys *keys)
{
	uint32_t i;

	for (i = 0; i < run->fact_count && keys->count < TAGS_KEYS_MAX; i++)
		if (about(&run->facts[i]) && !has(keys, run->facts[i].name))
			keys->key[keys->count++] = run->facts[i].name;
}

void tags_keys_find(const struct run *const *runs, uint32_t run_count,
		    struct tags_keys *out)
{
	uint32_t i;

	out->count = 0;
	for (i = 0; i < run_count; i++)
		add_keys(runs[i], out);
}

char *tags_text(const struct run *run, const char *target, char *buf,
		size_t size)
{
	struct tags_keys keys;
	size_t used = 0;
	uint32_t i;

	buf[0] = '\0';
	tags_keys_find(&run, 1, &keys);
	for (i = 0; i < keys.count; i++) {
		const char *key = keys.key[i];
		const char *value = tags_value(run, target, key);
		int length;

		if (!value[0])
			continue;
		length = snprintf(buf + used, size - used, "%s%s=%s",
				  used ? ", " : "", key, value);
		if (length < 0 || used + (size_t)length >= size) {
			buf[used] = '\0';
			break;
		}
		used += (size_t)length;
	}
	return buf;
}
