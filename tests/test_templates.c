/* templates: those that come with the program, and how they are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/planfile.h"
#include "sweep/templates.h"

/* Root of the sources: build/<variant>/tests/ is three folders down. */
static char root[PATH_MAX];

static int find_root(void **state)
{
	ssize_t len = readlink("/proc/self/exe", root, sizeof(root) - 1);
	int i;

	(void)state;
	if (len < 0)
		return -1;
	root[len] = '\0';
	for (i = 0; i < 4; i++) {
		char *slash = strrchr(root, '/');

		if (!slash)
			return -1;
		*slash = '\0';
	}
	return 0;
}

static void build_template(const char *name, struct plan *plan)
{
	struct plan_request req = {.section_count = 0};
	struct err err = {.kind = ERR_NONE};
	char *path;

	if (template_find(root, name, &path, &err) ||
	    planfile_read(path, &req, &err))
		fail_msg("%s", err.text);
	req.targets = calloc(1, sizeof(*req.targets));
	assert_non_null(req.targets);
	req.targets[req.target_count++] = strdup("/t");
	if (plan_build(&req, plan, &err))
		fail_msg("%s", err.text);
	plan_request_fini(&req);
	free(path);
}

static void all_five_are_listed_by_name_with_headlines(void **state)
{
	static const char *const names[] = {
	    "cached-uncached", "iodrive-vetting", "iometer-vmware",
	    "sqlio-sweetspot", "sqlserver-oltp"};
	struct template_list list;
	size_t i;

	(void)state;
	assert_int_equal(template_list_new(root, &list), 0);
	assert_int_equal(list.count, 5);
	for (i = 0; i < 5; i++) {
		assert_string_equal(list.items[i].name, names[i]);
		assert_true(strlen(list.items[i].headline) > 20);
		assert_true(list.items[i].headline[0] != '#');
	}
	template_list_free(&list);
}

static void the_text_of_a_file(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t len;

	assert_non_null(f);
	len = fread(buf, 1, size - 1, f);
	buf[len] = '\0';
	fclose(f);
}

/* What each says of itself is what its plan does. */
static void comments_tell_source_length_and_writing(void **state)
{
	struct template_list list;
	size_t i;

	(void)state;
	assert_int_equal(template_list_new(root, &list), 0);
	for (i = 0; i < list.count; i++) {
		char text[8192], count[32];
		struct plan_estimate e;
		struct plan plan;

		the_text_of_a_file(list.items[i].path, text, sizeof(text));
		build_template(list.items[i].name, &plan);
		plan_estimate(&plan, &e);
		assert_non_null(strstr(text, "# Imitates: "));
		snprintf(count, sizeof(count), "# Takes: %u ",
			 plan.point_count);
		if (!strstr(text, count))
			fail_msg("%s has %u points", list.items[i].name,
				 plan.point_count);
		assert_non_null(strstr(text, e.writing_points
						 ? "# Writes: yes"
						 : "# Writes: nothing"));
		plan_fini(&plan);
	}
	template_list_free(&list);
}

static void sqlio_sweetspot_is_the_defaults(void **state)
{
	struct plan_request req = {.section_count = 0};
	char *target = (char *)"/t";
	struct plan a, b;
	uint32_t i;

	(void)state;
	build_template("sqlio-sweetspot", &a);
	req.targets = &target;
	req.target_count = 1;
	assert_int_equal(plan_build(&req, &b, NULL), 0);
	assert_int_equal(a.point_count, b.point_count);
	for (i = 0; i < a.point_count; i++) {
		char x[POINT_KEY_MAX], y[POINT_KEY_MAX];

		point_full_key(&a.points[i], x, sizeof(x));
		point_full_key(&b.points[i], y, sizeof(y));
		assert_string_equal(x, y);
	}
	a.settings.seed = b.settings.seed;
	assert_memory_equal(&a.settings, &b.settings, sizeof(a.settings));
	plan_fini(&a);
	plan_fini(&b);
}

static void check_point(const struct point *p, const char *key)
{
	char text[POINT_KEY_MAX];

	point_pair_key(p, text, sizeof(text));
	assert_string_equal(text, key);
}

static void iodrive_vetting_keeps_its_order_first_test_twice(void **state)
{
	uint32_t order[5], i;
	struct plan plan;

	(void)state;
	build_template("iodrive-vetting", &plan);
	assert_int_equal(plan.point_count, 5);
	check_point(&plan.points[0],
		    "bs=1048576 read=0 random=100 ws=0 t=4 qd=16");
	check_point(&plan.points[1],
		    "bs=1048576 read=0 random=100 ws=0 t=4 qd=16");
	check_point(&plan.points[2],
		    "bs=4096 read=100 random=100 ws=0 t=64 qd=16");
	check_point(&plan.points[3],
		    "bs=1048576 read=100 random=100 ws=0 t=4 qd=16");
	check_point(&plan.points[4],
		    "bs=4096 read=0 random=100 ws=0 t=64 qd=16");
	assert_string_not_equal(plan.points[0].section, plan.points[1].section);
	assert_true(plan.settings.time_ns == 10000000000u);
	assert_true(plan.settings.size_bytes == (uint64_t)5 << 30);
	assert_int_equal(plan.settings.rounds, 1);
	plan_round_order(&plan, 1, order);
	for (i = 0; i < 5; i++)
		assert_int_equal(order[i], i);
	plan_fini(&plan);
}

static void iometer_vmware_is_four_tests_that_form_no_grid(void **state)
{
	struct plan plan;

	(void)state;
	build_template("iometer-vmware", &plan);
	assert_int_equal(plan.point_count, 4);
	check_point(&plan.points[0],
		    "bs=32768 read=100 random=0 ws=0 t=1 qd=64");
	check_point(&plan.points[1],
		    "bs=8192 read=65 random=60 ws=0 t=1 qd=64");
	check_point(&plan.points[2],
		    "bs=32768 read=50 random=0 ws=0 t=1 qd=64");
	check_point(&plan.points[3],
		    "bs=8192 read=70 random=100 ws=0 t=1 qd=64");
	plan_fini(&plan);
}

static void sqlserver_oltp_has_what_a_database_asks(void **state)
{
	struct plan plan;
	bool pages = false, log = false, scan = false, backup = false;
	uint32_t i;

	(void)state;
	build_template("sqlserver-oltp", &plan);
	for (i = 0; i < plan.point_count; i++) {
		const struct stream *s = &plan.points[i].workload.stream;
		bool seq = s->random_pct == 0;

		pages |= s->block_size_bytes == 8192 && s->read_pct == 70;
		log |= s->block_size_bytes == 61440 && s->read_pct == 0 &&
		       seq && plan.points[i].cache == CACHE_DIRECT_DSYNC;
		scan |=
		    s->block_size_bytes == 65536 && s->read_pct == 100 && seq;
		backup |=
		    s->block_size_bytes == 1 << 20 && s->read_pct == 100 && seq;
	}
	assert_true(pages && log && scan && backup);
	plan_fini(&plan);
}

static void unknown_template_is_refused_with_the_names(void **state)
{
	struct err err = {.kind = ERR_NONE};
	char *path = NULL;

	(void)state;
	assert_int_equal(template_find(root, "sqlio-sweatspot", &path, &err),
			 -ENOENT);
	assert_string_equal(
	    err.text,
	    "there is no template 'sqlio-sweatspot' among "
	    "cached-uncached, iodrive-vetting, iometer-vmware, "
	    "sqlio-sweetspot, sqlserver-oltp; did you mean 'sqlio-sweetspot'?");
	assert_int_equal(err.kind, ERR_USAGE);
	err_clear(&err);
	assert_int_equal(template_find(root, "", &path, &err), -ENOENT);
	assert_int_equal(template_find("/nonexistent", "x", &path, &err),
			 -ENOENT);
	assert_null(path);
}

static void a_path_is_taken_as_it_is(void **state)
{
	char *path;

	(void)state;
	assert_int_equal(template_find(root, "./mine", &path, NULL), 0);
	assert_string_equal(path, "./mine");
	free(path);
	assert_int_equal(template_find(root, "mine.ini", &path, NULL), 0);
	assert_string_equal(path, "mine.ini");
	free(path);
}

/* A copy of this program elsewhere, with a template beside it. */
static void templates_beside_the_program_come_first(void **state)
{
	char folder[] = "/tmp/iosweep-test-XXXXXX";
	char command[3 * PATH_MAX], line[256] = "";
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "cp /proc/%d/exe %s/program && mkdir -p %s/templates/sweeps "
		 "&& echo '# mine' > %s/templates/sweeps/sqlio-sweetspot.ini "
		 "&& %s/program headline '%s' sqlio-sweetspot",
		 (int)getpid(), folder, folder, folder, folder, root);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(pclose(f), 0);
	assert_string_equal(line, "mine of 5\n");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* What the copy of the test above does. */
static int print_headline(const char *datadir, const char *name)
{
	struct template_list list;
	size_t i;

	if (template_list_new(datadir, &list))
		return 1;
	for (i = 0; i < list.count; i++)
		if (!strcmp(list.items[i].name, name))
			printf("%s of %zu\n", list.items[i].headline,
			       list.count);
	template_list_free(&list);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_five_are_listed_by_name_with_headlines),
	    cmocka_unit_test(comments_tell_source_length_and_writing),
	    cmocka_unit_test(sqlio_sweetspot_is_the_defaults),
	    cmocka_unit_test(iodrive_vetting_keeps_its_order_first_test_twice),
	    cmocka_unit_test(iometer_vmware_is_four_tests_that_form_no_grid),
	    cmocka_unit_test(sqlserver_oltp_has_what_a_database_asks),
	    cmocka_unit_test(unknown_template_is_refused_with_the_names),
	    cmocka_unit_test(a_path_is_taken_as_it_is),
	    cmocka_unit_test(templates_beside_the_program_come_first),
	};

	if (argc == 4 && !strcmp(argv[1], "headline"))
		return print_headline(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, find_root, NULL);
}
