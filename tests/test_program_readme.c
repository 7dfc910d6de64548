/* Every command in README.md works as it stands there, on files and devices
 * of the test's own and in little time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/loopdev.h"
#include "tests/program.h"

/* Behind a command that is not to be run. */
#define NOT_RUN "not run by the tests"

/* What makes a sweep short: an option that comes again replaces the one
 * before. */
#define SHORTER " --size 8M"
/* Working sets that lie within. */
#define WITHIN " --working-set 2M..8M"
#define SHORT SHORTER " --time 100ms --ramp 10ms --max-time 300ms --quiet"

static char *folder;
static char *root;
static struct loopdev loop = {.fd = -1};

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	root = program_root();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	loopdev_detach(&loop);
	program_folder_remove(folder);
	free(root);
	return 0;
}

/* text with every `from` replaced, on the heap. */
static char *replaced(const char *text, const char *from, const char *to)
{
	size_t size = strlen(text) * (strlen(to) + 1) + 1;
	char *out = calloc(size, 1);
	const char *at;

	assert_non_null(out);
	while ((at = strstr(text, from))) {
		strncat(out, text, (size_t)(at - text));
		strcat(out, to);
		text = at + strlen(from);
	}
	return strcat(out, text);
}

/* /data is a folder and /dev/sdX a device of ours. False where there is no
 * such device. */
static bool stand_in(const char *line, char **out)
{
	char *data = program_path(folder, "data");
	char *path, *with_data = replaced(line, "/data", data);

	free(data);
	if (strstr(line, "/dev/sdX") && loop.fd < 0) {
		if (loopdev_unavailable()) {
			print_message("skip: %s: %s\n", loopdev_unavailable(),
				      line);
			free(with_data);
			return false;
		}
		program_fill(folder, "disk.img", 8 << 20);
		path = program_path(folder, "disk.img");
		assert_int_equal(loopdev_attach(&loop, path, 0, 0), 0);
		free(path);
	}
	*out = replaced(with_data, "/dev/sdX", loop.node);
	free(with_data);
	return true;
}

static void run_iosweep(const char *line)
{
	bool runs = !strncmp(line, "iosweep run ", 12) ||
		    !strncmp(line, "iosweep find ", 13);
	bool plans = !strncmp(line, "iosweep plan ", 13);
	struct program_result r;
	char *ours;

	if (!stand_in(line, &ours))
		return;
	r = program_run(folder, "%s%s%s", ours,
			runs	? SHORT
			: plans ? SHORTER
				: "",
			strstr(line, "--working-set") ? WITHIN : "");
	if (r.status)
		print_message("README.md: %s\n", line);
	program_assert_status(&r, 0);
	program_free(&r);
	free(ours);
}

static void check_script(const char *line)
{
	char *name = strndup(line, strcspn(line, " "));
	char *path = program_path(root, name);

	if (access(path, X_OK))
		fail_msg("README.md: %s is not there to run", name);
	free(path);
	free(name);
}

static void check_make(const char *line)
{
	struct program_result r =
	    program_run(root, "make -n %s >/dev/null", line + strlen("make "));

	if (r.status)
		print_message("README.md: %s\n", line);
	program_assert_status(&r, 0);
	program_free(&r);
}

/* One line of a block; true when it was a command. */
static bool take_line(char *line)
{
	char *comment = strstr(line, " # ");
	size_t len;

	if (line[0] == '#' || !line[0] || strstr(line, NOT_RUN))
		return false;
	if (comment)
		*comment = '\0';
	len = strlen(line);
	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
	if (!strncmp(line, "iosweep ", 8))
		run_iosweep(line);
	else if (!strncmp(line, "scripts/", 8))
		check_script(line);
	else if (!strncmp(line, "make ", 5))
		check_make(line);
	else
		fail_msg("README.md: nothing here runs '%s'; mark it '# %s'",
			 line, NOT_RUN);
	return true;
}

static void every_command_of_the_readme_works(void **state)
{
	char *path = program_path(root, "README.md");
	char *data = program_path(folder, "data");
	char *line, *text, *rest;
	bool in_block = false;
	int commands = 0;

	(void)state;
	assert_int_equal(mkdir(data, 0700), 0);
	free(data);
	if (access(path, R_OK)) {
		free(path);
		print_message("skip: no README.md\n");
		skip();
	}
	free(path);
	text = program_read(root, "README.md");
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, "```", 3))
			in_block = !strcmp(line, "```sh");
		else if (in_block)
			commands += take_line(line);
	}
	free(text);
	if (!commands) {
		print_message("skip: no command in README.md\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_command_of_the_readme_works,
					    prepare, clean_up),
	};

	return cmocka_run_group_tests_name("program, README", tests, NULL,
					   NULL);
}
