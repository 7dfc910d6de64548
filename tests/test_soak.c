/* slow: what a long sweep holds stays flat: memory, descriptors, mappings
 * (rings and buffers among them) and threads, and the CPU that a visit costs. A
 * few hundred visits; IOSWEEP_LONG=1: 20,000 on the scripted engine and 1,000
 * on a real file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/units.h"
#include "sweep/schedule.h"
#include "sweep/session.h"
#include "tests/measure_rig.h"
#include "tests/program.h"
#include "tests/resumerig.h"

#define POINTS 20
#define SLICES 4
#define FILE_BYTES (8 * MIB)

/* What the process has, at one moment. */
struct footprint {
	long rss_kib;
	int descriptors, mappings, threads;
	double cpu_s;
};

struct soak {
	struct footprint at[SLICES + 1]; /* after each part of the visits */
	uint32_t visits, ended;
};

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int count_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	int c, n = 0;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static void look(struct footprint *f)
{
	struct timespec cpu;
	FILE *statm = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_non_null(statm);
	assert_int_equal(fscanf(statm, "%*d %ld", &pages), 1);
	fclose(statm);
	f->rss_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
	f->descriptors = count_entries("/proc/self/fd");
	f->mappings = count_lines("/proc/self/maps");
	f->threads = count_entries("/proc/self/task");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	f->cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
}

static void visit_ended(void *arg, const struct session_progress *at,
			const struct point *p, const struct visit *v)
{
	struct soak *s = arg;

	(void)at;
	(void)p;
	(void)v;
	s->ended++;
	/* The first visits make what the others use again. */
	if (s->ended == 2 * POINTS)
		look(&s->at[0]);
	if (s->ended % (s->visits / SLICES) == 0)
		look(&s->at[s->ended / (s->visits / SLICES)]);
}

/* Sizes, depths, threads and engines that take turns. */
static void make_points(struct point *points, const struct point *one,
			const enum engine_kind *engines, size_t engine_count)
{
	uint32_t i;

	for (i = 0; i < POINTS; i++) {
		struct point *p = &points[i];

		*p = *one;
		p->index = i;
		p->engine = engines[i % engine_count];
		p->workload.stream.block_size_bytes = 4096u << i % 5;
		p->workload.queue_depth = 1 + i % 4;
		p->workload.threads = 1 + i % 3;
		p->workload.stream.random_pct = i % 2 ? 100 : 0;
	}
}

static double cpu_ms_a_visit(const struct soak *s, int slice)
{
	return (s->at[slice].cpu_s - s->at[slice - 1].cpu_s) * 1e3 /
	       (s->visits / SLICES);
}

static void assert_flat(const struct soak *s)
{
	const struct footprint *a = &s->at[0], *b = &s->at[SLICES];
	double early = cpu_ms_a_visit(s, 2), late = cpu_ms_a_visit(s, SLICES);

	print_message("%u visits: memory %ld to %ld KiB, descriptors %d to %d, "
		      "mappings %d to %d, threads %d to %d, CPU %.3f to %.3f "
		      "ms a visit\n",
		      s->visits, a->rss_kib, b->rss_kib, a->descriptors,
		      b->descriptors, a->mappings, b->mappings, a->threads,
		      b->threads, early, late);
	assert_int_equal(a->descriptors, b->descriptors);
	assert_int_equal(a->threads, b->threads);
	assert_in_range(b->mappings, 0, a->mappings + 8);
	/* Less than 100 bytes a visit, and what an allocator keeps. */
	assert_in_range(b->rss_kib, 0, a->rss_kib + 2048 + s->visits / 10);
	assert_true(late < early * 1.5 + 0.2);
}

static void soak(struct measure_rig *r, uint32_t visits,
		 const enum engine_kind *engines, size_t engine_count)
{
	struct soak s = {.visits = visits};
	struct point points[POINTS];
	struct plan plan = {.points = points, .point_count = POINTS};
	struct session session = {
	    .plan = &plan, .observer = {.visit_ended = visit_ended, .arg = &s}};
	struct session_outcome outcome;
	struct err err = {0};
	char *folder = program_folder();
	char *run = program_path(folder, "run");

	make_points(points, &r->point, engines, engine_count);
	plan.settings.rounds = visits / POINTS;
	plan.settings.time_ns = r->opts.time_ns;
	measure_rig_start(r);
	session.measurer = r->measurer;
	session.schedule = schedule_rounds_new(&plan);
	assert_int_equal(
	    store_create(run, NULL, 0, points, POINTS, &session.store, &err),
	    0);
	assert_int_equal(session_run(&session, &outcome, &err), 0);
	assert_int_equal(outcome.done + outcome.failed, visits);
	assert_int_equal(s.ended, visits);
	assert_flat(&s);
	schedule_free(session.schedule);
	assert_int_equal(store_close(session.store, NULL), 0);
	free(run);
	program_folder_remove(folder);
}

static void the_scripted_engine_stays_flat(void **state)
{
	static const enum engine_kind engines[] = {ENGINE_NULL};
	struct measure_rig r;

	(void)state;
	assert_true(measure_rig_init(&r, "/dev/null", TARGET_FILE));
	r.opts.time_ns = 20 * NS_PER_MS;
	r.opts.ramp_ns = NS_PER_MS;
	soak(&r, resumerig_long() ? 20000 : 400, engines, 1);
	measure_rig_fini(&r);
}

static void real_engines_stay_flat(void **state)
{
	static const enum engine_kind engines[] = {ENGINE_IO_URING,
						   ENGINE_LIBAIO, ENGINE_SYNC};
	char *folder = program_folder();
	char *path = program_path(folder, "f");
	struct measure_rig r;

	(void)state;
	program_fill(folder, "f", FILE_BYTES);
	assert_true(measure_rig_init(&r, path, TARGET_FILE));
	r.target.size_bytes = FILE_BYTES;
	r.opts.time_ns = 20 * NS_PER_MS;
	r.opts.ramp_ns = NS_PER_MS;
	soak(&r, resumerig_long() ? 1000 : 100, engines, 3);
	measure_rig_fini(&r);
	free(path);
	program_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_scripted_engine_stays_flat),
	    cmocka_unit_test(real_engines_stay_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
