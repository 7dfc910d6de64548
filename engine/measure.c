#include "engine/measure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/aside.h"
#include "engine/buffers.h"
#include "engine/caches.h"
#include "engine/clock.h"
#include "engine/collect.h"
#include "engine/counters.h"
#include "engine/cpus.h"
#include "engine/crew.h"
#include "engine/flow.h"
#include "engine/opening.h"
#include "engine/places.h"
#include "engine/readback.h"
#include "engine/touched.h"
#include "engine/units.h"
#include "engine/warm.h"
#include "engine/watch.h"

#define BUFFER_ALIGN 4096u
#define DEFAULT_IO_TIMEOUT_NS (30 * NS_PER_SEC)
#define SAMPLES_PREFERRED 20
#define MIN_INTERVAL_NS (10 * NS_PER_MS)
#define MAX_SAMPLES 100000
/* Lengths are 32 bits in an entry of io_uring, results signed. */
#define MAX_BLOCK_BYTES (1 * GIB)
/* So that another program's blocks are not taken for ours, whatever the seed;
 * and a readback is long enough to see some. */
#define VERIFY_MARK 0x696f73776565702du
#define READ_BACK_LEAST_NS NS_PER_SEC

struct engine {
	struct measurer base;
	struct measure_opts opts;
	struct target *targets;
	uint32_t target_count;
	struct cpus cpus;
	struct crew *crew;
	struct buffers buffers;
	struct run *run;
	struct places places;
	int uring_probe, aio_probe; /* 0 or -errno */
	bool probed;
	struct caches caches;
	struct flow flow;
	struct verify_log *logs; /* one a worker of the visit under way */
	uint32_t log_count;
};

/* One visit while it is being made. */
struct job {
	struct engine *e;
	const struct point *p;
	struct target *target;
	struct run *run;
	struct visit *v;
	struct caches_visit caches;
};

/* ---- notes ---- */

__attribute__((format(printf, 2, 3))) static void note(struct visit *v,
						       const char *fmt, ...)
{
	size_t used = strlen(v->note);
	va_list ap;

	if (used && used + 3 < sizeof(v->note)) {
		strcat(v->note, "; ");
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(v->note + used, sizeof(v->note) - used, fmt, ap);
	va_end(ap);
}

/* ---- what is asked for ---- */

static struct target *find_target(const struct engine *e, const char *path)
{
	uint32_t i;

	for (i = 0; i < e->target_count; i++)
		if (e->targets[i].path == path ||
		    strcmp(e->targets[i].path, path) == 0)
			return &e->targets[i];
	return NULL;
}

static uint64_t region_bytes(const struct point *p, const struct target *t)
{
	uint64_t set = p->workload.working_set_bytes;

	return set ? set : t->size_bytes;
}

/* A sentence and false. */
__attribute__((format(printf, 3, 4))) static bool
no_fit(char *reason, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, size, fmt, ap);
	va_end(ap);
	return false;
}

bool measure_fits(const struct point *p, const struct target *t, char *reason,
		  size_t size)
{
	uint64_t bs = p->workload.stream.block_size_bytes;
	uint64_t set = p->workload.working_set_bytes;
	uint32_t align = target_alignment(t, p->cache);
	char text[UNITS_TEXT_MAX], limit[UNITS_TEXT_MAX];

	units_format_size(text, bs);
	if (align > 1 && bs % align)
		return no_fit(reason, size,
			      "blocks of %s are not a multiple of the %s that "
			      "the target is addressed in with --cache %s",
			      text, units_format_bytes(limit, align),
			      cache_mode_name(p->cache));
	if (set > t->size_bytes)
		return no_fit(
		    reason, size,
		    "a working set of %s is larger than the target of "
		    "%s",
		    units_format_size(text, set),
		    units_format_bytes(limit, t->size_bytes));
	if (bs > region_bytes(p, t))
		return no_fit(reason, size,
			      "a block of %s is larger than the %s measured",
			      text,
			      units_format_bytes(limit, region_bytes(p, t)));
	if (bs > MAX_BLOCK_BYTES)
		return no_fit(reason, size,
			      "a block of %s is larger than one I/O can be "
			      "(1G)",
			      text);
	return true;
}

static void probe(struct engine *e)
{
	if (e->probed)
		return;
	e->uring_probe = backend_uring_probe();
	e->aio_probe = backend_aio_probe();
	e->probed = true;
}

static enum engine_kind choose_engine(struct engine *e, const struct point *p,
				      struct visit *v)
{
	if (p->engine != ENGINE_AUTO)
		return p->engine;
	probe(e);
	if (e->uring_probe >= 0)
		return ENGINE_IO_URING;
	note(v, "no io_uring here (%s)", strerror(-e->uring_probe));
	if (e->aio_probe >= 0)
		return ENGINE_LIBAIO;
	note(v, "no libaio (%s)", strerror(-e->aio_probe));
	return ENGINE_SYNC;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static uint32_t clamp_batch(uint32_t asked, const struct run *r)
{
	uint32_t batch = asked ? asked : r->ops->default_batch(r->depth);

	return batch < r->depth ? batch : r->depth;
}

/* A synchronous thread has one I/O in flight: more of them take more
 * threads. */
static void set_shape(struct run *r, const struct point *p)
{
	const struct workload *w = &p->workload;
	bool one_each = r->ops->kind == ENGINE_SYNC;

	r->workers = one_each ? point_outstanding(p) : w->threads;
	r->depth = one_each ? 1 : w->queue_depth;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void set_times(struct run *r, const struct measure_opts *o)
{
	r->ramp_ns = o->ramp_ns;
	r->time_ns = o->time_ns;
	r->interval_ns = o->interval_ns ? o->interval_ns
					: longer(o->time_ns / SAMPLES_PREFERRED,
						 MIN_INTERVAL_NS);
	r->interval_ns = longer(r->interval_ns, o->time_ns / MAX_SAMPLES);
	r->samples = (uint32_t)(r->time_ns / r->interval_ns);
	r->io_timeout_ns = measure_io_timeout_ns(o);
}

static void set_run(const struct job *j, const struct backend_ops *ops)
{
	const struct measure_opts *o = &j->e->opts;
	uint32_t align = j->target->direct_memory_align;
	struct run *r = j->run;

	r->ops = ops;
	r->opts.poll = o->poll;
	r->opts.busy_wait = o->busy_wait;
	r->stream = j->p->workload.stream;
	r->region_bytes = region_bytes(j->p, j->target);
	r->seed = j->v->seed;
	r->rate_iops = j->p->workload.rate_iops;
	r->hot_key = point_hot_key(o->run_seed);
	set_shape(r, j->p);
	set_times(r, o);
	r->batch = clamp_batch(o->batch, r);
	r->stride_bytes = round_up(r->stream.block_size_bytes,
				   align > BUFFER_ALIGN ? align : BUFFER_ALIGN);
	atomic_store(&r->quit, false);
}

/* ---- what it needs ---- */

static int reserve_buffers(const struct job *j, struct err *err)
{
	struct run *r = j->run;
	uint64_t bytes = (uint64_t)r->workers * r->depth * r->stride_bytes;
	bool used[DIR_COUNT] = {point_reads(j->p), point_writes(j->p)};
	int d, ret;

	for (d = 0; d < DIR_COUNT; d++) {
		r->area[d] = NULL;
		if (!used[d])
			continue;
		ret = buffers_reserve(&j->e->buffers, d, bytes, err);
		if (ret < 0)
			return ret;
		r->area[d] = j->e->buffers.area[d].base;
	}
	return 0;
}

static int prepare_caches(struct job *j, struct err *err)
{
	int ret;

	j->caches = (struct caches_visit){
	    .point = j->p,
	    .target = j->target,
	    .fd = j->run->fd,
	    .region_bytes = j->run->region_bytes,
	    .round = j->v->round,
	};
	ret = caches_prepare(&j->e->caches, &j->caches, err);
	j->v->state_reached = j->caches.reached;
	j->v->cold_left_pct = j->caches.cold_left_pct;
	j->v->warm_passes = j->caches.warm_passes;
	return ret;
}

/* ---- what is written can be read back and judged ---- */

static void fail(struct visit *v, int ret, const struct err *err)
{
	v->state = ret == -EINTR ? VISIT_STOPPED : VISIT_FAILED;
	snprintf(v->reason, sizeof(v->reason), "%.*s", VISIT_REASON_MAX - 1,
		 ret == -EINTR ? "stopped by the user" : err->text);
}

static void free_logs(struct engine *e)
{
	uint32_t i;

	for (i = 0; i < e->log_count; i++)
		verify_log_fini(&e->logs[i]);
	free(e->logs);
	e->logs = NULL;
	e->log_count = 0;
}

static int make_logs(struct engine *e, uint32_t workers, uint64_t blocks)
{
	uint64_t each = VERIFY_BLOCKS_MAX / workers + 1;

	e->logs = calloc(workers, sizeof(*e->logs));
	if (!e->logs)
		return -ENOMEM;
	while (e->log_count < workers)
		if (verify_log_init(&e->logs[e->log_count++],
				    blocks < each ? blocks : each) < 0)
			return -ENOMEM;
	return 0;
}

static bool can_verify(const struct job *j)
{
	return (j->target->kind == TARGET_FILE ||
		j->target->kind == TARGET_DEVICE) &&
	       j->run->stream.block_size_bytes % VERIFY_SECTOR_BYTES == 0;
}

static int set_up_verify(struct job *j, struct err *err)
{
	struct engine *e = j->e;
	struct run *r = j->run;

	free_logs(e);
	r->verify = NULL;
	if (!e->opts.verify || !point_writes(j->p))
		return 0;
	if (!can_verify(j)) {
		note(j->v, "cannot be verified");
		return 0;
	}
	if (make_logs(e, r->workers,
		      r->region_bytes / r->stream.block_size_bytes) < 0 ||
	    buffers_reserve(&e->buffers, DIR_READ, r->stride_bytes, NULL) < 0)
		return err_failed(err, ENOMEM, "no memory to verify with");
	r->verify = e->logs;
	r->verify_mark = e->opts.run_seed ^ VERIFY_MARK;
	return 0;
}

static void leave_lost(struct job *j);

/* After a window that went well: what of it can be read in as long again. */
static void read_back(struct job *j)
{
	const struct run *r = j->run;
	const struct readback what = {
	    .fd = r->fd,
	    .block_size_bytes = (uint32_t)r->stream.block_size_bytes,
	    .mark = r->verify_mark,
	    .logs = r->verify,
	    .log_count = r->workers,
	    .buffer = j->e->buffers.area[DIR_READ].base,
	    .limit_ns = longer(r->time_ns, READ_BACK_LEAST_NS),
	};
	bool given_up = false;
	struct err err = {0};
	int ret;

	if (!r->verify || j->v->state != VISIT_DONE)
		return;
	ret = readback_aside(&what, &j->e->opts, j->v, &given_up, &err);
	if (ret < 0)
		fail(j->v, ret, &err);
	if (given_up)
		leave_lost(j);
	/* What was in the page cache went out of it. */
	caches_forget(&j->e->caches);
}

/* ---- sequential streams go on where they stopped ---- */

static bool keeps_place(const struct point *p)
{
	return p->workload.stream.random_pct < 100.0;
}

static int set_places(const struct job *j)
{
	uint32_t i, n = j->run->workers;
	uint64_t *block = NULL;

	if (keeps_place(j->p)) {
		block = places_get(&j->e->places, j->p->index, n);
		if (!block)
			return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		j->e->crew->members[i]->resume_block = block ? block[i] : 0;
	return 0;
}

static void keep_places(const struct job *j)
{
	uint32_t i, n = j->run->workers;
	uint64_t *block;

	if (!keeps_place(j->p))
		return;
	block = places_get(&j->e->places, j->p->index, n);
	for (i = 0; i < n; i++) {
		const struct crew_member *m = j->e->crew->members[i];

		if (!m->lost)
			block[i] = offsets_position(&m->worker->flight.offsets);
	}
}

/* I/Os of a visit, its ramp included. */
static uint64_t all_ios(const struct visit *v)
{
	double counted = (double)(v->ios[DIR_READ] + v->ios[DIR_WRITE]);

	if (!v->measured_ns)
		return 0;
	return (uint64_t)(counted * (double)(v->ramp_ns + v->measured_ns) /
			  (double)v->measured_ns);
}

static void engine_earlier(struct measurer *m, const struct point *p,
			   const struct visit *v)
{
	struct engine *e = (struct engine *)m;
	const struct target *t = find_target(e, p->target);
	struct offsets_plan plan = {.stream = &p->workload.stream};
	struct offsets o;
	uint64_t *block;
	uint32_t i;

	/* Those that jump stand anywhere. */
	if (!t || p->workload.stream.random_pct > 0)
		return;
	plan.region_bytes = region_bytes(p, t);
	plan.workers = v->engine_used == ENGINE_SYNC ? point_outstanding(p)
						     : p->workload.threads;
	block = places_get(&e->places, p->index, plan.workers);
	if (!block ||
	    !offsets_blocks(plan.region_bytes, plan.stream->block_size_bytes))
		return;
	for (i = 0; i < plan.workers; i++) {
		plan.worker = i;
		plan.resume_block = block[i];
		offsets_init(&o, &plan);
		block[i] =
		    offsets_position_after(&o, all_ios(v) / plan.workers);
	}
}

/* ---- one visit ---- */

/* Their targets are let go of, so that nothing holds them between visits. */
static void finish_workers(const struct job *j)
{
	crew_order(j->e->crew, j->run->workers, CREW_FINISH, j->run);
	crew_wait(j->e->crew, UINT64_MAX);
}

static int prepare_workers(const struct job *j, struct err *err)
{
	struct crew *c = j->e->crew;
	uint32_t i;
	int ret = 0;

	crew_order(c, j->run->workers, CREW_PREPARE, j->run);
	crew_wait(c, UINT64_MAX);
	for (i = 0; i < j->run->workers && ret == 0; i++) {
		ret = c->members[i]->ret;
		if (ret < 0)
			err_failed(err, -ret, "%s",
				   c->members[i]->worker->err.text);
	}
	if (ret < 0)
		finish_workers(j);
	return ret;
}

/* Everything until the first I/O. */
static int set_up(struct job *j, struct err *err)
{
	struct run *r = j->run;
	const struct backend_ops *ops;
	int ret;

	j->v->engine_used = choose_engine(j->e, j->p, j->v);
	ops = backend_by_kind(j->v->engine_used);
	if (!ops)
		return err_failed(err, EINVAL, "engine %s does no I/O",
				  engine_kind_name(j->v->engine_used));
	set_run(j, ops);
	r->fd = opening_fd(j->target, j->p->cache, point_writes(j->p),
			   &j->e->opts, err);
	if (r->fd < 0)
		return r->fd;
	ret = reserve_buffers(j, err);
	if (ret == 0)
		ret = set_up_verify(j, err);
	if (ret == 0)
		ret = prepare_caches(j, err);
	if (ret == 0)
		ret = crew_reserve(j->e->crew, r->workers, err);
	if (ret < 0)
		return ret;
	if (set_places(j) < 0 || visit_reserve(j->v, r->samples) < 0)
		return err_failed(err, ENOMEM, "no memory for the visit");
	return prepare_workers(j, err);
}

static void note_features(const struct job *j)
{
	const struct worker *w = j->e->crew->members[0]->worker;
	const struct run *r = j->run;
	char text[BACKEND_NOTE_MAX];

	if (j->target->kind == TARGET_ZERO || j->target->kind == TARGET_NULL)
		note(j->v, "measures the tool, not a disk");
	if (j->caches.note[0])
		note(j->v, "%s", j->caches.note);
	if (j->target->nr_requests &&
	    point_outstanding(j->p) > j->target->nr_requests)
		note(j->v, "outstanding above the queue's nr_requests %u",
		     j->target->nr_requests);
	note(j->v, "batch %u", r->batch);
	if (j->e->buffers.area[point_reads(j->p) ? DIR_READ : DIR_WRITE].huge)
		note(j->v, "huge pages");
	if (r->opts.busy_wait)
		note(j->v, "busy wait");
	r->ops->describe(w->backend, text, sizeof(text));
	note(j->v, "%s", text);
}

/* Nothing that the kernel may still write to is used again. */
static void leave_lost(struct job *j)
{
	buffers_abandon(&j->e->buffers);
	j->e->run = NULL;
	j->e->logs = NULL;
	j->e->log_count = 0;
}

/* Distinct bytes that were gone to; takes a twentieth of the window at
 * most, else stays unknown. */
static void fill_touched(const struct job *j)
{
	uint32_t i, n = j->run->workers;
	struct touched_part *parts = calloc(n, sizeof(*parts));

	for (i = 0; parts && i < n; i++) {
		const struct worker *w = j->e->crew->members[i]->worker;

		parts[i].from = w->offsets_since;
		parts[i].ios = w->part.latency[DIR_READ]->count +
			       w->part.latency[DIR_WRITE]->count;
	}
	if (parts)
		j->v->touched_bytes =
		    touched_bytes(parts, n, j->run->time_ns / 20);
	free(parts);
}

static void end_flow(struct job *j)
{
	const struct run *r = j->run;

	if (j->v->state != VISIT_DONE)
		return;
	flow_end(&j->e->flow, j->target, j->p, r->fd, r->region_bytes,
		 r->time_ns, j->v);
	if (j->target->kind == TARGET_FILE || j->target->kind == TARGET_DEVICE)
		fill_touched(j);
}

static void measure_prepared(struct job *j)
{
	struct flow *flow = &j->e->flow;
	struct watch w = {
	    .opts = &j->e->opts,
	    .target = j->target,
	    .crew = j->e->crew,
	    .run = j->run,
	    .flow = flow,
	    .visit = j->v,
	};

	note_features(j);
	flow_begin(flow, j->target, j->p, j->run->fd, j->run->region_bytes,
		   j->v);
	watch_visit(&w);
	collect_visit(&w);
	end_flow(j);
	keep_places(j);
	if (w.lost) {
		leave_lost(j);
		return;
	}
	finish_workers(j);
	read_back(j);
}

static int make_run(struct engine *e, struct err *err)
{
	if (!e->run)
		e->run = calloc(1, sizeof(*e->run));
	return e->run ? 0 : err_failed(err, ENOMEM, "no memory for the visit");
}

static void engine_measure(struct measurer *m, const struct point *p,
			   uint32_t round, struct visit *v)
{
	struct engine *e = (struct engine *)m;
	struct job j = {.e = e, .p = p, .v = v};
	struct err err = {0};
	int ret;

	visit_reset(v);
	v->point = p->index;
	v->round = round;
	v->seed = point_seed(p, e->opts.run_seed, round);
	v->started_utc_ns = clock_utc_ns();
	j.target = find_target(e, p->target);
	if (!j.target) {
		err_failed(&err, ENOENT, "%s is no target of this run",
			   p->target);
		fail(v, -ENOENT, &err);
		return;
	}
	if (!measure_fits(p, j.target, v->reason, sizeof(v->reason))) {
		v->state = VISIT_SKIPPED;
		return;
	}
	ret = make_run(e, &err);
	j.run = e->run;
	if (ret == 0)
		ret = set_up(&j, &err);
	if (ret < 0)
		fail(v, ret, &err);
	else
		measure_prepared(&j);
}

/* ---- the measurer ---- */

static void engine_free(struct measurer *m)
{
	struct engine *e = (struct engine *)m;

	crew_free(e->crew);
	free_logs(e);
	buffers_free(&e->buffers);
	places_free(&e->places);
	free(e->run);
	caches_fini(&e->caches);
	cpus_free(&e->cpus);
	free(e);
}

static const struct measurer_ops engine_ops = {
    .measure = engine_measure,
    .earlier = engine_earlier,
    .free = engine_free,
};

int measure_engine_new(const struct measure_opts *opts, struct target *targets,
		       uint32_t target_count, struct measurer **out,
		       struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return err_failed(err, ENOMEM, "no memory for the engine");
	e->base.ops = &engine_ops;
	e->opts = *opts;
	e->targets = targets;
	e->target_count = target_count;
	e->flow.opts = (struct flow_opts){opts->watch, opts->probe};
	ret = cpus_parse(opts->cpus, &e->cpus, err);
	if (ret < 0) {
		free(e);
		return ret;
	}
	e->crew = crew_new(&e->cpus);
	if (!e->crew ||
	    caches_init(&e->caches, &e->opts, targets, target_count)) {
		engine_free(&e->base);
		return err_failed(err, ENOMEM, "no memory for the engine");
	}
	*out = &e->base;
	return 0;
}

void measure_visit(struct measurer *m, const struct point *p, uint32_t round,
		   struct visit *v)
{
	m->ops->measure(m, p, round, v);
}

void measure_earlier(struct measurer *m, const struct point *p,
		     const struct visit *v)
{
	if (m->ops->earlier)
		m->ops->earlier(m, p, v);
}

void measure_free(struct measurer *m)
{
	if (m)
		m->ops->free(m);
}

uint64_t measure_io_timeout_ns(const struct measure_opts *opts)
{
	return opts->io_timeout_ns ? opts->io_timeout_ns
				   : DEFAULT_IO_TIMEOUT_NS;
}

uint32_t measure_stuck_threads(void)
{
	return crew_lost_count() + warm_lost_count() + aside_lost_count();
}

uint64_t measure_memory_bytes(const struct point *p)
{
	uint64_t each =
	    round_up(p->workload.stream.block_size_bytes, BUFFER_ALIGN);
	uint64_t directions = (uint64_t)point_reads(p) + point_writes(p);

	return point_outstanding(p) * each * directions;
}
