/*
 * pagecache: how much of a file or device lies in the page cache.
 */
#ifndef ENGINE_PAGECACHE_H
#define ENGINE_PAGECACHE_H

#include <stdint.h>

/* Share of the first `bytes`, 0 to 100, by cachestat(2) (Linux 6.5), else by
 * mincore(2) up to PAGECACHE_MINCORE_MAX; NAN where neither can tell. */
#define PAGECACHE_MINCORE_MAX ((uint64_t)64 << 30)
double pagecache_resident_pct(int fd, uint64_t bytes);

/* The two ways, each NAN where it cannot tell: for tests. */
double pagecache_by_cachestat(int fd, uint64_t bytes);
double pagecache_by_mincore(int fd, uint64_t bytes);

#endif
