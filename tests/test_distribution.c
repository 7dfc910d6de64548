/* distribution: drawn ranks follow their law, hot blocks lie scattered, and a
 * seed names a sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/distribution.h"
#include "engine/offsets.h"

#define DRAWS 400000

static struct distribution law(const char *text)
{
	struct distribution d;

	assert_int_equal(distribution_parse(text, &d), 0);
	return d;
}

static void texts_parse_and_come_back(void **state)
{
	static const char *const good[] = {
	    "uniform",	 "zipf:1.1",	 "zipf:1",     "zipf:0.99",
	    "hot:10/90", "hot:0.5/99.9", "hot:20/100", "zipf:10"};
	static const char *const bad[] = {
	    "",		  "zipf",     "zipf:",	    "zipf:0",	"zipf:-1",
	    "zipf:1.1x",  "zipf:11",  "zipf:nan",   "zipf:1e1", "zipf:1,1",
	    "hot:10",	  "hot:0/90", "hot:100/90", "hot:10/0", "hot:10/101",
	    "hot:10/90/", "hot:/90",  "hot:10/",    "Uniform",	"zipf:1.1.1",
	    "zipf:.",	  "hot:+1/9", "uniform ",   " uniform"};
	char name[DISTRIBUTION_NAME_MAX];
	struct distribution d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		d = law(good[i]);
		assert_string_equal(distribution_name(&d, name), good[i]);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&d, 7, sizeof(d));
		assert_int_equal(distribution_parse(bad[i], &d), -EINVAL);
		assert_int_equal(d.kind, 0x07070707);
	}
}

static void distributions_have_an_order(void **state)
{
	static const char *const order[] = {"uniform",	 "zipf:0.5",
					    "zipf:1.1",	 "hot:5/90",
					    "hot:10/80", "hot:10/90"};
	size_t i, j;

	(void)state;
	for (i = 0; i < 6; i++)
		for (j = 0; j < 6; j++) {
			struct distribution a = law(order[i]);
			struct distribution b = law(order[j]);

			assert_int_equal(distribution_compare(&a, &b),
					 (i > j) - (i < j));
		}
}

/* Every block is met once: nothing else can be drawn as often as its rank. */
static void a_permutation_meets_every_block_once(void **state)
{
	static const uint64_t sizes[] = {1,    2,    3,	    4,	   5,	  7,
					 8,    63,   64,    65,	   1000,  4096,
					 4097, 9999, 65536, 65537, 131071};
	uint64_t key, i;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (key = 0; key < 3; key++) {
			uint64_t n = sizes[k];
			bool *seen = calloc(n, sizeof(*seen));
			struct permutation p;

			permutation_init(&p, n, key);
			for (i = 0; i < n; i++) {
				uint64_t at = permutation_at(&p, i);

				assert_true(at < n && !seen[at]);
				seen[at] = true;
			}
			free(seen);
		}
}

/* Chi-square of counts that are all expected alike. */
static double even(const uint32_t *count, uint32_t parts, double total)
{
	double expected = total / parts, sum = 0;
	uint32_t i;

	for (i = 0; i < parts; i++)
		sum += (count[i] - expected) * (count[i] - expected) / expected;
	return sum;
}

/* Exceeded once in some ten thousand seeds, and the seeds are fixed. */
static double limit(double df)
{
	return df + 4 * sqrt(2 * df) + 8;
}

static void hot_blocks_lie_in_no_corner_and_share_no_pattern(void **state)
{
	static const uint64_t sizes[] = {1 << 20, 1000003, (uint64_t)1 << 40,
					 ((uint64_t)1 << 40) - 87,
					 ((uint64_t)1 << 61) + 1};
	static const uint32_t moduli[] = {2, 3, 7, 8, 64, 100};
	enum { HOT = 50000, PARTS = 128 };
	uint32_t parts[PARTS], rest[100];
	uint64_t key, i;
	size_t k, m;

	(void)state;
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (key = 1; key <= 3; key++) {
			struct permutation p;

			permutation_init(&p, sizes[k], key);
			memset(parts, 0, sizeof(parts));
			for (i = 0; i < HOT; i++)
				parts[(unsigned __int128)permutation_at(&p, i) *
				      PARTS / sizes[k]]++;
			assert_true(even(parts, PARTS, HOT) < limit(PARTS - 1));
			for (m = 0; m < 6; m++) {
				memset(rest, 0, sizeof(rest));
				for (i = 0; i < HOT; i++)
					rest[permutation_at(&p, i) %
					     moduli[m]]++;
				assert_true(even(rest, moduli[m], HOT) <
					    limit(moduli[m] - 1));
			}
		}
}

static void neighbours_in_rank_are_not_neighbours_on_the_disk(void **state)
{
	enum { N = 1 << 20 };
	struct permutation p;
	uint32_t i, near = 0;

	(void)state;
	permutation_init(&p, N, 9);
	for (i = 1; i < 100000; i++) {
		int64_t a = (int64_t)permutation_at(&p, i - 1);
		int64_t b = (int64_t)permutation_at(&p, i);

		near += llabs(a - b) <= 8;
	}
	/* 16 of 2^20 places: 1.5 expected. */
	assert_true(near < 10);
}

/* Chi-square of drawn ranks against k^-theta, ranks that are rare together. */
static double zipf_misfit(const char *drawn, double theta, uint64_t blocks,
			  uint32_t seed, double *out_df)
{
	struct distribution what = law(drawn);
	uint32_t *count = calloc(blocks, sizeof(*count));
	double total = 0, sum = 0, expected = 0, df = -1;
	struct drawing d;
	struct rng rng;
	uint64_t k;
	int64_t got = 0;
	int i;

	drawing_init(&d, &what, blocks, 1);
	rng_seed(&rng, seed, 0);
	for (i = 0; i < DRAWS; i++) {
		k = drawing_rank(&d, &rng);
		assert_true(k < blocks);
		count[k]++;
	}
	for (k = 1; k <= blocks; k++)
		total += pow((double)k, -theta);
	for (k = 1; k <= blocks; k++) {
		expected += DRAWS * pow((double)k, -theta) / total;
		got += count[k - 1];
		if (expected < 20 && k < blocks)
			continue;
		if (expected >= 5) {
			sum += ((double)got - expected) *
			       ((double)got - expected) / expected;
			df++;
		}
		expected = 0;
		got = 0;
	}
	free(count);
	*out_df = df;
	return sum;
}

static void ranks_follow_zipfs_law_over_the_whole_region(void **state)
{
	static const struct {
		const char *name;
		double theta;
	} laws[] = {{"zipf:0.2", 0.2}, {"zipf:0.5", 0.5}, {"zipf:0.99", 0.99},
		    {"zipf:1", 1},     {"zipf:1.1", 1.1}, {"zipf:2", 2},
		    {"zipf:5", 5}};
	static const uint64_t sizes[] = {2, 3, 100, 1024, 99991, 1 << 20};
	double df;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			double misfit =
			    zipf_misfit(laws[i].name, laws[i].theta, sizes[k],
					(uint32_t)(7 + i + k), &df);

			if (df >= 1)
				assert_true(misfit < limit(df));
		}
}

/* The same test tells a law that is off by little. */
static void a_law_that_is_a_little_off_is_told(void **state)
{
	double df, misfit = zipf_misfit("zipf:1.1", 1.08, 100000, 3, &df);

	(void)state;
	assert_true(misfit > limit(df));
}

/* Octaves of ranks in a region that no table could hold: each has its share
 * up to the last, and the lowest bits of the ranks in it are even. */
static void zipf_reaches_the_ends_of_huge_regions(void **state)
{
	static const char *const laws[] = {"zipf:0.5", "zipf:1", "zipf:1.1"};
	const uint64_t blocks = ((uint64_t)1 << 40) + 12345;
	uint32_t octave[41], low[16];
	size_t l;
	int i;

	(void)state;
	for (l = 0; l < 3; l++) {
		struct distribution what = law(laws[l]);
		double sum = 0, df = -1, deep = 0;
		struct drawing d;
		struct rng rng;

		memset(octave, 0, sizeof(octave));
		memset(low, 0, sizeof(low));
		drawing_init(&d, &what, blocks, 1);
		rng_seed(&rng, 5, 0);
		for (i = 0; i < DRAWS; i++) {
			uint64_t k = drawing_rank(&d, &rng) + 1;

			assert_true(k <= blocks);
			octave[63 - __builtin_clzll(k)]++;
			if (k >= 1 << 20) {
				low[k % 16]++;
				deep++;
			}
		}
		for (i = 0; i < 41; i++) {
			double from = pow(2, i) - 1, to = pow(2, i + 1) - 1;
			double expected =
			    DRAWS *
			    (distribution_share(&what, to, (double)blocks) -
			     distribution_share(&what, from, (double)blocks));

			if (expected < 5)
				continue;
			sum += (octave[i] - expected) * (octave[i] - expected) /
			       expected;
			df++;
		}
		assert_true(df > 10 && sum < limit(df));
		assert_true(deep > 1000 && even(low, 16, deep) < limit(15));
	}
}

static void hot_blocks_get_their_share_and_are_alike(void **state)
{
	static const uint64_t sizes[] = {2, 10, 999, 4096, 30011};
	struct distribution what = law("hot:10/90");
	size_t k;
	int i;

	(void)state;
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		uint64_t n = sizes[k], hot = (uint64_t)(n * 0.1 + 0.5);
		uint32_t *count = calloc(n, sizeof(*count));
		double hits = 0, df;
		struct drawing d;
		struct rng rng;

		hot = hot ? hot : 1;
		drawing_init(&d, &what, n, 1);
		rng_seed(&rng, 11, 0);
		for (i = 0; i < DRAWS; i++)
			count[drawing_rank(&d, &rng)]++;
		for (i = 0; (uint64_t)i < hot; i++)
			hits += count[i];
		/* Four standard deviations: 0.0019. */
		assert_true(fabs(hits / DRAWS - 0.9) < 0.002);
		df = (double)hot - 1;
		if (df >= 1)
			assert_true(even(count, (uint32_t)hot, hits) <
				    limit(df));
		df = (double)(n - hot) - 1;
		if (df >= 1)
			assert_true(even(count + hot, (uint32_t)(n - hot),
					 DRAWS - hits) < limit(df));
		free(count);
	}
}

/* All I/Os to the hot blocks leave the others alone. */
static void hot_with_a_hundred_percent_goes_nowhere_else(void **state)
{
	struct distribution what = law("hot:20/100");
	struct drawing d;
	struct rng rng;
	int i;

	(void)state;
	drawing_init(&d, &what, 1000, 1);
	rng_seed(&rng, 1, 0);
	for (i = 0; i < 100000; i++)
		assert_true(drawing_rank(&d, &rng) < 200);
}

static void one_block_is_drawn_always(void **state)
{
	static const char *const laws[] = {"uniform", "zipf:1.1", "zipf:1",
					   "hot:10/90"};
	size_t l;
	int i;

	(void)state;
	for (l = 0; l < 4; l++) {
		struct distribution what = law(laws[l]);
		struct drawing d;
		struct rng rng;

		drawing_init(&d, &what, 1, 3);
		rng_seed(&rng, 1, 0);
		for (i = 0; i < 1000; i++)
			assert_int_equal(drawing_next(&d, &rng), 0);
	}
}

/* Blocks of a worker of a visit, the whole way that the engine goes. */
static void run_offsets(const char *name, uint64_t seed, uint64_t key,
			uint32_t worker, uint32_t *count, uint32_t blocks)
{
	struct stream s = {.block_size_bytes = 4096,
			   .read_pct = 70,
			   .random_pct = 100,
			   .distribution = law(name)};
	struct offsets_plan plan = {.stream = &s,
				    .region_bytes = (uint64_t)blocks * 4096,
				    .worker = worker,
				    .workers = 2,
				    .seed = seed,
				    .hot_key = key};
	struct offsets o;
	uint32_t dir;
	int i;

	memset(count, 0, blocks * sizeof(*count));
	offsets_init(&o, &plan);
	for (i = 0; i < DRAWS; i++) {
		uint64_t at = offsets_next(&o, &dir);

		assert_true(at % 4096 == 0 && at / 4096 < blocks);
		count[at / 4096]++;
	}
}

static uint32_t hottest(const uint32_t *count, uint32_t blocks)
{
	uint32_t i, best = 0;

	for (i = 1; i < blocks; i++)
		if (count[i] > count[best])
			best = i;
	return best;
}

static void the_hot_set_stays_over_rounds_and_workers(void **state)
{
	enum { N = 5000 };
	static uint32_t first[N], second[N], other[N];
	uint32_t i, shared = 0, moved = 0;

	(void)state;
	run_offsets("zipf:1.1", 1, 77, 0, first, N);
	run_offsets("zipf:1.1", 2, 77, 1, second, N);
	run_offsets("zipf:1.1", 1, 78, 0, other, N);
	assert_int_equal(hottest(first, N), hottest(second, N));
	assert_int_not_equal(hottest(first, N), hottest(other, N));
	run_offsets("hot:10/90", 1, 77, 0, first, N);
	run_offsets("hot:10/90", 2, 77, 1, second, N);
	run_offsets("hot:10/90", 1, 78, 0, other, N);
	/* 720 I/Os to a hot block, 9 to another. */
	for (i = 0; i < N; i++) {
		assert_true((first[i] > 200) == (second[i] > 200));
		shared += first[i] > 200;
		moved += (first[i] > 200) != (other[i] > 200);
	}
	assert_int_equal(shared, 500);
	assert_true(moved > 700);
}

static void a_seed_repeats_and_another_does_not(void **state)
{
	enum { N = 1000 };
	static uint32_t first[N], again[N], other[N];

	(void)state;
	run_offsets("zipf:0.99", 4, 1, 0, first, N);
	run_offsets("zipf:0.99", 4, 1, 0, again, N);
	run_offsets("zipf:0.99", 5, 1, 0, other, N);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
}

static void shares_are_those_of_the_law(void **state)
{
	struct distribution zipf = law("zipf:1.1"), hot = law("hot:10/90");
	struct distribution uniform = law("uniform");
	double part = 0, whole = 0;
	int k;

	(void)state;
	for (k = 1; k <= 100000; k++) {
		whole += pow(k, -1.1);
		if (k <= 1000)
			part = whole;
	}
	assert_true(fabs(distribution_share(&zipf, 1000, 100000) -
			 part / whole) < 1e-6);
	assert_true(fabs(distribution_share(&hot, 50, 1000) - 0.45) < 1e-12);
	assert_true(fabs(distribution_share(&hot, 550, 1000) - 0.95) < 1e-12);
	assert_true(distribution_share(&uniform, 250, 1000) == 0.25);
	assert_true(distribution_share(&zipf, 2000, 1000) == 1);
	assert_true(distribution_share(&zipf, 0, 1000) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts_parse_and_come_back),
	    cmocka_unit_test(distributions_have_an_order),
	    cmocka_unit_test(a_permutation_meets_every_block_once),
	    cmocka_unit_test(hot_blocks_lie_in_no_corner_and_share_no_pattern),
	    cmocka_unit_test(neighbours_in_rank_are_not_neighbours_on_the_disk),
	    cmocka_unit_test(ranks_follow_zipfs_law_over_the_whole_region),
	    cmocka_unit_test(a_law_that_is_a_little_off_is_told),
	    cmocka_unit_test(zipf_reaches_the_ends_of_huge_regions),
	    cmocka_unit_test(hot_blocks_get_their_share_and_are_alike),
	    cmocka_unit_test(hot_with_a_hundred_percent_goes_nowhere_else),
	    cmocka_unit_test(one_block_is_drawn_always),
	    cmocka_unit_test(the_hot_set_stays_over_rounds_and_workers),
	    cmocka_unit_test(a_seed_repeats_and_another_does_not),
	    cmocka_unit_test(shares_are_those_of_the_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
