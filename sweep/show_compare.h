/*
 * show_compare: a comparison in the terminal: what was compared, a heat map
 * of the speed-up a workload, the conclusions in words; or as JSON.
 */
#ifndef SWEEP_SHOW_COMPARE_H
#define SWEEP_SHOW_COMPARE_H

#include "export/compare.h"
#include "sweep/show.h"

/* 0 or -ENOMEM; output errors stay in f. */
int show_compare(FILE *f, const struct compare *c,
		 const struct show_style *style, struct err *err);

/* One JSON object; unknown numbers are null. */
void show_compare_json(FILE *f, const struct compare *c);

#endif
