#include "sweep/product.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend.h"
#include "sweep/choice.h"
#include "sweep/variant.h"

/* The values of an axis; a single 0 where nothing holds. */
static int parse_axis(const struct plan_request *req,
		      const struct plan_section *section, enum plan_key key,
		      enum axis_unit unit, struct axis *out, struct err *err)
{
	struct plan_text fallback;
	const struct plan_text *t = plan_said(req, section, key, &fallback);

	if (t)
		return axis_parse(t->value, unit, t->where, out, err);
	out->values = calloc(1, sizeof(*out->values));
	if (!out->values)
		return err_failed(err, ENOMEM, "out of memory");
	out->count = 1;
	return 0;
}

/*
 * Outstanding and queue depth say the same thing in two ways: the most
 * specific level that says either decides, and none may say both.
 */
static int parse_depth(const struct plan_request *req,
		       const struct plan_section *section, struct product *out,
		       struct err *err)
{
	const struct plan_text *levels[] = {req->option, section->axis,
					    req->common};
	enum plan_key key = PLAN_OUTSTANDING;
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const struct plan_text *total = &levels[i][PLAN_OUTSTANDING];
		const struct plan_text *each = &levels[i][PLAN_QUEUE_DEPTH];

		if (total->value && each->value)
			return err_usage(err,
					 "%s and %s say the same in two ways, "
					 "in total and per thread; keep one",
					 total->where, each->where);
		if (total->value || each->value) {
			out->per_thread = each->value;
			break;
		}
	}
	if (out->per_thread)
		key = PLAN_QUEUE_DEPTH;
	return parse_axis(req, section, key, AXIS_COUNT, &out->depth, err);
}

static int parse_engine(const struct plan_request *req,
			const struct plan_section *section, bool *wanted,
			struct err *err)
{
	/* The kinds from ENGINE_NULL on do no I/O: not for people. */
	const char *names[ENGINE_NULL];
	const struct choice engines = {
	    .names = names,
	    .count = ENGINE_NULL,
	    .noun = "an engine (auto, io_uring, libaio or sync)",
	};
	struct plan_text fallback;
	int i;

	for (i = 0; i < ENGINE_NULL; i++)
		names[i] = engine_kind_name((enum engine_kind)i);
	return choice_parse_list(
	    &engines, plan_said(req, section, PLAN_ENGINE, &fallback), wanted,
	    err);
}

static int compare_distributions(const void *a, const void *b)
{
	return distribution_compare(a, b);
}

static int read_distributions(const struct axis_names *list, const char *where,
			      struct distribution *out, struct err *err)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (distribution_parse(list->names[i], &out[i]))
			return err_usage(
			    err,
			    "%s: '%.60s' is not a distribution; write uniform, "
			    "zipf:1.1 (an exponent above 0, %g at most) or "
			    "hot:10/90 (90%% of the I/Os to 10%% of the "
			    "blocks)",
			    where, list->names[i], DISTRIBUTION_THETA_MAX);
	qsort(out, list->count, sizeof(*out), compare_distributions);
	return 0;
}

static int parse_distributions(const struct plan_request *req,
			       const struct plan_section *section,
			       struct product *p, struct err *err)
{
	struct plan_text fallback;
	const struct plan_text *t =
	    plan_said(req, section, PLAN_DISTRIBUTION, &fallback);
	struct axis_names list;
	int ret = axis_parse_names(t->value, t->where, &list, err);

	if (ret)
		return ret;
	p->distribution = calloc(list.count, sizeof(*p->distribution));
	p->distribution_count = list.count;
	if (p->distribution)
		ret = read_distributions(&list, t->where, p->distribution, err);
	else
		ret = err_failed(err, ENOMEM, "out of memory");
	axis_names_free(&list);
	return ret;
}

static int check_depth(const struct product *p, const char *where,
		       uint64_t deepest, struct err *err)
{
	bool uring = p->engine[ENGINE_AUTO] || p->engine[ENGINE_IO_URING];

	if (uring && deepest > BACKEND_URING_DEPTH_MAX)
		return err_usage(err,
				 "%s: %" PRIu64
				 " in flight by one thread are more than the "
				 "%u that io_uring takes; ask for less, for "
				 "more threads, or for --engine libaio",
				 where, deepest, BACKEND_URING_DEPTH_MAX);
	if (deepest > PLAN_QUEUE_DEPTH_MAX)
		return err_usage(err,
				 "%s: %" PRIu64
				 " in flight by one thread are more "
				 "than %d; ask for less, or for more threads",
				 where, deepest, PLAN_QUEUE_DEPTH_MAX);
	return 0;
}

static int check_limits(const struct plan_request *req,
			const struct plan_section *section,
			const struct product *p, struct err *err)
{
	enum plan_key key = p->per_thread ? PLAN_QUEUE_DEPTH : PLAN_OUTSTANDING;
	uint64_t threads = p->threads.values[p->threads.count - 1];
	uint64_t deepest = p->depth.values[p->depth.count - 1];
	struct plan_text fallback;

	if (threads > PLAN_THREADS_MAX)
		return err_usage(
		    err,
		    "%s: %" PRIu64 " threads are more than %d; ask for "
		    "fewer threads of more queue depth",
		    plan_said(req, section, PLAN_THREADS, &fallback)->where,
		    threads, PLAN_THREADS_MAX);
	if (!p->per_thread)
		deepest /= p->threads.values[0];
	return check_depth(p, plan_said(req, section, key, &fallback)->where,
			   deepest, err);
}

static int parse_all(const struct plan_request *req,
		     const struct plan_section *section,
		     struct variants *variants, struct product *p,
		     struct err *err)
{
	struct plan_text fallback;
	const struct {
		enum plan_key key;
		enum axis_unit unit;
		struct axis *axis;
	} axes[] = {
	    {PLAN_BLOCK_SIZE, AXIS_SIZE, &p->block_size},
	    {PLAN_PATTERN, AXIS_PATTERN, &p->pattern},
	    {PLAN_READ, AXIS_PERCENT, &p->read},
	    {PLAN_RATE, AXIS_RATE, &p->rate},
	    {PLAN_THREADS, AXIS_COUNT, &p->threads},
	    {PLAN_WORKING_SET, AXIS_SIZE, &p->working_set},
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(axes) / sizeof(axes[0]); i++)
		ret = parse_axis(req, section, axes[i].key, axes[i].unit,
				 axes[i].axis, err);
	if (!ret)
		ret = parse_depth(req, section, p, err);
	if (!ret)
		ret = parse_distributions(req, section, p, err);
	if (!ret)
		ret = choice_parse_caches(
		    plan_said(req, section, PLAN_CACHE, &fallback), p->cache,
		    err);
	if (!ret)
		ret = parse_engine(req, section, p->engine, err);
	if (!ret)
		ret = variants_select(variants, req, section, &p->variant,
				      &p->variant_count, err);
	return ret ? ret : check_limits(req, section, p, err);
}

int product_parse(const struct plan_request *req,
		  const struct plan_section *section, struct variants *variants,
		  struct product *out, struct err *err)
{
	struct product p = {.section = strdup(section->name)};
	int ret;

	if (!p.section)
		return err_failed(err, ENOMEM, "out of memory");
	ret = parse_all(req, section, variants, &p, err);
	if (ret) {
		product_fini(&p);
		return ret;
	}
	*out = p;
	return 0;
}

void product_fini(struct product *p)
{
	free(p->section);
	free(p->variant);
	axis_free(&p->working_set);
	axis_free(&p->pattern);
	axis_free(&p->read);
	free(p->distribution);
	axis_free(&p->rate);
	axis_free(&p->threads);
	axis_free(&p->block_size);
	axis_free(&p->depth);
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint32_t count_wanted(const bool *wanted, int count)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < count; i++)
		sum += wanted[i];
	return sum;
}

/* I/Os in flight of each of so many threads; 0 where depth is a total that
 * does not divide by them. */
static uint32_t queue_depth(const struct product *p, uint64_t threads,
			    uint64_t depth)
{
	if (p->per_thread)
		return (uint32_t)depth;
	return depth % threads ? 0 : (uint32_t)(depth / threads);
}

static const bool *caches_of(const struct product *p, const struct variant *v)
{
	return v->has_caches ? v->caches : p->cache;
}

/* Variants times cache modes times the targets that they are measured on. */
static uint64_t count_places(const struct product *p, const struct variants *v,
			     uint32_t target_count)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < p->variant_count; i++) {
		const struct variant *one = &v->items[p->variant[i]];

		sum += (uint64_t)count_wanted(caches_of(p, one), CACHE_COUNT) *
		       (one->target ? 1 : target_count);
	}
	return sum;
}

void product_count(const struct product *p, const struct variants *variants,
		   uint32_t target_count, uint64_t *out_points,
		   uint64_t *out_indivisible)
{
	uint64_t others = count_places(p, variants, target_count);
	uint64_t fits = 0, pairs;
	uint32_t t, d;

	for (t = 0; t < p->threads.count; t++)
		for (d = 0; d < p->depth.count; d++)
			fits += queue_depth(p, p->threads.values[t],
					    p->depth.values[d]) > 0;
	pairs = (uint64_t)p->threads.count * p->depth.count;
	others = multiply(others, count_wanted(p->engine, ENGINE_COUNT));
	others = multiply(others, p->working_set.count);
	others = multiply(others, p->pattern.count);
	others = multiply(others, p->distribution_count);
	others = multiply(others, p->read.count);
	others = multiply(others, p->rate.count);
	others = multiply(others, p->block_size.count);
	*out_points = multiply(others, fits);
	*out_indivisible = multiply(others, pairs - fits);
}

/* What the points written next have in common, and where they go. */
struct writer {
	const struct product *product;
	struct point point;
	struct point *out;
};

static void emit_loads(struct writer *w)
{
	const struct product *p = w->product;
	struct workload *load = &w->point.workload;
	uint32_t t, b, d;

	for (t = 0; t < p->threads.count; t++) {
		load->threads = (uint32_t)p->threads.values[t];
		for (b = 0; b < p->block_size.count; b++) {
			load->stream.block_size_bytes = p->block_size.values[b];
			for (d = 0; d < p->depth.count; d++) {
				load->queue_depth = queue_depth(
				    p, load->threads, p->depth.values[d]);
				if (load->queue_depth)
					*w->out++ = w->point;
			}
		}
	}
}

static void emit_rates(struct writer *w)
{
	const struct axis *rate = &w->product->rate;
	uint32_t i;

	for (i = 0; i < rate->count; i++) {
		w->point.workload.rate_iops = (uint32_t)rate->values[i];
		emit_loads(w);
	}
}

static void emit_reads(struct writer *w)
{
	const struct axis *read = &w->product->read;
	uint32_t r;

	for (r = read->count; r-- > 0;) {
		w->point.workload.stream.read_pct =
		    (double)read->values[r] / AXIS_PER_PERCENT;
		emit_rates(w);
	}
}

/* Where nothing jumps there is nothing to distribute: points that differ in
 * this alone become duplicates. */
static void emit_pattern(struct writer *w, double random_pct)
{
	static const struct distribution uniform;
	const struct product *p = w->product;
	struct stream *s = &w->point.workload.stream;
	uint32_t d;

	s->random_pct = random_pct;
	for (d = 0; d < p->distribution_count; d++) {
		s->distribution = random_pct > 0 ? p->distribution[d] : uniform;
		emit_reads(w);
	}
}

static void emit_workloads(struct writer *w)
{
	const struct product *p = w->product;
	uint32_t s, a;

	for (s = 0; s < p->working_set.count; s++) {
		w->point.workload.working_set_bytes = p->working_set.values[s];
		for (a = 0; a < p->pattern.count; a++)
			emit_pattern(w, (double)p->pattern.values[a] /
					    AXIS_PER_PERCENT);
	}
}

static void emit_variant(struct writer *w, const struct variant *v)
{
	const struct product *p = w->product;
	const bool *caches = caches_of(p, v);
	int c, e;

	w->point.variant = v->name;
	w->point.state = v->state;
	for (c = 0; c < CACHE_COUNT; c++) {
		w->point.cache = (enum cache_mode)c;
		for (e = 0; caches[c] && e < ENGINE_COUNT; e++) {
			w->point.engine = (enum engine_kind)e;
			if (p->engine[e])
				emit_workloads(w);
		}
	}
}

struct point *product_emit(const struct product *p,
			   const struct variants *variants, const char *target,
			   bool first, struct point *out)
{
	struct writer w = {.product = p, .out = out};
	uint32_t i;

	w.point.section = p->section;
	for (i = 0; i < p->variant_count; i++) {
		const struct variant *v = &variants->items[p->variant[i]];

		w.point.target = v->target ? v->target : target;
		if (v->target ? first : target != NULL)
			emit_variant(&w, v);
	}
	return w.out;
}
