/* cli: options and arguments of a command, and every way to get them wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/cli.h"

enum { KEY_QUIET = CLI_KEY_LONG, KEY_RAMP, KEY_ROUNDS };

static const struct cli_option first_options[] = {
    {"size", 's', "SIZE", "how large"},
    {"json", 'j', NULL, "print JSON"},
    {NULL, 0, NULL, NULL},
};
static const struct cli_option second_options[] = {
    {"quiet", KEY_QUIET, NULL, "say nothing"},
    {"ramp", KEY_RAMP, "TIME", "before it"},
    {"rounds", KEY_ROUNDS, "N", "how often"},
    {NULL, 0, NULL, NULL},
};
static const struct cli_group groups[] = {
    {"First:", first_options},
    {"Second:", second_options},
    {NULL, NULL},
};

static const char *default_of(int key)
{
	return key == 's' ? "10G" : NULL;
}

static const struct cli_command command = {
    .name = "try",
    .arguments = "TARGET...",
    .summary = "Tries something.",
    .notes = "For example:\n  iosweep try 100%",
    .groups = groups,
    .default_of = default_of,
};

/* What the handler was told: "--size=8K try=x ". */
struct log {
	char text[1024];
	const char *stop_at;
};

static int note(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct log *log = arg;
	size_t len = strlen(log->text);

	snprintf(log->text + len, sizeof(log->text) - len, "%s%s%s ", where,
		 value ? "=" : "", value ? value : "");
	assert_int_equal(key == CLI_ARGUMENT, strncmp(where, "--", 2) != 0);
	if (log->stop_at && value && !strcmp(value, log->stop_at)) {
		err_usage(err, "stopped at %s", value);
		return -ENOENT;
	}
	return 0;
}

#define WORDS_MAX 8
/* A command line; NULL ends it. */
typedef const char *words[WORDS_MAX];

static int parse(const words rest, struct log *log, struct err *err)
{
	char *argv[WORDS_MAX + 2] = {(char *)"try"};
	char *before[WORDS_MAX + 2];
	int argc = 1, ret;

	while (argc <= WORDS_MAX && rest[argc - 1]) {
		argv[argc] = (char *)rest[argc - 1];
		argc++;
	}
	memcpy(before, argv, sizeof(argv));
	memset(log->text, 0, sizeof(log->text));
	ret = cli_parse(&command, argc, argv, note, log, err);
	assert_memory_equal(before, argv, sizeof(argv));
	return ret;
}

static void options_and_arguments_come_in_order(void **state)
{
	static const struct {
		words line;
		const char *told;
	} cases[] = {
	    {{"a"}, "try=a "},
	    {{"a", "--size", "8K", "b"}, "try=a --size=8K try=b "},
	    {{"-s8K", "-j", "a"}, "--size=8K --json try=a "},
	    {{"-js", "8K"}, "--json --size=8K "},
	    {{"--size=8K", "--quiet"}, "--size=8K --quiet "},
	    {{"--quiet", "-js8K"}, "--quiet --json --size=8K "},
	    {{"--size", "--", "-js8K"}, "--size=-- --json --size=8K "},
	    {{"--size="}, "--size= "},
	    {{"--size", "--quiet"}, "--size=--quiet "},
	    {{"--size=a=b"}, "--size=a=b "},
	    {{"pci-0000:00,x y"}, "try=pci-0000:00,x y "},
	    {{"--", "-x", "--size"}, "try=-x try=--size "},
	    {{"a", "--", "\u2013b"}, "try=a try=\u2013b "},
	    {{"./-x", "\u00fc"}, "try=./-x try=\u00fc "},
	    {{NULL}, ""},
	};
	struct log log = {.stop_at = NULL};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.kind = ERR_NONE};

		if (parse(cases[i].line, &log, &err))
			fail_msg("case %zu: %s", i, err.text);
		assert_string_equal(log.text, cases[i].told);
	}
}

static void posix_mode_changes_nothing(void **state)
{
	static const words line = {"a", "--size", "8K"};
	struct log log = {.stop_at = NULL};

	(void)state;
	setenv("POSIXLY_CORRECT", "1", 1);
	assert_int_equal(parse(line, &log, NULL), 0);
	unsetenv("POSIXLY_CORRECT");
	assert_string_equal(log.text, "try=a --size=8K ");
}

static void faults_are_one_sentence(void **state)
{
	static const struct {
		words line;
		const char *says;
	} cases[] = {
	    {{"--bogus"},
	     "'--bogus' is not an option of iosweep try (iosweep try --help "
	     "lists them)"},
	    {{"a", "--sise=8K"},
	     "'--sise' is not an option of iosweep try; did you mean "
	     "'--size'? (iosweep try --help lists them)"},
	    {{"--rmap", "1s", "a"}, "did you mean '--ramp'?"},
	    {{"-x"}, "'-x' is not an option"},
	    {{"a", "-xj", "b"}, "'-xj' is not an option"},
	    {{"a", "-jx", "b"}, "'-jx' is not an option"},
	    {{"--quiet", "-xj", "b"}, "'-xj' is not an option"},
	    {{"--size=8K", "-xj", "b"}, "'-xj' is not an option"},
	    {{"-j", "-xj", "b"}, "'-xj' is not an option"},
	    {{"a", "--size"}, "--size needs a value (SIZE)"},
	    {{"a", "-s"}, "--size needs a value (SIZE)"},
	    {{"--ramp"}, "--ramp needs a value (TIME)"},
	    {{"--quiet=3", "a"}, "--quiet takes no value; write it alone"},
	    {{"--rou=3"}, "'--rou' is short for --rounds; write it out"},
	    {{"--rou", "3"}, "'--rou' is short for --rounds; write it out"},
	    {{"--qui"}, "'--qui' is short for --quiet; write it out"},
	    {{"--r", "3"}, "'--r' is not an option"},
	    {{"--=3"}, "'--' is not an option"},
	    {{"-"}, "'-' looks like an option"},
	    {{""}, "an argument of iosweep try is empty"},
	    {{"\u2013s8K"}, "'\u2013s8K' begins with U+2013 (en dash)"},
	    {{"\u2014size", "8K"}, "begins with U+2014 (em dash)"},
	    {{"\u22121"}, "begins with U+2212 (minus sign)"},
	    {{"--size\u2013x"}, "'--size\u2013x' is not an option"},
	    {{"--a-name-that-is-much-longer-than-any-option-of-ours-could-"
	      "ever-want-to-be=1"},
	     "is not an option"},
	};
	struct log log = {.stop_at = NULL};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.kind = ERR_NONE};

		assert_int_equal(parse(cases[i].line, &log, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void the_handlers_error_is_kept(void **state)
{
	static const words lines[] = {{"--size", "bad", "--bogus"},
				      {"bad", "-x"}};
	struct log log = {.stop_at = "bad"};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct err err = {.kind = ERR_NONE};

		assert_int_equal(parse(lines[i], &log, &err), -ENOENT);
		assert_string_equal(err.text, "stopped at bad");
	}
}

static void help_ends_the_reading(void **state)
{
	static const words lines[] = {{"--help"},
				      {"-h"},
				      {"a", "--help", "--bogus"},
				      {"-hx"},
				      {"-hj"},
				      {"-hs8K"},
				      {"-jhs", "8K"},
				      {"-s", "8K", "-h", "bad"}};
	struct log log = {.stop_at = "bad"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(parse(lines[i], &log, NULL), CLI_HELP);
}

static void help_shows_groups_defaults_and_notes(void **state)
{
	static const char *const parts[] = {
	    "Usage: iosweep try [OPTION...] TARGET...",
	    "Tries something.",
	    "First:",
	    "-s, --size=SIZE",
	    "how large (default 10G)",
	    "-j, --json",
	    "print JSON\n",
	    "Second:",
	    "--rounds=N",
	    "-h, --help",
	    "For example:\n  iosweep try 100%",
	};
	char *text;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	cli_print_help(&command, f);
	assert_int_equal(fclose(f), 0);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strstr(text, parts[i]))
			fail_msg("'%s' is not in the help:\n%s", parts[i],
				 text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(options_and_arguments_come_in_order),
	    cmocka_unit_test(posix_mode_changes_nothing),
	    cmocka_unit_test(faults_are_one_sentence),
	    cmocka_unit_test(the_handlers_error_is_kept),
	    cmocka_unit_test(help_ends_the_reading),
	    cmocka_unit_test(help_shows_groups_defaults_and_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
