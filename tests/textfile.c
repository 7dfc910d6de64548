#include "tests/textfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

void textfile_new(char path[TEXTFILE_PATH_MAX], const void *data, size_t size)
{
	int fd;

	snprintf(path, TEXTFILE_PATH_MAX, "/tmp/iosweep-test-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		give_up("mkstemp");
	close(fd);
	textfile_refill(path, data, size);
}

void textfile_refill(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		give_up(path);
}
