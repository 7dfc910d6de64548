#include <math.h>

#include <json-c/json.h>

#include "export/compare_words.h"
#include "sweep/show_compare.h"

static void add(struct json_object *to, const char *name,
		struct json_object *value)
{
	json_object_object_add(to, name, value);
}

static void add_text(struct json_object *to, const char *name, const char *text)
{
	add(to, name, json_object_new_string(text));
}

static void add_number(struct json_object *to, const char *name, double value)
{
	add(to, name, isfinite(value) ? json_object_new_double(value) : NULL);
}

static void add_count(struct json_object *to, const char *name, uint64_t count)
{
	add(to, name, json_object_new_uint64(count));
}

static void add_flag(struct json_object *to, const char *name, bool flag)
{
	add(to, name, json_object_new_boolean(flag));
}

/* {"value": 1.2, "low": 1.1, "high": 1.3} a metric. */
static struct json_object *json_of_ratios(const struct interval *ratios)
{
	struct json_object *object = json_object_new_object();
	int m;

	for (m = 0; m < COMPARE_METRIC_COUNT; m++) {
		struct json_object *ratio = json_object_new_object();

		add_number(ratio, "value", ratios[m].value);
		add_number(ratio, "low", ratios[m].low);
		add_number(ratio, "high", ratios[m].high);
		add(object, compare_metric_name((enum compare_metric)m), ratio);
	}
	return object;
}

static void add_place(struct json_object *to, const struct point *p)
{
	char name[POINT_NAME_MAX];

	add_text(to, "workload", point_workload_name(p, name, sizeof(name)));
	add_count(to, "block_size_bytes", p->workload.stream.block_size_bytes);
	add_count(to, "outstanding", point_outstanding(p));
}

static struct json_object *json_of_side(const struct compare *c, uint32_t i)
{
	const struct side *side = &c->sides.sides[i];
	struct json_object *object = json_object_new_object();
	struct json_object *caveats = json_object_new_array();
	char text[COMPARE_TEXT_MAX];
	uint32_t n;

	add_text(object, "label", side->label);
	add_text(object, "folder", side->run->folder);
	add_text(object, "target", side->point.target);
	add_text(object, "variant", side->point.variant);
	add_text(object, "cache", cache_mode_name(side->point.cache));
	if (i)
		add_flag(object, "interleaved", c->about[i].interleaved);
	for (n = 0; i && compare_caveat_text(c, i, n, text, sizeof(text))[0];
	     n++)
		json_object_array_add(caveats, json_object_new_string(text));
	add(object, "caveats", caveats);
	return object;
}

static struct json_object *json_of_workload(const struct compare *c,
					    const struct compare_workload *l)
{
	struct json_object *object = json_object_new_object();
	struct json_object *counts = json_object_new_object();
	char text[COMPARE_TEXT_MAX];
	int v;

	add_text(object, "side", c->sides.sides[l->side].label);
	add_text(object, "workload", l->name);
	add_count(object, "pairs", l->count);
	add(object, "mean_ratio", json_of_ratios(l->mean));
	add_text(object, "compared_by", compare_metric_name(l->by));
	add_text(object, "verdict", compare_verdict_name(l->verdict));
	for (v = 0; v < COMPARE_VERDICT_COUNT; v++)
		add_count(counts, compare_verdict_name((enum compare_verdict)v),
			  l->verdicts[v]);
	add(object, "pair_verdicts", counts);
	add_flag(object, "optimistic", l->optimistic);
	add_number(object, "detectable_mean_ratio", l->seen_mean);
	add_number(object, "detectable_point_ratio", l->seen_point);
	add_text(object, "sentence",
		 compare_workload_text(c, l, text, sizeof(text)));
	add_text(object, "sweet_spot",
		 compare_spot_text(l, text, sizeof(text)));
	return object;
}

static struct json_object *json_of_pair(const struct compare *c,
					const struct compare_pair *p)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "side", c->sides.sides[p->side].label);
	add_place(object, p->base->point);
	add_count(object, "base_point_index", p->base->point->index);
	add_count(object, "other_point_index", p->other->point->index);
	add(object, "ratio", json_of_ratios(p->ratio));
	add_text(object, "verdict", compare_verdict_name(p->verdict));
	add_flag(object, "within_rounds", p->within_rounds);
	add_flag(object, "optimistic", p->optimistic);
	add_flag(object, "cache_lets_pass", p->passed);
	return object;
}

static struct json_object *json_of_lost(const struct compare *c,
					const struct compare_lost *lost)
{
	struct json_object *object = json_object_new_object();
	char text[COMPARE_TEXT_MAX];

	add_text(object, "side", c->sides.sides[lost->side].label);
	add_place(object, lost->result->point);
	add_text(object, "reason",
		 compare_reason_text(c, lost, text, sizeof(text)));
	return object;
}

void show_compare_json(FILE *f, const struct compare *c)
{
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_object_new_array();
	uint32_t i;

	for (i = 0; i < c->sides.count; i++)
		json_object_array_add(list, json_of_side(c, i));
	add(root, "sides", list);
	list = json_object_new_array();
	for (i = 0; i < c->workload_count; i++)
		json_object_array_add(list,
				      json_of_workload(c, &c->workloads[i]));
	add(root, "workloads", list);
	list = json_object_new_array();
	for (i = 0; i < c->pair_count; i++)
		json_object_array_add(list, json_of_pair(c, &c->pairs[i]));
	add(root, "pairs", list);
	list = json_object_new_array();
	for (i = 0; i < c->lost_count; i++)
		json_object_array_add(list, json_of_lost(c, &c->lost[i]));
	add(root, "unpaired", list);
	fprintf(f, "%s\n",
		json_object_to_json_string_ext(
		    root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}
