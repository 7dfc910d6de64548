#include "export/xlsx_lib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *xlsx_reference(const struct xlsx_range *r, char *buf)
{
	char first[LXW_MAX_CELL_NAME_LENGTH], last[LXW_MAX_CELL_NAME_LENGTH];
	bool one = r->row == r->last_row && r->column == r->last_column;

	lxw_rowcol_to_cell_abs(first, r->row, (lxw_col_t)r->column, true, true);
	lxw_rowcol_to_cell_abs(last, r->last_row, (lxw_col_t)r->last_column,
			       true, true);
	/* Names of sheets never hold quotes. */
	snprintf(buf, XLSX_REFERENCE_MAX, "'%s'!%s%s%s", xlsx_name(r->sheet),
		 first, one ? "" : ":", one ? "" : last);
	return buf;
}

static void put_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		     enum xlsx_style style, const char *formula,
		     const char *value)
{
	xlsx_check(s->book,
		   worksheet_write_formula_str(s->lib, row, (lxw_col_t)column,
					       formula, s->book->formats[style],
					       value),
		   "a formula");
}

void xlsx_formula(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		  enum xlsx_style style, const char *formula, double value)
{
	if (!xlsx_works(s))
		return;
	if (isfinite(value))
		xlsx_check(s->book,
			   worksheet_write_formula_num(
			       s->lib, row, (lxw_col_t)column, formula,
			       s->book->formats[style], value),
			   "a formula");
	else
		put_text(s, row, column, style, formula, "");
}

void xlsx_formula_text(struct xlsx_sheet *s, uint32_t row, uint32_t column,
		       enum xlsx_style style, const char *formula,
		       const char *value)
{
	char *clean;

	if (!xlsx_works(s))
		return;
	clean = xlsx_clean(value, XLSX_CELL_MAX, false);
	if (clean)
		put_text(s, row, column, style, formula, clean);
	else
		xlsx_no_memory(s->book);
	free(clean);
}

void xlsx_define(const struct xlsx_range *range, const char *name)
{
	char formula[XLSX_REFERENCE_MAX + 1] = "=";

	if (!xlsx_works(range->sheet))
		return;
	xlsx_reference(range, formula + 1);
	xlsx_check(range->sheet->book,
		   workbook_define_name(range->sheet->book->lib, name, formula),
		   "a name");
}

/* The library copies the formula of a list twice and loses one (1.1.4): so the
 * rule goes in as a formula of one's own, and becomes a list there. */
static void make_list(lxw_worksheet *lib)
{
	lxw_data_val_obj *rule, *last = NULL;

	STAILQ_FOREACH(rule, lib->data_validations, list_pointers)
	last = rule;
	if (last)
		last->validate = LXW_VALIDATION_TYPE_LIST_FORMULA;
}

void xlsx_choose(const struct xlsx_range *cell, const struct xlsx_range *from)
{
	char formula[XLSX_REFERENCE_MAX + 1] = "=";
	lxw_data_validation rule = {
	    .validate = LXW_VALIDATION_TYPE_CUSTOM_FORMULA,
	    .value_formula = formula,
	};

	if (!xlsx_works(cell->sheet))
		return;
	xlsx_reference(from, formula + 1);
	xlsx_check(cell->sheet->book,
		   worksheet_data_validation_cell(cell->sheet->lib, cell->row,
						  (lxw_col_t)cell->column,
						  &rule),
		   "a dropdown");
	make_list(cell->sheet->lib);
}
