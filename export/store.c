#include "export/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/factfile.h"
#include "export/folder.h"
#include "export/journal.h"
#include "export/lock.h"
#include "export/runfile.h"
#include "export/tempfile.h"

/* In the order in which a visit is written. */
enum { LATENCY, SERIES, DEVICES, VISITS, JOURNAL_COUNT };

static const char *const journal_names[JOURNAL_COUNT] = {
    [LATENCY] = RUNFILE_LATENCY,
    [SERIES] = RUNFILE_SERIES,
    [DEVICES] = RUNFILE_DEVICES,
    [VISITS] = RUNFILE_VISITS,
};

struct store {
	struct runfile_folder folder;
	char *path; /* of the folder */
	int lock_fd;
	struct journal journal[JOURNAL_COUNT];
	uint32_t next_id;
	bool dirty; /* bytes that do not count could not be cut yet */
};

static int cannot_write(const struct store *s, const char *name, int errnum,
			struct err *err)
{
	return err_failed(err, errnum,
			  "%s/%s: cannot write: %s; the visits before are "
			  "kept; make room and go on with iosweep run "
			  "--resume %s",
			  s->path, name, strerror(errnum), s->path);
}

/* The first error of a close, in err too. */
static int release(struct store *s, struct err *err)
{
	int rc = 0;
	int i;

	for (i = 0; i < JOURNAL_COUNT; i++) {
		struct journal *j = &s->journal[i];
		int close_rc = journal_fini(j);

		if (close_rc && !rc)
			rc = cannot_write(s, j->name, -close_rc, err);
	}
	if (s->lock_fd >= 0)
		lock_release(s->folder.dir_fd, s->lock_fd);
	if (s->folder.dir_fd >= 0)
		close(s->folder.dir_fd);
	free(s->path);
	free(s);
	return rc;
}

/* The path without slashes at its end; NULL when there is no memory. */
static char *folder_path(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return strndup(path, length);
}

static int new_store(const char *path, struct store **out, struct err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	bool whole = true;
	int i;

	if (!s)
		return err_failed(err, ENOMEM, "%s: out of memory", path);
	s->folder.dir_fd = -1;
	s->lock_fd = -1;
	s->next_id = 1;
	s->path = folder_path(path);
	for (i = 0; i < JOURNAL_COUNT; i++)
		if (journal_init(&s->journal[i], journal_names[i]))
			whole = false;
	if (!s->path || !whole) {
		release(s, NULL);
		return err_failed(err, ENOMEM, "%s: out of memory", path);
	}
	*out = s;
	return 0;
}

static int open_and_lock(struct store *s, struct err *err)
{
	int rc = runfile_open_folder(s->path, &s->folder, err);

	if (rc)
		return rc;
	s->lock_fd = lock_take(s->folder.dir_fd, s->path, err);
	return s->lock_fd < 0 ? s->lock_fd : 0;
}

static int make_journals(struct store *s, struct err *err)
{
	int i;

	fputs(RUNFILE_LATENCY_HEADER, s->journal[LATENCY].rows);
	fputs(RUNFILE_SERIES_HEADER, s->journal[SERIES].rows);
	fputs(RUNFILE_DEVICES_HEADER, s->journal[DEVICES].rows);
	runfile_put_header(s->journal[VISITS].rows, COLUMN_IN_VISITS);
	for (i = 0; i < JOURNAL_COUNT; i++) {
		int rc = journal_create(&s->journal[i], s->folder.dir_fd);

		if (rc)
			return cannot_write(s, journal_names[i], -rc, err);
	}
	return 0;
}

/* A file of the folder, to be replaced as a whole. */
static int open_file(const struct store *s, const char *name,
		     struct tempfile *t, struct err *err)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", s->path, name) < 0)
		return cannot_write(s, name, ENOMEM, err);
	rc = tempfile_open(path, t, err);
	free(path);
	return rc;
}

static int make_plan(const struct store *s, const struct point *points,
		     uint32_t count, struct err *err)
{
	struct tempfile t;
	uint32_t i;
	int rc = open_file(s, RUNFILE_PLAN, &t, err);

	if (rc)
		return rc;
	runfile_put_header(t.file, COLUMN_IN_PLAN);
	for (i = 0; i < count; i++) {
		struct column_row row = {.point = &points[i]};

		assert(points[i].index == i);
		runfile_put_row(t.file, COLUMN_IN_PLAN, &row,
				csvfile_put_clean);
	}
	return tempfile_commit(&t, err);
}

static int write_facts(const struct store *s, const struct run_fact *facts,
		       uint32_t count, struct err *err)
{
	struct tempfile t;
	int rc = open_file(s, RUNFILE_FACTS, &t, err);

	if (rc)
		return rc;
	rc = factfile_write(t.file, facts, count, err);
	if (rc) {
		tempfile_abort(&t);
		return rc;
	}
	return tempfile_commit(&t, err);
}

/* The caller's facts, then ours on the folder itself. */
int store_put_facts(struct store *s, const struct run_fact *facts,
		    uint32_t count, uint32_t point_count, struct err *err)
{
	struct run_fact *all = calloc(count + 2, sizeof(*all));
	char section[] = RUNFILE_SECTION;
	char format_name[] = RUNFILE_FORMAT_NAME, format[] = RUNFILE_FORMAT;
	char points_name[] = RUNFILE_POINTS_NAME, points[CELL_TEXT_MAX];
	int rc;

	if (!all)
		return cannot_write(s, RUNFILE_FACTS, ENOMEM, err);
	if (count)
		memcpy(all, facts, count * sizeof(*all));
	cell_format_integer(points, point_count);
	all[count] = (struct run_fact){section, format_name, format};
	all[count + 1] = (struct run_fact){section, points_name, points};
	rc = write_facts(s, all, count + 2, err);
	free(all);
	return rc;
}

static void remove_files(int dir_fd)
{
	static const char *const names[] = {RUNFILE_FACTS,   RUNFILE_PLAN,
					    RUNFILE_LATENCY, RUNFILE_SERIES,
					    RUNFILE_DEVICES, RUNFILE_VISITS};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(dir_fd, names[i], 0);
}

/* run.ini comes last: a folder that has it is whole. */
static int fill_folder(struct store *s, const struct run_fact *facts,
		       uint32_t fact_count, const struct point *points,
		       uint32_t point_count, struct err *err)
{
	int rc = open_and_lock(s, err);

	if (!rc)
		rc = make_journals(s, err);
	if (!rc)
		rc = make_plan(s, points, point_count, err);
	if (!rc)
		rc = store_put_facts(s, facts, fact_count, point_count, err);
	if (!rc) {
		rc = folder_sync_parent(s->path);
		if (rc)
			cannot_write(s, "..", -rc, err);
	}
	return rc;
}

int store_create(const char *folder, const struct run_fact *facts,
		 uint32_t fact_count, const struct point *points,
		 uint32_t point_count, struct store **out, struct err *err)
{
	struct store *s;
	int rc = new_store(folder, &s, err);

	if (rc)
		return rc;
	rc = folder_make(s->path, err);
	if (rc) {
		release(s, NULL);
		return rc;
	}
	rc = fill_folder(s, facts, fact_count, points, point_count, err);
	if (rc) {
		remove_files(s->folder.dir_fd);
		release(s, NULL);
		rmdir(folder);
		return rc;
	}
	*out = s;
	return 0;
}

static int ignore_visit(void *arg, size_t line, const struct visit *v,
			struct err *err)
{
	(void)arg;
	(void)line;
	(void)v;
	(void)err;
	return 0;
}

static int open_journal(struct store *s, struct journal *j,
			struct runfile *file, struct err *err)
{
	int rc = runfile_open(&s->folder, j->name, O_RDWR, file, err);

	if (!rc)
		j->fd = file->fd;
	return rc;
}

static int other_columns(const char *path, struct err *err)
{
	return err_refused(err,
			   "%s: has other columns than this iosweep writes: go "
			   "on with the one that made it",
			   path);
}

static int check_header(const struct runfile *file, const char *header,
			struct err *err)
{
	char begin[256];
	size_t length = strlen(header);
	ssize_t n;

	assert(length <= sizeof(begin));
	n = pread(file->fd, begin, length, 0);
	if (n < 0)
		return err_failed(err, errno, "%s: cannot read: %s", file->path,
				  strerror(errno));
	if ((size_t)n != length || memcmp(begin, header, length))
		return other_columns(file->path, err);
	return 0;
}

/* Open a file beside visits.csv that has to begin with header, and take as
 * committed what visits.csv says. */
static int reopen_beside(struct store *s, struct journal *j, const char *header,
			 uint64_t committed, struct err *err)
{
	struct runfile file;
	int rc = open_journal(s, j, &file, err);

	if (rc)
		return rc;
	if (file.size_bytes < committed)
		return err_usage(err,
				 "%s: is shorter than " RUNFILE_VISITS
				 " says: it was damaged, the run cannot go on",
				 file.path);
	j->committed = committed;
	return check_header(&file, header, err);
}

static int reopen_journals(struct store *s, struct err *err)
{
	struct journal *visits = &s->journal[VISITS];
	struct runfile_visits read;
	struct runfile file;
	int rc = open_journal(s, visits, &file, err);

	if (!rc)
		rc = runfile_read_visits(&file, ignore_visit, NULL, &read, err);
	if (rc)
		return rc;
	if (!read.current)
		return other_columns(file.path, err);
	if (read.last_id == UINT32_MAX)
		return err_usage(err, "%s: no visit id is left", file.path);
	visits->committed = read.end.whole_bytes;
	s->next_id = read.last_id + 1;
	rc = reopen_beside(s, &s->journal[LATENCY], RUNFILE_LATENCY_HEADER,
			   read.commit.latency_bytes, err);
	if (!rc)
		rc =
		    reopen_beside(s, &s->journal[SERIES], RUNFILE_SERIES_HEADER,
				  read.commit.series_bytes, err);
	if (!rc)
		rc = reopen_beside(s, &s->journal[DEVICES],
				   RUNFILE_DEVICES_HEADER,
				   read.commit.devices_bytes, err);
	return rc;
}

/*
 * Cut what does not count, visits.csv first: as long as a row may stand there,
 * the rows that it speaks of have to stay.
 */
static int cut(struct store *s, struct err *err)
{
	int i;

	s->dirty = true;
	for (i = JOURNAL_COUNT - 1; i >= 0; i--) {
		int rc = journal_cut(&s->journal[i]);

		if (rc)
			return cannot_write(s, journal_names[i], -rc, err);
	}
	s->dirty = false;
	return 0;
}

static void sweep_folder(const struct store *s)
{
	tempfile_sweep(s->folder.dir_fd, RUNFILE_FACTS);
	tempfile_sweep(s->folder.dir_fd, RUNFILE_PLAN);
	tempfile_sweep(s->folder.dir_fd, RUNFILE_POINTS);
	tempfile_sweep(s->folder.dir_fd, RUNFILE_BOOK);
}

int store_reopen(const char *folder, struct store **out, struct err *err)
{
	struct runfile facts;
	struct store *s;
	int rc = new_store(folder, &s, err);

	if (rc)
		return rc;
	rc = open_and_lock(s, err);
	if (!rc)
		rc = runfile_open(&s->folder, RUNFILE_FACTS, O_RDONLY, &facts,
				  err);
	if (!rc) {
		close(facts.fd);
		rc = reopen_journals(s, err);
	}
	if (!rc)
		rc = cut(s, err);
	if (rc) {
		release(s, NULL);
		return rc;
	}
	sweep_folder(s);
	*out = s;
	return 0;
}

static void put_latency(FILE *f, const struct visit *v)
{
	uint32_t i;
	int d;

	for (d = 0; d < LATENCY_COUNT; d++) {
		const struct hist *h = v->latency[d];

		for (i = 0; h && i < HIST_BUCKETS; i++)
			if (h->bucket[i])
				fprintf(f,
					"%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
					",%" PRIu64 "\n",
					v->id, runfile_latency[d],
					hist_bucket_lower(i),
					hist_bucket_upper(i), h->bucket[i]);
	}
}

static void put_series(FILE *f, const struct visit *v)
{
	char start_ms[CELL_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < v->sample_count; i++) {
		const struct sample *x = &v->samples[i];

		cell_format_real(start_ms,
				 (double)i * (double)v->interval_ns / 1e6);
		fprintf(f,
			"%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			v->id, i, start_ms, x->ios[DIR_READ], x->ios[DIR_WRITE],
			x->bytes[DIR_READ], x->bytes[DIR_WRITE], x->lat_sum_ns,
			x->lat_max_ns);
	}
}

static void put_devices(FILE *f, const struct visit *v)
{
	char value[CELL_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < v->counter_count; i++) {
		const struct visit_counter *c = &v->counters[i];

		fprintf(f, "%" PRIu32 ",%s", v->id, c->role);
		csvfile_put_clean(f, false, c->source);
		csvfile_put_clean(f, false, c->name);
		fprintf(f, ",%s\n", cell_format_real(value, c->value));
	}
}

/* All rows of the visit, in memory. */
static int put_visit(struct store *s, const struct point *p,
		     const struct visit *v)
{
	struct journal *j = s->journal;
	struct commit commit;
	struct column_row row = {.point = p, .visit = v, .commit = &commit};
	int i;

	for (i = 0; i < JOURNAL_COUNT; i++)
		journal_begin(&j[i]);
	if (v->state == VISIT_DONE) {
		put_latency(j[LATENCY].rows, v);
		put_series(j[SERIES].rows, v);
		put_devices(j[DEVICES].rows, v);
	}
	if (journal_end(&j[LATENCY]) || journal_end(&j[SERIES]) ||
	    journal_end(&j[DEVICES]))
		return -ENOMEM;
	commit.latency_bytes = j[LATENCY].committed + j[LATENCY].length;
	commit.series_bytes = j[SERIES].committed + j[SERIES].length;
	commit.devices_bytes = j[DEVICES].committed + j[DEVICES].length;
	runfile_put_row(j[VISITS].rows, COLUMN_IN_VISITS, &row,
			csvfile_put_clean);
	return journal_end(&j[VISITS]);
}

static int write_visit(struct store *s, struct err *err)
{
	int i;

	for (i = 0; i < JOURNAL_COUNT; i++) {
		int rc = journal_write(&s->journal[i]);

		if (rc)
			return cannot_write(s, journal_names[i], -rc, err);
	}
	return 0;
}

/* Before hours are measured into nothing. */
static int check_there(const struct store *s, struct err *err)
{
	if (!journal_is_removed(&s->journal[VISITS]))
		return 0;
	return err_failed(err, ENOENT,
			  "%s was removed during the sweep, and with it what "
			  "was measured; measure again",
			  s->path);
}

int store_append(struct store *s, const struct point *p, struct visit *v,
		 struct err *err)
{
	int rc = 0;
	int i;

	assert(v->state != VISIT_STOPPED && v->point == p->index);
	if (s->dirty)
		rc = cut(s, err);
	if (!rc)
		rc = check_there(s, err);
	if (rc)
		return rc;
	v->id = s->next_id;
	if (put_visit(s, p, v))
		return cannot_write(s, RUNFILE_VISITS, ENOMEM, err);
	rc = write_visit(s, err);
	if (rc) {
		cut(s, NULL);
		return rc;
	}
	for (i = 0; i < JOURNAL_COUNT; i++)
		journal_commit(&s->journal[i]);
	s->next_id++;
	return 0;
}

const char *store_folder(const struct store *s)
{
	return s->path;
}

int store_close(struct store *s, struct err *err)
{
	return s ? release(s, err) : 0;
}
