/* columns: the table itself, and that stored cells read back exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "export/columns.h"
#include "tests/fakerun.h"

#define IN_FILES (COLUMN_IN_PLAN | COLUMN_IN_VISITS)

static void names_are_lower_snake_and_unique(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < column_count; i++) {
		const char *c = columns[i].name;

		assert_ptr_equal(column_find(c), &columns[i]);
		for (; *c; c++)
			assert_true(islower((unsigned char)*c) ||
				    isdigit((unsigned char)*c) || *c == '_');
		for (j = 0; j < i; j++)
			assert_string_not_equal(columns[i].name,
						columns[j].name);
	}
	assert_null(column_find("no_such_column"));
}

static void every_column_is_whole(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < column_count; i++) {
		const struct column *c = &columns[i];

		assert_true(c->where & ~(uint32_t)COLUMN_REQUIRED);
		assert_true(c->title[0] && c->help[0] && c->unit);
		assert_true(c->sheet_scale > 0 && c->sheet_format[0]);
		assert_non_null(c->get);
		/* Only what is read back can be required. */
		if (c->where & COLUMN_REQUIRED)
			assert_non_null(c->set);
		if (c->set)
			assert_true(c->where & IN_FILES);
	}
}

/* An Excel table takes no two equal headers, whatever their case. */
static void sheet_titles_are_unique(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < column_count; i++)
		for (j = 0; j < i; j++)
			if (columns[i].where & columns[j].where &
			    COLUMN_IN_SHEET)
				assert_true(strcasecmp(columns[i].title,
						       columns[j].title));
}

/* True for a_us, a_us_low and a_us_per_io, not for a_user. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);
	const char *at = name;

	while ((at = strstr(at, word))) {
		if ((at == name || at[-1] == '_') &&
		    (!at[length] || at[length] == '_'))
			return true;
		at++;
	}
	return false;
}

static void names_carry_their_unit(void **state)
{
	static const struct {
		const char *unit, *word;
	} units[] = {{"us", "us"},	 {"ms", "ms"}, {"ns", "ns"},
		     {"bytes", "bytes"}, {"%", "pct"}, {"MiB/s", "mibps"}};
	size_t i, j;

	(void)state;
	for (i = 0; i < column_count; i++)
		for (j = 0; j < sizeof(units) / sizeof(units[0]); j++)
			assert_int_equal(
			    !strcmp(columns[i].unit, units[j].unit),
			    has_word(columns[i].name, units[j].word));
}

static const char *text_of(const char *name, const struct column_row *row,
			   char *buf)
{
	static struct column_value value;

	column_find(name)->get(row, &value);
	return column_format(&value, buf);
}

static void assert_text(const char *name, const struct column_row *row,
			const char *expected)
{
	char buf[COLUMN_TEXT_MAX];

	assert_string_equal(text_of(name, row, buf), expected);
}

/* The names of DESIGN and what they mean. */
static void the_keys_of_a_point_are_as_asked(void **state)
{
	struct point p = {.index = 3,
			  .workload = {.stream = {8192, 65, 60},
				       .threads = 2,
				       .queue_depth = 16},
			  .target = "/dev/sdb",
			  .variant = "",
			  .section = "",
			  .cache = CACHE_DIRECT_DSYNC,
			  .engine = ENGINE_AUTO};
	struct column_row row = {.point = &p};

	(void)state;
	assert_text("point_index", &row, "3");
	assert_text("target", &row, "/dev/sdb");
	assert_text("variant", &row, "");
	assert_text("workload", &row, "60% random 65% read");
	assert_text("pattern", &row, "mixed");
	assert_text("block_size_bytes", &row, "8192");
	assert_text("outstanding", &row, "32");
	assert_text("threads", &row, "2");
	assert_text("queue_depth", &row, "16");
	assert_text("read_pct", &row, "65");
	assert_text("random_pct", &row, "60");
	assert_text("distribution", &row, "uniform");
	assert_text("working_set_bytes", &row, "");
	assert_text("cache", &row, "direct+dsync");
	assert_text("cache_state", &row, "");
	p.state = STATE_WARM;
	assert_text("cache_state", &row, "warm");
	assert_text("engine", &row, "auto");
	p.workload.stream.random_pct = 0;
	assert_text("pattern", &row, "seq");
	assert_text("distribution", &row, "");
	p.workload.stream.random_pct = 100;
	assert_text("pattern", &row, "rand");
	distribution_parse("hot:10/90", &p.workload.stream.distribution);
	assert_text("distribution", &row, "hot:10/90");
}

/* 1000 reads and 500 writes in half a second. */
static void fill_visit(struct visit *v)
{
	visit_init(v);
	v->state = VISIT_DONE;
	v->measured_ns = 500000000;
	v->ios[DIR_READ] = 1000;
	v->ios[DIR_WRITE] = 500;
	v->bytes[DIR_READ] = 1000 << 20;
	v->bytes[DIR_WRITE] = 500 << 20;
	v->lat_sum_ns[DIR_READ] = 1000 * 100000;
	v->lat_sum_ns[DIR_WRITE] = 500 * 400000;
	v->lat_min_ns[DIR_READ] = 5000;
	v->lat_min_ns[DIR_WRITE] = 7000;
	v->lat_max_ns[DIR_READ] = 800000;
	v->lat_max_ns[DIR_WRITE] = 900500;
	v->cpu_user_ns = 30000000;
	v->cpu_system_ns = 45000000;
}

static void one_name_means_the_visit_in_rows_of_visits(void **state)
{
	struct point p = {.workload = {.threads = 1, .queue_depth = 1},
			  .target = "t",
			  .variant = "",
			  .section = ""};
	struct visit v;
	struct column_row row = {.point = &p, .visit = &v};

	(void)state;
	fill_visit(&v);
	assert_text("iops", &row, "3000");
	assert_text("mibps", &row, "3000");
	assert_text("lat_mean_us", &row, "200");
	assert_text("lat_min_us", &row, "5");
	assert_text("lat_max_us", &row, "900.5");
	assert_text("read_iops", &row, "2000");
	assert_text("write_iops", &row, "1000");
	assert_text("read_lat_mean_us", &row, "100");
	assert_text("write_lat_mean_us", &row, "400");
	assert_text("cpu_pct", &row, "15");
	assert_text("cpu_us_per_io", &row, "50");
	assert_text("little", &row, "0.6");
	assert_text("measured_ms", &row, "500");
	/* Of points alone. */
	assert_text("iops_low", &row, "");
	assert_text("lat_p99_us", &row, "");
	assert_text("visits_done", &row, "");
	assert_text("run", &row, "");
}

static void one_name_means_the_result_in_rows_of_points(void **state)
{
	struct point p = {.workload = {.threads = 1, .queue_depth = 1},
			  .target = "t",
			  .variant = "",
			  .section = ""};
	char label[] = "first";
	struct run run = {.label = label};
	struct result r = {.point = &p,
			   .done = 3,
			   .failed = 1,
			   .reason = "EIO on all of it",
			   .iops = {3100, 3000, NAN},
			   .read_p99_us = 12.5,
			   .verdicts = 1u << VERDICT_ONE_VISIT};
	struct column_row row = {.point = &p, .result = &r, .run = &run};

	(void)state;
	fill_visit(&r.total);
	r.lat_us[PCT_9999] = (struct interval){5, 4, 6};
	assert_text("run", &row, "first");
	assert_text("iops", &row, "3100");
	assert_text("iops_low", &row, "3000");
	assert_text("iops_high", &row, "");
	assert_text("lat_p9999_us", &row, "5");
	assert_text("lat_p9999_us_low", &row, "4");
	assert_text("lat_p9999_us_high", &row, "6");
	assert_text("read_lat_p99_us", &row, "12.5");
	assert_text("visits_done", &row, "3");
	assert_text("visits_failed", &row, "1");
	assert_text("visits_skipped", &row, "0");
	assert_text("reason", &row, "EIO on all of it");
	assert_text("verdicts", &row, "one-visit");
	assert_text("read_ios", &row, "1000");
	assert_text("cpu_us_per_io", &row, "50");
	assert_text("achieved_read_pct", &row, "66.66666666666667");
}

/* Blank, never 0 and never nan. */
static void what_was_not_measured_is_blank(void **state)
{
	static const char *const measures[] = {
	    "iops",	     "mibps",
	    "lat_mean_us",   "lat_p50_us",
	    "lat_min_us",    "lat_max_us",
	    "read_iops",     "write_iops",
	    "read_ios",	     "read_bytes",
	    "cpu_pct",	     "cpu_us_per_io",
	    "measured_ms",   "achieved_read_pct",
	    "little",	     "errors",
	    "engine_used",   "device_depth",
	    "best_share_pct"};
	struct point p = {.workload = {.threads = 1, .queue_depth = 1},
			  .target = "t",
			  .variant = "",
			  .section = ""};
	struct result r = {.point = &p, .reason = ""};
	struct column_row row = {.point = &p, .result = &r};
	size_t i;
	int k;

	(void)state;
	r.iops = r.mibps = r.lat_mean_us = (struct interval){NAN, NAN, NAN};
	for (k = 0; k < PCT_COUNT; k++)
		r.lat_us[k] = r.iops;
	r.lat_min_us = r.lat_max_us = r.lat_stddev_us = NAN;
	r.read_iops = r.write_iops = r.cpu_pct = r.device_depth = NAN;
	r.little = r.best_share_pct = NAN;
	for (i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
		assert_text(measures[i], &row, "");
	assert_text("visits_done", &row, "0");
}

static void a_failed_visit_has_no_rates(void **state)
{
	struct point p = {.workload = {.threads = 1, .queue_depth = 1},
			  .target = "t",
			  .variant = "",
			  .section = ""};
	struct visit v;
	struct column_row row = {.point = &p, .visit = &v};

	(void)state;
	visit_init(&v);
	v.state = VISIT_FAILED;
	strcpy(v.reason, "no such device");
	assert_text("state", &row, "failed");
	assert_text("reason", &row, "no such device");
	assert_text("read_ios", &row, "0");
	assert_text("iops", &row, "");
	assert_text("lat_mean_us", &row, "");
	assert_text("lat_max_us", &row, "");
	assert_text("read_lat_min_ns", &row, "");
	assert_text("read_lat_max_ns", &row, "");
	assert_text("cpu_pct", &row, "");
	assert_text("started_utc", &row, "");
	assert_text("engine_used", &row, "");
}

/* Every getter, on every kind of row, says its own type and takes what is
 * not there for unknown. */
static void getters_take_every_kind_of_row(void **state)
{
	struct point p = {.workload = {.threads = 1, .queue_depth = 1},
			  .target = "t",
			  .variant = "",
			  .section = ""};
	struct visit v;
	struct result r = {.point = &p, .reason = ""};
	struct commit commit = {1, 2, 3};
	struct run run = {.label = NULL};
	char label[] = "x";
	const struct column_row rows[] = {
	    {.point = &p},
	    {.point = &p, .visit = &v, .commit = &commit},
	    {.point = &p, .visit = &v},
	    {.point = &p, .result = &r, .run = &run},
	    {.point = &p, .result = &r}};
	struct column_value value;
	size_t i, j;

	(void)state;
	visit_init(&v);
	run.label = label;
	for (i = 0; i < column_count; i++) {
		for (j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
			memset(&value, 0xa5, sizeof(value));
			value.known = false;
			columns[i].get(&rows[j], &value);
			assert_int_equal(value.type, columns[i].type);
		}
	}
}

/* All stored cells of a row, through text. */
static void copy_row(const struct column_row *row, uint32_t in,
		     const struct column_target *target)
{
	static struct column_value value;
	char buf[COLUMN_TEXT_MAX];
	size_t i;

	for (i = 0; i < column_count; i++) {
		const struct column *c = &columns[i];
		const char *text;

		if (!(c->where & in))
			continue;
		c->get(row, &value);
		text = column_format(&value, buf);
		if (c->where & COLUMN_REQUIRED)
			assert_true(text[0]);
		if (c->set && text[0])
			assert_int_equal(c->set(text, target), 0);
	}
}

static void points_read_back_equal(void **state)
{
	struct strings *strings = strings_new();
	struct point points[200];
	uint32_t i;

	(void)state;
	fakerun_points(points, 200);
	for (i = 0; i < 200; i++) {
		struct column_row row = {.point = &points[i]};
		struct point back = {.variant = "", .section = ""};
		struct column_target target = {.point = &back,
					       .strings = strings};

		copy_row(&row, COLUMN_IN_PLAN, &target);
		assert_true(fakerun_same_point(&back, &points[i]));
	}
	strings_free(strings);
}

static void visits_read_back_equal(void **state)
{
	struct point p;
	struct visit v;
	uint32_t i;

	(void)state;
	fakerun_points(&p, 1);
	visit_init(&v);
	for (i = 0; i < 500; i++) {
		struct commit commit = {i, UINT64_MAX - i, 2 * i};
		struct commit commit_back = {0};
		struct column_row row = {
		    .point = &p, .visit = &v, .commit = &commit};
		struct visit back;
		struct column_target target = {.visit = &back,
					       .commit = &commit_back};

		fakerun_visit(&v, &p, i + 1, 1, i);
		v.id = UINT32_MAX - i;
		visit_init(&back);
		copy_row(&row, COLUMN_IN_VISITS, &target);
		assert_true(fakerun_same_visit(&back, &v));
		assert_true(commit_back.latency_bytes == commit.latency_bytes);
		assert_true(commit_back.series_bytes == commit.series_bytes);
		assert_true(commit_back.devices_bytes == commit.devices_bytes);
	}
	visit_fini(&v);
}

static void an_empty_visit_reads_back_equal(void **state)
{
	struct point p;
	struct visit v, back;
	struct commit commit = {0};
	struct column_row row = {.point = &p, .visit = &v, .commit = &commit};
	struct column_target target = {.visit = &back, .commit = &commit};

	(void)state;
	fakerun_points(&p, 1);
	visit_init(&v);
	v.id = v.round = 1;
	visit_init(&back);
	copy_row(&row, COLUMN_IN_VISITS, &target);
	assert_true(fakerun_same_visit(&back, &v));
}

static void setters_reject_what_is_out_of_range(void **state)
{
	static const struct {
		const char *name, *text;
	} bad[] = {
	    {"block_size_bytes", "0"},
	    {"block_size_bytes", "8K"},
	    {"block_size_bytes", "9223372036854775808"},
	    {"threads", "0"},
	    {"threads", "4294967296"},
	    {"queue_depth", "-1"},
	    {"read_pct", "100.1"},
	    {"read_pct", "-1"},
	    {"random_pct", "nan"},
	    {"distribution", "zipf:-1"},
	    {"cache", "Direct"},
	    {"cache_state", "hot"},
	    {"engine", "iouring"},
	    {"visit", "0"},
	    {"round", "0"},
	    {"state", "stopped"},
	    {"state", "DONE"},
	    {"started_utc", "yesterday"},
	    {"measured_ms", "-1"},
	    {"measured_ms", "1e300"},
	    {"read_ios", "1.5"},
	    {"errors", "EIO"},
	    {"device_depth", "-0.5"},
	    {"hit_pct", "100.5"},
	    {"hit_pct", "nan"},
	    {"hit_source", "guess"},
	    {"resident_after_pct", "101"},
	};
	struct point p = {.variant = "", .section = ""};
	struct visit v;
	struct commit commit;
	struct column_target target = {
	    .point = &p, .visit = &v, .commit = &commit};
	size_t i;

	(void)state;
	visit_init(&v);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
		    column_find(bad[i].name)->set(bad[i].text, &target),
		    -EINVAL);
}

static void texts_that_do_not_fit_are_rejected(void **state)
{
	struct visit v;
	struct column_target target = {.visit = &v};
	char text[VISIT_REASON_MAX + 1];

	(void)state;
	visit_init(&v);
	memset(text, 'x', sizeof(text));
	text[VISIT_REASON_MAX] = '\0';
	assert_int_equal(column_find("reason")->set(text, &target), -EINVAL);
	assert_string_equal(v.reason, "");
	text[VISIT_REASON_MAX - 1] = '\0';
	assert_int_equal(column_find("reason")->set(text, &target), 0);
	assert_string_equal(v.reason, text);
}

static void texts_come_in_clean(void **state)
{
	struct strings *strings = strings_new();
	struct visit v;
	struct point p;
	struct column_target target = {
	    .visit = &v, .point = &p, .strings = strings};

	(void)state;
	visit_init(&v);
	assert_int_equal(column_find("note")->set("a\x1b[2Jb\n", &target), 0);
	assert_string_equal(v.note, "a?[2Jb?");
	assert_int_equal(column_find("target")->set("/x\x1b\xff", &target), 0);
	assert_string_equal(p.target, "/x??");
	strings_free(strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_lower_snake_and_unique),
	    cmocka_unit_test(every_column_is_whole),
	    cmocka_unit_test(sheet_titles_are_unique),
	    cmocka_unit_test(names_carry_their_unit),
	    cmocka_unit_test(the_keys_of_a_point_are_as_asked),
	    cmocka_unit_test(one_name_means_the_visit_in_rows_of_visits),
	    cmocka_unit_test(one_name_means_the_result_in_rows_of_points),
	    cmocka_unit_test(what_was_not_measured_is_blank),
	    cmocka_unit_test(a_failed_visit_has_no_rates),
	    cmocka_unit_test(getters_take_every_kind_of_row),
	    cmocka_unit_test(points_read_back_equal),
	    cmocka_unit_test(visits_read_back_equal),
	    cmocka_unit_test(an_empty_visit_reads_back_equal),
	    cmocka_unit_test(setters_reject_what_is_out_of_range),
	    cmocka_unit_test(texts_that_do_not_fit_are_rejected),
	    cmocka_unit_test(texts_come_in_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
