#include "sweep/ini.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/words.h"

/* Bytes of a line, its end aside; of a key; keys of a section; lines of a
 * file. What is longer is no file of ours. */
#define LINE_MAX_BYTES 4096
#define KEY_MAX_BYTES 400
#define KEYS_MAX 256
#define LINES_MAX 100000

struct reader {
	const char *path;
	FILE *file;
	ini_handler *handler;
	void *arg;
	struct err *err;
	uint32_t line;
	char *where; /* path:line */
	size_t where_size;
	char text[LINE_MAX_BYTES + 1];
	char section[LINE_MAX_BYTES + 1];
	char keys[KEYS_MAX][KEY_MAX_BYTES + 1]; /* of this section, so far */
	uint32_t key_count;
};

/* One line without its end into r->text. 1; 0 at the end of the file; or
 * -errno. */
static int read_line(struct reader *r)
{
	size_t len = 0;
	int c;

	while ((c = getc_unlocked(r->file)) != EOF && c != '\n') {
		if (!c)
			return err_usage(r->err,
					 "%s holds a NUL byte; save the file "
					 "as UTF-8 text",
					 r->where);
		if (len == LINE_MAX_BYTES)
			return err_usage(r->err,
					 "%s is longer than %d bytes; write "
					 "shorter lines",
					 r->where, LINE_MAX_BYTES);
		r->text[len++] = (char)c;
	}
	if (ferror(r->file))
		return err_usage(r->err, "cannot read %s: %s", r->path,
				 strerror(errno));
	if (c == EOF && !len)
		return 0;
	if (len && r->text[len - 1] == '\r')
		len--;
	r->text[len] = '\0';
	return 1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cut blanks off the end, step over those at the start. */
static char *trim(char *text)
{
	char *end;

	while (is_blank(*text))
		text++;
	end = text + strlen(text);
	while (end > text && is_blank(end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* Tabs are blanks wherever they stand; then only clean text is left over. */
static int check_text(struct reader *r)
{
	char *c;

	for (c = r->text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	if (words_are_clean(r->text))
		return 0;
	return err_usage(r->err,
			 "%s holds a control character or bytes that are not "
			 "UTF-8; save the file as UTF-8 text",
			 r->where);
}

static int read_section(struct reader *r, char *text)
{
	size_t len = strlen(text);
	char *name;

	if (text[len - 1] != ']')
		return err_usage(r->err,
				 "%s: '%.60s' is not a section; write [name] "
				 "and nothing behind it",
				 r->where, text);
	text[len - 1] = '\0';
	name = trim(text + 1);
	if (!*name)
		return err_usage(r->err, "%s: the section has no name",
				 r->where);
	strcpy(r->section, name);
	r->key_count = 0;
	return r->handler(r->arg, r->where, r->section, NULL, NULL, r->err);
}

/* Keep the key in mind for this section, once. */
static int note_key(struct reader *r, const char *key)
{
	uint32_t i;

	for (i = 0; i < r->key_count; i++)
		if (!strcmp(r->keys[i], key))
			return err_usage(r->err,
					 "%s: '%s' is said twice in [%.60s]; "
					 "keep one",
					 r->where, key, r->section);
	if (r->key_count == KEYS_MAX)
		return err_usage(r->err, "%s: [%.60s] has more than %d keys",
				 r->where, r->section, KEYS_MAX);
	strcpy(r->keys[r->key_count++], key);
	return 0;
}

static int read_key(struct reader *r, char *text)
{
	char *equals = strchr(text, '=');
	char *key, *value;
	int ret;

	if (!equals)
		return err_usage(r->err,
				 "%s: '%.60s' is neither [section] nor key = "
				 "value nor a comment (#)",
				 r->where, text);
	*equals = '\0';
	key = trim(text);
	value = trim(equals + 1);
	if (!*key || strlen(key) > KEY_MAX_BYTES)
		return err_usage(r->err,
				 "%s: '%.60s' cannot be a key; write key = "
				 "value",
				 r->where, key);
	if (!r->section[0])
		return err_usage(r->err,
				 "%s: '%s' stands before the first [section]",
				 r->where, key);
	ret = note_key(r, key);
	if (ret)
		return ret;
	return r->handler(r->arg, r->where, r->section, key, value, r->err);
}

static int read_text(struct reader *r)
{
	static const char bom[] = "\xef\xbb\xbf";
	char *text = r->text;
	int ret;

	if (r->line == 1 && !strncmp(text, bom, 3))
		memmove(text, text + 3, strlen(text + 3) + 1);
	ret = check_text(r);
	if (ret)
		return ret;
	text = trim(text);
	if (!*text || *text == '#' || *text == ';')
		return 0;
	return *text == '[' ? read_section(r, text) : read_key(r, text);
}

static int read_lines(struct reader *r)
{
	int ret;

	do {
		if (r->line == LINES_MAX)
			return err_usage(r->err, "%s has more than %d lines",
					 r->path, LINES_MAX);
		r->line++;
		snprintf(r->where, r->where_size, "%s:%u", r->path, r->line);
		ret = read_line(r);
		if (ret <= 0)
			return ret;
		ret = read_text(r);
	} while (!ret);
	return ret;
}

int ini_read(const char *path, ini_handler *handler, void *arg, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return err_failed(err, ENOMEM, "out of memory");
	r->path = path;
	r->handler = handler;
	r->arg = arg;
	r->err = err;
	r->where_size = strlen(path) + 16;
	r->where = malloc(r->where_size);
	if (!r->where) {
		ret = err_failed(err, ENOMEM, "out of memory");
		goto out;
	}
	r->file = fopen(path, "re");
	if (!r->file) {
		ret = -errno;
		err_usage(err, "cannot read %s: %s", path, strerror(-ret));
		goto out;
	}
	ret = read_lines(r);
	fclose(r->file);
out:
	free(r->where);
	free(r);
	return ret;
}
