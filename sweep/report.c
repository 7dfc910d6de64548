#include "sweep/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/book.h"
#include "export/store.h"

static char *path_in(const struct run *run, const char *name, struct err *err)
{
	char *path;

	if (asprintf(&path, "%s/%s", run->folder, name) >= 0)
		return path;
	err_failed(err, ENOMEM, "out of memory for a path");
	return NULL;
}

static int write_points(const struct run *run, struct err *err)
{
	char *path = path_in(run, REPORT_POINTS, err);
	int rc = path ? store_write_points(path, &run, 1, err) : -ENOMEM;

	free(path);
	return rc;
}

static int write_book(const struct run *run, const struct book_opts *opts,
		      struct err *err)
{
	char *path = path_in(run, REPORT_BOOK, err);
	int rc = path ? book_write(path, &run, 1, opts, err) : -ENOMEM;

	free(path);
	return rc;
}

/* A book that fails does not cost the CSV, nor the other way. */
int report_write(const struct run *run, const struct book_opts *opts,
		 struct err *err)
{
	int points_rc = write_points(run, err);
	int book_rc = write_book(run, opts, err);

	return points_rc ? points_rc : book_rc;
}

int report_refresh(const char *folder, const struct book_opts *opts,
		   struct err *err)
{
	struct run run;
	int rc = run_load(folder, &run, err);

	if (rc)
		return rc;
	rc = report_write(&run, opts, err);
	run_fini(&run);
	return rc;
}
