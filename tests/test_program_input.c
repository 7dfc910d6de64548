/* iosweep as a whole: what people type wrong gives one sentence and exit 2,
 * and nothing is created. */
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

#include "tests/program.h"

static char *folder;

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

struct fault {
	const char *words; /* behind "iosweep run", as a shell takes them */
	const char *part;  /* of the sentence */
};

/* The command says it in one sentence, and the folder holds no more than
 * `entries` afterwards. */
static void assert_fault(const char *command, const struct fault *fault,
			 int entries)
{
	struct program_result r =
	    program_run(folder, "iosweep %s %s", command, fault->words);

	if (r.status != 2 || !strstr(r.err, fault->part))
		print_message("iosweep %s %s\n", command, fault->words);
	program_assert_sentence(&r, 2, fault->part);
	program_free(&r);
	assert_int_equal(program_count_entries(folder), entries);
}

/* run and plan share what reads their words: plan is asked now and then. */
static void assert_faults(const struct fault *faults, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		assert_fault("run", &faults[i], 0);
		if (i % 8 == 0)
			assert_fault("plan", &faults[i], 0);
	}
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void sizes_that_do_not_parse_create_nothing(void **state)
{
	static const struct fault faults[] = {
	    {"f -b ''", "--block-size: the value is empty"},
	    {"f -b ,", "--block-size, value 1 of 2"},
	    {"f -b 8K,", "value 2 of 2"},
	    {"f -b ,8K", "value 1 of 2"},
	    {"f -b 8K,,16K", "value 2 of 3"},
	    {"f -b 1M..8K", "'1M..8K' runs downwards; write 8K..1M"},
	    {"f -b 0", "--block-size: '0' is not a size; write"},
	    {"f -b 0..8K", "'0' is not a size"},
	    {"f -b -1", "'-1' is not a size"},
	    {"f -b=-8K", "'=-8K' is not a size"},
	    {"f --block-size=-8K", "'-8K' is not a size"},
	    {"f -b +8K", "'+8K' is not a size"},
	    {"f -b 8kk", "'8kk' is not a size"},
	    {"f -b 10abc", "'10abc' is not a size"},
	    {"f -b 8-16k", "'8-16k' is not a size"},
	    {"f -b 1e3", "'1e3' is not a size"},
	    {"f -b 0x10", "'0x10' is not a size"},
	    {"f -b K", "'K' is not a size"},
	    {"f -b '8 K 16K'", "is not a size"},
	    {"f -b 16E", "'16E' is not a size"},
	    {"f -b 99999999999999999999", "is not a size"},
	    {"f -b 8K..16E", "'16E' is not a size"},
	    {"f -b 8K..", "--block-size: '"},
	    {"f -b ..8K", "--block-size: '"},
	    {"f -b 8K...64K", "'.64K' is not a size"},
	    {"f -b 8K..64K+", "--block-size: '"},
	    {"f -b 8K..64K+0", "'0' is not a size"},
	    {"f -b '8K\xe2\x80\x93"
	     "64K'",
	     "U+2013 (en dash)"},
	    {"f -b 1..1000000+1", "makes more than 10000 values"},
	    {"f -b 512..1M+512 -o 1..100+1", "409,600 points, more than"},
	    {"f --size 0", "--size: '0' is not a size"},
	    {"f --size ''", "--size: '' is not a size"},
	    {"f --size 4X", "--size: '4X' is not a size"},
	    {"f --size 16E", "--size: '16E' is not a size"},
	    {"f --working-set 0", "--working-set: '0' is not a size"},
	};

	(void)state;
	assert_faults(faults, COUNT(faults));
}

static void counts_and_percents_that_do_not_parse_create_nothing(void **state)
{
	static const struct fault faults[] = {
	    {"f -o ''", "--outstanding: the value is empty"},
	    {"f -o 0", "--outstanding: '0' is not a count"},
	    {"f -o 0..4", "'0' is not a count"},
	    {"f -o -1", "'-1' is not a count"},
	    {"f -o 128..1", "'128..1' runs downwards; write 1..128"},
	    {"f -o 1K", "'1K' is not a count"},
	    {"f -o 1.5", "'1.5' is not a count"},
	    {"f -o 4294967297", "'4294967297' is not a count"},
	    {"f -o 100000", "100000 in flight by one thread"},
	    {"f -q 0", "--queue-depth: '0' is not a count"},
	    {"f -o 4 -q 4", "keep one"},
	    {"f -t 0", "--threads: '0' is not a count"},
	    {"f -t 5000", "5000 threads are more than"},
	    {"f -o 3 -t 2", "no outstanding divides by its threads"},
	    {"f -r 101", "--read: '101' is not a percentage"},
	    {"f -r -1", "'-1' is not a percentage"},
	    {"f -r 0..100", "'0..100' doubles and cannot start from zero"},
	    {"f -r nan", "'nan' is not a percentage"},
	    {"f -p 101", "--pattern: '101' is not a pattern"},
	    {"f -p random", "--pattern: 'random' is not a pattern"},
	    {"f -p inf", "'inf' is not a pattern"},
	    {"f -p ''", "--pattern: the value is empty"},
	    {"f --rounds 0", "--rounds: '0' is not a count"},
	    {"f --rounds 10001", "10001 rounds are more than"},
	    {"f --seed -1", "--seed: '-1' is not a whole number"},
	    {"f --seed 18446744073709551616", "is not a whole number"},
	};

	(void)state;
	assert_faults(faults, COUNT(faults));
}

static void durations_that_do_not_parse_create_nothing(void **state)
{
	static const struct fault faults[] = {
	    {"f --time 0", "--time: '0' is not a duration"},
	    {"f --time ''", "--time: '' is not a duration"},
	    {"f --time -1s", "'-1s' is not a duration"},
	    {"f --time 1x", "'1x' is not a duration"},
	    {"f --time 500ms5", "'500ms5' is not a duration"},
	    {"f --time 1e3s", "'1e3s' is not a duration"},
	    {"f --time 99999999999999999999s", "is not a duration"},
	    {"f --ramp x", "--ramp: 'x' is not a duration"},
	    {"f --pause -1s", "--pause: '-1s' is not a duration"},
	    {"f --max-time 0", "--max-time: '0' is not a duration"},
	    {"f --io-timeout 0", "--io-timeout: '0' is not a duration"},
	    {"f --latency-limit p98=2ms", "'p98=2ms' is not a limit; write"},
	    {"f --latency-limit p99", "'p99' is not a limit"},
	    {"f --latency-limit p99=2x", "'2x' is not a duration"},
	};

	(void)state;
	assert_faults(faults, COUNT(faults));
}

static void names_that_are_none_are_told_with_the_nearest(void **state)
{
	static const struct fault faults[] = {
	    {"f --block-sise 8K", "did you mean '--block-size'?"},
	    {"f --rou 3", "'--rou' is short for --rounds; write it out"},
	    {"f -Z", "'-Z' is not an option of iosweep"},
	    {"f --quiet=3", "--quiet takes no value"},
	    {"f --size", "--size needs a value"},
	    {"f -b", "--block-size needs a value"},
	    {"f --cache Direct", "did you mean 'direct'?"},
	    {"f --cache ''", "--cache: a name in '' is empty"},
	    {"f --engine uring", "did you mean 'io_uring'?"},
	    {"f --engine sim", "'sim' is not an engine"},
	    {"f --engine null", "'null' is not an engine"},
	    {"f --order random", "--order: 'random' is not an order"},
	    {"f --template nope", "there is no template 'nope'"},
	    {"f --template ''", "--template: the name is empty"},
	    {"f --template sqlio-sweetspo", "did you mean 'sqlio-sweetspot'"},
	    {"f --variant ''", "--variant: a name in '' is empty"},
	    {"f --cpus 4095", "--cpus 4095: "},
	    {"f --cpus 1-", "--cpus 1-: not a list of processors"},
	    {"f --cpus ''", "--cpus: the list is empty"},
	    {"f --batch 0", "--batch: '0' is not a batch"},
	    {"f --label ''", "--label: '' is not a label"},
	    {"f --label a/b", "--label: 'a/b' is not a label"},
	    {"f --label ..", "--label: '..' is not a label"},
	    {"f --out ''", "--out: the name is empty"},
	    {"f --quiet --verbose", "keep one"},
	    {"f --template sqlio-sweetspot --plan p", "keep one"},
	    {"f --destroy-data-on ''", "--destroy-data-on names no device"},
	    {"f --destroy-data-on a --destroy-data-on b", "'a' and 'b'"},
	};

	(void)state;
	assert_faults(faults, COUNT(faults));
}

static void words_that_cannot_be_a_target_are_refused(void **state)
{
	static const struct fault faults[] = {
	    {"", "needs a target: a file, a folder or a block device"},
	    {"-b8K", "needs a target"},
	    {"''", "is empty"},
	    {"\xe2\x80\x93"
	     "b8K",
	     "U+2013 (en dash)"},
	    {"f \xe2\x80\x94size 1G", "U+2014 (em dash)"},
	    {"-- -b8K", "./-b8K"},
	    {"-- --size", "./--size"},
	    {"f ./f", "one and the same"},
	    {"f sub/../f", "one and the same"},
	    {". iosweep.dat", "one and the same"},
	    {"\"$(printf 'a\\nb')\"", "control character"},
	    {"\"$(printf 'a\\033[31mb')\"", "control character"},
	};
	char *sub = program_path(folder, "sub");
	size_t i;

	(void)state;
	assert_int_equal(mkdir(sub, 0700), 0);
	for (i = 0; i < COUNT(faults); i++) {
		assert_fault("run", &faults[i], 1);
		assert_fault("plan", &faults[i], 1);
	}
	assert_int_equal(program_count_entries(sub), 0);
	rmdir(sub);
	free(sub);
}

static void plan_faults_name_file_and_line(void **state)
{
	static const struct {
		const char *text;
		const char *part;
	} plans[] = {
	    {"", "p.ini holds no plan"},
	    {"time = 1s\n", "p.ini:1: 'time' stands before"},
	    {"[sweep]\ntim = 1s\n", "p.ini:2: 'tim' is no key of a plan; did "
				    "you mean 'time'?"},
	    {"[sweep]\nblock_size = 8K\n", "did you mean 'block-size'?"},
	    {"[sweep]\n\n# x\nblock-size = 8kk\n",
	     "p.ini:4: block-size: '8kk' is not a size"},
	    {"[sweep]\nblock-size =\n", "p.ini:2: 'block-size' has no value"},
	    {"[sweep]\nblock-size = 8K # x\n", "p.ini:2: 'block-size' has a "
					       "comment behind"},
	    {"[sweep]\nblock-size 8K\n", "p.ini:2: 'block-size 8K' is neither"},
	    {"[sweep]\n[sweep]\n", "p.ini:2: [sweep] comes twice"},
	    {"[sweep]\ntime = 1s\ntime = 2s\n", "p.ini:3: 'time' is said "
						"twice"},
	    {"[sweep]\noutstanding = 1\nqueue-depth = 1\n", "keep one"},
	    {"[sweep]\nrounds = 0\n", "p.ini:2: rounds: '0' is not a count"},
	    {"[sweep\n", "p.ini:1: '[sweep' is not a section"},
	    {"[sweeep]\n", "p.ini:1: [sweeep] is no section of a plan"},
	    {"[workload]\n", "p.ini:1: the workload has no name"},
	    {"[workload a]\n[workload a]\n", "p.ini:2: [workload a] comes "
					     "twice"},
	    {"[workload a]\ntime = 1s\n", "p.ini:2: 'time' holds for the "
					  "whole sweep"},
	    {"[workload a]\nread = 100\n[workload b]\nread = 101\n",
	     "p.ini:4: read: '101' is not a percentage"},
	    {"[workload a]\nblock-size = 1M..8K\n",
	     "p.ini:2: block-size: '1M..8K' runs downwards"},
	    {"\xff\xfe[sweep]\n", "p.ini:1 holds a control character or bytes "
				  "that are not UTF-8"},
	};
	static const struct fault fault = {"f --plan p.ini", ""};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(plans); i++) {
		struct fault told = fault;

		told.part = plans[i].part;
		program_write(folder, "p.ini", plans[i].text);
		assert_fault(i % 4 ? "run" : "plan", &told, 1);
	}
}

static void plans_that_are_not_there_are_told(void **state)
{
	static const struct fault faults[] = {
	    {"f --plan nope.ini", "cannot read nope.ini: No such file"},
	    {"f --plan .", "cannot read .: Is a directory"},
	    {"f --plan ''", "--plan: the name is empty"},
	    {"f --plan /dev/zero", "/dev/zero:1 holds a NUL byte"},
	};

	(void)state;
	assert_faults(faults, COUNT(faults));
}

/* Whatever bytes a plan file holds, it is one sentence or a plan. */
static void plans_of_garbage_never_crash(void **state)
{
	static const char seeds[] = "[sweep]\nblock-size = 8K,64K\nread = 70\n"
				    "[workload a b]\npattern = seq\n";
	char text[sizeof(seeds)];
	unsigned x = 1;
	int i, k;

	(void)state;
	for (i = 0; i < 40; i++) {
		struct program_result r;

		memcpy(text, seeds, sizeof(text));
		for (k = 0; k < 1 + i % 4; k++) {
			x = x * 1103515245 + 12345;
			text[(x >> 16) % (sizeof(text) - 1)] =
			    (char)(1 + (x >> 8) % 255);
		}
		program_write(folder, "p.ini", text);
		r = program_run(folder, "iosweep plan f --size 1M --quiet "
					"--plan p.ini");
		if (r.status)
			program_assert_sentence(&r, 2, "");
		program_free(&r);
	}
	assert_int_equal(program_count_entries(folder), 1);
}

struct command_fault {
	const char *line;
	const char *part;
};

static void other_commands_tell_what_is_wrong_with_their_words(void **state)
{
	static const struct command_fault faults[] = {
	    {"foo", "'foo' is not a command of iosweep"},
	    {"''", "'' is not a command"},
	    {"rnu f", "did you mean 'run'?"},
	    {"--nope", "'--nope' is not a command"},
	    {"show", "show: name a run folder"},
	    {"show nope", "nope: "},
	    {"show .", "run.ini"},
	    {"show /dev/null", "/dev/null: "},
	    {"show . --metric x", "--metric: 'x' is not a metric; write"},
	    {"show . --josn", "did you mean '--json'?"},
	    {"show . --latency-limit x", "'x' is not a limit"},
	    {"export", "say where to with -O"},
	    {"export . -O x.pdf",
	     "'x.pdf' ends in none of .xlsx, .html, .md and .csv"},
	    {"export . -O .csv", "'.csv' ends in none of"},
	    {"export -O x.csv", "export: name a run folder"},
	    {"export nope -O x.csv", "nope: "},
	    {"export . -O x.xlsx", "run.ini"},
	    {"check", "check: name a target"},
	    {"check -b8K", "'-b8K' is not an option of iosweep check"},
	    {"check f --size 3", "'--size' is not an option"},
	    {"templates nope", "there is no template 'nope'"},
	    {"templates no/such.ini", "cannot read no/such.ini: No such file"},
	    {"templates a b", "templates: one name at a time"},
	    {"columns x", "columns: takes no argument"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(faults); i++) {
		struct program_result r =
		    program_run(folder, "iosweep %s", faults[i].line);

		if (r.status != 2 || !strstr(r.err, faults[i].part))
			print_message("iosweep %s\n", faults[i].line);
		program_assert_sentence(&r, 2, faults[i].part);
		program_free(&r);
		assert_int_equal(program_count_entries(folder), 0);
	}
}

static void plan_tells_that_others_may_wait(void **state)
{
	static const struct {
		const char *options, *part;
	} cases[] = {
	    {"f --size 64M", "shared:   up to 128 MiB of sequential reads"},
	    {"f --size 64M -b 1M -o 31", NULL},
	    {"f --size 64M -p rand", NULL},
	    {"f --size 64M -p seq -r 0", NULL},
	    {"/dev/zero", NULL},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct program_result r =
		    program_run(folder, "iosweep plan %s", cases[i].options);

		program_assert_status(&r, 0);
		if (cases[i].part)
			program_assert_contains(r.out, cases[i].part);
		else
			assert_null(strstr(r.out, "shared:"));
		program_free(&r);
	}
}

static void help_and_version_need_nothing(void **state)
{
	static const char *const commands[] = {
	    "run", "plan", "check", "show", "export", "templates", "columns"};
	struct program_result r = program_run(folder, "iosweep");
	char *line;
	size_t i;

	(void)state;
	program_assert_status(&r, 2);
	program_assert_contains(r.err, "usage: iosweep COMMAND");
	program_free(&r);
	r = program_run(folder, "iosweep --help");
	program_assert_status(&r, 0);
	for (i = 0; i < COUNT(commands); i++)
		program_assert_contains(r.out, commands[i]);
	program_free(&r);
	r = program_run(folder, "iosweep --version");
	program_assert_status(&r, 0);
	assert_int_equal(strncmp(r.out, "iosweep ", 8), 0);
	program_free(&r);
	for (i = 0; i < COUNT(commands); i++) {
		r = program_run(folder, "iosweep %s --help", commands[i]);
		program_assert_status(&r, 0);
		assert_string_equal(r.err, "");
		program_assert_contains(r.out, commands[i]);
		for (line = strtok(r.out, "\n"); line;
		     line = strtok(NULL, "\n"))
			assert_in_range(strlen(line), 0, 80);
		program_free(&r);
	}
	assert_int_equal(program_count_entries(folder), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(sizes_that_do_not_parse_create_nothing),
	    CASE(counts_and_percents_that_do_not_parse_create_nothing),
	    CASE(durations_that_do_not_parse_create_nothing),
	    CASE(names_that_are_none_are_told_with_the_nearest),
	    CASE(words_that_cannot_be_a_target_are_refused),
	    CASE(plan_faults_name_file_and_line),
	    CASE(plans_that_are_not_there_are_told),
	    CASE(plans_of_garbage_never_crash),
	    CASE(other_commands_tell_what_is_wrong_with_their_words),
	    CASE(plan_tells_that_others_may_wait),
	    CASE(help_and_version_need_nothing),
	};

	return cmocka_run_group_tests_name("program, bad input", tests, NULL,
					   NULL);
}
