/* options: the command line of run and plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/options.h"
#include "tests/textfile.h"

/* Root of the sources, where templates/ is. */
static char root[PATH_MAX];
static char scratch[TEXTFILE_PATH_MAX];

static int prepare(void **state)
{
	ssize_t len = readlink("/proc/self/exe", root, sizeof(root) - 1);
	int i;

	(void)state;
	if (len < 0)
		return -1;
	root[len] = '\0';
	for (i = 0; i < 4; i++) {
		char *slash = strrchr(root, '/');

		if (!slash)
			return -1;
		*slash = '\0';
	}
	textfile_new(scratch, "", 0);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	return unlink(scratch);
}

#define WORDS_MAX 12
typedef const char *words[WORDS_MAX];

static int parse(const words rest, enum options_command command,
		 struct plan_request *req, struct run_options *opts,
		 struct err *err)
{
	static char *argv[WORDS_MAX + 2];
	int argc = 1;

	memset(argv, 0, sizeof(argv));
	argv[0] = (char *)"run";
	while (argc <= WORDS_MAX && rest[argc - 1]) {
		argv[argc] = (char *)rest[argc - 1];
		argc++;
	}
	memset(req, 0, sizeof(*req));
	return options_parse(argc, argv, command, root, req, opts, err);
}

static void defaults_hold_where_nothing_is_said(void **state)
{
	static const words line = {"/t"};
	struct plan_request req;
	struct run_options opts;
	int key;

	(void)state;
	assert_int_equal(parse(line, OPTIONS_RUN, &req, &opts, NULL), 0);
	assert_int_equal(req.target_count, 1);
	assert_string_equal(req.targets[0], "/t");
	for (key = 0; key < PLAN_KEY_COUNT; key++)
		assert_null(req.option[key].value);
	assert_null(opts.consent);
	assert_null(opts.cpus);
	assert_null(opts.out);
	assert_null(opts.label);
	assert_int_equal(opts.batch, 0);
	assert_true(opts.io_timeout_ns == 60000000000u);
	assert_true(opts.interval_ns == 0);
	assert_true(isnan(opts.limit.limit_us));
	assert_false(opts.layout || opts.remove_made || opts.poll ||
		     opts.busy_wait || opts.quiet || opts.verbose ||
		     opts.no_color);
	plan_request_fini(&req);
}

static void every_word_of_the_plan_reaches_it_with_its_place(void **state)
{
	static const struct {
		words line;
		enum plan_key key;
	} cases[] = {
	    {{"-b", "v", "/t"}, PLAN_BLOCK_SIZE},
	    {{"--block-size", "v", "/t"}, PLAN_BLOCK_SIZE},
	    {{"-o", "v", "/t"}, PLAN_OUTSTANDING},
	    {{"--outstanding", "v", "/t"}, PLAN_OUTSTANDING},
	    {{"-q", "v", "/t"}, PLAN_QUEUE_DEPTH},
	    {{"--queue-depth", "v", "/t"}, PLAN_QUEUE_DEPTH},
	    {{"-p", "v", "/t"}, PLAN_PATTERN},
	    {{"--pattern", "v", "/t"}, PLAN_PATTERN},
	    {{"-r", "v", "/t"}, PLAN_READ},
	    {{"--read", "v", "/t"}, PLAN_READ},
	    {{"-t", "v", "/t"}, PLAN_THREADS},
	    {{"--threads", "v", "/t"}, PLAN_THREADS},
	    {{"--working-set", "v", "/t"}, PLAN_WORKING_SET},
	    {{"--rate", "v", "/t"}, PLAN_RATE},
	    {{"--cache", "v", "/t"}, PLAN_CACHE},
	    {{"--engine", "v", "/t"}, PLAN_ENGINE},
	    {{"--variant", "v", "/t"}, PLAN_VARIANT},
	    {{"-s", "v", "/t"}, PLAN_SIZE},
	    {{"--size", "v", "/t"}, PLAN_SIZE},
	    {{"--time", "v", "/t"}, PLAN_TIME},
	    {{"--ramp", "v", "/t"}, PLAN_RAMP},
	    {{"--rounds", "v", "/t"}, PLAN_ROUNDS},
	    {{"--precision", "v", "/t"}, PLAN_PRECISION},
	    {{"--precondition-time", "v", "/t"}, PLAN_PRECONDITION_TIME},
	    {{"--pause", "v", "/t"}, PLAN_PAUSE},
	    {{"--max-time", "v", "/t"}, PLAN_MAX_TIME},
	    {{"--order", "v", "/t"}, PLAN_ORDER},
	    {{"--seed", "v", "/t"}, PLAN_SEED},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct plan_text *t;
		struct plan_request req;
		struct run_options opts;

		assert_int_equal(
		    parse(cases[i].line, OPTIONS_PLAN, &req, &opts, NULL), 0);
		t = &req.option[cases[i].key];
		assert_non_null(t->value);
		assert_string_equal(t->value, "v");
		assert_int_equal(strncmp(t->where, "--", 2), 0);
		assert_string_equal(t->where + 2, plan_key_name(cases[i].key));
		plan_request_fini(&req);
	}
}

static void keys_without_a_value_say_yes(void **state)
{
	static const words line = {"--steady", "--precondition", "/t"};
	struct plan_request req;
	struct run_options opts;

	(void)state;
	assert_int_equal(parse(line, OPTIONS_PLAN, &req, &opts, NULL), 0);
	assert_string_equal(req.option[PLAN_STEADY].value, "yes");
	assert_string_equal(req.option[PLAN_STEADY].where, "--steady");
	assert_string_equal(req.option[PLAN_PRECONDITION].value, "yes");
	assert_int_equal(req.target_count, 1);
	plan_request_fini(&req);
}

static void options_of_the_run_are_read(void **state)
{
	char cpu[16];
	const words one = {"--destroy-data-on",
			   "/dev/x",
			   "--layout",
			   "--remove",
			   "--batch",
			   "16",
			   "--poll",
			   "--busy-wait",
			   "--cpus",
			   cpu,
			   "/dev/x"};
	static const words two = {"--batch=max",
				  "--io-timeout=5s",
				  "--out=d",
				  "--label=san 1",
				  "--latency-limit=p99.9=2ms",
				  "--interval=20ms",
				  "--quiet",
				  "--no-color",
				  "/t"};
	struct plan_request req;
	struct run_options opts;

	(void)state;
	snprintf(cpu, sizeof(cpu), "%d", sched_getcpu());
	assert_int_equal(parse(one, OPTIONS_RUN, &req, &opts, NULL), 0);
	assert_string_equal(opts.consent, "/dev/x");
	assert_true(opts.layout && opts.remove_made && opts.poll &&
		    opts.busy_wait);
	assert_int_equal(opts.batch, 16);
	assert_string_equal(opts.cpus, cpu);
	plan_request_fini(&req);
	assert_int_equal(parse(two, OPTIONS_PLAN, &req, &opts, NULL), 0);
	assert_true(opts.batch == UINT32_MAX);
	assert_true(opts.io_timeout_ns == 5000000000u);
	assert_true(opts.interval_ns == 20000000u);
	assert_string_equal(opts.out, "d");
	assert_string_equal(opts.label, "san 1");
	assert_int_equal(opts.limit.which, PCT_999);
	assert_true(opts.limit.limit_us == 2000);
	assert_true(opts.quiet && opts.no_color && !opts.verbose);
	plan_request_fini(&req);
}

static void targets_are_never_split(void **state)
{
	static const words line = {"/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
				   "/a,b c", "\u00fc\u20ac", "--", "-x"};
	struct plan_request req;
	struct run_options opts;
	uint32_t i;

	(void)state;
	assert_int_equal(parse(line, OPTIONS_RUN, &req, &opts, NULL), 0);
	assert_int_equal(req.target_count, 4);
	for (i = 0; i < 4; i++)
		assert_string_equal(req.targets[i], line[i < 3 ? i : 4]);
	plan_request_fini(&req);
}

static void options_override_file_and_template(void **state)
{
	static const char text[] = "[sweep]\ntime = 30s\nrounds = 1\n"
				   "block-size = 4K\npattern = rand\n"
				   "outstanding = 1\n"
				   "[workload A]\nread = 70\n"
				   "[workload B]\nread = 0\nblock-size = 64K\n";
	const words by_file = {"/t", "--plan", scratch, "-b",
			       "8K", "--time", "2s"};
	static const words by_template = {"/t", "--template", "iometer-vmware",
					  "-o", "8"};
	struct plan_request req;
	struct run_options opts;
	struct plan plan;
	uint32_t i;

	(void)state;
	textfile_refill(scratch, text, strlen(text));
	assert_int_equal(parse(by_file, OPTIONS_RUN, &req, &opts, NULL), 0);
	assert_int_equal(plan_build(&req, &plan, NULL), 0);
	assert_int_equal(plan.point_count, 2);
	for (i = 0; i < 2; i++)
		assert_true(plan.points[i].workload.stream.block_size_bytes ==
			    8192);
	assert_true(plan.settings.time_ns == 2000000000);
	assert_int_equal(plan.settings.rounds, 1);
	plan_fini(&plan);
	plan_request_fini(&req);
	assert_int_equal(parse(by_template, OPTIONS_RUN, &req, &opts, NULL), 0);
	assert_int_equal(plan_build(&req, &plan, NULL), 0);
	assert_int_equal(plan.point_count, 4);
	for (i = 0; i < 4; i++)
		assert_int_equal(plan.points[i].workload.queue_depth, 8);
	plan_fini(&plan);
	plan_request_fini(&req);
}

static void faults_are_one_sentence_of_usage(void **state)
{
	static const struct {
		words line;
		const char *says;
	} cases[] = {
	    {{NULL}, "run needs a target: a file, a folder or"},
	    {{"--blocksize", "4K", "/t"}, "did you mean '--block-size'?"},
	    {{"--dry-run", "/t"}, "'--dry-run' is not an option of iosweep"},
	    {{"--destroy", "/t"},
	     "'--destroy' is short for "
	     "--destroy-data-on; write it out"},
	    {{"--destroy-data-on", "/a", "--destroy-data-on", "/b", "/a"},
	     "--destroy-data-on names both '/a' and '/b'"},
	    {{"--destroy-data-on", "", "/a"}, "--destroy-data-on names no"},
	    {{"--batch", "0", "/t"}, "--batch: '0' is not a batch"},
	    {{"--batch", "many", "/t"}, "--batch: 'many'"},
	    {{"--batch", "32769", "/t"}, "--batch: '32769'"},
	    {{"--cpus", "0-", "/t"}, "--cpus"},
	    {{"--cpus", "9999", "/t"}, "--cpus"},
	    {{"--io-timeout", "0", "/t"}, "--io-timeout: '0'"},
	    {{"--label", "a/b", "/t"}, "--label: 'a/b' is not a label"},
	    {{"--label", "..", "/t"}, "--label: '..'"},
	    {{"--label", "", "/t"}, "--label: ''"},
	    {{"--label", "a\nb", "/t"}, "--label: 'a?b'"},
	    {{"--out", "", "/t"}, "--out: the name is empty"},
	    {{"--latency-limit", "p99", "/t"}, "--latency-limit: 'p99' is"},
	    {{"--latency-limit", "p98=1ms", "/t"}, "such as p99=2ms"},
	    {{"--latency-limit", "=1ms", "/t"}, "such as p99=2ms"},
	    {{"--latency-limit", "p99=2", "/t", "--quiet=1"}, "--quiet takes"},
	    {{"--latency-limit", "p99=", "/t"}, "--latency-limit: ''"},
	    {{"--quiet", "--verbose", "/t"}, "--quiet and --verbose"},
	    {{"--plan", "/x", "--template", "y", "/t"}, "both name a plan"},
	    {{"--plan", "/nonexistent.ini", "/t"},
	     "cannot read /nonexistent.ini: No such file"},
	    {{"--template", "sqlio", "/t"}, "did you mean 'sqlio-sweetspot'?"},
	    {{"\u2013b8K", "/t"}, "U+2013 (en dash)"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.kind = ERR_NONE};
		struct plan_request req;
		struct run_options opts;

		assert_true(
		    parse(cases[i].line, OPTIONS_RUN, &req, &opts, &err) < 0);
		if (!strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err_exit_status(&err), 2);
		plan_request_fini(&req);
	}
}

static void a_search_has_a_budget_unless_a_run_goes_on(void **state)
{
	static const struct {
		words line;
		const char *budget; /* NULL: none */
	} cases[] = {
	    {{"/t"}, "120s"},
	    {{"--budget", "30s", "/t"}, "30s"},
	    {{"--resume", "results/r"}, NULL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan_request req;
		struct run_options opts;
		const char *said;

		assert_int_equal(
		    parse(cases[i].line, OPTIONS_FIND, &req, &opts, NULL), 0);
		said = req.option[PLAN_BUDGET].value;
		assert_int_equal(said != NULL, cases[i].budget != NULL);
		if (said)
			assert_string_equal(said, cases[i].budget);
		plan_request_fini(&req);
	}
}

static char *help_of(enum options_command command)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	options_print_help(command, f);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* A search has a budget in place of rounds, and an order of its own. */
static bool has_key(enum options_command command, int key)
{
	if (key == PLAN_ROUNDS || key == PLAN_PRECISION || key == PLAN_STEADY ||
	    key == PLAN_ORDER)
		return command != OPTIONS_FIND;
	return key != PLAN_BUDGET || command == OPTIONS_FIND;
}

/* Every key of the plan, and its default, is in the help of all three. */
static void help_tells_every_key_and_its_default(void **state)
{
	enum options_command command;
	char what[64];
	int key;

	(void)state;
	for (command = OPTIONS_RUN; command <= OPTIONS_FIND; command++) {
		char *text = help_of(command);

		for (key = 0; key < PLAN_KEY_COUNT; key++) {
			const char *fallback =
			    plan_key_default((enum plan_key)key);

			snprintf(what, sizeof(what), "--%s%s",
				 plan_key_name((enum plan_key)key),
				 key == PLAN_STEADY || key == PLAN_PRECONDITION
				     ? ""
				     : "=");
			assert_int_equal(strstr(text, what) != NULL,
					 has_key(command, key));
			if (!has_key(command, key))
				continue;
			snprintf(what, sizeof(what), "%s)",
				 fallback ? fallback : "");
			assert_non_null(strstr(text, what));
		}
		assert_non_null(strstr(text, "For example:"));
		free(text);
	}
}

static void help_is_asked_for_without_target(void **state)
{
	static const words line = {"--help"};
	struct plan_request req;
	struct run_options opts;

	(void)state;
	assert_int_equal(parse(line, OPTIONS_RUN, &req, &opts, NULL), CLI_HELP);
	plan_request_fini(&req);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_hold_where_nothing_is_said),
	    cmocka_unit_test(every_word_of_the_plan_reaches_it_with_its_place),
	    cmocka_unit_test(keys_without_a_value_say_yes),
	    cmocka_unit_test(options_of_the_run_are_read),
	    cmocka_unit_test(targets_are_never_split),
	    cmocka_unit_test(options_override_file_and_template),
	    cmocka_unit_test(faults_are_one_sentence_of_usage),
	    cmocka_unit_test(a_search_has_a_budget_unless_a_run_goes_on),
	    cmocka_unit_test(help_tells_every_key_and_its_default),
	    cmocka_unit_test(help_is_asked_for_without_target),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
