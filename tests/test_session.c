/* session: the loop over a plan, with the simulator and a real run folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sim.h"
#include "engine/units.h"
#include "sweep/session.h"
#include "tests/program.h"

struct fixture {
	char *folder; /* temporary */
	char *run;    /* the run folder in it */
	struct plan_request req;
	struct plan plan;
	struct session session;
	volatile sig_atomic_t stop;
	uint32_t begun, ended;
	uint32_t stop_after; /* visits; 0: never */
	uint32_t refreshed;
};

static const struct sim_device device = {
    .service_ns = 80000,
    .bytes_per_ns = 2,
    .max_iops = 200000,
    .max_bytes_per_s = 2e9,
    .seq_factor = 1,
    .write_factor = 1,
};

static void visit_begins(void *arg, const struct session_progress *at,
			 const struct point *p)
{
	struct fixture *f = arg;

	(void)p;
	assert_true(at->visit <= at->visit_count);
	f->begun++;
}

static void visit_ended(void *arg, const struct session_progress *at,
			const struct point *p, const struct visit *v)
{
	struct fixture *f = arg;

	(void)at;
	assert_int_equal(v->point, p->index);
	f->ended++;
	if (f->ended == f->stop_after)
		f->stop = 1;
}

static void refresh(void *arg)
{
	uint32_t *refreshed = arg;

	++*refreshed;
}

static void set(struct fixture *f, enum plan_key key, const char *value)
{
	assert_int_equal(plan_text_set(&f->req.option[key], value, "test"), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->folder = program_folder();
	assert_true(asprintf(&f->run, "%s/run", f->folder) > 0);
	set(f, PLAN_BLOCK_SIZE, "8K,64K");
	set(f, PLAN_OUTSTANDING, "1..4");
	set(f, PLAN_PATTERN, "rand");
	set(f, PLAN_ROUNDS, "3");
	set(f, PLAN_SEED, "1");
	f->req.targets = calloc(1, sizeof(char *));
	f->req.targets[0] = strdup("/dev/zero");
	f->req.target_count = 1;
	*state = f;
	return 0;
}

static void open_session(struct fixture *f, const struct sim_device *dev)
{
	static char section[] = "plan", name[] = "steady", yes[] = "yes";
	static const struct run_fact steady = {section, name, yes};
	const struct sim_noise noise = {.independent = 0.02};
	struct measure_opts opts = {0};

	assert_int_equal(plan_build(&f->req, &f->plan, NULL), 0);
	opts.time_ns = f->plan.settings.time_ns;
	opts.ramp_ns = f->plan.settings.ramp_ns;
	opts.run_seed = f->plan.settings.seed;
	assert_int_equal(sim_new(&opts, dev, &noise, &f->session.measurer), 0);
	assert_int_equal(store_create(f->run, &steady, f->plan.settings.steady,
				      f->plan.points, f->plan.point_count,
				      &f->session.store, NULL),
			 0);
	f->session.plan = &f->plan;
	f->session.schedule = schedule_new(&f->plan);
	assert_non_null(f->session.schedule);
	f->session.stop = &f->stop;
	f->session.observer = (struct session_observer){
	    .visit_begins = visit_begins,
	    .visit_ended = visit_ended,
	    .arg = f,
	};
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	schedule_free(f->session.schedule);
	measure_free(f->session.measurer);
	store_close(f->session.store, NULL);
	plan_fini(&f->plan);
	plan_request_fini(&f->req);
	free(f->run);
	program_folder_remove(f->folder);
	free(f);
	return 0;
}

static void every_point_is_visited_once_a_round(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;
	struct run run;
	uint32_t i;

	open_session(f, &device);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(out.done, 18);
	assert_int_equal(f->begun, 18);
	assert_int_equal(f->ended, 18);
	assert_false(out.stopped || out.timed_out);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	assert_int_equal(run.visit_count, 18);
	for (i = 0; i < run.point_count; i++)
		assert_int_equal(run.results[i].done, 3);
	run_fini(&run);
}

static void a_failed_visit_is_kept_and_the_sweep_goes_on(void **state)
{
	struct fixture *f = *state;
	struct sim_device failing = device;
	struct session_outcome out;
	struct run run;
	uint32_t i, failed = 0;

	failing.fail_every = 4;
	open_session(f, &failing);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(out.failed, 4);
	assert_int_equal(out.done, 14);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	for (i = 0; i < run.visit_count; i++)
		if (run.visits[i].state == VISIT_FAILED) {
			assert_true(run.visits[i].reason[0] != '\0');
			failed++;
		}
	assert_int_equal(failed, 4);
	run_fini(&run);
}

static void a_stop_request_ends_after_the_visit_under_way(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;
	struct run run;

	f->stop_after = 5;
	open_session(f, &device);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_true(out.stopped);
	assert_int_equal(out.done, 5);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	assert_int_equal(run.visit_count, 5);
	run_fini(&run);
}

static void the_time_limit_ends_the_sweep(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;

	set(f, PLAN_MAX_TIME, "1ns");
	open_session(f, &device);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_true(out.timed_out);
	assert_true(out.done < 18);
}

static void the_derived_files_are_refreshed_on_the_way(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;

	open_session(f, &device);
	f->session.observer.refresh = refresh;
	f->session.observer.refresh_arg = &f->refreshed;
	f->session.observer.refresh_every_ns = 1;
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_true(f->refreshed > 0 && f->refreshed <= 18);
}

/* A schedule of its own: the point before the last one that was visited, one
 * at a time, until point 0 was done. */
struct countdown {
	struct schedule schedule;
	uint32_t point, told;
};

static int countdown_next(struct schedule *s, struct schedule_batch *batch,
			  struct err *err)
{
	struct countdown *c = (struct countdown *)s;

	(void)err;
	batch->count = c->point > 0;
	batch->order[0] = c->point - 1;
	batch->round = batch->round_count = 1;
	batch->later_count = c->point ? c->point - 1 : 0;
	return 0;
}

static int countdown_visited(struct schedule *s, const struct visit *v,
			     struct err *err)
{
	struct countdown *c = (struct countdown *)s;

	(void)err;
	c->point = v->point;
	c->told++;
	return 0;
}

static void countdown_free(struct schedule *s)
{
	free(s);
}

static const struct schedule_ops countdown_ops = {
    .next = countdown_next,
    .visited = countdown_visited,
    .free = countdown_free,
};

static void count_down_from(struct fixture *f, uint32_t point)
{
	struct countdown *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->schedule.ops = &countdown_ops;
	c->point = point;
	schedule_free(f->session.schedule);
	f->session.schedule = &c->schedule;
}

static void a_schedule_decides_by_what_was_visited(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;
	struct run run;
	uint32_t i;

	open_session(f, &device);
	count_down_from(f, 4);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(out.done, 4);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	for (i = 0; i < run.visit_count; i++)
		assert_int_equal(run.visits[i].point, 3 - i);
	assert_int_equal(run.results[4].done, 0);
	run_fini(&run);
}

/* All of one round are known but point 2. */
struct past {
	struct visit visit;
	uint32_t round;
};

static const struct visit *known(void *arg, uint32_t point, uint32_t round)
{
	struct past *past = arg;

	if (round != past->round || point == 2)
		return NULL;
	past->visit.point = point;
	past->visit.round = round;
	return &past->visit;
}

static void know_round(struct fixture *f, struct past *past, uint32_t round)
{
	visit_init(&past->visit);
	past->visit.state = VISIT_DONE;
	past->round = round;
	f->session.known = known;
	f->session.known_arg = past;
}

static void known_visits_are_not_measured_again(void **state)
{
	struct fixture *f = *state;
	struct session_outcome out;
	struct past past;
	struct run run;
	uint32_t i;

	open_session(f, &device);
	know_round(f, &past, 2);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(out.done, 13);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	assert_int_equal(run.visit_count, 13);
	for (i = 0; i < run.point_count; i++)
		assert_int_equal(run.results[i].done, i == 2 ? 3 : 2);
	run_fini(&run);
}

static void known_visits_are_told_to_the_schedule(void **state)
{
	struct fixture *f = *state;
	const struct countdown *c;
	struct session_outcome out;
	struct past past;

	open_session(f, &device);
	count_down_from(f, 5);
	c = (const struct countdown *)f->session.schedule;
	know_round(f, &past, 1);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(out.done, 1);
	assert_int_equal(c->told, 5);
}

/* I/Os in the merged histograms of a result. */
static uint64_t spanned_ios(const struct result *r)
{
	uint64_t sum = 0;
	uint32_t i;
	int d;

	for (d = 0; d < DIR_COUNT; d++)
		for (i = 0; i < r->latency[d].count; i++)
			sum += r->latency[d].bucket[i];
	return sum;
}

static void a_steady_window_is_all_that_a_run_folder_tells(void **state)
{
	struct fixture *f = *state;
	struct sim_device settling = device;
	struct session_outcome out;
	struct run run;
	uint32_t i, aside = 0;

	settling.fresh_factor = 3;
	settling.settle_s = 20;
	set(f, PLAN_STEADY, "yes");
	set(f, PLAN_ROUNDS, "25");
	open_session(f, &settling);
	assert_int_equal(session_run(&f->session, &out, NULL), 0);
	assert_int_equal(run_load(f->run, &run, NULL), 0);
	for (i = 0; i < run.point_count; i++) {
		const struct result *r = &run.results[i];

		assert_int_equal(r->done, 5);
		aside += r->aside;
		assert_true(spanned_ios(r) == r->total.ios[DIR_READ]);
	}
	assert_true(aside > 0);
	assert_int_equal(aside + 5 * run.point_count, out.done);
	run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_point_is_visited_once_a_round,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(
		a_failed_visit_is_kept_and_the_sweep_goes_on, setup, teardown),
	    cmocka_unit_test_setup_teardown(
		a_stop_request_ends_after_the_visit_under_way, setup, teardown),
	    cmocka_unit_test_setup_teardown(the_time_limit_ends_the_sweep,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(
		the_derived_files_are_refreshed_on_the_way, setup, teardown),
	    cmocka_unit_test_setup_teardown(
		a_schedule_decides_by_what_was_visited, setup, teardown),
	    cmocka_unit_test_setup_teardown(known_visits_are_not_measured_again,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(
		known_visits_are_told_to_the_schedule, setup, teardown),
	    cmocka_unit_test_setup_teardown(
		a_steady_window_is_all_that_a_run_folder_tells, setup,
		teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
