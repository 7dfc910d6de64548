#include "engine/sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_path(const char *path, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n = 0;
	int ret = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	while (used < size - 1 &&
	       (n = read(fd, buf + used, size - 1 - used)) > 0)
		used += (size_t)n;
	if (n < 0) {
		ret = -errno;
		used = 0;
	}
	close(fd);
	while (used && isspace((unsigned char)buf[used - 1]))
		used--;
	buf[used] = '\0';
	return ret;
}

static int read_args(char *buf, size_t size, const char *fmt, va_list ap)
{
	char path[SYSFILE_PATH_MAX];
	int length = vsnprintf(path, sizeof(path), fmt, ap);

	buf[0] = '\0';
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return read_path(path, buf, size);
}

int sysfile_read(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = read_args(buf, size, fmt, ap);
	va_end(ap);
	return ret;
}

/* What a suffix multiplies by; 0: it is none. */
static double unit_of(const char *suffix)
{
	static const char units[] = "kMGTPE";
	const char *at;
	double unit = 1024;

	if (!*suffix)
		return 1;
	at = strchr(units, *suffix);
	if (!at || suffix[1])
		return 0;
	for (; at > units; at--)
		unit *= 1024;
	return unit;
}

int sysfile_number(double *out, const char *fmt, ...)
{
	char text[64], *end;
	va_list ap;
	double value, unit;
	int ret;

	va_start(ap, fmt);
	ret = read_args(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (ret)
		return ret;
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	value = strtod(text, &end);
	unit = unit_of(end);
	if (unit <= 0)
		return -EINVAL;
	*out = value * unit;
	return 0;
}
