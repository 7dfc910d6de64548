#include "engine/readback.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

struct count {
	uint64_t found[VERIFY_FINDING_COUNT];
	uint64_t checked;
	uint64_t first_offset; /* of a corrupt one */
	enum verify_finding first;
};

/* What the page cache holds came from us, not from the storage. */
static int drop_cached(const struct readback *r, struct err *err)
{
	int rc;

	if (r->aside)
		r->aside->patient = true;
	rc = fdatasync(r->fd);
	if (r->aside)
		r->aside->patient = false;
	if (rc < 0)
		return err_failed(err, errno,
				  "cannot flush the target before it is read "
				  "back: %s",
				  strerror(errno));
	posix_fadvise(r->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

static int read_block(const struct readback *r, uint64_t offset,
		      struct err *err)
{
	ssize_t n = pread(r->fd, r->buffer, r->block_size_bytes, (off_t)offset);

	if (n == (ssize_t)r->block_size_bytes)
		return 0;
	return err_failed(err, n < 0 ? errno : EIO,
			  "cannot read back the block at byte %" PRIu64 ": %s",
			  offset, n < 0 ? strerror(errno) : "short read");
}

static int check_block(const struct readback *r, uint64_t offset,
		       struct count *c, struct err *err)
{
	struct verify_expected expected;
	enum verify_finding finding;
	int rc;

	if (!verify_expect(r->logs, r->log_count, offset, &expected) ||
	    expected.anything)
		return 0;
	rc = read_block(r, offset, err);
	if (rc)
		return rc;
	finding = verify_judge(r->buffer, r->block_size_bytes, r->mark, offset,
			       &expected);
	if (r->aside)
		r->aside->moved++;
	c->checked++;
	c->found[finding]++;
	if (finding != VERIFY_GOOD && c->first == VERIFY_GOOD) {
		c->first = finding;
		c->first_offset = offset;
	}
	return 0;
}

/* A block of several logs is checked with the first of them. */
static bool is_known_before(const struct readback *r, uint32_t log,
			    uint64_t offset)
{
	struct verify_expected unused;

	return verify_expect(r->logs, log, offset, &unused);
}

static bool ends_now(const struct readback *r, uint64_t until_ns)
{
	return (r->aside && aside_ends(&r->aside->quit, 2)) ||
	       clock_now_ns() >= until_ns;
}

static int check_logs(const struct readback *r, struct count *c,
		      struct err *err)
{
	uint64_t until_ns = clock_now_ns() + r->limit_ns;
	uint32_t i, at;
	int rc = 0;

	for (i = 0; i < r->log_count; i++)
		for (at = 0; at < r->logs[i].capacity; at++) {
			const struct verify_entry *e = &r->logs[i].entries[at];

			if (!e->newest ||
			    is_known_before(r, i, e->offset_bytes))
				continue;
			if (rc || ends_now(r, until_ns))
				return rc;
			rc = check_block(r, e->offset_bytes, c, err);
		}
	return rc;
}

static void fail(const struct readback *r, const struct count *c,
		 struct visit *v)
{
	char size[UNITS_TEXT_MAX];
	size_t used;
	int f;

	v->state = VISIT_FAILED;
	used = (size_t)snprintf(
	    v->reason, sizeof(v->reason),
	    "the block of %s at byte %" PRIu64 " was read back %s; of %" PRIu64
	    " blocks read back",
	    units_format_size(size, r->block_size_bytes), c->first_offset,
	    verify_finding_name(c->first), c->checked);
	for (f = VERIFY_GOOD + 1; f < VERIFY_FINDING_COUNT; f++)
		if (c->found[f] && used < sizeof(v->reason))
			used += (size_t)snprintf(
			    v->reason + used, sizeof(v->reason) - used,
			    " %" PRIu64 " %s", c->found[f],
			    verify_finding_name((enum verify_finding)f));
}

int readback_visit(const struct readback *r, struct visit *v, struct err *err)
{
	struct count c = {0};
	int rc = drop_cached(r, err);

	if (!rc)
		rc = check_logs(r, &c, err);
	v->verified_blocks = (double)c.checked;
	v->corrupt_blocks = (double)(c.checked - c.found[VERIFY_GOOD]);
	if (c.first != VERIFY_GOOD)
		fail(r, &c, v);
	return c.first != VERIFY_GOOD ? 0 : rc;
}

/* Of its own, since it may outlive the visit. */
struct reading {
	struct aside aside;
	struct readback what;
	struct visit part;
};

static int call(struct aside *a, struct err *err)
{
	struct reading *r = (struct reading *)a;

	return readback_visit(&r->what, &r->part, err);
}

static void take(struct visit *v, const struct visit *part)
{
	v->verified_blocks = part->verified_blocks;
	v->corrupt_blocks = part->corrupt_blocks;
	if (part->state != VISIT_FAILED)
		return;
	v->state = VISIT_FAILED;
	memcpy(v->reason, part->reason, sizeof(v->reason));
}

int readback_aside(const struct readback *r, const struct measure_opts *opts,
		   struct visit *v, bool *given_up, struct err *err)
{
	const struct aside_asked asked = {
	    .call = call,
	    .what = "reading back what was written",
	    .limit_ns = measure_io_timeout_ns(opts),
	    .stop = opts->stop,
	    .stop_at = 2,
	};
	uint32_t before = aside_given_up_count();
	struct reading *reading = calloc(1, sizeof(*reading));
	int rc;

	if (!reading)
		return err_failed(err, ENOMEM, "no memory to verify with");
	visit_init(&reading->part);
	reading->part.state = VISIT_DONE;
	reading->what = *r;
	reading->what.aside = &reading->aside;
	rc = aside_run(&reading->aside, &asked, err);
	*given_up = aside_given_up_count() != before;
	if (*given_up)
		return rc;
	take(v, &reading->part);
	visit_fini(&reading->part);
	free(reading);
	return rc;
}
