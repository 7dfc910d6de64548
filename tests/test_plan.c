/* plan: from what was said to points, in a stated order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/plan.h"

#define K 1024
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One thing that is said: at the option (section -1), in [sweep] (-2) or in
 * a section. */
struct saying {
	int level;
	enum plan_key key;
	const char *value;
};
enum { OPTION = -1, COMMON = -2 };

static void add_target(struct plan_request *req, const char *path)
{
	req->targets = realloc(req->targets,
			       (req->target_count + 1) * sizeof(*req->targets));
	assert_non_null(req->targets);
	req->targets[req->target_count++] = strdup(path);
}

static void add_section(struct plan_request *req, const char *name)
{
	struct plan_section *s;

	req->sections = realloc(req->sections, (req->section_count + 1) *
						   sizeof(*req->sections));
	assert_non_null(req->sections);
	s = &req->sections[req->section_count++];
	memset(s, 0, sizeof(*s));
	s->name = strdup(name);
}

static void say(struct plan_request *req, const struct saying *s)
{
	char where[64];
	struct plan_text *t = s->level == OPTION   ? &req->option[s->key]
			      : s->level == COMMON ? &req->common[s->key]
						   : NULL;

	if (!t)
		t = &req->sections[s->level].axis[s->key];
	snprintf(where, sizeof(where), "%s%s",
		 s->level == OPTION ? "--" : "f:1: ", plan_key_name(s->key));
	assert_int_equal(plan_text_set(t, s->value, where), 0);
}

static int build(struct plan_request *req, const struct saying *sayings,
		 size_t count, struct plan *plan, struct err *err)
{
	size_t i;
	int ret;

	if (!req->target_count)
		add_target(req, "/data/t");
	for (i = 0; i < count; i++)
		say(req, &sayings[i]);
	ret = plan_build(req, plan, err);
	plan_request_fini(req);
	return ret;
}

/* Build from options alone, or end the test. */
static void build_options(const struct saying *sayings, size_t count,
			  struct plan *plan)
{
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};

	if (build(&req, sayings, count, plan, &err))
		fail_msg("%s", err.text);
}

/* Every point's full key, one a line. */
static char *keys_of(const struct plan *plan)
{
	char key[512], *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	uint32_t i;

	assert_non_null(f);
	for (i = 0; i < plan->point_count; i++) {
		point_full_key(&plan->points[i], key, sizeof(key));
		fprintf(f, "%s\n", key);
	}
	assert_int_equal(fclose(f), 0);
	return text;
}

static void defaults_are_the_128_points_of_the_batch_files(void **state)
{
	struct plan plan;
	const struct point *p;

	(void)state;
	build_options(NULL, 0, &plan);
	assert_int_equal(plan.point_count, 128);
	p = &plan.points[0];
	assert_true(p->workload.stream.block_size_bytes == 8 * K);
	assert_true(p->workload.stream.read_pct == 100);
	assert_true(p->workload.stream.random_pct == 0);
	assert_int_equal(p->workload.queue_depth, 1);
	assert_int_equal(p->workload.threads, 1);
	assert_true(p->workload.working_set_bytes == 0);
	assert_int_equal(p->cache, CACHE_DIRECT);
	assert_int_equal(p->engine, ENGINE_AUTO);
	assert_string_equal(p->variant, "");
	assert_string_equal(p->section, "");
	assert_string_equal(p->target, "/data/t");
	p = &plan.points[127];
	assert_int_equal(p->index, 127);
	assert_true(p->workload.stream.block_size_bytes == 1024 * K);
	assert_true(p->workload.stream.random_pct == 100);
	assert_int_equal(p->workload.queue_depth, 128);
	assert_true(plan.settings.size_bytes == (uint64_t)10 << 30);
	assert_true(plan.settings.time_ns == 1000000000);
	assert_true(plan.settings.ramp_ns == 150000000);
	assert_true(plan.settings.pause_ns == 0);
	assert_true(plan.settings.max_time_ns == 0);
	assert_int_equal(plan.settings.rounds, 5);
	assert_int_equal(plan.settings.order, PLAN_SHUFFLE);
	assert_true(plan.settings.seed < (uint64_t)1 << 53);
	plan_fini(&plan);
}

static void points_come_in_the_stated_order(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "64K,8K"},
	    {OPTION, PLAN_OUTSTANDING, "8,2"},
	    {OPTION, PLAN_PATTERN, "rand,60,seq"},
	    {OPTION, PLAN_READ, "0,70"},
	    {OPTION, PLAN_THREADS, "2,1"},
	    {OPTION, PLAN_WORKING_SET, "1G,1M"},
	    {OPTION, PLAN_CACHE, "buffered,direct"},
	    {OPTION, PLAN_ENGINE, "sync,libaio"},
	    {OPTION, PLAN_VARIANT, "cached,base"},
	};
	/* The innermost axes; below, each outer one where it turns. */
	static const char start[] =
	    "bs=8192 read=70 random=0 ws=1048576 t=1 qd=2 cache=direct "
	    "engine=libaio base||/data/t\n"
	    "bs=8192 read=70 random=0 ws=1048576 t=1 qd=8 cache=direct "
	    "engine=libaio base||/data/t\n"
	    "bs=65536 read=70 random=0 ws=1048576 t=1 qd=2 cache=direct "
	    "engine=libaio base||/data/t\n"
	    "bs=65536 read=70 random=0 ws=1048576 t=1 qd=8 cache=direct "
	    "engine=libaio base||/data/t\n"
	    "bs=8192 read=70 random=0 ws=1048576 t=2 qd=1 cache=direct ";
	struct plan plan;
	uint32_t i;
	char *keys;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_int_equal(plan.point_count, 2 * 2 * 3 * 2 * 2 * 2 * 2 * 2 * 2);
	keys = keys_of(&plan);
	assert_int_equal(strncmp(keys, start, strlen(start)), 0);
	free(keys);
	assert_true(plan.points[8].workload.stream.read_pct == 0);
	assert_true(plan.points[16].workload.stream.random_pct == 60);
	assert_true(plan.points[32].workload.stream.random_pct == 100);
	assert_true(plan.points[48].workload.working_set_bytes == 1 << 30);
	assert_int_equal(plan.points[96].engine, ENGINE_SYNC);
	assert_int_equal(plan.points[192].cache, CACHE_BUFFERED);
	assert_string_equal(plan.points[384].variant, "cached");
	for (i = 0; i < plan.point_count; i++)
		assert_int_equal(plan.points[i].index, i);
	plan_fini(&plan);
}

static void a_distribution_is_an_axis_of_what_jumps(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	    {OPTION, PLAN_OUTSTANDING, "4"},
	    {OPTION, PLAN_PATTERN, "seq,rand,60"},
	    {OPTION, PLAN_DISTRIBUTION, "hot:10/90,zipf:1.1,uniform,zipf:0.9"},
	};
	struct plan plan;
	char *keys;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	keys = keys_of(&plan);
	assert_string_equal(
	    keys, "bs=8192 read=100 random=0 ws=0 t=1 qd=4 cache=direct "
		  "engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=60 ws=0 t=1 qd=4 cache=direct "
		  "engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=60 ws=0 t=1 qd=4 dist=zipf:0.9 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=60 ws=0 t=1 qd=4 dist=zipf:1.1 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=60 ws=0 t=1 qd=4 dist=hot:10/90 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 cache=direct "
		  "engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 dist=zipf:0.9 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 dist=zipf:1.1 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 dist=hot:10/90 "
		  "cache=direct engine=auto ||/data/t\n");
	free(keys);
	plan_fini(&plan);
}

static void a_rate_is_an_axis(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	    {OPTION, PLAN_OUTSTANDING, "4"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_RATE, "2000,unlimited,500,2000"},
	};
	struct plan plan;
	char *keys;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	keys = keys_of(&plan);
	assert_string_equal(
	    keys, "bs=8192 read=100 random=100 ws=0 t=1 qd=4 cache=direct "
		  "engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 rate=500 "
		  "cache=direct engine=auto ||/data/t\n"
		  "bs=8192 read=100 random=100 ws=0 t=1 qd=4 rate=2000 "
		  "cache=direct engine=auto ||/data/t\n");
	free(keys);
	plan_fini(&plan);
}

static void plan_does_not_depend_on_the_order_of_values(void **state)
{
	static const struct saying one[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K,16K,64K"},
	    {OPTION, PLAN_PATTERN, "seq,rand,50"},
	    {OPTION, PLAN_READ, "100,75,90,0"},
	    {OPTION, PLAN_OUTSTANDING, "1,4,16"},
	    {OPTION, PLAN_VARIANT, "a,b"},
	    {OPTION, PLAN_CACHE, "direct,dsync"},
	};
	static const struct saying other[] = {
	    {OPTION, PLAN_CACHE, "dsync,direct,dsync"},
	    {OPTION, PLAN_VARIANT, "b,a"},
	    {OPTION, PLAN_OUTSTANDING, "16,4,1,4"},
	    {OPTION, PLAN_READ, "0,90,75,100,100"},
	    {OPTION, PLAN_PATTERN, "50,rand,0,seq,100"},
	    {OPTION, PLAN_BLOCK_SIZE, "64K,8192,16KiB,8K"},
	};
	struct plan a, b;
	char *keys_a, *keys_b;

	(void)state;
	build_options(one, COUNT(one), &a);
	build_options(other, COUNT(other), &b);
	assert_int_equal(a.point_count, 3 * 3 * 4 * 3 * 2 * 2);
	keys_a = keys_of(&a);
	keys_b = keys_of(&b);
	assert_string_equal(keys_a, keys_b);
	free(keys_a);
	free(keys_b);
	plan_fini(&a);
	plan_fini(&b);
}

/* Pure reads and writes are one point however many mixes are asked. */
static void pure_directions_appear_once_beside_mixes(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "4K"},
	    {OPTION, PLAN_OUTSTANDING, "1"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_READ, "100,0,75,90,100,0"},
	};
	struct plan plan;
	uint32_t i, pure = 0;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_int_equal(plan.point_count, 4);
	for (i = 0; i < plan.point_count; i++)
		pure += !point_writes(&plan.points[i]) +
			!point_reads(&plan.points[i]);
	assert_int_equal(pure, 2);
	plan_fini(&plan);
}

static void indivisible_outstanding_is_dropped_and_counted(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K,64K"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_OUTSTANDING, "1..32"},
	    {OPTION, PLAN_THREADS, "1,4"},
	};
	struct plan plan;
	uint32_t i;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	/* With 4 threads: 4, 8, 16, 32 of the six. */
	assert_int_equal(plan.point_count, 2 * (6 + 4));
	assert_true(plan.dropped_indivisible == 2 * 2);
	for (i = 0; i < plan.point_count; i++)
		assert_true(plan.points[i].workload.queue_depth > 0);
	plan_fini(&plan);
}

static void queue_depth_is_per_thread(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_QUEUE_DEPTH, "1,3"},
	    {OPTION, PLAN_THREADS, "2,4"},
	};
	static const uint32_t expected[] = {2, 6, 4, 12};
	struct plan plan;
	size_t i;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_int_equal(plan.point_count, 4);
	assert_true(plan.dropped_indivisible == 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(point_outstanding(&plan.points[i]),
				 expected[i]);
	plan_fini(&plan);
}

static void options_override_sections_override_the_file(void **state)
{
	static const struct saying sayings[] = {
	    {COMMON, PLAN_BLOCK_SIZE, "4K"},
	    {COMMON, PLAN_READ, "100"},
	    {COMMON, PLAN_PATTERN, "rand"},
	    {COMMON, PLAN_OUTSTANDING, "1"},
	    {COMMON, PLAN_TIME, "30s"},
	    {COMMON, PLAN_ROUNDS, "1"},
	    {0, PLAN_BLOCK_SIZE, "8K"},
	    {0, PLAN_READ, "70"},
	    {1, PLAN_READ, "0"},
	    {OPTION, PLAN_READ, "50"},
	    {OPTION, PLAN_TIME, "2s"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan plan;

	(void)state;
	add_section(&req, "A");
	add_section(&req, "B");
	assert_int_equal(build(&req, sayings, COUNT(sayings), &plan, NULL), 0);
	assert_int_equal(plan.point_count, 2);
	assert_string_equal(plan.points[0].section, "A");
	assert_true(plan.points[0].workload.stream.block_size_bytes == 8 * K);
	assert_string_equal(plan.points[1].section, "B");
	assert_true(plan.points[1].workload.stream.block_size_bytes == 4 * K);
	assert_true(plan.points[0].workload.stream.read_pct == 50);
	assert_true(plan.points[1].workload.stream.read_pct == 50);
	assert_true(plan.settings.time_ns == 2000000000);
	assert_int_equal(plan.settings.rounds, 1);
	plan_fini(&plan);
}

/* Each level may say the depth in its own form; the nearest one decides. */
static void nearer_form_of_depth_overrides_the_other(void **state)
{
	static const struct {
		struct saying said[2];
		uint32_t outstanding; /* with 4 threads */
	} cases[] = {
	    {{{COMMON, PLAN_QUEUE_DEPTH, "2"}, {0, PLAN_OUTSTANDING, "4"}}, 4},
	    {{{COMMON, PLAN_OUTSTANDING, "4"}, {0, PLAN_QUEUE_DEPTH, "2"}}, 8},
	    {{{0, PLAN_QUEUE_DEPTH, "2"}, {OPTION, PLAN_OUTSTANDING, "4"}}, 4},
	    {{{0, PLAN_OUTSTANDING, "4"}, {OPTION, PLAN_QUEUE_DEPTH, "2"}}, 8},
	    {{{COMMON, PLAN_OUTSTANDING, "4"}, {OPTION, PLAN_QUEUE_DEPTH, "2"}},
	     8},
	};
	static const struct saying rest[] = {
	    {COMMON, PLAN_BLOCK_SIZE, "8K"},
	    {COMMON, PLAN_PATTERN, "rand"},
	    {COMMON, PLAN_THREADS, "4"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct plan_request req = {.section_count = 0};
		struct plan plan;

		add_section(&req, "A");
		say(&req, &cases[i].said[0]);
		say(&req, &cases[i].said[1]);
		assert_int_equal(build(&req, rest, COUNT(rest), &plan, NULL),
				 0);
		assert_int_equal(plan.point_count, 1);
		assert_int_equal(point_outstanding(&plan.points[0]),
				 cases[i].outstanding);
		plan_fini(&plan);
	}
}

static void both_forms_of_depth_at_one_level_are_refused(void **state)
{
	static const int levels[] = {OPTION, COMMON, 0};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(levels); i++) {
		struct saying sayings[] = {
		    {levels[i], PLAN_OUTSTANDING, "4"},
		    {levels[i], PLAN_QUEUE_DEPTH, "4"},
		};
		struct plan_request req = {.section_count = 0};
		struct err err = {.kind = ERR_NONE};
		struct plan plan;

		add_section(&req, "A");
		assert_int_equal(build(&req, sayings, 2, &plan, &err), -EINVAL);
		assert_non_null(strstr(err.text, "outstanding and "));
		assert_non_null(strstr(err.text, "keep one"));
	}
}

static void a_precision_makes_rounds_a_limit(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_PRECISION, "2.5%"},
	    {COMMON, PLAN_ROUNDS, "30"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan plan;

	(void)state;
	assert_int_equal(build(&req, sayings, 1, &plan, NULL), 0);
	assert_true(plan.settings.precision_pct == 2.5);
	assert_int_equal(plan.settings.rounds, 10);
	plan_fini(&plan);
	assert_int_equal(build(&req, sayings, 2, &plan, NULL), 0);
	assert_int_equal(plan.settings.rounds, 30);
	plan_fini(&plan);
}

static void a_precision_needs_three_rounds(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_PRECISION, "2%"},
	    {COMMON, PLAN_ROUNDS, "2"},
	};
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;

	(void)state;
	assert_int_equal(build(&req, sayings, 2, &plan, &err), -EINVAL);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "rounds: a precision needs 3 rounds "
					 "at the least, and 2 limits them"));
}

static void a_steady_state_has_a_limit_and_a_least(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_STEADY, "yes"},
	    {COMMON, PLAN_ROUNDS, "4"},
	    {OPTION, PLAN_PRECISION, "2%"},
	};
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	char text[PLAN_TEXT_MAX];
	struct plan plan;

	(void)state;
	assert_int_equal(build(&req, sayings, 1, &plan, NULL), 0);
	assert_true(plan.settings.steady);
	assert_int_equal(plan.settings.rounds, 25);
	assert_string_equal(plan_format_rounds(&plan, text, sizeof(text)),
			    "5 to 25 rounds until steady");
	plan_fini(&plan);
	assert_int_equal(build(&req, sayings, 2, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a steady state needs 5 rounds"));
	err.kind = ERR_NONE;
	assert_int_equal(build(&req, sayings, 3, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "keep one"));
}

static void a_thread_keeps_as_much_in_flight_as_its_engine_takes(void **state)
{
	static const struct {
		const char *engine, *depth;
		int ret;
	} cases[] = {
	    {"auto", "16383", 0},
	    {"auto", "16384", -EINVAL},
	    {"io_uring", "16384", -EINVAL},
	    {"libaio", "32768", 0},
	    {"libaio", "32769", -EINVAL},
	    {"libaio,io_uring", "32768", -EINVAL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const struct saying sayings[] = {
		    {OPTION, PLAN_ENGINE, cases[i].engine},
		    {OPTION, PLAN_QUEUE_DEPTH, cases[i].depth},
		};
		struct plan_request req = {.section_count = 0};
		struct plan plan = {.point_count = 0};

		assert_int_equal(build(&req, sayings, 2, &plan, NULL),
				 cases[i].ret);
		if (!cases[i].ret)
			plan_fini(&plan);
	}
}

static void targets_are_an_axis_without_duplicates(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	    {OPTION, PLAN_OUTSTANDING, "1"},
	    {OPTION, PLAN_PATTERN, "rand"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan plan;

	(void)state;
	add_target(&req, "/dev/disk/by-path/pci-0000:00,a b");
	add_target(&req, "/a");
	add_target(&req, "/dev/disk/by-path/pci-0000:00,a b");
	assert_int_equal(build(&req, sayings, COUNT(sayings), &plan, NULL), 0);
	assert_int_equal(plan.target_count, 2);
	assert_int_equal(plan.point_count, 2);
	assert_string_equal(plan.points[0].target,
			    "/dev/disk/by-path/pci-0000:00,a b");
	assert_string_equal(plan.points[1].target, "/a");
	plan_fini(&plan);
}

static void sections_of_one_name_share_their_points(void **state)
{
	static const struct saying sayings[] = {
	    {COMMON, PLAN_PATTERN, "rand"}, {COMMON, PLAN_BLOCK_SIZE, "8K"},
	    {0, PLAN_OUTSTANDING, "1..8"},  {1, PLAN_OUTSTANDING, "2..16"},
	    {2, PLAN_OUTSTANDING, "2"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan plan;
	uint32_t i;

	(void)state;
	add_section(&req, "A");
	add_section(&req, "A");
	add_section(&req, "B");
	assert_int_equal(build(&req, sayings, COUNT(sayings), &plan, NULL), 0);
	/* 1 2 4 8, then 16; B's are its own. */
	assert_int_equal(plan.point_count, 6);
	assert_int_equal(plan.points[4].workload.queue_depth, 16);
	assert_string_equal(plan.points[5].section, "B");
	for (i = 0; i < plan.point_count; i++)
		assert_int_equal(plan.points[i].index, i);
	plan_fini(&plan);
}

static void faults_give_one_sentence(void **state)
{
	static const struct {
		struct saying said;
		const char *says;
	} cases[] = {
	    {{OPTION, PLAN_BLOCK_SIZE, "8kk"}, "--block-size: '8kk'"},
	    {{COMMON, PLAN_BLOCK_SIZE, "8kk"}, "f:1: block-size: '8kk'"},
	    {{OPTION, PLAN_OUTSTANDING, "0"}, "--outstanding: '0'"},
	    {{OPTION, PLAN_PATTERN, "sequential"}, "--pattern: 'sequential'"},
	    {{OPTION, PLAN_DISTRIBUTION, "zipf"}, "--distribution: 'zipf' is"},
	    {{OPTION, PLAN_DISTRIBUTION, "hot:90"}, "write uniform, zipf:1.1"},
	    {{OPTION, PLAN_READ, "101"}, "--read: '101'"},
	    {{OPTION, PLAN_THREADS, "x"}, "--threads: 'x'"},
	    {{OPTION, PLAN_THREADS, "3"}, "multiples of the threads"},
	    {{OPTION, PLAN_THREADS, "4097"}, "--threads: 4097 threads"},
	    {{OPTION, PLAN_QUEUE_DEPTH, "32769"}, "--queue-depth: 32769"},
	    {{OPTION, PLAN_QUEUE_DEPTH, "16384"},
	     "more than the 16383 that io_uring takes"},
	    {{OPTION, PLAN_OUTSTANDING, "40000"}, "--outstanding: 40000"},
	    {{OPTION, PLAN_CACHE, "drect"}, "did you mean 'direct'"},
	    {{OPTION, PLAN_CACHE, ""}, "--cache: a name"},
	    {{OPTION, PLAN_ENGINE, "iouring"}, "did you mean 'io_uring'"},
	    {{OPTION, PLAN_ENGINE, "null"}, "--engine: 'null' is not"},
	    {{OPTION, PLAN_ENGINE, "sim"}, "--engine: 'sim' is not"},
	    {{OPTION, PLAN_VARIANT, "a,,b"}, "--variant: a name"},
	    {{OPTION, PLAN_WORKING_SET, "-1"}, "--working-set: '-1'"},
	    {{OPTION, PLAN_SIZE,
	      "10"
	      "GG"},
	     "--size: '10GG'"},
	    {{OPTION, PLAN_TIME, "0"}, "--time: '0'"},
	    {{OPTION, PLAN_TIME, "1x"}, "--time: '1x'"},
	    {{OPTION, PLAN_RAMP, "05x"}, "--ramp: '05x'"},
	    {{OPTION, PLAN_ROUNDS, "0"}, "--rounds: '0'"},
	    {{OPTION, PLAN_ROUNDS, "10001"}, "--rounds: 10001"},
	    {{OPTION, PLAN_PRECISION, "0"}, "--precision: '0' is not"},
	    {{OPTION, PLAN_PRECISION, "51%"}, "up to 50%"},
	    {{OPTION, PLAN_PRECISION, "two"}, "such as 2%"},
	    {{OPTION, PLAN_STEADY, "maybe"}, "--steady: 'maybe' is neither"},
	    {{OPTION, PLAN_BUDGET, "0s"}, "--budget: '0s'"},
	    {{OPTION, PLAN_MAX_TIME, "0s"}, "--max-time: '0s'"},
	    {{OPTION, PLAN_PAUSE, "-1s"}, "--pause: '-1s'"},
	    {{OPTION, PLAN_ORDER, "shufle"}, "did you mean 'shuffle'"},
	    {{OPTION, PLAN_SEED, "-1"}, "--seed: '-1'"},
	    {{OPTION, PLAN_SEED, "18446744073709551616"}, "--seed: "},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct saying sayings[] = {
		    cases[i].said, {COMMON, PLAN_OUTSTANDING, "1..128"}};
		struct plan_request req = {.section_count = 0};
		struct err err = {.kind = ERR_NONE};
		struct plan plan = {.point_count = 77};
		size_t n = 1;

		/* With -t 3 no default outstanding divides. */
		if (cases[i].said.key == PLAN_THREADS)
			n = 2;
		assert_int_equal(build(&req, sayings, n, &plan, &err), -EINVAL);
		if (!strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_int_equal(plan.point_count, 77);
	}
}

static void no_target_is_an_error(void **state)
{
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;

	(void)state;
	assert_int_equal(plan_build(&req, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nothing to measure"));
}

static void hundred_thousand_points_fit_and_one_more_does_not(void **state)
{
	struct saying sayings[] = {
	    {OPTION, PLAN_PATTERN, "0..99+1"},
	    {OPTION, PLAN_READ, "1..100+1"},
	    {OPTION, PLAN_OUTSTANDING, "1..10+1"},
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	};
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_int_equal(plan.point_count, PLAN_POINTS_MAX);
	plan_fini(&plan);
	sayings[0].value = "0..90.9+0.01";
	sayings[1].value = "100";
	sayings[2].value = "1..11+1";
	assert_int_equal(build(&req, sayings, COUNT(sayings), &plan, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "100,001 points"));
	assert_non_null(strstr(err.text, "100000"));
}

static void products_beyond_64_bits_are_too_many(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_PATTERN, "0..99+0.01"},
	    {OPTION, PLAN_READ, "1..100+0.01"},
	    {OPTION, PLAN_OUTSTANDING, "1..10000+1"},
	    {OPTION, PLAN_BLOCK_SIZE, "8K..79992K+8K"},
	    {OPTION, PLAN_WORKING_SET, "1M..9999M+1M"},
	};
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;

	(void)state;
	assert_int_equal(build(&req, sayings, COUNT(sayings), &plan, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "more than 100000"));
}

static void estimate_adds_up(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BLOCK_SIZE, "8K,64K"},
	    {OPTION, PLAN_OUTSTANDING, "1,32"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_READ, "100,99,0"},
	    {OPTION, PLAN_TIME, "2s"},
	    {OPTION, PLAN_RAMP, "500ms"},
	    {OPTION, PLAN_PAUSE, "1s"},
	    {OPTION, PLAN_ROUNDS, "3"},
	    {OPTION, PLAN_MAX_TIME, "1m"},
	};
	struct plan plan;
	struct plan_estimate e;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	plan_estimate(&plan, &e);
	assert_true(e.visit_count == 36);
	assert_true(e.time_ns == 36 * (uint64_t)3500000000);
	assert_true(e.cut_by_max_time);
	assert_int_equal(e.writing_points, 8);
	assert_true(e.memory_bytes >= 32 * 64 * K);
	plan_fini(&plan);
}

static void estimates_under_a_precision_are_least_and_most(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_PRECISION, "2%"},
	    {OPTION, PLAN_MAX_TIME, "10m"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan_estimate e;
	struct plan plan;
	char text[PLAN_TEXT_MAX];

	(void)state;
	assert_int_equal(build(&req, sayings, 2, &plan, NULL), 0);
	plan_estimate(&plan, &e);
	assert_true(e.least_visit_count == 3 * 128);
	assert_true(e.visit_count == 10 * 128);
	assert_true(e.least_time_ns == (uint64_t)3 * 128 * 1150000000);
	assert_true(e.time_ns == (uint64_t)10 * 128 * 1150000000);
	assert_string_equal(plan_format_rounds(&plan, text, sizeof(text)),
			    "3 to 10 rounds until +-2%");
	assert_string_equal(plan_format_time(&e, text, sizeof(text)),
			    "7m 22s to 24m 32s, cut short by --max-time");
	plan_fini(&plan);
}

static void estimates_of_a_search_go_by_its_budget(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BUDGET, "60s"},
	    {OPTION, PLAN_READ, "100,70"},
	};
	struct plan_request req = {.section_count = 0};
	struct plan_estimate e;
	struct plan plan;
	char text[PLAN_TEXT_MAX];

	(void)state;
	assert_int_equal(build(&req, sayings, 2, &plan, NULL), 0);
	plan_estimate(&plan, &e);
	assert_true(e.visit_count == 4 * 52); /* 60 s / 1.15 s */
	assert_true(e.time_ns == (uint64_t)4 * 52 * 1150000000);
	assert_true(e.least_visit_count < e.visit_count);
	assert_true(e.grid_time_ns == (uint64_t)5 * 256 * 1150000000);
	assert_string_equal(plan_format_rounds(&plan, text, sizeof(text)),
			    "a search of 4 workloads, up to 1m 00s each");
	plan_fini(&plan);
}

static void a_search_takes_no_precision(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_BUDGET, "60s"},
	    {COMMON, PLAN_PRECISION, "2%"},
	};
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	struct plan plan;

	(void)state;
	assert_int_equal(build(&req, sayings, 2, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, "leave out one"));
}

static void estimate_of_centuries_does_not_wrap(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_TIME, "5000000h"},
	    {OPTION, PLAN_RAMP, "0"},
	    {OPTION, PLAN_ROUNDS, "10000"},
	};
	struct plan plan;
	struct plan_estimate e;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_true(plan.settings.ramp_ns == 0);
	plan_estimate(&plan, &e);
	assert_true(e.time_ns == UINT64_MAX);
	assert_false(e.cut_by_max_time);
	plan_fini(&plan);
}

static void round_order_is_a_permutation_that_the_seed_repeats(void **state)
{
	static const struct saying sayings[] = {{OPTION, PLAN_SEED, "42"}};
	uint32_t order[128], again[128], other[128];
	bool seen[128] = {false};
	uint32_t i, moved = 0, differ = 0;
	struct plan plan;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	assert_true(plan.settings.seed == 42);
	plan_round_order(&plan, 1, order);
	plan_round_order(&plan, 1, again);
	plan_round_order(&plan, 2, other);
	for (i = 0; i < 128; i++) {
		assert_true(order[i] < 128);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		assert_int_equal(order[i], again[i]);
		moved += order[i] != i;
		differ += order[i] != other[i];
	}
	assert_true(moved > 100);
	assert_true(differ > 100);
	plan_fini(&plan);
}

/* Each of 4 points comes first in about a quarter of many rounds. */
static void round_orders_favour_no_point(void **state)
{
	static const struct saying sayings[] = {
	    {OPTION, PLAN_SEED, "7"},
	    {OPTION, PLAN_BLOCK_SIZE, "8K"},
	    {OPTION, PLAN_PATTERN, "rand"},
	    {OPTION, PLAN_OUTSTANDING, "1..8"},
	};
	uint32_t order[4], first[4] = {0}, round, i;
	struct plan plan;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	for (round = 1; round <= 4000; round++) {
		plan_round_order(&plan, round, order);
		first[order[0]]++;
	}
	/* 1000 each; the standard deviation is 27. */
	for (i = 0; i < 4; i++)
		assert_in_range(first[i], 860, 1140);
	plan_fini(&plan);
}

static void order_plan_visits_as_planned(void **state)
{
	static const struct saying sayings[] = {{OPTION, PLAN_ORDER, "plan"}};
	uint32_t order[128], i;
	struct plan plan;

	(void)state;
	build_options(sayings, COUNT(sayings), &plan);
	plan_round_order(&plan, 3, order);
	for (i = 0; i < 128; i++)
		assert_int_equal(order[i], i);
	plan_fini(&plan);
}

static void a_later_text_replaces_the_earlier(void **state)
{
	struct plan_text t = {.value = NULL};

	(void)state;
	assert_int_equal(plan_text_set(&t, "8K", "--block-size"), 0);
	assert_int_equal(plan_text_set(&t, "64K", "f:1: block-size"), 0);
	assert_string_equal(t.value, "64K");
	assert_string_equal(t.where, "f:1: block-size");
	free(t.value);
	free(t.where);
}

static void names_of_keys_end_with_null(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < PLAN_KEY_COUNT; i++)
		assert_non_null(plan_key_name((enum plan_key)i));
	assert_null(plan_key_name(PLAN_KEY_COUNT));
	assert_null(plan_key_default(PLAN_KEY_COUNT));
	assert_null(plan_key_default(PLAN_SEED));
	assert_string_equal(plan_key_default(PLAN_BLOCK_SIZE), "8K..1M");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_are_the_128_points_of_the_batch_files),
	    cmocka_unit_test(points_come_in_the_stated_order),
	    cmocka_unit_test(a_distribution_is_an_axis_of_what_jumps),
	    cmocka_unit_test(a_rate_is_an_axis),
	    cmocka_unit_test(plan_does_not_depend_on_the_order_of_values),
	    cmocka_unit_test(pure_directions_appear_once_beside_mixes),
	    cmocka_unit_test(indivisible_outstanding_is_dropped_and_counted),
	    cmocka_unit_test(queue_depth_is_per_thread),
	    cmocka_unit_test(options_override_sections_override_the_file),
	    cmocka_unit_test(nearer_form_of_depth_overrides_the_other),
	    cmocka_unit_test(both_forms_of_depth_at_one_level_are_refused),
	    cmocka_unit_test(a_precision_makes_rounds_a_limit),
	    cmocka_unit_test(a_precision_needs_three_rounds),
	    cmocka_unit_test(a_steady_state_has_a_limit_and_a_least),
	    cmocka_unit_test(
		a_thread_keeps_as_much_in_flight_as_its_engine_takes),
	    cmocka_unit_test(targets_are_an_axis_without_duplicates),
	    cmocka_unit_test(sections_of_one_name_share_their_points),
	    cmocka_unit_test(faults_give_one_sentence),
	    cmocka_unit_test(no_target_is_an_error),
	    cmocka_unit_test(hundred_thousand_points_fit_and_one_more_does_not),
	    cmocka_unit_test(products_beyond_64_bits_are_too_many),
	    cmocka_unit_test(estimate_adds_up),
	    cmocka_unit_test(estimates_of_a_search_go_by_its_budget),
	    cmocka_unit_test(a_search_takes_no_precision),
	    cmocka_unit_test(estimates_under_a_precision_are_least_and_most),
	    cmocka_unit_test(estimate_of_centuries_does_not_wrap),
	    cmocka_unit_test(
		round_order_is_a_permutation_that_the_seed_repeats),
	    cmocka_unit_test(round_orders_favour_no_point),
	    cmocka_unit_test(order_plan_visits_as_planned),
	    cmocka_unit_test(a_later_text_replaces_the_earlier),
	    cmocka_unit_test(names_of_keys_end_with_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
