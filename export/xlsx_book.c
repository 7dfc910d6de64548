#include "export/xlsx_lib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_YEAR 315532800 /* 1980-01-01, the oldest date of a zip */

/* Of reading and writing files; the others are faults of the caller. */
static bool is_of_files(lxw_error code)
{
	return code >= LXW_ERROR_CREATING_XLSX_FILE &&
	       code <= LXW_ERROR_ZIP_CLOSE;
}

void xlsx_check(struct xlsx *x, lxw_error code, const char *what)
{
	if (code == LXW_NO_ERROR || x->rc)
		return;
	x->rc = err_failed(
	    &x->err, EIO, "cannot write %s of the workbook: %s; %s", what,
	    lxw_strerror(code),
	    is_of_files(code) ? "is there room in its folder?"
			      : "please report it with the run folder");
}

void xlsx_no_memory(struct xlsx *x)
{
	if (!x->rc)
		x->rc = err_failed(&x->err, ENOMEM,
				   "out of memory for the workbook");
}

/* The library's temporary files belong beside the book, where there is room
 * for it. */
static lxw_workbook *new_workbook(const char *path, bool in_order)
{
	const char *slash = strrchr(path, '/');
	char *folder =
	    slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	lxw_workbook_options options = {.constant_memory = in_order,
					.tmpdir = folder};
	lxw_workbook *lib = folder ? workbook_new_opt(path, &options) : NULL;

	free(folder);
	return lib;
}

static void set_properties(struct xlsx *x, int64_t created, const char *title)
{
	char *clean = xlsx_clean(title, 255, false);
	char *author = xlsx_clean(x->theme ? x->theme->author : "", 255, false);
	lxw_doc_properties properties = {
	    .title = clean,
	    .author = author,
	    .created = (time_t)(created < FIRST_YEAR ? FIRST_YEAR : created),
	};

	if (clean && author)
		xlsx_check(x, workbook_set_properties(x->lib, &properties),
			   "the properties");
	else
		xlsx_no_memory(x);
	free(clean);
	free(author);
}

/* NULL when out of memory. */
static struct xlsx *new_book(const char *path, const struct theme *theme,
			     bool in_order)
{
	struct xlsx *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->theme = theme;
	x->path = strdup(path);
	x->lib = new_workbook(path, in_order);
	x->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (x->path && x->lib && x->c_locale)
		return x;
	xlsx_drop(x);
	return NULL;
}

static int begin(struct xlsx *x, int64_t created, const char *title,
		 struct xlsx **out, struct err *err)
{
	if (!x)
		return err_failed(err, ENOMEM,
				  "out of memory for the workbook");
	x->callers_locale = uselocale(x->c_locale);
	xlsx_make_formats(x);
	set_properties(x, created, title);
	*out = x;
	return 0;
}

int xlsx_open(const char *path, int64_t created, const char *title,
	      const struct theme *theme, struct xlsx **out, struct err *err)
{
	return begin(new_book(path, theme, false), created, title, out, err);
}

int xlsx_open_in_order(const char *path, int64_t created, const char *title,
		       struct xlsx **out, struct err *err)
{
	int rc = begin(new_book(path, NULL, true), created, title, out, err);

	/* A number without a format takes 6% fewer instructions. */
	if (!rc)
		(*out)->formats[XLSX_GENERAL] = NULL;
	return rc;
}

/* All but the library's part, which workbook_close frees itself. */
static void free_ours(struct xlsx *x)
{
	uint32_t i;

	for (i = 0; i < x->sheet_count; i++) {
		free(x->sheets[i]->breaks);
		free(x->sheets[i]);
	}
	free(x->sheets);
	if (x->callers_locale)
		uselocale(x->callers_locale);
	if (x->c_locale)
		freelocale(x->c_locale);
	free(x->path);
	free(x);
}

void xlsx_drop(struct xlsx *x)
{
	if (!x)
		return;
	lxw_workbook_free(x->lib);
	free_ours(x);
}

static void apply_breaks(const struct xlsx_sheet *s)
{
	if (s->break_count)
		xlsx_check(s->book,
			   worksheet_set_h_pagebreaks(s->lib, s->breaks),
			   "the page breaks");
}

int xlsx_close(struct xlsx *x, struct err *err)
{
	uint32_t i;
	int rc;

	for (i = 0; i < x->sheet_count; i++)
		apply_breaks(x->sheets[i]);
	if (x->rc)
		lxw_workbook_free(x->lib);
	else
		xlsx_check(x, workbook_close(x->lib), "the parts");
	if (!x->rc)
		x->rc = xlsx_verify(x->path, &x->err);
	rc = x->rc;
	if (rc)
		err_failed(err, -rc, "%s", x->err.text);
	free_ours(x);
	return rc;
}

/* Landscape, one page wide, as many long as it takes. */
static void set_page(lxw_worksheet *lib)
{
	worksheet_set_landscape(lib);
	worksheet_set_paper(lib, 9); /* A4 */
	worksheet_set_margins(lib, 0.4, 0.4, 0.5, 0.6);
	worksheet_fit_to_pages(lib, 1, 0);
	worksheet_gridlines(lib, LXW_HIDE_ALL_GRIDLINES);
}

static struct xlsx_sheet *new_sheet(struct xlsx *x, const char *name)
{
	struct xlsx_sheet *s = calloc(1, sizeof(*s));
	const char **names = malloc((x->sheet_count + 1) * sizeof(*names));
	struct xlsx_sheet **grown =
	    realloc(x->sheets, (x->sheet_count + 1) * sizeof(*grown));
	uint32_t i;

	if (grown)
		x->sheets = grown;
	if (!s || !names || !grown) {
		free(s);
		s = NULL;
	} else {
		for (i = 0; i < x->sheet_count; i++)
			names[i] = x->sheets[i]->name;
		s->book = x;
		xlsx_sheet_name(name, names, x->sheet_count, s->name);
		x->sheets[x->sheet_count++] = s;
	}
	free(names);
	return s;
}

struct xlsx_sheet *xlsx_add_sheet(struct xlsx *x, const char *name)
{
	struct xlsx_sheet *s;

	if (x->rc)
		return NULL;
	s = new_sheet(x, theme_word(x->theme, name));
	if (!s) {
		xlsx_no_memory(x);
		return NULL;
	}
	s->lib = workbook_add_worksheet(x->lib, s->name);
	if (!s->lib) {
		xlsx_check(x, LXW_ERROR_PARAMETER_VALIDATION, s->name);
		return NULL;
	}
	set_page(s->lib);
	xlsx_check(x, worksheet_set_footer(s->lib, "&L&8&A&R&8&P / &N"),
		   "a footer");
	return s;
}

const struct theme *xlsx_theme(const struct xlsx_sheet *s)
{
	return s ? s->book->theme : NULL;
}

const char *xlsx_name(const struct xlsx_sheet *s)
{
	return s ? s->name : "";
}

uint32_t xlsx_part_number(const struct xlsx_sheet *s)
{
	return s && s->lib ? s->lib->index + 1 : 0;
}

/* Widths are those of Calibri, which is narrow: the widest that are in use
 * take a quarter more. */
static uint32_t for_font(const struct theme *theme, uint32_t pixels)
{
	if (!theme || !theme->font[0] || !strcmp(theme->font, "Calibri"))
		return pixels;
	return pixels + pixels / 4;
}

void xlsx_width(struct xlsx_sheet *s, uint32_t column, uint32_t last_column,
		uint32_t pixels)
{
	if (xlsx_works(s))
		pixels = for_font(s->book->theme, pixels);
	if (xlsx_works(s))
		xlsx_check(s->book,
			   worksheet_set_column_pixels(
			       s->lib, (lxw_col_t)column,
			       (lxw_col_t)last_column, pixels, NULL),
			   "a column");
}

void xlsx_height(struct xlsx_sheet *s, uint32_t row, uint32_t pixels)
{
	if (xlsx_works(s))
		xlsx_check(s->book,
			   worksheet_set_row_pixels(s->lib, row, pixels, NULL),
			   "a row");
}

void xlsx_freeze(struct xlsx_sheet *s, uint32_t row, uint32_t column)
{
	if (xlsx_works(s))
		worksheet_freeze_panes(s->lib, row, (lxw_col_t)column);
}

void xlsx_filter(const struct xlsx_range *range)
{
	if (xlsx_works(range->sheet))
		xlsx_check(range->sheet->book,
			   worksheet_autofilter(range->sheet->lib, range->row,
						(lxw_col_t)range->column,
						range->last_row,
						(lxw_col_t)range->last_column),
			   "a filter");
}

void xlsx_repeat(struct xlsx_sheet *s, uint32_t row, uint32_t last_row)
{
	if (xlsx_works(s))
		xlsx_check(s->book,
			   worksheet_repeat_rows(s->lib, row, last_row),
			   "the repeated rows");
}

void xlsx_print(struct xlsx_sheet *s, uint32_t last_row, uint32_t last_column)
{
	if (xlsx_works(s))
		xlsx_check(s->book,
			   worksheet_print_area(s->lib, 0, 0, last_row,
						(lxw_col_t)last_column),
			   "the printed cells");
}

void xlsx_break(struct xlsx_sheet *s, uint32_t row)
{
	lxw_row_t *grown;

	if (!xlsx_works(s) || row == 0)
		return;
	grown = realloc(s->breaks, (s->break_count + 2) * sizeof(*grown));
	if (!grown) {
		xlsx_no_memory(s->book);
		return;
	}
	s->breaks = grown;
	s->breaks[s->break_count++] = row;
	s->breaks[s->break_count] = 0;
}

void xlsx_logo(struct xlsx_sheet *s, uint32_t right, uint32_t height)
{
	const struct theme *t = xlsx_works(s) ? s->book->theme : NULL;
	lxw_image_options options = {.object_position =
					 LXW_OBJECT_MOVE_DONT_SIZE};
	double scale;

	if (!t || !t->logo)
		return;
	scale = height / (double)t->logo_height;
	if (scale * t->logo_width > right / 4.0)
		scale = right / 4.0 / t->logo_width;
	options.x_scale = options.y_scale = scale;
	options.x_offset = (int32_t)(right - scale * t->logo_width);
	options.y_offset = 1;
	xlsx_check(s->book,
		   worksheet_insert_image_buffer_opt(s->lib, 0, 0, t->logo,
						     t->logo_size, &options),
		   "the logo");
}
