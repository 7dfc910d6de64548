#include "export/xlsx_package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

/* 1980-01-01 00:00, as libxlsxwriter dates its parts. */
#define DOS_TIME 0
#define DOS_DATE ((1 << 5) | 1)

struct part {
	char *name;
	char *text;
};

struct xlsx_package {
	zip_t *zip;
	struct part *parts; /* other than in the zip */
	size_t count;
};

static int no_memory(struct err *err)
{
	return err_failed(err, ENOMEM, "out of memory for the workbook");
}

int xlsx_package_open(const char *path, struct xlsx_package **out,
		      struct err *err)
{
	struct xlsx_package *p = calloc(1, sizeof(*p));

	if (!p)
		return no_memory(err);
	p->zip = zip_open(path, ZIP_RDONLY, NULL);
	if (!p->zip) {
		free(p);
		return err_failed(err, EIO, "the workbook is not to be read");
	}
	*out = p;
	return 0;
}

void xlsx_package_close(struct xlsx_package *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++) {
		free(p->parts[i].name);
		free(p->parts[i].text);
	}
	free(p->parts);
	zip_discard(p->zip);
	free(p);
}

static struct part *find(const struct xlsx_package *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (!strcmp(p->parts[i].name, name))
			return &p->parts[i];
	return NULL;
}

/* What the zip has, or NULL. */
static char *read_part(const struct xlsx_package *p, const char *name)
{
	zip_file_t *f = zip_fopen(p->zip, name, 0);
	char *text = NULL;
	zip_stat_t st;

	if (!f)
		return NULL;
	if (!zip_stat(p->zip, name, 0, &st))
		text = malloc(st.size + 1);
	if (text && zip_fread(f, text, st.size) == (zip_int64_t)st.size) {
		text[st.size] = '\0';
	} else {
		free(text);
		text = NULL;
	}
	zip_fclose(f);
	return text;
}

char *xlsx_package_text(const struct xlsx_package *p, const char *name,
			struct err *err)
{
	const struct part *mine = find(p, name);
	char *text = mine ? strdup(mine->text) : read_part(p, name);

	if (!text)
		err_failed(err, EIO, "the workbook's %s is not to be read",
			   name);
	return text;
}

static int add(struct xlsx_package *p, const char *name, char *text)
{
	struct part *grown =
	    realloc(p->parts, (p->count + 1) * sizeof(*p->parts));
	char *copy = strdup(name);

	if (grown)
		p->parts = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	p->parts[p->count++] = (struct part){copy, text};
	return 0;
}

int xlsx_package_put(struct xlsx_package *p, const char *name, char *text,
		     struct err *err)
{
	struct part *mine = find(p, name);

	if (text && mine) {
		free(mine->text);
		mine->text = text;
		return 0;
	}
	if (text && !add(p, name, text))
		return 0;
	free(text);
	return no_memory(err);
}

int xlsx_package_insert(struct xlsx_package *p, const char *name,
			const char *mark, const char *text, struct err *err)
{
	char *old = xlsx_package_text(p, name, err);
	char *place = old ? strstr(old, mark) : NULL;
	char *joined;
	int rc;

	if (!old)
		return -EIO;
	if (!place || strstr(place + 1, mark)) {
		rc = err_failed(err, EINVAL,
				"the workbook's %s has %s %s where one was "
				"expected",
				name, place ? "several" : "no", mark);
	} else {
		if (asprintf(&joined, "%.*s%s%s", (int)(place - old), old, text,
			     place) < 0)
			joined = NULL;
		rc = xlsx_package_put(p, name, joined, err);
	}
	free(old);
	return rc;
}

/* One part of the copy: as it is, still compressed, or of our own. */
static int copy_part(zip_t *to, const struct xlsx_package *p, const char *name,
		     const struct part *mine, zip_int64_t old)
{
	zip_source_t *source =
	    mine ? zip_source_buffer(to, mine->text, strlen(mine->text), 0)
		 : zip_source_zip(to, p->zip, (zip_uint64_t)old,
				  ZIP_FL_COMPRESSED, 0, -1);
	zip_int64_t at = source ? zip_file_add(to, name, source, 0) : -1;

	if (at < 0) {
		zip_source_free(source);
		return -ENOMEM;
	}
	return zip_file_set_dostime(to, (zip_uint64_t)at, DOS_TIME, DOS_DATE, 0)
		   ? -ENOMEM
		   : 0;
}

static int fill(zip_t *to, const struct xlsx_package *p)
{
	zip_int64_t count = zip_get_num_entries(p->zip, 0);
	zip_int64_t i;
	size_t k;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		const char *name = zip_get_name(p->zip, (zip_uint64_t)i, 0);

		rc = name ? copy_part(to, p, name, find(p, name), i) : -EIO;
	}
	for (k = 0; !rc && k < p->count; k++)
		if (zip_name_locate(p->zip, p->parts[k].name, 0) < 0)
			rc = copy_part(to, p, p->parts[k].name, &p->parts[k],
				       -1);
	return rc;
}

static int write_out(zip_source_t *archive, FILE *to)
{
	char buf[65536];
	zip_int64_t n;

	if (zip_source_open(archive))
		return -ENOMEM;
	while ((n = zip_source_read(archive, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
			break;
	zip_source_close(archive);
	return n ? -EIO : 0;
}

/* In memory first, since libzip replaces the file that it writes to, and its
 * caller would sync one that is gone. Compressed it is small. */
int xlsx_package_write(const struct xlsx_package *p, FILE *to, struct err *err)
{
	zip_source_t *archive = zip_source_buffer_create(NULL, 0, 0, NULL);
	zip_t *zip;
	int rc;

	if (!archive)
		return no_memory(err);
	zip_source_keep(archive);
	zip = zip_open_from_source(archive, ZIP_TRUNCATE, NULL);
	if (!zip)
		zip_source_free(archive);
	rc = zip ? fill(zip, p) : -ENOMEM;
	if (zip && (rc || zip_close(zip))) {
		zip_discard(zip);
		rc = rc ? rc : -EIO;
	}
	if (!rc)
		rc = write_out(archive, to);
	zip_source_free(archive);
	if (rc == -ENOMEM)
		return no_memory(err);
	return rc ? err_failed(err, -rc,
			       "the workbook did not come out whole; is there "
			       "room in its folder?")
		  : 0;
}
