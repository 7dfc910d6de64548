#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/guard.h"
#include "engine/layout.h"
#include "engine/units.h"
#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/preflight.h"
#include "sweep/stage.h"

enum { KEY_CONSENT = CLI_KEY_LONG };

static const struct cli_option check_options[] = {
    {"destroy-data-on", KEY_CONSENT, "PATH",
     "answer as if writing to PATH were allowed"},
    {0},
};

static const struct cli_group check_groups[] = {{"Options:", check_options},
						{0}};

static const struct cli_command check_command = {
    .name = "check",
    .arguments = "TARGET...",
    .summary = "What can be measured on a target, what would be refused, "
	       "and why. Opens\nnothing for writing.",
    .notes = "Example: iosweep check /dev/sdb /data",
    .groups = check_groups,
};

struct check_request {
	struct plan_request targets; /* only its targets */
	const char *consent;
};

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	struct check_request *req = arg;
	char **grown;

	(void)where;
	if (key == KEY_CONSENT) {
		req->consent = value;
		return 0;
	}
	grown = realloc(req->targets.targets,
			(req->targets.target_count + 1) * sizeof(*grown));
	if (!grown)
		return err_failed(err, ENOMEM, "out of memory for the targets");
	req->targets.targets = grown;
	grown[req->targets.target_count] = strdup(value);
	if (!grown[req->targets.target_count])
		return err_failed(err, ENOMEM, "out of memory for the targets");
	req->targets.target_count++;
	return 0;
}

static void print_size(const struct target *t)
{
	char size[UNITS_TEXT_MAX];

	units_format_bytes(size, t->size_bytes);
	if (t->kind == TARGET_FILE)
		printf("  file of %s on %s, %s\n", size,
		       t->fs[0] ? t->fs : "an unknown file system",
		       t->laid_out ? "made by iosweep" : "not made by iosweep");
	else if (t->kind == TARGET_DEVICE)
		printf("  block device of %s\n", size);
	else
		printf("  measures iosweep and this machine, not a disk\n");
}

static void print_queue(const struct target *t)
{
	char name[BLOCKDEV_NAME_MAX];

	if (!t->device)
		return;
	printf("  disk:      %s", blockdev_name(t->device, name));
	if (t->model[0])
		printf(", %s", t->model);
	if (t->rotational >= 0)
		printf(", %s", t->rotational ? "rotational" : "not rotational");
	if (t->scheduler[0])
		printf(", scheduler %s", t->scheduler);
	if (t->nr_requests)
		printf(", queue of %" PRIu32, t->nr_requests);
	printf("\n");
}

static void print_direct(const struct target *t)
{
	if (t->kind > TARGET_DEVICE)
		return;
	if (t->direct_offset_align)
		printf("  O_DIRECT:  yes, blocks in multiples of %" PRIu32
		       " bytes\n",
		       target_alignment(t, CACHE_DIRECT));
	else
		printf("  O_DIRECT:  no; --cache buffered measures through the "
		       "page cache\n");
}

static void print_contents(const struct target *t)
{
	char size[UNITS_TEXT_MAX];
	uint64_t unwritten;

	if (!layout_unwritten_bytes(t, &unwritten) && unwritten)
		printf("  contents:  %s were never written, reading them "
		       "measures memory; write it whole first (--layout)\n",
		       units_format_bytes(size, unwritten));
	else if (layout_all_zero(t, STAGE_ZERO_SAMPLES) == 1)
		printf("  contents:  zeros, which compressing or thin storage "
		       "does not read; fill it with data first\n");
}

static void print_writing(struct target *t, const char *consent)
{
	struct err why = {0};

	t->consent = consent;
	if (guard_check_writable(t, &why))
		printf("  writing:   refused: %s\n", why.text);
	else
		printf("  writing:   allowed\n");
}

static void print_list(const char *label, char *const *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		printf("  %s %s\n", label, list[i]);
}

/* What `run` would say with nothing but this target. */
static int print_default_sweep(const char *path, struct err *err)
{
	char *targets[] = {(char *)path};
	struct plan_request req = {.targets = targets, .target_count = 1};
	struct plan_estimate estimate;
	struct preflight p = {0};
	struct stage stage;
	struct plan plan;
	char time[PLAN_TEXT_MAX];
	int rc = plan_build(&req, &plan, err);

	if (rc)
		return rc;
	rc = stage_look(&plan, NULL, &stage, err);
	if (!rc) {
		rc = preflight_look(&plan, &stage, NULL, &p, err);
		stage_fini(&stage);
	}
	plan_estimate(&plan, &estimate);
	if (!rc)
		printf("  a sweep:   %" PRIu32 " points by default, about %s; "
		       "%s\n",
		       plan.point_count,
		       plan_format_time(&estimate, time, sizeof(time)),
		       p.problem_count ? "cannot begin:" : "can begin");
	print_list("problem:  ", p.problems, p.problem_count);
	print_list("note:     ", p.notes, p.note_count);
	preflight_fini(&p);
	plan_fini(&plan);
	return rc;
}

/* A file that is not there yet: whether it could be made. */
static int check_missing(const char *path, struct err *err)
{
	struct err why = {0};
	int rc = target_check_path(path, err);

	if (rc)
		return rc;
	/* As `run` would have it. */
	if (layout_check_room(path, 1, &why))
		return err_refused(err, "%s", why.text);
	printf("%s\n  is not there; `run` would make it, as large as --size "
	       "says\n",
	       path);
	return print_default_sweep(path, err);
}

static int check_target(const char *path, const char *consent, struct err *err)
{
	struct target t;
	struct err why = {0};
	int rc = target_probe(path, &t, &why);

	if (rc == -ENOENT)
		return check_missing(path, err);
	if (rc) {
		*err = why;
		return rc;
	}
	printf("%s\n", path);
	print_size(&t);
	print_queue(&t);
	print_direct(&t);
	print_contents(&t);
	print_writing(&t, consent);
	target_fini(&t);
	return print_default_sweep(path, err);
}

static int check_all(struct check_request *req, struct err *err)
{
	uint32_t i;
	int rc = stage_resolve_folders(&req->targets, err);

	if (!rc && !req->targets.target_count)
		return err_usage(err, "check: name a target: a file, a folder "
				      "or a block device");
	for (i = 0; !rc && i < req->targets.target_count; i++)
		rc = check_target(req->targets.targets[i], req->consent, err);
	return rc;
}

int cmd_check(int argc, char **argv, struct err *err)
{
	struct check_request req = {0};
	int rc = cli_parse(&check_command, argc, argv, take, &req, err);

	if (rc == CLI_HELP)
		cli_print_help(&check_command, stdout);
	else if (!rc)
		check_all(&req, err);
	plan_request_fini(&req.targets);
	return err_exit_status(err);
}
