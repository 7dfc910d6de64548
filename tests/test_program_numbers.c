/* iosweep as a whole: points.csv, the sheet Results and show --json hold the
 * same numbers, and the sweet spots named are those that the definition gives
 * on points.csv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/columns.h"
#include "tests/csvtable.h"
#include "tests/program.h"

/* One sweep for all: two patterns, two mixes, one size that does not fit, so
 * that there are blanks. */
static char *folder;
static struct program_result ran;
static struct csvtable points;

static int sweep_once(void **state)
{
	(void)state;
	folder = program_folder();
	ran = program_run(folder,
			  "iosweep run f --size 1M -b 4K,16K,64K,2M -o 1,2,8 "
			  "-r 100,70 --cache buffered --rounds 2 --time 120ms "
			  "--ramp 10ms --label numbers --out run");
	program_assert_status(&ran, 0);
	csvtable_read(&points, folder, "run/points.csv");
	assert_true(points.whole);
	assert_int_equal(points.count - 1, 48);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	csvtable_free(&points);
	program_free(&ran);
	program_folder_remove(folder);
	return 0;
}

static struct json_object *read_json(void)
{
	struct program_result r =
	    program_run(folder, "iosweep show run --json");
	struct json_object *root;

	program_assert_status(&r, 0);
	assert_string_equal(r.err, "");
	root = json_tokener_parse(r.out);
	assert_non_null(root);
	program_free(&r);
	return root;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		fail_msg("there is no %s", name);
	return value;
}

static void assert_same_cell(const char *column, const char *cell,
			     struct json_object *value)
{
	if (!value)
		assert_string_equal(cell, "");
	else if (json_object_is_type(value, json_type_string))
		assert_string_equal(cell, json_object_get_string(value));
	else if (strtod(cell, NULL) != json_object_get_double(value))
		fail_msg("%s is %s in points.csv and %s in JSON", column, cell,
			 json_object_get_string(value));
}

static void json_holds_the_numbers_of_points_csv(void **state)
{
	struct json_object *root = read_json();
	struct json_object *list = member(root, "points");
	size_t row, i;

	(void)state;
	assert_int_equal(json_object_array_length(list), points.count - 1);
	for (row = 1; row < points.count; row++) {
		struct json_object *object =
		    json_object_array_get_idx(list, row - 1);

		for (i = 0; points.rows[0][i]; i++)
			assert_same_cell(points.rows[0][i], points.rows[row][i],
					 member(object, points.rows[0][i]));
		assert_int_equal(json_object_object_length(object), i);
	}
	assert_string_equal(json_object_get_string(member(
				member(member(root, "facts"), "run"), "label")),
			    "numbers");
	json_object_put(root);
}

static const char dump_py[] =
    "import csv, sys, openpyxl\n"
    "book = openpyxl.load_workbook('run/report.xlsx', data_only=True)\n"
    "rows = book['Results'].iter_rows(values_only=True)\n"
    "csv.writer(sys.stdout, lineterminator='\\n').writerows(\n"
    "    ['' if v is None else v if isinstance(v, str) else repr(v)\n"
    "     for v in row] for row in rows)\n";

/* folder/sheet.csv: the sheet Results. Skips where nothing can read it. */
static void dump_sheet(void)
{
	static const char *const pythons[] = {"/usr/bin/python3", "python3"};
	struct program_result r;
	size_t i;

	program_write(folder, "dump.py", dump_py);
	for (i = 0; i < sizeof(pythons) / sizeof(pythons[0]); i++) {
		r = program_run(folder, "%s -c 'import openpyxl'", pythons[i]);
		program_free(&r);
		if (r.status)
			continue;
		r = program_run(folder, "%s dump.py >sheet.csv", pythons[i]);
		program_assert_status(&r, 0);
		program_free(&r);
		return;
	}
	print_message("skip: no python3 with openpyxl\n");
	skip();
}

static void assert_same_in_sheet(const struct csvtable *sheet, size_t row,
				 const struct column *c)
{
	const char *in_csv = csvtable_get(&points, row, c->name);
	const char *in_sheet = csvtable_get(sheet, row, c->title);
	double csv, cell;
	char *end;

	cell = strtod(in_sheet, &end);
	if (!*in_csv || !*in_sheet || *end || c->type == COLUMN_TEXT) {
		assert_string_equal(in_csv, in_sheet);
		return;
	}
	csv = strtod(in_csv, NULL) * (c->sheet_scale > 0 ? c->sheet_scale : 1);
	/* A workbook keeps nine digits where there is a fraction. */
	if (fabs(csv - cell) > (csv == floor(csv) ? 1e-14 : 5e-9) * fabs(csv))
		fail_msg("%s of row %zu is %s in points.csv and %s in the "
			 "sheet",
			 c->name, row, in_csv, in_sheet);
}

static void the_sheet_holds_the_numbers_of_points_csv(void **state)
{
	struct csvtable sheet;
	size_t row, i, shown = 0;

	(void)state;
	dump_sheet();
	csvtable_read(&sheet, folder, "sheet.csv");
	assert_int_equal(sheet.count, points.count);
	for (i = 0; i < column_count; i++) {
		if (!(columns[i].where & COLUMN_IN_SHEET) ||
		    !(columns[i].where & COLUMN_IN_POINTS))
			continue;
		for (row = 1; row < points.count; row++)
			assert_same_in_sheet(&sheet, row, &columns[i]);
		shown++;
	}
	/* All that tell what was measured, whatever else is left out. */
	assert_true(shown >= 20);
	csvtable_free(&sheet);
}

static bool same_workload(size_t a, size_t b)
{
	return csvtable_number(&points, a, "read_pct") ==
		   csvtable_number(&points, b, "read_pct") &&
	       csvtable_number(&points, a, "random_pct") ==
		   csvtable_number(&points, b, "random_pct");
}

/* The best of a column among rows of one workload, of one block size where
 * that is not 0. */
static double best_of(const char *column, size_t like, double block_size)
{
	double best = 0;
	size_t row;

	for (row = 1; row < points.count; row++) {
		double value = csvtable_number(&points, row, column);

		if (same_workload(row, like) && value > best &&
		    (block_size == 0 ||
		     csvtable_number(&points, row, "block_size_bytes") ==
			 block_size))
			best = value;
	}
	return best;
}

/* The row of smallest outstanding with 95% of the best IOPS of that size; 0:
 * nothing was measured. Rows stand in the order of size and outstanding. */
static size_t sweet_of_size(size_t like, double block_size)
{
	double best = best_of("iops", like, block_size);
	size_t row;

	for (row = 1; row < points.count; row++)
		if (same_workload(row, like) &&
		    csvtable_number(&points, row, "block_size_bytes") ==
			block_size &&
		    csvtable_number(&points, row, "iops") >= 0.95 * best)
			return row;
	return 0;
}

/* The row that the definition in DESIGN.md and README names. */
static size_t sweet_row(size_t like)
{
	static const double sizes[] = {4096, 16384, 65536, 2097152};
	size_t sweet[4], i;
	double best = 0;

	for (i = 0; i < 4; i++) {
		sweet[i] = sweet_of_size(like, sizes[i]);
		if (sweet[i] &&
		    csvtable_number(&points, sweet[i], "mibps") > best)
			best = csvtable_number(&points, sweet[i], "mibps");
	}
	for (i = 0; i < 4; i++)
		if (sweet[i] &&
		    csvtable_number(&points, sweet[i], "mibps") >= 0.95 * best)
			return sweet[i];
	return 0;
}

/* The first row of the workload that a sweet spot in JSON is of. */
static size_t row_of_workload(const char *name)
{
	size_t row;

	for (row = 1; row < points.count; row++)
		if (!strcmp(csvtable_get(&points, row, "workload"), name))
			return row;
	fail_msg("no point is of the workload %s", name);
	return 0;
}

/* "Random read    64K x 8": the line of the table that run has printed. */
static void assert_printed(const char *workload, size_t row)
{
	char at[64];
	char *line, *out = strdup(ran.out), *rest = out;

	assert_non_null(out);
	snprintf(at, sizeof(at), " %.0fK x %s ",
		 csvtable_number(&points, row, "block_size_bytes") / 1024,
		 csvtable_get(&points, row, "outstanding"));
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, workload, strlen(workload)) &&
		    line[strlen(workload)] == ' ')
			break;
	if (!line || !strstr(line, at))
		fail_msg("'%s' is not at '%s' in:\n%s", workload, at, ran.out);
	free(out);
}

/* The row of a point that JSON names. */
static size_t row_named(struct json_object *spot, const char *key)
{
	return (size_t)json_object_get_int64(member(spot, key)) + 1;
}

/* A smaller size within 95% of the mark that may truly be at it goes first;
 * then the one of the definition is named beside it. */
static void assert_is_tied(struct json_object *spot, size_t named, size_t row)
{
	assert_true(row_named(spot, "undecided_point_index") == row);
	assert_true(csvtable_number(&points, named, "block_size_bytes") <
		    csvtable_number(&points, row, "block_size_bytes"));
	assert_true(csvtable_number(&points, named, "mibps") >=
		    0.95 * 0.95 * csvtable_number(&points, row, "mibps"));
}

static void the_sweet_spots_are_those_of_the_definition(void **state)
{
	struct json_object *root = read_json();
	struct json_object *spots = member(root, "sweet_spots");
	size_t i, count = json_object_array_length(spots);

	(void)state;
	assert_int_equal(count, 4);
	for (i = 0; i < count; i++) {
		struct json_object *spot = json_object_array_get_idx(spots, i);
		const char *workload =
		    json_object_get_string(member(spot, "workload"));
		size_t like = row_of_workload(workload);
		size_t row = sweet_row(like);
		size_t named = row_named(spot, "sweet_point_index");
		size_t peak = row_named(spot, "peak_iops_point_index");

		assert_true(row > 0);
		if (named != row)
			assert_is_tied(spot, named, row);
		assert_true(csvtable_number(&points, peak, "iops") ==
			    best_of("iops", like, 0));
		assert_printed(workload, named);
	}
	json_object_put(root);
}

static void the_export_as_csv_is_points_csv(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep export run -O out.csv && cmp out.csv "
				"run/points.csv");

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
}

static void the_export_as_workbook_is_the_report(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep export run -O out.xlsx");

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	assert_true(program_exists(folder, "out.xlsx"));
	/* Over an older one, too; never over what is no file. */
	r = program_run(folder, "iosweep export run -O out.xlsx");
	program_assert_status(&r, 0);
	program_free(&r);
	r = program_run(folder, "mkdir d.xlsx; iosweep export run -O d.xlsx");
	assert_int_not_equal(r.status, 0);
	program_assert_sentence(&r, r.status, "d.xlsx");
	program_free(&r);
	r = program_run(folder, "iosweep export run -O no/such/x.xlsx");
	program_assert_sentence(&r, 1, "no/such/");
	program_free(&r);
}

static void several_runs_become_one_table(void **state)
{
	struct csvtable t;
	struct program_result r = program_run(
	    folder, "iosweep run f -b 4K -o 1 -p rand --cache buffered "
		    "--rounds 1 --time 120ms --ramp 10ms --out other --quiet "
		    "--label second && "
		    "iosweep export run other -O both.csv && "
		    "iosweep export run other -O both.xlsx && "
		    "iosweep show run other | grep -c '^Random read '");

	(void)state;
	program_assert_status(&r, 0);
	assert_string_equal(r.out, "2\n");
	program_free(&r);
	csvtable_read(&t, folder, "both.csv");
	assert_int_equal(t.count, points.count + 1);
	assert_string_equal(csvtable_get(&t, 1, "run"), "numbers");
	assert_string_equal(csvtable_get(&t, points.count, "run"), "second");
	csvtable_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(json_holds_the_numbers_of_points_csv),
	    cmocka_unit_test(the_sheet_holds_the_numbers_of_points_csv),
	    cmocka_unit_test(the_sweet_spots_are_those_of_the_definition),
	    cmocka_unit_test(the_export_as_csv_is_points_csv),
	    cmocka_unit_test(the_export_as_workbook_is_the_report),
	    cmocka_unit_test(several_runs_become_one_table),
	};

	return cmocka_run_group_tests_name("program, numbers", tests,
					   sweep_once, clean_up);
}
