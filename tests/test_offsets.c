/* offsets and rng: in range, aligned, uniform at any size, repeatable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "engine/offsets.h"
#include "engine/units.h"

static struct stream stream(uint64_t bs, double read_pct, double random_pct)
{
	struct stream s = {
	    .block_size_bytes = bs,
	    .read_pct = read_pct,
	    .random_pct = random_pct,
	};

	return s;
}

static struct offsets start(const struct stream *s, uint64_t region,
			    uint32_t worker, uint32_t workers)
{
	struct offsets_plan plan = {
	    .stream = s,
	    .region_bytes = region,
	    .worker = worker,
	    .workers = workers,
	    .seed = 42,
	};
	struct offsets o;

	offsets_init(&o, &plan);
	return o;
}

/* First outputs of the reference implementation for the state 1, 2, 3, 4. */
static void rng_multiplies_with_carry(void **state)
{
	/* x' + 2^64 c' = a x + c in integers of any length, x = 1, c = 2. */
	static const uint64_t expected[] = {
	    0x0000000000000001u, 0xffebb71d94fcdafbu, 0xac0c5f94e77ebc23u,
	    0x70a7af4a27095eefu, 0xcb3ed42e5c5bf729u, 0x3a2f01ebcf19901du,
	    0x8bee18e42fc48176u, 0xc54f90f46ed968b3u,
	};
	struct rng r = {.x = 1, .carry = 2};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_true(rng_next(&r) == expected[i]);
}

static void rng_below_stays_below_and_reaches_both_ends(void **state)
{
	bool seen[3] = {false};
	struct rng r;
	int i;

	(void)state;
	rng_seed(&r, 1, 0);
	for (i = 0; i < 1000; i++) {
		uint64_t n = rng_below(&r, 3);

		assert_in_range(n, 0, 2);
		seen[n] = true;
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	assert_int_equal(rng_below(&r, 1), 0);
}

static void offsets_are_aligned_and_whole_blocks_lie_inside(void **state)
{
	static const struct {
		uint64_t bs, region;
	} cases[] = {
	    {4096, 4096},	    {4096, 10 * 4096 + 4095},
	    {3072, 100000},	    {512, (uint64_t)1 << 50},
	    {MIB, 3 * MIB + 7},	    {1536, 16 * GIB + 1},
	    {8192, UINT64_MAX / 2}, {GIB, 5 * GIB},
	};
	static const double randoms[] = {0, 60, 100};
	size_t c, k;
	int i;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (k = 0; k < 3; k++) {
			struct stream s = stream(cases[c].bs, 50, randoms[k]);
			struct offsets o = start(&s, cases[c].region, 0, 1);

			for (i = 0; i < 2000; i++) {
				uint32_t dir;
				uint64_t at = offsets_next(&o, &dir);

				assert_true(at % cases[c].bs == 0);
				assert_true(at <=
					    cases[c].region - cases[c].bs);
				assert_in_range(dir, DIR_READ, DIR_WRITE);
			}
		}
	}
}

/* Chi-square over equal parts of the region; 255 degrees of freedom: 330 is
 * exceeded once in a thousand seeds, and this seed is fixed. */
static double chi_square(uint64_t bs, uint64_t region, double random_pct)
{
	enum { PARTS = 256, DRAWS = 1 << 20 };
	static uint32_t hits[PARTS];
	struct stream s = stream(bs, 100, random_pct);
	struct offsets o = start(&s, region, 3, 7);
	double expected = (double)DRAWS / PARTS, sum = 0;
	uint32_t dir;
	int i;

	for (i = 0; i < PARTS; i++)
		hits[i] = 0;
	for (i = 0; i < DRAWS; i++)
		hits[offsets_next(&o, &dir) / (region / PARTS)]++;
	for (i = 0; i < PARTS; i++)
		sum += ((double)hits[i] - expected) *
		       ((double)hits[i] - expected) / expected;
	return sum;
}

static void random_blocks_are_uniform_over_the_region_at_any_size(void **state)
{
	static const uint64_t regions[] = {MIB, GIB, (uint64_t)1 << 44,
					   (uint64_t)1 << 60};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
		assert_true(chi_square(512, regions[i], 100) < 330);
}

static void
regions_beyond_2_to_32_blocks_use_every_low_and_high_bit(void **state)
{
	struct stream s = stream(512, 100, 100);
	struct offsets o = start(&s, (uint64_t)1 << 60, 0, 1);
	uint64_t ones = 0, zeros = 0;
	uint32_t dir;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		uint64_t block = offsets_next(&o, &dir) / 512;

		ones |= block;
		zeros |= ~block;
	}
	assert_true(ones == ((uint64_t)1 << 51) - 1);
	assert_true((zeros & ones) == ones);
}

static void every_block_of_a_small_region_is_reached(void **state)
{
	static bool seen[1000];
	struct stream s = stream(4096, 100, 100);
	struct offsets o = start(&s, 1000 * 4096, 0, 1);
	uint32_t dir;
	int i, left = 1000;

	(void)state;
	for (i = 0; i < 20000; i++) {
		uint64_t block = offsets_next(&o, &dir) / 4096;

		left -= !seen[block];
		seen[block] = true;
	}
	assert_int_equal(left, 0);
}

static void
sequential_workers_tile_the_region_and_wrap_in_their_zones(void **state)
{
	enum { BLOCKS = 103, WORKERS = 4 };
	int hits[BLOCKS] = {0};
	struct stream s = stream(4096, 100, 0);
	uint32_t w, dir;
	int i;

	(void)state;
	for (w = 0; w < WORKERS; w++) {
		struct offsets o = start(&s, BLOCKS * 4096, w, WORKERS);
		uint64_t first = offsets_next(&o, &dir), last = first, at;

		hits[first / 4096]++;
		while ((at = offsets_next(&o, &dir)) != first) {
			assert_true(at == last + 4096);
			hits[at / 4096]++;
			last = at;
		}
	}
	for (i = 0; i < BLOCKS; i++)
		assert_int_equal(hits[i], 1);
}

static void more_workers_than_blocks_still_stay_inside(void **state)
{
	struct stream s = stream(4096, 100, 0);
	uint32_t w, dir;
	int i;

	(void)state;
	for (w = 0; w < 9; w++) {
		struct offsets o = start(&s, 2 * 4096, w, 9);

		for (i = 0; i < 5; i++)
			assert_true(offsets_next(&o, &dir) <= 4096);
	}
}

static void a_sequential_stream_goes_on_where_it_stopped(void **state)
{
	struct stream s = stream(4096, 100, 0);
	struct offsets whole = start(&s, 100 * 4096, 1, 2), part = whole;
	struct offsets_plan plan = {
	    .stream = &s,
	    .region_bytes = 100 * 4096,
	    .worker = 1,
	    .workers = 2,
	    .seed = 7,
	};
	uint32_t dir;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		plan.resume_block = offsets_position(&part);
		offsets_init(&part, &plan);
		assert_true(offsets_next(&part, &dir) ==
			    offsets_next(&whole, &dir));
	}
}

static void a_place_outside_the_zone_is_not_resumed(void **state)
{
	struct stream s = stream(4096, 100, 0);
	struct offsets_plan plan = {
	    .stream = &s,
	    .region_bytes = 100 * 4096,
	    .worker = 1,
	    .workers = 2,
	    .resume_block = 3,
	};
	struct offsets o;
	uint32_t dir;

	(void)state;
	offsets_init(&o, &plan);
	assert_true(offsets_next(&o, &dir) == 50 * 4096);
}

static void the_share_of_jumps_is_the_random_percentage(void **state)
{
	enum { DRAWS = 1000000 };
	struct stream s = stream(4096, 100, 60);
	struct offsets o = start(&s, GIB * 100, 0, 1);
	uint64_t last = offsets_position(&o) * 4096;
	int i, jumps = 0;
	uint32_t dir;

	(void)state;
	for (i = 0; i < DRAWS; i++) {
		uint64_t at = offsets_next(&o, &dir);

		jumps += at != last;
		last = at + 4096;
	}
	/* Five standard deviations of a share of 0.6 in a million. */
	assert_in_range(jumps, 600000 - 2450, 600000 + 2450);
}

static void the_share_of_reads_is_the_read_percentage(void **state)
{
	static const double pcts[] = {1, 33.3, 50, 70, 99};
	enum { DRAWS = 1000000 };
	size_t p;
	int i;

	(void)state;
	for (p = 0; p < sizeof(pcts) / sizeof(pcts[0]); p++) {
		struct stream s = stream(4096, pcts[p], 100);
		struct offsets o = start(&s, GIB, 0, 1);
		int reads = 0, expected = (int)(pcts[p] * DRAWS / 100);

		for (i = 0; i < DRAWS; i++) {
			uint32_t dir;

			offsets_next(&o, &dir);
			reads += dir == DIR_READ;
		}
		assert_in_range(reads, expected - 2500, expected + 2500);
	}
}

static void pure_reads_and_writes_have_no_other_direction(void **state)
{
	static const double randoms[] = {0, 50, 100};
	size_t k;
	int i;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct stream r = stream(4096, 100, randoms[k]);
		struct stream w = stream(4096, 0, randoms[k]);
		struct offsets ro = start(&r, GIB, 0, 1);
		struct offsets wo = start(&w, GIB, 0, 1);
		uint32_t dir;

		for (i = 0; i < 100000; i++) {
			offsets_next(&ro, &dir);
			assert_int_equal(dir, DIR_READ);
			offsets_next(&wo, &dir);
			assert_int_equal(dir, DIR_WRITE);
		}
	}
}

static void jumps_and_directions_are_independent(void **state)
{
	enum { DRAWS = 1000000 };
	struct stream s = stream(4096, 50, 50);
	struct offsets o = start(&s, GIB * 100, 0, 1);
	uint64_t last = offsets_position(&o) * 4096;
	int i, cell[2][2] = {{0}};

	(void)state;
	for (i = 0; i < DRAWS; i++) {
		uint32_t dir;
		uint64_t at = offsets_next(&o, &dir);

		cell[at != last][dir]++;
		last = at + 4096;
	}
	for (i = 0; i < 4; i++)
		assert_in_range(cell[i / 2][i % 2], 250000 - 2200,
				250000 + 2200);
}

static void a_seed_names_a_sequence_and_each_worker_has_its_own(void **state)
{
	struct stream s = stream(4096, 70, 100);
	struct offsets a = start(&s, GIB, 0, 2), b = start(&s, GIB, 0, 2);
	struct offsets other = start(&s, GIB, 1, 2);
	uint32_t da, db;
	int i, same = 0;

	(void)state;
	for (i = 0; i < 1000; i++) {
		uint64_t at = offsets_next(&a, &da);

		assert_true(at == offsets_next(&b, &db));
		assert_int_equal(da, db);
		same += at == offsets_next(&other, &db);
	}
	assert_in_range(same, 0, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rng_multiplies_with_carry),
	    cmocka_unit_test(rng_below_stays_below_and_reaches_both_ends),
	    cmocka_unit_test(offsets_are_aligned_and_whole_blocks_lie_inside),
	    cmocka_unit_test(
		random_blocks_are_uniform_over_the_region_at_any_size),
	    cmocka_unit_test(
		regions_beyond_2_to_32_blocks_use_every_low_and_high_bit),
	    cmocka_unit_test(every_block_of_a_small_region_is_reached),
	    cmocka_unit_test(
		sequential_workers_tile_the_region_and_wrap_in_their_zones),
	    cmocka_unit_test(more_workers_than_blocks_still_stay_inside),
	    cmocka_unit_test(a_sequential_stream_goes_on_where_it_stopped),
	    cmocka_unit_test(a_place_outside_the_zone_is_not_resumed),
	    cmocka_unit_test(the_share_of_jumps_is_the_random_percentage),
	    cmocka_unit_test(the_share_of_reads_is_the_read_percentage),
	    cmocka_unit_test(pure_reads_and_writes_have_no_other_direction),
	    cmocka_unit_test(jumps_and_directions_are_independent),
	    cmocka_unit_test(
		a_seed_names_a_sequence_and_each_worker_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
