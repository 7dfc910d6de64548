/* transient: what is cut off a series, and when visits are said to begin
 * unlike they go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/transient.h"
#include "tests/prng.h"

#define VISITS_MAX 10

struct fixture {
	struct visit visits[VISITS_MAX];
	const struct visit *list[VISITS_MAX];
	uint64_t seed;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int i;

	assert_non_null(f);
	f->seed = 1;
	for (i = 0; i < VISITS_MAX; i++) {
		visit_init(&f->visits[i]);
		assert_int_equal(visit_reserve(&f->visits[i], 100), 0);
		f->list[i] = &f->visits[i];
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	int i;

	for (i = 0; i < VISITS_MAX; i++)
		visit_fini(&f->visits[i]);
	free(f);
	return 0;
}

/* A standard normal, by Box and Muller. */
static double normal(uint64_t *seed)
{
	double a = (double)(1 + prng_below(seed, 1u << 30)) / (1u << 30);
	double b = (double)prng_below(seed, 1u << 30) / (1u << 30);

	return sqrt(-2 * log(a)) * cos(2 * acos(-1) * b);
}

/* Noise around 10,000 I/Os an interval: coefficient of variation, correlation
 * of neighbours; the first `slow` intervals times `factor`. */
struct shape {
	uint32_t samples;
	double cv, correlation;
	uint32_t slow;
	double factor;
};

static void fill(struct fixture *f, uint32_t visits, const struct shape *s)
{
	double fresh = sqrt(1 - s->correlation * s->correlation);
	uint32_t v, i;

	for (v = 0; v < visits; v++) {
		double noise = normal(&f->seed);

		f->visits[v].sample_count = s->samples;
		for (i = 0; i < s->samples; i++) {
			double ios = 10000 * exp(s->cv * noise) *
				     (i < s->slow ? s->factor : 1);

			f->visits[v].samples[i] =
			    (struct sample){.ios = {(uint64_t)ios, 0}};
			noise =
			    s->correlation * noise + fresh * normal(&f->seed);
		}
	}
}

static double found_share(struct fixture *f, uint32_t visits)
{
	struct transient t;

	return transient_find(f->list, visits, &t) ? t.share_pct : 0;
}

static double share_of_tries(struct fixture *f, uint32_t visits,
			     const struct shape *s, uint32_t tries)
{
	uint32_t i, found = 0;

	for (i = 0; i < tries; i++) {
		fill(f, visits, s);
		found += found_share(f, visits) > 0;
	}
	return (double)found / tries;
}

/* ---- the cut ---- */

static void mser_leaves_out_what_differs(void **state)
{
	static const struct {
		double values[10];
		uint32_t cut;
	} cases[] = {
	    {{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 0},
	    {{1, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 1},
	    {{1, 2, 3, 5, 5.1, 4.9, 5, 5.1, 4.9, 5}, 3},
	    {{9, 8, 5, 5.1, 4.9, 5, 5.1, 4.9, 5, 5}, 2},
	    /* Not more than half. */
	    {{1, 1, 1, 1, 1, 1, 1, 5, 5, 5}, 0},
	    /* A spike at the end is no begin. */
	    {{5, 5.1, 5, 4.9, 5, 5.1, 5, 4.9, 5, 9}, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(transient_mser(cases[i].values, 10),
				 cases[i].cut);
	assert_int_equal(transient_mser(cases[1].values, 1), 0);
	assert_int_equal(transient_mser(cases[1].values, 0), 0);
}

/* ---- visits ---- */

static void a_slow_start_is_found_with_its_share(void **state)
{
	static const struct shape slow = {20, 0.02, 0.3, 4, 0.6};
	struct fixture *f = *state;
	struct transient t;

	fill(f, 5, &slow);
	assert_true(transient_find(f->list, 5, &t));
	assert_true(t.share_pct == 20);
	assert_true(fabs(t.change_pct + 40) < 3);
	/* One window with samples enough shows it too. */
	assert_true(found_share(f, 1) == 20);
}

static void a_fast_start_is_found_too(void **state)
{
	static const struct shape fast = {100, 0.02, 0.3, 20, 3};
	struct fixture *f = *state;
	struct transient t;

	fill(f, 3, &fast);
	assert_true(transient_find(f->list, 3, &t));
	assert_true(t.share_pct == 20);
	assert_true(fabs(t.change_pct - 200) < 10);
}

static void a_standstill_at_the_start_is_found(void **state)
{
	static const struct shape dead = {20, 0.02, 0, 2, 0};
	struct fixture *f = *state;

	fill(f, 3, &dead);
	assert_true(found_share(f, 3) >= 10 && found_share(f, 3) <= 20);
}

static void equal_visits_agree(void **state)
{
	static const struct shape flat = {20, 0, 0, 0, 1};
	static const struct shape step = {20, 0, 0, 5, 0.5};
	struct fixture *f = *state;

	fill(f, 3, &flat);
	assert_true(found_share(f, 3) == 0);
	fill(f, 3, &step);
	assert_true(found_share(f, 3) == 25);
}

static void what_moves_the_mean_by_under_a_percent_is_left(void **state)
{
	static const struct shape slight = {20, 0.001, 0, 2, 0.95};
	static const struct shape more = {20, 0.001, 0, 2, 0.85};
	struct fixture *f = *state;

	fill(f, 5, &slight);
	assert_true(found_share(f, 5) == 0);
	fill(f, 5, &more);
	assert_true(found_share(f, 5) == 10);
}

/* One visit that starts badly is an accident. */
static void visits_have_to_agree(void **state)
{
	static const struct shape fine = {20, 0.02, 0, 0, 1};
	static const struct shape bad = {20, 0.02, 0, 4, 0.3};
	struct fixture *f = *state;

	fill(f, 5, &fine);
	fill(f, 1, &bad);
	assert_true(found_share(f, 5) == 0);
}

static void too_few_intervals_tell_nothing(void **state)
{
	static const struct shape nine = {9, 0.01, 0, 2, 0.5};
	static const struct shape ten = {10, 0.01, 0, 2, 0.5};
	struct fixture *f = *state;
	struct sample *samples;

	fill(f, 5, &nine);
	assert_true(found_share(f, 5) == 0);
	fill(f, 5, &ten);
	assert_true(found_share(f, 5) == 20);
	assert_true(found_share(f, 1) == 0);
	assert_true(found_share(f, 2) == 0);
	assert_true(found_share(f, 0) == 0);
	/* A visit without its series, and one without any I/O. */
	samples = f->visits[2].samples;
	f->visits[2].samples = NULL;
	assert_true(found_share(f, 5) == 0);
	f->visits[2].samples = samples;
	memset(samples, 0, 10 * sizeof(*samples));
	assert_true(found_share(f, 5) == 0);
}

/* As the header says: in noise with any memory hardly ever. */
static void noise_is_not_taken_for_a_start(void **state)
{
	static const struct shape noises[] = {
	    {20, 0.14, 0, 0, 1},   {20, 0.1, 0.5, 0, 1}, {20, 0.1, 0.95, 0, 1},
	    {20, 0.03, 0.9, 0, 1}, {10, 0.1, 0.9, 0, 1},
	};
	static const uint32_t visits[] = {1, 3, 5, 10};
	struct fixture *f = *state;
	size_t i, k;

	for (i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
		for (k = 0; k < 4; k++) {
			double share =
			    share_of_tries(f, visits[k], &noises[i], 1000);

			if (getenv("VERBOSE"))
				print_message("noise %zu, %u visits: %.1f%%\n",
					      i, visits[k], 100 * share);
			/* 1.5% and 3%, and some standard deviations of luck. */
			assert_true(share <= (visits[k] < 3 ? 0.052 : 0.03));
		}
	}
}

/* A fifth of the window at 80%, or a tenth at half, five visits. */
static void a_start_worth_a_word_is_mostly_found(void **state)
{
	static const struct shape weak = {20, 0.08, 0.3, 4, 0.8};
	static const struct shape strong = {20, 0.08, 0.3, 2, 0.5};
	struct fixture *f = *state;

	assert_true(share_of_tries(f, 5, &weak, 300) > 0.6);
	assert_true(share_of_tries(f, 5, &strong, 300) > 0.85);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(mser_leaves_out_what_differs),
	    TEST(a_slow_start_is_found_with_its_share),
	    TEST(a_fast_start_is_found_too),
	    TEST(a_standstill_at_the_start_is_found),
	    TEST(equal_visits_agree),
	    TEST(what_moves_the_mean_by_under_a_percent_is_left),
	    TEST(visits_have_to_agree),
	    TEST(too_few_intervals_tell_nothing),
	    TEST(noise_is_not_taken_for_a_start),
	    TEST(a_start_worth_a_word_is_mostly_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
