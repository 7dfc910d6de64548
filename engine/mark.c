#include "engine/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#define MARK_NAME "user.iosweep"
#define MARK_MAX 80

static int format_mark(char *buf, uint64_t size_bytes, uint64_t seed)
{
	return snprintf(buf, MARK_MAX, "size=%" PRIu64 " seed=%" PRIu64,
			size_bytes, seed);
}

int mark_set(int fd, uint64_t size_bytes, uint64_t seed)
{
	char text[MARK_MAX];
	int len = format_mark(text, size_bytes, seed);

	return fsetxattr(fd, MARK_NAME, text, (size_t)len, 0) ? -errno : 0;
}

bool mark_matches(int fd, uint64_t size_bytes)
{
	uint64_t seed;

	return !mark_seed(fd, size_bytes, &seed);
}

int mark_seed(int fd, uint64_t size_bytes, uint64_t *out)
{
	char text[MARK_MAX], again[MARK_MAX];
	uint64_t size, seed;
	ssize_t len = fgetxattr(fd, MARK_NAME, text, sizeof(text) - 1);

	if (len < 0)
		return -ENODATA;
	text[len] = '\0';
	if (sscanf(text, "size=%" SCNu64 " seed=%" SCNu64, &size, &seed) != 2)
		return -ENODATA;
	/* Written back it must be the same: no sign, no junk, no overflow. */
	format_mark(again, size, seed);
	if (strlen(text) != (size_t)len || strcmp(text, again) ||
	    size != size_bytes)
		return -ENODATA;
	*out = seed;
	return 0;
}
