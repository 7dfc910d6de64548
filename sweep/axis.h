/*
 * axis: the values of one varied parameter, from the text that people type:
 * lists `8K,64K`; doubling `a..b`, both ends kept (1..100 is 1, 2, 4 .. 64,
 * 100); steps `0..100+25`; and mixes of them, `1,4..16,100`.
 */
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include <stdint.h>

#include "engine/err.h"

enum axis_unit {
	AXIS_SIZE,    /* bytes; 8K */
	AXIS_COUNT,   /* 1 to UINT32_MAX */
	AXIS_PERCENT, /* 0 to 100, in hundredths: 65.5 is 6550 */
};

/* Most values that an axis may have. */
#define AXIS_MAX 10000

struct axis {
	uint64_t *values; /* ascending, without duplicates; owned */
	uint32_t count;
};

/*
 * 0, or -EINVAL with a sentence that names the text, `where` and a valid
 * form: empty list or item, range upside down, doubling from zero, step zero,
 * zero, sign, trailing junk, overflow, too many values. out is untouched on
 * failure; axis_free frees.
 */
int axis_parse(const char *text, enum axis_unit unit, const char *where,
	       struct axis *out, struct err *err);
void axis_free(struct axis *a);

#endif
