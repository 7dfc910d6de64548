#include "sweep/preflight.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/backend.h"
#include "engine/blockdev.h"
#include "engine/cgroup.h"
#include "engine/counters.h"
#include "engine/measure.h"
#include "engine/units.h"

/* Open files beside the rings: streams, folder, targets, the book's parts. */
#define FILES_ASIDE 64
/* What a visit leaves in the run folder, found by measuring; and the book. */
#define RESULT_BYTES_VISIT ((uint64_t)8 * KIB)
#define RESULT_BYTES_POINT ((uint64_t)2 * KIB)
#define RESULT_BYTES_BOOK (1 * MIB)

/* What the largest points of a plan take together, since rings, threads and
 * buffers outlive visits. */
struct need {
	uint64_t memory_bytes;
	const struct point *largest; /* of which most is for this one */
	uint32_t threads;
	uint32_t rings;	      /* of io_uring */
	uint64_t aio_entries; /* of libaio */
};

/* ---- lists of sentences ---- */

static int append(char ***list, uint32_t *count, const char *sentence)
{
	char **grown = realloc(*list, (*count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[*count] = strdup(sentence);
	if (!grown[*count])
		return -ENOMEM;
	(*count)++;
	return 0;
}

int preflight_add(struct preflight *p, const char *sentence)
{
	return append(&p->problems, &p->problem_count, sentence);
}

__attribute__((format(printf, 2, 3))) static int problem(struct preflight *p,
							 const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return preflight_add(p, text);
}

__attribute__((format(printf, 2, 3))) static int note(struct preflight *p,
						      const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return append(&p->notes, &p->note_count, text);
}

/* ---- what the plan needs ---- */

static enum engine_kind engine_of(const struct point *p)
{
	static int uring = 1, aio = 1; /* not asked yet */

	if (p->engine != ENGINE_AUTO)
		return p->engine;
	if (uring > 0) {
		uring = backend_uring_probe();
		aio = backend_aio_probe();
	}
	if (uring >= 0)
		return ENGINE_IO_URING;
	return aio >= 0 ? ENGINE_LIBAIO : ENGINE_SYNC;
}

static uint32_t threads_of(const struct point *p)
{
	return engine_of(p) == ENGINE_SYNC ? point_outstanding(p)
					   : p->workload.threads;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A thread keeps the largest context that it ever needed: thread i that of
 * the deepest point with more than i threads. depth[n]: of those with n. */
static uint64_t sum_aio(const uint32_t *depth)
{
	uint32_t n, deepest = 0;
	uint64_t sum = 0;

	for (n = PLAN_THREADS_MAX; n > 0; n--) {
		deepest = larger(deepest, depth[n]);
		if (deepest)
			sum += backend_aio_entries(deepest);
	}
	return sum;
}

static int find_need(const struct plan *plan, struct need *out)
{
	uint64_t bytes[DIR_COUNT] = {0}, most = 0;
	uint32_t *aio = calloc(PLAN_THREADS_MAX + 1, sizeof(*aio));
	uint32_t i;

	if (!aio)
		return -ENOMEM;
	memset(out, 0, sizeof(*out));
	for (i = 0; i < plan->point_count; i++) {
		const struct point *p = &plan->points[i];
		uint64_t all = measure_memory_bytes(p);
		bool both = point_reads(p) && point_writes(p);
		uint64_t each = both ? all / 2 : all;

		if (point_reads(p) && each > bytes[DIR_READ])
			bytes[DIR_READ] = each;
		if (point_writes(p) && each > bytes[DIR_WRITE])
			bytes[DIR_WRITE] = each;
		if (all > most) {
			most = all;
			out->largest = p;
		}
		out->threads = larger(out->threads, threads_of(p));
		if (engine_of(p) == ENGINE_IO_URING)
			out->rings = larger(out->rings, p->workload.threads);
		if (engine_of(p) == ENGINE_LIBAIO)
			aio[p->workload.threads] = larger(
			    aio[p->workload.threads], p->workload.queue_depth);
	}
	out->memory_bytes = bytes[DIR_READ] + bytes[DIR_WRITE];
	out->aio_entries = sum_aio(aio);
	free(aio);
	return 0;
}

/* ---- what there is ---- */

/* The first number in a file of /proc; UINT64_MAX: not known. */
static uint64_t number_in(const char *path)
{
	uint64_t value = UINT64_MAX;
	FILE *f = fopen(path, "re");

	if (!f)
		return value;
	if (fscanf(f, "%" SCNu64, &value) != 1)
		value = UINT64_MAX;
	fclose(f);
	return value;
}

/* Whether the limit on locked memory does not hold for us. */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct header = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[0].effective & 1u << CAP_IPC_LOCK;
}

/* Bytes that may be had; who: what they are less by than the machine's, "" or
 * " (limited by ...)". */
static uint64_t memory_left(char *who, size_t size)
{
	uint64_t have = counters_memory_available();
	struct cgroup_limit group;

	cgroup_memory("", &group);
	who[0] = '\0';
	if (group.left >= have)
		return have;
	snprintf(who, size, " (the limit of the control group in %.400s)",
		 group.file);
	return group.left;
}

static int check_memory(struct preflight *p, const struct need *need)
{
	char want[UNITS_TEXT_MAX], there[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
	char who[ERR_TEXT_MAX / 2];
	uint64_t have = memory_left(who, sizeof(who));

	if (need->memory_bytes <= have)
		return 0;
	return problem(
	    p,
	    "the largest points need %s of buffers, more than the %s "
	    "of memory that are available%s: ask for less than %s x "
	    "%" PRIu32 ", in blocks or outstanding I/Os",
	    units_format_bytes(want, need->memory_bytes),
	    units_format_bytes(there, have), who,
	    units_format_size(size,
			      need->largest->workload.stream.block_size_bytes),
	    point_outstanding(need->largest));
}

static int check_locked(struct preflight *p, const struct need *need)
{
	char want[UNITS_TEXT_MAX], there[UNITS_TEXT_MAX];
	struct rlimit limit;

	if (!need->rings || getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur >= need->memory_bytes || may_lock_all())
		return 0;
	return note(p,
		    "locked memory is limited to %s (ulimit -l) and the "
		    "largest points have %s of buffers: io_uring goes without "
		    "registered buffers there, which costs some CPU",
		    units_format_bytes(there, limit.rlim_cur),
		    units_format_bytes(want, need->memory_bytes));
}

static int check_aio(struct preflight *p, const struct need *need)
{
	uint64_t most = number_in("/proc/sys/fs/aio-max-nr");
	uint64_t used = number_in("/proc/sys/fs/aio-nr");

	if (!need->aio_entries || most == UINT64_MAX || used == UINT64_MAX ||
	    (used <= most && need->aio_entries <= most - used))
		return 0;
	return problem(p,
		       "libaio needs room for %" PRIu64 " I/Os and the kernel "
		       "has %" PRIu64 " left of %" PRIu64 ": sysctl "
		       "fs.aio-max-nr=%" PRIu64 ", or --engine io_uring",
		       need->aio_entries, used < most ? most - used : 0, most,
		       used + need->aio_entries);
}

static int check_files(struct preflight *p, const struct need *need)
{
	uint64_t want = (uint64_t)need->rings + FILES_ASIDE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max >= want)
		return 0;
	return problem(p,
		       "%" PRIu64 " files have to be open at a time, a ring "
		       "for each thread among them, and %" PRIu64 " are "
		       "allowed: raise ulimit -n, or ask for fewer --threads",
		       want, (uint64_t)limit.rlim_max);
}

/* Threads that this process may have at all, and what says so. */
static uint64_t thread_limit(const char **who)
{
	uint64_t most = number_in("/proc/sys/kernel/threads-max");
	struct rlimit limit;

	*who = "sysctl kernel.threads-max";
	/* Root is not held to it. */
	if (geteuid() && !getrlimit(RLIMIT_NPROC, &limit) &&
	    limit.rlim_cur < most) {
		most = limit.rlim_cur;
		*who = "ulimit -u";
	}
	return most;
}

static int check_threads(struct preflight *p, const struct need *need)
{
	const char *who;
	uint64_t most = thread_limit(&who);
	struct cgroup_limit group;

	cgroup_threads("", &group);
	if (need->threads > group.left)
		return problem(
		    p,
		    "%" PRIu32 " threads are needed and the control group "
		    "has room for %" PRIu64 " of %" PRIu64 " (%s): raise it, "
		    "or ask for fewer --threads (with --engine sync: fewer "
		    "outstanding I/Os)",
		    need->threads, group.left, group.most, group.file);
	if (need->threads < most)
		return 0;
	return problem(p,
		       "%" PRIu32 " threads are needed and %s allows %" PRIu64
		       " in all: raise it, or ask for fewer --threads (with "
		       "--engine sync: fewer outstanding I/Os)",
		       need->threads, who, most);
}

/* Fewer processors than a sweep on this machine would use. */
static int tell_cpus(struct preflight *p, const struct need *need)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t want = need->threads > 1 ? need->threads : 1;
	struct cgroup_limit group;

	cgroup_cpus("", &group);
	if (cores > 0 && want > (uint64_t)cores)
		want = (uint64_t)cores;
	if (group.most >= 1000 * want)
		return 0;
	return note(p,
		    "the control group allows %g processors (%s): points that "
		    "would use more show that limit and not the storage",
		    (double)group.most / 1000, group.file);
}

/* The file system that a folder will be made on: that of the first of its
 * parents that is there. */
static int stat_room(const char *folder, struct statvfs *fs)
{
	char *path = strdup(folder);
	char *slash;
	int rc;

	if (!path)
		return -1;
	rc = statvfs(path, fs);
	while (rc && (slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		rc = statvfs(path, fs);
	}
	if (rc)
		rc = statvfs(folder[0] == '/' ? "/" : ".", fs);
	free(path);
	return rc;
}

/* As many as there may be within --max-time. */
static uint64_t count_visits(const struct plan *plan)
{
	const struct plan_settings *s = &plan->settings;
	struct plan_estimate estimate;
	uint64_t most;

	plan_estimate(plan, &estimate);
	most = s->max_time_ns / (s->time_ns + s->ramp_ns) + 1;
	return s->max_time_ns && most < estimate.visit_count
		   ? most
		   : estimate.visit_count;
}

static int check_results(struct preflight *p, const struct plan *plan,
			 const char *results)
{
	char want[UNITS_TEXT_MAX], there[UNITS_TEXT_MAX];
	uint64_t need = count_visits(plan) * RESULT_BYTES_VISIT +
			plan->point_count * RESULT_BYTES_POINT +
			RESULT_BYTES_BOOK;
	struct statvfs fs;

	if (!results)
		results = ".";
	if (stat_room(results, &fs) || !fs.f_blocks ||
	    (uint64_t)fs.f_bavail * fs.f_frsize >= need)
		return 0;
	return problem(
	    p,
	    "the results will take about %s, and the file system of the run "
	    "folder (%s) has %s: free some space, or name another folder with "
	    "--out",
	    units_format_bytes(want, need), results,
	    units_format_bytes(there, (uint64_t)fs.f_bavail * fs.f_frsize));
}

/* ---- the targets ---- */

static int check_targets(struct preflight *p, const struct plan *plan,
			 const struct stage *stage)
{
	struct err err = {0};
	uint32_t i, bad = 0;
	int rc = 0;

	for (i = 0; !rc && i < stage->count; i++)
		if (stage->items[i].problem) {
			rc = preflight_add(p, stage->items[i].problem);
			bad++;
		}
	/* What cannot be had at all need not be opened in some way. */
	if (!rc && !bad && stage_check_direct(stage, plan, &err))
		rc = preflight_add(p, err.text);
	return rc;
}

static int find_target(const struct stage *stage, const char *path,
		       uint32_t *out)
{
	uint32_t i;

	for (i = 0; i < stage->count; i++)
		if (!strcmp(stage->items[i].path, path)) {
			*out = i;
			return 0;
		}
	return -ENOENT;
}

/* A file that is to be made has its size and no more yet. */
static struct target as_it_will_be(const struct stage *stage, uint32_t i)
{
	struct target made = {.kind = TARGET_FILE};

	made.size_bytes = stage->size_bytes;
	return stage->items[i].missing ? made : stage->targets[i];
}

/* Points that will be skipped, with the reason of the first one. */
static int tell_unfit(struct preflight *p, const struct plan *plan,
		      const struct stage *stage)
{
	char reason[VISIT_REASON_MAX], first[VISIT_REASON_MAX] = "";
	uint32_t i, target, n = 0;

	for (i = 0; i < plan->point_count; i++) {
		const struct point *point = &plan->points[i];
		struct target t;

		if (find_target(stage, point->target, &target))
			continue;
		t = as_it_will_be(stage, target);
		if (measure_fits(point, &t, reason, sizeof(reason)))
			continue;
		if (!n++)
			memcpy(first, reason, sizeof(first));
	}
	if (!n)
		return 0;
	return note(p,
		    "%" PRIu32 " of the %" PRIu32 " points do not fit and will "
		    "be skipped, the first because %s",
		    n, plan->point_count, first);
}

/* More in flight than there are places for it. */
static int tell_small(struct preflight *p, const struct plan *plan,
		      const struct stage *stage, uint32_t target)
{
	char size[UNITS_TEXT_MAX], whole[UNITS_TEXT_MAX];
	uint64_t there = stage_bytes(stage, target), most = 0;
	const struct point *largest = NULL;
	uint32_t i;

	if (!stage->items[target].missing &&
	    stage->targets[target].kind > TARGET_DEVICE)
		return 0;
	for (i = 0; i < plan->point_count; i++) {
		const struct point *point = &plan->points[i];
		uint64_t bs = point->workload.stream.block_size_bytes;
		uint64_t bytes = bs * point_outstanding(point);

		if (strcmp(point->target, stage->items[target].path) != 0 ||
		    bs > there || bytes <= most)
			continue;
		most = bytes;
		largest = point;
	}
	if (!largest || most <= there)
		return 0;
	return note(
	    p,
	    "%s: the I/Os of %s x %" PRIu32 " cover more than its %s, "
	    "so that several are in flight to the same place: make it "
	    "larger (--size)",
	    stage->items[target].path,
	    units_format_size(size, largest->workload.stream.block_size_bytes),
	    point_outstanding(largest), units_format_bytes(whole, there));
}

/* What is measured would be the limit. */
static int tell_throttle(struct preflight *p, const struct stage *stage,
			 uint32_t target)
{
	const struct target *t = &stage->targets[target];
	struct cgroup_throttle throttle;

	if (stage->items[target].missing || !t->device)
		return 0;
	cgroup_io("", blockdev_disk(t->device), &throttle);
	if (!throttle.text[0])
		return 0;
	return note(
	    p,
	    "%s: the control group limits its device to %s (%s): points "
	    "that would do more show that limit and not the storage",
	    stage->items[target].path, throttle.text, throttle.file);
}

int preflight_look(const struct plan *plan, const struct stage *stage,
		   const char *results, struct preflight *out, struct err *err)
{
	struct need need;
	uint32_t i;

	if (find_need(plan, &need) || check_targets(out, plan, stage) ||
	    check_memory(out, &need) || check_locked(out, &need) ||
	    check_aio(out, &need) || check_files(out, &need) ||
	    check_threads(out, &need) || tell_cpus(out, &need) ||
	    check_results(out, plan, results) || tell_unfit(out, plan, stage))
		goto no_memory;
	for (i = 0; i < stage->count; i++)
		if (tell_small(out, plan, stage, i) ||
		    tell_throttle(out, stage, i))
			goto no_memory;
	return 0;
no_memory:
	return err_failed(err, ENOMEM, "out of memory before the sweep");
}

int preflight_refuse(const struct preflight *p, FILE *f, struct err *err)
{
	uint32_t i;

	if (!p->problem_count)
		return 0;
	if (p->problem_count == 1)
		return err_refused(err, "%s", p->problems[0]);
	for (i = 0; i < p->problem_count; i++)
		fprintf(f, "problem: %s\n", p->problems[i]);
	return err_refused(err,
			   "%" PRIu32 " problems stand in the way, each told "
			   "above with its remedy: nothing was begun",
			   p->problem_count);
}

void preflight_raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void free_list(char **list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

void preflight_fini(struct preflight *p)
{
	free_list(p->problems, p->problem_count);
	free_list(p->notes, p->note_count);
	memset(p, 0, sizeof(*p));
}
