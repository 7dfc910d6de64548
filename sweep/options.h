/*
 * options: the command line of `run`, `plan` and `find`, which take nearly the
 * same: what to measure goes into a plan_request, how to go about it into
 * run_options.
 */
#ifndef SWEEP_OPTIONS_H
#define SWEEP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"
#include "export/sweetspot.h"
#include "sweep/cli.h"
#include "sweep/plan.h"

enum options_command { OPTIONS_RUN, OPTIONS_PLAN, OPTIONS_FIND };

/* Options, those of the plan aside, that a resumed run keeps: how many. */
#define OPTIONS_KEPT_COUNT 11

/* Texts are argv's; NULL where nothing was said. */
struct run_options {
	/* source */
	const char *plan_file;
	const char *template_name;
	/* safety */
	const char *consent; /* --destroy-data-on: the one path that names */
	bool layout;	     /* write an existing file of ours whole again */
	bool remove_made;    /* --remove: the file that was made */
	/* engine, as in struct measure_opts */
	uint32_t batch; /* 0: the engine's choice; UINT32_MAX: max */
	bool poll, busy_wait;
	bool verify; /* --verify */
	const char *cpus;
	uint64_t io_timeout_ns; /* default 60 s */
	const char *watch;	/* devices, checked */
	const char *probe;	/* a shell command */
	uint64_t interval_ns;	/* of the series; 0: not said */
	/* output */
	const char *out;
	const char *label;
	struct latency_limit limit; /* limit_us NAN: none */
	const char *theme;
	bool pivot;
	bool quiet, verbose, no_color;
	/* going on with a run */
	const char *resume; /* its folder */
	bool force_resume, retry_failed;
	/* The options kept, as they were said. */
	const char *kept[OPTIONS_KEPT_COUNT];
};

/* Their names, and whether another value makes it another sweep. */
const char *options_kept_name(int i);
bool options_kept_binds(int i);

/* Set one to what run.ini says of it, as if the command line had. 0 or -errno
 * with a sentence. value is the caller's and stays. */
int options_keep(struct run_options *opts, int i, const char *value,
		 struct err *err);

/*
 * Fills req (zeroed by the caller) from the options, from the plan file or
 * template that they name (datadir as in template_find), and the targets; and
 * opts, defaults included. 0; CLI_HELP; or -errno with a sentence of kind
 * usage, or refused when it holds commands that others may have put there
 * (trust.h). In each case plan_request_fini frees req. Values of the plan are
 * parsed by plan_build, the others here.
 */
int options_parse(int argc, char **argv, enum options_command command,
		  const char *datadir, struct plan_request *req,
		  struct run_options *opts, struct err *err);
void options_print_help(enum options_command command, FILE *f);

/* "p99=2ms", "mean=500us", for the commands that take --latency-limit. 0 or
 * -EINVAL with a sentence. */
int options_parse_latency_limit(const char *text, const char *where,
				struct latency_limit *out, struct err *err);

#endif
