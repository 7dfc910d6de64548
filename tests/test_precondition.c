/* precondition: what is written before the first round, on a real file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/mark.h"
#include "engine/units.h"
#include "sweep/precondition.h"
#include "tests/program.h"

#define SIZE (8 * MIB)

struct fixture {
	char *folder, *path;
	struct plan_request req;
	struct plan plan;
	struct stage stage;
	struct measure_opts measure;
	struct precondition_opts opts;
	struct precondition_done done;
	struct err err;
	unsigned char *before, *after;
	volatile sig_atomic_t stop;
	const char *stop_at; /* a part of what begins; NULL: never */
	uint32_t passes, windows;
};

static void begins(void *arg, const char *what, const struct point *p)
{
	struct fixture *f = arg;

	f->passes += !p;
	f->windows += p != NULL;
	if (f->stop_at && strstr(what, f->stop_at))
		f->stop = 1;
}

static void say(struct fixture *f, enum plan_key key, const char *value)
{
	assert_int_equal(plan_text_set(&f->req.option[key], value, "test"), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->folder = program_folder();
	f->path = program_path(f->folder, "f");
	say(f, PLAN_SIZE, "8M");
	say(f, PLAN_BLOCK_SIZE, "4K");
	say(f, PLAN_OUTSTANDING, "2");
	say(f, PLAN_PATTERN, "rand");
	say(f, PLAN_READ, "100,0");
	say(f, PLAN_PRECONDITION, "yes");
	say(f, PLAN_PRECONDITION_TIME, "250ms");
	f->req.targets = calloc(1, sizeof(char *));
	f->req.targets[0] = strdup(f->path);
	f->req.target_count = 1;
	f->opts = (struct precondition_opts){.measure = &f->measure,
					     .window_ns = 100 * NS_PER_MS,
					     .begins = begins,
					     .arg = f,
					     .stop = &f->stop};
	f->before = malloc(SIZE);
	f->after = malloc(SIZE);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stage_fini(&f->stage);
	plan_fini(&f->plan);
	plan_request_fini(&f->req);
	program_folder_remove(f->folder);
	free(f->before);
	free(f->after);
	free(f->path);
	free(f);
	return 0;
}

static void read_file(const struct fixture *f, unsigned char *into)
{
	int fd = open(f->path, O_RDONLY);

	assert_int_equal(read(fd, into, SIZE), SIZE);
	close(fd);
}

/* Lay the file out, precondition it; what precondition_run returned. */
static int run(struct fixture *f)
{
	const struct stage_layout_opts layout = {.refill = false};
	int rc;

	assert_int_equal(plan_build(&f->req, &f->plan, &f->err), 0);
	assert_int_equal(stage_open(&f->plan, NULL, &f->stage, &f->err), 0);
	assert_int_equal(stage_layout(&f->stage, &f->plan, &layout, &f->err),
			 0);
	read_file(f, f->before);
	f->done.state = PRECONDITION_PENDING;
	rc = precondition_run(&f->stage, &f->plan, &f->opts, &f->done, &f->err);
	read_file(f, f->after);
	if (rc)
		print_message("%s\n", f->err.text);
	return rc;
}

/* Every block from begin to end has other data than before, or all the same. */
static void assert_blocks(const struct fixture *f, uint64_t begin, uint64_t end,
			  bool changed)
{
	uint64_t at;

	for (at = begin; at < end; at += 4096)
		assert_true(changed ==
			    (memcmp(f->before + at, f->after + at, 4096) != 0));
}

static void the_whole_file_is_written_and_stays_ours(void **state)
{
	struct fixture *f = *state;
	int fd;

	assert_int_equal(run(f), 0);
	assert_int_equal(f->passes, 2);
	assert_true(f->done.task.region_bytes == SIZE);
	assert_true(f->done.pass_ns[0] > 0 && f->done.pass_ns[1] > 0);
	assert_blocks(f, 0, SIZE, true);
	fd = open(f->path, O_RDONLY);
	assert_true(!f->stage.targets[0].laid_out || mark_matches(fd, SIZE));
	close(fd);
}

static void the_workload_runs_for_the_time_asked(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run(f), 0);
	assert_true(f->done.task.has_workload);
	assert_int_equal(f->done.windows, f->windows);
	/* 100 ms each at the least. */
	assert_in_range(f->windows, 1, 3);
	assert_true(f->done.workload_ns >= 250 * NS_PER_MS);
	assert_true(f->done.iops > 0 && f->done.mibps > 0);
	assert_true(isnan(f->done.steady.range_pct));
}

static void without_a_time_the_workload_runs_until_it_is_steady(void **state)
{
	struct fixture *f = *state;

	free(f->req.option[PLAN_PRECONDITION_TIME].value);
	f->req.option[PLAN_PRECONDITION_TIME].value = NULL;
	assert_int_equal(run(f), 0);
	assert_in_range(f->done.windows, STEADY_ROUNDS, STEADY_ROUNDS_MAX);
	assert_true(steady_holds(&f->done.steady) ||
		    f->done.windows == STEADY_ROUNDS_MAX);
}

static void only_the_working_set_is_written(void **state)
{
	struct fixture *f = *state;

	say(f, PLAN_WORKING_SET, "2M,4M");
	assert_int_equal(run(f), 0);
	assert_true(f->done.task.region_bytes == 4 * MIB);
	assert_blocks(f, 0, 4 * MIB, true);
	assert_blocks(f, 4 * MIB, SIZE, false);
}

static void a_sweep_that_only_reads_has_no_workload(void **state)
{
	struct fixture *f = *state;

	say(f, PLAN_READ, "100");
	assert_int_equal(run(f), 0);
	assert_false(f->done.task.has_workload);
	assert_int_equal(f->passes, 2);
	assert_int_equal(f->windows, 0);
	assert_blocks(f, 0, SIZE, true);
}

static void a_stop_ends_it_in_a_pass_and_in_a_window(void **state)
{
	static const char *const parts[] = {"pass 2 of 2", "window 2"};
	struct fixture *f = *state;
	size_t i;

	say(f, PLAN_PRECONDITION_TIME, "10s");
	for (i = 0; i < 2; i++) {
		f->stop_at = parts[i];
		f->stop = 0;
		assert_int_equal(run(f), -EINTR);
		assert_non_null(strstr(f->err.text, "stopped while"));
		f->err.kind = ERR_NONE;
		stage_fini(&f->stage);
		plan_fini(&f->plan);
	}
	assert_int_equal(f->passes, 4);
	assert_int_equal(f->windows, 2);
}

static void the_workload_is_the_one_that_wears_most(void **state)
{
	struct fixture *f = *state;
	struct precondition_task task;
	char name[256];

	say(f, PLAN_BLOCK_SIZE, "4K,64K");
	say(f, PLAN_OUTSTANDING, "1,32");
	say(f, PLAN_PATTERN, "seq,rand");
	say(f, PLAN_READ, "100,70,30");
	assert_int_equal(plan_build(&f->req, &f->plan, &f->err), 0);
	precondition_plan(&f->plan, f->path, SIZE, &task);
	assert_string_equal(precondition_name(&task, name, sizeof(name)),
			    "Random 30% read 4K x 32");
}

static const char *fact(const struct facts *facts, const char *name)
{
	uint32_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].section, "target 1") &&
		    !strcmp(facts->items[i].name, name))
			return facts->items[i].value;
	return "";
}

static void what_was_done_becomes_facts(void **state)
{
	struct fixture *f = *state;
	struct facts facts = {0};

	assert_int_equal(run(f), 0);
	precondition_add_facts(&facts, 1, &f->done);
	assert_false(facts.failed);
	assert_string_equal(fact(&facts, "precondition_region_bytes"),
			    "8388608");
	assert_true(atof(fact(&facts, "precondition_pass_2_mibps")) > 0);
	assert_string_equal(fact(&facts, "precondition_workload"),
			    "Random write 4K x 2");
	assert_true(atof(fact(&facts, "precondition_workload_iops")) > 0);
	/* Too few windows to tell. */
	assert_string_equal(fact(&facts, "precondition_steady"), "");
	facts_fini(&facts);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(the_whole_file_is_written_and_stays_ours),
	    CASE(the_workload_runs_for_the_time_asked),
	    CASE(without_a_time_the_workload_runs_until_it_is_steady),
	    CASE(only_the_working_set_is_written),
	    CASE(a_sweep_that_only_reads_has_no_workload),
	    CASE(a_stop_ends_it_in_a_pass_and_in_a_window),
	    CASE(the_workload_is_the_one_that_wears_most),
	    CASE(what_was_done_becomes_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
