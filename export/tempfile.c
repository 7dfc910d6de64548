#include "export/tempfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/folder.h"

/* mkstemp makes files that only their owner can read; results are made as
 * any other file of the user. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Where path really is: rename would replace a symbolic link. NULL with
 * errno. */
static char *resolve(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? strdup(path) : NULL;
	if (S_ISLNK(st.st_mode)) {
		char *target = realpath(path, NULL);

		if (!target || stat(target, &st)) {
			free(target);
			return NULL;
		}
		if (S_ISREG(st.st_mode))
			return target;
		free(target);
	} else if (S_ISREG(st.st_mode)) {
		return strdup(path);
	}
	errno = EINVAL;
	return NULL;
}

static char *temp_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *temp;

	if (asprintf(&temp, "%.*s.%s.XXXXXX", (int)(name - path), path, name) <
	    0)
		return NULL;
	return temp;
}

static int cannot_write(const char *path, int errnum, struct err *err)
{
	if (errnum == EINVAL)
		return err_usage(
		    err, "%s: not a regular file; name another output", path);
	return err_failed(err, errnum, "%s: cannot write: %s", path,
			  strerror(errnum));
}

int tempfile_open(const char *path, struct tempfile *t, struct err *err)
{
	struct tempfile made = {0};
	int fd = -1;
	int errnum;

	made.path = resolve(path);
	if (made.path)
		made.temp = temp_name(made.path);
	if (made.temp)
		fd = mkostemp(made.temp, O_CLOEXEC);
	if (fd < 0 || fchmod(fd, usual_mode()))
		goto fail;
	made.file = fdopen(fd, "w");
	if (!made.file)
		goto fail;
	*t = made;
	return 0;
fail:
	errnum = errno;
	if (fd >= 0) {
		unlink(made.temp);
		close(fd);
	}
	free(made.temp);
	free(made.path);
	return cannot_write(path, errnum, err);
}

static void release(struct tempfile *t)
{
	free(t->temp);
	free(t->path);
	memset(t, 0, sizeof(*t));
}

int tempfile_commit(struct tempfile *t, struct err *err)
{
	int rc = 0;

	if (fflush(t->file) || fsync(fileno(t->file)))
		rc = -errno;
	else if (ferror(t->file))
		rc = -EIO; /* an earlier write; its errno is gone */
	if (fclose(t->file) && !rc)
		rc = -errno;
	if (!rc && rename(t->temp, t->path))
		rc = -errno;
	if (rc)
		unlink(t->temp);
	else
		rc = folder_sync_parent(t->path);
	if (rc)
		cannot_write(t->path, -rc, err);
	release(t);
	return rc;
}

void tempfile_abort(struct tempfile *t)
{
	fclose(t->file);
	unlink(t->temp);
	release(t);
}

/* .NAME.XXXXXX, as tempfile_open names them. */
static bool is_ours(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return entry[0] == '.' && !strncmp(entry + 1, name, length) &&
	       entry[length + 1] == '.' && strlen(entry) == length + 8;
}

/* tmp.XXXXXXXXXX: libxlsxwriter makes them beside the book and takes their
 * name away at once, while they are empty. */
static bool is_library_s(int dir_fd, const char *entry)
{
	struct stat st;

	return !strncmp(entry, "tmp.", 4) && strlen(entry) == 14 &&
	       !fstatat(dir_fd, entry, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && !st.st_size;
}

void tempfile_sweep(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		const char *e = entry->d_name;

		if (is_ours(e, name) || is_library_s(dir_fd, e))
			unlinkat(dir_fd, e, 0);
	}
	closedir(dir);
}
