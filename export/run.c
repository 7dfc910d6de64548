#include "export/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/strings.h"
#include "engine/text.h"
#include "export/factfile.h"
#include "export/latency.h"
#include "export/runfile.h"
#include "export/series.h"
#include "export/steady.h"

const char *run_fact(const struct run *run, const char *section,
		     const char *name)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++)
		if (!strcmp(run->facts[i].section, section) &&
		    !strcmp(run->facts[i].name, name))
			return run->facts[i].value;
	return "";
}

bool run_is_search(const struct run *run)
{
	return run_fact(run, "plan", RUN_SEARCH_FACT)[0] != '\0';
}

/* Room for one more element of `size` bytes in an array that has count. */
static void *grown(void *array, uint32_t count, size_t size)
{
	/* Full at 0 and at every power of two. */
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? (size_t)count * 2 : 1) * size);
}

/* The label asked for, else the folder's own name. */
static char *label_of(const struct run *run)
{
	const char *label = run_fact(run, "run", "label");
	char *folder, *name;

	if (label[0])
		return strdup(label);
	folder = realpath(run->folder, NULL);
	if (!folder)
		return NULL;
	name = strdup(strrchr(folder, '/') + 1);
	free(folder);
	if (name)
		text_clean(name);
	return name;
}

static int check_format(const struct run *run, const char *path,
			struct err *err)
{
	const char *format =
	    run_fact(run, RUNFILE_SECTION, RUNFILE_FORMAT_NAME);
	uint64_t number;

	if (!strcmp(format, RUNFILE_FORMAT))
		return 0;
	if (!cell_parse_integer(format, UINT64_MAX, &number) && number)
		return err_usage(err,
				 "%s: the run folder has format %.20s, and "
				 "this iosweep knows only " RUNFILE_FORMAT
				 ": read it with the newer iosweep that wrote "
				 "it",
				 path, format);
	return err_usage(
	    err,
	    "%s: [" RUNFILE_SECTION "] does not say " RUNFILE_FORMAT_NAME
	    " = " RUNFILE_FORMAT ": no run folder that this iosweep knows",
	    path);
}

static int read_facts(const struct runfile_folder *folder, struct run *run,
		      struct err *err)
{
	struct runfile file;
	int rc = runfile_open(folder, RUNFILE_FACTS, O_RDONLY, &file, err);

	if (rc)
		return rc;
	rc = factfile_read(file.fd, file.path, &run->facts, &run->fact_count,
			   err);
	close(file.fd);
	if (!rc)
		rc = check_format(run, file.path, err);
	if (rc)
		return rc;
	run->label = label_of(run);
	if (!run->label)
		return err_failed(err, ENOMEM, "%s: out of memory", file.path);
	return 0;
}

int runfile_read_head(const struct runfile_folder *folder, struct run *run,
		      struct err *err)
{
	struct run read = {.folder = strdup(folder->path)};
	int rc = read.folder ? read_facts(folder, &read, err)
			     : err_failed(err, ENOMEM, "%s: out of memory",
					  folder->path);

	if (rc)
		run_fini(&read);
	*run = read;
	return rc;
}

struct plan_reader {
	struct run *run;
	struct runfile_map map;
};

static int check_point(const struct plan_reader *r, const struct point *p,
		       size_t line, struct err *err)
{
	uint32_t outstanding;

	if (p->index != r->run->point_count)
		return err_usage(err, "%s:%zu: point %u where %u is expected",
				 r->map.path, line, p->index,
				 r->run->point_count);
	if (p->index == RUN_POINTS_MAX)
		return err_usage(err, "%s:%zu: more than %d points",
				 r->map.path, line, RUN_POINTS_MAX);
	if (__builtin_mul_overflow(p->workload.threads, p->workload.queue_depth,
				   &outstanding))
		return err_usage(err,
				 "%s:%zu: threads x queue_depth is too large",
				 r->map.path, line);
	return 0;
}

static int on_plan_row(void *arg, size_t line, const char **fields,
		       size_t count, struct err *err)
{
	struct plan_reader *r = arg;
	struct run *run = r->run;
	struct point p = {.variant = "", .section = ""};
	struct column_target target = {.point = &p, .strings = run->strings};
	struct point *points;
	int rc;

	if (!r->map.count)
		return runfile_map_header(&r->map, line, fields, count, err);
	rc = runfile_map_row(&r->map, &target, line, fields, count, err);
	if (!rc)
		rc = check_point(r, &p, line, err);
	if (rc)
		return rc;
	points = grown(run->points, run->point_count, sizeof(*points));
	if (!points)
		return err_failed(err, ENOMEM, "%s:%zu: out of memory",
				  r->map.path, line);
	run->points = points;
	points[run->point_count++] = p;
	return 0;
}

/* A plan that lost whole rows shows no other way. */
static int check_point_count(const struct run *run, const char *path,
			     struct err *err)
{
	char count[CELL_TEXT_MAX];
	const char *expected =
	    run_fact(run, RUNFILE_SECTION, RUNFILE_POINTS_NAME);

	if (!run->point_count)
		return err_usage(err, "%s: no point in it", path);
	if (!strcmp(cell_format_integer(count, run->point_count), expected))
		return 0;
	return err_usage(
	    err, "%s: %s points where " RUNFILE_FACTS " says '%.20s': damaged",
	    path, count, expected);
}

/* plan.csv was written whole before run.ini: a torn one is damaged. */
static int read_plan(const struct runfile_folder *folder, struct run *run,
		     struct err *err)
{
	struct csvfile_source source = {.limit_bytes = UINT64_MAX};
	struct csvfile_end end;
	struct runfile file;
	struct plan_reader r = {.run = run, .map = {.in = COLUMN_IN_PLAN}};
	int rc = runfile_open(folder, RUNFILE_PLAN, O_RDONLY, &file, err);

	if (rc)
		return rc;
	r.map.path = source.path = file.path;
	source.fd = file.fd;
	rc = csvfile_read_source(&source, on_plan_row, &r, &end, err);
	close(file.fd);
	if (rc)
		return rc;
	if (end.torn)
		return err_usage(err, "%s: its last row is cut: damaged",
				 file.path);
	return check_point_count(run, file.path, err);
}

struct visit_reader {
	struct run *run;
	const char *path;
};

static int on_visit(void *arg, size_t line, const struct visit *v,
		    struct err *err)
{
	struct visit_reader *r = arg;
	struct run *run = r->run;
	struct visit *visits;

	if (v->point >= run->point_count)
		return err_usage(err,
				 "%s:%zu: point %u is not in " RUNFILE_PLAN
				 ", which has %u",
				 r->path, line, v->point, run->point_count);
	if (run->visit_count == RUN_VISITS_MAX)
		return err_usage(err, "%s:%zu: more than %d visits", r->path,
				 line, RUN_VISITS_MAX);
	visits = grown(run->visits, run->visit_count, sizeof(*visits));
	if (!visits)
		return err_failed(err, ENOMEM, "%s:%zu: out of memory", r->path,
				  line);
	run->visits = visits;
	visits[run->visit_count++] = *v;
	return 0;
}

static int read_visits(const struct runfile_folder *folder, struct run *run,
		       struct runfile_visits *out, struct err *err)
{
	struct runfile file;
	struct visit_reader r = {.run = run, .path = file.path};
	int rc = runfile_open(folder, RUNFILE_VISITS, O_RDONLY, &file, err);

	if (rc)
		return rc;
	rc = runfile_read_visits(&file, on_visit, &r, out, err);
	close(file.fd);
	if (!rc)
		run->torn = out->end.torn;
	return rc;
}

static int by_pair_and_id(const void *a, const void *b)
{
	const struct visit *v = *(const struct visit *const *)a;
	const struct visit *w = *(const struct visit *const *)b;

	if (v->point != w->point)
		return v->point < w->point ? -1 : 1;
	if (v->round != w->round)
		return v->round < w->round ? -1 : 1;
	return (v->id > w->id) - (v->id < w->id);
}

/* Mark, by id 0, the failed visits whose pair of point and round comes again
 * behind them. */
static int mark_repeated(struct run *run)
{
	uint32_t i, n = run->visit_count;
	struct visit **list = malloc(n * sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		list[i] = &run->visits[i];
	qsort(list, n, sizeof(*list), by_pair_and_id);
	for (i = 0; i + 1 < n; i++)
		if (list[i]->state == VISIT_FAILED &&
		    list[i]->point == list[i + 1]->point &&
		    list[i]->round == list[i + 1]->round)
			list[i]->id = 0;
	free(list);
	return 0;
}

/* A failed visit that was repeated later (--retry-failed) says nothing of its
 * point any more. */
static int drop_repeated(struct run *run, struct err *err)
{
	uint32_t i, kept = 0, failed = 0;

	for (i = 0; i < run->visit_count; i++)
		failed += run->visits[i].state == VISIT_FAILED;
	if (!failed)
		return 0;
	if (mark_repeated(run))
		return err_failed(err, ENOMEM, "%s: out of memory",
				  run->folder);
	for (i = 0; i < run->visit_count; i++)
		if (run->visits[i].id)
			run->visits[kept++] = run->visits[i];
	run->visit_count = kept;
	return 0;
}

static int make_results(struct run *run, struct err *err)
{
	uint32_t i;

	run->results = calloc(run->point_count, sizeof(*run->results));
	if (!run->results)
		return err_failed(err, ENOMEM, "%s: out of memory",
				  run->folder);
	for (i = 0; i < run->point_count; i++)
		run->results[i].point = &run->points[i];
	return 0;
}

/* How latency.csv and series.csv are read. */
typedef int read_beside(const struct runfile *file, uint64_t committed_bytes,
			struct run *run, struct err *err);

static int read_file_beside(const struct runfile_folder *folder,
			    const char *name, read_beside *read,
			    uint64_t committed_bytes, struct run *run,
			    struct err *err)
{
	struct runfile file;
	int rc = runfile_open(folder, name, O_RDONLY, &file, err);

	if (rc)
		return rc;
	rc = read(&file, committed_bytes, run, err);
	if (file.size_bytes > committed_bytes)
		run->torn = true;
	close(file.fd);
	return rc;
}

static int read_files(const struct runfile_folder *folder, struct run *run,
		      struct err *err)
{
	struct runfile_visits visits;
	int rc = read_facts(folder, run, err);

	if (!rc)
		rc = read_plan(folder, run, err);
	if (!rc)
		rc = read_visits(folder, run, &visits, err);
	if (!rc)
		rc = drop_repeated(run, err);
	if (!rc)
		rc = make_results(run, err);
	/* Before the histograms: of visits aside they are not taken in. */
	if (!rc && run_wants_steady(run) &&
	    steady_set_aside(run->visits, run->visit_count, run->point_count))
		rc = err_failed(err, ENOMEM, "%s: out of memory", run->folder);
	if (!rc)
		rc = read_file_beside(folder, RUNFILE_LATENCY, latency_read,
				      visits.commit.latency_bytes, run, err);
	if (!rc)
		rc = read_file_beside(folder, RUNFILE_SERIES, series_read,
				      visits.commit.series_bytes, run, err);
	return rc;
}

int run_read(const char *folder, struct run *run, struct err *err)
{
	struct runfile_folder opened;
	struct run read = {0};
	int rc = runfile_open_folder(folder, &opened, err);

	if (rc)
		return rc;
	read.folder = strdup(folder);
	read.strings = strings_new();
	if (read.folder && read.strings)
		rc = read_files(&opened, &read, err);
	else
		rc = err_failed(err, ENOMEM, "%s: out of memory", folder);
	close(opened.dir_fd);
	if (rc)
		run_fini(&read);
	else
		*run = read;
	return rc;
}

int run_load(const char *folder, struct run *run, struct err *err)
{
	struct run read;
	int rc = run_read(folder, &read, err);

	if (rc)
		return rc;
	rc = analyse_run(&read);
	if (rc) {
		run_fini(&read);
		return err_failed(err, -rc, "%s: out of memory", folder);
	}
	*run = read;
	return 0;
}

void run_fini(struct run *run)
{
	uint32_t i;
	int d;

	for (i = 0; run->results && i < run->point_count; i++)
		for (d = 0; d < LATENCY_COUNT; d++)
			free(run->results[i].latency[d].bucket);
	free(run->results);
	for (i = 0; i < run->visit_count; i++)
		visit_fini(&run->visits[i]);
	free(run->visits);
	free(run->points);
	factfile_free(run->facts, run->fact_count);
	strings_free(run->strings);
	free(run->label);
	free(run->folder);
	memset(run, 0, sizeof(*run));
}
