/* store: a run folder is made, appended to, cut back and gone on with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export/runfile.h"
#include "export/store.h"
#include "tests/fakerun.h"
#include "tests/tempdir.h"

#define POINTS 6

static char *folder; /* of the test */
static char *path;   /* of the run folder in it */
static struct point points[POINTS];
static struct visit visit;

static int begin(void **state)
{
	(void)state;
	folder = tempdir_new();
	path = tempdir_path(folder, "run");
	fakerun_points(points, POINTS);
	visit_init(&visit);
	return 0;
}

static int end(void **state)
{
	(void)state;
	visit_fini(&visit);
	free(path);
	tempdir_remove(folder);
	return 0;
}

static struct store *create(void)
{
	static char section[] = "run", name[] = "label", value[] = "first";
	const struct run_fact fact = {section, name, value};
	struct store *s = NULL;
	struct err err = {0};

	assert_int_equal(store_create(path, &fact, 1, points, POINTS, &s, &err),
			 0);
	assert_int_equal(err.kind, ERR_NONE);
	return s;
}

static struct store *reopen(void)
{
	struct store *s = NULL;
	struct err err = {0};

	assert_int_equal(store_reopen(path, &s, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
	return s;
}

/* The visit that stands for this id everywhere in this file. */
static const struct point *make(uint32_t id)
{
	const struct point *p = &points[id % POINTS];

	fakerun_visit(&visit, p, id, id % 4 * 15, id);
	return p;
}

static void append(struct store *s, uint32_t id)
{
	const struct point *p = make(id);
	struct err err = {0};

	assert_int_equal(store_append(s, p, &visit, &err), 0);
	assert_int_equal(visit.id, id);
}

static void append_range(struct store *s, uint32_t first, uint32_t last)
{
	for (; first <= last; first++)
		append(s, first);
}

static void add_span(const struct hist_span *span, uint64_t *bucket)
{
	uint32_t i;

	for (i = 0; i < span->count; i++)
		bucket[span->first + i] = span->bucket[i];
}

/* The merged histogram of a point, from the visits 1 to count. */
static void assert_histograms(const struct run *run, uint32_t point,
			      uint32_t count)
{
	static struct hist expected;
	static uint64_t got[HIST_BUCKETS];
	uint32_t id;
	int d;

	for (d = 0; d < LATENCY_COUNT; d++) {
		hist_reset(&expected);
		memset(got, 0, sizeof(got));
		for (id = 1; id <= count; id++)
			if (make(id)->index == point)
				hist_merge(&expected, visit.latency[d]);
		add_span(&run->results[point].latency[d], got);
		assert_memory_equal(got, expected.bucket, sizeof(got));
	}
}

/* The folder holds exactly the visits 1 to count. */
static void assert_holds(uint32_t count, bool torn)
{
	struct run run;
	struct err err = {0};
	uint32_t i;

	assert_int_equal(run_read(path, &run, &err), 0);
	assert_int_equal(run.point_count, POINTS);
	assert_int_equal(run.visit_count, count);
	assert_int_equal(run.torn, torn);
	for (i = 0; i < POINTS; i++) {
		assert_true(fakerun_same_point(&run.points[i], &points[i]));
		assert_ptr_equal(run.results[i].point, &run.points[i]);
	}
	for (i = 0; i < count; i++) {
		make(i + 1);
		visit.id = i + 1;
		assert_true(fakerun_same_visit(&run.visits[i], &visit));
		assert_true(fakerun_same_samples(&run.visits[i], &visit));
	}
	for (i = 0; i < POINTS; i++)
		assert_histograms(&run, i, count);
	run_fini(&run);
}

static char *read_file(const char *name, size_t *length)
{
	char *file = tempdir_path(path, name);
	char *text = file_read(file, length);

	free(file);
	return text;
}

static void write_file(const char *name, const char *text, size_t length)
{
	char *file = tempdir_path(path, name);

	file_write(file, text, length);
	free(file);
}

static void a_new_folder_is_whole_and_empty(void **state)
{
	static const struct {
		const char *name, *text;
	} files[] = {
	    {"run.ini", "[run]\nlabel = first\n\n[folder]\nformat = 1\n"
			"points = 6\n"},
	    {"latency.csv",
	     "visit,direction,bucket_lower_ns,bucket_upper_ns,count\n"},
	    {"series.csv", "visit,sample,t_ms,read_ios,write_ios,read_bytes,"
			   "write_bytes,lat_sum_ns,lat_max_ns\n"},
	    {"devices.csv", "visit,role,device,counter,value\n"},
	};
	struct store *s = create();
	struct stat st;
	size_t i;

	(void)state;
	assert_string_equal(store_folder(s), path);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = read_file(files[i].name, NULL);

		assert_string_equal(text, files[i].text);
		free(text);
	}
	assert_int_equal(stat(path, &st), 0);
	if (geteuid() == 0)
		assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(0, false);
	assert_int_equal(store_close(NULL, NULL), 0);
}

static void parents_are_made_and_slashes_at_the_end_are_ignored(void **state)
{
	char *deep = tempdir_path(folder, "a/b//c/");
	struct store *s = NULL;

	(void)state;
	assert_int_equal(store_create(deep, NULL, 0, points, POINTS, &s, NULL),
			 0);
	assert_int_equal(store_close(s, NULL), 0);
	free(deep);
}

static void what_is_there_already_is_never_touched(void **state)
{
	struct store *s = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	write_file("visits.csv", "mine", 4);
	assert_int_equal(store_create(path, NULL, 0, points, POINTS, &s, &err),
			 -EPERM);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "choose another folder"));
	assert_null(s);
	free(read_file("visits.csv", NULL));
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
	char *file = tempdir_path(folder, "file");
	char *below = tempdir_path(file, "run");
	struct store *s = NULL;
	struct err err = {0};

	(void)state;
	file_write(file, "", 0);
	assert_int_equal(store_create(below, NULL, 0, points, POINTS, &s, &err),
			 -ENOTDIR);
	assert_non_null(strstr(err.text, below));
	free(below);
	free(file);
}

/* Here by a fact that is there twice. */
static void nothing_is_left_when_making_fails(void **state)
{
	char section[] = "s", name[] = "n", one[] = "1", two[] = "2";
	const struct run_fact facts[] = {{section, name, one},
					 {section, name, two}};
	struct store *s = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(store_create(path, facts, 2, points, POINTS, &s, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "twice"));
	assert_int_equal(access(path, F_OK), -1);
}

static void visits_read_back_exactly(void **state)
{
	struct store *s = create();

	(void)state;
	append_range(s, 1, 20);
	assert_holds(20, false);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(20, false);
}

static void failed_and_skipped_visits_are_kept_with_their_reason(void **state)
{
	struct store *s = create();
	struct run run;

	(void)state;
	make(1);
	visit.state = VISIT_FAILED;
	strcpy(visit.reason, "EIO\non everything");
	assert_int_equal(store_append(s, &points[1], &visit, NULL), 0);
	visit_reset(&visit);
	visit.point = 2;
	visit.round = 1;
	strcpy(visit.reason, "block size 512 is below 4096");
	assert_int_equal(store_append(s, &points[2], &visit, NULL), 0);
	assert_int_equal(store_close(s, NULL), 0);

	assert_int_equal(run_read(path, &run, NULL), 0);
	assert_int_equal(run.visit_count, 2);
	assert_int_equal(run.visits[0].state, VISIT_FAILED);
	assert_string_equal(run.visits[0].reason, "EIO?on everything");
	assert_int_equal(run.visits[1].state, VISIT_SKIPPED);
	assert_string_equal(run.visits[1].reason,
			    "block size 512 is below 4096");
	/* What a failed visit counted is no result. */
	assert_int_equal(run.results[1].latency[DIR_READ].count, 0);
	run_fini(&run);
}

static void series_has_a_row_an_interval(void **state)
{
	struct store *s = create();
	struct sample *x;
	char expected[512];
	char *text;

	(void)state;
	fakerun_visit(&visit, &points[0], 1, 2, 1);
	assert_int_equal(store_append(s, &points[0], &visit, NULL), 0);
	assert_int_equal(store_close(s, NULL), 0);
	text = read_file("series.csv", NULL);
	x = &visit.samples[1];
	snprintf(expected, sizeof(expected),
		 "\n1,1,%.15g,%llu,%llu,%llu,%llu,%llu,%llu\n",
		 (double)visit.interval_ns / 1e6,
		 (unsigned long long)x->ios[DIR_READ],
		 (unsigned long long)x->ios[DIR_WRITE],
		 (unsigned long long)x->bytes[DIR_READ],
		 (unsigned long long)x->bytes[DIR_WRITE],
		 (unsigned long long)x->lat_sum_ns,
		 (unsigned long long)x->lat_max_ns);
	assert_string_equal(strstr(text, "\n1,1,"), expected);
	free(text);
}

static void devices_has_a_row_a_counter(void **state)
{
	struct store *s = create();
	char *text;

	(void)state;
	fakerun_visit(&visit, &points[0], 1, 2, 1);
	assert_int_equal(store_append(s, &points[0], &visit, NULL), 0);
	visit.state = VISIT_FAILED;
	assert_int_equal(store_append(s, &points[0], &visit, NULL), 0);
	assert_int_equal(store_close(s, NULL), 0);
	text = read_file("devices.csv", NULL);
	assert_string_equal(text, "visit,role,device,counter,value\n"
				  "1,target,\"sd,a\",read_bytes,4096.5\n"
				  "1,probe,probe,\"said \"\"x\"\"\",-1\n");
	free(text);
}

static void going_on_continues_the_ids(void **state)
{
	struct store *s = create();

	(void)state;
	append_range(s, 1, 7);
	assert_int_equal(store_close(s, NULL), 0);
	s = reopen();
	append_range(s, 8, 12);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(12, false);
}

static void a_torn_last_row_costs_one_visit_and_no_more(void **state)
{
	struct store *s = create();
	size_t before, after, i;
	char *text;

	(void)state;
	append_range(s, 1, 4);
	free(read_file("visits.csv", &before));
	append(s, 5);
	assert_int_equal(store_close(s, NULL), 0);
	text = read_file("visits.csv", &after);
	for (i = before; i < after; i++) {
		write_file("visits.csv", text, i);
		assert_holds(4, true);
		/* Not at each byte: fsync takes its time. */
		if (i % 7 && i != before && i != after - 1)
			continue;
		s = reopen();
		assert_holds(4, false);
		append(s, 5);
		assert_holds(5, false);
		assert_int_equal(store_close(s, NULL), 0);
	}
	free(text);
}

/* Put zeros behind a file of the folder, and a newline behind those. */
static void add_zeros(const char *name, bool newline)
{
	size_t length;
	char *text = read_file(name, &length);
	char *longer = calloc(1, length + 5001);

	memcpy(longer, text, length);
	longer[length + 5000] = '\n';
	write_file(name, longer, length + 5000 + newline);
	free(longer);
	free(text);
}

/* Blocks that were never written read as zeros after a power loss. */
static void zeros_behind_the_last_row_are_cut(void **state)
{
	static const char *const names[] = {"visits.csv", "latency.csv",
					    "series.csv", "devices.csv"};
	struct store *s = create();
	uint32_t i;

	(void)state;
	append_range(s, 1, 3);
	assert_int_equal(store_close(s, NULL), 0);
	for (i = 0; i < 8; i++) {
		add_zeros(names[i % 4], i >= 4);
		s = reopen();
		assert_holds(3 + i, false);
		append(s, 4 + i);
		assert_int_equal(store_close(s, NULL), 0);
		assert_holds(4 + i, false);
	}
	for (i = 0; i < 2; i++) {
		add_zeros(names[i], true);
		assert_holds(11, true);
	}
}

static void rows_without_a_commit_record_are_dropped(void **state)
{
	struct store *s = create();
	size_t length;
	char *text;

	(void)state;
	append_range(s, 1, 3);
	text = read_file("visits.csv", &length);
	append(s, 4);
	assert_int_equal(store_close(s, NULL), 0);
	/* The row of visit 4 never came to disk, what it speaks of did. */
	write_file("visits.csv", text, length);
	free(text);
	assert_holds(3, true);
	s = reopen();
	assert_holds(3, false);
	append(s, 4);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(4, false);
}

static void a_folder_that_lost_committed_rows_is_refused(void **state)
{
	static const char *const names[] = {"latency.csv", "series.csv",
					    "devices.csv"};
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct store *s = create();
		size_t length;
		char *text;

		append_range(s, 1, 3);
		assert_int_equal(store_close(s, NULL), 0);
		text = read_file(names[i], &length);
		write_file(names[i], text, length - 1);
		free(text);
		err_clear(&err);
		assert_int_equal(store_reopen(path, &s, &err), -EINVAL);
		assert_non_null(strstr(err.text, names[i]));
		tempdir_remove(path);
		path = tempdir_path(folder, "run");
	}
}

static void a_folder_of_other_columns_is_refused(void **state)
{
	struct store *s = create();
	struct err err = {0};
	size_t length;
	char *text, *end_of_header;

	(void)state;
	assert_int_equal(store_close(s, NULL), 0);
	/* The last column, note, was not there yet. */
	text = read_file("visits.csv", &length);
	end_of_header = strstr(text, ",note\n");
	assert_non_null(end_of_header);
	strcpy(end_of_header, "\n");
	write_file("visits.csv", text, strlen(text));
	free(text);
	assert_holds(0, false);
	assert_int_equal(store_reopen(path, &s, &err), -EPERM);
	assert_int_equal(err.kind, ERR_REFUSED);
}

static void a_folder_without_run_ini_was_never_whole(void **state)
{
	struct store *s = create();
	char *facts = tempdir_path(path, "run.ini");
	struct err err = {0};

	(void)state;
	assert_int_equal(store_close(s, NULL), 0);
	assert_int_equal(unlink(facts), 0);
	assert_int_equal(store_reopen(path, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, facts));
	free(facts);
}

static void a_second_writer_is_refused_and_told_who_writes(void **state)
{
	struct store *s = create();
	struct store *second = NULL;
	struct err err = {0};
	char owner[64];

	(void)state;
	snprintf(owner, sizeof(owner), "process %ld on ", (long)getpid());
	assert_int_equal(store_reopen(path, &second, &err), -EPERM);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_non_null(strstr(err.text, owner));
	append(s, 1);
	assert_int_equal(store_close(s, NULL), 0);
	s = reopen();
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(1, false);
}

static void a_killed_writer_holds_nothing(void **state)
{
	struct store *s = create();
	char *lock = tempdir_path(path, "run.lock");
	int status;
	pid_t pid;

	(void)state;
	append(s, 1);
	assert_int_equal(store_close(s, NULL), 0);
	assert_int_equal(access(lock, F_OK), -1);
	pid = fork();
	if (!pid) {
		if (store_reopen(path, &s, NULL))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(lock, F_OK), 0);
	s = reopen();
	append(s, 2);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(2, false);
	free(lock);
}

static void what_a_killed_writer_left_behind_is_removed(void **state)
{
	static const char *const left[] = {".points.csv.a1B2c3",
					   ".report.xlsx.XyZ012",
					   ".run.ini.000000", "tmp.lq3Y1cI5sE"};
	static const char *const others[] = {"notes.txt", ".points.csv.old",
					     ".mine", "tmp.lq3Y1cI5s0"};
	struct store *s = create();
	size_t i;

	(void)state;
	assert_int_equal(store_close(s, NULL), 0);
	for (i = 0; i < 4; i++) {
		/* The library takes the name of its files away while they
		 * are empty. */
		write_file(left[i], "x", i < 3);
		write_file(others[i], "x", 1);
	}
	s = reopen();
	assert_int_equal(store_close(s, NULL), 0);
	for (i = 0; i < 4; i++) {
		char *gone = tempdir_path(path, left[i]);

		assert_int_equal(access(gone, F_OK), -1);
		free(gone);
		free(read_file(others[i], NULL));
	}
}

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Visits that grow one file more than the others. */
static void make_latency_heavy(void)
{
	uint64_t ns;

	make(6);
	for (ns = 1; ns < 1000000; ns += ns / 128 + 1)
		hist_record(visit.latency[DIR_READ], ns);
}

static void make_series_heavy(void)
{
	const struct point *p = &points[0];
	int d;

	fakerun_visit(&visit, p, 1, 100, 1);
	for (d = 0; d < DIR_COUNT; d++)
		hist_reset(visit.latency[d]);
}

/* A file that is longer than all the others. */
static void make_devices_heavy(void)
{
	const struct point *p = &points[0];
	int i;

	fakerun_visit(&visit, p, 1, 0, 1);
	for (i = 0; i < DIR_COUNT; i++)
		hist_reset(visit.latency[i]);
	for (i = 0; i < 1000; i++)
		assert_int_equal(visit_add_counter(&visit, "below", "dm-1",
						   "weighted_ms", i),
				 0);
}

static void make_visits_heavy(void)
{
	make(6);
	visit.state = VISIT_FAILED;
	memset(visit.reason, 'x', sizeof(visit.reason) - 1);
	memset(visit.note, 'y', sizeof(visit.note) - 1);
}

/*
 * Let the file grow by some bytes only, more each time, until the append
 * goes through. Each failure leaves five visits.
 */
static void fail_in(const char *name, void (*make_heavy)(void))
{
	struct store *s = create();
	uint32_t failures = 0;
	size_t length;
	rlim_t more;
	int rc = -1;

	append_range(s, 1, 5);
	free(read_file(name, &length));
	for (more = 0; rc; more = more * 2 + 1) {
		struct err err = {0};

		make_heavy();
		limit_file_size(length + more);
		rc = store_append(s, &points[visit.point], &visit, &err);
		limit_file_size(RLIM_INFINITY);
		if (!rc)
			break;
		assert_int_equal(rc, -EFBIG);
		assert_int_equal(err.kind, ERR_FAILED);
		assert_non_null(strstr(err.text, name));
		assert_holds(5, false);
		failures++;
	}
	assert_int_equal(visit.id, 6);
	assert_true(failures > 3);
	assert_int_equal(store_close(s, NULL), 0);
	s = reopen();
	append(s, 7);
	assert_int_equal(store_close(s, NULL), 0);
}

static void ignore_limit_signal(void)
{
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
}

static void a_failed_write_of_latency_counts_nothing(void **state)
{
	(void)state;
	ignore_limit_signal();
	fail_in("latency.csv", make_latency_heavy);
}

static void a_failed_write_of_series_counts_nothing(void **state)
{
	(void)state;
	ignore_limit_signal();
	fail_in("series.csv", make_series_heavy);
}

static void a_failed_write_of_devices_counts_nothing(void **state)
{
	(void)state;
	ignore_limit_signal();
	fail_in("devices.csv", make_devices_heavy);
}

static void a_failed_write_of_visits_counts_nothing(void **state)
{
	(void)state;
	ignore_limit_signal();
	fail_in("visits.csv", make_visits_heavy);
}

/* A file system of its own, in a mount name space of ours. */
static bool mount_small(const char *at)
{
	return !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", at, "tmpfs", 0, "size=256k");
}

static void fill_up(const char *file)
{
	static char block[4096];
	FILE *f = fopen(file, "wb");

	setvbuf(f, NULL, _IONBF, 0);
	while (fwrite(block, 1, sizeof(block), f) == sizeof(block))
		;
	fclose(f);
}

static void a_full_disk_counts_nothing_and_room_lets_it_go_on(void **state)
{
	struct store *s;
	struct err err = {0};
	char *ballast;
	char *points_file;
	int rc = 0;

	(void)state;
	if (!mount_small(folder)) {
		print_message("skip: cannot mount a tmpfs here\n");
		skip();
	}
	ballast = tempdir_path(folder, "ballast");
	points_file = tempdir_path(folder, "points.csv");
	s = create();
	append_range(s, 1, 5);
	fill_up(ballast);
	make_latency_heavy();
	rc = store_append(s, &points[visit.point], &visit, &err);
	assert_int_equal(rc, -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	assert_holds(5, false);
	err_clear(&err);
	assert_int_equal(store_write_points(points_file, NULL, 0, &err),
			 -ENOSPC);
	assert_int_equal(access(points_file, F_OK), -1);

	assert_int_equal(unlink(ballast), 0);
	append_range(s, 6, 8);
	assert_int_equal(store_close(s, NULL), 0);
	assert_holds(8, false);
	assert_int_equal(umount(folder), 0);
	free(points_file);
	free(ballast);
}

static void nothing_is_made_on_a_full_disk(void **state)
{
	struct store *s = NULL;
	struct err err = {0};
	char *ballast;

	(void)state;
	if (!mount_small(folder)) {
		print_message("skip: cannot mount a tmpfs here\n");
		skip();
	}
	ballast = tempdir_path(folder, "ballast");
	fill_up(ballast);
	assert_true(store_create(path, NULL, 0, points, POINTS, &s, &err) < 0);
	assert_int_equal(err.kind, ERR_FAILED);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(umount(folder), 0);
	free(ballast);
}

/* Two runs of two points each, the second unmeasured. */
static void make_run(struct run *run, char *label, struct result *results)
{
	memset(run, 0, sizeof(*run));
	memset(results, 0, 2 * sizeof(*results));
	run->label = label;
	run->points = points;
	run->point_count = 2;
	run->results = results;
	results[0].point = &points[0];
	results[0].done = 2;
	results[0].reason = "";
	results[0].iops = (struct interval){1234.5, 1200, 1269};
	results[1].point = &points[1];
	results[1].reason = "-- =bad";
	results[1].iops = (struct interval){NAN, NAN, NAN};
}

struct cell_seen {
	size_t line, column;
	const char *name;
	char text[64];
};

static int look(void *arg, size_t line, const char **fields, size_t count,
		struct err *err)
{
	struct cell_seen *seen = arg;
	size_t i;

	(void)err;
	for (i = 0; line == 1 && i < count; i++)
		if (!strcmp(fields[i], seen->name))
			seen->column = i;
	if (line == seen->line)
		snprintf(seen->text, sizeof(seen->text), "%s",
			 fields[seen->column]);
	return 0;
}

static void assert_cell(const char *file, size_t line, const char *name,
			const char *expected)
{
	struct cell_seen seen = {
	    .line = line, .column = SIZE_MAX, .name = name};

	assert_int_equal(csvfile_read(file, look, &seen, NULL, NULL), 0);
	assert_string_equal(seen.text, expected);
}

static void points_of_several_runs_share_one_file(void **state)
{
	static char first[] = "first", second[] = "=cmd|x";
	struct run runs[2];
	const struct run *const both[] = {&runs[0], &runs[1]};
	struct result results[2][2];
	char *file = tempdir_path(folder, "all.csv");

	(void)state;
	make_run(&runs[0], first, results[0]);
	make_run(&runs[1], second, results[1]);
	file_write(file, "old", 3);
	assert_int_equal(store_write_points(file, both, 2, NULL), 0);
	assert_cell(file, 2, "run", "first");
	assert_cell(file, 2, "iops", "1234.5");
	assert_cell(file, 2, "iops_high", "1269");
	assert_cell(file, 2, "block_size_bytes", "512");
	assert_cell(file, 3, "iops", "");
	assert_cell(file, 3, "visits_done", "0");
	assert_cell(file, 3, "read_ios", "");
	/* Harmless for spreadsheets. */
	assert_cell(file, 3, "reason", "'-- =bad");
	assert_cell(file, 4, "run", "'=cmd|x");
	assert_cell(file, 5, "run", "'=cmd|x");
	free(file);
}

static void outputs_replace_regular_files_only(void **state)
{
	char *link = tempdir_path(folder, "link.csv");
	char *target = tempdir_path(folder, "target.csv");
	char *fifo = tempdir_path(folder, "fifo.csv");
	struct err err = {0};
	struct stat st;

	(void)state;
	file_write(target, "old", 3);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(store_write_points(link, NULL, 0, NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_cell(target, 1, "run", "run");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(store_write_points(fifo, NULL, 0, &err), -EINVAL);
	assert_non_null(strstr(err.text, fifo));
	assert_int_equal(lstat(fifo, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	err_clear(&err);
	assert_int_equal(store_write_points("/dev/null", NULL, 0, &err),
			 -EINVAL);
	free(fifo);
	free(target);
	free(link);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_new_folder_is_whole_and_empty),
	    TEST(parents_are_made_and_slashes_at_the_end_are_ignored),
	    TEST(what_is_there_already_is_never_touched),
	    TEST(a_folder_that_cannot_be_made_is_named),
	    TEST(nothing_is_left_when_making_fails),
	    TEST(visits_read_back_exactly),
	    TEST(failed_and_skipped_visits_are_kept_with_their_reason),
	    TEST(series_has_a_row_an_interval),
	    TEST(devices_has_a_row_a_counter),
	    TEST(going_on_continues_the_ids),
	    TEST(a_torn_last_row_costs_one_visit_and_no_more),
	    TEST(zeros_behind_the_last_row_are_cut),
	    TEST(rows_without_a_commit_record_are_dropped),
	    TEST(a_folder_that_lost_committed_rows_is_refused),
	    TEST(a_folder_of_other_columns_is_refused),
	    TEST(a_folder_without_run_ini_was_never_whole),
	    TEST(a_second_writer_is_refused_and_told_who_writes),
	    TEST(a_killed_writer_holds_nothing),
	    TEST(what_a_killed_writer_left_behind_is_removed),
	    TEST(a_failed_write_of_latency_counts_nothing),
	    TEST(a_failed_write_of_series_counts_nothing),
	    TEST(a_failed_write_of_devices_counts_nothing),
	    TEST(a_failed_write_of_visits_counts_nothing),
	    TEST(a_full_disk_counts_nothing_and_room_lets_it_go_on),
	    TEST(nothing_is_made_on_a_full_disk),
	    TEST(points_of_several_runs_share_one_file),
	    TEST(outputs_replace_regular_files_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
