#include "sweep/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rng.h"
#include "engine/saturate.h"
#include "engine/units.h"
#include "sweep/product.h"

static bool has_target(const struct plan *plan, const char *target)
{
	uint32_t i;

	for (i = 0; i < plan->target_count; i++)
		if (!strcmp(plan->targets[i], target))
			return true;
	return false;
}

static int copy_targets(const struct plan_request *req, struct plan *plan,
			struct err *err)
{
	uint32_t i;

	if (!req->target_count)
		return err_usage(err, "nothing to measure; name a file, a "
				      "folder or a block device");
	plan->targets = calloc(PLAN_TARGETS_MAX, sizeof(*plan->targets));
	if (!plan->targets)
		return err_failed(err, ENOMEM, "out of memory");
	for (i = 0; i < req->target_count; i++) {
		if (has_target(plan, req->targets[i]))
			continue;
		if (plan->target_count == PLAN_TARGETS_MAX)
			return err_usage(err,
					 "more than %d targets; name fewer",
					 PLAN_TARGETS_MAX);
		plan->targets[plan->target_count] = strdup(req->targets[i]);
		if (!plan->targets[plan->target_count])
			return err_failed(err, ENOMEM, "out of memory");
		plan->target_count++;
	}
	return 0;
}

/* One product a section; where there is none, one of the options alone. */
static int parse_products(const struct plan_request *req, struct plan *plan,
			  struct err *err)
{
	struct plan_section alone = {.name = (char *)""};
	const struct plan_section *sections = &alone;
	uint32_t count = 1;
	int ret = 0;

	if (req->section_count) {
		sections = req->sections;
		count = req->section_count;
	}
	plan->products = calloc(count, sizeof(*plan->products));
	if (!plan->products)
		return err_failed(err, ENOMEM, "out of memory");
	while (!ret && plan->product_count < count) {
		ret = product_parse(req, &sections[plan->product_count],
				    &plan->products[plan->product_count], err);
		if (!ret)
			plan->product_count++;
	}
	return ret;
}

/* Points of all targets, duplicates among them. */
static int count_points(struct plan *plan, uint32_t *out, struct err *err)
{
	uint64_t points = 0, dropped = 0;
	char number[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < plan->product_count; i++) {
		uint64_t fit, indivisible;

		product_count(&plan->products[i], &fit, &indivisible);
		points = saturate_add(points, fit);
		dropped = saturate_add(dropped, indivisible);
	}
	points = saturate_multiply(points, plan->target_count);
	plan->dropped_indivisible =
	    saturate_multiply(dropped, plan->target_count);
	if (points > PLAN_POINTS_MAX)
		return err_usage(err,
				 "the plan has %s points, more than %d; ask "
				 "for fewer values",
				 units_format_number(number, (double)points),
				 PLAN_POINTS_MAX);
	if (!points)
		return err_usage(err, "no point is left, since no outstanding "
				      "divides by its threads; write "
				      "multiples of the threads, or say "
				      "--queue-depth");
	*out = (uint32_t)points;
	return 0;
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash_number(hash, 0);
}

static uint64_t hash_point(const struct point *p)
{
	const struct workload *w = &p->workload;
	uint64_t hash = hash_number(0, w->stream.block_size_bytes);
	char name[DISTRIBUTION_NAME_MAX];

	hash = hash_number(hash, (uint64_t)(w->stream.read_pct * 100));
	hash = hash_number(hash, (uint64_t)(w->stream.random_pct * 100));
	hash =
	    hash_text(hash, distribution_name(&w->stream.distribution, name));
	hash = hash_number(hash, w->working_set_bytes);
	hash = hash_number(hash, (uint64_t)w->threads << 32 | w->queue_depth);
	hash = hash_number(hash, (uint64_t)p->cache << 32 | p->engine);
	hash = hash_text(hash, p->variant);
	hash = hash_text(hash, p->section);
	return hash_text(hash, p->target);
}

/* Equal in all that the full key tells. */
static bool same_point(const struct point *a, const struct point *b)
{
	return workload_same(&a->workload, &b->workload) &&
	       a->cache == b->cache && a->engine == b->engine &&
	       !strcmp(a->variant, b->variant) &&
	       !strcmp(a->section, b->section) && !strcmp(a->target, b->target);
}

/* Keep the first of equal points. An open hash table of places in the plan,
 * 0 for a free slot, at most half full. */
static int drop_duplicates(struct plan *plan)
{
	uint32_t slots = 1, i, kept = 0;
	uint32_t *table;

	while (slots < 2 * plan->point_count)
		slots *= 2;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (i = 0; i < plan->point_count; i++) {
		const struct point *p = &plan->points[i];
		uint32_t slot = (uint32_t)hash_point(p) & (slots - 1);

		while (table[slot] &&
		       !same_point(p, &plan->points[table[slot] - 1]))
			slot = (slot + 1) & (slots - 1);
		if (table[slot])
			continue;
		plan->points[kept++] = *p;
		table[slot] = kept;
	}
	free(table);
	plan->point_count = kept;
	return 0;
}

static int emit_points(struct plan *plan, struct err *err)
{
	struct point *end;
	uint32_t count = 0, t, i;
	int ret = count_points(plan, &count, err);

	if (ret)
		return ret;
	plan->points = calloc(count, sizeof(*plan->points));
	if (!plan->points)
		return err_failed(err, ENOMEM, "out of memory");
	end = plan->points;
	for (t = 0; t < plan->target_count; t++)
		for (i = 0; i < plan->product_count; i++)
			end = product_emit(&plan->products[i], plan->targets[t],
					   end);
	plan->point_count = count;
	if (drop_duplicates(plan))
		return err_failed(err, ENOMEM, "out of memory");
	for (i = 0; i < plan->point_count; i++)
		plan->points[i].index = i;
	return 0;
}

int plan_build(const struct plan_request *req, struct plan *out,
	       struct err *err)
{
	struct plan plan = {.points = NULL};
	int ret = copy_targets(req, &plan, err);

	if (!ret)
		ret = plan_settings_parse(req, &plan.settings, err);
	if (!ret)
		ret = parse_products(req, &plan, err);
	if (!ret)
		ret = emit_points(&plan, err);
	if (ret)
		plan_fini(&plan);
	else
		*out = plan;
	return ret;
}

void plan_fini(struct plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->target_count; i++)
		free(plan->targets[i]);
	free(plan->targets);
	for (i = 0; i < plan->product_count; i++)
		product_fini(&plan->products[i]);
	free(plan->products);
	free(plan->points);
	memset(plan, 0, sizeof(*plan));
}

/* Fisher-Yates; each round is a sequence of its own. */
static void shuffle(uint32_t *order, uint32_t count, uint64_t seed,
		    uint32_t round)
{
	struct rng rng;
	uint32_t i;

	rng_seed(&rng, seed, round);
	for (i = count; i > 1; i--) {
		uint32_t other = (uint32_t)rng_below(&rng, i);
		uint32_t swapped = order[i - 1];

		order[i - 1] = order[other];
		order[other] = swapped;
	}
}

void plan_round_order(const struct plan *plan, uint32_t round, uint32_t *order)
{
	uint32_t i;

	for (i = 0; i < plan->point_count; i++)
		order[i] = i;
	if (plan->settings.order == PLAN_SHUFFLE)
		shuffle(order, plan->point_count, plan->settings.seed, round);
}
