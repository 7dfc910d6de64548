/*
 * program: runs iosweep as a user would and catches what it says. The binary
 * is $IOSWEEP, or build/release/iosweep.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The root of the sources that the running test was built from, on the
 * heap. */
char *program_root(void);

struct program_result {
	int status; /* exit status, or 128 + signal */
	char *out;  /* stdout and stderr, owned, never NULL */
	char *err;
};

/* A fresh empty folder, on the heap, on a file system that takes O_DIRECT
 * where one is found ($TMPDIR, /tmp, /var/tmp, here); program_folder_remove
 * takes it away with all that is in it. */
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

/* Fail the test, showing what was said, unless it ended with that status. */
void program_assert_status(const struct program_result *r, int status);
/* The same; and it said nothing on stdout and exactly one sentence on stderr,
 * on one line, as "iosweep: ...", that holds `part`. */
void program_assert_sentence(const struct program_result *r, int status,
			     const char *part);
/* Fail the test, showing the text, unless part stands in it. */
void program_assert_contains(const char *text, const char *part);

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

/* folder/name on the heap. */
char *program_path(const char *folder, const char *name);
/* The path of the one entry of a folder, on the heap; fails the test when
 * there is another number of them. */
char *program_only_entry(const char *folder);

/* The same of folder/results: the run folder of the only run there. */
char *program_run_folder(const char *folder);

/* A file's text, on the heap; fails the test when it cannot be read. */
char *program_read(const char *folder, const char *name);
/* Make folder/name with that text. */
void program_write(const char *folder, const char *name, const char *text);
/* Make folder/name of that size, full of data that repeats nowhere near. */
void program_fill(const char *folder, const char *name, size_t size_bytes);
/* A number that changes with content and size of a file. */
uint64_t program_checksum(const char *path);

#endif
