/*
 * product: the cross product of one section of a plan: its axes, read from
 * the texts of a plan_request, and the points that they make. plan.c puts the
 * products of all sections and targets together.
 */
#ifndef SWEEP_PRODUCT_H
#define SWEEP_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"
#include "sweep/axis.h"
#include "sweep/plan.h"
#include "sweep/variant.h"

struct product {
	char *section;	   /* owned */
	uint32_t *variant; /* places in the plan's variants; owned */
	uint32_t variant_count;
	bool cache[CACHE_COUNT];
	bool engine[ENGINE_COUNT];
	struct axis working_set; /* one 0 where none was said */
	struct axis pattern, read;
	struct distribution *distribution; /* ascending; owned */
	uint32_t distribution_count;
	struct axis rate; /* 0: unlimited */
	struct axis threads, block_size;
	struct axis depth; /* outstanding, or of each thread */
	bool per_thread;
};

/* 0, or -errno with a sentence; out is untouched on failure. product_fini
 * frees. Labels of variants are added to variants. */
int product_parse(const struct plan_request *req,
		  const struct plan_section *section, struct variants *variants,
		  struct product *out, struct err *err);
void product_fini(struct product *p);

/* Points for that many targets, and those left out because their outstanding
 * does not divide by their threads. UINT64_MAX: that many or more. */
void product_count(const struct product *p, const struct variants *variants,
		   uint32_t target_count, uint64_t *out_points,
		   uint64_t *out_indivisible);

/* Write the points for one target (NULL: none) to out, in the order of
 * plan_build; those of variants with a target of their own come with the first
 * one. Indexes are left 0. Returns the end. Texts stay their owners'. */
struct point *product_emit(const struct product *p,
			   const struct variants *variants, const char *target,
			   bool first, struct point *out);

#endif
