/*
 * variant: the named states of the storage that a plan sweeps, such as
 * baseline and cached: what tells one from the other, and which commands bring
 * the storage into it. Either all of a plan's variants are described by its
 * [variant NAME] sections, of which --variant selects, or there are none and
 * the names given are labels. Opens nothing and runs nothing.
 */
#ifndef SWEEP_VARIANT_H
#define SWEEP_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"
#include "sweep/axis.h"
#include "sweep/plan.h"

#define VARIANTS_MAX AXIS_NAMES_MAX

/* Texts are owned and NULL where nothing was said. */
struct variant {
	char *name; /* "" where the plan names none */
	/* For /bin/sh: before its first visit, after its last, and before
	 * each. */
	char *enter, *leave, *before_point;
	char *target;	 /* in place of the plan's targets */
	bool has_caches; /* in place of those of the workloads */
	bool caches[CACHE_COUNT];
	enum cache_state state;
	bool used; /* some workload is measured in it */
};

struct variants {
	struct variant *items; /* sections in file order; labels as met */
	uint32_t count;
	bool declared; /* by sections */
};

/* The sections of the request. 0, or -errno with a sentence; variants_fini
 * frees in both cases. */
int variants_parse(const struct plan_request *req, struct variants *out,
		   struct err *err);
void variants_fini(struct variants *v);

/*
 * The variants that a workload's section is measured in, as places in v, which
 * are marked used: the sections selected, in file order (all of them where
 * nothing is said), or the labels, by name, added where they are new; one of
 * no name where neither is. out is the caller's to free. 0, or -errno with a
 * sentence.
 */
int variants_select(struct variants *v, const struct plan_request *req,
		    const struct plan_section *section, uint32_t **out,
		    uint32_t *out_count, struct err *err);

/* The variant of that name; NULL: none. */
const struct variant *variants_find(const struct variants *v, const char *name);

/* Some variant in use has to be brought into its state at a cost: by commands,
 * or by warming it. */
bool variants_cost_switches(const struct variants *v);
/* Some variant in use is warmed. */
bool variants_warm(const struct variants *v);

#endif
