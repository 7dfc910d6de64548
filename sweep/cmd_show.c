#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/options.h"
#include "sweep/runs.h"
#include "sweep/show.h"

enum { KEY_JSON = CLI_KEY_LONG, KEY_METRIC, KEY_LIMIT, KEY_NO_COLOR };

static const struct cli_option show_options[] = {
    {"metric", KEY_METRIC, "NAME",
     "heat maps of iops, mibps, latency, or all (default: iops)"},
    {"latency-limit", KEY_LIMIT, "LIMIT",
     "sweet spots among the points that keep it, such as p99=2ms"},
    {"json", KEY_JSON, NULL, "everything as JSON"},
    {"no-color", KEY_NO_COLOR, NULL, "shades of ASCII instead of colours"},
    {0},
};

static const struct cli_group show_groups[] = {{"Options:", show_options}, {0}};

static const struct cli_command show_command = {
    .name = "show",
    .arguments = "RUN...",
    .summary = "Sweet spots and heat maps of run folders in the terminal.",
    .notes = "Example: iosweep show results/20261130T220000Z-sdb "
	     "--metric all",
    .groups = show_groups,
};

struct show_request {
	struct runs_request runs;
	bool metrics[SHOW_LATENCY + 1];
	struct latency_limit limit;
	bool json, no_color;
};

static int set_metric(struct show_request *req, const char *where,
		      const char *value, struct err *err)
{
	static const char *const names[] = {
	    [SHOW_IOPS] = "iops",
	    [SHOW_MIBPS] = "mibps",
	    [SHOW_LATENCY] = "latency",
	};
	bool all = !strcmp(value, "all");
	bool found = all;
	int i;

	for (i = 0; i <= SHOW_LATENCY; i++) {
		req->metrics[i] = all || !strcmp(value, names[i]);
		found |= req->metrics[i];
	}
	if (found)
		return 0;
	return err_usage(err,
			 "%s: '%s' is not a metric; write iops, mibps, latency "
			 "or all",
			 where, value);
}

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct show_request *req = arg;

	switch (key) {
	case KEY_JSON:
		req->json = true;
		return 0;
	case KEY_NO_COLOR:
		req->no_color = true;
		return 0;
	case KEY_METRIC:
		return set_metric(req, where, value, err);
	case KEY_LIMIT:
		return options_parse_latency_limit(value, where, &req->limit,
						   err);
	default:
		return runs_add(&req->runs, value, err);
	}
}

static int show_run(const struct run *run, const struct show_request *req,
		    struct err *err)
{
	struct show_style style = show_style_detect(stdout, req->no_color);
	int metric, rc;

	if (req->json)
		return show_json(stdout, run, &req->limit, err);
	printf("%s%s\n\n", run->folder,
	       run->torn ? " (its last row was cut off and is left out)" : "");
	rc = show_sweetspots(stdout, run, &req->limit, &style, err);
	for (metric = 0; !rc && metric <= SHOW_LATENCY; metric++)
		if (req->metrics[metric])
			rc = show_heatmaps(
			    stdout, run, (enum show_metric)metric, &style, err);
	return rc;
}

int cmd_show(int argc, char **argv, struct err *err)
{
	struct show_request req = {
	    .metrics = {[SHOW_IOPS] = true},
	    .limit = {.limit_us = NAN},
	};
	uint32_t i;
	int rc = cli_parse(&show_command, argc, argv, take, &req, err);

	if (rc == CLI_HELP)
		cli_print_help(&show_command, stdout);
	else if (!rc)
		rc = runs_load(&req.runs, "show", err);
	for (i = 0; !rc && i < req.runs.count; i++)
		rc = show_run(&req.runs.runs[i], &req, err);
	runs_free(&req.runs);
	return err_exit_status(err);
}
