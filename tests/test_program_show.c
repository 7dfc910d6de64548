/* iosweep as a whole: what it shows, on terminals and in pipes, of whole and
 * of damaged folders, in any locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/sim.h"
#include "export/store.h"
#include "sweep/plan.h"
#include "sweep/schedule.h"
#include "sweep/session.h"
#include "sweep/wrap.h"
#include "tests/csvtable.h"
#include "tests/program.h"

/* One run of the default plan, on a simulated device: folder/run. */
static char *folder;

static void simulate(const struct plan *plan, const char *path)
{
	static const struct sim_device device = {
	    .service_ns = 80000,
	    .bytes_per_ns = 2,
	    .max_iops = 200000,
	    .max_bytes_per_s = 2e9,
	    .seq_factor = 1,
	    .write_factor = 1,
	};
	const struct sim_noise noise = {.independent = 0.02};
	const struct measure_opts opts = {
	    .time_ns = plan->settings.time_ns,
	    .ramp_ns = plan->settings.ramp_ns,
	    .run_seed = plan->settings.seed,
	};
	struct session session = {.plan = plan};
	struct session_outcome out;

	assert_int_equal(sim_new(&opts, &device, &noise, &session.measurer), 0);
	assert_int_equal(store_create(path, NULL, 0, plan->points,
				      plan->point_count, &session.store, NULL),
			 0);
	session.schedule = schedule_new(plan);
	assert_non_null(session.schedule);
	assert_int_equal(session_run(&session, &out, NULL), 0);
	schedule_free(session.schedule);
	measure_free(session.measurer);
	assert_int_equal(store_close(session.store, NULL), 0);
}

static int simulate_once(void **state)
{
	struct plan_request req = {0};
	struct plan plan;
	char *path;

	(void)state;
	folder = program_folder();
	path = program_path(folder, "run");
	req.targets = calloc(1, sizeof(*req.targets));
	assert_non_null(req.targets);
	req.targets[0] = strdup("/data/disk.dat");
	req.target_count = 1;
	assert_int_equal(
	    plan_text_set(&req.option[PLAN_ROUNDS], "2", "--rounds"), 0);
	assert_int_equal(plan_text_set(&req.option[PLAN_SEED], "7", "--seed"),
			 0);
	assert_int_equal(plan_build(&req, &plan, NULL), 0);
	simulate(&plan, path);
	plan_fini(&plan);
	plan_request_fini(&req);
	free(path);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

/* No line wider than width; escape sequences and carriage returns take no
 * room. Changes text. */
static void assert_width(char *text, unsigned width)
{
	char *from, *to, *line;

	for (from = to = text; *from; from++) {
		if (*from == '\033')
			from += strcspn(from, "mK");
		else if (*from != '\r')
			*to++ = *from;
		else if (from[1] != '\n')
			*to++ = '\n'; /* the line is drawn anew */
	}
	*to = '\0';
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (wrap_width(line) > width)
			fail_msg("wider than %u: '%s'", width, line);
}

static void plain_output_fits_80_columns(void **state)
{
	static const char *const lines[] = {
	    "iosweep show run --metric all",
	    "iosweep show run --latency-limit p99=1ms",
	    "iosweep show run --latency-limit mean=1ns",
	    "iosweep plan f",
	    "iosweep plan f -r 100,70,0 --cache direct,buffered",
	    "iosweep columns",
	    "iosweep templates",
	    "iosweep check f /dev/zero",
	    "iosweep --help",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct program_result r = program_run(folder, "%s", lines[i]);

		program_assert_status(&r, 0);
		assert_null(strchr(r.out, '\033'));
		assert_width(r.out, 80);
		program_free(&r);
	}
}

static void heat_maps_show_every_size_and_depth(void **state)
{
	struct program_result r =
	    program_run(folder, "iosweep show run --metric all");
	char *maps = strstr(r.out, "Sequential read: IOPS");
	unsigned long outstanding;
	char *depths;

	(void)state;
	program_assert_status(&r, 0);
	assert_non_null(maps);
	program_assert_contains(r.out, "Random read: IOPS");
	program_assert_contains(r.out, "Sequential read: MiB/s");
	program_assert_contains(r.out, "Random read: average latency, us");
	depths = strstr(maps, "* best\n") + strlen("* best\n");
	for (outstanding = 1; outstanding <= 128; outstanding *= 2)
		assert_int_equal(strtoul(depths, &depths, 10), outstanding);
	program_assert_contains(maps, "\n    8K ");
	program_assert_contains(maps, "\n   16K ");
	program_assert_contains(maps, "\n    1M ");
	program_free(&r);
	r = program_run(folder, "iosweep show run --metric latency");
	assert_null(strstr(r.out, "IOPS\n"));
	program_free(&r);
}

/* What a command writes to a terminal of that many columns, on the heap. */
static char *on_terminal(unsigned short columns, const char *settings,
			 const char *words)
{
	const struct winsize size = {.ws_row = 50, .ws_col = columns};
	const char *binary = getenv("IOSWEEP");
	char *path = realpath(binary ? binary : "build/release/iosweep", NULL);
	char *line, *text = calloc(1, 1);
	size_t len = 0;
	int status, fd;
	ssize_t n = 1;
	pid_t pid;

	assert_non_null(path);
	assert_non_null(text);
	assert_true(asprintf(&line, "cd '%s' && %s %s %s", folder, settings,
			     path, words) > 0);
	pid = forkpty(&fd, NULL, NULL, &size);
	assert_true(pid >= 0);
	if (!pid) {
		setenv("TERM", "xterm-256color", 1);
		unsetenv("NO_COLOR");
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	while (n > 0) {
		text = realloc(text, len + 4097);
		assert_non_null(text);
		n = read(fd, text + len, 4096);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("'%s' ended with %d:\n%s", line, status, text);
	free(line);
	free(path);
	return text;
}

static void colours_are_for_terminals_that_want_them(void **state)
{
	static const struct {
		const char *settings, *words;
		bool coloured;
	} cases[] = {
	    {"", "show run", true},
	    {"NO_COLOR=", "show run", true},
	    {"NO_COLOR=1", "show run", false},
	    {"TERM=dumb", "show run", false},
	    {"TERM=", "show run", false},
	    {"", "show run --no-color", false},
	    {"", "show run --json", false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = on_terminal(80, cases[i].settings, cases[i].words);

		if ((strchr(text, '\033') != NULL) != cases[i].coloured)
			fail_msg("%s iosweep %s: colour %s", cases[i].settings,
				 cases[i].words,
				 cases[i].coloured ? "missing" : "unasked");
		free(text);
	}
}

static void output_fits_terminals_of_any_width(void **state)
{
	static const unsigned short widths[] = {66, 80, 81, 100, 200};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text =
		    on_terminal(widths[i], "", "show run --metric all");

		assert_width(text, widths[i]);
		free(text);
	}
}

static void the_progress_line_is_rewritten_and_fits(void **state)
{
	static const unsigned short widths[] = {40, 80};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text =
		    on_terminal(widths[i], "",
				"run /dev/zero -b 4K -o 1,2 -p rand --time "
				"500ms --ramp 10ms "
				"--rounds 1 --out progress && rm -r progress");

		program_assert_contains(text, "\r\033[K1/2");
		/* Wiped before what stays. */
		program_assert_contains(text, "\r\033[K2 visits in ");
		free(text);
	}
}

static void quiet_is_silent_on_a_terminal(void **state)
{
	char *text = on_terminal(80, "",
				 "run f --size 1M -b 4K -o 1 -p rand "
				 "--cache buffered --time 120ms --rounds 1 "
				 "--remove --quiet --out quiet");

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void damaged_and_foreign_folders_are_one_sentence(void **state)
{
	static const struct {
		const char *damage;
		const char *part;
	} cases[] = {
	    {"rm run.ini", "run.ini: "},
	    {"rm plan.csv", "plan.csv: "},
	    {"rm visits.csv", "visits.csv: "},
	    {"rm latency.csv", "latency.csv: "},
	    {": >plan.csv", "plan.csv: "},
	    {": >visits.csv", "visits.csv: "},
	    {"rm *; echo a,b >visits.csv", "run.ini: "},
	    {"truncate -s -9 latency.csv", "latency.csv: "},
	    {"sed -i '3s/done/dome/' visits.csv", "visits.csv:3: 'dome'"},
	    {"sed -i '3s/^[0-9]*/x/' visits.csv", "visits.csv:3: 'x'"},
	    {"sed -i '3s/^\\([0-9]*,\\)[0-9]*/\\199999/' visits.csv",
	     "visits.csv:3: "},
	    {"sed -i '1s/iops/iopz/' visits.csv", "visits.csv:1: "},
	    {"sed -i '4s/,1,/,-1,/' plan.csv", "plan.csv:4: "},
	    {"echo '\"' >>plan.csv", "plan.csv: its last row is cut"},
	    {"echo nonsense >>run.ini", "run.ini:"},
	    {"head -c 3000 /dev/urandom >visits.csv", "visits.csv:1: "},
	    {"head -c 3000 /dev/zero >plan.csv", "plan.csv: "},
	    {"rm run.ini; mkfifo run.ini", "run.ini: not a regular file"},
	    {"rm plan.csv; mkdir plan.csv", "plan.csv: not a regular file"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program_result r = program_run(
		    folder,
		    "cp -r run bad && cd bad && { %s; } && cd .. && "
		    "iosweep show bad",
		    cases[i].damage);

		if (r.status != 2)
			print_message("%s\n", cases[i].damage);
		program_assert_sentence(&r, 2, cases[i].part);
		program_free(&r);
		r = program_run(folder, "iosweep export bad -O bad.xlsx");
		program_assert_sentence(&r, 2, cases[i].part);
		program_free(&r);
		assert_false(program_exists(folder, "bad.xlsx"));
		r = program_run(folder, "rm -r bad");
		program_free(&r);
	}
}

static void what_a_crash_leaves_is_shown_and_said(void **state)
{
	static const char *const damages[] = {
	    "truncate -s -9 visits.csv",
	    "printf '1,2,3' >>visits.csv",
	    "printf '999,read,1,2,3\\n' >>latency.csv",
	    "rm -f points.csv report.xlsx",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct program_result r = program_run(
		    folder,
		    "cp -r run torn && cd torn && %s && cd .. && "
		    "iosweep show torn; rc=$?; rm -r torn; exit $rc",
		    damages[i]);

		program_assert_status(&r, 0);
		program_assert_contains(r.out, "Random read");
		assert_int_equal(strstr(r.out, "cut off") != NULL, i < 3);
		program_free(&r);
	}
}

/* Where numbers have a comma and where the small I has no dot. Of one byte a
 * character, which is made faster. */
static const struct locale_case {
	const char *name, *charmap;
} locales[] = {{"de_DE", "ISO-8859-1"}, {"tr_TR", "ISO-8859-9"}};

/* glibc's newlocale leaks what it makes of LOCPATH. */
#define NO_LEAKS "ASAN_OPTIONS=detect_leaks=0 "

/* folder/locale/NAME; false where it cannot be made. */
static bool make_locale(const struct locale_case *l)
{
	struct program_result r = program_run(
	    folder,
	    "PATH=$PATH:/usr/sbin; mkdir -p locale && localedef -i %s "
	    "-f %s locale/%s; "
	    "test \"$(LOCPATH=$PWD/locale LC_ALL=%s "
	    "locale -k decimal_point)\" = 'decimal_point=\",\"'",
	    l->name, l->charmap, l->name, l->name);
	bool made = r.status == 0;

	program_free(&r);
	return made;
}

static void assert_locale_changes_nothing(const char *name)
{
	static const char *const lines[] = {
	    "iosweep show run --metric all",
	    "iosweep show run --json",
	    "iosweep export run -O out.csv && cat out.csv",
	    "iosweep plan f -b 8.5K,8KIB -r 65.5 --time 0.5s --seed 1",
	    "iosweep templates SQLIO-SWEETSPOT || iosweep columns",
	};
	struct program_result plain, local;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		plain = program_run(folder, "export LC_ALL=C; %s", lines[i]);
		local = program_run(folder,
				    "export LOCPATH=$PWD/locale " NO_LEAKS
				    "LC_ALL=%s; %s",
				    name, lines[i]);
		program_assert_status(&plain, 0);
		program_assert_status(&local, 0);
		assert_string_equal(plain.out, local.out);
		program_free(&plain);
		program_free(&local);
	}
}

/* What is measured and stored there reads back as numbers here. */
static void assert_locale_stores_numbers(const char *name)
{
	struct program_result r = program_run(
	    folder,
	    "export LOCPATH=$PWD/locale " NO_LEAKS "LC_ALL=%s; "
	    "iosweep run /dev/zero -b 4K -o 1 -p 33.3 --time 120.5ms "
	    "--ramp 10ms --rounds 1 --out local --quiet",
	    name);
	struct csvtable t;

	program_assert_status(&r, 0);
	program_free(&r);
	csvtable_read(&t, folder, "local/visits.csv");
	assert_true(t.whole);
	assert_true(csvtable_number(&t, 1, "iops") > 0);
	assert_true(csvtable_number(&t, 1, "lat_mean_us") > 0);
	assert_true(csvtable_number(&t, 1, "measured_ms") >= 120.5);
	csvtable_free(&t);
	csvtable_read(&t, folder, "local/points.csv");
	assert_true(t.whole);
	assert_true(csvtable_number(&t, 1, "random_pct") == 33.3);
	csvtable_free(&t);
	r = program_run(folder, "iosweep show local && rm -r local");
	program_assert_status(&r, 0);
	program_free(&r);
}

static void numbers_are_the_same_in_every_locale(void **state)
{
	size_t i, tried = 0;

	(void)state;
	for (i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
		if (!make_locale(&locales[i]))
			continue;
		assert_locale_changes_nothing(locales[i].name);
		assert_locale_stores_numbers(locales[i].name);
		tried++;
	}
	if (!tried) {
		print_message("skip: locales cannot be made here\n");
		skip();
	}
}

static void every_template_is_listed_and_plans(void **state)
{
	static const char *const names[] = {"sqlio-sweetspot", "sqlserver-oltp",
					    "iodrive-vetting",
					    "iometer-vmware"};
	struct program_result list = program_run(folder, "iosweep templates");
	struct program_result r;
	size_t i;

	(void)state;
	program_assert_status(&list, 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *line = strstr(list.out, names[i]);

		assert_non_null(line);
		/* A headline behind it. */
		assert_true(strcspn(line, "\n") > strlen(names[i]) + 20);
		/* Printed, it is the plan file that it stands for. */
		r = program_run(
		    folder,
		    "iosweep plan f --size 1M --seed 1 --template "
		    "%s >a && iosweep templates %s >p.ini && "
		    "iosweep plan f --size 1M --seed 1 --plan p.ini "
		    ">b && cmp a b",
		    names[i], names[i]);
		program_assert_status(&r, 0);
		assert_string_equal(r.err, "");
		program_free(&r);
	}
	program_free(&list);
	r = program_run(folder, "iosweep plan f --size 1M --seed 1 >a; iosweep "
				"plan f --size 1M --seed 1 --template "
				"sqlio-sweetspot | diff a - | grep -v seed");
	/* The defaults under another name. */
	assert_null(strstr(r.out, " x "));
	program_free(&r);
}

static void every_column_of_the_files_is_explained(void **state)
{
	static const char *const files[] = {"plan.csv", "visits.csv"};
	struct program_result r = program_run(folder, "iosweep columns");
	size_t i, k;

	(void)state;
	program_assert_status(&r, 0);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct csvtable t;
		char *path = program_path("run", files[i]);

		csvtable_read(&t, folder, path);
		for (k = 0; t.rows[0][k]; k++) {
			char line[128];

			snprintf(line, sizeof(line), "\n%s", t.rows[0][k]);
			if (strncmp(r.out, line + 1, strlen(line + 1)) != 0)
				program_assert_contains(r.out, line);
		}
		csvtable_free(&t);
		free(path);
	}
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_output_fits_80_columns),
	    cmocka_unit_test(heat_maps_show_every_size_and_depth),
	    cmocka_unit_test(colours_are_for_terminals_that_want_them),
	    cmocka_unit_test(output_fits_terminals_of_any_width),
	    cmocka_unit_test(the_progress_line_is_rewritten_and_fits),
	    cmocka_unit_test(quiet_is_silent_on_a_terminal),
	    cmocka_unit_test(damaged_and_foreign_folders_are_one_sentence),
	    cmocka_unit_test(what_a_crash_leaves_is_shown_and_said),
	    cmocka_unit_test(numbers_are_the_same_in_every_locale),
	    cmocka_unit_test(every_template_is_listed_and_plans),
	    cmocka_unit_test(every_column_of_the_files_is_explained),
	};

	return cmocka_run_group_tests_name("program, show", tests,
					   simulate_once, clean_up);
}
