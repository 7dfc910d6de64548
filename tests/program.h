/*
 * program: runs iosweep as a user would and catches what it says. The binary
 * is $IOSWEEP, or build/release/iosweep.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

struct program_result {
	int status; /* exit status, or 128 + signal */
	char *out;  /* stdout and stderr, owned, never NULL */
	char *err;
};

/* A fresh empty folder below /tmp, on the heap; program_folder_remove takes
 * it away with all that is in it. */
char *program_folder(void);
void program_folder_remove(char *folder);

/*
 * Run a shell command line in folder with `iosweep` standing for the binary
 * ("iosweep plan x --size 1G"; the shell quotes). Fails the test when it
 * cannot be started. program_free frees.
 */
struct program_result program_run(const char *folder, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void program_free(struct program_result *r);

/* Start it and come back at once; stdout and stderr go to folder/log. */
pid_t program_start(const char *folder, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Wait for it: exit status, or 128 + signal. */
int program_wait(pid_t pid);

/* Entries in a folder, "." and ".." aside. */
int program_count_entries(const char *folder);
/* Lines in a file; -1 when it cannot be read. */
int program_count_lines(const char *folder, const char *name);
bool program_exists(const char *folder, const char *name);

#endif
