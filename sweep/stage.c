#include "sweep/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/guard.h"
#include "engine/units.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* A folder becomes the file in it. */
static int resolve_folder(char **path, struct err *err)
{
	size_t len = strlen(*path);
	char *file;

	if (!is_folder(*path))
		return 0;
	if (asprintf(&file, "%s%s%s", *path,
		     len && (*path)[len - 1] == '/' ? "" : "/",
		     STAGE_FILE_NAME) < 0)
		return err_failed(err, ENOMEM, "out of memory for a path");
	free(*path);
	*path = file;
	return 0;
}

int stage_resolve_folders(struct plan_request *req, struct err *err)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < req->target_count; i++)
		ret = resolve_folder(&req->targets[i], err);
	for (i = 0; !ret && i < req->variant_count; i++) {
		struct plan_text *own =
		    &req->variants[i].key[PLAN_VARIANT_TARGET];

		if (own->value)
			ret = resolve_folder(&own->value, err);
	}
	for (i = 0; !ret && i < req->tag_count; i++)
		if (req->tags[i].target)
			ret = resolve_folder(&req->tags[i].target, err);
	return ret;
}

static bool writes_to(const struct plan *plan, const char *path)
{
	uint32_t i;

	for (i = 0; i < plan->point_count; i++)
		if (point_writes(&plan->points[i]) &&
		    !strcmp(plan->points[i].target, path))
			return true;
	return false;
}

static bool same_target(const struct target *a, const struct target *b)
{
	if (a->kind == TARGET_DEVICE && b->kind == TARGET_DEVICE)
		return a->device == b->device;
	return a->inode_dev == b->inode_dev && a->inode == b->inode;
}

/* The folder of a path, on the heap; NULL: no memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* The one name of a file that is not there yet, on the heap; NULL where its
 * folder is not there either. */
static char *place_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = folder_of(path);
	char *resolved = folder ? realpath(folder, NULL) : NULL;
	char *place = NULL;

	if (resolved &&
	    asprintf(&place, "%s/%s", resolved, slash ? slash + 1 : path) < 0)
		place = NULL;
	free(resolved);
	free(folder);
	return place;
}

static bool same_place(const char *a, const char *b)
{
	char *place_a = place_of(a), *place_b = place_of(b);
	bool same = place_a && place_b && !strcmp(place_a, place_b);

	free(place_a);
	free(place_b);
	return same;
}

/* One target under two names would be measured twice; as a device it would
 * stand in its own way, and a file would be made twice. */
static int check_distinct(const struct stage *stage, uint32_t i,
			  struct err *err)
{
	const struct stage_target *item = &stage->items[i];
	uint32_t other;

	for (other = 0; other < i; other++) {
		const struct stage_target *o = &stage->items[other];

		if (o->missing != item->missing)
			continue;
		if (item->missing ? !same_place(o->path, item->path)
				  : !same_target(&stage->targets[other],
						 &stage->targets[i]))
			continue;
		return err_usage(err,
				 "%s and %s are one and the same; name each "
				 "target once",
				 o->path, item->path);
	}
	return 0;
}

/* Files that are to be made on the file system of i's folder, i and those
 * before it. */
static uint32_t count_made_there(const struct stage *stage, uint32_t i)
{
	char *folder = folder_of(stage->items[i].path);
	struct stat ours, st;
	bool known = folder && !stat(folder, &ours);
	uint32_t other, count = 1;

	free(folder);
	for (other = 0; known && other < i; other++) {
		if (!stage->items[other].missing)
			continue;
		folder = folder_of(stage->items[other].path);
		count +=
		    folder && !stat(folder, &st) && st.st_dev == ours.st_dev;
		free(folder);
	}
	return count;
}

/* Whether the file can be made beside those before it, as a preflight:
 * refused, not failed. */
static int check_room(const struct stage *stage, uint32_t i, struct err *err)
{
	const char *path = stage->items[i].path;
	uint32_t count = count_made_there(stage, i);
	struct err why = {0};
	uint64_t sum;

	if (layout_check_room(path, stage->size_bytes, &why))
		return err_refused(err, "%s", why.text);
	if (__builtin_mul_overflow(stage->size_bytes, count, &sum))
		sum = UINT64_MAX;
	if (count > 1 && layout_check_room(path, sum, &why) == -ENOSPC)
		return err_refused(
		    err, "with the files to be made before it, %s", why.text);
	return 0;
}

static int open_one(struct stage *stage, uint32_t i, const struct plan *plan,
		    const char *consent, struct err *err)
{
	struct stage_target *item = &stage->items[i];
	struct target *t = &stage->targets[i];
	struct err missing = {0};
	int rc;

	item->path = plan->targets[i];
	item->written =
	    plan->settings.precondition || writes_to(plan, item->path);
	rc = target_probe(item->path, t, &missing);
	if (rc == -ENOENT && missing.kind == ERR_FAILED) {
		item->missing = true;
		rc = check_distinct(stage, i, err);
		return rc ? rc : check_room(stage, i, err);
	}
	if (rc) {
		*err = missing;
		return rc;
	}
	t->consent = consent;
	if (plan->settings.precondition && t->kind > TARGET_DEVICE)
		return err_refused(err,
				   "%s keeps nothing, so that it cannot be "
				   "preconditioned; measure it without "
				   "--precondition",
				   item->path);
	rc = check_distinct(stage, i, err);
	return rc || !item->written ? rc : guard_check_writable(t, err);
}

/* What is refused becomes the target's problem; anything else is passed on. */
static int look_at_one(struct stage *stage, uint32_t i, const struct plan *plan,
		       const char *consent, struct err *err)
{
	struct stage_target *item = &stage->items[i];
	struct err why = {0};
	int rc = open_one(stage, i, plan, consent, &why);

	if (rc && why.kind == ERR_REFUSED &&
	    (item->missing || stage->targets[i].path)) {
		item->problem = strdup(why.text);
		return item->problem ? 0
				     : err_failed(err, ENOMEM,
						  "out of memory for the "
						  "targets");
	}
	if (rc)
		*err = why;
	return rc;
}

int stage_look(const struct plan *plan, const char *consent, struct stage *out,
	       struct err *err)
{
	struct stage stage = {.size_bytes = plan->settings.size_bytes};
	uint32_t i;
	int rc = 0;

	stage.items = calloc(plan->target_count, sizeof(*stage.items));
	stage.targets = calloc(plan->target_count, sizeof(*stage.targets));
	if (!stage.items || !stage.targets)
		rc = err_failed(err, ENOMEM, "out of memory for the targets");
	for (i = 0; !rc && i < plan->target_count; i++) {
		rc = look_at_one(&stage, i, plan, consent, err);
		/* A target that was probed and then refused is ours to free;
		 * one that could not be probed is marked missing for that. */
		if (rc && !stage.targets[i].path)
			stage.items[i].missing = true;
		stage.count = i + 1;
	}
	if (rc)
		stage_fini(&stage);
	else
		*out = stage;
	return rc;
}

int stage_open(const struct plan *plan, const char *consent, struct stage *out,
	       struct err *err)
{
	struct stage stage;
	uint32_t i;
	int rc = stage_look(plan, consent, &stage, err);

	if (rc)
		return rc;
	for (i = 0; !rc && i < stage.count; i++)
		if (stage.items[i].problem)
			rc = err_refused(err, "%s", stage.items[i].problem);
	if (rc)
		stage_fini(&stage);
	else
		*out = stage;
	return rc;
}

uint64_t stage_bytes(const struct stage *stage, uint32_t i)
{
	return stage->items[i].missing ? stage->size_bytes
				       : stage->targets[i].size_bytes;
}

bool stage_refills(const struct stage *stage, uint32_t i)
{
	return !stage->items[i].missing &&
	       stage->targets[i].kind == TARGET_FILE;
}

int stage_check_refill(const struct stage *stage, struct err *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < stage->count; i++)
		if (stage_refills(stage, i))
			rc = guard_check_writable(&stage->targets[i], err);
	return rc;
}

static int lay_out(struct stage *stage, uint32_t i, const struct plan *plan,
		   const struct stage_layout_opts *opts, struct err *err)
{
	struct stage_target *item = &stage->items[i];
	struct layout_request req = {
	    .path = item->path,
	    .size_bytes = stage->size_bytes,
	    .seed = plan->settings.seed,
	    .progress = opts->progress,
	    .progress_arg = opts->progress_arg,
	    .stop = opts->stop,
	};
	int rc;

	if (!item->missing) {
		req.size_bytes = stage->targets[i].size_bytes;
		return opts->refill && stage_refills(stage, i)
			   ? layout_refill(&stage->targets[i], &req, err)
			   : 0;
	}
	rc = layout_create(&req, err);
	if (rc)
		return rc;
	item->made = true;
	rc = target_probe(item->path, &stage->targets[i], err);
	if (!rc)
		item->missing = false;
	return rc;
}

/* Holes and zeros of target i. To find holes, what is not on disk yet is
 * flushed. */
static void look_inside(struct stage *stage, uint32_t i, struct aside *aside)
{
	struct stage_target *item = &stage->items[i];

	if (aside)
		aside->patient = true;
	if (layout_unwritten_bytes(&stage->targets[i], &item->unwritten_bytes))
		item->unwritten_bytes = 0;
	if (aside) {
		aside->patient = false;
		aside->moved++;
	}
	item->all_zero =
	    layout_all_zero(&stage->targets[i], STAGE_ZERO_SAMPLES) == 1;
	if (aside)
		aside->moved++;
}

int stage_layout(struct stage *stage, const struct plan *plan,
		 const struct stage_layout_opts *opts, struct err *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < stage->count; i++) {
		struct stage_target *item = &stage->items[i];

		rc = lay_out(stage, i, plan, opts, err);
		if (rc || item->made || stage->targets[i].kind > TARGET_DEVICE)
			continue;
		look_inside(stage, i, opts->aside);
	}
	return rc;
}

static bool wants_direct(const struct plan *plan, const char *path)
{
	uint32_t i;

	for (i = 0; i < plan->point_count; i++)
		if ((plan->points[i].cache == CACHE_DIRECT ||
		     plan->points[i].cache == CACHE_DIRECT_DSYNC) &&
		    !strcmp(plan->points[i].target, path))
			return true;
	return false;
}

static bool lacks_direct(const struct stage *stage, uint32_t i)
{
	const struct target *t = &stage->targets[i];
	char *folder;
	bool lacks;

	if (!stage->items[i].missing)
		return t->kind <= TARGET_DEVICE && !t->direct_offset_align;
	folder = folder_of(stage->items[i].path);
	lacks = folder && target_folder_lacks_direct(folder);
	free(folder);
	return lacks;
}

int stage_check_direct(const struct stage *stage, const struct plan *plan,
		       struct err *err)
{
	uint32_t i;

	for (i = 0; i < stage->count; i++) {
		const char *path = stage->items[i].path;
		const char *fs = stage->targets[i].fs;

		if (!wants_direct(plan, path) || !lacks_direct(stage, i))
			continue;
		err_refused(err,
			    "%s: its file system%s%s%s has no O_DIRECT, which "
			    "goes past the page cache; measure with --cache "
			    "buffered, or name a file on another file system",
			    path, fs[0] ? " (" : "", fs, fs[0] ? ")" : "");
		return -EOPNOTSUPP;
	}
	return 0;
}

char *stage_doubt(const struct stage *stage, uint32_t i, char *buf, size_t size)
{
	const struct stage_target *item = &stage->items[i];
	const struct target *t = &stage->targets[i];
	char part[UNITS_TEXT_MAX], whole[UNITS_TEXT_MAX];

	buf[0] = '\0';
	if (t->kind == TARGET_ZERO || t->kind == TARGET_NULL)
		snprintf(buf, size,
			 "%s measures iosweep and this machine, not a disk",
			 item->path);
	else if (item->unwritten_bytes)
		snprintf(buf, size,
			 "%s: %s of %s were never written, and reading them "
			 "measures memory, not the disk; write the file whole "
			 "first (--layout where iosweep may write it)",
			 item->path,
			 units_format_bytes(part, item->unwritten_bytes),
			 units_format_bytes(whole, t->size_bytes));
	else if (item->all_zero)
		snprintf(buf, size,
			 "%s reads as zeros only, which storage that "
			 "compresses or thin-provisions does not read at all; "
			 "measure one that was filled with data",
			 item->path);
	return buf;
}

/* The very file that was made, not another that took its name since. */
static int remove_made(const struct stage *stage, uint32_t i, struct err *err)
{
	const char *path = stage->items[i].path;
	struct stat st;

	bool there = !lstat(path, &st);

	if (!there && errno == ENOENT)
		return 0;
	if (there && !target_is(&stage->targets[i], &st))
		return err_failed(err, ESTALE,
				  "%s is not the file that iosweep made any "
				  "more, and stays",
				  path);
	if (!there || unlink(path))
		return err_failed(err, errno, "%s: cannot be removed: %s", path,
				  strerror(errno));
	return 0;
}

int stage_remove(struct stage *stage, struct err *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < stage->count; i++) {
		int one;

		if (!stage->items[i].made)
			continue;
		target_close_fds(&stage->targets[i]);
		one = remove_made(stage, i, err);
		stage->items[i].made = one != 0;
		rc = rc ? rc : one;
	}
	return rc;
}

int stage_renew(struct stage *stage, uint32_t i, struct err *err)
{
	struct target *t = &stage->targets[i], fresh;
	char was[UNITS_TEXT_MAX], is[UNITS_TEXT_MAX];
	int rc;

	if (t->left_alone)
		return err_failed(err, ETIMEDOUT,
				  "%s has hung since it was opened", t->path);
	rc = target_probe(stage->items[i].path, &fresh, err);
	if (rc)
		return rc;
	if (fresh.kind != t->kind || fresh.size_bytes != t->size_bytes) {
		rc = err_refused(err,
				 "%s is %s large and was %s when the sweep "
				 "began; points on it cannot be compared",
				 t->path,
				 units_format_bytes(is, fresh.size_bytes),
				 units_format_bytes(was, t->size_bytes));
		target_fini(&fresh);
		return rc;
	}
	fresh.consent = t->consent;
	target_fini(t);
	*t = fresh;
	return 0;
}

void stage_fini(struct stage *stage)
{
	uint32_t i;

	for (i = 0; i < stage->count; i++) {
		if (!stage->items[i].missing)
			target_fini(&stage->targets[i]);
		free(stage->items[i].problem);
	}
	free(stage->items);
	free(stage->targets);
	memset(stage, 0, sizeof(*stage));
}
