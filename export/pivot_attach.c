#include "export/pivot_parts.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "export/svg.h"
#include "export/xlsx_package.h"

#define KINDS                                                                  \
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
#define TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml."
#define RELATIONS                                                              \
	"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"      \
	"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/"    \
	"2006/relationships\">"
#define TYPES_PART "[Content_Types].xml"
#define TYPES_END "</Types>"
#define RELATIONS_END "</Relationships>"

/* A book that is being added to; the first failure sticks. */
struct work {
	struct xlsx_package *package;
	const struct pivot *p;
	int rc;
	struct err *err;
};

/* Like printf, before the one mark in a part. */
__attribute__((format(printf, 4, 5))) static void
insert(struct work *w, const char *part, const char *mark, const char *fmt, ...)
{
	char *text;
	va_list args;
	int n;

	if (w->rc)
		return;
	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0) {
		w->rc = err_failed(w->err, ENOMEM, "out of memory");
		return;
	}
	w->rc = xlsx_package_insert(w->package, part, mark, text, w->err);
	free(text);
}

static void put(struct work *w, const char *part, char *text)
{
	if (w->rc)
		free(text);
	else
		w->rc = xlsx_package_put(w->package, part, text, w->err);
}

static void add_type(struct work *w, const char *part, const char *type)
{
	insert(w, TYPES_PART, TYPES_END,
	       "<Override PartName=\"/%s\" ContentType=\"" TYPE "%s+xml\"/>",
	       part, type);
}

/* A part with the relations of another that has one only. */
static void put_relation(struct work *w, const char *part, const char *kind,
			 const char *target)
{
	char *text;

	if (asprintf(&text,
		     RELATIONS "<Relationship Id=\"rId1\" Type=\"" KINDS
			       "%s\" Target=\"%s\"/>" RELATIONS_END,
		     kind, target) < 0)
		text = NULL;
	put(w, part, text);
}

static void add_cache(struct work *w, const char *table)
{
	put(w, "xl/pivotCache/pivotCacheDefinition1.xml",
	    pivot_cache_xml(w->p, table));
	put(w, "xl/pivotCache/pivotCacheRecords1.xml", pivot_records_xml(w->p));
	put_relation(w, "xl/pivotCache/_rels/pivotCacheDefinition1.xml.rels",
		     "pivotCacheRecords", "pivotCacheRecords1.xml");
	add_type(w, "xl/pivotCache/pivotCacheDefinition1.xml",
		 "pivotCacheDefinition");
	add_type(w, "xl/pivotCache/pivotCacheRecords1.xml",
		 "pivotCacheRecords");
	insert(w, "xl/_rels/workbook.xml.rels", RELATIONS_END,
	       "<Relationship Id=\"rIdPivot\" Type=\"" KINDS
	       "pivotCacheDefinition\" "
	       "Target=\"pivotCache/pivotCacheDefinition1.xml\"/>");
	insert(w, "xl/workbook.xml", "</workbook>",
	       "<pivotCaches><pivotCache cacheId=\"1\" r:id=\"rIdPivot\"/>"
	       "</pivotCaches>");
}

/* The part that the only relation of a kind leads to, such as
 * "../charts/chart7.xml", without the dots; "" with a failure. */
static void follow(struct work *w, const char *relations, const char *folder,
		   char *out, size_t size)
{
	char *text, *place = NULL;
	char mark[64];

	out[0] = '\0';
	if (w->rc)
		return;
	snprintf(mark, sizeof(mark), "Target=\"../%s/", folder);
	text = xlsx_package_text(w->package, relations, w->err);
	if (text)
		place = strstr(text, mark);
	if (place && !strstr(place + 1, mark)) {
		place += strlen("Target=\"../");
		snprintf(out, size, "xl/%.*s", (int)strcspn(place, "\""),
			 place);
	} else {
		w->rc = err_failed(w->err, EINVAL,
				   "the workbook's %s does not lead to one of "
				   "its %s",
				   relations, folder);
	}
	free(text);
}

/* The chart of a sheet, which has one. */
static void find_chart(struct work *w, uint32_t sheet, char *out, size_t size)
{
	char part[128], relations[128];
	const char *name;

	snprintf(relations, sizeof(relations),
		 "xl/worksheets/_rels/sheet%u.xml.rels", sheet);
	follow(w, relations, "drawings", part, sizeof(part));
	name = strrchr(part, '/');
	snprintf(relations, sizeof(relations), "xl/drawings/_rels%s.rels",
		 name ? name : "");
	follow(w, relations, "charts", out, size);
}

/* The number of a number format in the styles; 0: there is none. */
static unsigned find_format(const char *styles, const char *format)
{
	char *mark = NULL;
	size_t size;
	FILE *f = format ? open_memstream(&mark, &size) : NULL;
	const char *place = NULL, *number = NULL, *c;

	if (!f)
		return 0;
	fputs(" formatCode=\"", f);
	svg_put_text(f, format);
	fputc('"', f);
	if (!fclose(f))
		place = strstr(styles, mark);
	for (c = styles; place && (c = strstr(c, "numFmtId=\"")) && c < place;
	     c++)
		number = c + strlen("numFmtId=\"");
	free(mark);
	return number ? (unsigned)strtoul(number, NULL, 10) : 0;
}

static void find_formats(struct work *w, const struct pivot_view *view,
			 unsigned *out)
{
	char *styles;
	uint32_t i;

	if (w->rc)
		return;
	styles = xlsx_package_text(w->package, "xl/styles.xml", w->err);
	if (!styles)
		w->rc = -EIO;
	for (i = 0; styles && i < view->measure_count; i++)
		out[i] =
		    find_format(styles, xlsx_style_format(view->styles[i]));
	free(styles);
}

static void add_view(struct work *w, const struct pivot_view *view, uint32_t n,
		     const struct theme *theme)
{
	unsigned formats[PIVOT_VIEW_MEASURES] = {0};
	char part[128], name[128];

	snprintf(part, sizeof(part), "xl/pivotTables/pivotTable%u.xml", n + 1);
	find_formats(w, view, formats);
	put(w, part, pivot_table_xml(w->p, view, formats));
	add_type(w, part, "pivotTable");
	snprintf(name, sizeof(name),
		 "xl/pivotTables/_rels/pivotTable%u.xml.rels", n + 1);
	put_relation(w, name, "pivotCacheDefinition",
		     "../pivotCache/pivotCacheDefinition1.xml");
	snprintf(name, sizeof(name), "xl/worksheets/_rels/sheet%u.xml.rels",
		 view->part);
	insert(w, name, RELATIONS_END,
	       "<Relationship Id=\"rIdPivot\" Type=\"" KINDS
	       "pivotTable\" Target=\"../pivotTables/pivotTable%u.xml\"/>",
	       n + 1);
	find_chart(w, view->part, name, sizeof(name));
	put(w, name, pivot_chart_xml(w->p, view, theme));
}

int pivot_attach(const char *path, const struct pivot *p, const char *table,
		 const struct pivot_view *views, uint32_t view_count,
		 const struct theme *theme, FILE *to, struct err *err)
{
	/* Numbers are written with printf: no decimal commas. */
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	struct work w = {.p = p, .err = err};
	locale_t callers;
	uint32_t i;

	if (!c_locale)
		return err_failed(err, ENOMEM, "out of memory");
	callers = uselocale(c_locale);
	w.rc = xlsx_package_open(path, &w.package, err);
	if (!w.rc) {
		add_cache(&w, table);
		for (i = 0; i < view_count; i++)
			add_view(&w, &views[i], i, theme);
	}
	if (!w.rc)
		w.rc = xlsx_package_write(w.package, to, err);
	xlsx_package_close(w.package);
	uselocale(callers);
	freelocale(c_locale);
	return w.rc;
}
