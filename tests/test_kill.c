/* slow: kill -9 at any moment costs no visit that was told of: what an observer
 * saw in visits.csv stays, and the run goes on to what an uninterrupted one
 * leaves. IOSWEEP_LONG=1: hundreds of kills, TRIES of each sweep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/rng.h"
#include "tests/program.h"
#include "tests/resumerig.h"

#define KILLS 7
#define KILLS_LONG 210
#define ROUNDS 2

enum phase {
	PLAN,
	LAYOUT,
	PRECONDITION,
	WARM_UP,
	POINT,
	ROW_WRITE,
	BOOK_WRITE,
	PHASE_COUNT
};

static const char *const names[PHASE_COUNT] = {
    "plan",  "layout",	  "precondition", "warm-up",
    "point", "row write", "book write",
};

/* A sweep, and what it leaves in its folder beside the run's. */
struct shape {
	const char *run;
	const char *plan; /* p.ini; NULL: none */
	int entries;	  /* target, log, run folder and plan */
};

/* Points through the page cache, which are read into it before. */
static const struct shape reads = {
    .run = "run f.dat --size 16M -b 8K,16K -o 1 -p rand --cache buffered "
	   "--ramp 15ms --time 60ms --rounds 2 --out run",
    .entries = 3,
};

/* All that a sweep has beside its points: preconditioning, variants with
 * commands, passes that warm a cache, blocks that are read back. */
static const struct shape writes = {
    .run = "run f.dat --size 16M --plan p.ini --verify --out run",
    .plan = "[sweep]\nblock-size = 8K\noutstanding = 1\npattern = rand\n"
	    "read = 0\nramp = 15ms\ntime = 60ms\nrounds = 2\n"
	    "precondition = yes\nprecondition-time = 60ms\n"
	    "[variant entered]\nenter = touch on\nleave = rm on\n"
	    "[variant warmed]\nstate = warm\n",
    .entries = 4,
};

struct killer {
	const struct shape *shape;
	char *folder;
	struct rng rng;
	char *rows; /* that were seen before the kill */
	pid_t pid;
};

static void nap_us(struct killer *k, uint32_t most)
{
	usleep((useconds_t)rng_below(&k->rng, most) + 1);
}

static bool ended(const struct killer *k)
{
	siginfo_t info = {0};

	assert_int_equal(
	    waitid(P_PID, (id_t)k->pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
	return info.si_pid == k->pid;
}

/* Until visits.csv has that many rows, header included, or the end. */
static void wait_for_rows(struct killer *k, int lines)
{
	while (!ended(k) &&
	       program_count_lines(k->folder, "run/visits.csv") < lines)
		usleep(200);
}

static uint64_t size_of(const struct killer *k, const char *name)
{
	char *path = program_path(k->folder, name);
	struct stat st;
	uint64_t size = stat(path, &st) ? 0 : (uint64_t)st.st_size;

	free(path);
	return size;
}

/* Rows beside visits.csv come first: the commit is yet to come. */
static void wait_for_growth(struct killer *k)
{
	uint64_t before = size_of(k, "run/latency.csv");

	while (!ended(k) && size_of(k, "run/latency.csv") <= before)
		usleep(100);
}

static bool has_temporary(const struct killer *k)
{
	char *path = program_path(k->folder, "run");
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool found = false;

	free(path);
	while (dir && !found && (entry = readdir(dir)))
		found = strstr(entry->d_name, ".report.xlsx.") ||
			strstr(entry->d_name, ".points.csv.");
	if (dir)
		closedir(dir);
	return found;
}

static void wait_for_book(struct killer *k)
{
	while (!ended(k) && !has_temporary(k))
		usleep(100);
}

/* It gets its name when it is whole. */
static void wait_for_target(struct killer *k)
{
	while (!ended(k) && !program_exists(k->folder, "f.dat"))
		usleep(100);
}

/* Come to a moment in that phase, a random one. */
static void wait_for(struct killer *k, enum phase phase)
{
	int visit = 1 + (int)rng_below(&k->rng, 2 * ROUNDS);

	switch (phase) {
	case PLAN:
		nap_us(k, 10000);
		return;
	case LAYOUT:
		usleep(5000);
		nap_us(k, 40000);
		return;
	case PRECONDITION:
		wait_for_target(k);
		nap_us(k, 250000);
		return;
	case WARM_UP:
		wait_for_rows(k, visit);
		nap_us(k, 15000);
		return;
	case POINT:
		wait_for_rows(k, visit);
		usleep(15000);
		nap_us(k, 60000);
		return;
	case ROW_WRITE:
		wait_for_rows(k, visit);
		wait_for_growth(k);
		nap_us(k, 1500);
		return;
	case BOOK_WRITE:
		wait_for_book(k);
		nap_us(k, 10000);
		return;
	case PHASE_COUNT:
		return;
	}
}

static void kill_once(struct killer *k, enum phase phase)
{
	if (k->shape->plan)
		program_write(k->folder, "p.ini", k->shape->plan);
	k->pid = program_start(k->folder, "%s", k->shape->run);
	/* Until the shell has become iosweep, or nearly so. */
	while (!program_exists(k->folder, "log"))
		usleep(200);
	wait_for(k, phase);
	/* What stands there now has been there before the kill. */
	k->rows = resumerig_rows(k->folder, "run");
	kill(k->pid, SIGKILL);
	program_wait(k->pid);
}

/* As a user goes on: --resume where there is a run, from the start where it
 * did not come to be one. */
static void go_on(const struct killer *k)
{
	bool whole = program_exists(k->folder, "run/run.ini");
	const struct resumerig_words words = {
	    .anew = whole ? NULL : k->shape->run,
	    .more = k->shape->plan ? "--plan p.ini" : "",
	};

	if (!whole)
		assert_string_equal(k->rows, "");
	resumerig_go_on_with(k->folder, "run", &words);
}

/* Nothing but the target, the log and the run folder, in which there is no lock
 * and no temporary file. */
static void assert_tidy(const struct killer *k)
{
	struct program_result r = program_run(
	    k->folder, "ls -A run | "
		       "grep -v '^[a-z]*[.]\\(csv\\|ini\\|xlsx\\)$'");

	assert_string_equal(r.out, "");
	program_free(&r);
	assert_int_equal(program_count_entries(k->folder), k->shape->entries);
}

static void check_kill(const struct shape *shape, uint64_t seed,
		       enum phase phase)
{
	struct killer k = {.shape = shape, .folder = program_folder()};

	rng_seed(&k.rng, seed, 1);
	kill_once(&k, phase);
	go_on(&k);
	resumerig_assert_kept(k.folder, "run", k.rows);
	resumerig_assert_whole(k.folder, "run", ROUNDS);
	assert_tidy(&k);
	free(k.rows);
	program_folder_remove(k.folder);
}

static int count_kills(void)
{
	const char *tries = getenv("TRIES");

	if (tries)
		return atoi(tries);
	return resumerig_long() ? KILLS_LONG : KILLS;
}

static void kill_all(const struct shape *shape)
{
	int kills = count_kills(), i;

	for (i = 0; i < kills; i++) {
		print_message("kill %d, %s\n", i, names[i % PHASE_COUNT]);
		check_kill(shape, (uint64_t)i + (uint64_t)getpid() * 1000,
			   (enum phase)(i % PHASE_COUNT));
	}
}

static void no_kill_costs_what_was_told(void **state)
{
	(void)state;
	kill_all(&reads);
}

static void nor_does_one_among_all_that_a_sweep_can_do(void **state)
{
	(void)state;
	kill_all(&writes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_kill_costs_what_was_told),
	    cmocka_unit_test(nor_does_one_among_all_that_a_sweep_can_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
