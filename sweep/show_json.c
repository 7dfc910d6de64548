#include <errno.h>

#include <json-c/json.h>

#include "export/columns.h"
#include "sweep/show.h"

static struct json_object *json_of_value(const struct column_value *value)
{
	if (!value->known)
		return NULL; /* null: unknown */
	switch (value->type) {
	case COLUMN_TEXT:
		return json_object_new_string(value->text);
	case COLUMN_INTEGER:
		return json_object_new_uint64(value->integer);
	case COLUMN_REAL:
		return json_object_new_double(value->real);
	}
	return NULL;
}

static struct json_object *json_of_point(const struct run *run,
					 const struct result *r)
{
	struct column_row row = {.point = r->point, .result = r, .run = run};
	struct json_object *object = json_object_new_object();
	struct column_value value;
	size_t i;

	for (i = 0; i < column_count; i++) {
		if (!(columns[i].where & COLUMN_IN_POINTS))
			continue;
		columns[i].get(&row, &value);
		json_object_object_add(object, columns[i].name,
				       json_of_value(&value));
	}
	return object;
}

static void add_index(struct json_object *object, const char *name,
		      const struct result *r)
{
	json_object_object_add(
	    object, name, r ? json_object_new_uint64(r->point->index) : NULL);
}

/* A sweet spot names its points by their index. */
static struct json_object *json_of_spot(const struct sweetspot *spot)
{
	struct json_object *object = json_object_new_object();
	char text[512];

	json_object_object_add(object, "workload",
			       json_object_new_string(point_workload_name(
				   spot->group, text, sizeof(text))));
	json_object_object_add(object, "target",
			       json_object_new_string(spot->group->target));
	json_object_object_add(object, "variant",
			       json_object_new_string(spot->group->variant));
	json_object_object_add(
	    object, "cache",
	    json_object_new_string(cache_mode_name(spot->group->cache)));
	add_index(object, "sweet_point_index", spot->sweet);
	add_index(object, "undecided_point_index", spot->undecided);
	add_index(object, "peak_iops_point_index", spot->peak_iops);
	add_index(object, "peak_mibps_point_index", spot->peak_mibps);
	add_index(object, "lowest_latency_point_index", spot->lowest_latency);
	json_object_object_add(object, "sentence",
			       json_object_new_string(sweetspot_sentence(
				   spot, NULL, text, sizeof(text))));
	return object;
}

static struct json_object *json_of_facts(const struct run *run)
{
	struct json_object *facts = json_object_new_object();
	uint32_t i;

	for (i = 0; i < run->fact_count; i++) {
		const struct run_fact *fact = &run->facts[i];
		struct json_object *section;

		if (!json_object_object_get_ex(facts, fact->section,
					       &section)) {
			section = json_object_new_object();
			json_object_object_add(facts, fact->section, section);
		}
		json_object_object_add(section, fact->name,
				       json_object_new_string(fact->value));
	}
	return facts;
}

int show_json(FILE *f, const struct run *run, const struct latency_limit *limit,
	      struct err *err)
{
	struct json_object *root, *list;
	struct sweetspot_list spots;
	uint32_t i;

	if (sweetspot_find(run, limit, &spots))
		return err_failed(err, ENOMEM,
				  "out of memory for the sweet spots");
	root = json_object_new_object();
	json_object_object_add(root, "folder",
			       json_object_new_string(run->folder));
	json_object_object_add(root, "facts", json_of_facts(run));
	list = json_object_new_array();
	for (i = 0; i < spots.count; i++)
		json_object_array_add(list, json_of_spot(&spots.spots[i]));
	json_object_object_add(root, "sweet_spots", list);
	list = json_object_new_array();
	for (i = 0; i < run->point_count; i++)
		json_object_array_add(list,
				      json_of_point(run, &run->results[i]));
	json_object_object_add(root, "points", list);
	fprintf(f, "%s\n",
		json_object_to_json_string_ext(
		    root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
	sweetspot_free(&spots);
	return 0;
}
