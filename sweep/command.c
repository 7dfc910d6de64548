#include "sweep/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

#define SHELL "/bin/sh"
/* How often it is looked after. */
#define LOOK_MS 10
/* From SIGTERM to SIGKILL, and from there until it is given up: a process
 * that hangs inside the kernel ignores even that. */
#define GRACE_NS (2 * NS_PER_SEC)

extern char **environ;

struct child {
	pid_t pid; /* and its group */
	int output;
	uint64_t started_ns;
	/* The last bytes that it said, as a ring. */
	char ring[COMMAND_OUTPUT_MAX];
	uint64_t said;
	int status;
};

/* ---- its environment: ours, but for three ---- */

static const char *const names[] = {
    "IOSWEEP_VARIANT=", "IOSWEEP_TARGET=", "IOSWEEP_POINT="};
#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

static bool is_one_of_three(const char *variable)
{
	size_t i;

	for (i = 0; i < NAME_COUNT; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static void free_environment(char **env, size_t own)
{
	while (env && own > 0)
		free(env[--own]);
	free(env);
}

/* The first *own entries are to be freed. NULL: no memory. */
static char **make_environment(const struct command *c, size_t *own)
{
	const char *const values[NAME_COUNT] = {c->variant, c->target,
						c->point};
	size_t i, count = 0;
	char **env;

	*own = 0;
	while (environ[count])
		count++;
	env = calloc(count + NAME_COUNT + 1, sizeof(*env));
	for (i = 0; env && i < NAME_COUNT; i++) {
		if (!values[i])
			continue;
		if (asprintf(&env[*own], "%s%s", names[i], values[i]) < 0) {
			free_environment(env, *own);
			return NULL;
		}
		++*own;
	}
	count = *own;
	for (i = 0; env && environ[i]; i++)
		if (!is_one_of_three(environ[i]))
			env[count++] = environ[i];
	return env;
}

/* ---- start ---- */

/* Signals as a program finds them that a shell has started. */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	rc = posix_spawnattr_setsigdefault(attr, &all);
	if (!rc)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (!rc)
		rc = posix_spawnattr_setpgroup(attr, 0);
	if (!rc)
		rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF |
							POSIX_SPAWN_SETSIGMASK |
							POSIX_SPAWN_SETPGROUP);
	return rc;
}

static int set_files(posix_spawn_file_actions_t *files, int output)
{
	int rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO,
						  "/dev/null", O_RDONLY, 0);

	if (!rc)
		rc = posix_spawn_file_actions_adddup2(files, output,
						      STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(files, output,
						      STDERR_FILENO);
	return rc;
}

/* 0 or a positive errno. */
static int spawn(const struct command *c, char **env, int output, pid_t *pid)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)c->text,
			      NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = set_attributes(&attr);
		if (!rc)
			rc = set_files(&files, output);
		if (!rc)
			rc = posix_spawn(pid, SHELL, &files, &attr, argv, env);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* 0 or a positive errno. */
static int start(const struct command *c, struct child *child)
{
	int ends[2], rc;
	size_t own;
	char **env;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	env = make_environment(c, &own);
	rc = env ? spawn(c, env, ends[1], &child->pid) : ENOMEM;
	free_environment(env, own);
	close(ends[1]);
	child->output = ends[0];
	child->started_ns = clock_now_ns();
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	if (rc)
		close(ends[0]);
	return rc;
}

/* ---- what it says ---- */

/* Take what is there; false when there will be no more. */
static bool listen_to(struct child *child)
{
	char part[4096];
	ssize_t n, i;

	while ((n = read(child->output, part, sizeof(part))) > 0)
		for (i = 0; i < n; i++)
			child->ring[child->said++ % COMMAND_OUTPUT_MAX] =
			    part[i];
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* The end of it as one line, ": a; b" with a colon before, or "". */
static char *tell_output(const struct child *child,
			 char buf[COMMAND_OUTPUT_MAX + 8])
{
	uint64_t at = child->said > COMMAND_OUTPUT_MAX
			  ? child->said - COMMAND_OUTPUT_MAX
			  : 0;
	char *to = buf;

	to = stpcpy(to, at ? ": ..." : ": ");
	for (; at < child->said; at++) {
		char c = child->ring[at % COMMAND_OUTPUT_MAX];

		*to++ = c == '\n' || c == '\t' ? ' ' : c;
	}
	while (to > buf && (to[-1] == ' ' || to[-1] == ':'))
		to--;
	*to = '\0';
	return buf;
}

/* ---- its end ---- */

/* Wait for at most so long; true when it has ended. */
static bool wait_for(struct child *child, uint64_t most_ns,
		     const struct command *c)
{
	uint64_t begin = clock_now_ns();
	bool open = true;

	do {
		struct pollfd p = {.fd = open ? child->output : -1,
				   .events = POLLIN};

		poll(&p, 1, LOOK_MS);
		if (open)
			open = listen_to(child);
		if (waitpid(child->pid, &child->status, WNOHANG) == child->pid)
			return true;
		if (c && c->stop && *c->stop >= c->stop_at)
			return false;
	} while (clock_now_ns() - begin < most_ns);
	return false;
}

/* False when even SIGKILL does not end it. */
static bool end_group(struct child *child)
{
	bool ended;

	kill(-child->pid, SIGTERM);
	ended = wait_for(child, GRACE_NS, NULL);
	/* What it started may have outlived it. */
	kill(-child->pid, SIGKILL);
	return ended || wait_for(child, GRACE_NS, NULL);
}

static int judge_status(const struct command *c, const struct child *child,
			struct err *err)
{
	char said[COMMAND_OUTPUT_MAX + 8];

	if (WIFEXITED(child->status) && !WEXITSTATUS(child->status))
		return 0;
	if (WIFEXITED(child->status))
		return err_failed(err, ECHILD, "%s ended with status %d%s",
				  c->name, WEXITSTATUS(child->status),
				  tell_output(child, said));
	return err_failed(err, ECHILD, "%s was ended by signal %d (%s)%s",
			  c->name, WTERMSIG(child->status),
			  strsignal(WTERMSIG(child->status)),
			  tell_output(child, said));
}

/* It did not end by itself. */
static int cut_short(const struct command *c, struct child *child,
		     struct err *err)
{
	bool stopped = c->stop && *c->stop >= c->stop_at;
	bool ended = end_group(child);
	char said[COMMAND_OUTPUT_MAX + 8], limit[UNITS_TEXT_MAX];
	char left[64] = "";

	if (!ended)
		snprintf(left, sizeof(left),
			 ", but its process %ld cannot be ended",
			 (long)child->pid);
	listen_to(child);
	tell_output(child, said);
	if (stopped)
		return err_failed(err, EINTR, "%s was ended by the user%s%s",
				  c->name, left, said);
	return err_failed(err, ETIMEDOUT,
			  "%s took longer than %s (--command-timeout) and was "
			  "ended%s%s",
			  c->name, units_format_duration(limit, c->timeout_ns),
			  left, said);
}

int command_run(const struct command *c, struct err *err)
{
	struct child child = {.said = 0};
	int rc = start(c, &child);

	if (rc)
		return err_failed(err, rc, "%s cannot be started: %s", c->name,
				  strerror(rc));
	if (wait_for(&child, c->timeout_ns, c)) {
		listen_to(&child);
		rc = judge_status(c, &child, err);
	} else {
		rc = cut_short(c, &child, err);
	}
	close(child.output);
	return rc;
}
