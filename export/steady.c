#include "export/steady.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct steady steady_measure(const double values[STEADY_ROUNDS])
{
	const double n = STEADY_ROUNDS;
	double low = INFINITY, high = 0, sum = 0, cross = 0;
	int i;

	for (i = 0; i < STEADY_ROUNDS; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
		sum += values[i];
		cross += values[i] * (i - (n - 1) / 2);
	}
	if (!(sum > 0))
		return (struct steady){NAN, NAN};
	/* The line's rise over the window: slope x (n - 1), where the sum of
	 * squares of 0 .. n - 1 around its mean is n (n^2 - 1) / 12. */
	return (struct steady){.range_pct = 100 * (high - low) / (sum / n),
			       .slope_pct = 100 * cross /
					    (n * (n * n - 1) / 12) * (n - 1) /
					    (sum / n)};
}

bool steady_holds(const struct steady *s)
{
	return s->range_pct <= STEADY_RANGE_PCT &&
	       fabs(s->slope_pct) <= STEADY_SLOPE_PCT;
}

int steady_set_aside(struct visit *visits, uint32_t visit_count,
		     uint32_t point_count)
{
	uint32_t *later = calloc(point_count + (size_t)1, sizeof(*later));
	uint32_t i;

	if (!later)
		return -ENOMEM;
	for (i = visit_count; i-- > 0;) {
		struct visit *v = &visits[i];

		v->aside = v->state == VISIT_DONE &&
			   later[v->point]++ >= STEADY_ROUNDS;
	}
	free(later);
	return 0;
}
