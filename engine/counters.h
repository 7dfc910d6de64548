/*
 * counters: what the kernel counted meanwhile: about the disk, the machine,
 * this thread, and its own worker threads. All are running totals: read twice
 * and subtract. Reading allocates nothing.
 */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of one block device. */
struct counters_disk {
	uint64_t read_bytes;
	uint64_t write_bytes;
	uint64_t read_ios;
	uint64_t write_ios;
	uint64_t weighted_ms; /* summed time of its I/Os: over the time that
			       * passed, the mean number in flight */
};

/* /proc/diskstats. 0; -ENODEV when it has no such device. */
int counters_disk(dev_t device, struct counters_disk *out);

/* The same of many in one reading: known[i] tells whether device i was there.
 * path: that of the kernel, another file in tests. 0 or -errno, then none is
 * known. */
int counters_disks(const char *path, const dev_t *devices, uint32_t count,
		   struct counters_disk *out, bool *known);

/* Of all cores together, in ticks of 10 ms or so. */
struct counters_machine {
	uint64_t busy; /* user, nice, system, irq, softirq */
	uint64_t steal;
	uint64_t total;
};

/* First line of /proc/stat. 0 or -errno. */
int counters_machine(struct counters_machine *out);

/* Of the calling thread. */
struct counters_thread {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t switches_voluntary;
	uint64_t switches_involuntary;
	double wait_ns; /* ready to run, but no core was free; NAN where the
			 * kernel does not tell */
};

void counters_thread(struct counters_thread *out);

/*
 * Threads that io_uring made in this process for I/Os that would block
 * (iou-wrk): I/O that is punted to them is another engine in disguise. They
 * idle for seconds before they go, so a thread counts only when it ran.
 */
#define COUNTERS_PUNT_MAX 256
struct counters_punt {
	uint32_t count;
	struct {
		pid_t tid;
		uint64_t switches;
	} thread[COUNTERS_PUNT_MAX];
};

/* 0 or -errno. Threads beyond the table are not seen. */
int counters_punt(struct counters_punt *out);

/* Threads of `after` that ran since `before` or are new. */
uint32_t counters_punted(const struct counters_punt *before,
			 const struct counters_punt *after);

/* MemAvailable of /proc/meminfo, in bytes; UINT64_MAX when unknown. */
uint64_t counters_memory_available(void);

/* The parsers, on the text of those files. -ENODEV or -EINVAL without the
 * line that is looked for. */
int counters_parse_disk(const char *line, dev_t device,
			struct counters_disk *out);
int counters_parse_machine(const char *line, struct counters_machine *out);

#endif
