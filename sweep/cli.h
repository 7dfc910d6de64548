/*
 * cli: the command line of one command: options in groups, arguments, help.
 * argp does the work; its messages and usage pages are replaced by a struct
 * err with one sentence. Nothing here prints but cli_print_help, and nothing
 * exits.
 *
 *	static const struct cli_option options[] = {
 *	    {"json", 'j', NULL, "print JSON"},
 *	    {"output", 'O', "FILE", "write to FILE"},
 *	    {NULL},
 *	};
 *	static const struct cli_group groups[] = {{"Options:", options}, {0}};
 *	static const struct cli_command show = {
 *	    .name = "show", .arguments = "RUN...", .groups = groups,
 *	};
 */
#ifndef SWEEP_CLI_H
#define SWEEP_CLI_H

#include <stdio.h>

#include "engine/err.h"

/* Keys of options that have no short form: from here on. */
#define CLI_KEY_LONG 0x100
/* The key of an argument that is no option. */
#define CLI_ARGUMENT 0

struct cli_option {
	const char *name;  /* without the dashes */
	int key;	   /* its letter, or CLI_KEY_LONG and more */
	const char *value; /* what stands for its value in the help; NULL: it
			    * takes none */
	const char *help;
};

struct cli_group {
	const char *header;		  /* "Axes:" */
	const struct cli_option *options; /* ended by a NULL name */
};

struct cli_command {
	const char *name;
	const char *arguments;		/* "TARGET..."; "" for none */
	const char *summary;		/* above the options */
	const char *notes;		/* below: examples; NULL: none */
	const struct cli_group *groups; /* ended by a NULL header */
	/* Default of an option for the help; may be NULL or return NULL. */
	const char *(*default_of)(int key);
};

/*
 * Takes one option, in the order of the command line: where is "--read", also
 * when its letter was typed, and value is NULL where it takes none. Or one
 * argument: key CLI_ARGUMENT, where is the command's name. Texts are argv's.
 * Return 0, or -errno with a sentence to stop.
 */
typedef int cli_handler(void *arg, int key, const char *where,
			const char *value, struct err *err);

#define CLI_HELP 1

/*
 * argv[0] is the name of the command. 0; CLI_HELP when help is asked for (the
 * rest is not read); or -errno with a sentence: an unknown option, with the
 * nearest, one without its value, an abbreviated one (which a later version
 * could take for another), an argument that looks like an option or does not
 * fit into a terminal and a table. Values and arguments are never split; behind
 * `--` everything is an argument. argv is not changed.
 */
int cli_parse(const struct cli_command *command, int argc, char **argv,
	      cli_handler *handler, void *arg, struct err *err);

/* Usage, options by group with their defaults, notes. */
void cli_print_help(const struct cli_command *command, FILE *f);

#endif
