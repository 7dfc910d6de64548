#include "export/pivot_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/svg.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define LINKS                                                                  \
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
/* Excel 2016; what reads it must know as much as Excel 2007 does. */
#define VERSIONS(kind)                                                         \
	"createdVersion=\"6\" " kind "Version=\"6\" "                          \
	"minRefreshableVersion=\"3\""
/* Of the columns that measures make, in place of a field. */
#define MEASURES "4294967294"

/* A text that is being written; every failure shows at its end. */
struct xml {
	FILE *f;
	char *text;
	size_t size;
};

static bool begin(struct xml *x)
{
	x->text = NULL;
	x->f = open_memstream(&x->text, &x->size);
	if (x->f)
		fputs(HEAD, x->f);
	return x->f != NULL;
}

static char *end(struct xml *x)
{
	bool failed = ferror(x->f);

	if (fclose(x->f) || failed) {
		free(x->text);
		return NULL;
	}
	return x->text;
}

/* A text as the strings of a sheet escape it. */
static void put_string(FILE *f, const char *text)
{
	char *clean = xlsx_clean(text, PIVOT_TEXT_MAX, true);

	svg_put_text(f, clean ? clean : "");
	free(clean);
}

static void put_item(FILE *f, const struct pivot_item *item)
{
	if (item->text) {
		fputs("<s v=\"", f);
		put_string(f, item->text);
		fputs("\"/>", f);
	} else {
		fprintf(f, "<n v=\"%.16G\"/>", item->number);
	}
}

/* What the numbers of a field are like, as attributes. */
struct span {
	double low, high;
	bool whole, blank;
};

static void extend(struct span *s, double value)
{
	if (!isfinite(value)) {
		s->blank = true;
		return;
	}
	if (!(s->low <= value))
		s->low = value;
	if (!(s->high >= value))
		s->high = value;
	s->whole &= value == floor(value);
}

static void put_span(FILE *f, const struct span *s)
{
	if (!isfinite(s->low)) {
		fputs(" containsNonDate=\"0\" containsString=\"0\" "
		      "containsBlank=\"1\"",
		      f);
		return;
	}
	fprintf(f,
		"%s containsString=\"0\"%s containsNumber=\"1\"%s "
		"minValue=\"%.16G\" maxValue=\"%.16G\"",
		s->blank ? "" : " containsSemiMixedTypes=\"0\"",
		s->blank ? " containsBlank=\"1\"" : "",
		s->whole ? " containsInteger=\"1\"" : "", s->low, s->high);
}

static void put_key(FILE *f, const struct pivot_field *field)
{
	struct span span = {NAN, NAN, true, false};
	uint32_t i;

	fputs("<sharedItems", f);
	if (!field->items[0].text) {
		for (i = 0; i < field->item_count; i++)
			extend(&span, field->items[i].number);
		put_span(f, &span);
	}
	fprintf(f, " count=\"%u\">", field->item_count);
	for (i = 0; i < field->item_count; i++)
		put_item(f, &field->items[i]);
	fputs("</sharedItems>", f);
}

static void put_measure(FILE *f, const struct pivot *p, int measure)
{
	struct span span = {NAN, NAN, true, false};
	uint32_t i;

	for (i = 0; i < p->record_count; i++)
		extend(&span, p->records[i].value[measure]);
	fputs("<sharedItems", f);
	put_span(f, &span);
	fputs("/>", f);
}

char *pivot_cache_xml(const struct pivot *p, const char *table)
{
	struct xml x;
	int key;

	if (!begin(&x))
		return NULL;
	fprintf(
	    x.f,
	    "<pivotCacheDefinition xmlns=\"" MAIN "\" xmlns:r=\"" LINKS
	    "\" r:id=\"rId1\" refreshOnLoad=\"1\" "
	    "refreshedBy=\"iosweep\" " VERSIONS(
		"refreshed") " recordCount=\"%u\">"
			     "<cacheSource type=\"worksheet\"><worksheetSource "
			     "name=\"%s\"/>"
			     "</cacheSource><cacheFields count=\"%d\">",
	    p->record_count, table, PIVOT_FIELDS);
	for (key = 0; key < PIVOT_FIELDS; key++) {
		fputs("<cacheField name=\"", x.f);
		put_string(x.f, p->fields[key].name);
		fputs("\" numFmtId=\"0\">", x.f);
		if (key < PIVOT_KEYS)
			put_key(x.f, &p->fields[key]);
		else
			put_measure(x.f, p, key - PIVOT_KEYS);
		fputs("</cacheField>", x.f);
	}
	fputs("</cacheFields></pivotCacheDefinition>", x.f);
	return end(&x);
}

char *pivot_records_xml(const struct pivot *p)
{
	struct xml x;
	uint32_t i;
	int key;

	if (!begin(&x))
		return NULL;
	fprintf(x.f,
		"<pivotCacheRecords xmlns=\"" MAIN "\" xmlns:r=\"" LINKS
		"\" count=\"%u\">",
		p->record_count);
	for (i = 0; i < p->record_count; i++) {
		const struct pivot_record *r = &p->records[i];

		fputs("<r>", x.f);
		for (key = 0; key < PIVOT_KEYS; key++)
			fprintf(x.f, "<x v=\"%u\"/>", r->item[key]);
		for (key = 0; key < PIVOT_MEASURES; key++)
			if (isfinite(r->value[key]))
				fprintf(x.f, "<n v=\"%.16G\"/>", r->value[key]);
			else
				fputs("<m/>", x.f);
		fputs("</r>", x.f);
	}
	fputs("</pivotCacheRecords>", x.f);
	return end(&x);
}

/* New sizes come behind the others, unless they are sorted. */
static void put_field(FILE *f, const struct pivot_field *field)
{
	bool sorted = field->place == PIVOT_ROW && !field->items[0].text;
	uint32_t i;

	fprintf(f,
		"<pivotField axis=\"%s\" compact=\"0\" outline=\"0\" "
		"showAll=\"0\"%s defaultSubtotal=\"0\"><items count=\"%u\">",
		field->place == PIVOT_ROW ? "axisRow" : "axisPage",
		sorted ? " sortType=\"ascending\"" : "", field->item_count);
	for (i = 0; i < field->item_count; i++)
		fprintf(f, "<item x=\"%u\"/>", i);
	fputs("</items></pivotField>", f);
}

static bool shows(const struct pivot_view *view, int key)
{
	uint32_t i;

	for (i = 0; i < view->measure_count; i++)
		if ((int)view->measures[i] == key)
			return true;
	return false;
}

static void put_fields(FILE *f, const struct pivot *p,
		       const struct pivot_view *view)
{
	int key;

	fprintf(f, "<pivotFields count=\"%d\">", PIVOT_FIELDS);
	for (key = 0; key < PIVOT_FIELDS; key++)
		if (p->fields[key].place != PIVOT_ASIDE)
			put_field(f, &p->fields[key]);
		else
			fprintf(f,
				"<pivotField%s compact=\"0\" outline=\"0\" "
				"showAll=\"0\" defaultSubtotal=\"0\"/>",
				shows(view, key) ? " dataField=\"1\"" : "");
	fputs("</pivotFields>", f);
}

/* One item of an axis; 0 is not said. */
static void put_index(FILE *f, uint32_t index)
{
	if (index)
		fprintf(f, "<x v=\"%u\"/>", index);
	else
		fputs("<x/>", f);
}

static void put_rows(FILE *f, const struct pivot *p)
{
	uint32_t i, k;

	fprintf(f, "<rowFields count=\"%u\">", p->row_count);
	for (i = 0; i < p->row_count; i++)
		fprintf(f, "<field x=\"%d\"/>", p->rows[i]);
	fprintf(f, "</rowFields><rowItems count=\"%u\">", p->line_count);
	for (i = 0; i < p->line_count; i++) {
		uint32_t repeated = pivot_repeated(p, i);

		fputs("<i", f);
		if (repeated)
			fprintf(f, " r=\"%u\"", repeated);
		fputc('>', f);
		for (k = repeated; k < p->row_count; k++)
			put_index(f, p->lines[i].first->item[p->rows[k]]);
		fputs("</i>", f);
	}
	fputs("</rowItems>", f);
}

/* Several measures are themselves the field of the columns. */
static void put_columns(FILE *f, const struct pivot_view *view)
{
	uint32_t i;

	if (view->measure_count < 2) {
		fputs("<colItems count=\"1\"><i/></colItems>", f);
		return;
	}
	fprintf(f,
		"<colFields count=\"1\"><field x=\"-2\"/></colFields>"
		"<colItems count=\"%u\">",
		view->measure_count);
	for (i = 0; i < view->measure_count; i++) {
		fputs("<i", f);
		if (i)
			fprintf(f, " i=\"%u\"", i);
		fputc('>', f);
		put_index(f, i);
		fputs("</i>", f);
	}
	fputs("</colItems>", f);
}

static void put_pages(FILE *f, const struct pivot *p)
{
	uint32_t i;

	if (!p->page_count)
		return;
	fprintf(f, "<pageFields count=\"%u\">", p->page_count);
	for (i = 0; i < p->page_count; i++)
		fprintf(f, "<pageField fld=\"%d\" item=\"%u\" hier=\"-1\"/>",
			p->pages[i], p->fields[p->pages[i]].chosen);
	fputs("</pageFields>", f);
}

static void put_measures(FILE *f, const struct pivot *p,
			 const struct pivot_view *view, const unsigned *formats)
{
	uint32_t i;

	fprintf(f, "<dataFields count=\"%u\">", view->measure_count);
	for (i = 0; i < view->measure_count; i++) {
		fputs("<dataField name=\"", f);
		put_string(f, p->captions[view->measures[i] - PIVOT_KEYS]);
		fprintf(f,
			"\" fld=\"%d\" subtotal=\"average\" baseField=\"0\" "
			"baseItem=\"0\"",
			view->measures[i]);
		if (formats[i])
			fprintf(f, " numFmtId=\"%u\"", formats[i]);
		fputs("/>", f);
	}
	fputs("</dataFields>", f);
}

/* Which format of the chart is whose: else a refresh forgets colours. */
static void put_chart_formats(FILE *f, const struct pivot_view *view)
{
	uint32_t i;

	fprintf(f, "<chartFormats count=\"%u\">", view->measure_count);
	for (i = 0; i < view->measure_count; i++)
		fprintf(f,
			"<chartFormat chart=\"0\" format=\"%u\" series=\"1\">"
			"<pivotArea type=\"data\" outline=\"0\" "
			"fieldPosition=\"0\"><references count=\"1\">"
			"<reference field=\"" MEASURES
			"\" count=\"1\" selected=\"0\"><x v=\"%u\"/>"
			"</reference></references></pivotArea></chartFormat>",
			i, i);
	fputs("</chartFormats>", f);
}

static void put_location(FILE *f, const struct pivot *p,
			 const struct pivot_view *view)
{
	uint32_t above = pivot_rows_above(view);

	fprintf(f,
		"<location ref=\"A%u:%c%u\" firstHeaderRow=\"1\" "
		"firstDataRow=\"%u\" firstDataCol=\"%u\"",
		view->row + 1 - above,
		'A' + (int)(p->row_count + view->measure_count) - 1,
		view->row + 1 + p->line_count, 1 + above, p->row_count);
	if (p->page_count)
		fprintf(f, " rowPageCount=\"%u\" colPageCount=\"1\"",
			p->page_count);
	fputs("/>", f);
}

/* A mean of nothing would be an error: it is shown as nothing. */
char *pivot_table_xml(const struct pivot *p, const struct pivot_view *view,
		      const unsigned *formats)
{
	struct xml x;

	if (!begin(&x))
		return NULL;
	fprintf(
	    x.f,
	    "<pivotTableDefinition xmlns=\"" MAIN
	    "\" name=\"%s\" cacheId=\"1\" applyNumberFormats=\"0\" "
	    "applyBorderFormats=\"0\" applyFontFormats=\"0\" "
	    "applyPatternFormats=\"0\" applyAlignmentFormats=\"0\" "
	    "applyWidthHeightFormats=\"1\" dataCaption=\"Values\" "
	    "errorCaption=\"\" showError=\"1\" " VERSIONS(
		"updated") " rowGrandTotals=\"0\" colGrandTotals=\"0\" "
			   "itemPrintTitles=\"1\" indent=\"0\" compact=\"0\" "
			   "compactData=\"0\" multipleFieldFilters=\"0\" "
			   "chartFormat=\"1\">",
	    view->name);
	put_location(x.f, p, view);
	put_fields(x.f, p, view);
	put_rows(x.f, p);
	put_columns(x.f, view);
	put_pages(x.f, p);
	put_measures(x.f, p, view, formats);
	put_chart_formats(x.f, view);
	fputs("<pivotTableStyleInfo name=\"PivotStyleLight16\" "
	      "showRowHeaders=\"1\" showColHeaders=\"1\" showRowStripes=\"0\" "
	      "showColStripes=\"0\" showLastColumn=\"1\"/>"
	      "</pivotTableDefinition>",
	      x.f);
	return end(&x);
}
