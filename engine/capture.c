#include "engine/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

extern char **environ;

static int spawn(const char *const argv[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int ret;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP |
					    POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	ret =
	    posix_spawnp(pid, argv[0], &actions, &attr, (char **)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

/* Until the pipe ends; what does not fit is dropped, so that nobody waits to
 * write. 0 or -ETIMEDOUT. */
static int drain(int fd, uint64_t until_ns, char *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char rest[4096];
	size_t used = 0;
	ssize_t n;

	for (;;) {
		uint64_t now = clock_now_ns();
		bool fits = used + 1 < size;

		if (now >= until_ns)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)((until_ns - now) / NS_PER_MS) + 1) <= 0)
			continue;
		n = fits ? read(fd, buf + used, size - 1 - used)
			 : read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		if (!fits)
			continue;
		used += (size_t)n;
		buf[used] = '\0';
	}
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

int capture_run(const char *const argv[], uint64_t limit_ns, char *buf,
		size_t size)
{
	int ends[2], ret, status;
	pid_t pid;

	buf[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	ret = spawn(argv, ends[1], &pid);
	close(ends[1]);
	if (ret == 0) {
		ret = drain(ends[0], clock_now_ns() + limit_ns, buf, size);
		if (ret)
			kill(-pid, SIGKILL);
		status = reap(pid);
		ret = ret ? ret : status;
	}
	close(ends[0]);
	return ret;
}
