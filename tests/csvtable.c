#include "tests/csvtable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/program.h"

static void *grown(void *array, size_t count, size_t size)
{
	void *more = realloc(array, count * size);

	assert_non_null(more);
	return more;
}

/* One cell into *out; what ended it: ',', '\n' or EOF. */
static int read_cell(FILE *f, char **out)
{
	char *text = grown(NULL, 1, 1);
	size_t len = 0;
	bool quoted = false;
	int c;

	while ((c = fgetc(f)) != EOF && (quoted || (c != ',' && c != '\n'))) {
		if (c == '"') {
			int next = quoted ? fgetc(f) : EOF;

			if (next != '"') {
				quoted = !quoted;
				if (next != EOF)
					ungetc(next, f);
				continue;
			}
		}
		text[len++] = (char)c;
		text = grown(text, len + 1, 1);
	}
	text[len] = '\0';
	*out = text;
	return c;
}

/* One row; NULL at the end. *whole becomes false when its newline is not
 * there. */
static char **read_row(FILE *f, bool *whole)
{
	char **row = NULL;
	size_t cells = 0;
	int end = fgetc(f);

	if (end == EOF)
		return NULL;
	ungetc(end, f);
	do {
		row = grown(row, cells + 2, sizeof(*row));
		end = read_cell(f, &row[cells++]);
	} while (end == ',');
	row[cells] = NULL;
	*whole = *whole && end == '\n';
	return row;
}

static size_t width(char **row)
{
	size_t n = 0;

	while (row[n])
		n++;
	return n;
}

void csvtable_read(struct csvtable *t, const char *folder, const char *name)
{
	char path[4096];
	char **row;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s is not there", path);
	memset(t, 0, sizeof(*t));
	t->whole = true;
	while ((row = read_row(f, &t->whole))) {
		t->rows = grown(t->rows, t->count + 1, sizeof(*t->rows));
		t->rows[t->count++] = row;
		t->whole = t->whole && width(row) == width(t->rows[0]);
	}
	fclose(f);
	assert_true(t->count > 0);
}

void csvtable_read_run(struct csvtable *t, const char *folder, const char *name)
{
	char *run = program_run_folder(folder);

	csvtable_read(t, run, name);
	assert_true(t->whole);
	free(run);
}

void csvtable_free(struct csvtable *t)
{
	size_t i;
	char **cell;

	for (i = 0; i < t->count; i++) {
		for (cell = t->rows[i]; *cell; cell++)
			free(*cell);
		free(t->rows[i]);
	}
	free(t->rows);
}

const char *csvtable_get(const struct csvtable *t, size_t row,
			 const char *column)
{
	size_t i;

	assert_in_range(row, 1, t->count - 1);
	for (i = 0; t->rows[0][i]; i++)
		if (!strcmp(t->rows[0][i], column))
			return t->rows[row][i];
	fail_msg("there is no column %s", column);
	return NULL;
}

double csvtable_number(const struct csvtable *t, size_t row, const char *column)
{
	const char *text = csvtable_get(t, row, column);
	char *end;
	double value;

	if (!*text)
		return NAN;
	value = strtod(text, &end);
	if (*end)
		fail_msg("%s of row %zu is '%s', not a number", column, row,
			 text);
	return value;
}
