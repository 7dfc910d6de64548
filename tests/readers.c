#include "tests/readers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/cachecount.h"
#include "engine/mounts.h"
#include "engine/stack.h"
#include "engine/units.h"
#include "export/cell.h"
#include "export/csvfile.h"
#include "export/factfile.h"
#include "export/theme.h"
#include "sweep/axis.h"
#include "sweep/options.h"
#include "sweep/planfile.h"
#include "sweep/themefile.h"
#include "sweep/words.h"

static char *as_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	reader_must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static int as_file(const uint8_t *data, size_t size, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	reader_must(fd >= 0 && write(fd, data, size) == (ssize_t)size &&
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
		reader_must(axis.count > 0 && axis.count <= AXIS_MAX);
		for (i = 1; i < axis.count; i++)
			reader_must(axis.values[i - 1] < axis.values[i]);
		axis_free(&axis);
	} else {
		reader_must_say(&err);
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
		reader_must(value > 0);
		reader_must(!units_parse_size(units_format_size(buf, value),
					      "--size", &again, &err));
		reader_must(again == value);
	}
	if (!units_parse_duration(text, "--time", &value, &err))
		units_format_duration(buf, value);
	if (!units_parse_percent(text, "--read", &percent, &err))
		reader_must(percent >= 0 && percent <= 100);
	if (units_parse_count(text, "--rounds", &count, &err))
		reader_must_say(&err);
	if (!units_parse_u64(text, "--seed", &value, &err))
		reader_must(text[0] >= '0' && text[0] <= '9');
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
		reader_must(
		    !cell_parse_integer(cell_format_integer(buf, integer),
					UINT64_MAX, &integer2) &&
		    integer == integer2);
	if (!cell_parse_real(text, &real))
		reader_must(
		    !cell_parse_real(cell_format_real(buf, real), &real2) &&
		    real == real2);
	if (!cell_parse_time(text, &when))
		reader_must(
		    !cell_parse_time(cell_format_time(buf, when), &when2) &&
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
	reader_must(count > 0 && count <= CSVFILE_FIELDS_MAX);
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
		reader_must_say(&err);
	else
		reader_must(end.whole_bytes <= size && bytes <= size);
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
		reader_must(count <= FACTFILE_FACTS_MAX);
		factfile_free(facts, count);
	} else {
		reader_must_say(&err);
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
		reader_must(req.targets != NULL);
		req.targets[0] = strdup(target);
		req.target_count = 1;
		if (!plan_build(&req, &plan, &err)) {
			reader_must(plan.point_count > 0 &&
				    plan.point_count <= PLAN_POINTS_MAX);
			plan_fini(&plan);
		} else {
			reader_must_say(&err);
		}
	} else {
		reader_must_say(&err);
	}
	plan_request_fini(&req);
	close(fd);
}

#define OPTION_ARGS_MAX 64

/* A command line: its first byte says whose, a mark parts the arguments. */
static void feed_options(const uint8_t *data, size_t size)
{
	static const enum options_command commands[] = {
	    OPTIONS_RUN, OPTIONS_PLAN, OPTIONS_FIND};
	char *text = size ? as_text(data + 1, size - 1) : NULL;
	char name[] = "run";
	char *argv[OPTION_ARGS_MAX + 1] = {name}, *rest = text;
	struct plan_request req = {0};
	struct run_options opts;
	struct err err = {0};
	struct plan plan;
	int argc = 1, rc;

	if (!size)
		return;
	while (rest && argc < OPTION_ARGS_MAX)
		argv[argc++] = strsep(&rest, READER_MARK_TEXT);
	rc = options_parse(argc, argv, commands[data[0] % 3], "templates", &req,
			   &opts, &err);
	if (!rc && !plan_build(&req, &plan, &err))
		plan_fini(&plan);
	else if (rc != CLI_HELP)
		reader_must_say(&err);
	plan_request_fini(&req);
	free(text);
}

static void feed_theme(const uint8_t *data, size_t size)
{
	struct theme theme = {0};
	struct err err = {0};
	char path[64];
	int fd = as_file(data, size, path);

	if (themefile_read("templates", path, &theme, &err))
		reader_must_say(&err);
	else
		reader_must(theme.series_count <= THEME_SERIES_MAX &&
			    theme.words.count <= THEME_WORDS_MAX &&
			    theme.sentences.count <= THEME_WORDS_MAX);
	theme_fini(&theme);
	close(fd);
}

/* The picture of a theme. */
static void feed_logo(const uint8_t *data, size_t size)
{
	uint32_t width, height;

	if (!theme_measure_logo(data, size, &width, &height))
		reader_must(width && height);
}

/* What the kernel and the user's command say of caches. */
static void feed_counts(const uint8_t *data, size_t size)
{
	struct cachecounts counts = {0};
	char *text = as_text(data, size);
	dev_t devices[3];
	uint32_t i;

	if (cachecount_parse_dm("dm-0", text, &counts))
		reader_must(!counts.count);
	cachecount_parse_lines(text, &counts);
	reader_must(counts.count <= CACHECOUNT_MAX);
	for (i = 0; i < counts.count; i++)
		reader_must(isfinite(counts.at[i].value));
	stack_parse_dm_cache(text, devices);
	mounts_unescape(text);
	free(text);
}

const struct reader readers[] = {
    {"axis", feed_axis},       {"units", feed_units},	 {"cell", feed_cell},
    {"csv", feed_csv},	       {"facts", feed_facts},	 {"plan", feed_plan},
    {"options", feed_options}, {"theme", feed_theme},	 {"logo", feed_logo},
    {"counts", feed_counts},   {"run", reader_feed_run}, {NULL, NULL}};

const struct reader *reader_find(const char *name)
{
	const struct reader *r;

	for (r = readers; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}
