#include "export/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME "run.lock"

#define OWNER_MAX 128

/* "process 123 on host", or as much as the file tells. */
static void read_owner(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (!buf[0])
		snprintf(buf, size, "another process");
}

static int write_owner(int fd)
{
	char host[64] = "?";
	char owner[OWNER_MAX];
	int length;

	gethostname(host, sizeof(host) - 1);
	length = snprintf(owner, sizeof(owner), "process %ld on %s\n",
			  (long)getpid(), host);
	if (ftruncate(fd, 0) || pwrite(fd, owner, (size_t)length, 0) != length)
		return -errno;
	return 0;
}

/* False when the owner before removed the file between our open and lock. */
static bool still_there(int dir_fd, int fd)
{
	struct stat held, named;

	return !fstat(fd, &held) &&
	       !fstatat(dir_fd, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) &&
	       held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static int open_and_lock(int dir_fd, const char *folder, struct err *err)
{
	char owner[OWNER_MAX];
	int fd = openat(dir_fd, LOCK_NAME,
			O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return err_failed(err, errno, "%s/" LOCK_NAME ": %s", folder,
				  strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	if (errno == EWOULDBLOCK) {
		read_owner(fd, owner, sizeof(owner));
		rc = err_refused(err,
				 "%s: %s is writing to it; wait for its end or "
				 "choose another folder",
				 folder, owner);
	} else {
		rc = err_failed(err, errno, "%s: cannot lock: %s", folder,
				strerror(errno));
	}
	close(fd);
	return rc;
}

int lock_take(int dir_fd, const char *folder, struct err *err)
{
	int fd;
	int rc;

	for (;;) {
		fd = open_and_lock(dir_fd, folder, err);
		if (fd < 0)
			return fd;
		if (still_there(dir_fd, fd))
			break;
		close(fd);
	}
	rc = write_owner(fd);
	if (rc) {
		lock_release(dir_fd, fd);
		return err_failed(err, -rc, "%s/" LOCK_NAME ": %s", folder,
				  strerror(-rc));
	}
	return fd;
}

void lock_release(int dir_fd, int fd)
{
	/* While it is still held: who comes next makes a new one. */
	unlinkat(dir_fd, LOCK_NAME, 0);
	close(fd);
}
