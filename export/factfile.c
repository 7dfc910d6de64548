#include "export/factfile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/text.h"

static void put_clean(FILE *f, const char *text, char forbidden)
{
	while (*text) {
		size_t length = text_sequence(text);

		if (length && *text != forbidden)
			fwrite(text, 1, length, f);
		else
			putc('?', f);
		text += length ? length : 1;
	}
}

/* Place of the first fact before i of that section, and of that name where
 * name is not NULL; i when there is none. */
static uint32_t find_before(const struct run_fact *facts, uint32_t i,
			    const char *section, const char *name)
{
	uint32_t j;

	for (j = 0; j < i; j++)
		if (!strcmp(facts[j].section, section) &&
		    (!name || !strcmp(facts[j].name, name)))
			break;
	return j;
}

static void write_section(FILE *f, const struct run_fact *facts, uint32_t count)
{
	uint32_t i;

	putc('[', f);
	put_clean(f, facts[0].section, '\0');
	fputs("]\n", f);
	for (i = 0; i < count; i++) {
		if (strcmp(facts[i].section, facts[0].section))
			continue;
		assert(facts[i].name[0] && !strchr("[#;", facts[i].name[0]));
		put_clean(f, facts[i].name, '=');
		fputs(" = ", f);
		put_clean(f, facts[i].value, '\0');
		putc('\n', f);
	}
}

int factfile_write(FILE *f, const struct run_fact *facts, uint32_t count,
		   struct err *err)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (find_before(facts, i, facts[i].section, facts[i].name) < i)
			return err_usage(err, "%s is there twice in [%s]",
					 facts[i].name, facts[i].section);
	for (i = 0; i < count; i++) {
		if (find_before(facts, i, facts[i].section, NULL) < i)
			continue;
		if (i)
			putc('\n', f);
		write_section(f, facts + i, count - i);
	}
	return 0;
}

struct reader {
	const char *path;
	size_t line;
	const char *section;
	struct run_fact *facts;
	uint32_t count, room;
	struct err *err;
};

static int no_memory(const struct reader *r)
{
	return err_failed(r->err, ENOMEM, "%s: out of memory", r->path);
}

/* Room for one more. */
static int grow(struct reader *r)
{
	uint32_t room = r->room ? 2 * r->room : 64;
	struct run_fact *grown;

	if (r->count < r->room)
		return 0;
	grown = realloc(r->facts, room * sizeof(*grown));
	if (!grown)
		return no_memory(r);
	r->facts = grown;
	r->room = room;
	return 0;
}

static int add_fact(struct reader *r, const char *name, const char *value)
{
	struct run_fact *fact;
	int rc;

	if (find_before(r->facts, r->count, r->section, name) < r->count)
		return err_usage(r->err, "%s:%zu: %s is there twice in [%s]",
				 r->path, r->line, name, r->section);
	if (r->count == FACTFILE_FACTS_MAX)
		return err_usage(r->err, "%s:%zu: more than %d names", r->path,
				 r->line, FACTFILE_FACTS_MAX);
	rc = grow(r);
	if (rc)
		return rc;
	fact = &r->facts[r->count++];
	fact->section = strdup(r->section);
	fact->name = strdup(name);
	fact->value = strdup(value);
	if (!fact->section || !fact->name || !fact->value)
		return no_memory(r);
	text_clean(fact->section);
	text_clean(fact->name);
	text_clean(fact->value);
	return 0;
}

/* line is changed: cut at its parts. */
static int read_line(struct reader *r, char *line)
{
	size_t length = strlen(line);
	char *equals;

	if (length && line[length - 1] == '\r')
		line[--length] = '\0';
	if (!length || line[0] == '#' || line[0] == ';')
		return 0;
	if (line[0] == '[' && line[length - 1] == ']') {
		line[length - 1] = '\0';
		r->section = line + 1;
		return 0;
	}
	equals = strchr(line, '=');
	if (!r->section || !equals || equals < line + 2 || equals[-1] != ' ')
		return err_usage(r->err,
				 "%s:%zu: neither [section] nor name = value",
				 r->path, r->line);
	equals[-1] = '\0';
	/* An editor may have cut the space before an empty value. */
	return add_fact(r, line, equals[1] == ' ' ? equals + 2 : equals + 1);
}

static int read_lines(struct reader *r, char *text, size_t length)
{
	char *end;

	/* Editors of Windows put one in front. */
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	if (memchr(text, '\0', length))
		return err_usage(r->err, "%s: a NUL byte: not a text file",
				 r->path);
	end = text + length;
	*end = '\0';
	for (r->line = 1; text < end; r->line++) {
		char *lf = strchr(text, '\n');
		int rc;

		if (lf)
			*lf = '\0';
		rc = read_line(r, text);
		if (rc || !lf)
			return rc;
		text = lf + 1;
	}
	return 0;
}

/* Up to size bytes of the file. */
static ssize_t slurp(int fd, char *text, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

static int read_text(struct reader *r, int fd)
{
	ssize_t length;
	struct stat st;
	char *text;
	int rc;

	if (fstat(fd, &st))
		return err_failed(r->err, errno, "%s: cannot read: %s", r->path,
				  strerror(errno));
	if (st.st_size > FACTFILE_BYTES_MAX)
		return err_usage(r->err, "%s: larger than 1 MiB", r->path);
	/* A byte more than it has tells that it grew; and one for the end. */
	text = malloc((size_t)st.st_size + 2);
	if (!text)
		return no_memory(r);
	length = slurp(fd, text, (size_t)st.st_size + 1);
	if (length < 0)
		rc = err_failed(r->err, (int)-length, "%s: cannot read: %s",
				r->path, strerror((int)-length));
	else if (length > st.st_size)
		rc = err_failed(r->err, EAGAIN,
				"%s: grew while it was read; try again",
				r->path);
	else
		rc = read_lines(r, text, (size_t)length);
	free(text);
	return rc;
}

int factfile_read(int fd, const char *path, struct run_fact **out_facts,
		  uint32_t *out_count, struct err *err)
{
	struct reader r = {.path = path, .err = err};
	int rc = read_text(&r, fd);

	if (rc) {
		factfile_free(r.facts, r.count);
		return rc;
	}
	*out_facts = r.facts;
	*out_count = r.count;
	return 0;
}

void factfile_free(struct run_fact *facts, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		free(facts[i].section);
		free(facts[i].name);
		free(facts[i].value);
	}
	free(facts);
}
