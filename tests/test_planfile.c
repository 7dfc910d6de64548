/* planfile: plans as files, in health and in every kind of sickness. */
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
#include "tests/textfile.h"

static char scratch[TEXTFILE_PATH_MAX];

static int make_scratch(void **state)
{
	(void)state;
	textfile_new(scratch, "", 0);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	return unlink(scratch);
}

static const char good[] = "\xef\xbb\xbf# four tests that form no grid\r\n"
			   "[sweep]\r\n"
			   "time = 30s\r\n"
			   "rounds = 1\n"
			   "order = plan\n"
			   "outstanding = 64\n"
			   "; the classic names\n"
			   "[workload Max Throughput-100%Read]\n"
			   "block-size = 32K\n"
			   "pattern = seq\n"
			   "read = 100\n"
			   "\n"
			   "[workload RealLife-60%Rand-65%Read]\n"
			   "block-size = 8K, 16K\n"
			   "pattern = 60\n"
			   "read = 65\n";

static int read_text(const char *text, size_t size, struct plan_request *req,
		     struct err *err)
{
	memset(req, 0, sizeof(*req));
	textfile_refill(scratch, text, size);
	return planfile_read(scratch, req, err);
}

static void file_says_the_same_as_options(void **state)
{
	static const char one[] = "[sweep]\nblock-size = 4K,8K\nread = 70\n"
				  "outstanding = 1..8\npattern = rand\n"
				  "time = 2s\nseed = 5\n";
	static const struct {
		enum plan_key key;
		const char *value;
	} said[] = {
	    {PLAN_BLOCK_SIZE, "4K,8K"}, {PLAN_READ, "70"},
	    {PLAN_OUTSTANDING, "1..8"}, {PLAN_PATTERN, "rand"},
	    {PLAN_TIME, "2s"},		{PLAN_SEED, "5"},
	};
	struct plan_request by_file, by_options = {.section_count = 0};
	struct plan a, b;
	char *target = (char *)"/t";
	size_t i;

	(void)state;
	assert_int_equal(read_text(one, strlen(one), &by_file, NULL), 0);
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		plan_text_set(&by_options.option[said[i].key], said[i].value,
			      "--x");
	by_file.targets = by_options.targets = &target;
	by_file.target_count = by_options.target_count = 1;
	assert_int_equal(plan_build(&by_file, &a, NULL), 0);
	assert_int_equal(plan_build(&by_options, &b, NULL), 0);
	assert_int_equal(a.point_count, 8);
	assert_int_equal(b.point_count, 8);
	for (i = 0; i < 8; i++) {
		char x[POINT_KEY_MAX], y[POINT_KEY_MAX];

		point_full_key(&a.points[i], x, sizeof(x));
		point_full_key(&b.points[i], y, sizeof(y));
		assert_string_equal(x, y);
	}
	assert_memory_equal(&a.settings, &b.settings, sizeof(a.settings));
	plan_fini(&a);
	plan_fini(&b);
	by_file.targets = by_options.targets = NULL;
	by_file.target_count = by_options.target_count = 0;
	plan_request_fini(&by_file);
	plan_request_fini(&by_options);
}

static void sections_keep_their_order_names_and_places(void **state)
{
	struct plan_request req;
	struct err err = {.kind = ERR_NONE};
	char where[TEXTFILE_PATH_MAX + 32];

	(void)state;
	if (read_text(good, strlen(good), &req, &err))
		fail_msg("%s", err.text);
	assert_int_equal(req.section_count, 2);
	assert_string_equal(req.sections[0].name, "Max Throughput-100%Read");
	assert_string_equal(req.sections[1].name, "RealLife-60%Rand-65%Read");
	assert_string_equal(req.common[PLAN_TIME].value, "30s");
	assert_string_equal(req.common[PLAN_ROUNDS].value, "1");
	assert_null(req.common[PLAN_BLOCK_SIZE].value);
	assert_string_equal(req.sections[1].axis[PLAN_BLOCK_SIZE].value,
			    "8K, 16K");
	snprintf(where, sizeof(where), "%s:14: block-size", scratch);
	assert_string_equal(req.sections[1].axis[PLAN_BLOCK_SIZE].where, where);
	plan_request_fini(&req);
}

static void faults_say_line_text_and_remedy(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
	    {"", " holds no plan"},
	    {"# nothing\n", " holds no plan"},
	    {"[sweep]\nblocksize = 4K\n",
	     ":2: 'blocksize' is no key of a plan; did you mean "
	     "'block-size'?"},
	    {"[sweep]\nblock_size = 4K\n", "did you mean 'block-size'?"},
	    {"[sweep]\nqueue_depth = 4\n", "did you mean 'queue-depth'?"},
	    {"[sweep]\nblock\u2013size = 4K\n", "did you mean 'block-size'?"},
	    {"[sweep]\nrw = read\n", ":2: 'rw' is no key of a plan; keys are"},
	    {"[sweep]\nBLOCK-SIZE = 4K\n", "did you mean 'block-size'?"},
	    {"[workload A]\nround = 1\n",
	     ":2: 'round' is no key of a plan; keys are"},
	    {"[workload A]\nrounds = 1\n",
	     ":2: 'rounds' holds for the whole sweep; write it under [sweep]"},
	    {"[sweep]\ntime = 1s\n[sweep]\n", ":3: [sweep] comes twice"},
	    {"[workload A]\nread = 1\n[workload  A ]\n",
	     ":3: [workload A] comes twice"},
	    {"[workload]\n", ":1: the workload has no name"},
	    {"[sweeps]\n", "did you mean 'sweep'?"},
	    {"[work]\n", "did you mean 'workload'?"},
	    {"[Sweep]\n", "did you mean 'sweep'?"},
	    {"[global]\n", ":1: [global] is no section of a plan"},
	    {"[variants]\n", ":1: [variants] is no section of a plan"},
	    {"[varaint x]\n", "did you mean 'variant'?"},
	    {"[variant]\n", ":1: '' is no name of a variant"},
	    {"[variant a,b]\n", ":1: 'a,b' is no name of a variant"},
	    {"[variant a]\nstate = cold\n[variant a]\n",
	     ":3: [variant a] comes twice"},
	    {"[variant a]\nentr = x\n", "no key of a variant; did you mean "
					"'enter'?"},
	    {"[variant a]\nxyz = x\n", "no key of a variant, which has target"},
	    {"[variant a]\nrounds = 2\n", "'rounds' holds for the whole sweep"},
	    {"[variant a]\nread = 2\n", "'read' is the same for all variants"},
	    {"[sweep]\nenter = x\n", "'enter' belongs to a variant"},
	    {"[variant a]\nenter =\n", ":2: 'enter' has no value"},
	    {"[variant a]\nstate = cold # not warm\n",
	     ":2: 'state' has a comment behind"},
	    {"[sweep]\nread =\n", ":2: 'read' has no value"},
	    {"[sweep]\ntime = 30s ; long\n", ":2: 'time' has a comment behind"},
	    {"[sweep]\ntime = 30s # long\n", ":2: 'time' has a comment behind"},
	    {"[sweep]\nread = 1\nread = 2\n", ":3: 'read' is said twice"},
	    {"read = 1\n", ":1: 'read' stands before the first [section]"},
	    {"{\"read\": 1}\n", ":1: '{\"read\": 1}' is neither"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan_request req;
		struct err err = {.kind = ERR_NONE};

		assert_int_equal(
		    read_text(cases[i].text, strlen(cases[i].text), &req, &err),
		    -EINVAL);
		plan_request_fini(&req);
		if (strncmp(err.text, scratch, strlen(scratch)) ||
		    !strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void values_are_faulted_with_their_line(void **state)
{
	static const char text[] = "[sweep]\n\nblock-size = 4K,8kk\n";
	struct plan_request req;
	struct plan plan;
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_int_equal(read_text(text, strlen(text), &req, &err), 0);
	req.targets = calloc(1, sizeof(*req.targets));
	req.targets[req.target_count++] = strdup("/t");
	assert_int_equal(plan_build(&req, &plan, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":3: block-size, value 2 of 2: "
					 "'8kk'"));
	plan_request_fini(&req);
}

static void long_names_are_refused(void **state)
{
	char text[256] = "[workload ";
	struct plan_request req;
	struct err err = {.kind = ERR_NONE};

	(void)state;
	memset(text + 10, 'n', 127);
	strcpy(text + 10 + 127, "]\n");
	assert_int_equal(read_text(text, strlen(text), &req, &err), 0);
	plan_request_fini(&req);
	memset(text + 10, 'n', 128);
	strcpy(text + 10 + 128, "]\n");
	assert_int_equal(read_text(text, strlen(text), &req, &err), -EINVAL);
	assert_non_null(strstr(err.text, "longer than 127 bytes"));
	plan_request_fini(&req);
}

static void a_million_sections_are_refused(void **state)
{
	struct plan_request req;
	struct err err = {.kind = ERR_NONE};
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);
	int i;

	(void)state;
	assert_non_null(f);
	for (i = 0; i < 1000000; i++)
		fprintf(f, "[workload %d]\n", i);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(read_text(text, size, &req, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1001: more than 1000 workloads"));
	plan_request_fini(&req);
	free(text);
}

/* Cut anywhere, a plan either reads or is refused in a sentence. */
static void every_truncation_reads_or_is_refused(void **state)
{
	size_t size, whole = 0;

	(void)state;
	for (size = 0; size <= strlen(good); size++) {
		struct plan_request req;
		struct err err = {.kind = ERR_NONE};
		int ret = read_text(good, size, &req, &err);

		assert_true(ret == 0 || ret == -EINVAL);
		assert_int_equal(ret != 0, err.text[0] != '\0');
		whole += ret == 0;
		plan_request_fini(&req);
	}
	assert_true(whole > 50 && whole < strlen(good));
}

/* Any one byte turned into any of these: the same. */
static void every_damaged_byte_reads_or_is_refused(void **state)
{
	static const char bytes[] = {'\0', '\n', '\r', '[', ']',    '=',
				     '#',  ' ',	 '\t', ',', '\xff', '\x1b'};
	char text[sizeof(good)];
	size_t i, b;

	(void)state;
	for (i = 0; i < strlen(good); i++)
		for (b = 0; b < sizeof(bytes); b++) {
			struct plan_request req;
			struct err err = {.kind = ERR_NONE};
			int ret;

			memcpy(text, good, sizeof(good));
			text[i] = bytes[b];
			ret = read_text(text, strlen(good), &req, &err);
			assert_true(ret == 0 || ret == -EINVAL);
			assert_int_equal(ret != 0, err.text[0] != '\0');
			plan_request_fini(&req);
		}
}

static void missing_file_is_said(void **state)
{
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_int_equal(planfile_read("/nonexistent.ini", &req, &err),
			 -ENOENT);
	assert_string_equal(
	    err.text,
	    "cannot read /nonexistent.ini: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(file_says_the_same_as_options),
	    cmocka_unit_test(sections_keep_their_order_names_and_places),
	    cmocka_unit_test(faults_say_line_text_and_remedy),
	    cmocka_unit_test(values_are_faulted_with_their_line),
	    cmocka_unit_test(long_names_are_refused),
	    cmocka_unit_test(a_million_sections_are_refused),
	    cmocka_unit_test(every_truncation_reads_or_is_refused),
	    cmocka_unit_test(every_damaged_byte_reads_or_is_refused),
	    cmocka_unit_test(missing_file_is_said),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
