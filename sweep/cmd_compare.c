#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/book.h"
#include "export/cell.h"
#include "export/compare.h"
#include "export/compare_words.h"
#include "export/store.h"
#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/groupby.h"
#include "sweep/options.h"
#include "sweep/runs.h"
#include "sweep/show_compare.h"
#include "sweep/themefile.h"

enum {
	KEY_OUTPUT = 'O',
	KEY_BASE = CLI_KEY_LONG,
	KEY_BELOW,
	KEY_LIMIT,
	KEY_THEME,
	KEY_PIVOT,
	KEY_GROUP_BY,
	KEY_REPRODUCIBLE,
	KEY_JSON,
	KEY_NO_COLOR
};

static const struct cli_option compare_options[] = {
    {"base", KEY_BASE, "NAME",
     "side to compare with: a variant, cache mode, label or run folder "
     "(default: of the first run)"},
    {"output", KEY_OUTPUT, "FILE",
     "write a workbook (.xlsx) or a table of the pairs (.csv) too"},
    {"fail-below", KEY_BELOW, "RATIO",
     "exit with 4 when a workload's mean is slower than that, such as 0.9, "
     "even at the upper end of its interval"},
    {"latency-limit", KEY_LIMIT, "LIMIT",
     "sweet spots among the points that keep it, such as p99=2ms"},
    {"theme", KEY_THEME, "NAME|FILE", THEMEFILE_HELP},
    {"pivot", KEY_PIVOT, NULL, THEMEFILE_PIVOT_HELP},
    {"group-by", KEY_GROUP_BY, "TAGS", GROUPBY_HELP},
    {"reproducible", KEY_REPRODUCIBLE, NULL, THEMEFILE_REPRODUCIBLE_HELP},
    {"json", KEY_JSON, NULL, "everything as JSON"},
    {"no-color", KEY_NO_COLOR, NULL, "no colours behind the numbers"},
    {0},
};

static const struct cli_group compare_groups[] = {{"Options:", compare_options},
						  {0}};

static const struct cli_command compare_command = {
    .name = "compare",
    .arguments = "BASE [OTHER...]",
    .summary = "What is faster, by how much, and how sure that is: the "
	       "variants, cache modes and runs in run folders.",
    .notes = "Example: iosweep compare results/*-before results/*-after "
	     "--fail-below 0.9\n"
	     "One run with several variants or cache modes is enough.",
    .groups = compare_groups,
};

struct compare_request {
	struct runs_request runs;
	struct sides_opts sides;
	const char *output;
	const char *theme_name; /* NULL: none */
	struct theme theme;
	bool pivot;
	struct latency_limit limit;
	struct groupby group_by;
	double fail_below; /* NAN: never */
	bool json, no_color;
};

static bool ends_in(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len > end && !strcasecmp(text + len - end, ending);
}

/* Before anything is read: a form that we cannot write costs no time. */
static int set_output(struct compare_request *req, const char *value,
		      struct err *err)
{
	if (!ends_in(value, ".csv") && !ends_in(value, ".xlsx"))
		return err_usage(err,
				 "--output: '%s' ends in neither .xlsx nor "
				 ".csv; these are the forms of a comparison",
				 value);
	req->output = value;
	return runs_check_output(value, err);
}

static int set_fail_below(struct compare_request *req, const char *where,
			  const char *value, struct err *err)
{
	double ratio;

	if (cell_parse_real(value, &ratio) || !(ratio > 0 && ratio < 1000))
		return err_usage(err,
				 "%s: '%s' is no ratio; write one such as 0.9 "
				 "(at most 10%% slower)",
				 where, value);
	req->fail_below = ratio;
	return 0;
}

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct compare_request *req = arg;

	switch (key) {
	case KEY_BASE:
		req->sides.base = value;
		return 0;
	case KEY_OUTPUT:
		return set_output(req, value, err);
	case KEY_BELOW:
		return set_fail_below(req, where, value, err);
	case KEY_LIMIT:
		return options_parse_latency_limit(value, where, &req->limit,
						   err);
	case KEY_THEME:
		req->theme_name = value;
		return 0;
	case KEY_PIVOT:
		req->pivot = true;
		return 0;
	case KEY_GROUP_BY:
		return groupby_parse(&req->group_by, value, where, err);
	case KEY_REPRODUCIBLE:
		return 0;
	case KEY_JSON:
		req->json = true;
		return 0;
	case KEY_NO_COLOR:
		req->no_color = true;
		return 0;
	default:
		return runs_add(&req->runs, value, err);
	}
}

/* Nothing to compare is told before anything is printed. */
static int check_pairs(const struct compare *c, struct err *err)
{
	char text[COMPARE_TEXT_MAX];

	if (c->sides.count < 2)
		return err_usage(err,
				 "compare: all points are of one side; name a "
				 "second run folder, or a run with several "
				 "variants or cache modes");
	if (c->pair_count)
		return 0;
	return err_usage(err, "compare: no point of '%s' has a partner: %s",
			 c->sides.sides[0].label,
			 compare_lost_text(c, 1, 0, text, sizeof(text)));
}

static struct book_opts book_opts_of(const struct compare_request *req)
{
	struct book_opts opts =
	    themefile_opts(req->theme_name ? &req->theme : NULL, &req->limit);

	opts.group_by = groupby_keys(&req->group_by);
	return opts;
}

static int write_output(const struct compare_request *req,
			const struct run *const *runs, const struct compare *c,
			struct err *err)
{
	struct sides_opts sides = {.ordered = true};
	struct book_opts opts = book_opts_of(req);
	struct err warning = {0};
	int rc;

	if (!req->output)
		return 0;
	if (ends_in(req->output, ".csv"))
		return store_write_pairs(req->output, c, err);
	/* A book has a sheet of its own for targets. */
	opts.sides = &sides;
	if (!c->sides.by_target)
		sides.base = c->sides.sides[0].label;
	opts.pivot = req->pivot;
	opts.warning = &warning;
	rc = book_write(req->output, runs, req->runs.count, &opts, err);
	if (warning.kind)
		fprintf(stderr, "iosweep: warning: %s\n", warning.text);
	return rc;
}

static int print(const struct compare_request *req, const struct compare *c,
		 struct err *err)
{
	struct show_style style = show_style_detect(stdout, req->no_color);

	if (!req->json)
		return show_compare(stdout, c, &style, err);
	show_compare_json(stdout, c);
	return 0;
}

/* Is a workload slower than allowed, whatever its interval leaves open? */
static bool is_below(const struct compare_request *req, const struct compare *c)
{
	bool below = false;
	uint32_t i;

	for (i = 0; i < c->workload_count; i++) {
		const struct compare_workload *l = &c->workloads[i];
		const struct interval *mean = &l->mean[l->by];
		double most = isnan(mean->high) ? mean->value : mean->high;
		bool by_latency = l->by == COMPARE_LATENCY;
		char ratio[32];

		if (!(most < req->fail_below))
			continue;
		fprintf(stderr,
			"iosweep: %s: '%s' %s at most %s %s '%s', below "
			"--fail-below %g\n",
			l->name, c->sides.sides[l->side].label,
			by_latency ? "is, by mean latency," : "does",
			compare_ratio_text(most, ratio, sizeof(ratio)),
			by_latency ? "as fast as" : "of",
			c->sides.sides[0].label, req->fail_below);
		below = true;
	}
	return below;
}

static int compare(const struct compare_request *req, struct err *err)
{
	const struct run **runs =
	    calloc(req->runs.count + (size_t)1, sizeof(*runs));
	const struct latency_limit *limit = book_opts_of(req).limit;
	struct compare c;
	bool below = false;
	uint32_t i;
	int rc;

	if (!runs)
		return err_failed(err, ENOMEM, "out of memory for the runs");
	for (i = 0; i < req->runs.count; i++)
		runs[i] = &req->runs.runs[i];
	rc = compare_runs(runs, req->runs.count, &req->sides, limit, &c, err);
	if (!rc) {
		rc = check_pairs(&c, err);
		if (!rc)
			rc = write_output(req, runs, &c, err);
		if (!rc)
			rc = print(req, &c, err);
		if (!rc)
			below = is_below(req, &c);
		compare_free(&c);
	}
	free(runs);
	return below ? EXIT_BELOW : err_exit_status(err);
}

int cmd_compare(int argc, char **argv, struct err *err)
{
	struct compare_request req = {
	    .sides = {.ordered = true},
	    .limit = {.limit_us = NAN},
	    .fail_below = NAN,
	};
	int rc = cli_parse(&compare_command, argc, argv, take, &req, err);
	int status = EXIT_OK;

	if (rc == CLI_HELP)
		cli_print_help(&compare_command, stdout);
	else if (!rc && req.pivot &&
		 (!req.output || ends_in(req.output, ".csv")))
		rc = err_usage(err, "compare: --pivot goes with a workbook "
				    "only: say where to with -O FILE.xlsx");
	if (!rc && req.theme_name)
		rc = themefile_read(iosweep_datadir, req.theme_name, &req.theme,
				    err);
	if (!rc)
		rc = runs_load(&req.runs, "compare", err);
	if (!rc)
		rc = groupby_check(&req.group_by, req.runs.runs, req.runs.count,
				   err);
	if (!rc)
		status = compare(&req, err);
	else if (rc != CLI_HELP)
		status = err_exit_status(err);
	runs_free(&req.runs);
	groupby_fini(&req.group_by);
	theme_fini(&req.theme);
	return status;
}
