/*
 * guard: the one place that decides whether a target may be written.
 *
 * Refused whatever the consent says:
 *   a device of which itself, a partition, its disk or anything made of it or
 *     under it is mounted (in any mount namespace that the kernel shows) or
 *     is swap; that is part of a RAID, LVM or loop device; that another
 *     program holds exclusively or has locked; that is read-only
 *   a loop device on a block device or beside another on the same file
 *   a device with partitions that the kernel does not know, for it cannot be
 *     told whether they are in use
 *   a file that is swap, lies under a loop device, or is locked by another
 *     program
 *   a file larger than the limit on file sizes (the kernel would end us)
 *   what was replaced since the probe, and whatever cannot be told
 * Refused without consent: any other device, and a file that does not carry
 * our mark (xattr user.iosweep). Consent must name exactly that device or
 * file, by whatever path.
 *
 * Decided on the open descriptor: the path is opened once (O_PATH), and that
 * descriptor is what is judged and opened for writing, so a path swapped
 * meanwhile changes nothing. A device is held exclusively (O_EXCL) from
 * before the decision until target_close_fds.
 */
#ifndef ENGINE_GUARD_H
#define ENGINE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/target.h"

/*
 * Open t for reading and writing with extra open(2) flags (O_DIRECT, O_DSYNC).
 * Returns the descriptor, the caller's; or -EPERM with a sentence that names
 * the device or file, what stands against it and what to do (kind
 * ERR_REFUSED), or another -errno with a sentence when the open itself
 * failed. Claims a device for t.
 */
int guard_open_writable(struct target *t, int flags, struct err *err);

/* The same decision without keeping anything open: for `plan`, `check` and
 * the preflight. Opens read-only at most. 0 or as guard_open_writable. */
int guard_check_writable(const struct target *t, struct err *err);

/* Writing behind the limit on file sizes (ulimit -f, RLIMIT_FSIZE) ends a
 * process by SIGXFSZ. 0, or -EFBIG with a sentence. */
int guard_check_limit(const char *path, uint64_t size_bytes, struct err *err);

/*
 * What writing would destroy, for the question whether it may: "file system
 * ext4, label "data", UUID ...; partition table gpt with 2 partitions (50.0
 * GiB, MODEL)", "a file of 1.0 GiB that iosweep did not make, with nothing that
 * libblkid knows". 0, or -errno when that cannot be told; buf is text in any
 * case.
 */
#define GUARD_DESCRIBE_MAX 512
int guard_describe(const struct target *t, char *buf, size_t size);

#endif
