#include "engine/backend_null.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backend.h"

#define PRESET_LATENCY_NS 100000
#define NEVER UINT64_MAX

struct pending {
	uint64_t due_ns; /* 0: the slot is free; NEVER: it hangs */
	int32_t res;
};

struct null_backend {
	struct backend base;
	struct backend_job job;
	null_script *script; /* of this visit */
	void *arg;
	struct pending *pending; /* by slot */
	uint32_t capacity;
	uint64_t elapsed_ns; /* the virtual clock */
	uint64_t number;
};

static null_script *the_script;
static void *the_arg;

void backend_null_script(null_script *script, void *arg)
{
	the_script = script;
	the_arg = arg;
}

static int null_create(const struct backend_opts *opts, struct backend **out,
		       struct err *err)
{
	struct null_backend *b = calloc(1, sizeof(*b));

	(void)opts;
	if (!b)
		return err_failed(err, ENOMEM, "no memory for a script");
	b->base.ops = &backend_null;
	*out = &b->base;
	return 0;
}

static int null_prepare(struct backend *base, const struct backend_job *job,
			struct err *err)
{
	struct null_backend *b = (struct null_backend *)base;
	uint32_t i;

	if (job->depth > b->capacity) {
		free(b->pending);
		b->capacity = 0;
		b->pending = calloc(job->depth, sizeof(*b->pending));
		if (!b->pending)
			return err_failed(err, ENOMEM, "no memory for slots");
		b->capacity = job->depth;
	}
	for (i = 0; i < b->capacity; i++)
		b->pending[i].due_ns = 0;
	b->job = *job;
	b->script = the_script;
	b->arg = the_arg;
	b->elapsed_ns = 0;
	b->number = 0;
	return 0;
}

static void start(struct null_backend *b, uint32_t slot)
{
	const struct io_slot *s = &b->job.slots[slot];
	struct null_io io = {
	    .number = b->number++,
	    .at_ns = b->elapsed_ns,
	    .offset = s->offset,
	    .dir = s->dir,
	    .block_size_bytes = b->job.block_size_bytes,
	    .buffer = b->job.buffer[s->dir] + slot * b->job.stride_bytes,
	};
	struct null_answer answer = {
	    .latency_ns = PRESET_LATENCY_NS,
	    .res = (int32_t)b->job.block_size_bytes,
	};

	if (b->script)
		b->script(b->arg, &io, &answer);
	b->pending[slot].due_ns =
	    answer.hangs ? NEVER : b->elapsed_ns + answer.latency_ns;
	b->pending[slot].res = answer.res;
}

/* The slot in flight that is due first; capacity when there is none. */
static uint32_t first_due(const struct null_backend *b)
{
	uint32_t i, first = b->capacity;

	for (i = 0; i < b->capacity; i++)
		if (b->pending[i].due_ns &&
		    (first == b->capacity ||
		     b->pending[i].due_ns < b->pending[first].due_ns))
			first = i;
	return first;
}

/* To the next completion, or to the limit where none comes before. */
static void pass_time(struct null_backend *b, uint64_t limit)
{
	uint32_t first = first_due(b);

	if (first < b->capacity && b->pending[first].due_ns < limit)
		limit = b->pending[first].due_ns;
	if (limit > b->elapsed_ns)
		b->elapsed_ns = limit;
}

static int null_submit(struct backend *base, const struct io_done *slots,
		       uint32_t n, bool wait)
{
	struct null_backend *b = (struct null_backend *)base;
	uint32_t i, first;

	for (i = 0; i < n; i++)
		start(b, slots[i].slot);
	first = first_due(b);
	if (wait &&
	    (first == b->capacity || b->pending[first].due_ns > b->elapsed_ns))
		pass_time(b, b->elapsed_ns + BACKEND_WAIT_NS);
	return 0;
}

static int null_reap(struct backend *base, struct io_done *out, uint32_t max)
{
	struct null_backend *b = (struct null_backend *)base;
	uint32_t n = 0, first;

	while (n < max) {
		first = first_due(b);
		if (first == b->capacity ||
		    b->pending[first].due_ns > b->elapsed_ns)
			break;
		out[n].slot = first;
		out[n].res = b->pending[first].res;
		b->pending[first].due_ns = 0;
		n++;
	}
	return (int)n;
}

static int null_reap_until(struct backend *base, struct io_done *out,
			   uint32_t max, uint64_t until_ns)
{
	struct null_backend *b = (struct null_backend *)base;
	int n = null_reap(base, out, max);

	if (n)
		return n;
	pass_time(b, until_ns - base->start_ns);
	return null_reap(base, out, max);
}

static void null_finish(struct backend *base)
{
	(void)base;
}

static void null_destroy(struct backend *base)
{
	struct null_backend *b = (struct null_backend *)base;

	free(b->pending);
	free(b);
}

static uint64_t null_now(const struct backend *base)
{
	const struct null_backend *b = (const struct null_backend *)base;

	return base->start_ns + b->elapsed_ns;
}

static uint32_t null_default_batch(uint32_t depth)
{
	return depth;
}

static void null_describe(const struct backend *base, char *buf, size_t size)
{
	(void)base;
	snprintf(buf, size, "scripted");
}

const struct backend_ops backend_null = {
    .kind = ENGINE_NULL,
    .create = null_create,
    .prepare = null_prepare,
    .submit = null_submit,
    .reap = null_reap,
    .reap_until = null_reap_until,
    .finish = null_finish,
    .destroy = null_destroy,
    .default_batch = null_default_batch,
    .describe = null_describe,
    .now = null_now,
};
