/* slow: it waits for what must not happen. */
/* command: what becomes of a command line, also of one that fails, hangs or
 * leaves others behind; trust: whose commands root runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "sweep/command.h"
#include "sweep/trust.h"

static int run(const char *text, uint64_t timeout_ns, struct err *err)
{
	const struct command c = {
	    .name = "enter of variant 'x'",
	    .text = text,
	    .variant = "x",
	    .target = "/dev/a b",
	    .timeout_ns = timeout_ns,
	};

	return command_run(&c, err);
}

static void assert_says(const char *text, int ret, const char *says)
{
	struct err err = {.kind = ERR_NONE};

	assert_int_equal(run(text, 20 * NS_PER_SEC, &err), ret);
	if (!strstr(err.text, says))
		fail_msg("%s: %s", text, err.text);
}

static void failures_are_told_with_the_end_of_their_output(void **state)
{
	(void)state;
	assert_int_equal(run("true", 20 * NS_PER_SEC, NULL), 0);
	assert_says("exit 3", -ECHILD,
		    "enter of variant 'x' ended with status 3");
	assert_says("echo no such cache; echo really >&2; exit 1", -ECHILD,
		    "ended with status 1: no such cache really");
	assert_says("kill -SEGV $$", -ECHILD, "was ended by signal 11 (Segm");
	assert_says("nosuchcommand", -ECHILD, "status 127: ");
	assert_says("head -c 100000 /dev/zero | tr '\\0' x; echo END; exit 9",
		    -ECHILD, "status 9: ...xxx");
	assert_says("head -c 100000 /dev/zero | tr '\\0' x; echo END; exit 9",
		    -ECHILD, "xEND");
}

static void it_sees_its_variables_and_an_empty_input(void **state)
{
	(void)state;
	setenv("IOSWEEP_POINT", "stale", 1);
	assert_says("echo $IOSWEEP_VARIANT=$IOSWEEP_TARGET=${IOSWEEP_POINT-no}="
		    "$(wc -c); exit 1",
		    -ECHILD, ": x=/dev/a b=no=0");
	unsetenv("IOSWEEP_POINT");
}

/* Nothing of ours is open in it, its signals are as a shell's, and the
 * terminal's Ctrl-C is not for it. */
static void it_starts_as_from_a_shell(void **state)
{
	int held = dup(STDIN_FILENO);

	(void)state;
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(run("trap 'exit 0' HUP; kill -HUP $$; exit 1",
			     20 * NS_PER_SEC, NULL),
			 0);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(
	    run("test $(ps -o pgid= -p $$) = $$", 20 * NS_PER_SEC, NULL), 0);
	close(held);
}

static void one_that_hangs_is_ended_with_its_group(void **state)
{
	char dir[64] = "/tmp/iosweep-command-XXXXXX", text[256], path[128];
	uint64_t begin = clock_now_ns();
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/alive", dir);
	/* Deaf to SIGTERM, and with a child that would show up later. */
	snprintf(text, sizeof(text),
		 "trap '' TERM; (sleep 4; touch %s) & echo waiting; sleep 100",
		 path);
	assert_int_equal(run(text, 300 * NS_PER_MS, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "took longer than 300 ms "
					 "(--command-timeout) and was ended: "
					 "waiting"));
	assert_true(clock_now_ns() - begin < 30 * NS_PER_SEC);
	sleep(3);
	assert_int_equal(access(path, F_OK), -1);
	rmdir(dir);
}

static void one_that_was_stopped_is_ended(void **state)
{
	static const volatile sig_atomic_t stop = 2;
	const struct command c = {
	    .name = "enter of variant 'x'",
	    .text = "sleep 100",
	    .timeout_ns = 100 * NS_PER_SEC,
	    .stop = &stop,
	    .stop_at = 2,
	};
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_int_equal(command_run(&c, &err), -EINTR);
	assert_non_null(strstr(err.text, "was ended by the user"));
}

/* A daemon holds the output open; that is no reason to wait for it. */
static void what_it_leaves_behind_is_not_waited_for(void **state)
{
	uint64_t begin = clock_now_ns();

	(void)state;
	assert_int_equal(run("sleep 30 & echo $! >&2", 60 * NS_PER_SEC, NULL),
			 0);
	assert_true(clock_now_ns() - begin < 25 * NS_PER_SEC);
}

/* ---- trust ---- */

static void assert_refused(const char *path, const char *says)
{
	struct err err = {.kind = ERR_NONE};

	assert_int_equal(trust_file(path, &err), -EPERM);
	assert_int_equal(err.kind, ERR_REFUSED);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
}

static void set(const char *path, mode_t mode, uid_t uid, gid_t gid)
{
	assert_int_equal(chown(path, uid, gid), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void root_runs_what_only_root_can_have_written(void **state)
{
	char dir[64] = "/tmp/iosweep-trust-XXXXXX", sub[96], path[128];
	char named[160];
	FILE *f;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	snprintf(path, sizeof(path), "%s/plan.ini", sub);
	snprintf(named, sizeof(named), "others can write %s;", sub);
	assert_int_equal(mkdir(sub, 0755), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	set(path, 0644, 0, 0);
	assert_int_equal(trust_file(path, NULL), 0);
	set(path, 0664, 0, 0);
	assert_int_equal(trust_file(path, NULL), 0);
	set(path, 0664, 0, 100);
	assert_refused(path, "others can write it;");
	set(path, 0646, 0, 0);
	assert_refused(path, "others can write it;");
	set(path, 0644, 1000, 0);
	assert_refused(path, "others can write it;");
	/* The user behind sudo can do as much as root anyway. */
	setenv("SUDO_UID", "1000", 1);
	assert_int_equal(trust_file(path, NULL), 0);
	setenv("SUDO_UID", "1000x", 1);
	assert_refused(path, "others can write it;");
	unsetenv("SUDO_UID");
	set(path, 0644, 0, 0);
	/* Its folder, sticky or not; one further up only when not sticky. */
	set(sub, 01777, 0, 0);
	assert_refused(path, named);
	set(sub, 0755, 1000, 0);
	assert_refused(path, named);
	set(sub, 0755, 0, 0);
	set(dir, 0777, 0, 0);
	assert_refused(path, dir);
	set(dir, 01777, 0, 0);
	assert_int_equal(trust_file(path, NULL), 0);
	set(dir, 01777, 1000, 0);
	assert_refused(path, dir);
	unlink(path);
	assert_refused(path, "cannot be looked at: No such file");
	rmdir(sub);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(failures_are_told_with_the_end_of_their_output),
	    cmocka_unit_test(it_sees_its_variables_and_an_empty_input),
	    cmocka_unit_test(it_starts_as_from_a_shell),
	    cmocka_unit_test(one_that_hangs_is_ended_with_its_group),
	    cmocka_unit_test(one_that_was_stopped_is_ended),
	    cmocka_unit_test(what_it_leaves_behind_is_not_waited_for),
	    cmocka_unit_test(root_runs_what_only_root_can_have_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
