/*
 * themefile: reads a theme of a workbook (those in templates/reports, or a file
 * of one's own) into struct theme.
 *
 *	[theme]      title, subtitle, author, logo, font, latency-limit
 *	[colors]     title, head, series: RRGGBB, series up to 8 with commas
 *	[sheets]     dashboard, cache-effect, compare-targets, latency,
 *	             histogram, time-series: yes or no
 *	[words]      a heading as it is in English = what stands there instead
 *	[sentences]  the same for texts with %s or %u in them, which take the
 *	             same ones in the same order
 */
#ifndef SWEEP_THEMEFILE_H
#define SWEEP_THEMEFILE_H

#include "engine/err.h"
#include "export/book.h"
#include "export/theme.h"

/* The options of every command that writes a workbook. */
#define THEMEFILE_HELP                                                         \
	"look and words of the workbook: default, german, print, or a file"
#define THEMEFILE_PIVOT_HELP                                                   \
	"add PivotTables with PivotCharts to the workbook, made without Excel"
#define THEMEFILE_REPRODUCIBLE_HELP                                            \
	"the same bytes from the same run folders, whenever and wherever (so " \
	"it always is: for scripts that ask for it)"

/*
 * Read a theme by name or path into out, all zeros before. The logo is a PNG
 * named relative to the theme's folder, in it or below. 0, or -errno with a
 * sentence that names file and line; theme_fini in both cases.
 */
int themefile_read(const char *datadir, const char *name, struct theme *out,
		   struct err *err);

/* How a book goes by a theme (NULL: by none): its title, and its latency limit
 * where asked has none. Points to both. */
struct book_opts themefile_opts(const struct theme *theme,
				const struct latency_limit *asked);

#endif
