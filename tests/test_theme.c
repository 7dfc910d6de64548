#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/result.h"
#include "export/verdict.h"
#include "sweep/themefile.h"
#include "tests/program.h"

/* A PNG of 2 x 1 pixels, 2,835 pixels a metre (72 dpi). */
static const unsigned char png[] = {
    0x89, 'P', 'N', 'G',  '\r', '\n', 0x1a, '\n', 0,	0,    0,
    13,	  'I', 'H', 'D',  'R',	0,    0,    0,	  2,	0,    0,
    0,	  1,   8,   2,	  0,	0,    0,    0x7b, 0x40, 0xe8, 0xdd,
    0,	  0,   0,   9,	  'p',	'H',  'Y',  's',  0,	0,    0x0b,
    0x13, 0,   0,   0x0b, 0x13, 1,    0,    0x9a, 0x9c, 0x18, 0,
    0,	  0,   0,   'I',  'E',	'N',  'D',  0xae, 0x42, 0x60, 0x82};

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

static void write_bytes(const char *name, const void *bytes, size_t size)
{
	char *path = program_path(folder, name);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static int read_theme(const char *text, struct theme *out, struct err *err)
{
	char *path = program_path(folder, "t.ini");
	int rc;

	program_write(folder, "t.ini", text);
	memset(out, 0, sizeof(*out));
	rc = themefile_read("/nonexistent", path, out, err);
	free(path);
	return rc;
}

static void everything_is_read(void **state)
{
	struct err err = {ERR_NONE, ""};
	struct theme t;
	char text[64];

	(void)state;
	write_bytes("logo.png", png, sizeof(png));
	assert_int_equal(
	    read_theme("[theme]\ntitle = SAN \xc3\xa4\nauthor = A & B\n"
		       "font = Arial\nlogo = logo.png\n"
		       "latency-limit = p99=2ms\n"
		       "[colors]\ntitle = 000000\nseries = FF0000, 00ff00\n"
		       "[sheets]\nhistogram = no\nlatency = yes\n"
		       "[words]\nSweet spots = Beste Punkte\n"
		       "Random {n}% read = {n}% gelesen\n"
		       "[sentences]\n%s of %u = %s aus %u\n",
		       &t, &err),
	    0);
	assert_string_equal(t.title, "SAN \xc3\xa4");
	assert_string_equal(t.author, "A & B");
	assert_string_equal(t.font, "Arial");
	assert_int_equal(t.logo_size, sizeof(png));
	assert_int_equal(t.logo_width, 2);
	assert_true(t.has_limit);
	assert_true(fabs(t.limit.limit_us - 2000) < 1e-9);
	assert_int_equal(t.title_color, 0x010101);
	assert_int_equal(t.series_count, 2);
	assert_int_equal(t.series[1], 0x00ff00);
	assert_true(t.without[THEME_HISTOGRAM]);
	assert_false(t.without[THEME_LATENCY]);
	assert_string_equal(theme_word(&t, "Sweet spots"), "Beste Punkte");
	assert_string_equal(theme_word(&t, "sweet"), "sweet");
	assert_string_equal(theme_word(NULL, "x"), "x");
	assert_string_equal(theme_sentence(&t, "%s of %u"), "%s aus %u");
	assert_string_equal(theme_sentence(&t, "Sweet spots"), "Sweet spots");
	theme_numbered(&t, "Random 70% read", text, sizeof(text));
	assert_string_equal(text, "70% gelesen");
	theme_numbered(&t, "Random 70% write", text, sizeof(text));
	assert_string_equal(text, "Random 70% write");
	theme_numbered(&t, "Sweet spots", text, sizeof(text));
	assert_string_equal(text, "Beste Punkte");
	theme_fini(&t);
}

static void faults_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
	    {"[theme]\ncolour = 1\n", "t.ini:2: [theme] has no 'colour'"},
	    {"[look]\n", "t.ini:1: [look] is no section"},
	    {"[colors]\ntitle = red\n", "t.ini:2: 'red' is not a colour"},
	    {"[colors]\ntitle = 12345\n", "t.ini:2: '12345' is not a"},
	    {"[colors]\ntitle = 1234567\n", "is not a colour"},
	    {"[colors]\nseries = 000000,\n", "is not up to 8"},
	    {"[colors]\nseries = "
	     "111111,111111,111111,111111,111111,111111,111111,111111,111111\n",
	     "is not up to 8"},
	    {"[colors]\nback = 000000\n", "[colors] has no 'back'"},
	    {"[sheets]\nlatency = maybe\n", "t.ini:2: 'maybe' is neither"},
	    {"[sheets]\nsummary = no\n", "[sheets] has no 'summary'"},
	    {"[words]\nSummary = =1+1\n", "t.ini:2: '=1+1' cannot be"},
	    {"[words]\nSummary =\n", "cannot be a heading"},
	    {"[sentences]\n%s at %u = %u bei %s\n",
	     "t.ini:2: '%u bei %s' must"},
	    {"[sentences]\n%s at %u = %s\n", "must take what"},
	    {"[sentences]\nnone = %n\n", "must take what"},
	    {"[sentences]\n%u = %lu\n", "must take what"},
	    {"[sentences]\n%u = %u %s\n", "must take what"},
	    {"[sentences]\n%u%% = %u% d\n", "must take what"},
	    {"[sentences]\n%s = %1$s\n", "must take what"},
	    {"[sentences]\n%u at = %u %\n", "must take what"},
	    {"[theme]\nlatency-limit = 2ms\n", "t.ini:2: '2ms' is not a lat"},
	    {"[theme]\nfont = 01234567890123456789012345678901\n",
	     "t.ini:2: font is longer than 31 bytes"},
	    {"[theme]\nlogo = /etc/passwd\n", "is no file in the theme's"},
	    {"[theme]\nlogo = ../x.png\n", "is no file in the theme's"},
	    {"[theme]\nlogo = a/../../x.png\n", "is no file in the theme's"},
	    {"[theme]\nlogo = link.png\n", "is no file in the theme's"},
	    {"[theme]\nlogo = none.png\n", "is no file in the theme's"},
	    {"[theme]\nlogo = .\n", "is not a whole PNG"},
	    {"[theme]\nlogo = t.ini\n", "is not a whole PNG"},
	    {"[theme]\nlogo = pipe\n", "is not a whole PNG"},
	};
	char *link = program_path(folder, "link.png");
	size_t i;

	(void)state;
	assert_int_equal(symlink("logo.png", link), 0);
	free(link);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {ERR_NONE, ""};
		struct theme t;

		if (strstr(cases[i].text, "pipe")) {
			char *pipe = program_path(folder, "pipe");

			assert_int_equal(mkfifo(pipe, 0600), 0);
			free(pipe);
		}
		assert_true(read_theme(cases[i].text, &t, &err) < 0);
		if (!strstr(err.text, cases[i].part))
			print_message("%s\n%s\n", cases[i].text, err.text);
		assert_non_null(strstr(err.text, cases[i].part));
		theme_fini(&t);
	}
}

/* Cut anywhere, with something behind, or too large: no PNG. */
static void a_logo_has_to_be_whole(void **state)
{
	unsigned char bytes[sizeof(png) + 1] = {0};
	uint32_t w, h;
	size_t n;

	(void)state;
	memcpy(bytes, png, sizeof(png));
	assert_int_equal(theme_measure_logo(bytes, sizeof(png), &w, &h), 0);
	assert_int_equal(w, 2); /* 2.67 at 96 dpi */
	assert_int_equal(h, 1);
	for (n = 0; n < sizeof(png); n++)
		assert_int_equal(theme_measure_logo(bytes, n, &w, &h), -EINVAL);
	assert_int_equal(theme_measure_logo(bytes, sizeof(bytes), &w, &h),
			 -EINVAL);
	bytes[16] = 1; /* 16 million wide */
	assert_int_equal(theme_measure_logo(bytes, sizeof(png), &w, &h),
			 -EINVAL);
}

/* Each verdict and what to do, in the German that comes with the program. */
static void every_verdict_is_said_in_german(void **state)
{
	char *root = program_root(), *path;
	struct err err = {ERR_NONE, ""};
	struct result r = {.verdicts = ~0u};
	char german[VERDICT_TEXT_MAX], english[VERDICT_TEXT_MAX];
	struct theme t;
	int v;

	(void)state;
	memset(&t, 0, sizeof(t));
	path = program_path(root, "templates/reports/german.ini");
	assert_int_equal(themefile_read("/nonexistent", path, &t, &err), 0);
	for (v = 0; v < VERDICT_COUNT; v++) {
		enum verdict one = (enum verdict)v;
		const char *advice = verdict_advice(one);

		r.verdict_value[v] = 4711;
		verdict_say(one, &r, &t, german, sizeof(german));
		verdict_say(one, &r, NULL, english, sizeof(english));
		if (!strcmp(german, english) ||
		    !strcmp(theme_word(&t, advice), advice))
			fail_msg("german.ini lacks %s", verdict_name(one));
		assert_non_null(strstr(german, "4711"));
	}
	theme_fini(&t);
	free(path);
	free(root);
}

/* Those that come with the program, on a run of the program. */
static void themes_of_the_program_make_books(void **state)
{
	static const char *const names[] = {"default", "german", "print"};
	struct program_result r;
	size_t i;

	(void)state;
	r = program_run(folder,
			"iosweep run /dev/zero -b 4K,8K -o 1,2 -p rand "
			"--time 20ms --ramp 0 --rounds 2 --quiet --out r");
	program_assert_status(&r, 0);
	program_free(&r);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		r = program_run(folder,
				"iosweep export r --theme %s -O %s.xlsx",
				names[i], names[i]);
		program_assert_status(&r, 0);
		program_free(&r);
	}
	r = program_run(folder,
			"/usr/bin/python3 -c \"import zipfile, sys; "
			"z = zipfile.ZipFile('german.xlsx'); "
			"sys.stdout.buffer.write(z.read('xl/workbook.xml') + "
			"z.read('xl/sharedStrings.xml'))\"");
	program_assert_contains(r.out, "\xc3\x9c"
				       "berblick");
	program_assert_contains(r.out, "Beste Punkte");
	program_assert_contains(r.out, " Ausstehenden, ");
	program_assert_contains(r.out, "von 4 Punkten gemessen");
	assert_null(strstr(r.out, "more outstanding"));
	assert_null(strstr(r.out, "To do:"));
	assert_null(strstr(r.out, "by block size"));
	program_free(&r);
	write_bytes("logo.png", png, sizeof(png));
	program_write(folder, "own.ini",
		      "[theme]\ntitle = =1+1 & co\nlogo = logo.png\n"
		      "[sheets]\ndashboard = no\n");
	r = program_run(folder, "iosweep export r --theme own.ini -O own.xlsx");
	program_assert_status(&r, 0);
	program_free(&r);
	r = program_run(folder,
			"/usr/bin/python3 -c \"import zipfile; "
			"print(zipfile.ZipFile('own.xlsx').namelist())\"");
	program_assert_contains(r.out, "xl/media/image1.png");
	program_free(&r);
	r = program_run(folder, "iosweep export r --theme germn -O x.xlsx");
	program_assert_sentence(&r, 2, "did you mean 'german'");
	program_free(&r);
}

static void measure(const char *command)
{
	struct program_result r =
	    program_run(folder,
			"%s -b 4K,8K -o 1,2 -p rand --time 20ms --ramp 0 "
			"--quiet",
			command);

	program_assert_status(&r, 0);
	program_free(&r);
}

static void assert_german(const char *book)
{
	struct program_result r =
	    program_run(folder, "unzip -p %s xl/workbook.xml", book);

	program_assert_status(&r, 0);
	program_assert_contains(r.out, "\xc3\x9c"
				       "berblick");
	program_free(&r);
}

static void every_command_that_writes_a_book_takes_a_theme(void **state)
{
	struct program_result r;

	(void)state;
	measure("iosweep run /dev/zero --rounds 2 --theme german --out ran");
	assert_german("ran/report.xlsx");
	measure(
	    "iosweep find /dev/zero --max-time 2s --theme german --out found");
	assert_german("found/report.xlsx");
	r = program_run(folder, "iosweep compare ran found --theme german "
				"-O both.xlsx");
	program_assert_status(&r, 0);
	program_free(&r);
	assert_german("both.xlsx");
}

static void a_theme_that_is_not_there_costs_no_measurement(void **state)
{
	struct program_result r;

	(void)state;
	r = program_run(folder, "iosweep run /dev/zero -b 4K -o 1 --quiet "
				"--theme germn --out none");
	program_assert_sentence(&r, 2, "did you mean 'german'");
	program_free(&r);
	assert_false(program_exists(folder, "none"));
	r = program_run(folder, "iosweep plan /dev/zero --theme germn");
	program_assert_sentence(&r, 2, "did you mean 'german'");
	program_free(&r);
}

/* Whenever, wherever, in whatever language, by whatever path. */
static void the_same_run_gives_the_same_bytes(void **state)
{
	static const char *const ways[] = {
	    "TZ=Asia/Kolkata iosweep export same -O a.xlsx --reproducible",
	    "LC_ALL=de_DE.UTF-8 iosweep export ./same -O a.xlsx --reproducible",
	    "LC_ALL=tr_TR.UTF-8 TZ=America/New_York iosweep export $PWD/same "
	    "-O $PWD/a.xlsx --reproducible",
	    "cp -r same moved && iosweep export moved -O a.xlsx "
	    "--reproducible"};
	struct program_result r;
	uint64_t first;
	char *path;
	size_t i;

	(void)state;
	measure("iosweep run /dev/zero --rounds 2 --out same");
	path = program_path(folder, "same/report.xlsx");
	first = program_checksum(path);
	free(path);
	/* A zip knows every second one. */
	r = program_run(folder, "sleep 2.1");
	program_free(&r);
	path = program_path(folder, "a.xlsx");
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		r = program_run(folder, "%s", ways[i]);
		program_assert_status(&r, 0);
		program_free(&r);
		assert_true(program_checksum(path) == first);
	}
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(everything_is_read),
	    cmocka_unit_test(faults_name_file_and_line),
	    cmocka_unit_test(a_logo_has_to_be_whole),
	    cmocka_unit_test(every_verdict_is_said_in_german),
	    cmocka_unit_test(themes_of_the_program_make_books),
	    cmocka_unit_test(every_command_that_writes_a_book_takes_a_theme),
	    cmocka_unit_test(a_theme_that_is_not_there_costs_no_measurement),
	    cmocka_unit_test(the_same_run_gives_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
