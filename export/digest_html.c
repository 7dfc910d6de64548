#include "export/digest_configs.h"
#include "export/digest_page.h"
#include "export/svg.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2733;--page:#fff;--head:#1f4e79;"
    "--note:#5a6876;--line:#d5dce3;--fill:#f1f4f7;--grid:#dfe5ea}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e3e8ed;"
    "--page:#15191e;--head:#8fc1ee;--note:#9aa7b4;--line:#3a444f;"
    "--fill:#222930;--grid:#333c46}}\n"
    "body{font:15px/1.45 system-ui,'Segoe UI',Carlito,sans-serif;"
    "color:var(--ink);background:var(--page);"
    "max-width:1340px;margin:0 auto;padding:16px 24px}\n"
    "h1{font-size:26px;margin:8px 0 0}h2{font-size:20px;margin:32px 0 8px;"
    "border-bottom:2px solid var(--head);color:var(--head)}\n"
    "nav a{margin-right:16px;white-space:nowrap}a{color:var(--head)}\n"
    ".note{color:var(--note);margin:4px 0}.say{font-size:17px;margin:4px 0}\n"
    ".warn{border-left:4px solid #d55e00;padding-left:10px;margin:6px 0}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:3px 9px;border:1px solid var(--line);text-align:right}"
    "th{background:var(--fill);font-weight:600}\n"
    /* Its colours are light ones on every page. */
    ".heat td{color:#1c2733}.heat th,.heat td{padding:3px 6px;"
    "font-size:14px}\n"
    "td.text,th.text{text-align:left;overflow-wrap:anywhere;"
    "min-width:7em}\n"
    "caption{white-space:nowrap;text-align:left;font-weight:600;padding:4px "
    "0}\n"
    ".heats,.charts{display:flex;flex-wrap:wrap;gap:20px 32px;"
    "align-items:flex-start;margin-top:12px}\n"
    ".charts svg{width:620px;max-width:100%;height:auto}\n"
    "svg text{font:12px system-ui,'Segoe UI',Carlito,sans-serif;"
    "fill:var(--ink)}svg .chart{font-size:14px;font-weight:600}\n"
    "svg .grid{stroke:var(--grid)}\n"
    "@page{size:landscape;margin:12mm}\n"
    "@media print{nav{display:none}h2{break-after:avoid}"
    "body{font-size:12px;max-width:none;padding:0}.say{font-size:13px}"
    ".charts svg{width:48%}table,svg{break-inside:avoid}"
    "#environment~table{break-inside:auto}}\n";

static void put_element(FILE *f, const char *open, const char *text,
			const char *close)
{
	fputs(open, f);
	svg_put_text(f, text);
	fputs(close, f);
}

static void put_head(FILE *f, const struct book_model *m)
{
	char text[LABEL_MAX * 2];

	fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		   "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
		   "content=\"width=device-width\"/>\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\""
		   "default-src 'none'; style-src 'unsafe-inline'\"/>\n");
	book_title(m, text, sizeof(text));
	put_element(f, "<title>", text, "</title>\n");
	fprintf(f, "<style>\n%s</style>\n</head>\n<body>\n", style);
	put_element(f, "<h1>", text, "</h1>\n");
	put_element(f, "<p class=\"note\">",
		    digest_about(m, text, sizeof(text)), "</p>\n");
}

static void put_links(FILE *f, const struct book_model *m)
{
	char name[2 * LABEL_MAX];
	uint32_t i;

	put_element(f, "<nav><a href=\"#spots\">", book_word(m, "Sweet spots"),
		    "</a>\n");
	for (i = 0; i < m->group_count; i++) {
		fprintf(f, "<a href=\"#group-%u\">", i + 1);
		put_element(
		    f, "",
		    digest_group_name(m, &m->groups[i], name, sizeof(name)),
		    "</a>\n");
	}
	put_element(f, "<a href=\"#environment\">", book_word(m, "Environment"),
		    "</a></nav>\n");
}

static void put_conclusions(FILE *f, const struct book_model *m,
			    const struct book_notes *notes)
{
	char text[SWEETSPOT_TEXT_MAX + 2 * LABEL_MAX];
	uint32_t i;

	for (i = 0; i < m->group_count; i++)
		if (m->groups[i].spot)
			put_element(f, "<p class=\"say\">",
				    digest_sentence(m, &m->groups[i], text,
						    sizeof(text)),
				    "</p>\n");
	if (!notes->count)
		put_element(f, "<p>",
			    book_word(m, "Nothing was found that speaks "
					 "against these numbers."),
			    "</p>\n");
}

static const char *alignment(uint32_t column)
{
	return column == DIGEST_WORKLOAD || column == DIGEST_DOUBTS
		   ? " class=\"text\""
		   : "";
}

static void put_spots(FILE *f, const struct book_model *m)
{
	struct digest_row row;
	uint32_t i, column;

	put_element(f, "<h2 id=\"spots\">", book_word(m, "Sweet spots"),
		    "</h2>\n<div class=\"wide\"><table>\n<tr>");
	for (column = 0; column < DIGEST_COLUMNS; column++)
		fprintf(f, "<th%s>%s</th>", alignment(column),
			book_word(m, digest_heads[column]));
	fprintf(f, "</tr>\n");
	for (i = 0; i < m->group_count; i++) {
		digest_spot(m, &m->groups[i], &row);
		fprintf(f, "<tr>");
		for (column = 0; column < DIGEST_COLUMNS; column++) {
			fprintf(f, "<td%s>", alignment(column));
			put_element(f, "", row.cell[column], "</td>");
		}
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table></div>\n");
}

static void put_config_rows(FILE *f, const struct book_model *m,
			    const struct book_config *c, uint32_t count)
{
	struct digest_config_row row;
	uint32_t i, column;

	for (i = 0; i < count; i++) {
		digest_config(m, &c[i], &row);
		fprintf(f, "<tr>");
		for (column = 0; column < DIGEST_CONFIG_COLUMNS; column++) {
			if (!digest_config_head(m, column))
				continue;
			fprintf(f, "<td%s>",
				digest_config_is_text(column)
				    ? " class=\"text\""
				    : "");
			put_element(f, "", row.cell[column], "</td>");
		}
		fprintf(f, "</tr>\n");
	}
}

static void put_targets(FILE *f, const struct book_model *m)
{
	uint32_t i, column, count;

	if (m->configs.count)
		put_element(f, "<h2 id=\"targets\">",
			    book_word(m, "Compare targets"), "</h2>\n");
	for (i = 0; i < m->workload_count; i++) {
		const struct book_config *c = book_configs_of(m, i, &count);

		if (!count)
			continue;
		fprintf(f, "<div class=\"wide\"><table>\n");
		put_element(f, "<caption>", m->workloads[i].name,
			    "</caption>\n<tr>");
		for (column = 0; column < DIGEST_CONFIG_COLUMNS; column++)
			if (digest_config_head(m, column))
				put_element(f,
					    digest_config_is_text(column)
						? "<th class=\"text\">"
						: "<th>",
					    digest_config_head(m, column),
					    "</th>");
		fprintf(f, "</tr>\n");
		put_config_rows(f, m, c, count);
		fprintf(f, "</table></div>\n");
	}
}

static void put_warnings(FILE *f, const struct book_model *m,
			 const struct book_notes *notes)
{
	uint32_t i;

	if (notes->count)
		put_element(f, "<h2>", book_word(m, "Before trusting it"),
			    "</h2>\n");
	for (i = 0; i < notes->count; i++)
		put_element(f, "<p class=\"warn\">", notes->texts[i], "</p>\n");
}

/* The sides that this group, on the base side, can be compared with. */
static void put_ratios(FILE *f, const struct book_model *m,
		       const struct book_group *g)
{
	char caption[4 * LABEL_MAX];
	uint32_t side;

	for (side = 1; g->side == 0 && side < m->side_count; side++) {
		const struct book_group *partner = book_partner(m, g, side);

		if (!partner)
			continue;
		snprintf(caption, sizeof(caption),
			 "%s of %s as a multiple of %s",
			 g->grid->group->workload.rate_iops ? "Speed by latency"
							    : "IOPS",
			 m->sides[side].label, m->sides[0].label);
		digest_put_ratio(f, m, g, side, caption);
	}
}

static int put_groups(FILE *f, const struct book_model *m)
{
	char name[2 * LABEL_MAX];
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < m->group_count; i++) {
		fprintf(f, "<h2 id=\"group-%u\">", i + 1);
		put_element(
		    f, "",
		    digest_group_name(m, &m->groups[i], name, sizeof(name)),
		    "</h2>\n");
		rc = digest_put_group(f, &m->groups[i]);
		put_ratios(f, m, &m->groups[i]);
	}
	return rc;
}

static void put_facts(FILE *f, const struct book_model *m)
{
	uint32_t i, j;

	put_element(f, "<h2 id=\"environment\">", book_word(m, "Environment"),
		    "</h2>\n");
	for (i = 0; i < m->run_count; i++) {
		fprintf(f, "<table>");
		put_element(f, "<caption>", m->run_names[i], "</caption>\n");
		for (j = 0; j < m->runs[i]->fact_count; j++) {
			const struct run_fact *fact = &m->runs[i]->facts[j];

			put_element(f, "<tr><td class=\"text\">", fact->section,
				    "</td>");
			put_element(f, "<td class=\"text\">", fact->name,
				    "</td>");
			put_element(f, "<td class=\"text\">", fact->value,
				    "</td></tr>\n");
		}
		fprintf(f, "</table>\n");
	}
}

static int put_page(FILE *f, const struct book_model *m,
		    const struct book_notes *notes)
{
	int rc;

	put_head(f, m);
	put_links(f, m);
	put_conclusions(f, m, notes);
	put_spots(f, m);
	put_targets(f, m);
	put_warnings(f, m, notes);
	rc = put_groups(f, m);
	put_facts(f, m);
	fprintf(f, "</body>\n</html>\n");
	return rc;
}

int digest_write_html(const char *path, const struct run *const *runs,
		      uint32_t run_count, const struct book_opts *opts,
		      struct err *err)
{
	return digest_write(path, runs, run_count, opts, put_page, err);
}
