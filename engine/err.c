#include "engine/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void __attribute__((format(printf, 3, 0)))
fill(struct err *err, enum err_kind kind, const char *fmt, va_list ap)
{
	unsigned char *c;

	if (!err || err->kind != ERR_NONE)
		return;
	err->kind = kind;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	for (c = (unsigned char *)err->text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
}

int err_usage(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, ERR_USAGE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int err_refused(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, ERR_REFUSED, fmt, ap);
	va_end(ap);
	return -EPERM;
}

int err_failed(struct err *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, ERR_FAILED, fmt, ap);
	va_end(ap);
	return -errnum;
}

void err_clear(struct err *err)
{
	if (!err)
		return;
	err->kind = ERR_NONE;
	err->text[0] = '\0';
}

int err_exit_status(const struct err *err)
{
	switch (err->kind) {
	case ERR_NONE:
		return 0;
	case ERR_FAILED:
		return 1;
	case ERR_USAGE:
		return 2;
	case ERR_REFUSED:
		return 3;
	}
	return 1;
}
