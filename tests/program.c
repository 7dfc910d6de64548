#include "tests/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether O_DIRECT there means what it says: tmpfs takes it and ignores it. */
static bool takes_direct(const char *folder)
{
	struct statfs fs;
	int fd;

	if (statfs(folder, &fs) || fs.f_type == TMPFS_MAGIC)
		return false;
	fd = open(folder, O_TMPFILE | O_RDWR | O_DIRECT, 0600);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static const char *base_folder(void)
{
	const char *const bases[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "."};
	size_t i;

	for (i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (bases[i] && bases[i][0] && takes_direct(bases[i]))
			return bases[i];
	return "/tmp";
}

char *program_folder(void)
{
	char *folder = program_path(base_folder(), "iosweep-test.XXXXXX");

	assert_non_null(mkdtemp(folder));
	return folder;
}

char *program_root(void)
{
	char *path = realpath("/proc/self/exe", NULL);
	int i;

	assert_non_null(path);
	/* Out of build/VARIANT/tests/test_x. */
	for (i = 0; i < 4; i++)
		*strrchr(path, '/') = '\0';
	return path;
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

	if (!f)
		fail_msg("%s cannot be read", path);
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

static char *__attribute__((format(printf, 3, 0)))
command_line(const char *folder, const char *redirect, const char *fmt,
	     va_list ap)
{
	char *path = binary();
	char *words, *line;

	assert_true(vasprintf(&words, fmt, ap) >= 0);
	assert_true(
	    asprintf(&line,
		     "cd '%s' || exit 99; iosweep() { %s \"$@\"; }; { %s\n}%s",
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

static void show(const struct program_result *r)
{
	print_message("exit status %d\nstdout:\n%s\nstderr:\n%s\n", r->status,
		      r->out, r->err);
}

void program_assert_status(const struct program_result *r, int status)
{
	if (r->status != status)
		show(r);
	assert_int_equal(r->status, status);
}

void program_assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

void program_assert_sentence(const struct program_result *r, int status,
			     const char *part)
{
	const char *end = strchr(r->err, '\n');

	program_assert_status(r, status);
	if (r->out[0] || strncmp(r->err, "iosweep: ", 9) || !end || end[1] ||
	    !strstr(r->err, part)) {
		show(r);
		fail_msg("not one sentence with '%s'", part);
	}
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

char *program_path(const char *folder, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) >= 0);
	return path;
}

char *program_only_entry(const char *folder)
{
	DIR *dir = opendir(folder);
	char *path = NULL;
	struct dirent *entry;

	if (!dir)
		fail_msg("%s is not there", folder);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		assert_null(path);
		path = program_path(folder, entry->d_name);
	}
	closedir(dir);
	assert_non_null(path);
	return path;
}

char *program_run_folder(const char *folder)
{
	char *results = program_path(folder, "results");
	char *run = program_only_entry(results);

	free(results);
	return run;
}

char *program_read(const char *folder, const char *name)
{
	char *path = program_path(folder, name);
	char *text = read_all(path);

	free(path);
	return text;
}

static void write_bytes(const char *folder, const char *name, const void *bytes,
			size_t size)
{
	char *path = program_path(folder, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fwrite(bytes, 1, size, f) == size);
	assert_int_equal(fclose(f), 0);
	free(path);
}

void program_write(const char *folder, const char *name, const char *text)
{
	write_bytes(folder, name, text, strlen(text));
}

void program_fill(const char *folder, const char *name, size_t size_bytes)
{
	unsigned char *bytes = malloc(size_bytes);
	uint64_t x = 88172645463325252u;
	size_t i;

	assert_non_null(bytes);
	for (i = 0; i < size_bytes; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		bytes[i] = (unsigned char)x;
	}
	write_bytes(folder, name, bytes, size_bytes);
	free(bytes);
}

uint64_t program_checksum(const char *path)
{
	uint64_t sum = 14695981039346656037u;
	FILE *f = fopen(path, "r");
	int c;

	if (!f)
		fail_msg("%s cannot be read", path);
	while ((c = fgetc(f)) != EOF)
		sum = (sum ^ (unsigned char)c) * 1099511628211u;
	fclose(f);
	return sum;
}
