#include "tests/simrun.h"

#include <stdlib.h>
#include <string.h>

#include "engine/units.h"

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct point simrun_point(uint32_t index, uint64_t block_size_bytes,
			  uint32_t outstanding)
{
	return (struct point){
	    .index = index,
	    .workload = {.stream = {.block_size_bytes = block_size_bytes,
				    .read_pct = 100,
				    .random_pct = 100},
			 .threads = 1,
			 .queue_depth = outstanding},
	    .target = "/sim",
	    .variant = "",
	    .section = ""};
}

struct sim_device simrun_device(void)
{
	return (struct sim_device){.service_ns = 100e3,
				   .bytes_per_ns = 2,
				   .max_iops = 100e3,
				   .max_bytes_per_s = 2e9};
}

void simrun_init(struct simrun *s, const struct point *points, uint32_t count,
		 const struct sim_device *device, const struct sim_noise *noise,
		 uint64_t seed)
{
	struct measure_opts opts = {.time_ns = NS_PER_SEC,
				    .ramp_ns = 150 * NS_PER_MS,
				    .run_seed = seed};
	struct sim_device standard = simrun_device();
	struct sim_noise quiet = {0};
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->points = must(malloc((count + 1) * sizeof(*points)));
	memcpy(s->points, points, count * sizeof(*points));
	s->run.points = s->points;
	s->run.point_count = count;
	s->run.results = must(calloc(count + 1, sizeof(*s->run.results)));
	for (i = 0; i < count; i++)
		s->run.results[i].point = &s->points[i];
	visit_init(&s->scratch);
	if (sim_new(&opts, device ? device : &standard, noise ? noise : &quiet,
		    &s->sim))
		abort();
}

/* Put the counts of a histogram into a span, which may hold some already. */
static void add_to_span(struct hist_span *span, const struct hist *h)
{
	uint32_t i;

	if (!span->bucket) {
		span->bucket =
		    must(calloc(HIST_BUCKETS, sizeof(*span->bucket)));
		span->count = HIST_BUCKETS;
	}
	for (i = 0; i < HIST_BUCKETS; i++)
		span->bucket[i] += h->bucket[i];
}

/* As from a run folder. */
static double p99_ns(const struct visit *v)
{
	struct hist *both = must(malloc(sizeof(*both)));
	double ns;
	int d;

	hist_reset(both);
	for (d = 0; d < DIR_COUNT; d++)
		hist_merge(both, v->latency[d]);
	ns = hist_percentile_ns(both, 0.99);
	free(both);
	return ns;
}

void simrun_keep(struct simrun *s, const struct visit *visit, bool spans)
{
	struct visit *v;
	int d;

	if (s->run.visit_count == s->room) {
		s->room += s->room + 64;
		s->run.visits =
		    must(realloc(s->run.visits, s->room * sizeof(*v)));
	}
	v = &s->run.visits[s->run.visit_count++];
	*v = *visit;
	v->id = s->run.visit_count;
	v->samples = NULL;
	v->sample_count = v->sample_capacity = 0;
	if (spans)
		v->lat_p99_ns = p99_ns(visit);
	for (d = 0; d < LATENCY_COUNT; d++) {
		v->latency[d] = NULL;
		if (spans && visit->latency[d] && visit->latency[d]->count)
			add_to_span(&s->run.results[v->point].latency[d],
				    visit->latency[d]);
	}
}

void simrun_visit(struct simrun *s, uint32_t point, uint32_t round, bool spans)
{
	s->sim->ops->measure(s->sim, &s->points[point], round, &s->scratch);
	simrun_keep(s, &s->scratch, spans);
}

/* A permutation that is good enough for an order: Fisher and Yates over a
 * multiplicative generator. */
static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		order[i] = i;
	for (i = count; i > 1; i--) {
		uint32_t other, kept;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		other = (uint32_t)((seed >> 33) % i);
		kept = order[i - 1];
		order[i - 1] = order[other];
		order[other] = kept;
	}
}

void simrun_round(struct simrun *s, uint32_t round, const bool *open,
		  bool spans)
{
	uint32_t count = s->run.point_count;
	uint32_t *order = must(malloc((count + 1) * sizeof(*order)));
	uint32_t i;

	shuffle(order, count,
		point_seed(&s->points[0], sim_elapsed_ns(s->sim), round));
	for (i = 0; i < count; i++) {
		if (open && !open[order[i]])
			continue;
		simrun_visit(s, order[i], round, spans);
	}
	free(order);
}

void simrun_fini(struct simrun *s)
{
	uint32_t i;
	int d;

	for (i = 0; i < s->run.point_count; i++)
		for (d = 0; d < LATENCY_COUNT; d++)
			free(s->run.results[i].latency[d].bucket);
	free(s->run.results);
	free(s->run.visits);
	free(s->points);
	visit_fini(&s->scratch);
	s->sim->ops->free(s->sim);
}
