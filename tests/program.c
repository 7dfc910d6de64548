#include "tests/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *program_folder(void)
{
	char *folder = strdup("/tmp/iosweep-test.XXXXXX");

	assert_non_null(folder);
	assert_non_null(mkdtemp(folder));
	return folder;
}

void program_folder_remove(char *folder)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
	free(folder);
}

static char *read_all(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r");
	ssize_t n;

	assert_non_null(f);
	n = getdelim(&text, &size, '\0', f);
	fclose(f);
	if (n < 0) {
		free(text);
		text = strdup("");
	}
	assert_non_null(text);
	return text;
}

/* The binary's absolute path, so that it is found from any folder. */
static char *binary(void)
{
	const char *path = getenv("IOSWEEP");
	char *resolved = realpath(path ? path : "build/release/iosweep", NULL);

	assert_non_null(resolved);
	return resolved;
}

static char *command_line(const char *folder, const char *redirect,
			  const char *fmt, va_list ap)
{
	char *path = binary();
	char *words, *line;

	assert_true(vasprintf(&words, fmt, ap) >= 0);
	assert_true(
	    asprintf(&line,
		     "cd '%s' || exit 99; iosweep() { %s \"$@\"; }; %s%s",
		     folder, path, words, redirect) >= 0);
	free(words);
	free(path);
	return line;
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct program_result program_run(const char *folder, const char *fmt, ...)
{
	char caught[] = "/tmp/iosweep-out.XXXXXX";
	struct program_result r;
	char redirect[128], path[64];
	char *line;
	va_list ap;

	assert_non_null(mkdtemp(caught));
	snprintf(redirect, sizeof(redirect), " >%s/out 2>%s/err </dev/null",
		 caught, caught);
	va_start(ap, fmt);
	line = command_line(folder, redirect, fmt, ap);
	va_end(ap);
	r.status = exit_status(system(line));
	free(line);
	snprintf(path, sizeof(path), "%s/out", caught);
	r.out = read_all(path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/err", caught);
	r.err = read_all(path);
	unlink(path);
	rmdir(caught);
	return r;
}

void program_free(struct program_result *r)
{
	free(r->out);
	free(r->err);
}

/* exec in the shell, so that the pid is that of iosweep itself. */
pid_t program_start(const char *folder, const char *fmt, ...)
{
	char *path = binary();
	char *words, *line;
	va_list ap;
	pid_t pid;

	va_start(ap, fmt);
	assert_true(vasprintf(&words, fmt, ap) >= 0);
	va_end(ap);
	assert_true(asprintf(&line,
			     "cd '%s' && exec %s %s >log 2>&1 </dev/null",
			     folder, path, words) >= 0);
	free(words);
	free(path);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	free(line);
	return pid;
}

int program_wait(pid_t pid)
{
	int status;

	assert_true(waitpid(pid, &status, 0) == pid);
	return exit_status(status);
}

int program_count_entries(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

int program_count_lines(const char *folder, const char *name)
{
	char path[512];
	int c, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

bool program_exists(const char *folder, const char *name)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !stat(path, &st);
}
