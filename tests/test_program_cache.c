/* slow: iosweep as a whole on caches that are there: a loop device over a file
 * that goes through the page cache, beside one that does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/csvtable.h"
#include "tests/loopdev.h"
#include "tests/program.h"

#define MIB_COUNT 48
#define SHAPE                                                                  \
	"[sweep]\nblock-size = 4K\noutstanding = 8\npattern = rand\n"          \
	"time = 400ms\nramp = 10ms\nrounds = 3\n"

static char *folder;

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

/* On a disk of our own, so that the counters below hold nothing else; in
 * memory, so that the cache need not be faster. */
static void attach(struct loopdev *loop, const char *name, int flags)
{
	static struct loopdev disk;
	static int made = 1;
	char own[PATH_MAX], path[PATH_MAX];

	if (made > 0)
		made =
		    loopdev_own_disk(&disk, "own", 4 * MIB_COUNT * LOOPDEV_MIB);
	if (made)
		skip();
	program_fill(scratch_path(own, "own"), name, MIB_COUNT * LOOPDEV_MIB);
	snprintf(path, sizeof(path), "%.4000s/%s", own, name);
	if (loopdev_attach(loop, path, flags, 4096))
		skip();
}

/* And the file below it. */
static void detach(struct loopdev *loop)
{
	loopdev_detach(loop);
	unlink(loop->file);
}

/* The least and the most of a column over the visits of one point. */
static void extremes(const struct csvtable *t, const char *point,
		     const char *column, double *least, double *most)
{
	size_t row;

	*least = 1e300;
	*most = -1e300;
	for (row = 1; row < t->count; row++) {
		double value = atof(csvtable_get(t, row, column));

		if (strcmp(csvtable_get(t, row, "point_index"), point))
			continue;
		assert_true(csvtable_get(t, row, column)[0] != '\0');
		*least = value < *least ? value : *least;
		*most = value > *most ? value : *most;
	}
	assert_true(*least <= *most);
}

static void assert_curve(const char *target)
{
	struct csvtable t;
	size_t row, rows[4] = {0};

	csvtable_read(&t, folder, "run/warmup.csv");
	assert_true(t.whole);
	for (row = 1; row < t.count; row++) {
		int pass = atoi(csvtable_get(&t, row, "pass"));

		assert_string_equal(csvtable_get(&t, row, "target"), target);
		assert_string_equal(csvtable_get(&t, row, "variant"), "cached");
		assert_true(atof(csvtable_get(&t, row, "mibps")) > 0);
		assert_true(atof(csvtable_get(&t, row, "iops")) > 0);
		if (!strcmp(csvtable_get(&t, row, "round"), "1"))
			rows[pass < 3 ? pass : 3]++;
	}
	/* At least two passes, and each as a curve. */
	assert_true(rows[1] >= 10 && rows[2] >= 10);
	csvtable_free(&t);
}

static void assert_book(void)
{
	struct program_result r = program_run(
	    folder, "unzip -p run/report.xlsx xl/workbook.xml "
		    "'xl/charts/chart*.xml' | grep -o 'name=\"Warm-up\"\\|"
		    "[A-Za-z ]* over time, first pass to steady'");

	if (r.status == 127)
		skip();
	program_assert_contains(r.out, "Warm-up");
	program_assert_contains(r.out, "IOPS over time, first pass to steady");
	program_assert_contains(r.out, "Hit ratio over time");
	program_free(&r);
}

static void one_command_measures_uncached_and_cached(void **state)
{
	struct loopdev direct, cached;
	struct program_result r;
	struct csvtable t;
	char plan[1024], *text;
	double least, most;

	(void)state;
	if (loopdev_unavailable())
		skip();
	attach(&direct, "direct.img", LOOPDEV_DIRECT);
	attach(&cached, "cached.img", 0);
	snprintf(plan, sizeof(plan),
		 SHAPE "[variant baseline]\ntarget = %s\nstate = cold\n"
		       "[variant cached]\ntarget = %s\nstate = warm\n",
		 direct.node, cached.node);
	program_write(folder, "plan.ini", plan);
	r = program_run(folder,
			"iosweep run --plan plan.ini --out run --quiet");
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&t, folder, "run/visits.csv");
	assert_int_equal(t.count, 7);
	extremes(&t, "0", "hit_pct", &least, &most);
	assert_true(most < 5);
	extremes(&t, "1", "hit_pct", &least, &most);
	assert_true(least > 95);
	assert_string_equal(csvtable_get(&t, 1, "state_reached"), "yes");
	csvtable_free(&t);
	assert_curve(cached.node);
	text = program_read(folder, "run/visits.csv");
	program_assert_contains(text, "cold: page cache dropped");
	program_assert_contains(text, "warm: ");
	program_assert_contains(text, "warm since an earlier point");
	free(text);
	csvtable_read(&t, folder, "run/points.csv");
	assert_string_equal(csvtable_get(&t, 1, "cache_state"), "cold");
	assert_string_equal(csvtable_get(&t, 2, "cache_state"), "warm");
	csvtable_free(&t);
	assert_book();
	detach(&direct);
	detach(&cached);
}

/* The file under a loop device that goes through the page cache, too. */
static void cold_drops_what_lies_below_a_loop_device(void **state)
{
	struct loopdev cached;
	struct program_result r;
	struct csvtable t;
	double least, most;

	(void)state;
	if (loopdev_unavailable())
		skip();
	attach(&cached, "cached.img", 0);
	r = program_run(folder,
			"cat %s > /dev/null; iosweep run %s -b 64K -o 4 -p "
			"rand --time 30ms --ramp 1ms --rounds 2 --working-set "
			"32M --state cold --out run --quiet",
			cached.file, cached.node);
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&t, folder, "run/visits.csv");
	extremes(&t, "0", "hit_pct", &least, &most);
	assert_true(least < 90);
	assert_int_equal(strncmp(csvtable_get(&t, 1, "note"),
				 "cold: page cache dropped", 24),
			 0);
	csvtable_free(&t);
	detach(&cached);
}

static void cold_is_told_by_what_lies_in_the_page_cache(void **state)
{
	struct program_result r;
	struct csvtable t;
	double least, most;

	(void)state;
	program_fill(folder, "t", 32 * LOOPDEV_MIB);
	r = program_run(folder,
			"iosweep run t -b 4K -o 1 -p rand --time 30ms --ramp "
			"1ms --rounds 3 --cache buffered --state cold --out "
			"run --quiet");
	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&t, folder, "run/visits.csv");
	extremes(&t, "0", "resident_before_pct", &least, &most);
	assert_true(most < 2);
	extremes(&t, "0", "resident_after_pct", &least, &most);
	assert_true(least > 0);
	csvtable_free(&t);
}

static void as_is_reads_nothing_before(void **state)
{
	struct program_result r;
	char *text;

	(void)state;
	program_fill(folder, "t", 8 * LOOPDEV_MIB);
	r = program_run(folder,
			"iosweep run t -b 4K -o 1 -p rand --time 30ms --rounds "
			"1 --cache buffered --state as-is --out run --quiet");
	program_assert_status(&r, 0);
	program_free(&r);
	text = program_read(folder, "run/visits.csv");
	assert_null(strstr(text, "read into the page cache"));
	free(text);
	assert_false(program_exists(folder, "run/warmup.csv"));
}

/* The first signal ends a warm-up: nothing is being measured. */
static void a_signal_during_the_warm_up_leaves(void **state)
{
	pid_t pid;
	int i;

	(void)state;
	program_fill(folder, "t", 64 * LOOPDEV_MIB);
	program_write(folder, "plan.ini",
		      SHAPE "warm-passes = 1000\n[variant A]\nstate = warm\n"
			    "enter = touch on\nleave = rm on; touch left\n");
	pid = program_start(folder, "run t --plan plan.ini --out run");
	for (i = 0;
	     i < 6000 && program_count_lines(folder, "run/warmup.csv") < 3; i++)
		usleep(10000);
	kill(pid, SIGINT);
	assert_int_equal(program_wait(pid), 130);
	assert_false(program_exists(folder, "on"));
	assert_true(program_exists(folder, "left"));
	assert_int_equal(program_count_lines(folder, "run/visits.csv"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(one_command_measures_uncached_and_cached),
	    TEST(cold_drops_what_lies_below_a_loop_device),
	    TEST(cold_is_told_by_what_lies_in_the_page_cache),
	    TEST(as_is_reads_nothing_before),
	    TEST(a_signal_during_the_warm_up_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
