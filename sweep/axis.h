/*
 * axis: the values of one varied parameter, from the text that people type:
 * lists `8K,64K`; doubling `a..b` (1..100 is 1, 2, 4 .. 64, 100); steps
 * `a..b+step` (0..100+25); and mixes of them, `1,4..16,100`. Both ends of a
 * range are always values of it, also where a step or doubling misses the
 * upper one. Blanks around the items of a list are allowed.
 */
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include <stdint.h>

#include "engine/err.h"

enum axis_unit {
	AXIS_SIZE,    /* bytes; 8K */
	AXIS_COUNT,   /* 1 to UINT32_MAX */
	AXIS_PERCENT, /* 0 to 100, in hundredths: 65.5 is 6550 */
	AXIS_PATTERN, /* random %, as AXIS_PERCENT; seq is 0, rand 10000 */
	AXIS_RATE,    /* IOPS, as AXIS_COUNT; unlimited is 0 */
};

/* Most values that an axis may have. */
#define AXIS_MAX 10000

/* Hundredths of a percent, as kept in values, in one percent. */
#define AXIS_PER_PERCENT 100

struct axis {
	uint64_t *values; /* ascending, without duplicates; owned */
	uint32_t count;
};

/*
 * 0, or -EINVAL with a sentence that names the text, `where` (and which value
 * of a list) and a valid form: empty list or item, range upside down, doubling
 * from zero, step zero, zero, sign, trailing junk, overflow, too many values,
 * characters beyond ASCII. -ENOMEM. out is untouched on failure; axis_free
 * frees.
 */
int axis_parse(const char *text, enum axis_unit unit, const char *where,
	       struct axis *out, struct err *err);
void axis_free(struct axis *a);

/*
 * A list of names `direct,buffered`, in the order given, blanks around them
 * trimmed, duplicates dropped; names may hold anything but a comma. 0, -EINVAL
 * for an empty list or item, text that is not clean UTF-8 or over
 * AXIS_NAMES_MAX names; -ENOMEM. axis_names_free frees.
 */
#define AXIS_NAMES_MAX 100
struct axis_names {
	char **names; /* owned */
	uint32_t count;
};
int axis_parse_names(const char *text, const char *where,
		     struct axis_names *out, struct err *err);
void axis_names_free(struct axis_names *names);

#endif
