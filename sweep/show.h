/*
 * show: a run in the terminal: the sweet-spot table, one heat map a workload,
 * warnings; or the same as JSON. Reads struct run only.
 */
#ifndef SWEEP_SHOW_H
#define SWEEP_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/err.h"
#include "export/grid.h"
#include "export/result.h"
#include "export/sweetspot.h"

struct show_style {
	bool colour;	/* 256-colour backgrounds; else shades in ASCII */
	unsigned width; /* columns of the terminal, at least 40 */
};

/* What stdout is: a terminal with colours wanted (NO_COLOR, TERM=dumb,
 * --no-color are honoured) and its width, 80 where unknown. */
struct show_style show_style_detect(FILE *f, bool no_color);

/* The table of sweet spots, their sentences, failed and doubtful points. 0 or
 * -ENOMEM; output errors stay in f. */
int show_sweetspots(FILE *f, const struct run *run,
		    const struct latency_limit *limit,
		    const struct show_style *style, struct err *err);

enum show_metric { SHOW_IOPS, SHOW_MIBPS, SHOW_LATENCY };

/* One heat map a grid: block size down, outstanding across. */
int show_heatmaps(FILE *f, const struct run *run, enum show_metric metric,
		  const struct show_style *style, struct err *err);

/* Print one cell, 9 columns wide; r is NULL where nothing was planned. */
typedef void show_cell(FILE *f, const struct result *r,
		       const struct show_style *style, const void *arg);

/* A grid, as many columns beside each other as fit. */
void show_grid(FILE *f, const struct grid *g, const struct show_style *style,
	       show_cell *cell, const void *arg);

/* Facts, points with their numbers and the sweet spots as one JSON object. */
int show_json(FILE *f, const struct run *run, const struct latency_limit *limit,
	      struct err *err);

#endif
