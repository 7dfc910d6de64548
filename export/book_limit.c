#include "export/book_limit.h"

#include "export/book_notes.h"

static struct xlsx_range row_of(const struct xlsx_sheet *s, uint32_t row,
				uint32_t column, uint32_t last_column)
{
	return (struct xlsx_range){s, row, column, row, last_column};
}

/* Its name and count times its value, in a row of the sheet of data. Returns
 * the row. */
static uint32_t put_row(struct book_sheets *sheets, const char *name,
			double limit_ms, uint32_t count)
{
	uint32_t row = sheets->data_row;
	uint32_t i;

	xlsx_text(sheets->data, row, 0, XLSX_LABEL, name);
	for (i = 0; i < count; i++)
		xlsx_number(sheets->data, row, 1 + i, XLSX_MS, limit_ms);
	sheets->data_row += 2;
	return row;
}

uint32_t book_limit_over(const struct book_model *m, struct book_sheets *sheets,
			 const struct xlsx_range *categories,
			 struct book_extent *latency, struct xlsx_series *out)
{
	uint32_t count = 1 + categories->last_row - categories->row +
			 categories->last_column - categories->column;
	char name[BOOK_LIMIT_MAX];
	uint32_t row;
	double limit;

	if (!book_say_limit(m, name, sizeof(name)))
		return 0;
	limit = book_ms(m->opts->limit->limit_us);
	row = put_row(sheets, name, limit, count);
	*out = (struct xlsx_series){
	    .name = row_of(sheets->data, row, 0, 0),
	    .categories = *categories,
	    .values = row_of(sheets->data, row, 1, count),
	};
	book_extend(latency, limit);
	return 1;
}

uint32_t book_limit_across(const struct book_model *m,
			   struct book_sheets *sheets, double low, double high,
			   struct book_extent *latency, struct xlsx_series *out)
{
	char name[BOOK_LIMIT_MAX];
	uint32_t row;
	double limit;

	if (!book_say_limit(m, name, sizeof(name)) || !(high > low))
		return 0;
	limit = book_ms(m->opts->limit->limit_us);
	row = put_row(sheets, name, limit, 2);
	xlsx_number(sheets->data, row + 1, 1, XLSX_GENERAL, low);
	xlsx_number(sheets->data, row + 1, 2, XLSX_GENERAL, high);
	sheets->data_row++;
	*out = (struct xlsx_series){
	    .name = row_of(sheets->data, row, 0, 0),
	    .categories = row_of(sheets->data, row + 1, 1, 2),
	    .values = row_of(sheets->data, row, 1, 2),
	};
	book_extend(latency, limit);
	return 1;
}
