/*
 * svg: line charts for the HTML page: a line a block size over outstanding,
 * with 95% whiskers where they are known. Unknown values are gaps. Internal to
 * export/.
 */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One line. */
struct svg_series {
	const char *name;
	const double *values;	  /* one a category; NAN: gap */
	const double *low, *high; /* NULL or NAN: no whisker */
};

struct svg_chart {
	const char *title;
	const char *x_title, *y_title; /* with the unit */
	bool log; /* whole decades up the side, instead of from 0 */
	const char *const *categories;
	uint32_t category_count;
	const struct svg_series *series;
	uint32_t series_count;
};

/* An <svg> element; errors stay in f. */
void svg_put_chart(FILE *f, const struct svg_chart *chart);

/*
 * The next character of a text that may be anything, which moves behind it: as
 * it is, a blank for a control character, U+FFFD for what is no character. In
 * out or constant.
 */
#define SVG_TAKE_MAX 5
const char *svg_take(const char **text, char out[SVG_TAKE_MAX]);

/* Text for HTML and SVG, content and quoted attributes. */
void svg_put_text(FILE *f, const char *text);

/* The step of an axis from 0 to at least `largest` in about `steps` steps: 1,
 * 2 or 5 times a power of ten. largest > 0. */
double svg_nice_step(double largest, uint32_t steps);

#endif
