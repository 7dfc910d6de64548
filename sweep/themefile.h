/*
 * themefile: reads a theme of a workbook (those in templates/reports, or a file
 * of one's own) into struct theme.
 *
 *	[theme]      title, subtitle, author, logo, font, latency-limit
 *	[colors]     title, head, series: RRGGBB, series up to 8 with commas
 *	[sheets]     dashboard, cache-effect, compare-targets, latency,
 *	             histogram, time-series: yes or no
 *	[words]      a heading as it is in English = what stands there instead
 */
#ifndef SWEEP_THEMEFILE_H
#define SWEEP_THEMEFILE_H

#include "engine/err.h"
#include "export/theme.h"

/*
 * Read a theme by name or path into out, all zeros before. The logo is a PNG
 * named relative to the theme's folder, in it or below. 0, or -errno with a
 * sentence that names file and line; theme_fini in both cases.
 */
int themefile_read(const char *datadir, const char *name, struct theme *out,
		   struct err *err);

#endif
