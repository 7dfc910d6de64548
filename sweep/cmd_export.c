#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/book.h"
#include "export/digest.h"
#include "export/rawbook.h"
#include "export/store.h"
#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/groupby.h"
#include "sweep/options.h"
#include "sweep/runs.h"
#include "sweep/themefile.h"

enum {
	KEY_OUTPUT = 'O',
	KEY_LIMIT = CLI_KEY_LONG,
	KEY_THEME,
	KEY_GROUP_BY,
	KEY_RAW,
	KEY_PIVOT,
	KEY_REPRODUCIBLE
};

static const struct cli_option export_options[] = {
    {"output", KEY_OUTPUT, "FILE",
     "write a workbook (.xlsx), a web page (.html), text for a ticket "
     "(.md) or a table of the points (.csv)"},
    {"latency-limit", KEY_LIMIT, "LIMIT",
     "sweet spots among the points that keep it, such as p99=2ms"},
    {"theme", KEY_THEME, "NAME|FILE", THEMEFILE_HELP},
    {"group-by", KEY_GROUP_BY, "TAGS", GROUPBY_HELP},
    {"raw", KEY_RAW, NULL,
     "instead, a workbook of the run folders' own tables, row for row: "
     "visits, intervals, latency histograms, devices, points; of any size, "
     "in little memory, for a pivot table of your own"},
    {"pivot", KEY_PIVOT, NULL, THEMEFILE_PIVOT_HELP},
    {"reproducible", KEY_REPRODUCIBLE, NULL, THEMEFILE_REPRODUCIBLE_HELP},
    {0},
};

static const struct cli_group export_groups[] = {{"Options:", export_options},
						 {0}};

static const struct cli_command export_command = {
    .name = "export",
    .arguments = "RUN... -O FILE",
    .summary = "One workbook, page or table of one or several run folders.",
    .notes = "Example: iosweep export results/*-sdb results/*-sdc -O "
	     "disks.xlsx",
    .groups = export_groups,
};

struct export_request {
	struct runs_request runs;
	const char *output;
	const char *theme_name; /* NULL: none */
	struct theme theme;
	bool pivot;
	struct latency_limit limit;
	struct groupby group_by;
	bool raw;
};

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct export_request *req = arg;

	switch (key) {
	case KEY_OUTPUT:
		req->output = value;
		return 0;
	case KEY_THEME:
		req->theme_name = value;
		return 0;
	case KEY_GROUP_BY:
		return groupby_parse(&req->group_by, value, where, err);
	case KEY_RAW:
		req->raw = true;
		return 0;
	case KEY_PIVOT:
		req->pivot = true;
		return 0;
	case KEY_REPRODUCIBLE:
		return 0;
	case KEY_LIMIT:
		return options_parse_latency_limit(value, where, &req->limit,
						   err);
	default:
		return runs_add(&req->runs, value, err);
	}
}

static bool ends_in(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len > end && !strcasecmp(text + len - end, ending);
}

typedef int write_form(const char *path, const struct run *const *runs,
		       uint32_t count, const struct book_opts *opts,
		       struct err *err);

static int write_csv(const char *path, const struct run *const *runs,
		     uint32_t count, const struct book_opts *opts,
		     struct err *err)
{
	(void)opts;
	return store_write_points(path, runs, count, err);
}

static const struct {
	const char *ending;
	write_form *write;
} forms[] = {{".xlsx", book_write},
	     {".html", digest_write_html},
	     {".md", digest_write_md},
	     {".csv", write_csv}};

static write_form *form_of(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (ends_in(path, forms[i].ending))
			return forms[i].write;
	return NULL;
}

/* Before anything is read: a form that we cannot write costs no time. */
static int check_output(const struct export_request *req, struct err *err)
{
	if (!req->output)
		return err_usage(err, "export: say where to with -O, such as "
				      "-O report.xlsx");
	if (req->raw && form_of(req->output) != book_write)
		return err_usage(err,
				 "--raw: '%s' does not end in .xlsx; the "
				 "tables are CSV in the run folder already",
				 req->output);
	if (req->raw && (req->theme_name || isfinite(req->limit.limit_us) ||
			 req->group_by.text || req->pivot))
		return err_usage(err, "--raw: rows as they were measured have "
				      "neither a theme nor a latency limit nor "
				      "groups nor pivots; leave it out");
	if (req->pivot && form_of(req->output) != book_write)
		return err_usage(err, "export: --pivot goes with a workbook "
				      "only: let -O end in .xlsx");
	if (form_of(req->output))
		return runs_check_output(req->output, err);
	return err_usage(err,
			 "--output: '%s' ends in none of .xlsx, .html, .md and "
			 ".csv; these are the forms that are written",
			 req->output);
}

static int write_output(const struct export_request *req, struct err *err)
{
	struct book_opts opts =
	    themefile_opts(req->theme_name ? &req->theme : NULL, &req->limit);
	struct err warning = {0};
	const struct run **runs = calloc(req->runs.count, sizeof(*runs));
	uint32_t i;
	int rc;

	if (!runs)
		return err_failed(err, ENOMEM, "out of memory for the runs");
	opts.group_by = groupby_keys(&req->group_by);
	for (i = 0; i < req->runs.count; i++)
		runs[i] = &req->runs.runs[i];
	opts.pivot = req->pivot;
	opts.warning = &warning;
	rc = form_of(req->output)(req->output, runs, req->runs.count, &opts,
				  err);
	if (warning.kind)
		fprintf(stderr, "iosweep: warning: %s\n", warning.text);
	free(runs);
	return rc;
}

static int export_raw(const struct export_request *req, struct err *err)
{
	int rc = runs_check_named(&req->runs, "export", err);

	return rc ? rc
		  : rawbook_write(req->output, req->runs.folders,
				  req->runs.folder_count, RAWBOOK_ROWS_MAX,
				  err);
}

static int export_analysed(struct export_request *req, struct err *err)
{
	int rc = 0;

	if (req->theme_name)
		rc = themefile_read(iosweep_datadir, req->theme_name,
				    &req->theme, err);
	if (!rc)
		rc = runs_load(&req->runs, "export", err);
	if (!rc)
		rc = groupby_check(&req->group_by, req->runs.runs,
				   req->runs.count, err);
	return rc ? rc : write_output(req, err);
}

int cmd_export(int argc, char **argv, struct err *err)
{
	struct export_request req = {.limit = {.limit_us = NAN}};
	int rc = cli_parse(&export_command, argc, argv, take, &req, err);

	if (rc == CLI_HELP)
		cli_print_help(&export_command, stdout);
	else if (!rc)
		rc = check_output(&req, err);
	if (!rc)
		rc = req.raw ? export_raw(&req, err)
			     : export_analysed(&req, err);
	runs_free(&req.runs);
	groupby_fini(&req.group_by);
	theme_fini(&req.theme);
	return err_exit_status(err);
}
