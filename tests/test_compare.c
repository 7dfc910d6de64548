/*
 * compare: pairs, ratios and verdicts of two sides. Whole comparisons on a
 * simulated disk tell how often "faster" is false and how often a change is
 * found; a few hundred of them by default, thousands with IOSWEEP_LONG=1
 * (TRIES sets any number; six minutes of CPU), the table with VERBOSE=1. A
 * pattern of test names as argument runs these alone: 'equal*drift*'.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/compare.h"
#include "export/compare_words.h"
#include "tests/bookrun.h"
#include "tests/simrun.h"

#define ROUNDS 5
#define PAIRS 128

/* The default sweep: 8K to 1M, 1 to 128 outstanding, sequential and random
 * reads; point i of it. */
static struct point grid_point(uint32_t i)
{
	struct point p =
	    simrun_point(i, (uint64_t)8192 << i / 8 % 8, 1u << i % 8);

	p.workload.stream.random_pct = i < PAIRS / 2 ? 0 : 100;
	return p;
}

/* How the two sides are measured. */
enum way {
	WITHIN_ROUNDS, /* variants of one run, interleaved */
	IN_TURN,       /* of one run, one after the other */
	TWO_RUNS,      /* one after the other */
	WAYS
};
static const char *const way_names[WAYS] = {"within rounds", "in turn",
					    "two runs"};

struct sweep {
	struct simrun sim;
	struct run runs[2]; /* parts of sim.run */
	struct compare compare;
};

/* All rounds of the points from first on, PAIRS of them. */
static void visit_side(struct simrun *s, uint32_t first, uint32_t rounds)
{
	bool open[2 * PAIRS] = {false};
	uint32_t i, round;

	for (i = 0; i < PAIRS; i++)
		open[first + i] = true;
	for (round = 1; round <= rounds; round++)
		simrun_round(s, round, open, false);
}

/* The second half of points and visits becomes a run of its own. */
static void split(struct sweep *s)
{
	struct run *a = &s->runs[0], *b = &s->runs[1];
	uint32_t i;

	*b = *a;
	a->point_count = b->point_count = PAIRS;
	a->visit_count = b->visit_count = s->sim.run.visit_count / 2;
	b->points += PAIRS;
	b->results += PAIRS;
	b->visits += b->visit_count;
	for (i = 0; i < b->visit_count; i++)
		b->visits[i].point -= PAIRS;
	for (i = 0; i < PAIRS; i++)
		b->points[i].index = i;
	assert_int_equal(analyse_run(b), 0);
}

static void measure(struct sweep *s, const struct sim_device *device,
		    const struct sim_noise *noise, enum way way, uint64_t seed,
		    uint32_t rounds)
{
	static struct point points[2 * PAIRS];
	const struct run *runs[2] = {&s->runs[0], &s->runs[1]};
	struct err err = {ERR_NONE, ""};
	uint32_t i, round;

	for (i = 0; i < 2 * PAIRS; i++) {
		points[i] = grid_point(i % PAIRS);
		points[i].index = i;
		points[i].variant = i < PAIRS ? "a" : "b";
	}
	simrun_init(&s->sim, points, 2 * PAIRS, device, noise, seed);
	for (round = 1; way == WITHIN_ROUNDS && round <= rounds; round++)
		simrun_round(&s->sim, round, NULL, !device->counts_only);
	if (way != WITHIN_ROUNDS) {
		visit_side(&s->sim, 0, rounds);
		visit_side(&s->sim, PAIRS, rounds);
	}
	s->runs[0] = s->sim.run;
	if (way == TWO_RUNS)
		split(s);
	assert_int_equal(analyse_run(&s->runs[0]), 0);
	assert_int_equal(compare_runs(runs, way == TWO_RUNS ? 2 : 1, NULL, NULL,
				      &s->compare, &err),
			 0);
	assert_int_equal(s->compare.pair_count, PAIRS);
	assert_int_equal(s->compare.workload_count, 2);
	assert_int_equal(s->compare.about[1].interleaved, way == WITHIN_ROUNDS);
	assert_int_equal(s->compare.pairs[0].within_rounds,
			 way == WITHIN_ROUNDS);
}

static void finish(struct sweep *s)
{
	compare_free(&s->compare);
	simrun_fini(&s->sim);
}

static uint32_t long_or(uint32_t few, uint32_t many)
{
	const char *tries = getenv("TRIES");

	if (tries && atoi(tries) > 0)
		return (uint32_t)atoi(tries);
	return getenv("IOSWEEP_LONG") ? many : few;
}

/* Real disks vary by 2 to 9% between visits, the one point more than the
 * other. */
static struct kind {
	const char *name;
	struct sim_noise noise;
} kinds[] = {
    {"independent 5.4%", {.independent = 0.054}},
    {"uneven 5.4%", {.independent = 0.054, .uneven = 0.3}},
    {"drift", {.independent = 0.054, .uneven = 0.3, .drift = 0.03}},
    {"1/f", {.independent = 0.04, .uneven = 0.3, .pink = 0.04}},
    {"bursts",
     {.independent = 0.04,
      .uneven = 0.3,
      .burst_probability = 0.03,
      .burst_depth = 0.3}},
};

/* What the comparisons of one kind came to. */
struct tally {
	uint32_t sweeps, false_point, false_mean, false_any;
	uint32_t points, verdicts[COMPARE_VERDICT_COUNT];
	uint32_t means, found_means, covered, mean_covered;
};

static void count(struct tally *t, const struct compare *c, double truth)
{
	uint32_t points = 0, means = 0, i;

	for (i = 0; i < c->pair_count; i++) {
		const struct compare_pair *p = &c->pairs[i];
		const struct interval *r = &p->ratio[COMPARE_IOPS];

		t->points++;
		t->verdicts[p->verdict]++;
		points += p->verdict >= COMPARE_FASTER;
		t->covered += r->low <= truth && truth <= r->high;
	}
	for (i = 0; i < c->workload_count; i++) {
		const struct compare_workload *l = &c->workloads[i];
		const struct interval *r = &l->mean[COMPARE_IOPS];

		t->means++;
		means += l->verdict >= COMPARE_FASTER;
		t->mean_covered += r->low <= truth && truth <= r->high;
	}
	t->sweeps++;
	t->found_means += means;
	t->false_point += points > 0;
	t->false_mean += means > 0;
	t->false_any += points + means > 0;
}

static struct tally simulate(const struct sim_noise *noise, double change,
			     enum way way, uint32_t tries)
{
	struct sim_device device = simrun_device();
	struct tally t = {0};
	uint32_t i;

	device.counts_only = true;
	device.fast_variant = "b";
	device.variant_factor = change;
	for (i = 0; i < tries; i++) {
		struct sweep s;

		measure(&s, &device, noise, way, i + 1, ROUNDS);
		count(&t, &s.compare, change);
		finish(&s);
	}
	return t;
}

static void tell(const char *what, enum way way, const struct tally *t)
{
	if (!getenv("VERBOSE"))
		return;
	printf(
	    "%-18s %-15s %5u sweeps: any point told %5.1f%%, any mean "
	    "%5.1f%%, either %5.1f%%; points told %5.1f%%, same %5.1f%%; "
	    "means told %5.1f%%; intervals hold %5.1f%%, means' %5.1f%%\n",
	    what, way_names[way], t->sweeps, 100.0 * t->false_point / t->sweeps,
	    100.0 * t->false_mean / t->sweeps, 100.0 * t->false_any / t->sweeps,
	    100.0 *
		(t->verdicts[COMPARE_FASTER] + t->verdicts[COMPARE_SLOWER]) /
		t->points,
	    100.0 * t->verdicts[COMPARE_SAME] / t->points,
	    100.0 * t->found_means / t->means, 100.0 * t->covered / t->points,
	    100.0 * t->mean_covered / t->means);
}

/* So many of tries at the most where the chance of each is 5%: three
 * standard deviations, and over 2,000 the 6% that are promised. */
static double allowed(uint32_t tries)
{
	double most = 0.05 * tries + 3 * sqrt(0.05 * 0.95 * tries);

	return tries < 2000 ? most : 0.06 * tries;
}

/* So many at the least where each has that chance. */
static double expected(double chance, uint32_t tries)
{
	double slack = 3 * sqrt(chance * (1 - chance) * tries);

	return chance * tries - (tries < 1000 ? slack : 0);
}

/* state: the kind of noise. */
static void equal_sides_are_not_told_apart(void **state)
{
	const struct kind *kind = *state;
	uint32_t tries = long_or(7, 2000);
	int way;

	for (way = WITHIN_ROUNDS; way < WAYS; way++) {
		struct tally t =
		    simulate(&kind->noise, 1, (enum way)way, tries);

		tell(kind->name, (enum way)way, &t);
		assert_true(t.false_any <= allowed(tries));
		/* Intervals of 95%: the single ones are many. */
		assert_true(t.covered >= 0.94 * t.points);
	}
}

static void a_change_of_five_percent_is_found(void **state)
{
	static const struct sim_noise noisy = {.independent = 0.054};
	static const struct sim_noise quiet = {.independent = 0.02};
	uint32_t tries = long_or(7, 1000);
	int way;

	(void)state;
	for (way = WITHIN_ROUNDS; way < WAYS; way++) {
		struct tally t = simulate(&noisy, 1.05, (enum way)way, tries);
		struct tally q = simulate(&quiet, 1.05, (enum way)way, tries);

		tell("5% at 5.4% noise", (enum way)way, &t);
		tell("5% at 2% noise", (enum way)way, &q);
		/* One after the other, drift cannot be ruled out. */
		assert_true(
		    t.found_means >=
		    expected(way == WITHIN_ROUNDS ? 0.95 : 0.8, t.means));
		assert_true(q.found_means >= expected(0.95, q.means));
		assert_true(q.verdicts[COMPARE_FASTER] >= 0.8 * q.points);
		assert_int_equal(q.verdicts[COMPARE_SLOWER], 0);
	}
}

/* What was said to be seen with 80% is seen about so often. */
static void what_could_be_seen_is_told(void **state)
{
	static const struct sim_noise noise = {.independent = 0.054};
	struct sim_device device = simrun_device();
	struct tally t;
	struct sweep s;
	double mean = 1, point = 1;
	uint32_t i;

	(void)state;
	device.counts_only = true;
	for (i = 0; i < 12; i++) {
		measure(&s, &device, &noise, WITHIN_ROUNDS, i + 1, ROUNDS);
		mean *= pow(s.compare.workloads[0].seen_mean, 1.0 / 12);
		point *= pow(s.compare.workloads[0].seen_point, 1.0 / 12);
		finish(&s);
	}
	if (getenv("VERBOSE"))
		printf("seen: mean %.4f, point %.4f\n", mean, point);
	assert_true(point > mean && mean > 1.005 && point < 1.5);
	t = simulate(&noise, mean, WITHIN_ROUNDS, long_or(12, 500));
	tell("what is seen", WITHIN_ROUNDS, &t);
	assert_true(t.found_means >= expected(0.75, t.means));
	assert_true(t.means - t.found_means >= expected(0.15, t.means));
}

static void slower_is_told_like_faster(void **state)
{
	struct sim_device device = simrun_device();
	static const struct sim_noise noise = {.independent = 0.02};
	const struct compare_workload *l;
	char text[COMPARE_TEXT_MAX];
	struct sweep s;

	(void)state;
	device.counts_only = true;
	device.fast_variant = "b";
	device.variant_factor = 0.7;
	measure(&s, &device, &noise, WITHIN_ROUNDS, 1, ROUNDS);
	l = &s.compare.workloads[1];
	assert_int_equal(l->verdict, COMPARE_SLOWER);
	assert_int_equal(l->verdicts[COMPARE_SLOWER], PAIRS / 2);
	assert_true(l->mean[COMPARE_IOPS].low < 0.7 &&
		    l->mean[COMPARE_IOPS].high > 0.7);
	/* Latency is the mirror image in a closed loop. */
	assert_true(fabs(l->mean[COMPARE_LATENCY].value - 0.7) < 0.01);
	compare_workload_text(&s.compare, l, text, sizeof(text));
	assert_non_null(
	    strstr(text, "Random read: 'b' is slower than 'a': 0.7"));
	assert_non_null(strstr(text, "64 slower."));
	finish(&s);
}

static void same_within_noise_needs_a_narrow_interval(void **state)
{
	struct sim_device device = simrun_device();
	static const struct sim_noise quiet = {.independent = 0.003};
	static const struct sim_noise noisy = {.independent = 0.2};
	struct sweep s;

	(void)state;
	device.counts_only = true;
	measure(&s, &device, &quiet, WITHIN_ROUNDS, 1, ROUNDS);
	assert_int_equal(s.compare.workloads[0].verdicts[COMPARE_SAME],
			 PAIRS / 2);
	assert_int_equal(s.compare.workloads[0].verdict, COMPARE_SAME);
	finish(&s);
	measure(&s, &device, &noisy, WITHIN_ROUNDS, 1, ROUNDS);
	assert_int_equal(s.compare.workloads[0].verdicts[COMPARE_UNSURE],
			 PAIRS / 2);
	finish(&s);
}

static void a_run_is_the_same_as_itself(void **state)
{
	static const struct sim_noise noise = {.independent = 0.3};
	static char label[] = "x", folder[] = "results/x";
	const struct run *runs[2];
	struct err err = {ERR_NONE, ""};
	char text[COMPARE_TEXT_MAX];
	struct point points[4];
	struct compare c;
	struct simrun s;
	uint32_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		points[i] = simrun_point(i, 8192, 1u << i);
	simrun_init(&s, points, 4, NULL, &noise, 7);
	for (i = 1; i <= 3; i++)
		simrun_round(&s, i, NULL, true);
	s.run.label = label;
	s.run.folder = folder;
	assert_int_equal(analyse_run(&s.run), 0);
	{
		struct run again = s.run;

		runs[0] = &s.run;
		runs[1] = &again;
		again.results = calloc(4, sizeof(*again.results));
		memcpy(again.results, s.run.results,
		       4 * sizeof(*again.results));
		assert_int_equal(compare_runs(runs, 2, NULL, NULL, &c, &err),
				 0);
		assert_string_equal(c.sides.sides[0].label, "x");
		assert_string_equal(c.sides.sides[1].label, "x (2)");
		assert_int_equal(c.pair_count, 4);
		for (i = 0; i < 4; i++)
			assert_int_equal(c.pairs[i].verdict, COMPARE_SAME);
		assert_true(c.pairs[0].ratio[COMPARE_P99].low == 1);
		assert_int_equal(c.workloads[0].verdict, COMPARE_SAME);
		assert_true(c.about[1].itself);
		compare_caveat_text(&c, 1, 0, text, sizeof(text));
		assert_non_null(strstr(text, "compared with itself"));
		compare_free(&c);
		free(again.results);
	}
	s.run.label = s.run.folder = NULL;
	simrun_fini(&s);
}

/* Two runs of one round, by hand: their samples are all there is. */
static void one_visit_a_side_is_optimistic(void **state)
{
	static const struct sim_noise noise = {.within = 0.05};
	struct measure_opts opts = {.time_ns = NS_PER_SEC,
				    .interval_ns = 50 * NS_PER_MS};
	struct sim_device device = simrun_device();
	const struct run *runs[2];
	struct err err = {ERR_NONE, ""};
	struct point points[2][2];
	struct result results[2][2] = {{{0}}};
	struct visit visits[2][2];
	struct run run[2] = {{0}};
	struct measurer *sim;
	struct compare c;
	uint32_t r, i;

	(void)state;
	assert_int_equal(sim_new(&opts, &device, &noise, &sim), 0);
	for (r = 0; r < 2; r++) {
		for (i = 0; i < 2; i++) {
			points[r][i] = simrun_point(i, 8192, 1u << i);
			points[r][i].variant = r ? "b" : "a";
			results[r][i].point = &points[r][i];
			visit_init(&visits[r][i]);
			sim->ops->measure(sim, &points[r][i], 1, &visits[r][i]);
		}
		run[r] = (struct run){.points = points[r],
				      .point_count = 2,
				      .visits = visits[r],
				      .visit_count = 2,
				      .results = results[r]};
		runs[r] = &run[r];
		assert_int_equal(analyse_run(&run[r]), 0);
	}
	assert_int_equal(compare_runs(runs, 2, NULL, NULL, &c, &err), 0);
	assert_int_equal(c.pair_count, 2);
	assert_true(c.pairs[0].optimistic && c.workloads[0].optimistic);
	assert_true(c.pairs[0].ratio[COMPARE_IOPS].low < 1);
	assert_true(isnan(c.pairs[0].ratio[COMPARE_P99].low));
	compare_free(&c);
	for (r = 0; r < 2; r++)
		for (i = 0; i < 2; i++)
			visit_fini(&visits[r][i]);
	sim->ops->free(sim);
}

/* The IOPS are given, so they are the same; how fast they are answered is not:
 * by hand, a third of the time, and as much noise as rounds have. */
static void at_a_rate_the_latency_decides(void **state)
{
	static const double noise[] = {1, 1.02, 0.98, 1.01};
	struct point points[4];
	struct sweep s = {0};
	const struct run *runs[] = {&s.runs[0]};
	const struct compare_workload *l;
	struct err err = {ERR_NONE, ""};
	char text[COMPARE_TEXT_MAX];
	uint32_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		points[i] = simrun_point(i, 8192u << i % 2, 64);
		points[i].variant = i < 2 ? "a" : "b";
		points[i].workload.rate_iops = 500;
	}
	simrun_init(&s.sim, points, 4, NULL, NULL, 1);
	for (i = 1; i <= 4; i++)
		simrun_round(&s.sim, i, NULL, false);
	for (i = 0; i < s.sim.run.visit_count; i++) {
		struct visit *v = &s.sim.run.visits[i];
		double faster = v->point < 2 ? 1 : 3;

		v->lat_sum_ns[DIR_READ] =
		    (uint64_t)((double)v->lat_sum_ns[DIR_READ] *
			       noise[(v->point + v->round) % 4] / faster);
	}
	s.runs[0] = s.sim.run;
	assert_int_equal(analyse_run(&s.runs[0]), 0);
	assert_int_equal(compare_runs(runs, 1, NULL, NULL, &s.compare, &err),
			 0);
	l = &s.compare.workloads[0];
	assert_int_equal(l->by, COMPARE_LATENCY);
	assert_int_equal(l->verdict, COMPARE_FASTER);
	assert_true(fabs(l->mean[COMPARE_IOPS].value - 1) < 0.01);
	assert_true(fabs(l->mean[COMPARE_LATENCY].value - 3) < 0.1);
	assert_int_equal(s.compare.pairs[0].verdict, COMPARE_FASTER);
	assert_true(l->seen_mean > 1);
	compare_workload_text(&s.compare, l, text, sizeof(text));
	assert_non_null(strstr(text, "'b' is faster than 'a': "));
	assert_non_null(strstr(text, "x in mean latency (95% interval"));
	finish(&s);
}

static void p99_has_an_interval_where_every_visit_has_one(void **state)
{
	static const struct sim_noise noise = {.independent = 0.05};
	/* 2,000 I/Os a second, and one visit of 500. */
	struct sim_device device = simrun_device();
	const struct compare_pair *p;
	struct sweep s;

	(void)state;
	device.fast_variant = "b";
	device.variant_factor = 2;
	measure(&s, &device, &noise, WITHIN_ROUNDS, 1, 3);
	p = &s.compare.pairs[PAIRS / 2];
	assert_true(p->ratio[COMPARE_P99].value > 1.8 &&
		    p->ratio[COMPARE_P99].value < 2.2);
	assert_true(p->ratio[COMPARE_P99].low < p->ratio[COMPARE_P99].value);
	assert_true(p->ratio[COMPARE_P99].low > 1.5);
	finish(&s);
}

/* The reason of the lost point of that index in its run; -1 when it has a
 * pair. */
static int reason_of(const struct compare *c, uint32_t index)
{
	uint32_t i;

	for (i = 0; i < c->lost_count; i++)
		if (c->lost[i].result->point->index == index)
			return (int)c->lost[i].reason;
	return -1;
}

static void what_has_no_pair_says_why(void **state)
{
	struct bookrun_axes before = {.label = "before",
				      .outstandings = {1, 2, 4, 8, 16}};
	struct bookrun_axes after = {.label = "after",
				     .outstandings = {2, 4, 8, 16, 32}};
	struct err err = {ERR_NONE, ""};
	char text[COMPARE_TEXT_MAX];
	struct compare c;
	struct run a, b;
	const struct run *const runs[] = {&a, &b};

	(void)state;
	bookrun_init(&before, &a);
	bookrun_init(&after, &b);
	bookrun_fail(&b, 0, "no luck");	    /* 2 */
	bookrun_skip(&a, 2, "not aligned"); /* 4 */
	bookrun_forget(&b, 2);		    /* 8 */
	assert_int_equal(compare_runs(runs, 2, NULL, NULL, &c, &err), 0);
	assert_int_equal(c.pair_count, 1);
	assert_int_equal(point_outstanding(c.pairs[0].base->point), 16);
	assert_ptr_equal(compare_find(&c, &a.results[4], 1), &c.pairs[0]);
	assert_null(compare_find(&c, &a.results[0], 1));
	assert_null(compare_find(&c, NULL, 1));
	assert_int_equal(c.lost_count, 5);
	assert_int_equal(reason_of(&c, 0), COMPARE_NOT_PLANNED); /* 1 */
	assert_int_equal(reason_of(&c, 1), COMPARE_FAILED);
	assert_int_equal(reason_of(&c, 3), COMPARE_NOT_MEASURED);
	assert_int_equal(reason_of(&c, 4), COMPARE_NOT_PLANNED); /* 32 */
	/* Without visits a ratio has no interval and no verdict. */
	assert_false(isnan(c.pairs[0].ratio[COMPARE_IOPS].value));
	assert_true(isnan(c.pairs[0].ratio[COMPARE_IOPS].low));
	assert_int_equal(c.pairs[0].verdict, COMPARE_UNSURE);
	compare_lost_text(&c, 1, 0, text, sizeof(text));
	assert_string_equal(text, "1 point did not pair: not in the plan of "
				  "'after'; for example Random read, 8K x 1.");
	compare_lost_text(&c, 1, 4, text, sizeof(text));
	assert_int_not_equal(text[0], '\0');
	compare_lost_text(&c, 1, 5, text, sizeof(text));
	assert_string_equal(text, "");
	compare_free(&c);
	bookrun_fini(&a);
	bookrun_fini(&b);
}

/* Pairs of two runs on those targets, with those sizes in run.ini. */
static uint32_t count_pairs(const char *target_a, const char *size_a,
			    const char *target_b, const char *size_b,
			    const char *kind, bool ordered)
{
	struct bookrun_axes x = {.label = "x", .targets = {target_a}};
	struct bookrun_axes y = {.label = "y", .targets = {target_b}};
	const struct sides_opts opts = {.ordered = ordered};
	struct err err = {ERR_NONE, ""};
	struct compare c;
	struct run a, b;
	const struct run *const runs[] = {&a, &b};
	uint32_t pairs;

	bookrun_init(&x, &a);
	bookrun_init(&y, &b);
	bookrun_fact(&a, "target 1", "path", target_a);
	bookrun_fact(&a, "target 1", "kind", kind);
	bookrun_fact(&a, "target 1", "size_bytes", size_a);
	bookrun_fact(&b, "target 1", "path", target_b);
	bookrun_fact(&b, "target 1", "kind", kind);
	bookrun_fact(&b, "target 1", "size_bytes", size_b);
	assert_int_equal(compare_runs(runs, 2, &opts, NULL, &c, &err), 0);
	assert_int_equal(c.sides.count, 2);
	pairs = c.pair_count;
	if (!pairs)
		assert_int_equal(c.lost[0].reason, strcmp(size_a, size_b)
						       ? COMPARE_OTHER_SIZE
						       : COMPARE_OTHER_TARGET);
	else
		assert_int_equal(c.about[1].other_sizes,
				 strcmp(size_a, size_b) != 0);
	compare_free(&c);
	bookrun_fini(&a);
	bookrun_fini(&b);
	return pairs;
}

static void targets_and_sizes_decide_on_pairs(void **state)
{
	(void)state;
	assert_int_equal(count_pairs("/a", "100", "/a", "100", "file", false),
			 1);
	assert_int_equal(count_pairs("/a", "100", "/a", "200", "file", true),
			 0);
	assert_int_equal(count_pairs("/a", "100", "/b", "100", "file", false),
			 0);
	assert_int_equal(count_pairs("/a", "100", "/b", "100", "file", true),
			 1);
	assert_int_equal(count_pairs("/dev/sdb", "100", "/dev/sdc", "200",
				     "block device", true),
			 1);
}

static void two_targets_of_one_run_are_sides(void **state)
{
	struct bookrun_axes axes = {.label = "x",
				    .targets = {"/dev/sdb", "/dev/sdc"}};
	const struct sides_opts opts = {.ordered = true};
	struct err err = {ERR_NONE, ""};
	struct compare c;
	struct run a;
	const struct run *const runs[] = {&a};

	(void)state;
	bookrun_init(&axes, &a);
	assert_int_equal(compare_runs(runs, 1, &opts, NULL, &c, &err), 0);
	assert_int_equal(c.sides.count, 2);
	assert_string_equal(c.sides.sides[1].label, "sdc");
	assert_int_equal(c.pair_count, 1);
	/* The second target of these runs is half as fast. */
	assert_true(fabs(c.pairs[0].ratio[COMPARE_IOPS].value - 0.5) < 1e-9);
	compare_free(&c);
	assert_int_equal(compare_runs(runs, 1, NULL, NULL, &c, &err), 0);
	assert_int_equal(c.sides.count, 1);
	assert_int_equal(c.pair_count, 0);
	compare_free(&c);
	bookrun_fini(&a);
}

static void the_base_is_picked_by_name(void **state)
{
	static const struct {
		const char *base;
		bool ordered;
		const char *label; /* NULL: an error with this: */
		const char *error;
	} cases[] = {
	    {NULL, false, "off, direct", NULL},
	    /* Of the first run, the one past the page cache. */
	    {NULL, true, "cached, direct", NULL},
	    {"cached, buffered", true, "cached, buffered", NULL},
	    {"off", true, "off, direct", NULL},
	    {"buffered", true, "cached, buffered", NULL},
	    {"cached", true, NULL,
	     "--base: 'cached' names several of the sides; there are "},
	    {"x", true, NULL, "--base: 'x' names none of the sides; there"},
	};
	struct bookrun_axes on = {.label = "cached",
				  .caches = {CACHE_BUFFERED, CACHE_DIRECT},
				  .cache_count = 2};
	struct bookrun_axes off = {.label = "off"};
	struct run a, b;
	const struct run *const runs[] = {&a, &b};
	size_t i;

	(void)state;
	bookrun_init(&on, &a);
	bookrun_init(&off, &b);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sides_opts opts = {cases[i].base, cases[i].ordered};
		struct err err = {ERR_NONE, ""};
		struct sides s;
		int rc = sides_find(runs, 2, &opts, &s, &err);

		assert_int_equal(rc, cases[i].label ? 0 : -EINVAL);
		if (rc) {
			assert_non_null(strstr(err.text, cases[i].error));
			continue;
		}
		assert_string_equal(s.sides[0].label, cases[i].label);
		assert_int_equal(s.count, 3);
		/* Buffered points come first in that run. */
		assert_int_equal(sides_of(&s, 0, 0) == 0,
				 !strcmp(cases[i].label, "cached, buffered"));
		assert_string_equal(sides_variant(&s, 1, 0), "off");
		sides_free(&s);
	}
	bookrun_fini(&a);
	bookrun_fini(&b);
}

static void a_cache_that_lets_sequential_pass_is_known(void **state)
{
	(void)state;
	assert_true(compare_passes(0, 95));
	assert_true(compare_passes(-20, 95)); /* readahead */
	assert_true(compare_passes(9.9, 50));
	assert_false(compare_passes(10, 95));
	assert_false(compare_passes(0, 49));
	assert_false(compare_passes(NAN, 95));
	assert_false(compare_passes(0, NAN));
}

static void ratios_are_written_with_digits_that_help(void **state)
{
	static const struct {
		double ratio;
		const char *text;
	} cases[] = {
	    {1, "1.000x"},    {1.0042, "1.004x"}, {1.25, "1.25x"},
	    {0.5, "0.50x"},   {0.0123, "0.012x"}, {9.994, "9.99x"},
	    {12.14, "12.1x"}, {1234, "1234x"},	  {NAN, "-"},
	};
	char text[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
		    compare_ratio_text(cases[i].ratio, text, sizeof(text)),
		    cases[i].text);
}

#define EQUAL_SIDES(words, kind)                                               \
	{                                                                      \
		"equal_sides_are_not_told_apart_" words,                       \
		    equal_sides_are_not_told_apart, NULL, NULL, &kinds[kind]   \
	}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    EQUAL_SIDES("independent", 0),
	    EQUAL_SIDES("uneven", 1),
	    EQUAL_SIDES("drift", 2),
	    EQUAL_SIDES("one_over_f", 3),
	    EQUAL_SIDES("bursts", 4),
	    cmocka_unit_test(a_change_of_five_percent_is_found),
	    cmocka_unit_test(what_could_be_seen_is_told),
	    cmocka_unit_test(slower_is_told_like_faster),
	    cmocka_unit_test(same_within_noise_needs_a_narrow_interval),
	    cmocka_unit_test(a_run_is_the_same_as_itself),
	    cmocka_unit_test(one_visit_a_side_is_optimistic),
	    cmocka_unit_test(at_a_rate_the_latency_decides),
	    cmocka_unit_test(p99_has_an_interval_where_every_visit_has_one),
	    cmocka_unit_test(what_has_no_pair_says_why),
	    cmocka_unit_test(targets_and_sizes_decide_on_pairs),
	    cmocka_unit_test(two_targets_of_one_run_are_sides),
	    cmocka_unit_test(the_base_is_picked_by_name),
	    cmocka_unit_test(a_cache_that_lets_sequential_pass_is_known),
	    cmocka_unit_test(ratios_are_written_with_digits_that_help),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
