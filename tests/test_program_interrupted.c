/* slow: iosweep as a whole: SIGINT and SIGTERM during `enter`, the warm-up and
 * a point of a variant that attaches and mounts something: it is taken down,
 * and what was done is said. */
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

#include "tests/loopdev.h"
#include "tests/program.h"

/* The leave takes down what is there, however far the enter has come. */
#define PLAN                                                                   \
	"[sweep]\nblock-size = 4K\noutstanding = 1\npattern = rand\n"          \
	"time = 300ms\nrounds = 200\nwarm-passes = %s\n"                       \
	"[variant cached]\nstate = %s\n"                                       \
	"enter = losetup -f --show disk > node && mkdir on && "                \
	"mount $(cat node) on && touch entering && sleep %s\n"                 \
	"leave = umount on; losetup -d $(cat node); rmdir on; touch left\n"

static char *folder;

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

/* Also of what a failed test left behind. */
static int clean_up(void **state)
{
	struct program_result r =
	    program_run(folder, "umount on; losetup -d $(cat node); true");

	(void)state;
	program_free(&r);
	program_folder_remove(folder);
	return 0;
}

static void need_disk(void)
{
	struct program_result r;

	if (loopdev_unavailable())
		skip();
	r = program_run(folder, "truncate -s 8M disk && mkfs.ext4 -q -F disk");
	if (r.status)
		skip();
	program_free(&r);
	program_fill(folder, "t", 32 * LOOPDEV_MIB);
}

static void assert_taken_down(void)
{
	struct program_result r = program_run(
	    folder, "losetup -j disk; grep \"$PWD\" /proc/self/mounts; true");

	assert_string_equal(r.out, "");
	assert_true(program_exists(folder, "left"));
	assert_false(program_exists(folder, "on"));
	program_free(&r);
}

struct moment {
	const char *state, *passes, *sleep;
	const char *file; /* with so many lines the moment has come */
	int lines;
	const char *says;
};

static const struct moment entering = {"as-is",	   "2..10", "1",
				       "entering", 0,	    "0 visits"};
static const struct moment warming = {
    "warm", "1000..1000", "0", "run/warmup.csv", 3, "0 visits"};
static const struct moment measuring = {
    "as-is", "2..10", "0", "run/visits.csv", 2, " done, 0 failed"};

static bool has_come(const struct moment *m)
{
	return program_exists(folder, m->file) &&
	       (int)program_count_lines(folder, m->file) >= m->lines;
}

static void interrupt(const struct moment *m, int signum)
{
	char plan[1024], *log;
	pid_t pid;
	int i;

	need_disk();
	snprintf(plan, sizeof(plan), PLAN, m->passes, m->state, m->sleep);
	program_write(folder, "plan.ini", plan);
	pid = program_start(folder, "run t --plan plan.ini --out run");
	for (i = 0; i < 6000 && !has_come(m); i++)
		usleep(10000);
	kill(pid, signum);
	assert_int_equal(program_wait(pid), 128 + signum);
	assert_true(i < 6000);
	assert_taken_down();
	log = program_read(folder, "log");
	program_assert_contains(log, "variant cached: leave: umount on");
	program_assert_contains(log, m->says);
	program_assert_contains(log, "stopped");
	free(log);
}

/* state: the moment. */
static void sigint_leaves(void **state)
{
	interrupt(*state, SIGINT);
}

static void sigterm_leaves(void **state)
{
	interrupt(*state, SIGTERM);
}

#define TEST(name, moment)                                                     \
	{                                                                      \
#name "_while_" #moment, name, prepare, clean_up,              \
		    (void *)&moment                                            \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(sigint_leaves, entering),  TEST(sigterm_leaves, entering),
	    TEST(sigint_leaves, warming),   TEST(sigterm_leaves, warming),
	    TEST(sigint_leaves, measuring), TEST(sigterm_leaves, measuring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
