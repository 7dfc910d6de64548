#include "sweep/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpus.h"
#include "engine/stack.h"
#include "engine/units.h"
#include "sweep/planfile.h"
#include "sweep/tags.h"
#include "sweep/templates.h"
#include "sweep/themefile.h"
#include "sweep/trust.h"
#include "sweep/words.h"

#define DEFAULT_IO_TIMEOUT "60s"
#define DEFAULT_BUDGET "120s"

/* A label becomes part of the name of a folder, and of titles. */
#define LABEL_MAX_BYTES 64

/* Keys of options without a letter; those of the plan are KEY_PLAN and their
 * plan_key. */
enum {
	KEY_PLAN = CLI_KEY_LONG,
	KEY_TEMPLATE = KEY_PLAN + PLAN_KEY_COUNT,
	KEY_PLAN_FILE,
	KEY_DESTROY,
	KEY_LAYOUT,
	KEY_REMOVE,
	KEY_BATCH,
	KEY_POLL,
	KEY_BUSY_WAIT,
	KEY_CPUS,
	KEY_VERIFY,
	KEY_IO_TIMEOUT,
	KEY_WATCH,
	KEY_PROBE,
	KEY_INTERVAL,
	KEY_OUT,
	KEY_LABEL,
	KEY_TAG,
	KEY_LATENCY_LIMIT,
	KEY_THEME,
	KEY_PIVOT,
	KEY_REPRODUCIBLE,
	KEY_QUIET,
	KEY_VERBOSE,
	KEY_NO_COLOR,
	KEY_RESUME,
	KEY_FORCE_RESUME,
	KEY_RETRY_FAILED,
};

/* What of a command line belongs to the run for good, and what may be said
 * anew whenever it goes on. */
static const struct {
	int key;
	const char *name;
	bool binds;
} kept[] = {
    {KEY_BATCH, "batch", true},
    {KEY_POLL, "poll", true},
    {KEY_BUSY_WAIT, "busy-wait", true},
    {KEY_CPUS, "cpus", true},
    {KEY_VERIFY, "verify", true},
    {KEY_INTERVAL, "interval", true},
    {KEY_IO_TIMEOUT, "io-timeout", false},
    {KEY_LATENCY_LIMIT, "latency-limit", false},
    {KEY_THEME, "theme", false},
    {KEY_PIVOT, "pivot", false},
    {KEY_REMOVE, "remove", false},
};
_Static_assert(sizeof(kept) / sizeof(kept[0]) == OPTIONS_KEPT_COUNT,
	       "a text is kept for each");
/* The text of an option without an argument. */
#define SAID "yes"

static const struct cli_option axis_options[] = {
    {"block-size", 'b', "SIZES", "bytes of one I/O"},
    {"outstanding", 'o', "COUNTS", "I/Os in flight in total"},
    {"queue-depth", 'q', "COUNTS",
     "I/Os in flight of each thread, instead of -o"},
    {"pattern", 'p', "PATTERNS",
     "seq, rand, or a number: so many % of the I/Os jump to a random place, "
     "the others go on behind the last"},
    {"distribution", KEY_PLAN + PLAN_DISTRIBUTION, "NAMES",
     "where random I/Os go: uniform, zipf:1.1 (by that exponent), hot:10/90 "
     "(90% of the I/Os to 10% of the blocks)"},
    {"read", 'r', "PERCENTS", "reads among the I/Os, 0 to 100"},
    {"threads", 't', "COUNTS",
     "threads that share the I/Os in flight; points whose -o does not divide "
     "by them are left out"},
    {"rate", KEY_PLAN + PLAN_RATE, "RATES",
     "start so many I/Os a second in total, evenly spaced, with at most -o in "
     "flight; latency counts from when each was to start"},
    {"working-set", KEY_PLAN + PLAN_WORKING_SET, "SIZES",
     "stay within so many bytes from the start (default the whole target)"},
    {"cache", KEY_PLAN + PLAN_CACHE, "MODES",
     "direct, buffered, dsync, direct+dsync"},
    {"engine", KEY_PLAN + PLAN_ENGINE, "NAMES", "auto, io_uring, libaio, sync"},
    {"variant", KEY_PLAN + PLAN_VARIANT, "NAMES",
     "states of the storage to tell apart, such as cached; of a plan that "
     "describes them, those to measure"},
    {"state", KEY_PLAN + PLAN_STATE, "as-is|cold|warm",
     "caches before a visit: left alone; dropped; filled by reading until "
     "that changes nothing more (default: what goes through the page cache is "
     "read once)"},
    {"warm-passes", KEY_PLAN + PLAN_WARM_PASSES, "LEAST..MOST",
     "passes over the region that fill a warm cache"},
    {"variant-order", KEY_PLAN + PLAN_VARIANT_ORDER, "ORDER",
     "interleaved within each round, abba (blocks there and back), or "
     "sequential (default interleaved, abba when one is warm)"},
    {"command-timeout", KEY_PLAN + PLAN_COMMAND_TIMEOUT, "TIME",
     "most that a command of a variant may take"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option amount_options[] = {
    {"size", 's', "SIZE", "of a file that has to be made"},
    {"time", KEY_PLAN + PLAN_TIME, "TIME", "measured in each visit"},
    {"ramp", KEY_PLAN + PLAN_RAMP, "TIME", "before it, not counted"},
    {"rounds", KEY_PLAN + PLAN_ROUNDS, "N", "visits of every point"},
    {"precision", KEY_PLAN + PLAN_PRECISION, "P",
     "visit a point until its 95% interval is within +-P, such as 2%: at "
     "least 3 times, and at the most --rounds (then default 10)"},
    {"steady", KEY_PLAN + PLAN_STEADY, NULL,
     "visit a point until it is steady as SNIA PTS has it: its last five "
     "visits span 20% and have a slope of 10% at the most; only those five "
     "count; at the most --rounds (then default 25)"},
    {"precondition", KEY_PLAN + PLAN_PRECONDITION, NULL,
     "for flash: before the first round, write the region twice in sequence, "
     "then run the writing workload of the sweep until it is steady"},
    {"precondition-time", KEY_PLAN + PLAN_PRECONDITION_TIME, "TIME",
     "of that workload (default 5 to 25 minutes, until steady)"},
    {"pause", KEY_PLAN + PLAN_PAUSE, "TIME", "between visits"},
    {"max-time", KEY_PLAN + PLAN_MAX_TIME, "TIME",
     "end the sweep then (default never)"},
    {"order", KEY_PLAN + PLAN_ORDER, "shuffle|plan",
     "order of the points in a round"},
    {"seed", KEY_PLAN + PLAN_SEED, "N",
     "repeat the order and the offsets of a run (default drawn)"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option search_options[] = {
    {"budget", KEY_PLAN + PLAN_BUDGET, "TIME",
     "most time to measure each workload (pattern and read %), ramps included"},
    {"size", 's', "SIZE", "of a file that has to be made"},
    {"time", KEY_PLAN + PLAN_TIME, "TIME", "measured in each visit"},
    {"ramp", KEY_PLAN + PLAN_RAMP, "TIME", "before it, not counted"},
    {"precondition", KEY_PLAN + PLAN_PRECONDITION, NULL,
     "for flash: before the first round, write the region twice in sequence, "
     "then run the writing workload of the sweep until it is steady"},
    {"precondition-time", KEY_PLAN + PLAN_PRECONDITION_TIME, "TIME",
     "of that workload (default 5 to 25 minutes, until steady)"},
    {"pause", KEY_PLAN + PLAN_PAUSE, "TIME", "between visits"},
    {"max-time", KEY_PLAN + PLAN_MAX_TIME, "TIME",
     "end the search then (default never)"},
    {"seed", KEY_PLAN + PLAN_SEED, "N",
     "repeat the order and the offsets of a run (default drawn)"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option source_options[] = {
    {"template", KEY_TEMPLATE, "NAME",
     "a plan that comes with iosweep; iosweep templates lists them"},
    {"plan", KEY_PLAN_FILE, "FILE",
     "a plan file; options given beside it override what it says"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option safety_options[] = {
    {"destroy-data-on", KEY_DESTROY, "DEVICE",
     "allow points that write to overwrite this device or file"},
    {"layout", KEY_LAYOUT, NULL,
     "fill a file of ours with new data first, though it is there"},
    {"remove", KEY_REMOVE, NULL, "remove the file that was made, afterwards"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option engine_options[] = {
    {"batch", KEY_BATCH, "N|max",
     "most I/Os in one submit call (default a quarter of those in flight, 8 "
     "at most)"},
    {"poll", KEY_POLL, NULL, "poll the device for completions"},
    {"busy-wait", KEY_BUSY_WAIT, NULL,
     "spin instead of sleeping until an I/O completes"},
    {"cpus", KEY_CPUS, "LIST", "pin threads to these in turn, such as 0-3,6"},
    {"verify", KEY_VERIFY, NULL,
     "mark what is written, read it back after each visit and judge it; the "
     "first corrupt block ends the sweep (costs CPU and time)"},
    {"io-timeout", KEY_IO_TIMEOUT, "TIME",
     "give up a visit when an I/O takes longer"},
    {"watch", KEY_WATCH, "DEVICES",
     "count what these devices move too, such as /dev/sdb,/dev/nvme0n1, "
     "besides those found under the target"},
    {"probe", KEY_PROBE, "COMMAND",
     "run by /bin/sh before and after each visit; its lines name=value are "
     "kept, hits=N and misses=N make the hit ratio"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option output_options[] = {
    {"out", KEY_OUT, "DIR",
     "folder of the run (default results/<time>-<label>)"},
    {"label", KEY_LABEL, "TEXT", "name of the run in folder and titles"},
    {"tag", KEY_TAG, "KEY=VALUE",
     "what the storage is, such as raid=5, to group runs by; once for each "
     "(a plan file has [tags] and [tags TARGET])"},
    {"interval", KEY_INTERVAL, "TIME",
     "length of the intervals in series.csv (default a twentieth of --time)"},
    {"latency-limit", KEY_LATENCY_LIMIT, "P=TIME",
     "find the sweet spot among the points that keep it, such as p99=2ms"},
    {"theme", KEY_THEME, "NAME|FILE", THEMEFILE_HELP},
    {"pivot", KEY_PIVOT, NULL, THEMEFILE_PIVOT_HELP},
    {"reproducible", KEY_REPRODUCIBLE, NULL, THEMEFILE_REPRODUCIBLE_HELP},
    {"quiet", KEY_QUIET, NULL, "say nothing but what is wrong"},
    {"verbose", KEY_VERBOSE, NULL, "say more"},
    {"no-color", KEY_NO_COLOR, NULL, "no colours in the terminal"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_option resume_options[] = {
    {"resume", KEY_RESUME, "DIR",
     "go on with the run in that folder, which knows its plan; needs no "
     "TARGET"},
    {"force-resume", KEY_FORCE_RESUME, NULL,
     "go on though machine, version, target or settings differ"},
    {"retry-failed", KEY_RETRY_FAILED, NULL, "repeat visits that failed"},
    {NULL, 0, NULL, NULL},
};

static const struct cli_group run_groups[] = {
    {"Axes (lists 8K,64K; doubling 1..128; steps 0..100+25):", axis_options},
    {"Amount:", amount_options},
    {"Source of the plan:", source_options},
    {"Safety:", safety_options},
    {"Engine:", engine_options},
    {"Output:", output_options},
    {"Going on:", resume_options},
    {NULL, NULL},
};

static const struct cli_group find_groups[] = {
    {"Axes (lists 8K,64K; doubling 1..128; steps 0..100+25):", axis_options},
    {"Amount:", search_options},
    {"Source of the plan:", source_options},
    {"Safety:", safety_options},
    {"Engine:", engine_options},
    {"Output:", output_options},
    {"Going on:", resume_options},
    {NULL, NULL},
};

static const struct cli_group plan_groups[] = {
    {"Axes (lists 8K,64K; doubling 1..128; steps 0..100+25):", axis_options},
    {"Amount:", amount_options},
    {"Source of the plan:", source_options},
    {"Safety:", safety_options},
    {"Engine:", engine_options},
    {"Output:", output_options},
    {NULL, NULL},
};

/* The key of the plan that an option fills, or -1. */
static int plan_key_of(int key)
{
	switch (key) {
	case 'b':
		return PLAN_BLOCK_SIZE;
	case 'o':
		return PLAN_OUTSTANDING;
	case 'q':
		return PLAN_QUEUE_DEPTH;
	case 'p':
		return PLAN_PATTERN;
	case 'r':
		return PLAN_READ;
	case 't':
		return PLAN_THREADS;
	case 's':
		return PLAN_SIZE;
	}
	if (key >= KEY_PLAN && key < KEY_PLAN + PLAN_KEY_COUNT)
		return key - KEY_PLAN;
	return -1;
}

static const char *default_of(int key)
{
	int plan_key = plan_key_of(key);

	if (key == KEY_IO_TIMEOUT)
		return DEFAULT_IO_TIMEOUT;
	if (plan_key == PLAN_BUDGET)
		return DEFAULT_BUDGET;
	return plan_key < 0 ? NULL : plan_key_default((enum plan_key)plan_key);
}

static const struct cli_command commands[] = {
    [OPTIONS_RUN] =
	{
	    .name = "run",
	    .arguments = "TARGET...",
	    .summary =
		"Measures every point of a plan on files, folders (a file is "
		"made in them) or block devices, and writes a run folder with "
		"a workbook. Without options: 8K to 1M, 1 to 128 outstanding, "
		"sequential and random reads.",
	    .notes =
		"For example:\n"
		"  iosweep run /data/test.dat --size 4G\n"
		"  iosweep run /data --template iometer-vmware --label san1\n\n"
		"A block device is only read, unless --destroy-data-on names "
		"it.",
	    .groups = run_groups,
	    .default_of = default_of,
	},
    [OPTIONS_PLAN] =
	{
	    .name = "plan",
	    .arguments = "TARGET...",
	    .summary =
		"Prints what run would do with the same options: its points, "
		"time, bytes to be written and memory. Opens nothing for "
		"writing.",
	    .notes = "For example:\n"
		     "  iosweep plan /data/test.dat -b 4K..64K -r 100,70\n"
		     "  iosweep plan /dev/sdb --template sqlserver-oltp",
	    .groups = plan_groups,
	    .default_of = default_of,
	},
    [OPTIONS_FIND] =
	{
	    .name = "find",
	    .arguments = "TARGET...",
	    .summary =
		"Finds the sweet spot of each workload without measuring every "
		"point: a few of each block size first, then those that "
		"decide, until the answer is settled or the budget is used. "
		"Writes a run folder like run.",
	    .notes = "For example:\n"
		     "  iosweep find /data/test.dat --size 4G\n"
		     "  iosweep find /dev/sdb -p rand -r 100,70 "
		     "--latency-limit p99=2ms\n\n"
		     "A block device is only read, unless --destroy-data-on "
		     "names it.",
	    .groups = find_groups,
	    .default_of = default_of,
	},
};

static const struct {
	const char *name;
	enum percentile which;
} limit_names[] = {
    {"mean", PCT_COUNT},  {"p50", PCT_50}, {"p90", PCT_90},
    {"p95", PCT_95},	  {"p99", PCT_99}, {"p99.9", PCT_999},
    {"p99.99", PCT_9999},
};

int options_parse_latency_limit(const char *text, const char *where,
				struct latency_limit *out, struct err *err)
{
	size_t i, len = strcspn(text, "=");
	uint64_t limit_ns;
	int ret;

	for (i = 0; i < sizeof(limit_names) / sizeof(limit_names[0]); i++)
		if (strlen(limit_names[i].name) == len &&
		    !strncmp(text, limit_names[i].name, len))
			break;
	if (!text[len] || i == sizeof(limit_names) / sizeof(limit_names[0]))
		return err_usage(err,
				 "%s: '%.60s' is not a limit; write mean, p50, "
				 "p90, p95, p99, p99.9 or p99.99 and a time, "
				 "such as p99=2ms",
				 where, text);
	ret = units_parse_duration(text + len + 1, where, &limit_ns, err);
	if (ret)
		return ret;
	out->which = limit_names[i].which;
	out->limit_us = (double)limit_ns / NS_PER_US;
	return 0;
}

/* What is filled by the handler. */
struct target_of_options {
	struct plan_request *req;
	struct run_options *opts;
};

static int add_target(struct plan_request *req, const char *path,
		      struct err *err)
{
	char **targets =
	    realloc(req->targets, (req->target_count + 1) * sizeof(*targets));
	char *copy = strdup(path);

	if (targets)
		req->targets = targets;
	if (!targets || !copy) {
		free(copy);
		return err_failed(err, ENOMEM, "out of memory");
	}
	targets[req->target_count++] = copy;
	return 0;
}

static int set_consent(struct run_options *opts, const char *where,
		       const char *value, struct err *err)
{
	if (!*value)
		return err_usage(err, "%s names no device", where);
	if (opts->consent && strcmp(opts->consent, value))
		return err_usage(err,
				 "%s names both '%s' and '%s'; a run destroys "
				 "the data of one",
				 where, opts->consent, value);
	opts->consent = value;
	return 0;
}

static int set_batch(uint32_t *batch, const char *where, const char *value,
		     struct err *err)
{
	if (!strcmp(value, "max")) {
		*batch = UINT32_MAX;
		return 0;
	}
	if (!units_parse_count(value, where, batch, NULL) &&
	    *batch <= PLAN_QUEUE_DEPTH_MAX)
		return 0;
	return err_usage(err,
			 "%s: '%.60s' is not a batch; write max or a number "
			 "from 1 to %d, such as 8",
			 where, value, PLAN_QUEUE_DEPTH_MAX);
}

/* Shorter ones would slow down what they look at. */
static int set_interval(uint64_t *interval_ns, const char *where,
			const char *value, struct err *err)
{
	uint64_t ns;
	int ret = units_parse_duration(value, where, &ns, err);

	if (ret)
		return ret;
	if (ns < NS_PER_MS)
		return err_usage(err,
				 "%s: '%.60s' is too short; write 1ms or more, "
				 "such as 100ms",
				 where, value);
	*interval_ns = ns;
	return 0;
}

static int set_cpus(struct run_options *opts, const char *where,
		    const char *value, struct err *err)
{
	struct cpus cpus;
	int ret;

	if (!*value)
		return err_usage(err,
				 "%s: the list is empty; write processors, "
				 "such as 0-3,6",
				 where);
	ret = cpus_parse(value, &cpus, err);
	if (ret)
		return ret;
	cpus_free(&cpus);
	opts->cpus = value;
	return 0;
}

static int set_label(struct run_options *opts, const char *where,
		     const char *value, struct err *err)
{
	if (!*value || strlen(value) > LABEL_MAX_BYTES || strchr(value, '/') ||
	    value[0] == '.' || !words_are_clean(value))
		return err_usage(err,
				 "%s: '%.60s' is not a label; write up to %d "
				 "bytes of text without '/' and no '.' first, "
				 "such as san1",
				 where, value, LABEL_MAX_BYTES);
	opts->label = value;
	return 0;
}

static int set_path(const char **path, const char *where, const char *value,
		    struct err *err)
{
	if (!*value)
		return err_usage(err, "%s: the name is empty", where);
	*path = value;
	return 0;
}

static int set_run_option(struct run_options *opts, int key, const char *where,
			  const char *value, struct err *err)
{
	switch (key) {
	case KEY_TEMPLATE:
		return set_path(&opts->template_name, where, value, err);
	case KEY_PLAN_FILE:
		return set_path(&opts->plan_file, where, value, err);
	case KEY_DESTROY:
		return set_consent(opts, where, value, err);
	case KEY_LAYOUT:
		opts->layout = true;
		break;
	case KEY_REMOVE:
		opts->remove_made = true;
		break;
	case KEY_BATCH:
		return set_batch(&opts->batch, where, value, err);
	case KEY_POLL:
		opts->poll = true;
		break;
	case KEY_VERIFY:
		opts->verify = true;
		return 0;
	case KEY_BUSY_WAIT:
		opts->busy_wait = true;
		break;
	case KEY_CPUS:
		return set_cpus(opts, where, value, err);
	case KEY_IO_TIMEOUT:
		return units_parse_duration(value, where, &opts->io_timeout_ns,
					    err);
	case KEY_WATCH:
		opts->watch = value;
		return stack_check_watch(value, where, err);
	case KEY_PROBE:
		return set_path(&opts->probe, where, value, err);
	case KEY_INTERVAL:
		return set_interval(&opts->interval_ns, where, value, err);
	case KEY_OUT:
		return set_path(&opts->out, where, value, err);
	case KEY_LABEL:
		return set_label(opts, where, value, err);
	case KEY_LATENCY_LIMIT:
		return options_parse_latency_limit(value, where, &opts->limit,
						   err);
	case KEY_THEME:
		return set_path(&opts->theme, where, value, err);
	case KEY_PIVOT:
		opts->pivot = true;
		break;
	case KEY_REPRODUCIBLE:
		break;
	case KEY_QUIET:
		opts->quiet = true;
		break;
	case KEY_VERBOSE:
		opts->verbose = true;
		break;
	case KEY_NO_COLOR:
		opts->no_color = true;
		break;
	case KEY_RESUME:
		return set_path(&opts->resume, where, value, err);
	case KEY_FORCE_RESUME:
		opts->force_resume = true;
		break;
	case KEY_RETRY_FAILED:
		opts->retry_failed = true;
		break;
	}
	return 0;
}

const char *options_kept_name(int i)
{
	return kept[i].name;
}

bool options_kept_binds(int i)
{
	return kept[i].binds;
}

int options_keep(struct run_options *opts, int i, const char *value,
		 struct err *err)
{
	char where[128];

	snprintf(where, sizeof(where), "run.ini: %s", kept[i].name);
	opts->kept[i] = value;
	return set_run_option(opts, kept[i].key, where, value, err);
}

static void note_kept(struct run_options *opts, int key, const char *value)
{
	int i;

	for (i = 0; i < OPTIONS_KEPT_COUNT; i++)
		if (kept[i].key == key)
			opts->kept[i] = value ? value : SAID;
}

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct target_of_options *to = arg;
	int plan_key = plan_key_of(key);

	if (key == CLI_ARGUMENT)
		return add_target(to->req, value, err);
	if (key == KEY_TAG)
		return tags_add_option(to->req, value, where, err);
	if (plan_key < 0) {
		note_kept(to->opts, key, value);
		return set_run_option(to->opts, key, where, value, err);
	}
	/* One that takes no value says yes. */
	if (plan_text_set(&to->req->option[plan_key], value ? value : "yes",
			  where))
		return err_failed(err, ENOMEM, "out of memory");
	return 0;
}

/* Others must not be able to change it between the look and the reading. */
static int read_plan(const char *path, struct plan_request *req,
		     struct err *err)
{
	struct err distrust = {.kind = ERR_NONE};
	int trust = trust_file(path, &distrust);
	int ret = planfile_read(path, req, err);

	if (ret || !trust || !plan_request_has_commands(req))
		return ret;
	return err_refused(err, "%s", distrust.text);
}

/* Into req what the plan file or template says. */
static int read_source(const struct run_options *opts, const char *datadir,
		       struct plan_request *req, struct err *err)
{
	char *path;
	int ret;

	if (opts->plan_file)
		return read_plan(opts->plan_file, req, err);
	if (!opts->template_name)
		return 0;
	ret = template_find(datadir, opts->template_name, &path, err);
	if (ret)
		return ret;
	ret = read_plan(path, req, err);
	free(path);
	return ret;
}

/* What makes it a search, unless it is said, or a run goes on that knows. */
static int set_budget(struct plan_request *req, const struct run_options *opts,
		      struct err *err)
{
	if (opts->resume || req->option[PLAN_BUDGET].value ||
	    req->common[PLAN_BUDGET].value)
		return 0;
	if (plan_text_set(&req->option[PLAN_BUDGET], DEFAULT_BUDGET,
			  "--budget"))
		return err_failed(err, ENOMEM, "out of memory");
	return 0;
}

static int check_together(const struct plan_request *req,
			  const struct run_options *opts, struct err *err)
{
	if (opts->plan_file && opts->template_name)
		return err_usage(err, "--plan and --template both name a plan; "
				      "keep one");
	if (opts->quiet && opts->verbose)
		return err_usage(err, "--quiet and --verbose contradict each "
				      "other; keep one");
	if (opts->resume && opts->out && strcmp(opts->resume, opts->out))
		return err_usage(err, "--resume and --out name two folders; "
				      "keep the one of --resume");
	if (opts->resume && opts->layout)
		return err_usage(err,
				 "--layout would change the data in the middle "
				 "of the sweep; leave it out of --resume");
	if (opts->resume && req->tag_count)
		return err_usage(err,
				 "--tag is for a run that begins; write the "
				 "tag under [tags] in run.ini of '%s'",
				 opts->resume);
	if (!opts->resume && (opts->force_resume || opts->retry_failed))
		return err_usage(
		    err,
		    "%s is about a run that is there; name its folder "
		    "with --resume",
		    opts->force_resume ? "--force-resume" : "--retry-failed");
	return 0;
}

/* A plan's variants may have targets of their own, and a run that goes on
 * knows its own. */
static int check_targets(const struct plan_request *req,
			 const struct run_options *opts, const char *command,
			 struct err *err)
{
	if (!req->target_count && !req->variant_count && !opts->resume)
		return err_usage(err,
				 "%s needs a target: a file, a folder or a "
				 "block device (iosweep %s --help)",
				 command, command);
	return 0;
}

int options_parse(int argc, char **argv, enum options_command command,
		  const char *datadir, struct plan_request *req,
		  struct run_options *opts, struct err *err)
{
	struct target_of_options to = {.req = req, .opts = opts};
	int ret;

	memset(opts, 0, sizeof(*opts));
	opts->limit.which = PCT_COUNT;
	opts->limit.limit_us = NAN;
	ret = units_parse_duration(DEFAULT_IO_TIMEOUT, "--io-timeout",
				   &opts->io_timeout_ns, err);
	if (!ret)
		ret = cli_parse(&commands[command], argc, argv, take, &to, err);
	if (!ret)
		ret = check_together(req, opts, err);
	if (!ret)
		ret = read_source(opts, datadir, req, err);
	if (!ret)
		ret = check_targets(req, opts, commands[command].name, err);
	if (!ret && command == OPTIONS_FIND)
		ret = set_budget(req, opts, err);
	return ret;
}

void options_print_help(enum options_command command, FILE *f)
{
	cli_print_help(&commands[command], f);
}
