#include "tests/tempdir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	abort();
}

char *tempdir_path(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		die("asprintf");
	return path;
}

char *tempdir_new(void)
{
	const char *base = getenv("TMPDIR");
	char *path = tempdir_path(base ? base : "/tmp", "iosweep-test.XXXXXX");

	if (!mkdtemp(path))
		die(path);
	return path;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void tempdir_remove(char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		die(path);
	free(path);
}

char *file_read(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t used = 0, room = 0;

	if (!f)
		die(path);
	do {
		room = room ? room * 2 : 4096;
		text = realloc(text, room + 1);
		if (!text)
			die("realloc");
		used += fread(text + used, 1, room - used, f);
	} while (used == room);
	if (ferror(f))
		die(path);
	fclose(f);
	text[used] = '\0';
	if (length)
		*length = used;
	return text;
}

void file_write(const char *path, const char *data, size_t length)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, length, f) != length || fclose(f))
		die(path);
}
