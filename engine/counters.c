#include "engine/counters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR_BYTES 512 /* of diskstats, whatever the device has */

/* ---- files of /proc, line by line, without the heap ---- */

struct lines {
	int fd;
	size_t used, at; /* bytes in the buffer, start of the next line */
	char buffer[8192];
};

static int lines_open(struct lines *l, const char *path)
{
	l->used = 0;
	l->at = 0;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	return l->fd < 0 ? -errno : 0;
}

/* Move the rest to the front and read behind it. False at the end. */
static bool lines_fill(struct lines *l)
{
	ssize_t n;

	memmove(l->buffer, l->buffer + l->at, l->used - l->at);
	l->used -= l->at;
	l->at = 0;
	if (l->used == sizeof(l->buffer))
		return false;
	n = read(l->fd, l->buffer + l->used, sizeof(l->buffer) - l->used);
	if (n <= 0)
		return false;
	l->used += (size_t)n;
	return true;
}

/* The next whole line without its newline, or NULL. */
static char *lines_next(struct lines *l)
{
	char *start, *end;

	for (;;) {
		start = l->buffer + l->at;
		end = memchr(start, '\n', l->used - l->at);
		if (end)
			break;
		if (!lines_fill(l))
			return NULL;
	}
	*end = '\0';
	l->at = (size_t)(end + 1 - l->buffer);
	return start;
}

static void lines_close(struct lines *l)
{
	close(l->fd);
}

/* ---- disk ---- */

int counters_parse_disk(const char *line, dev_t device,
			struct counters_disk *out)
{
	uint64_t reads, sectors_read, writes, sectors_written, weighted_ms;
	unsigned major_no, minor_no;

	if (sscanf(line,
		   "%u %u %*s %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
		   " %*u %" SCNu64 " %*u %*u %*u %" SCNu64,
		   &major_no, &minor_no, &reads, &sectors_read, &writes,
		   &sectors_written, &weighted_ms) != 7)
		return -EINVAL;
	if (makedev(major_no, minor_no) != device)
		return -ENODEV;
	out->read_bytes = sectors_read * SECTOR_BYTES;
	out->write_bytes = sectors_written * SECTOR_BYTES;
	out->read_ios = reads;
	out->write_ios = writes;
	out->weighted_ms = weighted_ms;
	return 0;
}

int counters_disk(dev_t device, struct counters_disk *out)
{
	struct lines l;
	char *line;
	int ret = lines_open(&l, "/proc/diskstats");

	if (ret < 0)
		return ret;
	ret = -ENODEV;
	while (ret != 0 && (line = lines_next(&l)))
		ret = counters_parse_disk(line, device, out);
	lines_close(&l);
	return ret == 0 ? 0 : -ENODEV;
}

int counters_disks(const char *path, const dev_t *devices, uint32_t count,
		   struct counters_disk *out, bool *known)
{
	struct lines l;
	char *line;
	uint32_t i;
	int ret = lines_open(&l, path);

	memset(known, 0, count * sizeof(*known));
	if (ret < 0)
		return ret;
	while ((line = lines_next(&l)))
		for (i = 0; i < count; i++)
			if (!known[i] &&
			    !counters_parse_disk(line, devices[i], &out[i])) {
				known[i] = true;
				break;
			}
	lines_close(&l);
	return 0;
}

/* ---- machine ---- */

int counters_parse_machine(const char *line, struct counters_machine *out)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;

	if (sscanf(line,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq,
		   &steal) != 8)
		return -EINVAL;
	out->busy = user + nice + system + irq + softirq;
	out->steal = steal;
	out->total = out->busy + idle + iowait + steal;
	return 0;
}

int counters_machine(struct counters_machine *out)
{
	struct lines l;
	char *line;
	int ret = lines_open(&l, "/proc/stat");

	if (ret < 0)
		return ret;
	line = lines_next(&l);
	ret = line ? counters_parse_machine(line, out) : -EINVAL;
	lines_close(&l);
	return ret;
}

uint64_t counters_memory_available(void)
{
	uint64_t kib = 0;
	struct lines l;
	char *line;

	if (lines_open(&l, "/proc/meminfo") < 0)
		return UINT64_MAX;
	while ((line = lines_next(&l)))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	lines_close(&l);
	return line ? kib * 1024 : UINT64_MAX;
}

/* ---- threads ---- */

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000u +
	       (uint64_t)tv->tv_usec * 1000u;
}

/* Second number of schedstat: time on a run queue. */
static double read_wait_ns(void)
{
	uint64_t wait_ns;
	struct lines l;
	char *line;
	bool known;

	if (lines_open(&l, "/proc/thread-self/schedstat") < 0)
		return NAN;
	line = lines_next(&l);
	known = line && sscanf(line, "%*u %" SCNu64, &wait_ns) == 1;
	lines_close(&l);
	return known ? (double)wait_ns : NAN;
}

void counters_thread(struct counters_thread *out)
{
	struct rusage r;

	memset(&r, 0, sizeof(r));
	getrusage(RUSAGE_THREAD, &r);
	out->user_ns = timeval_ns(&r.ru_utime);
	out->system_ns = timeval_ns(&r.ru_stime);
	out->switches_voluntary = (uint64_t)r.ru_nvcsw;
	out->switches_involuntary = (uint64_t)r.ru_nivcsw;
	out->wait_ns = read_wait_ns();
}

/* Context switches of a thread when it is one of the kernel's workers. */
static bool read_punt(const char *tid, uint64_t *switches)
{
	struct lines l;
	char path[64], *line;
	bool found = false;
	uint64_t n;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/status", tid);
	if (lines_open(&l, path) < 0)
		return false;
	*switches = 0;
	line = lines_next(&l);
	if (line && strncmp(line, "Name:\tiou-wrk", 13) == 0)
		found = true;
	while (found && (line = lines_next(&l)))
		if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &n) ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &n))
			*switches += n;
	lines_close(&l);
	return found;
}

static void add_punts(struct counters_punt *out, const char *entries,
		      ssize_t bytes)
{
	const struct dirent64 *e;
	uint64_t switches;
	ssize_t at;

	for (at = 0; at < bytes; at += e->d_reclen) {
		e = (const struct dirent64 *)(entries + at);
		if (e->d_name[0] == '.' || out->count == COUNTERS_PUNT_MAX ||
		    !read_punt(e->d_name, &switches))
			continue;
		out->thread[out->count].tid = (pid_t)atoi(e->d_name);
		out->thread[out->count].switches = switches;
		out->count++;
	}
}

int counters_punt(struct counters_punt *out)
{
	/* opendir would use the heap. */
	_Alignas(struct dirent64) char entries[4096];
	ssize_t n;
	int fd;

	out->count = 0;
	fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = getdents64(fd, entries, sizeof(entries))) > 0)
		add_punts(out, entries, n);
	close(fd);
	return 0;
}

static bool ran_since(const struct counters_punt *before, pid_t tid,
		      uint64_t switches)
{
	uint32_t i;

	for (i = 0; i < before->count; i++)
		if (before->thread[i].tid == tid)
			return before->thread[i].switches != switches;
	return true;
}

uint32_t counters_punted(const struct counters_punt *before,
			 const struct counters_punt *after)
{
	uint32_t i, n = 0;

	for (i = 0; i < after->count; i++)
		n += ran_since(before, after->thread[i].tid,
			       after->thread[i].switches);
	return n;
}
