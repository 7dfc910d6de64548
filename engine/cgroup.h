/*
 * cgroup: what the control groups of this process allow it, versions 1 and 2:
 * its own group's limits and those of all groups above, of which the tightest
 * holds. What cannot be read limits nothing.
 *
 * root is "" or the folder of a test's own /proc and /sys.
 */
#ifndef ENGINE_CGROUP_H
#define ENGINE_CGROUP_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_TEXT_MAX 160

struct cgroup_limit {
	/* The limit; UINT64_MAX: none, and then file is "". */
	uint64_t most;
	uint64_t left;	     /* of it, at this moment */
	char file[PATH_MAX]; /* that holds it */
};

/* Bytes of memory. What the page cache holds counts as left. */
void cgroup_memory(const char *root, struct cgroup_limit *out);
/* Threads and processes. */
void cgroup_threads(const char *root, struct cgroup_limit *out);
/* Processors, in thousandths: 500 is half of one. Nothing is taken away: left
 * is most. */
void cgroup_cpus(const char *root, struct cgroup_limit *out);

struct cgroup_throttle {
	char text[CGROUP_TEXT_MAX]; /* "rbps=1048576 wiops=100"; "": none */
	char file[PATH_MAX];	    /* that holds the last of them */
};
/* What I/O of that disk is held to, all groups' together. */
void cgroup_io(const char *root, dev_t disk, struct cgroup_throttle *out);

#endif
