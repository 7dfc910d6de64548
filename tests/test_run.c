/* run: folders read back, and folders that are damaged, edited or hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/result.h"
#include "export/store.h"
#include "tests/fakerun.h"
#include "tests/prng.h"
#include "tests/tempdir.h"

#define POINTS 4
#define VISITS 6

static const char *const names[] = {"run.ini", "plan.csv", "visits.csv",
				    "latency.csv", "series.csv"};
enum { FACTS, PLAN, VISITS_FILE, LATENCY, SERIES, FILES };

static char *folder;
static char *path; /* of the run folder, never written to by the store again */
static char *text[FILES];
static size_t length[FILES];

static void write_file(int file, const char *bytes, size_t size)
{
	char *name = tempdir_path(path, names[file]);

	unlink(name);
	file_write(name, bytes, size);
	free(name);
}

/* All files as the store wrote them. */
static void restore(void)
{
	int i;

	for (i = 0; i < FILES; i++)
		write_file(i, text[i], length[i]);
}

static void make_small_visit(struct visit *v, const struct point *p,
			     uint32_t id)
{
	uint32_t i;

	visit_reset(v);
	assert_int_equal(visit_reserve(v, 3), 0);
	v->point = p->index;
	v->round = 1 + id / POINTS;
	v->state = VISIT_DONE;
	v->started_utc_ns = 1767225600123456789;
	v->measured_ns = 1000000000;
	v->ios[DIR_READ] = 5 * id;
	for (i = 0; i < 5; i++)
		hist_record(v->latency[DIR_READ], 1000 * id + 77 * i);
	for (i = 0; i < id % 3; i++)
		hist_record(v->latency[DIR_WRITE], 90000 + 5000 * i);
	v->lat_sum_ns[DIR_READ] = v->latency[DIR_READ]->sum_ns;
	v->sample_count = id % 4;
	for (i = 0; i < v->sample_count; i++)
		v->samples[i] = (struct sample){.ios = {i, id}};
	visit_count_error(v, EIO, id);
}

static int make_folder(void **state)
{
	static char run[] = "run", label[] = "label", tests[] = "tests";
	static char machine[] = "machine", cpu[] = "cpu",
		    model[] = "x\ny = [z]";
	const struct run_fact facts[] = {{run, label, tests},
					 {machine, cpu, model}};
	struct point points[POINTS];
	struct store *s;
	struct visit v;
	uint32_t i;

	(void)state;
	folder = tempdir_new();
	path = tempdir_path(folder, "run");
	fakerun_points(points, POINTS);
	visit_init(&v);
	assert_int_equal(store_create(path, facts, 2, points, POINTS, &s, NULL),
			 0);
	for (i = 1; i <= VISITS; i++) {
		make_small_visit(&v, &points[i % POINTS], i);
		assert_int_equal(store_append(s, &points[i % POINTS], &v, NULL),
				 0);
	}
	assert_int_equal(store_close(s, NULL), 0);
	visit_fini(&v);
	for (i = 0; i < FILES; i++) {
		char *name = tempdir_path(path, names[i]);

		text[i] = file_read(name, &length[i]);
		free(name);
	}
	return 0;
}

static int remove_folder(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < FILES; i++)
		free(text[i]);
	free(path);
	tempdir_remove(folder);
	return 0;
}

/* Load, check what any loaded run has to keep to, and drop it. */
static int load(struct err *err)
{
	struct run run;
	uint32_t i;
	int rc;

	err_clear(err);
	rc = run_read(path, &run, err);
	if (rc) {
		assert_true(err->kind != ERR_NONE);
		assert_non_null(strstr(err->text, folder));
		return rc;
	}
	assert_int_equal(err->kind, ERR_NONE);
	assert_true(run.point_count > 0);
	for (i = 0; i < run.point_count; i++)
		assert_int_equal(run.points[i].index, i);
	for (i = 0; i < run.visit_count; i++)
		assert_true(run.visits[i].point < run.point_count);
	run_fini(&run);
	return 0;
}

/* Replace the first `from` in the file and load. */
static int load_edited(int file, const char *from, const char *to,
		       struct err *err)
{
	char *at = strstr(text[file], from);
	size_t before = (size_t)(at - text[file]);
	char *edited;
	int n, rc;

	assert_non_null(at);
	n = asprintf(&edited, "%.*s%s%s", (int)before, text[file], to,
		     at + strlen(from));
	assert_true(n >= 0);
	write_file(file, edited, (size_t)n);
	free(edited);
	rc = load(err);
	restore();
	return rc;
}

static void a_run_has_its_facts_and_label(void **state)
{
	struct run run;

	(void)state;
	assert_int_equal(run_read(path, &run, NULL), 0);
	assert_string_equal(run.folder, path);
	assert_string_equal(run.label, "tests");
	assert_string_equal(run_fact(&run, "run", "label"), "tests");
	/* One line, whatever was in it. */
	assert_string_equal(run_fact(&run, "machine", "cpu"), "x?y = [z]");
	assert_string_equal(run_fact(&run, "machine", "label"), "");
	assert_string_equal(run_fact(&run, "nowhere", "cpu"), "");
	assert_int_equal(run.visit_count, VISITS);
	assert_false(run.torn);
	run_fini(&run);
}

static void loading_computes_the_results(void **state)
{
	struct run run;

	(void)state;
	assert_int_equal(run_load(path, &run, NULL), 0);
	/* Visits 1 and 5: 5 and 25 reads in a second each. */
	assert_int_equal(run.results[1].done, 2);
	assert_true(run.results[1].iops.value > 14 &&
		    run.results[1].iops.value < 16);
	assert_int_equal(run.results[1].total.ios[DIR_READ], 30);
	assert_int_equal(run.results[0].done, 1);
	run_fini(&run);
}

static void without_a_label_the_folder_gives_its_name(void **state)
{
	struct run run;
	char *facts = strstr(text[FACTS], "[machine]");

	(void)state;
	write_file(FACTS, facts, strlen(facts));
	assert_int_equal(run_read(path, &run, NULL), 0);
	assert_string_equal(run.label, "run");
	run_fini(&run);
	restore();
}

static void run_ini_may_be_edited_by_hand(void **state)
{
	static const char edited[] = "# mine\r\n[run]\r\nlabel = other\r\n\r\n"
				     "; more\n[folder]\nformat = 1\n"
				     "points = 4\nempty =\nalso = ";
	struct run run;

	(void)state;
	write_file(FACTS, edited, sizeof(edited) - 1);
	assert_int_equal(run_read(path, &run, NULL), 0);
	assert_string_equal(run.label, "other");
	assert_int_equal(run.fact_count, 5);
	assert_string_equal(run.facts[3].name, "empty");
	assert_string_equal(run.facts[3].value, "");
	assert_string_equal(run.facts[4].value, "");
	run_fini(&run);
	restore();
}

static void damage_in_run_ini_is_named_with_its_line(void **state)
{
	static const struct {
		const char *from, *to, *in_text;
	} cases[] = {
	    {"[run]\n", "", "run.ini:1: "},
	    {"label = ", "label: ", "run.ini:2: "},
	    {"label = ", "= ", "run.ini:2: "},
	    {"label = ", " = ", "run.ini:2: "},
	    {"[machine]", "[machine", "run.ini:4: "},
	    {"format = 1", "format = 2",
	     "run.ini: the run folder has format 2"},
	    {"format = 1", "format = 0", "run.ini: [folder] does not say"},
	    {"format = 1\n", "", "run.ini: [folder] does not say"},
	    {"points = 4", "points = 5", "plan.csv: 4 points"},
	    {"points = 4", "points = 4\npoints = 4", "run.ini:10: points"},
	};
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = load_edited(FACTS, cases[i].from, cases[i].to, &err);

		if (rc != -EINVAL || !strstr(err.text, cases[i].in_text))
			fail_msg("%s: %d, %s", cases[i].in_text, rc, err.text);
	}
}

/* Written by the first version: without devices.csv and the columns that came
 * later. Its blanks are unknown, what it has is all there. */
static void a_folder_of_the_first_version_is_read(void **state)
{
	struct err err = {0};
	struct run run;

	(void)state;
	if (run_load("tests/data/runs/first", &run, &err))
		fail_msg("%s", err.text);
	assert_false(run.torn);
	assert_string_equal(run.label, "first version");
	assert_int_equal(run.point_count, 2);
	assert_int_equal(run.visit_count, 2);
	assert_true(visit_iops(&run.visits[0]) == 2270550);
	assert_true(isnan(run.visits[0].verified_blocks));
	assert_true(isnan(run.visits[0].hit_pct));
	assert_true(run.results[0].latency[DIR_READ].count > 1000);
	run_fini(&run);
}

static void damage_in_rows_is_named_with_its_line(void **state)
{
	static const struct {
		int file;
		const char *from, *to, *in_text;
	} cases[] = {
	    /* plan.csv */
	    {PLAN, "point_index", "point_indix", "plan.csv:1: unknown column"},
	    {PLAN, "variant", "target", "plan.csv:1: column target is there"},
	    {PLAN, "queue_depth,", "", "plan.csv:1: column queue_depth is mis"},
	    {PLAN, "\n1,", "\n2,", "plan.csv:3: point 2 where 1"},
	    {PLAN, "\n1,", "\n0,", "plan.csv:3: point 0 where 1"},
	    {PLAN, "\n1,", "\n1,,", "plan.csv:3: "},
	    {PLAN, "/data/test.dat", "",
	     "plan.csv:2: '' is no value of column "
	     "target"},
	    {PLAN, ",512,", ",0,", "block_size_bytes"},
	    {PLAN, ",2,2,", ",65536,65536,", "threads x queue_depth"},
	    {PLAN, "seq", "s\"q", "plan.csv:2: "},
	    /* visits.csv */
	    {VISITS_FILE, "\n2,", "\n1,", "visits.csv:3: visit 1 follows"},
	    {VISITS_FILE, "\n1,1,", "\n1,4,", "visits.csv:2: point 4 is not"},
	    {VISITS_FILE, "\n1,1,", "\n1,4294967296,", "point_index"},
	    {VISITS_FILE, ",done,", ",stopped,", "column state"},
	    {VISITS_FILE, ",done,", ",done,,", "visits.csv:2: "},
	    {VISITS_FILE, "EIO:1", "EIO:-1", "column errors"},
	    {VISITS_FILE, "2026-01-01T", "2026-02-30T", "column started_utc"},
	    /* latency.csv */
	    {LATENCY, "count", "number", "latency.csv:1: the header"},
	    {LATENCY, ",read,", ",raed,", "latency.csv:2: "},
	    {LATENCY, "\n1,read,1000,", "\n1,read,1001,", "latency.csv:2: "},
	    {LATENCY, "\n1,read,1000,1004,", "\n1,read,1000,1005,",
	     "latency.csv:2: "},
	    {LATENCY, "\n1,read,1000,1004,1\n", "\n1,read,1000,1004,0\n",
	     "latency.csv:2: "},
	    {LATENCY, "\n1,read,1000,1004,1\n", "\n0,read,1000,1004,1\n",
	     "latency.csv:2: "},
	    {LATENCY, "\n1,read,1000,", "\n9,read,1000,", "latency.csv:3: "},
	    /* series.csv */
	    {SERIES, "t_ms", "t_us", "series.csv:1: the header"},
	    {SERIES, "\n1,0,0,", "\n1,0,x,", "series.csv:2: "},
	    {SERIES, "\n1,0,0,", "\n1,000,", "series.csv:2: "},
	    {SERIES, "\n1,0,0,0,", "\n1,0,0,-1,", "series.csv:2: "},
	    {SERIES, "\n1,0,", "\n1,1,", "series.csv:2: sample 1 of visit 1"},
	    {SERIES, "\n2,1,", "\n2,0,", "series.csv:4: sample 0 of visit 2"},
	    {SERIES, "\n1,0,", "\n9,0,", "series.csv:3: visit 2 follows"},
	};
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = load_edited(cases[i].file, cases[i].from, cases[i].to,
				     &err);

		if (rc != -EINVAL || err.kind != ERR_USAGE ||
		    !strstr(err.text, cases[i].in_text))
			fail_msg("%s: %d, %s", cases[i].in_text, rc, err.text);
	}
}

/* The row of visit 2 taken out: its histogram goes with it, the others stay. */
static void a_visit_may_be_taken_out_by_hand(void **state)
{
	char *from = strstr(text[VISITS_FILE], "\n2,");
	char *to = strstr(text[VISITS_FILE], "\n3,");
	struct run run;
	char *edited;
	int n;

	(void)state;
	n = asprintf(&edited, "%.*s%s", (int)(from - text[VISITS_FILE]),
		     text[VISITS_FILE], to);
	write_file(VISITS_FILE, edited, (size_t)n);
	free(edited);
	assert_int_equal(run_read(path, &run, NULL), 0);
	assert_int_equal(run.visit_count, VISITS - 1);
	/* Visits 2 and 6 are of point 2; 2048 ns is visit 2's alone. */
	assert_true(hist_bucket_lower(run.results[2].latency[DIR_READ].first) >
		    5000);
	run_fini(&run);
	restore();
}

static void counts_that_overflow_are_an_error(void **state)
{
	char *other = tempdir_path(folder, "overflow");
	struct point p;
	struct store *s;
	struct visit v;
	struct run run;
	struct err err = {0};
	uint32_t i;

	(void)state;
	fakerun_points(&p, 1);
	visit_init(&v);
	assert_int_equal(store_create(other, NULL, 0, &p, 1, &s, NULL), 0);
	for (i = 0; i < 2; i++) {
		make_small_visit(&v, &p, 1);
		v.latency[DIR_READ]->bucket[100] = UINT64_MAX;
		assert_int_equal(store_append(s, &p, &v, NULL), 0);
		assert_int_equal(run_read(other, &run, &err), i ? -EINVAL : 0);
		if (!i)
			run_fini(&run);
	}
	assert_non_null(strstr(err.text, "too large"));
	assert_int_equal(store_close(s, NULL), 0);
	visit_fini(&v);
	free(other);
}

/* Every file, cut at every byte. */
static void every_truncation_is_an_error_or_a_shorter_run(void **state)
{
	struct err err = {0};
	size_t i;
	int file;

	(void)state;
	for (file = 0; file < FILES; file++) {
		for (i = 0; i < length[file]; i++) {
			int rc;

			write_file(file, text[file], i);
			rc = load(&err);
			if (file != FACTS && file != VISITS_FILE)
				assert_int_equal(rc, -EINVAL);
			else
				assert_true(!rc || rc == -EINVAL);
		}
		restore();
	}
	assert_int_equal(load(&err), 0);
}

/* Bytes changed, taken out, put in, at random places of random files. */
static void random_damage_is_an_error_or_a_run_never_more(void **state)
{
	static const char likely[] = "0123456789,\"\n\r-.:=[]e\0 \xff";
	uint64_t seed = 7;
	struct err err = {0};
	unsigned fine = 0;
	int i;

	(void)state;
	for (i = 0; i < 4000; i++) {
		int file = (int)prng_below(&seed, FILES);
		size_t size = length[file];
		char *bytes = malloc(size + 8);
		int changes = 1 + (int)prng_below(&seed, 4);
		int rc;

		memcpy(bytes, text[file], size);
		while (changes-- && size > 1) {
			size_t at = prng_below(&seed, size);
			char c = likely[prng_below(&seed, sizeof(likely) - 1)];

			switch (prng_below(&seed, 4)) {
			case 0:
				bytes[at] ^= (char)(1 << prng_below(&seed, 8));
				break;
			case 1:
				bytes[at] = c;
				break;
			case 2:
				memmove(bytes + at, bytes + at + 1,
					size-- - at - 1);
				break;
			default:
				memmove(bytes + at + 1, bytes + at,
					size++ - at);
				bytes[at] = c;
			}
		}
		write_file(file, bytes, size);
		free(bytes);
		rc = load(&err);
		assert_true(!rc || rc == -EINVAL);
		fine += !rc;
		write_file(file, text[file], length[file]);
	}
	/* Both happen, or the test does not test. */
	assert_true(fine > 100 && fine < 3900);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct err err = {0};
	int file;

	(void)state;
	for (file = 0; file < FILES; file++) {
		char *name = tempdir_path(path, names[file]);

		unlink(name);
		assert_int_equal(load(&err), -EINVAL);
		assert_non_null(strstr(err.text, name));
		free(name);
		restore();
	}
}

/* Links that lead out of the folder, pipes that would wait, folders. */
static void only_regular_files_of_the_folder_are_read(void **state)
{
	struct err err = {0};
	int file;

	(void)state;
	for (file = 0; file < FILES; file++) {
		char *name = tempdir_path(path, names[file]);
		char *outside = tempdir_path(folder, "outside");

		file_write(outside, text[file], length[file]);
		unlink(name);
		assert_int_equal(symlink(outside, name), 0);
		assert_int_equal(load(&err), -ELOOP);
		assert_non_null(strstr(err.text, "symbolic link"));
		unlink(name);
		assert_int_equal(mkfifo(name, 0600), 0);
		assert_int_equal(load(&err), -EINVAL);
		assert_non_null(strstr(err.text, "not a regular file"));
		unlink(name);
		assert_int_equal(mkdir(name, 0700), 0);
		assert_int_equal(load(&err), -EINVAL);
		assert_int_equal(rmdir(name), 0);
		restore();
		free(outside);
		free(name);
	}
}

static void what_is_no_folder_is_named(void **state)
{
	struct run run;
	struct err err = {0};
	char *file = tempdir_path(folder, "file");
	char *none = tempdir_path(folder, "none");

	(void)state;
	file_write(file, "", 0);
	assert_int_equal(run_read(file, &run, &err), -EINVAL);
	assert_non_null(strstr(err.text, file));
	err_clear(&err);
	assert_int_equal(run_read(none, &run, &err), -EINVAL);
	assert_non_null(strstr(err.text, none));
	free(none);
	free(file);
}

/* A plan that would take more memory than a run is worth. */
static void too_many_points_are_refused(void **state)
{
	char *row = strchr(text[PLAN], '\n') + 1;
	char *rest = strchr(row, ',');
	int rest_length = (int)(strchr(row, '\n') + 1 - rest);
	struct err err = {0};
	char *rows;
	size_t size;
	FILE *f = open_memstream(&rows, &size);
	uint32_t i;

	(void)state;
	fwrite(text[PLAN], 1, (size_t)(row - text[PLAN]), f);
	for (i = 0; i <= RUN_POINTS_MAX; i++)
		fprintf(f, "%u%.*s", i, rest_length, rest);
	fclose(f);
	write_file(PLAN, rows, size);
	free(rows);
	assert_int_equal(load(&err), -EINVAL);
	assert_non_null(strstr(err.text, "plan.csv:100002: more than 100000"));
	restore();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_run_has_its_facts_and_label),
	    cmocka_unit_test(loading_computes_the_results),
	    cmocka_unit_test(without_a_label_the_folder_gives_its_name),
	    cmocka_unit_test(run_ini_may_be_edited_by_hand),
	    cmocka_unit_test(damage_in_run_ini_is_named_with_its_line),
	    cmocka_unit_test(a_folder_of_the_first_version_is_read),
	    cmocka_unit_test(damage_in_rows_is_named_with_its_line),
	    cmocka_unit_test(a_visit_may_be_taken_out_by_hand),
	    cmocka_unit_test(counts_that_overflow_are_an_error),
	    cmocka_unit_test(every_truncation_is_an_error_or_a_shorter_run),
	    cmocka_unit_test(random_damage_is_an_error_or_a_run_never_more),
	    cmocka_unit_test(a_file_that_is_not_there_is_named),
	    cmocka_unit_test(only_regular_files_of_the_folder_are_read),
	    cmocka_unit_test(what_is_no_folder_is_named),
	    cmocka_unit_test(too_many_points_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
