#include "sweep/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void runs_free(struct runs_request *req)
{
	uint32_t i;

	for (i = 0; i < req->count; i++)
		run_fini(&req->runs[i]);
	free(req->runs);
	free(req->folders);
	memset(req, 0, sizeof(*req));
}
