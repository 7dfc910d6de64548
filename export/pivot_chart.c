#include "export/pivot_parts.h"

#include <math.h>
#include <stdlib.h>

#include "export/svg.h"

#define INK "1F2933"
#define GREY "6B7280"
#define GRID "E1E6EB"
#define FRAME "C9D2DB"
/* Points of text are hundredths, lines are 1/12,700 of a point. */
#define LINE_WIDTH "22225"
#define THIN "9525"

/* Axes by their numbers. */
enum { CATEGORIES = 1, VALUES, MORE_CATEGORIES, MORE_VALUES };

struct chart {
	FILE *f;
	const struct pivot *p;
	const struct pivot_view *view;
	uint32_t colors[PIVOT_VIEW_MEASURES];
};

/* in_cell: as strings of a sheet are escaped, which caches are too. */
static void put_text(FILE *f, const char *text, bool in_cell)
{
	char *clean = xlsx_clean(text, PIVOT_TEXT_MAX, in_cell);

	svg_put_text(f, clean ? clean : "");
	free(clean);
}

static void put_title(FILE *f, const char *text, int size, bool bold,
		      const char *color, bool turned)
{
	fprintf(
	    f,
	    "<c:title><c:tx><c:rich><a:bodyPr%s/><a:lstStyle/><a:p><a:pPr>"
	    "<a:defRPr sz=\"%d\" b=\"%d\"/></a:pPr><a:r><a:rPr lang=\"en-US\" "
	    "sz=\"%d\" b=\"%d\"><a:solidFill><a:srgbClr val=\"%s\"/>"
	    "</a:solidFill></a:rPr><a:t>",
	    turned ? " rot=\"-5400000\" vert=\"horz\"" : "", size, bold, size,
	    bold, color);
	put_text(f, text, false);
	fputs("</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/>"
	      "</c:title>",
	      f);
}

static void put_line(FILE *f, const char *width, uint32_t color)
{
	fprintf(f,
		"<a:ln w=\"%s\"><a:solidFill><a:srgbClr val=\"%06X\"/>"
		"</a:solidFill></a:ln>",
		width, color);
}

/* The look of a series: columns are filled, the line has marks. */
static void put_look(const struct chart *c, uint32_t n)
{
	uint32_t color = c->colors[n];

	fputs("<c:spPr>", c->f);
	if (n)
		put_line(c->f, LINE_WIDTH, color);
	else
		fprintf(c->f,
			"<a:solidFill><a:srgbClr val=\"%06X\"/></a:solidFill>",
			color);
	fputs("</c:spPr>", c->f);
	if (!n)
		return;
	fprintf(c->f,
		"<c:marker><c:symbol val=\"circle\"/><c:size val=\"5\"/>"
		"<c:spPr><a:solidFill><a:srgbClr val=\"%06X\"/></a:solidFill>",
		color);
	put_line(c->f, THIN, color);
	fputs("</c:spPr></c:marker>", c->f);
}

/* 'Sheet'!$A$1:$B$9, counted from 0. */
static void put_reference(const struct chart *c, uint32_t row, uint32_t column,
			  uint32_t last_row, uint32_t last_column)
{
	fputs("<c:f>'", c->f);
	svg_put_text(c->f, c->view->sheet);
	fprintf(c->f, "'!$%c$%u", 'A' + (int)column, row + 1);
	if (row != last_row || column != last_column)
		fprintf(c->f, ":$%c$%u", 'A' + (int)last_column, last_row + 1);
	fputs("</c:f>", c->f);
}

static void put_item(FILE *f, const struct pivot_item *item)
{
	if (item->text)
		put_text(f, item->text, true);
	else
		fprintf(f, "%.16G", item->number);
}

/* The innermost field first; of the others an item where it begins. */
static void put_level(const struct chart *c, uint32_t level)
{
	enum pivot_key key = c->p->rows[level];
	uint32_t i;

	fputs("<c:lvl>", c->f);
	for (i = 0; i < c->p->line_count; i++) {
		if (pivot_repeated(c->p, i) > level)
			continue;
		fprintf(c->f, "<c:pt idx=\"%u\"><c:v>", i);
		put_item(
		    c->f,
		    &c->p->fields[key].items[c->p->lines[i].first->item[key]]);
		fputs("</c:v></c:pt>", c->f);
	}
	fputs("</c:lvl>", c->f);
}

static void put_categories(const struct chart *c)
{
	uint32_t row = c->view->row + 1, level;

	fputs("<c:cat><c:multiLvlStrRef>", c->f);
	put_reference(c, row, 0, row + c->p->line_count - 1,
		      c->p->row_count - 1);
	fprintf(c->f, "<c:multiLvlStrCache><c:ptCount val=\"%u\"/>",
		c->p->line_count);
	for (level = c->p->row_count; level-- > 0;)
		put_level(c, level);
	fputs("</c:multiLvlStrCache></c:multiLvlStrRef></c:cat>", c->f);
}

static void put_values(const struct chart *c, uint32_t n)
{
	uint32_t measure = c->view->measures[n] - PIVOT_KEYS;
	uint32_t row = c->view->row + 1, column = c->p->row_count + n, i;

	fputs("<c:val><c:numRef>", c->f);
	put_reference(c, row, column, row + c->p->line_count - 1, column);
	fprintf(c->f,
		"<c:numCache><c:formatCode>General</c:formatCode>"
		"<c:ptCount val=\"%u\"/>",
		c->p->line_count);
	for (i = 0; i < c->p->line_count; i++)
		if (isfinite(c->p->lines[i].value[measure]))
			fprintf(c->f,
				"<c:pt idx=\"%u\"><c:v>%.16G</c:v></c:pt>", i,
				c->p->lines[i].value[measure]);
	fputs("</c:numCache></c:numRef></c:val>", c->f);
}

static void put_series(const struct chart *c, uint32_t n)
{
	uint32_t column = c->p->row_count + n;

	fprintf(c->f,
		"<c:ser><c:idx val=\"%u\"/><c:order val=\"%u\"/><c:tx>"
		"<c:strRef>",
		n, n);
	put_reference(c, c->view->row, column, c->view->row, column);
	fputs("<c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>", c->f);
	put_text(c->f, c->p->captions[c->view->measures[n] - PIVOT_KEYS], true);
	fputs("</c:v></c:pt></c:strCache></c:strRef></c:tx>", c->f);
	put_look(c, n);
	if (!n)
		fputs("<c:invertIfNegative val=\"0\"/>", c->f);
	put_categories(c);
	put_values(c, n);
	fputs(n ? "<c:smooth val=\"0\"/></c:ser>" : "</c:ser>", c->f);
}

static void put_columns(const struct chart *c)
{
	fputs("<c:barChart><c:barDir val=\"col\"/>"
	      "<c:grouping val=\"clustered\"/><c:varyColors val=\"0\"/>",
	      c->f);
	put_series(c, 0);
	fprintf(c->f,
		"<c:gapWidth val=\"40\"/><c:axId val=\"%d\"/>"
		"<c:axId val=\"%d\"/></c:barChart>",
		CATEGORIES, VALUES);
}

static void put_lines(const struct chart *c)
{
	fputs("<c:lineChart><c:grouping val=\"standard\"/>"
	      "<c:varyColors val=\"0\"/>",
	      c->f);
	put_series(c, 1);
	fprintf(c->f,
		"<c:marker val=\"1\"/><c:axId val=\"%d\"/><c:axId val=\"%d\"/>"
		"</c:lineChart>",
		MORE_CATEGORIES, MORE_VALUES);
}

static void put_axis_look(FILE *f)
{
	fputs("<c:spPr>", f);
	put_line(f, THIN, (uint32_t)strtoul(FRAME, NULL, 16));
	fputs("</c:spPr><c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr>"
	      "<a:defRPr sz=\"900\"><a:solidFill><a:srgbClr val=\"" GREY
	      "\"/></a:solidFill></a:defRPr></a:pPr>"
	      "<a:endParaRPr lang=\"en-US\"/></a:p></c:txPr>",
	      f);
}

/* "Operation, Pattern, Block size (KiB), Outstanding". */
static void put_category_title(const struct chart *c)
{
	char text[PIVOT_KEYS * PIVOT_TEXT_MAX] = "";
	uint32_t i;

	for (i = 0; i < c->p->row_count; i++)
		book_append(text, sizeof(text),
			    c->p->fields[c->p->rows[i]].name);
	put_title(c->f, text, 1000, false, GREY, false);
}

static void put_category_axis(const struct chart *c, int id, int across,
			      bool hidden)
{
	fprintf(c->f,
		"<c:catAx><c:axId val=\"%d\"/><c:scaling>"
		"<c:orientation val=\"minMax\"/></c:scaling>"
		"<c:delete val=\"%d\"/><c:axPos val=\"b\"/>",
		id, hidden);
	if (!hidden)
		put_category_title(c);
	fputs("<c:numFmt formatCode=\"General\" sourceLinked=\"0\"/>"
	      "<c:majorTickMark val=\"none\"/><c:minorTickMark val=\"none\"/>"
	      "<c:tickLblPos val=\"low\"/>",
	      c->f);
	put_axis_look(c->f);
	fprintf(c->f,
		"<c:crossAx val=\"%d\"/><c:crosses val=\"autoZero\"/>"
		"<c:auto val=\"1\"/><c:lblAlgn val=\"ctr\"/>"
		"<c:lblOffset val=\"100\"/><c:noMultiLvlLbl val=\"0\"/>"
		"</c:catAx>",
		across);
}

/* Latency spans decades. Its ends are left free, since a filter may show
 * others. */
static void put_value_axis(const struct chart *c, uint32_t n, int id,
			   int across)
{
	fprintf(c->f, "<c:valAx><c:axId val=\"%d\"/><c:scaling>", id);
	if (n)
		fputs("<c:logBase val=\"10\"/>", c->f);
	fprintf(c->f,
		"<c:orientation val=\"minMax\"/></c:scaling>"
		"<c:delete val=\"0\"/><c:axPos val=\"%s\"/>",
		n ? "r" : "l");
	if (!n) {
		fputs("<c:majorGridlines><c:spPr>", c->f);
		put_line(c->f, THIN, (uint32_t)strtoul(GRID, NULL, 16));
		fputs("</c:spPr></c:majorGridlines>", c->f);
	}
	put_title(c->f, c->p->captions[c->view->measures[n] - PIVOT_KEYS], 1000,
		  false, GREY, true);
	fprintf(c->f,
		"<c:numFmt formatCode=\"%s\" sourceLinked=\"0\"/>"
		"<c:majorTickMark val=\"out\"/><c:minorTickMark val=\"none\"/>"
		"<c:tickLblPos val=\"nextTo\"/>",
		n ? "General" : "#,##0");
	put_axis_look(c->f);
	fprintf(c->f,
		"<c:crossAx val=\"%d\"/><c:crosses val=\"%s\"/>"
		"<c:crossBetween val=\"between\"/></c:valAx>",
		across, n ? "max" : "autoZero");
}

static void put_plot(const struct chart *c)
{
	bool line = c->view->measure_count > 1;

	fputs("<c:plotArea><c:layout/>", c->f);
	put_columns(c);
	if (line)
		put_lines(c);
	put_category_axis(c, CATEGORIES, VALUES, false);
	put_value_axis(c, 0, VALUES, CATEGORIES);
	if (line) {
		put_value_axis(c, 1, MORE_VALUES, MORE_CATEGORIES);
		put_category_axis(c, MORE_CATEGORIES, MORE_VALUES, true);
	}
	fputs("</c:plotArea>", c->f);
}

/* What a refresh gives back to each series, see chartFormats. */
static void put_formats(const struct chart *c)
{
	uint32_t n;

	fputs("<c:pivotFmts>", c->f);
	for (n = 0; n < c->view->measure_count; n++) {
		fprintf(c->f, "<c:pivotFmt><c:idx val=\"%u\"/>", n);
		put_look(c, n);
		if (!n)
			fputs("<c:marker><c:symbol val=\"none\"/></c:marker>",
			      c->f);
		fputs("</c:pivotFmt>", c->f);
	}
	fputs("</c:pivotFmts>", c->f);
}

static void put_chart(const struct chart *c)
{
	fputs("<c:roundedCorners val=\"0\"/><c:pivotSource><c:name>[]", c->f);
	svg_put_text(c->f, c->view->sheet);
	fprintf(c->f,
		"!%s</c:name><c:fmtId val=\"0\"/></c:pivotSource><c:chart>",
		c->view->name);
	put_title(c->f, c->view->title, 1300, true, INK, false);
	fputs("<c:autoTitleDeleted val=\"0\"/>", c->f);
	put_formats(c);
	put_plot(c);
	fputs("<c:legend><c:legendPos val=\"t\"/><c:overlay val=\"0\"/>"
	      "</c:legend><c:plotVisOnly val=\"1\"/>"
	      "<c:dispBlanksAs val=\"gap\"/></c:chart><c:spPr>",
	      c->f);
	put_line(c->f, THIN, (uint32_t)strtoul(FRAME, NULL, 16));
	fputs("</c:spPr>", c->f);
}

char *pivot_chart_xml(const struct pivot *p, const struct pivot_view *view,
		      const struct theme *theme)
{
	bool themed = theme && theme->series_count >= PIVOT_VIEW_MEASURES;
	struct chart c = {.p = p, .view = view, .colors = {0x0072B2, 0xD55E00}};
	char *text = NULL;
	bool failed;
	size_t size, i;

	for (i = 0; themed && i < PIVOT_VIEW_MEASURES; i++)
		c.colors[i] = theme->series[i];
	c.f = open_memstream(&text, &size);
	if (!c.f)
		return NULL;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
	      "<c:chartSpace xmlns:c=\"http://schemas.openxmlformats.org/"
	      "drawingml/2006/chart\" xmlns:a=\"http://schemas.openxmlformats."
	      "org/drawingml/2006/main\">",
	      c.f);
	put_chart(&c);
	fputs("</c:chartSpace>", c.f);
	failed = ferror(c.f);
	if (fclose(c.f) || failed) {
		free(text);
		return NULL;
	}
	return text;
}
