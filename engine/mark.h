/*
 * mark: the xattr user.iosweep by which a file tells that iosweep laid it out
 * whole, so that it may be written again: "size=1048576 seed=42".
 */
#ifndef ENGINE_MARK_H
#define ENGINE_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* Set the mark on an open file. 0 or -errno; -EOPNOTSUPP where the file
 * system has no user xattrs. */
int mark_set(int fd, uint64_t size_bytes, uint64_t seed);

/* True when the file carries a mark that reads well and names this size. A
 * file that was grown, shrunk or copied in part is not ours. */
bool mark_matches(int fd, uint64_t size_bytes);

/* The seed of such a mark. 0, or -ENODATA. */
int mark_seed(int fd, uint64_t size_bytes, uint64_t *out);

#endif
