/* slow: power loss at any moment costs no visit that was told of: ext4 on a
 * loop device is shut down without flushing its log, remounted, and the run
 * goes on. IOSWEEP_LONG=1: many more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/rng.h"
#include "tests/loopdev.h"
#include "tests/program.h"
#include "tests/resumerig.h"

#define CUTS 4
#define CUTS_LONG 150
#define FS_SHUTDOWN _IOR('X', 125, uint32_t)
#define NO_LOG_FLUSH 2u
/* Results lie on the file system that is cut off, what was told elsewhere. */
#define RUN                                                                    \
	"run /dev/zero -b 4K,8K -o 1 -p rand --ramp 5ms --time 40ms "          \
	"--rounds 4 --out %s/run"
#define POINTS 2
#define ROUNDS 4

struct power {
	const char *why_not; /* NULL: usable */
	struct loopdev loop;
	char mount[PATH_MAX];
	char *log_folder; /* not on it */
};

static struct power the_power;

static const char *make_file_system(struct power *p)
{
	const char *why = loopdev_unavailable();

	if (why)
		return why;
	if (loopdev_new(&p->loop, "power.img", 64 * LOOPDEV_MIB, 0) < 0)
		return "no loop device";
	if (run_tool("mkfs.ext4", "-q", p->loop.node, NULL) != 0)
		return "no mkfs.ext4";
	if (mount_scratch(p->loop.node, "power", "ext4", NULL, p->mount) < 0)
		return "no mount";
	return NULL;
}

static int set_up(void **state)
{
	the_power.log_folder = program_folder();
	the_power.why_not = make_file_system(&the_power);
	*state = &the_power;
	return 0;
}

static int tear_down(void **state)
{
	struct power *p = *state;

	program_folder_remove(p->log_folder);
	return 0;
}

static void cut_power(const struct power *p)
{
	uint32_t how = NO_LOG_FLUSH;
	int fd = open(p->mount, O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, FS_SHUTDOWN, &how), 0);
	close(fd);
}

static void mount_again(const struct power *p)
{
	assert_int_equal(umount(p->mount), 0);
	assert_int_equal(mount(p->loop.node, p->mount, "ext4", 0, NULL), 0);
}

/* Lines "N/M round ...", one a visit that the program told of. */
static int count_told(const struct power *p)
{
	char *log = program_read(p->log_folder, "log");
	const char *line;
	int n = 0, visit;

	for (line = log; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%d/", &visit) == 1 && strstr(line, " round "))
			n = visit;
		if (!strchr(line, '\n'))
			break;
	}
	free(log);
	return n;
}

/* The program finds its run folder dead and says so. */
static void assert_told(const struct power *p, pid_t pid)
{
	int status = program_wait(pid);
	char *log = program_read(p->log_folder, "log");

	if (status != 0 && status != 1 && status != 3)
		fail_msg("exit status %d:\n%s", status, log);
	if (status == 1 && !strstr(log, "iosweep: "))
		fail_msg("no sentence:\n%s", log);
	free(log);
}

/* Rows of visits.csv after the power came back. */
static int count_rows(const struct power *p)
{
	char *rows = resumerig_rows(p->mount, "run");
	const char *c;
	int n = 0;

	for (c = rows; *c; c++)
		n += *c == '\n';
	free(rows);
	return n;
}

static void go_on(const struct power *p)
{
	char anew[PATH_MAX + 128];

	snprintf(anew, sizeof(anew), RUN, p->mount);
	resumerig_go_on(p->mount, "run",
			program_exists(p->mount, "run/run.ini") ? NULL : anew);
}

static void check_cut(const struct power *p, uint64_t seed)
{
	struct program_result r;
	struct rng rng;
	int told;
	pid_t pid = program_start(p->log_folder, RUN, p->mount);

	rng_seed(&rng, seed, 1);
	usleep((useconds_t)rng_below(&rng, 700000));
	/* Told before the power went: on disk. */
	told = count_told(p);
	cut_power(p);
	assert_told(p, pid);
	mount_again(p);
	print_message("told of %d, kept %d\n", told, count_rows(p));
	assert_true(count_rows(p) >= told);
	go_on(p);
	resumerig_assert_whole(p->mount, "run", ROUNDS);
	/* For good: it would be there again after the next cut. */
	r = program_run(p->mount, "rm -rf run && sync -f .");
	program_free(&r);
}

static void no_power_loss_costs_what_was_told(void **state)
{
	const struct power *p = *state;
	int cuts = resumerig_long() ? CUTS_LONG : CUTS;
	int i;

	if (p->why_not) {
		print_message("skip: %s\n", p->why_not);
		skip();
	}
	for (i = 0; i < cuts; i++)
		check_cut(p, (uint64_t)i + (uint64_t)getpid() * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_power_loss_costs_what_was_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
