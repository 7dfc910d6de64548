#include "sweep/runs.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/runfile.h"
#include "export/warmup.h"

int runs_add(struct runs_request *req, const char *folder, struct err *err)
{
	const char **grown = realloc(req->folders, (req->folder_count + 1) *
						       sizeof(*req->folders));

	if (!grown)
		return err_failed(err, ENOMEM, "out of memory for the runs");
	req->folders = grown;
	req->folders[req->folder_count++] = folder;
	return 0;
}

int runs_check_named(const struct runs_request *req, const char *command,
		     struct err *err)
{
	if (req->folder_count)
		return 0;
	return err_usage(err,
			 "%s: name a run folder, such as "
			 "results/20261130T220000Z-sdb",
			 command);
}

int runs_load(struct runs_request *req, const char *command, struct err *err)
{
	int rc = runs_check_named(req, command, err);

	if (rc)
		return rc;
	req->runs = calloc(req->folder_count, sizeof(*req->runs));
	if (!req->runs)
		return err_failed(err, ENOMEM, "out of memory for the runs");
	while (!rc && req->count < req->folder_count) {
		rc = run_load(req->folders[req->count], &req->runs[req->count],
			      err);
		req->count += !rc;
	}
	return rc;
}

/* The file of a run folder that stands at path, links followed. */
static bool is_record(const char *path)
{
	static const char *const records[] = {RUNFILE_PLAN,    RUNFILE_VISITS,
					      RUNFILE_LATENCY, RUNFILE_SERIES,
					      RUNFILE_DEVICES, WARMUP_FILE};
	const char *name = strrchr(path, '/') + 1;
	char facts[PATH_MAX];
	size_t i;

	snprintf(facts, sizeof(facts), "%.*s" RUNFILE_FACTS, (int)(name - path),
		 path);
	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (!strcmp(name, records[i]))
			return !access(facts, F_OK);
	return false;
}

int runs_check_output(const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	bool refused = real && is_record(real);

	free(real);
	if (!refused)
		return 0;
	return err_refused(err,
			   "--output: %s holds what was measured, and writing "
			   "there would destroy it; name another file",
			   path);
}

void runs_free(struct runs_request *req)
{
	uint32_t i;

	for (i = 0; i < req->count; i++)
		run_fini(&req->runs[i]);
	free(req->runs);
	free(req->folders);
	memset(req, 0, sizeof(*req));
}
