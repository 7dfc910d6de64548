#include "tests/readers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/cell.h"
#include "export/csvfile.h"
#include "export/factfile.h"
#include "export/result.h"
#include "export/runfile.h"
#include "sweep/axis.h"
#include "sweep/planfile.h"
#include "sweep/words.h"

/* An invariant of ours that the input broke; the fuzzer wants a crash. */
static void must(int holds)
{
	if (!holds)
		abort();
}

/* An error is a sentence for one line of a terminal. */
static void must_be_a_sentence(const struct err *err)
{
	must(err->text[0] && !strchr(err->text, '\n') &&
	     !strchr(err->text, '\033'));
}

static char *as_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static int as_file(const uint8_t *data, size_t size, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size &&
	     lseek(fd, 0, SEEK_SET) == 0);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void feed_axis(const uint8_t *data, size_t size)
{
	struct axis_names names;
	struct axis axis;
	struct err err = {0};
	char *text;
	uint32_t i;

	if (!size)
		return;
	text = as_text(data + 1, size - 1);
	if (!axis_parse(text, (enum axis_unit)(data[0] & 3), "--axis", &axis,
			&err)) {
		must(axis.count > 0 && axis.count <= AXIS_MAX);
		for (i = 1; i < axis.count; i++)
			must(axis.values[i - 1] < axis.values[i]);
		axis_free(&axis);
	} else {
		must_be_a_sentence(&err);
	}
	if (!axis_parse_names(text, "--axis", &names, &err))
		axis_names_free(&names);
	free(text);
}

static void feed_units(const uint8_t *data, size_t size)
{
	char *text = as_text(data, size);
	char buf[UNITS_TEXT_MAX], hint[WORDS_HINT_MAX];
	struct words_nearest near = {.word = text};
	struct err err = {0};
	uint64_t value, again;
	uint32_t count;
	double percent;

	if (!units_parse_size(text, "--size", &value, &err)) {
		must(value > 0);
		must(!units_parse_size(units_format_size(buf, value), "--size",
				       &again, &err));
		must(again == value);
	}
	if (!units_parse_duration(text, "--time", &value, &err))
		units_format_duration(buf, value);
	if (!units_parse_percent(text, "--read", &percent, &err))
		must(percent >= 0 && percent <= 100);
	if (units_parse_count(text, "--rounds", &count, &err))
		must_be_a_sentence(&err);
	if (!units_parse_u64(text, "--seed", &value, &err))
		must(text[0] >= '0' && text[0] <= '9');
	words_offer(&near, "block-size");
	words_hint(&near, hint);
	free(text);
}

static void feed_cell(const uint8_t *data, size_t size)
{
	struct io_error_count errors[VISIT_ERROR_KINDS];
	char *text = as_text(data, size);
	char buf[CELL_ERRORS_MAX];
	uint64_t integer, integer2;
	double real, real2;
	int64_t when, when2;

	if (!cell_parse_integer(text, UINT64_MAX, &integer))
		must(!cell_parse_integer(cell_format_integer(buf, integer),
					 UINT64_MAX, &integer2) &&
		     integer == integer2);
	if (!cell_parse_real(text, &real))
		must(!cell_parse_real(cell_format_real(buf, real), &real2) &&
		     real == real2);
	if (!cell_parse_time(text, &when))
		must(!cell_parse_time(cell_format_time(buf, when), &when2) &&
		     when == when2);
	if (!cell_parse_errors(text, errors))
		cell_format_errors(buf, errors);
	free(text);
}

static int any_row(void *arg, size_t line, const char **fields, size_t count,
		   struct err *err)
{
	size_t *bytes = arg, i;

	(void)line;
	(void)err;
	must(count > 0 && count <= CSVFILE_FIELDS_MAX);
	for (i = 0; i < count; i++)
		*bytes += strlen(fields[i]);
	return 0;
}

static void feed_csv(const uint8_t *data, size_t size)
{
	struct csvfile_end end;
	struct err err = {0};
	char path[64];
	size_t bytes = 0;
	int fd = as_file(data, size, path);
	struct csvfile_source source = {
	    .fd = fd, .path = "input.csv", .limit_bytes = UINT64_MAX};

	if (csvfile_read_source(&source, any_row, &bytes, &end, &err))
		must_be_a_sentence(&err);
	else
		must(end.whole_bytes <= size && bytes <= size);
	close(fd);
}

static void feed_facts(const uint8_t *data, size_t size)
{
	struct run_fact *facts;
	struct err err = {0};
	uint32_t count;
	char path[64];
	int fd = as_file(data, size, path);

	if (!factfile_read(fd, "run.ini", &facts, &count, &err)) {
		must(count <= FACTFILE_FACTS_MAX);
		factfile_free(facts, count);
	} else {
		must_be_a_sentence(&err);
	}
	close(fd);
}

/* The reader of plan files and all that is made of what it read. */
static void feed_plan(const uint8_t *data, size_t size)
{
	static char target[] = "/dev/zero";
	struct plan_request req = {0};
	struct err err = {0};
	struct plan plan;
	char path[64];
	int fd = as_file(data, size, path);

	if (!planfile_read(path, &req, &err)) {
		req.targets = malloc(sizeof(*req.targets));
		must(req.targets != NULL);
		req.targets[0] = strdup(target);
		req.target_count = 1;
		if (!plan_build(&req, &plan, &err)) {
			must(plan.point_count > 0 &&
			     plan.point_count <= PLAN_POINTS_MAX);
			plan_fini(&plan);
		} else {
			must_be_a_sentence(&err);
		}
	} else {
		must_be_a_sentence(&err);
	}
	plan_request_fini(&req);
	close(fd);
}

#define FILE_MARK 0x1d /* between the files of a folder in one input */

static void put_file(int dir, const char *name, const uint8_t *data,
		     size_t size)
{
	int fd =
	    openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* In memory where that is to be had: a fuzzer makes millions. */
static void make_folder(char path[64])
{
	snprintf(path, 64, "/dev/shm/iosweep-run-XXXXXX");
	if (mkdtemp(path))
		return;
	snprintf(path, 64, "/tmp/iosweep-run-XXXXXX");
	must(mkdtemp(path) != NULL);
}

static void remove_folder(const char *folder, const char *const *names)
{
	char path[PATH_MAX];

	for (; *names; names++) {
		snprintf(path, sizeof(path), "%s/%s", folder, *names);
		unlink(path);
	}
	rmdir(folder);
}

/* A whole run folder: run.ini, plan.csv, visits.csv, latency.csv, series.csv
 * with a mark between; then everything that is computed from it. */
static void feed_run(const uint8_t *data, size_t size)
{
	static const char *const names[] = {RUNFILE_FACTS,  RUNFILE_PLAN,
					    RUNFILE_VISITS, RUNFILE_LATENCY,
					    RUNFILE_SERIES, NULL};
	const uint8_t *end = data + size;
	struct err err = {0};
	char folder[64];
	struct run run;
	int dir, i;

	make_folder(folder);
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(dir >= 0);
	for (i = 0; names[i]; i++) {
		const uint8_t *mark =
		    data == end ? NULL
				: memchr(data, FILE_MARK, (size_t)(end - data));
		const uint8_t *stop = mark ? mark : end;

		put_file(dir, names[i], data, (size_t)(stop - data));
		data = mark ? mark + 1 : end;
	}
	close(dir);
	if (!run_load(folder, &run, &err))
		run_fini(&run);
	else
		must_be_a_sentence(&err);
	remove_folder(folder, names);
}

const struct reader readers[] = {{"axis", feed_axis},	{"units", feed_units},
				 {"cell", feed_cell},	{"csv", feed_csv},
				 {"facts", feed_facts}, {"plan", feed_plan},
				 {"run", feed_run},	{NULL, NULL}};

const struct reader *reader_find(const char *name)
{
	const struct reader *r;

	for (r = readers; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}
