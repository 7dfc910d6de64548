/* The measured window on a virtual clock: a script says how long every I/O
 * takes and how it ends, so that every count is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backend_null.h"
#include "engine/units.h"
#include "tests/measure_rig.h"

static int set_up(void **state)
{
	struct measure_rig *r = malloc(sizeof(*r));

	assert_non_null(r);
	assert_true(measure_rig_init(r, "/dev/null", TARGET_FILE));
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(NULL, NULL);
	measure_rig_fini(r);
	free(r);
	return 0;
}

static uint64_t ios(const struct visit *v)
{
	return v->ios[DIR_READ] + v->ios[DIR_WRITE];
}

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		print_error("%g is not within %g of %g\n", value, tolerance,
			    expected);
	assert_true(fabs(value - expected) <= tolerance);
}

/* ---- the window ---- */

static void window_counts_completions_inside_it_and_no_others(void **state)
{
	struct measure_rig *r = *state;
	struct visit *v = &r->visit;

	/* 4 in flight, 100 us each, 1 s: 40,000, those that complete at the
	 * begin of the window included, those at its end not. */
	r->point.workload.queue_depth = 4;
	measure_rig_visit(r, 1);
	assert_int_equal(v->state, VISIT_DONE);
	assert_string_equal(v->reason, "");
	assert_int_equal(v->measured_ns, NS_PER_SEC);
	assert_int_equal(v->ramp_ns, 100 * NS_PER_MS);
	assert_int_equal(v->ios[DIR_READ], 40000);
	assert_int_equal(v->ios[DIR_WRITE], 0);
	assert_int_equal(v->bytes[DIR_READ], 40000 * 4096);
	assert_int_equal(v->lat_min_ns[DIR_READ], 100000);
	assert_int_equal(v->lat_max_ns[DIR_READ], 100000);
	assert_int_equal(v->latency[DIR_READ]->count, 40000);
	assert_true(v->lat_min_ns[DIR_WRITE] == UINT64_MAX);
	assert_near(visit_iops(v), 40000, 0);
	assert_near(visit_lat_mean_us(v), 100, 1e-9);
	assert_near(visit_little(v, &r->point), 1, 1e-9);
	assert_int_equal(v->engine_used, ENGINE_NULL);
	assert_int_equal(v->round, 1);
	assert_true(v->seed == point_seed(&r->point, 0, 1));
}

/* Slow by 5 ms for the first 80 ms, then 100 us. */
static void slow_start(void *arg, const struct null_io *io,
		       struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns < 80 * NS_PER_MS)
		answer->latency_ns = 5 * NS_PER_MS;
}

static void ramp_is_forgotten(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(slow_start, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.lat_max_ns[DIR_READ], 100000);
	assert_int_equal(ios(&r->visit), 10000);
}

static void without_a_ramp_everything_counts(void **state)
{
	struct measure_rig *r = *state;

	r->opts.ramp_ns = 0;
	backend_null_script(slow_start, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.lat_max_ns[DIR_READ], 5 * NS_PER_MS);
	/* 16 slow ones, then 920 ms of fast ones but the one at the end. */
	assert_int_equal(ios(&r->visit), 16 + 9200 - 1);
}

/* Latencies that depend on the number: nothing in step. */
static void uneven(void *arg, const struct null_io *io,
		   struct null_answer *answer)
{
	(void)arg;
	answer->latency_ns = 20000 + io->number * 7919 % 180000;
}

static void little_holds_for_any_batch_and_depth(void **state)
{
	static const uint32_t batches[] = {0, 1, 3, UINT32_MAX};
	static const uint32_t depths[] = {1, 2, 32};
	struct measure_rig *r = *state;
	size_t b, d;

	backend_null_script(uneven, NULL);
	for (b = 0; b < 4; b++) {
		r->opts.batch = batches[b];
		measure_rig_start(r);
		for (d = 0; d < 3; d++) {
			r->point.workload.queue_depth = depths[d];
			measure_rig_visit(r, 1);
			assert_int_equal(r->visit.state, VISIT_DONE);
			assert_near(visit_little(&r->visit, &r->point), 1,
				    0.001);
		}
	}
}

/* 40 ms up to the middle of the window, 10 ms from then on. */
static void faster_halfway(void *arg, const struct null_io *io,
			   struct null_answer *answer)
{
	(void)arg;
	answer->latency_ns =
	    (io->at_ns < 200 * NS_PER_MS ? 40 : 10) * NS_PER_MS;
}

/* I/Os at the begin are older than those at the end: of a short window that
 * alone is percents. */
static void little_is_exact_where_latency_changes(void **state)
{
	struct measure_rig *r = *state;
	const struct visit *v = &r->visit;
	double plain;

	backend_null_script(faster_halfway, NULL);
	r->opts.time_ns = 200 * NS_PER_MS;
	r->point.workload.queue_depth = 8;
	r->point.workload.threads = 2;
	measure_rig_visit(r, 1);
	assert_int_equal(v->state, VISIT_DONE);
	plain = visit_iops(v) * visit_lat_mean_us(v) / 1e6 / 16;
	assert_true(plain > 1.02);
	assert_near(visit_little(v, &r->point), 1, 1e-9);
	assert_near(v->edge_ns, (1 - plain) * 16 * 200 * NS_PER_MS, 1);
	/* At a rate too. */
	r->point.workload.rate_iops = 300;
	measure_rig_visit(r, 1);
	assert_int_equal(v->state, VISIT_DONE);
	assert_true(v->edge_ns < 0);
	assert_near(visit_little(v, &r->point), 1, 1e-9);
}

static void threads_add_up(void **state)
{
	struct measure_rig *r = *state;

	r->point.workload.threads = 3;
	r->point.workload.queue_depth = 2;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 60000);
	assert_int_equal(r->visit.latency[DIR_READ]->count, 60000);
	assert_near(visit_little(&r->visit, &r->point), 1, 1e-9);
}

static void a_window_without_a_completion_fails_with_advice(void **state)
{
	struct measure_rig *r = *state;

	r->opts.time_ns = 50000; /* half a latency */
	r->opts.ramp_ns = 10000;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "--time"));
}

/* ---- the series ---- */

/* One I/O of 7 ms in every 100 ms. */
static void spike(void *arg, const struct null_io *io,
		  struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns % (100 * NS_PER_MS) < 100000 && io->at_ns > 0)
		answer->latency_ns =
		    NS_PER_MS * (1 + io->at_ns / (100 * NS_PER_MS));
}

static void samples_add_up_to_the_window(void **state)
{
	struct measure_rig *r = *state;
	struct visit *v = &r->visit;
	uint64_t count = 0, bytes = 0, sum = 0;
	uint32_t i;

	r->opts.interval_ns = 100 * NS_PER_MS;
	r->point.workload.threads = 2;
	r->point.workload.stream.read_pct = 50;
	backend_null_script(spike, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(v->interval_ns, 100 * NS_PER_MS);
	assert_int_equal(v->sample_count, 10);
	for (i = 0; i < v->sample_count; i++) {
		const struct sample *s = &v->samples[i];

		count += s->ios[DIR_READ] + s->ios[DIR_WRITE];
		bytes += s->bytes[DIR_READ] + s->bytes[DIR_WRITE];
		sum += s->lat_sum_ns;
		/* The ramp is 100 ms, so the first spike is of 2 ms. */
		assert_int_equal(s->lat_max_ns, (i + 2) * NS_PER_MS);
	}
	/* What completes at the end of the window is in no interval. */
	assert_int_equal(count, ios(v));
	assert_int_equal(bytes, count * 4096);
	assert_int_equal(sum,
			 v->lat_sum_ns[DIR_READ] + v->lat_sum_ns[DIR_WRITE]);
	assert_int_equal(v->lat_max_ns[DIR_READ] > v->lat_max_ns[DIR_WRITE]
			     ? v->lat_max_ns[DIR_READ]
			     : v->lat_max_ns[DIR_WRITE],
			 11 * NS_PER_MS);
}

static void a_window_has_twenty_intervals_of_ten_ms_at_least(void **state)
{
	struct measure_rig *r = *state;

	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.interval_ns, 50 * NS_PER_MS);
	assert_int_equal(r->visit.sample_count, 20);
	r->opts.time_ns = 100 * NS_PER_MS;
	measure_rig_start(r);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.interval_ns, 10 * NS_PER_MS);
	assert_int_equal(r->visit.sample_count, 10);
}

static void only_whole_intervals_are_kept(void **state)
{
	struct measure_rig *r = *state;

	r->opts.interval_ns = 300 * NS_PER_MS;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.sample_count, 3);
	assert_int_equal(r->visit.samples[2].ios[DIR_READ], 3000);
}

static void a_window_shorter_than_an_interval_has_no_series(void **state)
{
	struct measure_rig *r = *state;

	r->opts.time_ns = 5 * NS_PER_MS;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(r->visit.interval_ns, 10 * NS_PER_MS);
	assert_int_equal(r->visit.sample_count, 0);
}

/* One I/O of 350 ms: some intervals have nothing. */
static void pause_once(void *arg, const struct null_io *io,
		       struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns == 150 * NS_PER_MS)
		answer->latency_ns = 350 * NS_PER_MS;
}

static void an_interval_without_io_is_kept_as_zero(void **state)
{
	struct measure_rig *r = *state;
	struct visit *v = &r->visit;

	r->opts.interval_ns = 100 * NS_PER_MS;
	backend_null_script(pause_once, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(v->sample_count, 10);
	assert_int_equal(v->samples[0].ios[DIR_READ], 501);
	assert_int_equal(v->samples[1].ios[DIR_READ], 0);
	assert_int_equal(v->samples[1].lat_max_ns, 0);
	assert_int_equal(v->samples[2].ios[DIR_READ], 0);
	assert_int_equal(v->samples[3].ios[DIR_READ], 0);
	assert_int_equal(v->samples[4].ios[DIR_READ], 1000);
	assert_int_equal(v->samples[4].lat_max_ns, 350 * NS_PER_MS);
}

/* ---- errors ---- */

static void some_fail(void *arg, const struct null_io *io,
		      struct null_answer *answer)
{
	(void)arg;
	if (io->number % 10 == 3)
		answer->res = -EIO;
	else if (io->number % 100 == 5)
		answer->res = 512;
}

static void errors_are_counted_by_kind_and_are_no_ios(void **state)
{
	struct measure_rig *r = *state;
	struct visit *v = &r->visit;

	backend_null_script(some_fail, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(v->state, VISIT_DONE);
	assert_int_equal(v->ios[DIR_READ], 10000 - 1000 - 100);
	assert_int_equal(v->bytes[DIR_READ], v->ios[DIR_READ] * 4096);
	assert_int_equal(v->error_count, 1100);
	assert_int_equal(v->errors[0].count + v->errors[1].count, 1100);
	assert_int_equal(v->errors[v->errors[0].errnum != EIO].errnum, EIO);
	assert_int_equal(v->errors[v->errors[0].errnum != EIO].count, 1000);
	assert_int_equal(v->errors[v->errors[0].errnum == EIO].errnum, 0);
	assert_int_equal(v->errors[v->errors[0].errnum == EIO].count, 100);
}

static void all_fail(void *arg, const struct null_io *io,
		     struct null_answer *answer)
{
	(void)io;
	answer->latency_ns = 1000;
	answer->res = *(int32_t *)arg;
}

static void a_target_that_refuses_everything_ends_the_visit_early(void **state)
{
	struct measure_rig *r = *state;
	int32_t res = -EINVAL;

	backend_null_script(all_fail, &res);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "every I/O failed"));
	assert_non_null(strstr(r->visit.reason, strerror(EINVAL)));
	assert_non_null(strstr(r->visit.reason, "block size or alignment"));
	assert_int_equal(ios(&r->visit), 0);
	/* Not the million that would fit into the window. */
	assert_in_range(r->visit.error_count, 1000, 50000);
	assert_true(isnan(visit_iops(&r->visit)));
}

static void short_ios_alone_fail_the_visit(void **state)
{
	struct measure_rig *r = *state;
	int32_t res = 2048;

	backend_null_script(all_fail, &res);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "short"));
	assert_int_equal(r->visit.errors[0].errnum, 0);
}

static void few_and_all_failed(void *arg, const struct null_io *io,
			       struct null_answer *answer)
{
	(void)arg;
	(void)io;
	answer->latency_ns = 100 * NS_PER_MS;
	answer->res = -EIO;
}

static void a_window_of_failures_only_fails_however_few(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(few_and_all_failed, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_int_equal(r->visit.error_count, 10);
	assert_non_null(strstr(r->visit.reason, "dmesg"));
}

static void dies_later(void *arg, const struct null_io *io,
		       struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns > 500 * NS_PER_MS) {
		answer->latency_ns = 1000;
		answer->res = -ENODEV;
	}
}

static void a_device_that_dies_fails_the_visit_and_keeps_what_was(void **state)
{
	struct measure_rig *r = *state;

	r->point.workload.threads = 2;
	backend_null_script(dies_later, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "last I/Os"));
	assert_non_null(strstr(r->visit.reason, strerror(ENODEV)));
	assert_true(ios(&r->visit) >= 4000);
	assert_in_range(r->visit.error_count, 1000, 100000);
}

static void visits_after_a_failed_one_are_whole(void **state)
{
	struct measure_rig *r = *state;
	int32_t res = -EIO;

	backend_null_script(all_fail, &res);
	measure_rig_visit(r, 1);
	backend_null_script(NULL, NULL);
	measure_rig_visit(r, 2);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(r->visit.error_count, 0);
	assert_int_equal(ios(&r->visit), 10000);
}

/* ---- I/Os that do not return ---- */

struct hang {
	pthread_mutex_t lock;
	uint64_t number;    /* the I/O that hangs */
	const char *buffer; /* its memory */
	bool reused;	    /* by another I/O afterwards */
};

static void hang_once(void *arg, const struct null_io *io,
		      struct null_answer *answer)
{
	struct hang *h = arg;

	pthread_mutex_lock(&h->lock);
	if (io->buffer == h->buffer)
		h->reused = true;
	if (!h->buffer && io->number == h->number) {
		h->buffer = io->buffer;
		answer->hangs = true;
	}
	pthread_mutex_unlock(&h->lock);
}

static void a_hanging_io_fails_the_visit_and_its_memory_is_left(void **state)
{
	struct measure_rig *r = *state;
	struct hang h = {PTHREAD_MUTEX_INITIALIZER, .number = 5000};

	r->opts.io_timeout_ns = 300 * NS_PER_MS;
	r->point.workload.threads = 2;
	r->point.workload.queue_depth = 4;
	backend_null_script(hang_once, &h);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "1 of 8 I/Os"));
	assert_non_null(strstr(r->visit.reason, "300 ms"));
	assert_non_null(strstr(r->visit.reason, "read of 4K"));
	measure_rig_visit(r, 2);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 80000);
	assert_non_null(h.buffer);
	assert_false(h.reused);
}

static void an_io_that_hangs_at_the_end_is_found_too(void **state)
{
	struct measure_rig *r = *state;
	struct hang h = {PTHREAD_MUTEX_INITIALIZER, .number = 10990};

	r->opts.io_timeout_ns = 2 * NS_PER_SEC;
	backend_null_script(hang_once, &h);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "1 of 1 I/Os"));
}

struct gate {
	sem_t open;
	uint64_t number;
	atomic_bool passed;
};

static void block_once(void *arg, const struct null_io *io,
		       struct null_answer *answer)
{
	struct gate *g = arg;

	(void)answer;
	if (io->number == g->number && !atomic_exchange(&g->passed, true))
		sem_wait(&g->open);
}

static void a_thread_caught_in_a_system_call_is_left_behind(void **state)
{
	struct measure_rig *r = *state;
	/* Static: the thread may look at it when the test is over. */
	static struct gate g = {.number = 100};

	sem_init(&g.open, 0, 0);
	r->opts.io_timeout_ns = 50 * NS_PER_MS;
	r->opts.time_ns = 100 * NS_PER_MS;
	backend_null_script(block_once, &g);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "1 of 1 threads"));
	measure_rig_visit(r, 2);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 1000);
	/* It comes back while others measure, and nothing happens. */
	sem_post(&g.open);
	measure_rig_visit(r, 3);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 1000);
}

static void slow_last(void *arg, const struct null_io *io,
		      struct null_answer *answer)
{
	(void)arg;
	if (io->at_ns >= 1050 * NS_PER_MS)
		answer->latency_ns = 3 * NS_PER_SEC;
}

static void ios_in_flight_at_the_end_are_awaited_and_not_counted(void **state)
{
	struct measure_rig *r = *state;

	backend_null_script(slow_last, NULL);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 9501);
	assert_int_equal(r->visit.lat_max_ns[DIR_READ], 100000);
	assert_int_equal(r->visit.measured_ns, NS_PER_SEC);
}

/* ---- offsets and data ---- */

#define RECORD_MAX 40000

struct record {
	pthread_mutex_t lock;
	uint32_t count;
	struct null_io io[RECORD_MAX];
	uint64_t stamp[RECORD_MAX];  /* first word of the buffer */
	uint64_t second[RECORD_MAX]; /* the word behind it */
	bool wipe_reads;	     /* what a read brings is all zeros */
};

static void keep_record(void *arg, const struct null_io *io,
			struct null_answer *answer)
{
	struct record *rec = arg;

	(void)answer;
	pthread_mutex_lock(&rec->lock);
	if (rec->count < RECORD_MAX) {
		rec->io[rec->count] = *io;
		memcpy(&rec->stamp[rec->count], io->buffer, 8);
		memcpy(&rec->second[rec->count], io->buffer + 8, 8);
		rec->count++;
	}
	pthread_mutex_unlock(&rec->lock);
	if (rec->wipe_reads && io->dir == DIR_READ)
		memset((char *)(uintptr_t)io->buffer, 0, io->block_size_bytes);
}

static struct record *new_record(void)
{
	struct record *rec = calloc(1, sizeof(*rec));

	assert_non_null(rec);
	pthread_mutex_init(&rec->lock, NULL);
	backend_null_script(keep_record, rec);
	return rec;
}

static void visit_and_record(struct measure_rig *r, struct record *rec,
			     uint32_t round)
{
	rec->count = 0;
	measure_rig_visit(r, round);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_true(rec->count > 100);
}

static void both_sides_of_a_comparison_see_the_same_offsets(void **state)
{
	struct measure_rig *r = *state;
	struct record *a = new_record(), *b;
	uint32_t i, same = 0;

	r->opts.time_ns = 100 * NS_PER_MS;
	r->point.workload.stream.read_pct = 70;
	visit_and_record(r, a, 1);
	assert_int_equal(a->count, 2000);
	b = new_record();
	r->point.index = 1;
	r->point.variant = "cached";
	visit_and_record(r, b, 1);
	for (i = 0; i < 1000; i++) {
		assert_true(a->io[i].offset == b->io[i].offset);
		assert_int_equal(a->io[i].dir, b->io[i].dir);
	}
	visit_and_record(r, b, 2);
	for (i = 0; i < 1000; i++)
		same += a->io[i].offset == b->io[i].offset;
	assert_in_range(same, 0, 20);
	free(a);
	free(b);
}

static void a_sequential_point_goes_on_where_its_last_visit_ended(void **state)
{
	struct measure_rig *r = *state;
	struct record *rec = new_record();
	uint64_t behind;

	r->opts.time_ns = 10 * NS_PER_MS;
	r->opts.ramp_ns = 10 * NS_PER_MS;
	r->point.workload.stream.random_pct = 0;
	visit_and_record(r, rec, 1);
	assert_int_equal(rec->io[0].offset, 0);
	behind = rec->io[rec->count - 1].offset + 4096;
	r->point.index = 7; /* another point in between */
	visit_and_record(r, rec, 1);
	assert_int_equal(rec->io[0].offset, 0);
	r->point.index = 0;
	visit_and_record(r, rec, 2);
	assert_true(rec->io[0].offset == behind);
	free(rec);
}

/* Of another program run, whose places are not known: told by its visits. */
static void a_sequential_point_goes_on_behind_an_earlier_run(void **state)
{
	struct measure_rig *r = *state;
	struct record *rec = new_record();
	uint64_t behind, region = r->target.size_bytes;

	r->opts.time_ns = 30 * NS_PER_MS;
	r->opts.ramp_ns = 10 * NS_PER_MS;
	r->point.workload.stream.random_pct = 0;
	visit_and_record(r, rec, 1);
	behind = rec->io[rec->count - 1].offset + 4096;
	measure_rig_start(r);
	measure_earlier(r->measurer, &r->point, &r->visit);
	visit_and_record(r, rec, 2);
	/* Give or take what was in flight at either end of the ramp. */
	assert_in_range(rec->io[0].offset, behind - 3 * 4096,
			behind + 3 * 4096);
	/* Round and round. */
	r->visit.ios[DIR_READ] = region / 4096 + 3;
	r->visit.ramp_ns = 0;
	measure_rig_start(r);
	measure_earlier(r->measurer, &r->point, &r->visit);
	visit_and_record(r, rec, 2);
	assert_int_equal(rec->io[0].offset, 3 * 4096);
	free(rec);
}

static void sequential_threads_have_zones_of_their_own(void **state)
{
	struct measure_rig *r = *state;
	struct record *rec = new_record();
	uint64_t zone = r->target.size_bytes / 4;
	uint32_t i, seen[4] = {0};

	r->opts.time_ns = 10 * NS_PER_MS;
	r->point.workload.threads = 4;
	r->point.workload.stream.random_pct = 0;
	visit_and_record(r, rec, 1);
	for (i = 0; i < rec->count; i++)
		seen[rec->io[i].offset / zone]++;
	for (i = 0; i < 4; i++)
		assert_in_range(seen[i], rec->count / 4 - 5,
				rec->count / 4 + 5);
	free(rec);
}

static void a_working_set_is_the_first_part_of_the_target(void **state)
{
	struct measure_rig *r = *state;
	struct record *rec = new_record();
	uint64_t highest = 0;
	uint32_t i;

	r->point.workload.working_set_bytes = 10 * 4096 + 100;
	visit_and_record(r, rec, 1);
	for (i = 0; i < rec->count; i++)
		if (rec->io[i].offset > highest)
			highest = rec->io[i].offset;
	assert_int_equal(highest, 9 * 4096);
	free(rec);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void no_two_writes_carry_the_same_data(void **state)
{
	struct measure_rig *r = *state;
	struct record *rec = new_record();
	uint32_t i, n = 0;

	rec->wipe_reads = true;
	r->opts.time_ns = 200 * NS_PER_MS;
	r->point.workload.threads = 2;
	r->point.workload.queue_depth = 4;
	r->point.workload.stream.read_pct = 50;
	visit_and_record(r, rec, 1);
	for (i = 0; i < rec->count; i++) {
		if (rec->io[i].dir == DIR_READ)
			continue;
		rec->stamp[n++] = rec->stamp[i];
		/* What was read never becomes what is written. */
		assert_true(rec->second[i] != 0);
	}
	assert_true(n > 5000);
	qsort(rec->stamp, n, sizeof(rec->stamp[0]), by_value);
	for (i = 1; i < n; i++)
		assert_true(rec->stamp[i] != rec->stamp[i - 1]);
	free(rec);
}

static void stamps_every_4k(void *arg, const struct null_io *io,
			    struct null_answer *answer)
{
	uint64_t first, at, word;

	(void)answer;
	memcpy(&first, io->buffer, sizeof(first));
	for (at = 0; at < io->block_size_bytes; at += 4096) {
		memcpy(&word, io->buffer + at, sizeof(word));
		if (word != first)
			*(bool *)arg = false;
	}
}

static void a_large_write_is_stamped_in_every_4k(void **state)
{
	struct measure_rig *r = *state;
	bool stamped = true;

	r->point.workload.stream.read_pct = 0;
	r->point.workload.stream.block_size_bytes = 256 * KIB;
	backend_null_script(stamps_every_4k, &stamped);
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_true(stamped);
}

/* ---- what is not tried ---- */

static void points_that_do_not_fit_are_skipped_with_a_reason(void **state)
{
	struct measure_rig *r = *state;
	struct stream *s = &r->point.workload.stream;

	s->block_size_bytes = 1000;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_SKIPPED);
	assert_non_null(strstr(r->visit.reason, "multiple of the 512"));
	r->point.cache = CACHE_BUFFERED;
	s->block_size_bytes = 128 * MIB;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_SKIPPED);
	assert_non_null(strstr(r->visit.reason, "larger than the 64 MiB"));
	r->point.workload.working_set_bytes = MIB;
	s->block_size_bytes = 2 * MIB;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_SKIPPED);
	assert_non_null(strstr(r->visit.reason, "larger than the 1 MiB"));
	s->block_size_bytes = 4096;
	r->point.workload.working_set_bytes = 65 * MIB;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_SKIPPED);
	assert_non_null(strstr(r->visit.reason, "a working set of 65M"));
}

static void a_target_of_another_run_fails(void **state)
{
	struct measure_rig *r = *state;

	r->point.target = "/nowhere";
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "/nowhere"));
}

static void buffers_that_no_machine_has_fail_with_the_numbers(void **state)
{
	struct measure_rig *r = *state;

	r->target.size_bytes = 100 * GIB;
	r->point.workload.stream.block_size_bytes = GIB;
	r->point.workload.queue_depth = 10000;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_FAILED);
	assert_non_null(strstr(r->visit.reason, "available"));
	r->point.workload.queue_depth = 1;
	r->point.workload.stream.block_size_bytes = 4096;
	measure_rig_visit(r, 2);
	assert_int_equal(r->visit.state, VISIT_DONE);
}

static void a_wrong_list_of_processors_is_an_error(void **state)
{
	static const char *const wrong[] = {"x",    "0-",  "1-0", "0,,1",
					    "-1",   "0 1", "0,",  "99999",
					    "0-1x", "1023"};
	struct measure_rig *r = *state;
	struct measurer *m = NULL;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		err_clear(&err);
		r->opts.cpus = wrong[i];
		assert_int_equal(
		    measure_engine_new(&r->opts, &r->target, 1, &m, &err),
		    -EINVAL);
		assert_non_null(strstr(err.text, wrong[i]));
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(m);
	}
	r->opts.cpus = NULL;
}

static void pinned_workers_measure_the_same(void **state)
{
	struct measure_rig *r = *state;

	r->opts.cpus = "0";
	r->point.workload.threads = 3;
	measure_rig_visit(r, 1);
	assert_int_equal(r->visit.state, VISIT_DONE);
	assert_int_equal(ios(&r->visit), 30000);
}

static void memory_is_outstanding_times_block_for_each_direction(void **state)
{
	struct measure_rig *r = *state;
	struct workload *w = &r->point.workload;

	w->threads = 3;
	w->queue_depth = 5;
	w->stream.block_size_bytes = 5000;
	assert_int_equal(measure_memory_bytes(&r->point), 15 * 8192);
	w->stream.read_pct = 50;
	assert_int_equal(measure_memory_bytes(&r->point), 2 * 15 * 8192);
	measure_free(NULL);
}

#define WITH_RIG(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(window_counts_completions_inside_it_and_no_others),
	    WITH_RIG(ramp_is_forgotten),
	    WITH_RIG(without_a_ramp_everything_counts),
	    WITH_RIG(little_holds_for_any_batch_and_depth),
	    WITH_RIG(little_is_exact_where_latency_changes),
	    WITH_RIG(threads_add_up),
	    WITH_RIG(a_window_without_a_completion_fails_with_advice),
	    WITH_RIG(samples_add_up_to_the_window),
	    WITH_RIG(a_window_has_twenty_intervals_of_ten_ms_at_least),
	    WITH_RIG(only_whole_intervals_are_kept),
	    WITH_RIG(a_window_shorter_than_an_interval_has_no_series),
	    WITH_RIG(an_interval_without_io_is_kept_as_zero),
	    WITH_RIG(errors_are_counted_by_kind_and_are_no_ios),
	    WITH_RIG(a_target_that_refuses_everything_ends_the_visit_early),
	    WITH_RIG(short_ios_alone_fail_the_visit),
	    WITH_RIG(a_window_of_failures_only_fails_however_few),
	    WITH_RIG(a_device_that_dies_fails_the_visit_and_keeps_what_was),
	    WITH_RIG(visits_after_a_failed_one_are_whole),
	    WITH_RIG(a_hanging_io_fails_the_visit_and_its_memory_is_left),
	    WITH_RIG(an_io_that_hangs_at_the_end_is_found_too),
	    WITH_RIG(a_thread_caught_in_a_system_call_is_left_behind),
	    WITH_RIG(ios_in_flight_at_the_end_are_awaited_and_not_counted),
	    WITH_RIG(both_sides_of_a_comparison_see_the_same_offsets),
	    WITH_RIG(a_sequential_point_goes_on_where_its_last_visit_ended),
	    WITH_RIG(a_sequential_point_goes_on_behind_an_earlier_run),
	    WITH_RIG(sequential_threads_have_zones_of_their_own),
	    WITH_RIG(a_working_set_is_the_first_part_of_the_target),
	    WITH_RIG(no_two_writes_carry_the_same_data),
	    WITH_RIG(a_large_write_is_stamped_in_every_4k),
	    WITH_RIG(points_that_do_not_fit_are_skipped_with_a_reason),
	    WITH_RIG(a_target_of_another_run_fails),
	    WITH_RIG(buffers_that_no_machine_has_fail_with_the_numbers),
	    WITH_RIG(a_wrong_list_of_processors_is_an_error),
	    WITH_RIG(pinned_workers_measure_the_same),
	    WITH_RIG(memory_is_outstanding_times_block_for_each_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
