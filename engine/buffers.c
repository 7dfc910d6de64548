#include "engine/buffers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sysinfo.h>

#include "engine/clock.h"
#include "engine/counters.h"
#include "engine/rng.h"
#include "engine/units.h"

#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static size_t machine_memory(void)
{
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return 0;
	return (size_t)info.totalram * info.mem_unit;
}

static bool reserve(struct buffer_area *a, size_t bytes)
{
	char *space = mmap(NULL, bytes + HUGE_PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (space == MAP_FAILED)
		return false;
	a->base = (char *)round_up((size_t)space, HUGE_PAGE);
	a->space = space;
	a->reserved = bytes;
	return true;
}

/* Address space for all that the machine could ever give, or less where that
 * is limited (ulimit -v), but at least what is needed now. */
static bool reserve_largest(struct buffer_area *a, size_t needed)
{
	size_t want = round_up(machine_memory(), HUGE_PAGE);

	for (; want > needed; want = round_up(want / 2, HUGE_PAGE))
		if (reserve(a, want))
			return true;
	return reserve(a, needed);
}

static void fill_random(char *start, size_t bytes)
{
	struct rng rng;
	uint64_t seed = 0, *word = (uint64_t *)start;
	size_t i;

	/* New data in every run, or storage that knows the old one could
	 * leave out the writes. */
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = clock_now_ns();
	rng_seed(&rng, seed, 0);
	for (i = 0; i < bytes / sizeof(*word); i++)
		word[i] = rng_next(&rng);
}

static int refuse(size_t bytes, uint64_t available, struct err *err)
{
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];

	return err_failed(err, ENOMEM,
			  "the buffers need %s more memory and %s are "
			  "available: lower outstanding or block size",
			  units_format_bytes(need, bytes),
			  units_format_bytes(have, available));
}

/* What the kernel made of the wish for huge pages: the bytes of them in the
 * mappings of the area, from /proc/self/smaps. */
static size_t count_huge(const struct buffer_area *a)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	uintptr_t from, to, base = (uintptr_t)a->base;
	bool inside = false;
	size_t kib, bytes = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
			inside = from >= base && from < base + a->filled;
		else if (inside &&
			 sscanf(line, "AnonHugePages: %zu", &kib) == 1)
			bytes += kib * 1024;
	}
	if (f)
		fclose(f);
	return bytes;
}

int buffers_reserve(struct buffers *b, enum direction dir, size_t bytes,
		    struct err *err)
{
	struct buffer_area *a = &b->area[dir];
	uint64_t available;
	size_t more;
	char *start;

	bytes = round_up(bytes, HUGE_PAGE);
	if (bytes <= a->filled)
		return 0;
	more = bytes - a->filled;
	/* The kernel promises more than it has and kills later: ask first. */
	available = counters_memory_available();
	if (more > available || (!a->base && !reserve_largest(a, bytes)) ||
	    bytes > a->reserved)
		return refuse(more, available, err);
	start = a->base + a->filled;
	if (mprotect(start, more, PROT_READ | PROT_WRITE) < 0)
		return refuse(more, available, err);
	madvise(start, more, MADV_HUGEPAGE);
	fill_random(start, more);
	a->filled = bytes;
	a->huge = count_huge(a) > bytes / 2;
	return 0;
}

void buffers_abandon(struct buffers *b)
{
	memset(b, 0, sizeof(*b));
}

void buffers_free(struct buffers *b)
{
	int d;

	for (d = 0; d < DIR_COUNT; d++)
		if (b->area[d].space)
			munmap(b->area[d].space,
			       b->area[d].reserved + HUGE_PAGE);
	buffers_abandon(b);
}
