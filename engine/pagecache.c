#include "engine/pagecache.h"

#include <math.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same on every architecture; older headers have neither. */
#define CACHESTAT_NR 451

struct cachestat_range {
	uint64_t off, len;
};

struct cachestat_result {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

/* Mapped at a time, so that the answer (a byte a page) stays small. */
#define SLICE ((uint64_t)256 << 20)

static double share(uint64_t pages, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t whole = (bytes + page - 1) / page;
	double pct = 100 * (double)pages / (double)whole;

	/* Pages may come while they are counted. */
	return pct > 100 ? 100 : pct;
}

double pagecache_by_cachestat(int fd, uint64_t bytes)
{
	struct cachestat_range range = {0, bytes};
	struct cachestat_result result;

	if (!bytes || syscall(CACHESTAT_NR, fd, &range, &result, 0))
		return NAN;
	return share(result.cache, bytes);
}

/* Resident pages of one slice, or -1. */
static int64_t count_slice(int fd, uint64_t at, uint64_t length)
{
	static unsigned char vec[SLICE / 4096];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t i, pages = (length + page - 1) / page;
	int64_t count = 0;
	void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)at);

	if (map == MAP_FAILED)
		return -1;
	if (mincore(map, length, vec))
		count = -1;
	for (i = 0; count >= 0 && i < pages; i++)
		count += vec[i] & 1;
	munmap(map, length);
	return count;
}

double pagecache_by_mincore(int fd, uint64_t bytes)
{
	uint64_t at, sum = 0;

	if (!bytes || bytes > PAGECACHE_MINCORE_MAX)
		return NAN;
	for (at = 0; at < bytes; at += SLICE) {
		uint64_t left = bytes - at;
		int64_t n = count_slice(fd, at, left < SLICE ? left : SLICE);

		if (n < 0)
			return NAN;
		sum += (uint64_t)n;
	}
	return share(sum, bytes);
}

double pagecache_resident_pct(int fd, uint64_t bytes)
{
	struct stat st;
	double pct;

	/* Of a pipe the kernel tells no pages, which is not none. */
	if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
		return NAN;
	pct = pagecache_by_cachestat(fd, bytes);
	return isnan(pct) ? pagecache_by_mincore(fd, bytes) : pct;
}
