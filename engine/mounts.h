/*
 * mounts: what is mounted where, from /proc/PID/mountinfo: as this process
 * sees it and, as far as the kernel shows them, as every other process does
 * (containers have mount namespaces of their own).
 */
#ifndef ENGINE_MOUNTS_H
#define ENGINE_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

/* One line, unescaped; the texts live until the callback returns. */
struct mount {
	int id;
	dev_t device; /* of the super block; major 0 where it has no device of
		       * its own (tmpfs, overlay, btrfs) */
	const char *point;
	const char *type;
	const char *source;
	pid_t pid; /* 0: this process sees it; else one that does */
};

/* Not 0 ends the walk; that value, which must be positive, is returned. */
typedef int mounts_visit(void *arg, const struct mount *m);

/* The mounts that this process sees. 0, what visit returned, or -errno when
 * the table cannot be read to its end. */
int mounts_own(mounts_visit *visit, void *arg);

/* The same, then those of the other processes, each view once. Processes
 * whose table the kernel does not show are passed over: 0 does not prove that
 * nothing else is mounted. */
int mounts_all(mounts_visit *visit, void *arg);

/*
 * The type of the file system that holds an open file, and the block device
 * that is its source; "" and 0 where that is not known or there is none.
 * Always fills both.
 */
void mounts_holding(int fd, char *type, size_t type_size, dev_t *source);

/* The block device that a mount lies on by number or by its source's name; 0
 * where there is none. */
dev_t mounts_device(const struct mount *m);

/* Undo the octal escapes (\040) of /proc, in place. */
void mounts_unescape(char *text);

#endif
