/*
 * Replays the corpora under tests/data/corpus: what readers choked on once, or
 * what a fuzzer found worth keeping, and every truncation of the short ones.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/readers.h"
#include "tests/tempdir.h"

#define TRUNCATED_BYTES_MAX 300

static void feed_file(const struct reader *r, const char *path)
{
	size_t size, cut;
	char *data = file_read(path, &size);

	r->feed((const uint8_t *)data, size);
	for (cut = 0; size <= TRUNCATED_BYTES_MAX && cut < size; cut++)
		r->feed((const uint8_t *)data, cut);
	free(data);
}

static unsigned feed_folder(const struct reader *r)
{
	char folder[128], path[512];
	struct dirent *entry;
	unsigned count = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "tests/data/corpus/%s", r->name);
	dir = opendir(folder);
	if (!dir)
		fail_msg("no corpus %s: tests run from the top of the project",
			 folder);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		feed_file(r, path);
		count++;
	}
	closedir(dir);
	return count;
}

static void every_reader_survives_its_corpus(void **state)
{
	const struct reader *r;

	(void)state;
	for (r = readers; r->name; r++) {
		unsigned count = feed_folder(r);

		if (!count)
			fail_msg("the corpus of %s is empty", r->name);
	}
}

static void a_reader_is_found_by_its_name(void **state)
{
	(void)state;
	assert_string_equal(reader_find("plan")->name, "plan");
	assert_null(reader_find("plans"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_reader_survives_its_corpus),
	    cmocka_unit_test(a_reader_is_found_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
