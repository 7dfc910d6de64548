/* iosweep as a whole: tags, from the command line and plan files to run.ini,
 * and from run.ini, edited later too, to all that is made of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/program.h"

#define QUICK "-b 4K -o 1 -p rand --time 20ms --ramp 0 --rounds 1 --quiet"

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

static void tags_reach_run_ini_and_points(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run /dev/zero " QUICK " --out a --tag raid=5 "
		    "--tag 'media=Größe & =1+1, <b>'");
	char *text;

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	text = program_read(folder, "a/run.ini");
	program_assert_contains(text, "[tags]\nraid = 5\n"
				      "media = Größe & =1+1, <b>\n");
	free(text);
	text = program_read(folder, "a/points.csv");
	program_assert_contains(text, "raid=5, media=Größe & =1+1, <b>");
	free(text);
}

static void plan_file_tags_each_target_and_options_override(void **state)
{
	struct program_result r;
	char *text;

	(void)state;
	program_write(folder, "my.ini",
		      "[tags]\nraid = 5\nmedia = disk\n[sweep]\nread = 100\n"
		      "[tags /dev/zero]\nRaid = 6\nmedia = ssd\nsite = a\n");
	r = program_run(folder, "iosweep run /dev/zero " QUICK
				" --plan my.ini --out b --tag site=b");
	program_assert_status(&r, 0);
	program_free(&r);
	text = program_read(folder, "b/run.ini");
	program_assert_contains(text, "[tags]\nsite = b\nraid = 5\n"
				      "media = disk\n");
	program_assert_contains(text, "[tags /dev/zero]\nRaid = 6\n"
				      "media = ssd\n\n");
	free(text);
	text = program_read(folder, "b/points.csv");
	program_assert_contains(text, "site=b, raid=5, media=ssd, Raid=6");
	free(text);
}

static void export_groups_by_tags(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run /dev/zero " QUICK " --out d --tag raid=10 && "
		    "iosweep export d a --group-by raid,run -O book.md");
	char *text;

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	text = program_read(folder, "book.md");
	program_assert_contains(text, "| raid | run | Measured as |");
	assert_non_null(
	    strstr(strstr(text, "\n| 5 | zero |"), "\n| 10 | zero |"));
	free(text);
	r = program_run(folder, "iosweep export a --group-by Raids -O x.xlsx");
	program_assert_sentence(&r, 2,
				"no run has the tag 'Raids' (--tag, or "
				"[tags] in its run.ini); did you mean "
				"'raid'?");
	program_free(&r);
	r = program_run(folder, "iosweep export a --group-by raid, -O x.xlsx");
	program_assert_sentence(&r, 2, "names no tag between its commas");
	program_free(&r);
	r = program_run(folder, "iosweep export a --raw --group-by raid -O "
				"x.xlsx");
	program_assert_sentence(&r, 2, "nor groups nor pivots; leave it out");
	program_free(&r);
}

/* A tag forgotten: a line in run.ini, and the book is made again. */
static void tags_can_be_written_into_run_ini(void **state)
{
	struct program_result r = program_run(
	    folder, "iosweep run /dev/zero " QUICK " --out c && printf "
		    "'\\n[tags]\\nraid = \\377 5\\n' >> c/run.ini && "
		    "iosweep export c -O c.csv && iosweep run --resume c");
	char *text;

	(void)state;
	program_assert_status(&r, 0);
	program_free(&r);
	text = program_read(folder, "c.csv");
	program_assert_contains(text, "raid=? 5");
	free(text);
	text = program_read(folder, "c/run.ini");
	program_assert_contains(text, "raid =");
	free(text);
}

static void wrong_tags_are_refused_in_a_sentence(void **state)
{
	static const struct {
		const char *options, *sentence;
	} cases[] = {
	    {"--tag raid", "'raid' is not a tag; write KEY=VALUE"},
	    {"--tag =5", "'' is not the name of a tag"},
	    {"--tag '[x=5'", "'[x' is not the name of a tag"},
	    {"--tag raid=", "the tag 'raid' needs a value"},
	    {"--tag \"raid=$(printf '\\377')\"", "needs a value"},
	    {"--tag raid=5 --tag raid=6", "the tag 'raid' comes twice"},
	    {"--plan two.ini", "two.ini:3: 'a' is said twice in [tags]"},
	    {"--plan other.ini", "is about a target that is not measured"},
	};
	struct program_result r;
	size_t i;

	(void)state;
	program_write(folder, "two.ini", "[tags]\na = 1\na = 2\n[sweep]\n");
	program_write(folder, "other.ini",
		      "[sweep]\n[tags /dev/null]\na = 1\n");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = program_run(folder, "iosweep plan /dev/zero %s",
				cases[i].options);
		program_assert_sentence(&r, 2, cases[i].sentence);
		program_free(&r);
	}
	r = program_run(folder, "iosweep run --resume c --tag raid=5");
	program_assert_sentence(&r, 2, "under [tags] in run.ini of 'c'");
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tags_reach_run_ini_and_points),
	    cmocka_unit_test(plan_file_tags_each_target_and_options_override),
	    cmocka_unit_test(export_groups_by_tags),
	    cmocka_unit_test(tags_can_be_written_into_run_ini),
	    cmocka_unit_test(wrong_tags_are_refused_in_a_sentence),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
