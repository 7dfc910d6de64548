/* variant: what a plan with [variant NAME] sections measures, and in which
 * order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/planfile.h"
#include "sweep/schedule.h"
#include "sweep/variant.h"
#include "tests/textfile.h"

#define ONE_POINT                                                              \
	"[sweep]\nblock-size = 8K\noutstanding = 1\npattern = rand\nseed = "   \
	"7\n"
#define FOUR_POINTS                                                            \
	"[sweep]\nblock-size = 8K\noutstanding = 1..8\npattern = rand\n"       \
	"seed = 7\n"

struct asked {
	const char *text;   /* of the plan file */
	const char *option; /* --variant, or NULL */
	const char *target; /* on the command line, or NULL */
};

static int build(const struct asked *a, struct plan *plan, struct err *err)
{
	struct plan_request req = {.section_count = 0};
	char scratch[TEXTFILE_PATH_MAX];
	int ret;

	textfile_new(scratch, a->text, strlen(a->text));
	ret = planfile_read(scratch, &req, err);
	if (!ret && a->option)
		plan_text_set(&req.option[PLAN_VARIANT], a->option,
			      "--variant");
	if (!ret && a->target) {
		req.targets = calloc(1, sizeof(*req.targets));
		req.targets[req.target_count++] = strdup(a->target);
	}
	if (!ret)
		ret = plan_build(&req, plan, err);
	plan_request_fini(&req);
	unlink(scratch);
	return ret;
}

/* "variant@target mode state", a word each, one line a point. */
static char *points_of(const struct plan *plan)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	uint32_t i;

	assert_non_null(f);
	for (i = 0; i < plan->point_count; i++) {
		const struct point *p = &plan->points[i];

		fprintf(f, "%s@%s %s %s\n", p->variant, p->target,
			cache_mode_name(p->cache), cache_state_name(p->state));
	}
	fclose(f);
	return text;
}

static const char two[] = ONE_POINT "[variant cached]\ntarget = /b\n"
				    "cache = buffered\nstate = warm\n"
				    "[variant baseline]\nstate = cold\n";

static void variants_are_measured_on_their_own_targets(void **state)
{
	static const struct {
		struct asked asked;
		const char *points;
	} cases[] = {
	    {{two, NULL, "/a"},
	     "cached@/b buffered warm\nbaseline@/a direct cold\n"},
	    {{two, "baseline", "/a"}, "baseline@/a direct cold\n"},
	    {{two, "cached", NULL}, "cached@/b buffered warm\n"},
	    /* In the order of the file, not of the option. */
	    {{two, "baseline,cached", "/a"},
	     "cached@/b buffered warm\nbaseline@/a direct cold\n"},
	    {{ONE_POINT "[variant x]\ntarget = /same\n[variant y]\n"
			"target = /same\nstate = as-is\n",
	      NULL, NULL},
	     "x@/same direct \ny@/same direct as-is\n"},
	    /* Without sections a name is a label. */
	    {{ONE_POINT "state = cold\n", "night,day", "/a"},
	     "day@/a direct cold\nnight@/a direct cold\n"},
	    {{ONE_POINT "state = cold\n[variant x]\n[variant y]\n"
			"state = as-is\n",
	      NULL, "/a"},
	     "x@/a direct cold\ny@/a direct as-is\n"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.kind = ERR_NONE};
		struct plan plan;
		char *text;

		if (build(&cases[i].asked, &plan, &err))
			fail_msg("case %zu: %s", i, err.text);
		text = points_of(&plan);
		assert_string_equal(text, cases[i].points);
		free(text);
		plan_fini(&plan);
	}
}

static void all_sides_see_the_same_offsets(void **state)
{
	const struct asked asked = {two, NULL, "/a"};
	struct plan plan;
	uint32_t round;

	(void)state;
	assert_int_equal(build(&asked, &plan, NULL), 0);
	for (round = 1; round < 4; round++)
		assert_int_equal(point_seed(&plan.points[0], 7, round),
				 point_seed(&plan.points[1], 7, round));
	plan_fini(&plan);
}

static void only_targets_that_are_measured_are_targets(void **state)
{
	const struct asked asked = {two, "cached", NULL};
	struct plan plan;

	(void)state;
	assert_int_equal(build(&asked, &plan, NULL), 0);
	assert_int_equal(plan.target_count, 1);
	assert_string_equal(plan.targets[0], "/b");
	assert_true(plan_measures(&plan, "cached", "/b"));
	assert_false(plan_measures(&plan, "baseline", "/b"));
	plan_fini(&plan);
}

static void faults_say_what_to_do(void **state)
{
	static const struct {
		struct asked asked;
		const char *says;
	} cases[] = {
	    {{two, NULL, NULL},
	     "variant 'baseline' has no target; name one on the command line, "
	     "or write target = under [variant baseline]"},
	    {{two, "cached", "/a"}, "/a would not be measured, since every "},
	    {{two, "cahced", "/a"},
	     "--variant: 'cahced' is no [variant] of this plan, which begins "
	     "with 'cached'; did you mean 'cached'?"},
	    {{ONE_POINT "[variant a]\nstate = luke-warm\n", NULL, "/a"},
	     ": state: 'luke-warm' is not a state of the caches (as-is, cold "
	     "or warm)"},
	    {{ONE_POINT "[variant a]\ncache = dirct\n", NULL, "/a"},
	     "did you mean 'direct'?"},
	    {{ONE_POINT "warm-passes = 0\n", NULL, "/a"}, "warm-passes: '0'"},
	    {{ONE_POINT "warm-passes = 5..2\n", NULL, "/a"},
	     "'5..2' is not a number of passes; write the least and the most"},
	    {{ONE_POINT "warm-passes = 99999999999999999..2\n", NULL, "/a"},
	     "warm-passes: '"},
	    {{ONE_POINT "variant-order = baab\n", NULL, "/a"},
	     "'baab' is not an order of variants"},
	    {{ONE_POINT "command-timeout = soon\n", NULL, "/a"},
	     "command-timeout: 'soon'"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.kind = ERR_NONE};
		struct plan plan;

		assert_int_equal(build(&cases[i].asked, &plan, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void passes_are_a_range_or_a_number(void **state)
{
	static const struct {
		const char *text;
		uint32_t least, most;
	} cases[] = {
	    {ONE_POINT, 2, 10},
	    {ONE_POINT "warm-passes = 3\n", 3, 3},
	    {ONE_POINT "warm-passes = 3..1000\n", 3, 1000},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct asked asked = {cases[i].text, NULL, "/a"};
		struct plan plan;

		assert_int_equal(build(&asked, &plan, NULL), 0);
		assert_int_equal(plan.settings.warm_passes_min, cases[i].least);
		assert_int_equal(plan.settings.warm_passes_max, cases[i].most);
		plan_fini(&plan);
	}
}

/* The variants' names in the order of the visits, "AABB|BBAA|", and a check
 * that each block is a permutation of the same points. */
static char *turns_of(const struct plan *plan, uint32_t rounds)
{
	uint32_t order[64], round, i;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(plan->point_count <= 64);
	for (round = 1; round <= rounds; round++) {
		uint64_t seen = 0;

		plan_round_order(plan, round, order);
		for (i = 0; i < plan->point_count; i++) {
			fputs(plan->points[order[i]].variant, f);
			seen |= (uint64_t)1 << order[i];
		}
		assert_int_equal(seen, ((uint64_t)1 << plan->point_count) - 1);
		fputc('|', f);
	}
	fclose(f);
	return text;
}

static char *turns(const char *text)
{
	const struct asked asked = {text, NULL, "/a"};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;
	char *said;

	if (build(&asked, &plan, &err))
		fail_msg("%s", err.text);
	said = turns_of(&plan, 4);
	plan_fini(&plan);
	return said;
}

static void abba_goes_there_and_back(void **state)
{
	char *said = turns(FOUR_POINTS "variant-order = abba\n"
				       "[variant A]\n[variant B]\n");

	(void)state;
	assert_string_equal(said, "AAAABBBB|BBBBAAAA|AAAABBBB|BBBBAAAA|");
	free(said);
}

static void a_warm_variant_takes_blocks(void **state)
{
	char *said = turns(FOUR_POINTS "[variant A]\n[variant B]\n"
				       "state = warm\n");

	(void)state;
	assert_string_equal(said, "AAAABBBB|BBBBAAAA|AAAABBBB|BBBBAAAA|");
	free(said);
}

/* Where switching costs a command, a round has one block a variant, in
 * random order; where it does not, points are mixed. */
static void interleaved_switches_as_often_as_is_cheap(void **state)
{
	char *costly = turns(FOUR_POINTS "[variant A]\nenter = true\n"
					 "[variant B]\n");
	char *free_of_cost = turns(FOUR_POINTS "[variant A]\n[variant B]\n"
					       "before-point = true\n");
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		if (strncmp(costly + 9 * i, "AAAABBBB", 8) &&
		    strncmp(costly + 9 * i, "BBBBAAAA", 8))
			fail_msg("%s", costly);
	assert_null(strstr(free_of_cost, "AAAABBBB|"));
	assert_null(strstr(free_of_cost, "BBBBAAAA|"));
	free(costly);
	free(free_of_cost);
}

/* So that both sides of a pair are as far from their variant's beginning. */
static void blocks_have_the_same_order_of_points(void **state)
{
	const struct asked asked = {FOUR_POINTS "variant-order = abba\n"
						"[variant A]\n[variant B]\n",
				    NULL, "/a"};
	struct plan plan;
	uint32_t order[8], round, i, moved = 0;

	(void)state;
	assert_int_equal(build(&asked, &plan, NULL), 0);
	for (round = 1; round < 6; round += 2) {
		plan_round_order(&plan, round, order);
		for (i = 0; i < 4; i++) {
			assert_int_equal(order[i] + 4, order[i + 4]);
			moved += order[i] != i;
		}
	}
	assert_true(moved > 0);
	plan_fini(&plan);
}

static void sequential_ends_one_variant_before_the_next(void **state)
{
	const struct asked asked = {FOUR_POINTS
				    "rounds = 2\nvariant-order = sequential\n"
				    "[variant A]\n[variant B]\n",
				    NULL, "/a"};
	struct plan plan;
	uint32_t order[8], i, batch_count = 0;
	struct schedule_batch batch = {.order = order};
	struct schedule *schedule;
	char said[64] = "";

	(void)state;
	assert_int_equal(build(&asked, &plan, NULL), 0);
	schedule = schedule_new(&plan);
	assert_non_null(schedule);
	for (; !schedule_next(schedule, &batch, NULL) && batch.count;
	     batch_count++) {
		assert_int_equal(batch.round, 1 + batch_count % 2);
		assert_int_equal(batch.later_count, 12 - 4 * batch_count);
		for (i = 0; i < batch.count; i++) {
			struct visit v = {.point = order[i]};

			strcat(said, plan.points[order[i]].variant);
			assert_int_equal(schedule_visited(schedule, &v, NULL),
					 0);
		}
		strcat(said, "|");
	}
	assert_string_equal(said, "AAAA|AAAA|BBBB|BBBB|");
	schedule_free(schedule);
	plan_fini(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(variants_are_measured_on_their_own_targets),
	    cmocka_unit_test(all_sides_see_the_same_offsets),
	    cmocka_unit_test(only_targets_that_are_measured_are_targets),
	    cmocka_unit_test(faults_say_what_to_do),
	    cmocka_unit_test(passes_are_a_range_or_a_number),
	    cmocka_unit_test(abba_goes_there_and_back),
	    cmocka_unit_test(a_warm_variant_takes_blocks),
	    cmocka_unit_test(interleaved_switches_as_often_as_is_cheap),
	    cmocka_unit_test(sequential_ends_one_variant_before_the_next),
	    cmocka_unit_test(blocks_have_the_same_order_of_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
