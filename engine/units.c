#include "engine/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A suffix and what one of it is worth; suffixes are compared without case
 * for sizes, exactly for durations ("M" is not a minute). */
struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"K", KIB},
    {"KB", KIB},
    {"KiB", KIB},
    {"M", MIB},
    {"MB", MIB},
    {"MiB", MIB},
    {"G", GIB},
    {"GB", GIB},
    {"GiB", GIB},
    {"T", GIB * 1024},
    {"TB", GIB * 1024},
    {"TiB", GIB * 1024},
    {"P", GIB * 1024 * 1024},
    {"PB", GIB * 1024 * 1024},
    {"PiB", GIB * 1024 * 1024},
    {"E", GIB * 1024 * 1024 * 1024},
    {"EB", GIB * 1024 * 1024 * 1024},
    {"EiB", GIB * 1024 * 1024 * 1024},
    {NULL, 0},
};

static const struct unit duration_units[] = {
    {"", NS_PER_SEC},
    {"ns", 1},
    {"us", NS_PER_US},
    {"ms", NS_PER_MS},
    {"s", NS_PER_SEC},
    {"m", 60 * NS_PER_SEC},
    {"min", 60 * NS_PER_SEC},
    {"h", 3600 * NS_PER_SEC},
    {NULL, 0},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits up to the first other character. false on overflow or none. */
static bool take_digits(const char **text, uint64_t *out)
{
	uint64_t value = 0;
	const char *c = *text;

	if (!is_digit(*c))
		return false;
	for (; is_digit(*c); c++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return false;
	}
	*text = c;
	*out = value;
	return true;
}

/* The digits behind the point as numerator / denominator, at most 9. */
static bool take_fraction(const char **text, uint64_t *num, uint64_t *den)
{
	const char *c = *text + 1;
	const char *start = c;

	*num = 0;
	*den = 1;
	for (; is_digit(*c); c++) {
		if (c - start >= 9)
			return false;
		*num = *num * 10 + (uint64_t)(*c - '0');
		*den *= 10;
	}
	*text = c;
	return c > start;
}

static const struct unit *find_unit(const struct unit *units,
				    const char *suffix, bool any_case)
{
	for (; units->suffix; units++)
		if (any_case ? !strcasecmp(units->suffix, suffix)
			     : !strcmp(units->suffix, suffix))
			return units;
	return NULL;
}

/* number[.fraction][suffix] to a whole count of the base unit, not 0. */
static bool parse_quantity(const char *text, const struct unit *units,
			   bool any_case, uint64_t *out)
{
	uint64_t whole, num = 0, den = 1, part;
	const struct unit *unit;

	if (!take_digits(&text, &whole))
		return false;
	if (*text == '.' && !take_fraction(&text, &num, &den))
		return false;
	unit = find_unit(units, text, any_case);
	if (!unit || __builtin_mul_overflow(whole, unit->factor, &whole))
		return false;
	if (__builtin_mul_overflow(unit->factor, num, &part) || part % den ||
	    __builtin_add_overflow(whole, part / den, &whole) || !whole)
		return false;
	*out = whole;
	return true;
}

int units_parse_size(const char *text, const char *where, uint64_t *out_bytes,
		     struct err *err)
{
	if (parse_quantity(text, size_units, true, out_bytes))
		return 0;
	return err_usage(err,
			 "%s: '%s' is not a size; write a positive number with "
			 "K, M, G or T, such as 8K or 4G",
			 where, text);
}

int units_parse_duration(const char *text, const char *where, uint64_t *out_ns,
			 struct err *err)
{
	if (parse_quantity(text, duration_units, false, out_ns))
		return 0;
	return err_usage(err,
			 "%s: '%s' is not a duration; write a positive number "
			 "with ms, s, m or h, such as 500ms, 30s or 5m",
			 where, text);
}

int units_parse_u64(const char *text, const char *where, uint64_t *out,
		    struct err *err)
{
	const char *c = text;
	uint64_t value;

	if (take_digits(&c, &value) && !*c) {
		*out = value;
		return 0;
	}
	return err_usage(err,
			 "%s: '%s' is not a whole number; write digits only, "
			 "such as 42",
			 where, text);
}

int units_parse_count(const char *text, const char *where, uint32_t *out,
		      struct err *err)
{
	const char *c = text;
	uint64_t value;

	if (take_digits(&c, &value) && !*c && value && value <= UINT32_MAX) {
		*out = (uint32_t)value;
		return 0;
	}
	return err_usage(
	    err,
	    "%s: '%s' is not a count; write a whole number from 1, "
	    "such as 32",
	    where, text);
}

int units_parse_percent(const char *text, const char *where, double *out,
			struct err *err)
{
	uint64_t whole, num = 0, den = 1;
	const char *c = text;
	double value;

	if (!take_digits(&c, &whole) ||
	    (*c == '.' && !take_fraction(&c, &num, &den)))
		goto bad;
	if (*c == '%')
		c++;
	value = (double)whole + (double)num / (double)den;
	if (*c || value > 100)
		goto bad;
	*out = value;
	return 0;
bad:
	return err_usage(err,
			 "%s: '%s' is not a percentage; write a number from 0 "
			 "to 100, such as 70",
			 where, text);
}

char *units_format_size(char *buf, uint64_t bytes)
{
	static const char suffixes[] = "\0KMGTPE";
	int i = 0;

	while (i < 6 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, UNITS_TEXT_MAX, "%" PRIu64 "%.1s", bytes, &suffixes[i]);
	return buf;
}

char *units_format_bytes(char *buf, uint64_t bytes)
{
	static const char *const names[] = {"bytes", "KiB", "MiB", "GiB",
					    "TiB",   "PiB", "EiB"};
	double value = (double)bytes;
	int i = 0;

	while (i < 6 && value >= 1024) {
		value /= 1024;
		i++;
	}
	snprintf(buf, UNITS_TEXT_MAX, "%.*f %s",
		 i == 0 || value == floor(value) || value >= 100 ? 0 : 1, value,
		 names[i]);
	return buf;
}

char *units_format_duration(char *buf, uint64_t ns)
{
	uint64_t s = (ns + NS_PER_SEC / 2) / NS_PER_SEC;

	if (ns < NS_PER_US)
		snprintf(buf, UNITS_TEXT_MAX, "%" PRIu64 " ns", ns);
	else if (ns < NS_PER_MS)
		snprintf(buf, UNITS_TEXT_MAX, "%.3g us", (double)ns / 1e3);
	else if (ns < NS_PER_SEC)
		snprintf(buf, UNITS_TEXT_MAX, "%.3g ms", (double)ns / 1e6);
	else if (ns < 60 * NS_PER_SEC)
		snprintf(buf, UNITS_TEXT_MAX, "%.3g s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(buf, UNITS_TEXT_MAX, "%" PRIu64 "m %02" PRIu64 "s",
			 s / 60, s % 60);
	else
		snprintf(buf, UNITS_TEXT_MAX, "%" PRIu64 "h %02" PRIu64 "m",
			 s / 3600, s % 3600 / 60);
	return buf;
}

/* "1234567" to "1,234,567", from the end. */
static void group_thousands(char *buf, const char *digits)
{
	size_t len = strlen(digits);
	size_t i, out = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[out++] = ',';
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
}

char *units_format_number(char *buf, double value)
{
	char digits[UNITS_TEXT_MAX - 8];

	if (!isfinite(value))
		snprintf(buf, UNITS_TEXT_MAX, "-");
	else if (value < 0 || value >= 1e15)
		snprintf(buf, UNITS_TEXT_MAX, "%.4g", value);
	else if (value >= 99.95) {
		/* Halves go up, as in spreadsheets. */
		snprintf(digits, sizeof(digits), "%.0f", round(value));
		group_thousands(buf, digits);
	} else if (value >= 9.995)
		snprintf(buf, UNITS_TEXT_MAX, "%.1f", value);
	else
		snprintf(buf, UNITS_TEXT_MAX, "%.2f", value);
	return buf;
}
