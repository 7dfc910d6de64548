/*
 * cmd: the commands of iosweep, each in its own cmd_*.c. A command gets its
 * own name as argv[0] and returns the exit status of the program; what went
 * wrong is in err, which main prints, once.
 */
#ifndef SWEEP_CMD_H
#define SWEEP_CMD_H

#include "engine/err.h"

/* Exit statuses beside those of err_exit_status. */
enum {
	EXIT_OK = 0,
	EXIT_SOME_FAILED = 1,
	EXIT_BELOW = 4, /* an expectation was not met */
	EXIT_SIGINT = 130,
	EXIT_SIGTERM = 143,
};

struct cmd {
	const char *name;
	const char *arguments; /* "TARGET..." */
	const char *summary;   /* one line */
	int (*run)(int argc, char **argv, struct err *err);
};

int cmd_run(int argc, char **argv, struct err *err);
int cmd_find(int argc, char **argv, struct err *err);
int cmd_plan(int argc, char **argv, struct err *err);
int cmd_check(int argc, char **argv, struct err *err);
int cmd_show(int argc, char **argv, struct err *err);
int cmd_export(int argc, char **argv, struct err *err);
int cmd_compare(int argc, char **argv, struct err *err);
int cmd_templates(int argc, char **argv, struct err *err);
int cmd_columns(int argc, char **argv, struct err *err);

extern const char iosweep_version[];
/* PREFIX/share/iosweep */
extern const char iosweep_datadir[];

#endif
