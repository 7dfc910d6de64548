#include "tests/measure_rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/units.h"

static void fill_point(struct point *p, const char *path)
{
	p->target = path;
	p->variant = "";
	p->section = "";
	p->engine = ENGINE_NULL;
	p->cache = CACHE_DIRECT;
	p->workload.threads = 1;
	p->workload.queue_depth = 1;
	p->workload.stream.block_size_bytes = 4096;
	p->workload.stream.read_pct = 100;
	p->workload.stream.random_pct = 100;
}

bool measure_rig_init(struct measure_rig *r, const char *path,
		      enum target_kind kind)
{
	struct target *t = &r->target;
	int i, fd = open(path, O_RDWR | O_CLOEXEC);

	memset(r, 0, sizeof(*r));
	if (fd < 0)
		return false;
	t->path = strdup(path);
	t->kind = kind;
	t->size_bytes = 64 * MIB;
	t->logical_block = 512;
	t->direct_offset_align = 512;
	t->direct_memory_align = 512;
	for (i = 0; i < CACHE_COUNT; i++)
		t->fd[i][0] = t->fd[i][1] = fd;
	fill_point(&r->point, t->path);
	r->opts.time_ns = NS_PER_SEC;
	r->opts.ramp_ns = 100 * NS_PER_MS;
	r->opts.stop = &r->stop;
	visit_init(&r->visit);
	return true;
}

void measure_rig_start(struct measure_rig *r)
{
	struct err err = {0};

	measure_free(r->measurer);
	r->measurer = NULL;
	if (measure_engine_new(&r->opts, &r->target, 1, &r->measurer, &err) < 0)
		abort();
}

void measure_rig_visit(struct measure_rig *r, uint32_t round)
{
	if (!r->measurer)
		measure_rig_start(r);
	measure_visit(r->measurer, &r->point, round, &r->visit);
}

void measure_rig_fini(struct measure_rig *r)
{
	measure_free(r->measurer);
	visit_fini(&r->visit);
	close(r->target.fd[0][0]);
	free(r->target.path);
}
