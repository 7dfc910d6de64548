#include "sweep/outfolder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

#define LABEL_MAX_BYTES 40
/* Runs of one label in one second. */
#define NUMBER_MAX 1000

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* The first of its parents that is there must take a new entry. */
static int check_parent(const char *path, struct err *err)
{
	char *parent = strdup(path);
	char *slash;
	struct stat st;
	int errnum = 0;

	if (!parent)
		return err_failed(err, ENOMEM, "out of memory for a path");
	while ((slash = strrchr(parent, '/')) && slash != parent) {
		*slash = '\0';
		if (is_there(parent))
			break;
	}
	if (!slash)
		strcpy(parent, ".");
	else if (slash == parent)
		strcpy(parent, "/");
	if (stat(parent, &st) || access(parent, W_OK | X_OK))
		errnum = errno;
	else if (!S_ISDIR(st.st_mode))
		errnum = ENOTDIR;
	if (errnum)
		err_refused(err,
			    "cannot make the run folder %s in %s: %s; name "
			    "another with --out",
			    path, parent, strerror(errnum));
	free(parent);
	return -errnum;
}

static int take_given(const char *out, char **path, struct err *err)
{
	int rc;

	if (is_there(out)) {
		err_refused(err,
			    "%s is there already; name a new folder with --out",
			    out);
		return -EEXIST;
	}
	rc = check_parent(out, err);
	if (rc)
		return rc;
	*path = strdup(out);
	return *path ? 0 : err_failed(err, ENOMEM, "out of memory for a path");
}

static char *name_of(const char *stamp, const char *label, int number)
{
	char suffix[16] = "";
	char *path;

	if (number > 1)
		snprintf(suffix, sizeof(suffix), "-%d", number);
	return asprintf(&path, "results/%s-%s%s", stamp, label, suffix) < 0
		   ? NULL
		   : path;
}

static void reduce(char *label)
{
	for (; *label; label++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *label))
			*label = '-';
}

static int find_free(const char *label, char **path, struct err *err)
{
	time_t now = (time_t)(clock_utc_ns() / (int64_t)NS_PER_SEC);
	char stamp[32], reduced[LABEL_MAX_BYTES + 1];
	char *name;
	struct tm tm;
	int number = 1;

	snprintf(reduced, sizeof(reduced), "%s", label);
	reduce(reduced);
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	name = name_of(stamp, reduced, number);
	while (name && is_there(name) && number < NUMBER_MAX) {
		free(name);
		name = name_of(stamp, reduced, ++number);
	}
	if (!name)
		return err_failed(err, ENOMEM, "out of memory for a path");
	*path = name;
	return 0;
}

int outfolder_choose(const char *out, const char *label, char **path,
		     struct err *err)
{
	char *found;
	int rc;

	if (out)
		return take_given(out, path, err);
	rc = find_free(label, &found, err);
	if (rc)
		return rc;
	rc = check_parent(found, err);
	if (rc)
		free(found);
	else
		*path = found;
	return rc;
}
