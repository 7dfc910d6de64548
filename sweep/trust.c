#include "sweep/trust.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The user or group that called sudo; root's where there was none. */
static unsigned long behind_sudo(const char *variable)
{
	const char *text = getenv(variable);
	char *end;
	unsigned long id = text ? strtoul(text, &end, 10) : 0;

	return text && *text && !*end ? id : 0;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == behind_sudo("SUDO_UID");
}

/* By mode and owner, or by an access list, which we do not read: where there
 * is one, the group's bits are the most that it allows anybody. */
static bool others_write(const char *path, const struct stat *st)
{
	bool our_group =
	    st->st_gid == 0 || st->st_gid == behind_sudo("SUDO_GID");

	if (!is_ours(st) || st->st_mode & S_IWOTH)
		return true;
	if (!(st->st_mode & S_IWGRP))
		return false;
	return !our_group ||
	       getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

static int refuse(const char *file, const char *path, struct err *err)
{
	bool self = !strcmp(file, path);

	return err_refused(
	    err,
	    "the commands in %s are not run as root, since "
	    "others can write %s; make %s writable by root alone "
	    "(chown, chmod go-w), or copy the plan to a folder "
	    "that is",
	    file, self ? "it" : path, self ? "it" : "that");
}

/* All folders from path's own up to the root; cuts path. */
static int check_folders(const char *file, char *path, struct err *err)
{
	bool nearest = true;
	struct stat st;
	char *slash;

	while ((slash = strrchr(path, '/'))) {
		slash[slash == path ? 1 : 0] = '\0';
		if (stat(path, &st))
			return err_refused(err,
					   "the commands in %s are not run as "
					   "root, since %s cannot be looked "
					   "at: %s",
					   file, path, strerror(errno));
		if (others_write(path, &st) &&
		    (nearest || !is_ours(&st) || !(st.st_mode & S_ISVTX)))
			return refuse(file, path, err);
		nearest = false;
		if (slash == path)
			break;
	}
	return 0;
}

int trust_file(const char *path, struct err *err)
{
	char *resolved;
	struct stat st;
	int ret;

	if (geteuid() != 0)
		return 0;
	resolved = realpath(path, NULL);
	if (!resolved || stat(resolved, &st)) {
		ret = err_refused(err,
				  "the commands in %s are not run as root, "
				  "since it cannot be looked at: %s",
				  path, strerror(errno));
		free(resolved);
		return ret;
	}
	ret = others_write(resolved, &st) ? refuse(resolved, resolved, err)
					  : check_folders(path, resolved, err);
	free(resolved);
	return ret;
}
