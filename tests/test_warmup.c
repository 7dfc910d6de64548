#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/point.h"
#include "export/warmup.h"
#include "tests/tempdir.h"

static char target[] = "/dev/sd\tx", variant[] = "cached";

static const struct point point = {.target = target, .variant = variant};
static const struct warm_sample sample = {.point = &point,
					  .round = 2,
					  .pass = 3,
					  .elapsed_ns = 1500000000,
					  .iops = 12.5,
					  .mibps = 3,
					  .hit_pct = NAN};

static char *folder, *file;

static int begin(void **state)
{
	(void)state;
	folder = tempdir_new();
	file = tempdir_path(folder, WARMUP_FILE);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(file);
	tempdir_remove(folder);
	return 0;
}

static void what_was_appended_is_read_back(void **state)
{
	struct warmup w;

	(void)state;
	assert_int_equal(warmup_append(folder, &sample, NULL), 0);
	assert_int_equal(warmup_append(folder, &sample, NULL), 0);
	assert_int_equal(warmup_read(folder, &w, NULL), 0);
	assert_int_equal(w.count, 2);
	assert_string_equal(w.rows[1].variant, "cached");
	assert_string_equal(w.rows[1].target, "/dev/sd?x");
	assert_int_equal(w.rows[1].round, 2);
	assert_int_equal(w.rows[1].pass, 3);
	assert_true(w.rows[1].elapsed_s == 1.5 && w.rows[1].iops == 12.5);
	assert_true(isnan(w.rows[1].hit_pct));
	warmup_fini(&w);
}

static void a_folder_without_one_has_no_rows(void **state)
{
	struct warmup w;

	(void)state;
	assert_int_equal(warmup_read(folder, &w, NULL), 0);
	assert_int_equal(w.count, 0);
	warmup_fini(&w);
}

/* Neither read nor written, and said. */
static void assert_refused(const char *reason)
{
	struct err err = {.kind = ERR_NONE};
	struct warmup w;

	assert_true(warmup_read(folder, &w, &err) < 0);
	assert_non_null(strstr(err.text, reason));
	assert_int_equal(w.count, 0);
	warmup_fini(&w);
	assert_true(warmup_append(folder, &sample, &err) < 0);
	assert_non_null(strstr(err.text, WARMUP_FILE));
}

static void a_link_out_of_the_folder_is_not_followed(void **state)
{
	char *other = tempdir_path(folder, "other");
	char *text;

	(void)state;
	file_write(other, WARMUP_HEADER "\n", sizeof(WARMUP_HEADER));
	assert_int_equal(symlink(other, file), 0);
	assert_refused("symbolic link");
	text = file_read(other, NULL);
	assert_string_equal(text, WARMUP_HEADER "\n");
	free(text);
	free(other);
}

static void a_link_to_nowhere_makes_no_file(void **state)
{
	char *other = tempdir_path(folder, "other");

	(void)state;
	assert_int_equal(symlink(other, file), 0);
	assert_refused("symbolic link");
	assert_int_equal(access(other, F_OK), -1);
	free(other);
}

static void a_pipe_is_refused_without_waiting(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkfifo(file, 0600), 0);
	fd = open(file, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_refused("not a regular file");
	close(fd);
	alarm(10);
	assert_refused("not a regular file");
	alarm(0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_was_appended_is_read_back),
	    TEST(a_folder_without_one_has_no_rows),
	    TEST(a_link_out_of_the_folder_is_not_followed),
	    TEST(a_link_to_nowhere_makes_no_file),
	    TEST(a_pipe_is_refused_without_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
