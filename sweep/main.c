#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cmd.h"
#include "sweep/show.h"
#include "sweep/words.h"
#include "sweep/wrap.h"

const char iosweep_version[] = IOSWEEP_VERSION;
const char iosweep_datadir[] = IOSWEEP_DATADIR;

static const struct cmd cmds[] = {
    {"run", "TARGET...", "plan, measure, store, write the workbook", cmd_run},
    {"plan", "TARGET...", "the same options: print points, time, memory",
     cmd_plan},
    {"find", "TARGET...", "the sweet spot without the whole grid", cmd_find},
    {"check", "TARGET...", "what can be measured here, and what not",
     cmd_check},
    {"show", "RUN...", "sweet spots and heat maps in the terminal", cmd_show},
    {"export", "RUN... -O FILE", "write a workbook (.xlsx) or table (.csv)",
     cmd_export},
    {"compare", "BASE [OTHER...]", "what is faster, and how sure that is",
     cmd_compare},
    {"templates", "[NAME]", "list the plans that come with it, or print one",
     cmd_templates},
    {"columns", "", "every column with its unit and meaning", cmd_columns},
};
#define CMD_COUNT (sizeof(cmds) / sizeof(cmds[0]))

static void print_help(FILE *f)
{
	size_t i;

	fprintf(f,
		"iosweep %s: sweeps storage over block size and outstanding "
		"I/Os and finds\nthe sweet spot.\n\n"
		"usage: iosweep COMMAND [OPTION...] [ARGUMENT...]\n\n",
		iosweep_version);
	for (i = 0; i < CMD_COUNT; i++)
		fprintf(f, "  %-10s %-15s %s\n", cmds[i].name,
			cmds[i].arguments, cmds[i].summary);
	fprintf(f, "\niosweep COMMAND --help tells its options.\n\n"
		   "To begin:  iosweep run /data/iosweep.dat --size 4G\n"
		   "  makes that file, measures 128 points (8K to 1M, 1 to 128 "
		   "outstanding,\n  sequential and random reads), and writes "
		   "results/*/report.xlsx.\n");
}

static const struct cmd *find_cmd(const char *name)
{
	size_t i;

	for (i = 0; i < CMD_COUNT; i++)
		if (!strcmp(cmds[i].name, name))
			return &cmds[i];
	return NULL;
}

static int unknown_cmd(const char *name, struct err *err)
{
	struct words_nearest near = {.word = name};
	char hint[WORDS_HINT_MAX];
	size_t i;

	for (i = 0; i < CMD_COUNT; i++)
		words_offer(&near, cmds[i].name);
	err_usage(err,
		  "'%s' is not a command of iosweep%s (iosweep --help lists "
		  "them)",
		  name, words_hint(&near, hint));
	return err_exit_status(err);
}

static int dispatch(int argc, char **argv, struct err *err)
{
	const struct cmd *cmd;

	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("iosweep %s\n", iosweep_version);
		return EXIT_OK;
	}
	cmd = find_cmd(argv[1]);
	return cmd ? cmd->run(argc - 1, argv + 1, err)
		   : unknown_cmd(argv[1], err);
}

/* Started without one of them, we would get its number for a target or a file
 * of results, and then print there. */
static bool open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* One line for a program that reads it, broken between words for a person. */
static void print_error(const char *text)
{
	static const char who[] = "iosweep: ";

	if (!isatty(STDERR_FILENO)) {
		fprintf(stderr, "%s%s\n", who, text);
		return;
	}
	fputs(who, stderr);
	wrap_print(stderr, text, sizeof(who) - 1, 2,
		   show_style_detect(stderr, true).width);
}

/* What was printed has to have arrived: an earlier write may have failed, its
 * errno is gone then. */
static int close_output(int status)
{
	const char *reason = "a write to it failed";

	if (fflush(stdout))
		reason = strerror(errno);
	else if (!ferror(stdout))
		return status;
	if (status != EXIT_OK)
		return status;
	fprintf(stderr, "iosweep: standard output: %s\n", reason);
	return 1;
}

/* No setlocale: numbers, letters and files are the same everywhere. */
int main(int argc, char **argv)
{
	struct err err = {0};
	int status;

	if (!open_standard_streams())
		return 1;
	/* Too large a file is an error of its writer, not a death. */
	signal(SIGXFSZ, SIG_IGN);
	status = dispatch(argc, argv, &err);
	if (err.kind != ERR_NONE)
		print_error(err.text);
	return close_output(status);
}
