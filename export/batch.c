#include "export/batch.h"

#include <math.h>

#define BATCHES 10

struct stats_variance batch_variance(const struct visit *v)
{
	struct stats_variance out = {.value = NAN};
	double batch[BATCHES] = {0};
	uint32_t per = v->sample_count / BATCHES;
	struct stats_summary s;
	uint32_t i;

	if (!v->samples || !per)
		return out;
	for (i = 0; i < per * BATCHES; i++)
		batch[i / per] += (double)v->samples[i].ios[DIR_READ] +
				  (double)v->samples[i].ios[DIR_WRITE];
	s = stats_summarize(batch, BATCHES);
	if (!(s.mean > 0))
		return out;
	out.value = s.variance / BATCHES / (s.mean * s.mean);
	out.df = BATCHES - 1;
	return out;
}

double batch_half_width(const struct visit *v)
{
	struct stats_variance b = batch_variance(v);

	return stats_half_width_95(sqrt(b.value), b.df);
}
