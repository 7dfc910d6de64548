#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "export/book_sheet.h"
#include "export/columns.h"

enum { SECTION, NAME, VALUE };
#define SECTION_PX 190
#define NAME_PX 200
#define VALUE_PX 420

static bool same_fact(const struct run_fact *a, const struct run_fact *b)
{
	return strcmp(a->section, b->section) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

/* Was that fact of run `run` shown with an earlier one? */
static bool was_shown(const struct book_model *m, uint32_t run,
		      const struct run_fact *fact)
{
	uint32_t i, j;

	for (i = 0; i < run; i++)
		for (j = 0; j < m->runs[i]->fact_count; j++)
			if (same_fact(&m->runs[i]->facts[j], fact))
				return true;
	return false;
}

/* As high as the longest of its texts needs. */
static void set_height(struct xlsx_sheet *s, uint32_t row, uint32_t lines)
{
	if (lines > 1)
		xlsx_height(s, row, BOOK_ROW_PX * lines);
}

static void put_fact(const struct book_model *m, struct xlsx_sheet *s,
		     uint32_t row, const struct run_fact *fact)
{
	uint32_t most = 1;
	uint32_t i;

	xlsx_text(s, row, SECTION, XLSX_TEXT, fact->section);
	xlsx_text(s, row, NAME, XLSX_TEXT, fact->name);
	for (i = 0; i < m->run_count; i++) {
		const char *value =
		    run_fact(m->runs[i], fact->section, fact->name);

		if (book_count_lines(value, VALUE_PX) > most)
			most = book_count_lines(value, VALUE_PX);
		xlsx_text(s, row, VALUE + i, XLSX_WRAP, value);
	}
	set_height(s, row, most);
}

/* The facts of all runs, a row a fact and a column a run. */
static uint32_t put_facts(const struct book_model *m, struct xlsx_sheet *s,
			  uint32_t row)
{
	uint32_t i, j;

	xlsx_text(s, row, SECTION, XLSX_HEAD, "Section");
	xlsx_text(s, row, NAME, XLSX_HEAD, "Fact");
	for (i = 0; i < m->run_count; i++)
		xlsx_text(s, row, VALUE + i, XLSX_HEAD, m->run_names[i]);
	row++;
	for (i = 0; i < m->run_count; i++)
		for (j = 0; j < m->runs[i]->fact_count; j++)
			if (!was_shown(m, i, &m->runs[i]->facts[j]))
				put_fact(m, s, row++, &m->runs[i]->facts[j]);
	return row + 1;
}

static void put_meanings(struct xlsx_sheet *s, uint32_t row)
{
	size_t i;

	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, "Columns of Results");
	xlsx_text(s, row, SECTION, XLSX_HEAD, "Column");
	xlsx_text(s, row, NAME, XLSX_HEAD, "Name in CSV, and its unit there");
	xlsx_text(s, row, VALUE, XLSX_HEAD, "Meaning");
	for (i = 0; i < column_count; i++) {
		const struct column *c = &columns[i];
		char name[128];

		if (!(c->where & COLUMN_IN_SHEET))
			continue;
		row++;
		snprintf(name, sizeof(name), "%s%s%s", c->name,
			 c->unit[0] ? ", " : "", c->unit);
		xlsx_text(s, row, SECTION, XLSX_TEXT, c->title);
		xlsx_text(s, row, NAME, XLSX_TEXT, name);
		xlsx_text(s, row, VALUE, XLSX_WRAP, c->help);
		set_height(s, row, book_count_lines(c->help, VALUE_PX));
	}
}

void book_write_environment(const struct book_model *m,
			    struct book_sheets *sheets)
{
	struct xlsx_sheet *s = sheets->environment;
	uint32_t row;

	xlsx_width(s, SECTION, SECTION, SECTION_PX);
	xlsx_width(s, NAME, NAME, NAME_PX);
	xlsx_width(s, VALUE, VALUE + m->run_count - 1, VALUE_PX);
	row = book_put_title(s, m, "Environment", sheets, VALUE);
	row = put_facts(m, s, row);
	put_meanings(s, row);
}
