#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/runfile.h"
#include "sweep/resume.h"
#include "sweep/variant.h"

#define SECTION_MAX 32

static int out_of_memory(struct err *err)
{
	return err_failed(err, ENOMEM, "out of memory for the variants");
}

static const struct plan_variant *find_section(const struct plan_request *req,
					       const char *name)
{
	uint32_t i;

	for (i = 0; i < req->variant_count; i++)
		if (!strcmp(req->variants[i].name, name))
			return &req->variants[i];
	return NULL;
}

/* A command is taken from the plan file named again, never from the folder,
 * and has to be the one that it was. */
static int take_command(const struct resume *r, const char *was,
			const struct plan_text *now, char **out,
			struct err *err)
{
	const char *is = now && now->value ? now->value : "";

	if (strcmp(was, is))
		return err_refused(err,
				   "%s: its variants have commands, which are "
				   "run from a plan file only and have to be "
				   "those of the beginning ('%s', not '%s'); "
				   "name that file with --plan",
				   r->run.folder, was, is);
	if (!is[0])
		return 0;
	*out = strdup(is);
	return *out ? 0 : out_of_memory(err);
}

static int take_commands(const struct resume *r, const char *section,
			 const struct plan_request *req, struct variant *v,
			 struct err *err)
{
	const struct plan_variant *now = find_section(req, v->name);
	const struct {
		const char *fact;
		enum plan_variant_key key;
		char **out;
	} commands[] = {
	    {"enter", PLAN_VARIANT_ENTER, &v->enter},
	    {"leave", PLAN_VARIANT_LEAVE, &v->leave},
	    {"before_point", PLAN_VARIANT_BEFORE_POINT, &v->before_point},
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(commands) / sizeof(commands[0]); i++)
		ret = take_command(r,
				   run_fact(&r->run, section, commands[i].fact),
				   now ? &now->key[commands[i].key] : NULL,
				   commands[i].out, err);
	return ret;
}

/* A variant in the state that its points tell. */
static struct variant *add(struct variants *v, const struct point *p)
{
	struct variant *grown =
	    realloc(v->items, (v->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	v->items = grown;
	grown += v->count;
	memset(grown, 0, sizeof(*grown));
	grown->name = strdup(p->variant);
	if (!grown->name)
		return NULL;
	grown->state = p->state;
	grown->used = true;
	v->count++;
	return grown;
}

static const struct point *find_point(const struct plan *plan,
				      const char *variant)
{
	uint32_t i;

	for (i = 0; i < plan->point_count; i++)
		if (!strcmp(plan->points[i].variant, variant))
			return &plan->points[i];
	return NULL;
}

/* [variant N] of run.ini: those that have a name, in their order. */
static int take_noted(const struct resume *r, const struct plan_request *req,
		      struct plan *plan, struct err *err)
{
	char section[SECTION_MAX];
	uint32_t number;

	for (number = 1; number <= VARIANTS_MAX; number++) {
		const struct point *p;
		struct variant *v;
		const char *name;
		int ret;

		snprintf(section, sizeof(section), "variant %" PRIu32, number);
		name = run_fact(&r->run, section, "name");
		p = name[0] ? find_point(plan, name) : NULL;
		if (!p || variants_find(plan->variants, name))
			continue;
		v = add(plan->variants, p);
		ret = v ? take_commands(r, section, req, v, err)
			: out_of_memory(err);
		if (ret)
			return ret;
	}
	return 0;
}

/* All that the points are of, those noted first. */
static int take_all(const struct resume *r, const struct plan_request *req,
		    struct plan *plan, struct err *err)
{
	uint32_t i;
	int ret = take_noted(r, req, plan, err);

	for (i = 0; !ret && i < plan->point_count; i++)
		if (!variants_find(plan->variants, plan->points[i].variant) &&
		    (plan->variants->count == VARIANTS_MAX ||
		     !add(plan->variants, &plan->points[i])))
			ret = out_of_memory(err);
	return ret;
}

int resume_variants(const struct resume *r, const struct plan_request *req,
		    struct plan *plan, struct err *err)
{
	/* Of a plan named again: points lean on their texts. */
	struct variants *named = plan->variants;
	int ret;

	plan->variants = calloc(1, sizeof(*plan->variants));
	ret = plan->variants ? take_all(r, req, plan, err) : out_of_memory(err);
	if (named) {
		if (plan->variants)
			variants_fini(plan->variants);
		free(plan->variants);
		plan->variants = named;
	}
	if (!ret &&
	    !run_fact(&r->run, RESUME_SETTINGS,
		      plan_key_name(PLAN_VARIANT_ORDER))[0] &&
	    !req->option[PLAN_VARIANT_ORDER].value)
		plan_choose_variant_order(plan);
	return ret;
}
