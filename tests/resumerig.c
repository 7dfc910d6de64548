#include "tests/resumerig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/point.h"
#include "export/result.h"
#include "export/xlsx.h"
#include "sweep/plan.h"
#include "tests/csvtable.h"
#include "tests/program.h"

bool resumerig_long(void)
{
	const char *asked = getenv("IOSWEEP_LONG");

	return asked && !strcmp(asked, "1");
}

static void load(const char *folder, const char *name, struct run *run)
{
	char *path = program_path(folder, name);
	struct err err = {0};

	if (run_load(path, run, &err))
		fail_msg("%s", err.text);
	assert_false(run->torn);
	free(path);
}

static uint64_t seed_of(const struct run *run)
{
	return strtoull(run_fact(run, "plan", "seed"), NULL, 10);
}

/* Each point once in each round, whole, with its seed. */
static void assert_visits(const struct run *run, uint32_t rounds)
{
	bool *seen = calloc(run->visit_count, sizeof(*seen));
	uint32_t n;

	assert_non_null(seen);
	assert_int_equal(run->visit_count, run->point_count * rounds);
	for (n = 0; n < run->visit_count; n++) {
		const struct visit *v = &run->visits[n];
		const struct point *p = &run->points[v->point];
		uint32_t pair = v->point * rounds + v->round - 1;

		assert_int_equal(v->state, VISIT_DONE);
		assert_in_range(v->round, 1, rounds);
		assert_false(seen[pair]);
		seen[pair] = true;
		assert_true(v->seed == point_seed(p, seed_of(run), v->round));
		assert_true(v->sample_count > 0);
	}
	free(seen);
}

/* In the order of an uninterrupted run. */
static void assert_order(const struct run *run)
{
	struct plan plan = {.points = run->points,
			    .point_count = run->point_count,
			    .settings = {.seed = seed_of(run)}};
	uint32_t *order = calloc(run->point_count, sizeof(*order));
	uint32_t n;

	assert_non_null(order);
	for (n = 0; n < run->visit_count; n++) {
		const struct visit *v = &run->visits[n];

		assert_int_equal(v->round, n / run->point_count + 1);
		plan_round_order(&plan, v->round, order);
		assert_int_equal(v->point, order[n % run->point_count]);
	}
	free(order);
}

/* A busy machine may have starved a visit, which then was repeated. */
static bool has_repeated(const struct run *run)
{
	return run->visits[run->visit_count - 1].id != run->visit_count;
}

void resumerig_go_on_with(const char *folder, const char *name,
			  const struct resumerig_words *words)
{
	struct program_result r;
	int tries;

	if (words->anew)
		r = program_run(folder, "rm -rf %s; iosweep %s --quiet", name,
				words->anew);
	else
		r = program_run(folder, "iosweep run --resume %s %s --quiet",
				name, words->more);
	for (tries = 0; r.status == 1 && tries < 20; tries++) {
		program_free(&r);
		r = program_run(folder,
				"iosweep run --resume %s %s --retry-failed "
				"--quiet",
				name, words->more);
	}
	program_assert_status(&r, 0);
	program_free(&r);
}

void resumerig_go_on(const char *folder, const char *name, const char *anew)
{
	const struct resumerig_words words = {.anew = anew, .more = ""};

	resumerig_go_on_with(folder, name, &words);
}

void resumerig_assert_whole(const char *folder, const char *name,
			    uint32_t rounds)
{
	struct err err = {0};
	struct run run;
	char *path;
	uint32_t i;

	load(folder, name, &run);
	assert_visits(&run, rounds);
	if (!has_repeated(&run) && !run.points[0].variant[0])
		assert_order(&run);
	for (i = 0; i < run.point_count; i++) {
		const struct result *r = &run.results[i];

		/* Every I/O of visits.csv is in latency.csv. */
		assert_int_equal(r->done, rounds);
		assert_true(r->latency[DIR_READ].count > 0 ||
			    r->latency[DIR_WRITE].count > 0);
	}
	run_fini(&run);
	assert_true(asprintf(&path, "%s/%s/report.xlsx", folder, name) > 0);
	if (xlsx_verify(path, &err))
		fail_msg("%s", err.text);
	strcpy(strrchr(path, '/'), "/run.lock");
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

char *resumerig_rows(const char *folder, const char *name)
{
	char *file, *path, *text, *line, *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	unsigned id, point, round;

	assert_non_null(f);
	assert_true(asprintf(&file, "%s/visits.csv", name) > 0);
	path = program_path(folder, file);
	if (!access(path, R_OK)) {
		text = program_read(folder, file);
		for (line = text; strchr(line, '\n');
		     line = strchr(line, '\n') + 1)
			if (sscanf(line, "%u,%u,%u,", &id, &point, &round) == 3)
				fprintf(f, "%u:%u:%u\n", id, point, round);
		free(text);
	}
	fclose(f);
	free(path);
	free(file);
	return out;
}

void resumerig_assert_kept(const char *folder, const char *name,
			   const char *rows)
{
	char *now = resumerig_rows(folder, name);

	if (strncmp(now, rows, strlen(rows)))
		fail_msg("were there:\n%sare there:\n%s", rows, now);
	free(now);
}
