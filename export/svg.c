#include "export/svg.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/text.h"
#include "engine/units.h"

/* Of the drawing; the plot lies inside the margins, the legend right of it. */
#define WIDTH 640
#define HEIGHT 340
#define LEFT 96
#define RIGHT 100
#define TOP 34
#define BOTTOM 52
#define PLOT_WIDTH (WIDTH - LEFT - RIGHT)
#define PLOT_HEIGHT (HEIGHT - TOP - BOTTOM)
#define STEPS 5
#define LEGEND_PITCH 20
#define WHISKER 3

/* Told apart by people who see colours otherwise, and by their marks too
 * (Okabe and Ito 2008, the ink of the page last). */
static const char *const colours[] = {"#0072b2", "#d55e00",	"#009e73",
				      "#cc79a7", "#e69f00",	"#56b4e9",
				      "#7a5195", "currentColor"};
#define COLOURS (sizeof(colours) / sizeof(colours[0]))
/* The second time round the lines are dashed, then dotted. */
static const char *const dashes[] = {"none", "7 4", "2 3"};
#define DASHES (sizeof(dashes) / sizeof(dashes[0]))

const char *svg_take(const char **text, char out[SVG_TAKE_MAX])
{
	static const char replacement[] = "\xef\xbf\xbd";
	unsigned char first = (unsigned char)**text;
	size_t len = text_sequence(*text);

	snprintf(out, SVG_TAKE_MAX, "%.*s", (int)len, *text);
	*text += len ? len : 1;
	if (first < 0x20 || first == 0x7f)
		return " ";
	/* U+FFFE and U+FFFF are in no XML. */
	if (!len || !strcmp(out, "\xef\xbf\xbe") ||
	    !strcmp(out, "\xef\xbf\xbf"))
		return replacement;
	return out;
}

static const char *escaped(const char *character)
{
	switch (*character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return character;
	}
}

void svg_put_text(FILE *f, const char *text)
{
	char one[SVG_TAKE_MAX];

	while (*text)
		fputs(escaped(svg_take(&text, one)), f);
}

double svg_nice_step(double largest, uint32_t steps)
{
	double least = largest / steps;
	double power = pow(10, floor(log10(least)));

	if (least <= power)
		return power;
	if (least <= 2 * power)
		return 2 * power;
	return least <= 5 * power ? 5 * power : 10 * power;
}

static double known(const double *values, uint32_t i)
{
	return values ? values[i] : NAN;
}

static double largest_of(const struct svg_chart *c)
{
	double largest = 0;
	uint32_t i, k;

	for (i = 0; i < c->series_count; i++)
		for (k = 0; k < c->category_count; k++)
			largest =
			    fmax(largest, fmax(c->series[i].values[k],
					       known(c->series[i].high, k)));
	return largest > 0 ? largest : 1;
}

static double x_of(const struct svg_chart *c, uint32_t category)
{
	return LEFT + PLOT_WIDTH * (category + 0.5) / c->category_count;
}

/* Up the side: from 0 in steps, or from decade to decade. */
struct scale {
	bool log;
	double bottom, top, step;
};

static double least_of(const struct svg_chart *c)
{
	double least = NAN;
	uint32_t i, k;

	for (i = 0; i < c->series_count; i++)
		for (k = 0; k < c->category_count; k++)
			if (c->series[i].values[k] > 0)
				least = fmin(least, c->series[i].values[k]);
	return least;
}

static struct scale scale_of(const struct svg_chart *c)
{
	double least = least_of(c), largest = largest_of(c);
	struct scale s = {.log = c->log && isfinite(least)};

	if (s.log) {
		s.bottom = pow(10, floor(log10(least) + 1e-9));
		s.top = pow(10, ceil(log10(largest) - 1e-9));
		s.top = s.top > s.bottom ? s.top : 10 * s.bottom;
		return s;
	}
	s.step = svg_nice_step(largest, STEPS);
	s.top = ceil(largest / s.step) * s.step;
	return s;
}

static double y_of(double value, const struct scale *s)
{
	double up = s->log ? log10(fmax(value, s->bottom) / s->bottom) /
				 log10(s->top / s->bottom)
			   : value / s->top;

	return TOP + PLOT_HEIGHT * (1 - up);
}

static void put_mark(FILE *f, double value, const struct scale *s)
{
	double y = y_of(value, s);
	char text[UNITS_TEXT_MAX];

	if (value < 1000)
		snprintf(text, sizeof(text), "%g", value);
	else
		units_format_number(text, value);
	fprintf(f,
		"<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		"y2=\"%.1f\"/><text class=\"tick\" x=\"%d\" "
		"y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		LEFT, LEFT + PLOT_WIDTH, y, y, LEFT - 6, y + 4, text);
}

static void put_y_axis(FILE *f, const struct svg_chart *c,
		       const struct scale *s)
{
	uint32_t i, count = (uint32_t)lround(s->log ? log10(s->top / s->bottom)
						    : s->top / s->step);

	for (i = 0; i <= count; i++)
		put_mark(f, s->log ? s->bottom * pow(10, i) : i * s->step, s);
	fprintf(f,
		"<text class=\"axis\" transform=\"translate(14 %d) "
		"rotate(-90)\" text-anchor=\"middle\">",
		TOP + PLOT_HEIGHT / 2);
	svg_put_text(f, c->y_title);
	fprintf(f, "</text>\n");
}

static void put_x_axis(FILE *f, const struct svg_chart *c)
{
	/* Labels that would run into each other are left out. */
	uint32_t every = (c->category_count + 15) / 16, i;

	for (i = 0; i < c->category_count; i += every) {
		fprintf(f,
			"<text class=\"tick\" x=\"%.1f\" y=\"%d\" "
			"text-anchor=\"middle\">",
			x_of(c, i), TOP + PLOT_HEIGHT + 18);
		svg_put_text(f, c->categories[i]);
		fprintf(f, "</text>\n");
	}
	fprintf(f,
		"<text class=\"axis\" x=\"%d\" y=\"%d\" "
		"text-anchor=\"middle\">",
		LEFT + PLOT_WIDTH / 2, HEIGHT - 12);
	svg_put_text(f, c->x_title);
	fprintf(f, "</text>\n");
}

static void put_line(FILE *f, const struct svg_chart *c,
		     const struct svg_series *s, uint32_t n,
		     const struct scale *scale)
{
	bool pen_down = false;
	uint32_t i;

	fprintf(f,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
		"stroke-dasharray=\"%s\" d=\"",
		colours[n % COLOURS], dashes[n / COLOURS % DASHES]);
	for (i = 0; i < c->category_count; i++) {
		bool is_known = isfinite(s->values[i]);

		if (is_known)
			fprintf(f, "%c%.1f %.1f", pen_down ? 'L' : 'M',
				x_of(c, i), y_of(s->values[i], scale));
		pen_down = is_known;
	}
	fprintf(f, "\"/>\n");
}

static void put_whisker(FILE *f, double x, double low, double high,
			const struct scale *scale, const char *colour)
{
	double y_low = y_of(fmax(low, 0), scale), y_high = y_of(high, scale);

	fprintf(f,
		"<path stroke=\"%s\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh%dM%.1f "
		"%.1fh%d\"/>\n",
		colour, x, y_low, y_high, x - WHISKER, y_low, 2 * WHISKER,
		x - WHISKER, y_high, 2 * WHISKER);
}

/* A mark a value; the pointer on it tells the number. */
static void put_marks(FILE *f, const struct svg_chart *c,
		      const struct svg_series *s, uint32_t n,
		      const struct scale *scale)
{
	const char *colour = colours[n % COLOURS];
	char text[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < c->category_count; i++) {
		double low = known(s->low, i), high = known(s->high, i);

		if (!isfinite(s->values[i]))
			continue;
		if (isfinite(low) && isfinite(high))
			put_whisker(f, x_of(c, i), low, high, scale, colour);
		fprintf(f,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
			"fill=\"%s\"><title>",
			x_of(c, i), y_of(s->values[i], scale), colour);
		svg_put_text(f, s->name);
		fprintf(f, ", ");
		svg_put_text(f, c->categories[i]);
		fprintf(f, ": %s</title></circle>\n",
			units_format_number(text, s->values[i]));
	}
}

static void put_legend(FILE *f, const struct svg_chart *c)
{
	uint32_t i;

	for (i = 0; i < c->series_count; i++) {
		int y = TOP + 8 + (int)i * LEGEND_PITCH;

		fprintf(f,
			"<path stroke=\"%s\" stroke-width=\"2\" "
			"stroke-dasharray=\"%s\" d=\"M%d %dh24\"/>"
			"<text class=\"tick\" x=\"%d\" y=\"%d\">",
			colours[i % COLOURS], dashes[i / COLOURS % DASHES],
			LEFT + PLOT_WIDTH + 12, y, LEFT + PLOT_WIDTH + 42,
			y + 4);
		svg_put_text(f, c->series[i].name);
		fprintf(f, "</text>\n");
	}
}

void svg_put_chart(FILE *f, const struct svg_chart *c)
{
	const struct scale scale = scale_of(c);
	int height = TOP + BOTTOM + (int)c->series_count * LEGEND_PITCH;
	uint32_t i;

	fprintf(f, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
		WIDTH, height > HEIGHT ? height : HEIGHT);
	svg_put_text(f, c->title);
	fprintf(f, "\">\n<text class=\"chart\" x=\"%d\" y=\"18\">", LEFT);
	svg_put_text(f, c->title);
	fprintf(f, "</text>\n");
	put_y_axis(f, c, &scale);
	put_x_axis(f, c);
	for (i = 0; i < c->series_count; i++)
		put_line(f, c, &c->series[i], i, &scale);
	for (i = 0; i < c->series_count; i++)
		put_marks(f, c, &c->series[i], i, &scale);
	put_legend(f, c);
	fprintf(f, "</svg>\n");
}
