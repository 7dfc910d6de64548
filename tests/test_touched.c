/* touched and pagecache: distinct blocks of a sequence drawn again, and what
 * of a file lies in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/pagecache.h"
#include "engine/touched.h"
#include "tests/loopdev.h"

#define BS 4096
#define LONG_NS ((uint64_t)60000000000)

static struct touched_part part(const char *law, double random_pct,
				uint64_t blocks, uint32_t worker, uint64_t ios)
{
	struct stream s = {
	    .block_size_bytes = BS, .read_pct = 100, .random_pct = random_pct};
	struct offsets_plan plan = {.stream = &s,
				    .region_bytes = blocks * BS,
				    .worker = worker,
				    .workers = 2,
				    .seed = 5,
				    .hot_key = 6};
	struct touched_part p = {.ios = ios};

	assert_int_equal(distribution_parse(law, &s.distribution), 0);
	offsets_init(&p.from, &plan);
	return p;
}

/* What a table of all blocks says. */
static double counted(const struct touched_part *parts, uint32_t count,
		      uint64_t blocks)
{
	bool *seen = calloc(blocks, sizeof(*seen));
	double distinct = 0;
	uint32_t i, dir;
	uint64_t k;

	for (i = 0; i < count; i++) {
		struct offsets o = parts[i].from;

		for (k = 0; k < parts[i].ios; k++) {
			uint64_t block = offsets_next(&o, &dir) / BS;

			distinct += !seen[block];
			seen[block] = true;
		}
	}
	free(seen);
	return distinct * BS;
}

static void small_regions_are_counted_exactly(void **state)
{
	static const char *const laws[] = {"uniform", "zipf:1.1", "hot:10/90"};
	static const double randoms[] = {0, 40, 100};
	size_t l, r;

	(void)state;
	for (l = 0; l < 3; l++)
		for (r = 0; r < 3; r++) {
			struct touched_part parts[2] = {
			    part(laws[l], randoms[r], 10007, 0, 3000),
			    part(laws[l], randoms[r], 10007, 1, 20000)};
			double expected = counted(parts, 2, 10007);

			assert_true(touched_bytes(parts, 2, LONG_NS) ==
				    expected);
			assert_true(expected > 0 && expected <= 10007.0 * BS);
		}
}

static void nothing_done_touched_nothing(void **state)
{
	struct touched_part p = part("uniform", 100, 100, 0, 0);

	(void)state;
	assert_true(touched_bytes(&p, 1, LONG_NS) == 0);
}

/* Beyond the table: distinct of n uniform draws from N is N (1 - e^(-n/N)). */
static void large_regions_are_estimated_closely(void **state)
{
	const double n = 2e6, blocks = 2.0 * TOUCHED_CELLS + 12345;
	struct touched_part p =
	    part("uniform", 100, (uint64_t)blocks, 0, (uint64_t)n);
	double expected = blocks * -expm1(-n / blocks) * BS;

	(void)state;
	assert_true(fabs(touched_bytes(&p, 1, LONG_NS) / expected - 1) < 1e-3);
}

static void what_takes_too_long_stays_unknown(void **state)
{
	struct touched_part p =
	    part("zipf:1.1", 100, 1 << 20, 0, (uint64_t)1 << 40);

	(void)state;
	assert_true(isnan(touched_bytes(&p, 1, 10000000)));
}

static void drop(int fd)
{
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
}

static void read_some(int fd, size_t bytes)
{
	char *buf = malloc(bytes);

	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
	assert_int_equal(pread(fd, buf, bytes, 0), bytes);
	free(buf);
}

static void both_ways_tell_what_lies_in_the_page_cache(void **state)
{
	const uint64_t size = 4 * LOOPDEV_MIB;
	char path[PATH_MAX];
	double by_stat, by_core;
	int fd;

	(void)state;
	assert_non_null(scratch_file(path, "cached", size, 'x'));
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	drop(fd);
	if (pagecache_by_mincore(fd, size) > 0) {
		close(fd);
		print_message("skip: this file system keeps its pages\n");
		skip();
	}
	assert_true(pagecache_resident_pct(fd, size) == 0);
	read_some(fd, LOOPDEV_MIB);
	by_core = pagecache_by_mincore(fd, size);
	assert_true(by_core >= 25 && by_core < 60);
	by_stat = pagecache_by_cachestat(fd, size);
	if (!isnan(by_stat))
		assert_true(by_stat == by_core);
	read_some(fd, size);
	assert_true(pagecache_resident_pct(fd, size) == 100);
	/* Half of the first half. */
	assert_true(pagecache_by_mincore(fd, size / 2) == 100);
	close(fd);
}

static void what_has_no_pages_is_unknown(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(isnan(pagecache_resident_pct(ends[0], 4096)));
	assert_true(isnan(pagecache_resident_pct(ends[0], 0)));
	assert_true(isnan(pagecache_resident_pct(-1, 4096)));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(small_regions_are_counted_exactly),
	    cmocka_unit_test(nothing_done_touched_nothing),
	    cmocka_unit_test(large_regions_are_estimated_closely),
	    cmocka_unit_test(what_takes_too_long_stays_unknown),
	    cmocka_unit_test(both_ways_tell_what_lies_in_the_page_cache),
	    cmocka_unit_test(what_has_no_pages_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
