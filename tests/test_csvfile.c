/* csvfile: rows of CSV in and out, torn tails, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/csvfile.h"
#include "tests/prng.h"
#include "tests/tempdir.h"

static char *folder;
static char *path;

static int make_folder(void **state)
{
	(void)state;
	folder = tempdir_new();
	path = tempdir_path(folder, "t.csv");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	free(path);
	tempdir_remove(folder);
	return 0;
}

/* What was read, as one text: "1:a|b\n" a row, with its line. */
struct heard {
	char *text;
	size_t length;
	FILE *f;
	size_t rows;
	size_t stop_at; /* row that ends the reading with -ECANCELED; 0 none */
	struct csvfile_end end;
	struct err err;
	int rc;
};

static int hear(void *arg, size_t line, const char **fields, size_t count,
		struct err *err)
{
	struct heard *h = arg;
	size_t i;

	h->rows++;
	if (h->stop_at == h->rows)
		return err_failed(err, ECANCELED, "enough");
	fprintf(h->f, "%zu:", line);
	for (i = 0; i < count; i++)
		fprintf(h->f, "%s%s", i ? "|" : "", fields[i]);
	fputc('\n', h->f);
	return 0;
}

static void read_again(struct heard *h, uint64_t limit)
{
	struct csvfile_source source = {.path = path, .limit_bytes = limit};

	h->f = open_memstream(&h->text, &h->length);
	source.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(source.fd >= 0);
	h->rc = csvfile_read_source(&source, hear, h, &h->end, &h->err);
	close(source.fd);
	fclose(h->f);
}

static void read_bytes(struct heard *h, const char *data, size_t length)
{
	memset(h, 0, sizeof(*h));
	file_write(path, data, length);
	read_again(h, UINT64_MAX);
}

static void rows_are_read_as_rfc_4180_has_them(void **state)
{
	static const struct {
		const char *in, *rows;
		uint64_t whole_bytes;
		bool torn;
	} cases[] = {
	    {"", "", 0, false},
	    {"a,b\n1,2\n", "1:a|b\n2:1|2\n", 8, false},
	    {"a,b\r\n1,2\r\n", "1:a|b\n2:1|2\n", 10, false},
	    {"\xef\xbb\xbf"
	     "a,b\n",
	     "1:a|b\n", 7, false},
	    {"a,,\n,,\n", "1:a||\n2:||\n", 7, false},
	    {"\"a,b\",\"say \"\"hi\"\"\"\n", "1:a,b|say \"hi\"\n", 19, false},
	    {"\"two\nlines\",b\nc\n", "1:two\nlines|b\n3:c\n", 16, false},
	    {" a , b\t\n", "1: a | b\t\n", 8, false},
	    {"\"\",x\n", "1:|x\n", 5, false},
	    {"a\n\n\nb\n", "1:a\n4:b\n", 6, false},
	    {"a\r\n\r\nb\r\n", "1:a\n3:b\n", 8, false},
	    /* torn */
	    {"a", "", 0, true},
	    {"a,b\n1,2", "1:a|b\n", 4, true},
	    {"a,b\n1,", "1:a|b\n", 4, true},
	    {"a,b\n\"x\n", "1:a|b\n", 4, true},
	    {"a,b\n\"x\"", "1:a|b\n", 4, true},
	    {"a\r\nb\r", "1:a\n", 3, true},
	};
	struct heard h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_bytes(&h, cases[i].in, strlen(cases[i].in));
		assert_int_equal(h.rc, 0);
		assert_string_equal(h.text, cases[i].rows);
		assert_int_equal(h.end.torn, cases[i].torn);
		assert_int_equal(h.end.whole_bytes, cases[i].whole_bytes);
		free(h.text);
	}
}

static void what_is_no_csv_is_named_with_its_line(void **state)
{
	static const struct {
		const char *in, *where;
		size_t length;
	} cases[] = {
	    {"a\nb\"c\n", ":2: ", 6},	    {"a\n\"b\"c\n", ":2: ", 7},
	    {"\"x\ny\"\nb\"\n", ":3: ", 9}, {"a\rb\n", ":1: ", 4},
	    {"a\r\r\nb\n", ":1: ", 6},	    {"a\nb\0c\nd\n", ":2: ", 8},
	    {"a\nb\0c\nd", ":2: ", 7},
	};
	struct heard h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_bytes(&h, cases[i].in, cases[i].length);
		assert_int_equal(h.rc, -EINVAL);
		assert_int_equal(h.err.kind, ERR_USAGE);
		assert_non_null(strstr(h.err.text, path));
		assert_non_null(strstr(h.err.text, cases[i].where));
		free(h.text);
	}
}

static void a_last_row_with_nul_bytes_is_torn(void **state)
{
	struct heard h;

	(void)state;
	read_bytes(&h, "a\nb\0\0\n", 6);
	assert_int_equal(h.rc, 0);
	assert_string_equal(h.text, "1:a\n");
	assert_true(h.end.torn);
	assert_int_equal(h.end.whole_bytes, 2);
	free(h.text);
	read_bytes(&h, "a\n\0\0\0\0", 6);
	assert_int_equal(h.rc, 0);
	assert_true(h.end.torn);
	assert_int_equal(h.end.whole_bytes, 2);
	free(h.text);
}

static void every_truncation_gives_the_whole_rows_before_it(void **state)
{
	static const char text[] = "\xef\xbb\xbfh,\"i\"\"\n\n\"\r\n"
				   "1,\"two\r\nlines\"\r\n,\n\"\",\"x\"\n";
	struct heard whole, h;
	size_t length = sizeof(text) - 1;
	uint64_t before = 0;
	size_t i;

	(void)state;
	read_bytes(&whole, text, length);
	assert_int_equal(whole.rc, 0);
	assert_int_equal(whole.rows, 4);
	assert_false(whole.end.torn);
	/* A cut byte order mark (1, 2) is text like any other. */
	for (i = 3; i < length; i++) {
		read_bytes(&h, text, i);
		assert_int_equal(h.rc, 0);
		assert_memory_equal(h.text, whole.text, h.length);
		assert_true(h.end.whole_bytes <= i);
		assert_true(h.end.whole_bytes >= before);
		assert_int_equal(h.end.torn, i > 3 && h.end.whole_bytes < i);
		before = h.end.whole_bytes;
		free(h.text);
	}
	free(whole.text);
}

/* Rows that straddle the reader's chunks of 64 KiB at every offset. */
static void a_row_reads_the_same_wherever_a_chunk_ends(void **state)
{
	static const char row[] = "1,\"a\"\"b\n,c\",\r\n2,x\n";
	static char text[2 * 65536];
	struct heard h;
	size_t i;

	(void)state;
	for (i = 65536 - sizeof(row); i <= 65536; i++) {
		/* Empty lines fill what stands before. */
		memset(text, '\n', i);
		memcpy(text + i, row, sizeof(row) - 1);
		read_bytes(&h, text, i + sizeof(row) - 1);
		assert_int_equal(h.rc, 0);
		assert_non_null(strstr(h.text, ":1|a\"b\n,c|\n"));
		assert_non_null(strstr(h.text, ":2|x\n"));
		assert_int_equal(h.end.whole_bytes, i + sizeof(row) - 1);
		assert_int_equal(atoi(h.text), i + 1);
		free(h.text);
	}
}

static void reading_ends_at_the_limit(void **state)
{
	struct heard h = {0};

	(void)state;
	file_write(path, "a\nb\ngarb\"age", 12);
	read_again(&h, 4);
	assert_int_equal(h.rc, 0);
	assert_string_equal(h.text, "1:a\n2:b\n");
	assert_false(h.end.torn);
	free(h.text);
	read_again(&h, 3);
	assert_int_equal(h.rc, 0);
	assert_string_equal(h.text, "1:a\n");
	assert_true(h.end.torn);
	free(h.text);
}

static void the_first_error_of_the_callback_ends_the_reading(void **state)
{
	struct heard h = {.stop_at = 2};

	(void)state;
	file_write(path, "a\nb\nc\n", 6);
	read_again(&h, UINT64_MAX);
	assert_int_equal(h.rc, -ECANCELED);
	assert_string_equal(h.err.text, "enough");
	assert_int_equal(h.rows, 2);
	free(h.text);
}

static void fields_and_their_number_are_limited(void **state)
{
	size_t room = CSVFILE_FIELD_BYTES_MAX * 4;
	char *text = malloc(room);
	struct heard h;
	size_t i;

	(void)state;
	memset(text, ',', CSVFILE_FIELDS_MAX);
	text[CSVFILE_FIELDS_MAX - 1] = '\n';
	read_bytes(&h, text, CSVFILE_FIELDS_MAX);
	assert_int_equal(h.rc, 0);
	free(h.text);
	text[CSVFILE_FIELDS_MAX - 1] = ',';
	text[CSVFILE_FIELDS_MAX] = '\n';
	read_bytes(&h, text, CSVFILE_FIELDS_MAX + 1);
	assert_int_equal(h.rc, -EINVAL);
	assert_non_null(strstr(h.err.text, ":1: more than 1024 fields"));
	free(h.text);

	memset(text, 'x', room);
	for (i = 0; i < 2; i++) {
		text[CSVFILE_FIELD_BYTES_MAX + i] = '\n';
		read_bytes(&h, text, CSVFILE_FIELD_BYTES_MAX + i + 1);
		assert_int_equal(h.rc, i ? -EINVAL : 0);
		free(h.text);
		text[CSVFILE_FIELD_BYTES_MAX + i] = 'x';
	}
	/* A quote that is never closed does not fill the memory. */
	text[0] = '"';
	read_bytes(&h, text, room);
	assert_int_equal(h.rc, -EINVAL);
	assert_non_null(strstr(h.err.text, "64 KiB"));
	free(h.text);
	free(text);
}

static const char *const hard_texts[] = {"",	       "plain",
					 "a,b",	       "say \"hi\"",
					 "two\nlines", "cr\r",
					 " x",	       "x\t",
					 "\"",	       "'",
					 "=1+1",       "\r\n",
					 ",,,",	       "\xc3\x9f\xc3\xb6"};
#define HARD_TEXTS (sizeof(hard_texts) / sizeof(hard_texts[0]))

/* Row i holds the texts from the i-th on, around. */
static int compare_row(void *arg, size_t line, const char **fields,
		       size_t count, struct err *err)
{
	size_t *row = arg;
	size_t i;

	(void)line;
	(void)err;
	assert_int_equal(count, HARD_TEXTS);
	for (i = 0; i < count; i++)
		assert_string_equal(fields[i],
				    hard_texts[(*row + i) % HARD_TEXTS]);
	(*row)++;
	return 0;
}

static void what_is_put_reads_back_equal(void **state)
{
	FILE *f = fopen(path, "w");
	size_t rows = 0;
	size_t i, j;

	(void)state;
	for (i = 0; i < HARD_TEXTS; i++) {
		for (j = 0; j < HARD_TEXTS; j++)
			csvfile_put(f, !j, hard_texts[(i + j) % HARD_TEXTS]);
		fputc('\n', f);
	}
	fclose(f);
	assert_int_equal(csvfile_read(path, compare_row, &rows, NULL, NULL), 0);
	assert_int_equal(rows, HARD_TEXTS);
}

static void text_for_people_is_no_formula_and_no_control(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"},
	    {"+1", "'+1"},
	    {"-1", "'-1"},
	    {"@SUM(A1)", "'@SUM(A1)"},
	    {"\t=1", "\"'?=1\""},
	    {"\r=1", "\"'?=1\""},
	    {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
	    {"a=b", "a=b"},
	    {"esc\x1b[2J\xff", "esc?[2J?"},
	};
	char *text;
	size_t length, i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *f = open_memstream(&text, &length);

		csvfile_put_safe(f, true, cases[i].in);
		fclose(f);
		assert_string_equal(text, cases[i].out);
		free(text);
	}
}

static void clean_text_is_one_line_and_else_unchanged(void **state)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	(void)state;
	csvfile_put_clean(f, true, "=1\n2");
	csvfile_put_clean(f, false, "a,b\x7f");
	fclose(f);
	assert_string_equal(text, "\"=1?2\",\"a,b?\"");
	free(text);
}

static void garbage_is_an_error_or_rows_never_more(void **state)
{
	static const char letters[] = "ab,\"\"\n\n\r\0 \t\xef";
	uint64_t seed = 42;
	char text[200];
	struct heard h;
	int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		size_t length = prng_below(&seed, sizeof(text));
		size_t j;

		for (j = 0; j < length; j++)
			text[j] =
			    letters[prng_below(&seed, sizeof(letters) - 1)];
		read_bytes(&h, text, length);
		assert_true(h.rc == 0 || h.rc == -EINVAL);
		assert_int_equal(h.rc == 0, h.err.kind == ERR_NONE);
		free(h.text);
	}
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct err err = {0};
	bool torn = false;

	(void)state;
	unlink(path);
	assert_int_equal(csvfile_read(path, hear, NULL, &torn, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
}

static void reading_by_path_tells_a_torn_tail(void **state)
{
	struct heard h = {0};
	bool torn = false;

	(void)state;
	h.f = open_memstream(&h.text, &h.length);
	file_write(path, "a\nb", 3);
	assert_int_equal(csvfile_read(path, hear, &h, &torn, NULL), 0);
	assert_int_equal(csvfile_read(path, hear, &h, NULL, NULL), 0);
	fclose(h.f);
	assert_true(torn);
	assert_string_equal(h.text, "1:a\n1:a\n");
	free(h.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_read_as_rfc_4180_has_them),
	    cmocka_unit_test(what_is_no_csv_is_named_with_its_line),
	    cmocka_unit_test(a_last_row_with_nul_bytes_is_torn),
	    cmocka_unit_test(every_truncation_gives_the_whole_rows_before_it),
	    cmocka_unit_test(a_row_reads_the_same_wherever_a_chunk_ends),
	    cmocka_unit_test(reading_ends_at_the_limit),
	    cmocka_unit_test(the_first_error_of_the_callback_ends_the_reading),
	    cmocka_unit_test(fields_and_their_number_are_limited),
	    cmocka_unit_test(what_is_put_reads_back_equal),
	    cmocka_unit_test(text_for_people_is_no_formula_and_no_control),
	    cmocka_unit_test(clean_text_is_one_line_and_else_unchanged),
	    cmocka_unit_test(garbage_is_an_error_or_rows_never_more),
	    cmocka_unit_test(a_file_that_is_not_there_is_named),
	    cmocka_unit_test(reading_by_path_tells_a_torn_tail),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
