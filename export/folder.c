#include "export/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_parents(const char *path)
{
	char *copy = strdup(path);
	char *slash;
	int rc = 0;

	if (!copy)
		return -ENOMEM;
	for (slash = strchr(copy + 1, '/'); slash && !rc;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			rc = -errno;
		*slash = '/';
	}
	free(copy);
	return rc;
}

int folder_make(const char *path, struct err *err)
{
	/* What root measures is not for everybody. */
	mode_t mode = geteuid() == 0 ? 0700 : 0777;
	int rc = make_parents(path);

	if (!rc && mkdir(path, mode))
		rc = -errno;
	if (rc == -EEXIST)
		return err_refused(err,
				   "%s: is there already; choose another "
				   "folder",
				   path);
	if (rc)
		return err_failed(err, -rc, "%s: cannot make the folder: %s",
				  path, strerror(-rc));
	return 0;
}

int folder_sync_parent(const char *path)
{
	char copy[PATH_MAX];
	int rc = 0;
	int fd;

	if (strlen(path) >= sizeof(copy))
		return -ENAMETOOLONG;
	strcpy(copy, path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Some network file systems cannot sync a folder: EINVAL. */
	if (fsync(fd) && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}
