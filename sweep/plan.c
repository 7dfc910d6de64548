#include "sweep/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rng.h"
#include "engine/saturate.h"
#include "engine/units.h"
#include "sweep/product.h"
#include "sweep/tags.h"
#include "sweep/variant.h"

static bool has_target(const struct plan *plan, const char *target)
{
	uint32_t i;

	for (i = 0; i < plan->target_count; i++)
		if (!strcmp(plan->targets[i], target))
			return true;
	return false;
}

static int add_target(struct plan *plan, const char *path, struct err *err)
{
	if (has_target(plan, path))
		return 0;
	if (plan->target_count == PLAN_TARGETS_MAX)
		return err_usage(err, "more than %d targets; name fewer",
				 PLAN_TARGETS_MAX);
	plan->targets[plan->target_count] = strdup(path);
	if (!plan->targets[plan->target_count])
		return err_failed(err, ENOMEM, "out of memory");
	plan->target_count++;
	return 0;
}

/* The targets named for the whole plan are for the variants that have none of
 * their own: neither may be without the other. */
static int check_targets(const struct plan_request *req,
			 const struct variants *v, struct err *err)
{
	const char *without = NULL, *with = NULL;
	uint32_t i;

	for (i = 0; i < v->count; i++)
		if (v->items[i].used)
			*(v->items[i].target ? &with : &without) =
			    v->items[i].name;
	if (with && without && !req->target_count)
		return err_usage(err,
				 "variant '%.60s' has no target; name one on "
				 "the command line, or write target = under "
				 "[variant %.60s]",
				 without, without);
	if (without && !req->target_count)
		return err_usage(err, "nothing to measure; name a file, a "
				      "folder or a block device");
	if (!without && req->target_count)
		return err_usage(err,
				 "%s would not be measured, since every "
				 "variant of the plan has a target of its own; "
				 "leave it out",
				 req->targets[0]);
	return 0;
}

/* Those of the request first; returns their number, without duplicates, in
 * *shared. */
static int copy_targets(const struct plan_request *req, struct plan *plan,
			uint32_t *shared, struct err *err)
{
	const struct variants *v = plan->variants;
	uint32_t i;
	int ret = check_targets(req, v, err);

	plan->targets = calloc(PLAN_TARGETS_MAX, sizeof(*plan->targets));
	if (!plan->targets)
		return err_failed(err, ENOMEM, "out of memory");
	for (i = 0; !ret && i < req->target_count; i++)
		ret = add_target(plan, req->targets[i], err);
	*shared = plan->target_count;
	for (i = 0; !ret && i < v->count; i++)
		if (v->items[i].used && v->items[i].target)
			ret = add_target(plan, v->items[i].target, err);
	return ret;
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
				    plan->variants,
				    &plan->products[plan->product_count], err);
		if (!ret)
			plan->product_count++;
	}
	return ret;
}

/* Points of all targets, duplicates among them. */
static int count_points(struct plan *plan, uint32_t shared, uint32_t *out,
			struct err *err)
{
	uint64_t points = 0, dropped = 0;
	char number[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < plan->product_count; i++) {
		uint64_t fit, indivisible;

		product_count(&plan->products[i], plan->variants, shared, &fit,
			      &indivisible);
		points = saturate_add(points, fit);
		dropped = saturate_add(dropped, indivisible);
	}
	plan->dropped_indivisible = dropped;
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
	hash = hash_number(hash, w->rate_iops);
	hash = hash_number(hash, (uint64_t)w->threads << 32 | w->queue_depth);
	hash = hash_number(hash, (uint64_t)p->cache << 32 | p->engine);
	hash = hash_number(hash, p->state);
	hash = hash_text(hash, p->variant);
	hash = hash_text(hash, p->section);
	return hash_text(hash, p->target);
}

/* Equal in all that the full key tells. */
static bool same_point(const struct point *a, const struct point *b)
{
	return workload_same(&a->workload, &b->workload) &&
	       a->cache == b->cache && a->engine == b->engine &&
	       a->state == b->state && !strcmp(a->variant, b->variant) &&
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

/* shared: the targets of variants that have none of their own, which come
 * first among the plan's. */
static int emit_points(struct plan *plan, uint32_t shared, struct err *err)
{
	struct point *end;
	uint32_t count = 0, t, i;
	int ret = count_points(plan, shared, &count, err);

	if (ret)
		return ret;
	plan->points = calloc(count, sizeof(*plan->points));
	if (!plan->points)
		return err_failed(err, ENOMEM, "out of memory");
	end = plan->points;
	for (t = 0; t < (shared ? shared : 1); t++)
		for (i = 0; i < plan->product_count; i++)
			end = product_emit(&plan->products[i], plan->variants,
					   shared ? plan->targets[t] : NULL,
					   t == 0, end);
	plan->point_count = count;
	if (drop_duplicates(plan))
		return err_failed(err, ENOMEM, "out of memory");
	for (i = 0; i < plan->point_count; i++)
		plan->points[i].index = i;
	return 0;
}

static int parse_variants(const struct plan_request *req, struct plan *plan,
			  struct err *err)
{
	plan->variants = calloc(1, sizeof(*plan->variants));
	if (!plan->variants)
		return err_failed(err, ENOMEM, "out of memory");
	return variants_parse(req, plan->variants, err);
}

void plan_choose_variant_order(struct plan *plan)
{
	if (variants_warm(plan->variants))
		plan->settings.variant_order = PLAN_ABBA;
}

int plan_build(const struct plan_request *req, struct plan *out,
	       struct err *err)
{
	struct plan plan = {.points = NULL};
	struct plan_text fallback;
	uint32_t shared = 0;
	int ret = plan_settings_parse(req, &plan.settings, err);

	if (!ret)
		ret = parse_variants(req, &plan, err);
	if (!ret)
		ret = parse_products(req, &plan, err);
	if (!ret)
		ret = copy_targets(req, &plan, &shared, err);
	if (!ret)
		ret = emit_points(&plan, shared, err);
	if (!ret)
		ret = tags_check(req, &plan, err);
	if (ret) {
		plan_fini(&plan);
		return ret;
	}
	if (!plan_said(req, NULL, PLAN_VARIANT_ORDER, &fallback))
		plan_choose_variant_order(&plan);
	*out = plan;
	return 0;
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
	if (plan->variants)
		variants_fini(plan->variants);
	free(plan->variants);
	free(plan->points);
	memset(plan, 0, sizeof(*plan));
}

bool plan_measures(const struct plan *plan, const char *variant,
		   const char *target)
{
	uint32_t i;

	for (i = 0; i < plan->point_count; i++)
		if (!strcmp(plan->points[i].variant, variant) &&
		    !strcmp(plan->points[i].target, target))
			return true;
	return false;
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

/* The variants' turn in a round: there and back in pairs of rounds, or in
 * fresh random order. */
static void order_variants(const struct plan *plan, uint32_t round,
			   uint32_t *turn)
{
	const struct plan_settings *s = &plan->settings;
	uint32_t count = plan->variants->count, i;

	for (i = 0; i < count; i++)
		turn[i] = s->variant_order == PLAN_ABBA && round % 2 == 0
			      ? count - 1 - i
			      : i;
	if (s->variant_order == PLAN_INTERLEAVED && s->order == PLAN_SHUFFLE)
		shuffle(turn, count, ~s->seed, round);
}

static bool takes_turns(const struct plan *plan)
{
	return plan->variants && plan->variants->count > 1 &&
	       (plan->settings.variant_order != PLAN_INTERLEAVED ||
		variants_cost_switches(plan->variants));
}

/* The points of one variant in the order of this round; returns their number.
 * Variants of the same points have them in the same order. */
static uint32_t order_points(const struct plan *plan, const char *variant,
			     uint32_t round, uint32_t *order)
{
	uint32_t i, count = 0;

	for (i = 0; i < plan->point_count; i++)
		if (!variant || !strcmp(plan->points[i].variant, variant))
			order[count++] = i;
	if (plan->settings.order == PLAN_SHUFFLE)
		shuffle(order, count, plan->settings.seed, round);
	return count;
}

void plan_round_order(const struct plan *plan, uint32_t round, uint32_t *order)
{
	uint32_t turn[VARIANTS_MAX];
	uint32_t i, used = 0;

	if (!takes_turns(plan)) {
		order_points(plan, NULL, round, order);
		return;
	}
	order_variants(plan, round, turn);
	for (i = 0; i < plan->variants->count; i++)
		used += order_points(plan, plan->variants->items[turn[i]].name,
				     round, order + used);
}
