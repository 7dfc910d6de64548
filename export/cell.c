#include "export/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Linux's own errno values end below this. */
#define ERRNO_MAX 4095

int cell_parse_integer(const char *text, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	const char *c = text;

	if (!*c)
		return -EINVAL;
	for (; *c; c++) {
		if (*c < '0' || *c > '9' ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return -EINVAL;
	}
	if (value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

/* glibc hands out the C locale without allocating. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int cell_parse_real(const char *text, double *out)
{
	char *end;
	double value;

	/* strtod alone would take white space, inf, nan and hexadecimal. */
	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return -EINVAL;
	value = strtod_l(text, &end, c_locale());
	if (*end || !isfinite(value))
		return -EINVAL;
	*out = value;
	return 0;
}

char *cell_format_integer(char *buf, uint64_t value)
{
	snprintf(buf, CELL_TEXT_MAX, "%" PRIu64, value);
	return buf;
}

char *cell_format_real(char *buf, double value)
{
	locale_t before = uselocale(c_locale());
	int digits;

	/* 15 digits always survive the way through a double; where the value
	 * needs more, 17 always do. */
	for (digits = 15; digits <= 17; digits++) {
		snprintf(buf, CELL_TEXT_MAX, "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	uselocale(before);
	return buf;
}

char *cell_format_time(char *buf, int64_t utc_ns)
{
	int64_t ns = utc_ns % 1000000000;
	time_t seconds = (time_t)(utc_ns / 1000000000);
	struct tm tm;
	size_t length;

	gmtime_r(&seconds, &tm);
	length = strftime(buf, CELL_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + length, CELL_TEXT_MAX - length, ".%09" PRId64 "Z", ns);
	return buf;
}

/* The number that two digits make; -1 where there are none. */
static int two_digits(const char *text)
{
	if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
		return -1;
	return (text[0] - '0') * 10 + text[1] - '0';
}

int cell_parse_time(const char *text, int64_t *out_utc_ns)
{
	static const char shape[] = "YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ";
	char again[CELL_TEXT_MAX];
	char fraction[10] = "";
	uint64_t ns;
	struct tm tm = {0};
	int64_t utc_ns;

	if (strlen(text) != sizeof(shape) - 1)
		return -EINVAL;
	memcpy(fraction, text + 20, 9);
	if (cell_parse_integer(fraction, 999999999, &ns))
		return -EINVAL;
	tm.tm_year = two_digits(text) * 100 + two_digits(text + 2) - 1900;
	tm.tm_mon = two_digits(text + 5) - 1;
	tm.tm_mday = two_digits(text + 8);
	tm.tm_hour = two_digits(text + 11);
	tm.tm_min = two_digits(text + 14);
	tm.tm_sec = two_digits(text + 17);
	if (tm.tm_year < 70 || tm.tm_year > 361 || tm.tm_mon > 11)
		return -EINVAL;
	utc_ns = (int64_t)timegm(&tm) * 1000000000 + (int64_t)ns;
	/* Whatever is no date, such as February 30, comes back as another. */
	if (strcmp(cell_format_time(again, utc_ns), text))
		return -EINVAL;
	*out_utc_ns = utc_ns;
	return 0;
}

static void error_name(char *buf, size_t size, int errnum)
{
	const char *name = errnum > 0 ? strerrorname_np(errnum) : NULL;

	if (!errnum)
		snprintf(buf, size, "short");
	else if (errnum == VISIT_ERROR_OTHER)
		snprintf(buf, size, "other");
	else if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "E%d", errnum);
}

static int error_from_name(const char *name, int *out)
{
	uint64_t number;
	int errnum;

	for (errnum = 1; errnum <= ERRNO_MAX; errnum++) {
		const char *known = strerrorname_np(errnum);

		if (known && !strcmp(known, name))
			break;
	}
	if (errnum <= ERRNO_MAX)
		*out = errnum;
	else if (!strcmp(name, "short"))
		*out = 0;
	else if (!strcmp(name, "other"))
		*out = VISIT_ERROR_OTHER;
	else if (name[0] == 'E' &&
		 !cell_parse_integer(name + 1, ERRNO_MAX, &number) && number)
		*out = (int)number;
	else
		return -EINVAL;
	return 0;
}

char *cell_format_errors(char *buf,
			 const struct io_error_count errors[VISIT_ERROR_KINDS])
{
	size_t used = 0;
	char name[32];
	int i;

	buf[0] = '\0';
	for (i = 0; i < VISIT_ERROR_KINDS && errors[i].count; i++) {
		error_name(name, sizeof(name), errors[i].errnum);
		used += (size_t)snprintf(buf + used, CELL_ERRORS_MAX - used,
					 "%s%s:%" PRIu64, i ? " " : "", name,
					 errors[i].count);
	}
	return buf;
}

static int parse_error(char *token, struct io_error_count *out)
{
	char *colon = strchr(token, ':');

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	if (cell_parse_integer(colon + 1, UINT64_MAX, &out->count) ||
	    !out->count)
		return -EINVAL;
	return error_from_name(token, &out->errnum);
}

int cell_parse_errors(const char *text,
		      struct io_error_count out[VISIT_ERROR_KINDS])
{
	struct io_error_count errors[VISIT_ERROR_KINDS] = {0};
	char copy[CELL_ERRORS_MAX];
	char *rest = copy;
	int count = 0;

	if (!*text || strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	while (rest) {
		char *token = strsep(&rest, " ");

		if (count == VISIT_ERROR_KINDS ||
		    parse_error(token, &errors[count++]))
			return -EINVAL;
	}
	memcpy(out, errors, sizeof(errors));
	return 0;
}
