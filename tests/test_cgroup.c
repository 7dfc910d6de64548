/* cgroup: limits of the process's group and of those above it, in made-up
 * trees of both versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/cgroup.h"
#include "tests/tempdir.h"

#define MOUNT_2                                                                \
	"25 1 0:1 / /proc rw - proc proc rw\n"                                 \
	"30 1 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw\n"
#define MOUNT_1(name)                                                          \
	"31 1 0:27 / /sys/fs/cgroup/" name " rw - cgroup cgroup rw," name "\n"

static char *root;

static int prepare(void **state)
{
	(void)state;
	root = tempdir_new();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	tempdir_remove(root);
	return 0;
}

/* A file of the tree, with the folders on its way. */
static void put(const char *name, const char *text)
{
	char *path = tempdir_path(root, name), *slash;

	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	unlink(path);
	file_write(path, text, strlen(text));
	free(path);
}

/* A process three groups deep; limits stand in some of them. */
static void make_nested(void)
{
	put("proc/self/cgroup", "0::/a/b/c\n");
	put("proc/self/mountinfo", MOUNT_2);
	put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
	put("sys/fs/cgroup/a/b/c/memory.current", "1000\n");
	put("sys/fs/cgroup/a/b/memory.max", "100000\n");
	put("sys/fs/cgroup/a/b/memory.current", "50000\n");
	put("sys/fs/cgroup/a/b/memory.stat",
	    "anon 10000\nfile 40000\ninactive_file 30000\nactive_file 10000\n");
	put("sys/fs/cgroup/a/memory.max", "200000\n");
	put("sys/fs/cgroup/a/memory.current", "60000\n");
}

static void the_tightest_of_all_groups_above_holds(void **state)
{
	struct cgroup_limit l;

	(void)state;
	make_nested();
	cgroup_memory(root, &l);
	assert_int_equal(l.most, 100000);
	/* The page cache gives back what it has. */
	assert_int_equal(l.left, 90000);
	assert_non_null(strstr(l.file, "/sys/fs/cgroup/a/b/memory.max"));
	put("sys/fs/cgroup/a/memory.current", "150000\n");
	cgroup_memory(root, &l);
	assert_int_equal(l.left, 50000);
	assert_non_null(strstr(l.file, "/sys/fs/cgroup/a/memory.max"));
	put("sys/fs/cgroup/a/memory.current", "250000\n");
	cgroup_memory(root, &l);
	assert_int_equal(l.left, 0);
}

static void threads_and_processors_of_version_2(void **state)
{
	struct cgroup_limit l;

	(void)state;
	make_nested();
	put("sys/fs/cgroup/a/pids.max", "64\n");
	put("sys/fs/cgroup/a/pids.current", "60\n");
	put("sys/fs/cgroup/a/b/c/pids.max", "10\n");
	put("sys/fs/cgroup/a/b/c/pids.current", "1\n");
	cgroup_threads(root, &l);
	assert_int_equal(l.most, 64);
	assert_int_equal(l.left, 4);
	put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
	put("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
	put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	cgroup_cpus(root, &l);
	assert_int_equal(l.most, 500);
	assert_non_null(strstr(l.file, "/a/cpu.max"));
}

static void io_of_that_disk_and_no_other(void **state)
{
	struct cgroup_throttle t;

	(void)state;
	make_nested();
	put("sys/fs/cgroup/a/b/io.max",
	    "8:1 rbps=1 wbps=max riops=max wiops=max\n"
	    "8:16 rbps=2097152 wbps=max riops=max wiops=120\n");
	cgroup_io(root, makedev(8, 16), &t);
	assert_string_equal(t.text, "rbps=2097152 wiops=120");
	assert_non_null(strstr(t.file, "/a/b/io.max"));
	cgroup_io(root, makedev(8, 32), &t);
	assert_string_equal(t.text, "");
	assert_string_equal(t.file, "");
}

static void version_1_has_a_hierarchy_for_each(void **state)
{
	struct cgroup_throttle t;
	struct cgroup_limit l;

	(void)state;
	put("proc/self/cgroup", "5:pids:/\n4:memory:/job\n3:cpuacct,cpu:/job\n"
				"2:blkio:/job\n0::/\n");
	put("proc/self/mountinfo", MOUNT_2 MOUNT_1("memory") MOUNT_1("cpu")
				       MOUNT_1("blkio") MOUNT_1("pids"));
	put("sys/fs/cgroup/memory/memory.limit_in_bytes",
	    "9223372036854771712\n");
	put("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000000\n");
	put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "65536\n");
	put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "40000\n");
	put("sys/fs/cgroup/memory/job/memory.stat",
	    "inactive_file 1\ntotal_inactive_file 5000\ntotal_active_file "
	    "5000\n");
	cgroup_memory(root, &l);
	assert_int_equal(l.left, 65536 - 30000);
	put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
	put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	cgroup_cpus(root, &l);
	assert_true(l.most == UINT64_MAX);
	put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n");
	cgroup_cpus(root, &l);
	assert_int_equal(l.most, 2000);
	put("sys/fs/cgroup/blkio/job/blkio.throttle.read_bps_device",
	    "254:0 1048576\n");
	cgroup_io(root, makedev(254, 0), &t);
	assert_string_equal(t.text, "rbps=1048576");
}

/* A container sees its own group as the top, by whatever path it is known. */
static void a_container_is_held_to_what_it_sees(void **state)
{
	struct cgroup_limit l;

	(void)state;
	put("proc/self/mountinfo",
	    "30 1 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
	put("sys/fs/cgroup/pids.max", "100\n");
	put("sys/fs/cgroup/pids.current", "20\n");
	put("sys/fs/cgroup/job/pids.max", "30\n");
	put("sys/fs/cgroup/job/pids.current", "20\n");
	put("proc/self/cgroup", "0::/docker/x/job\n");
	cgroup_threads(root, &l);
	assert_int_equal(l.left, 10);
	put("proc/self/cgroup", "0::/docker/xy\n");
	cgroup_threads(root, &l);
	assert_int_equal(l.left, 80);
	put("proc/self/cgroup", "0::/../other\n");
	cgroup_threads(root, &l);
	assert_int_equal(l.left, 80);
}

static void what_cannot_be_read_limits_nothing(void **state)
{
	struct cgroup_throttle t;
	struct cgroup_limit l;

	(void)state;
	cgroup_memory(root, &l);
	assert_true(l.most == UINT64_MAX && l.left == UINT64_MAX);
	put("proc/self/cgroup", "0::/a\nnonsense\n:\n");
	put("proc/self/mountinfo", "x\n - \n" MOUNT_2);
	cgroup_memory(root, &l);
	assert_true(l.left == UINT64_MAX);
	put("sys/fs/cgroup/a/memory.max", "12 apples\n");
	put("sys/fs/cgroup/a/cpu.max", "5 0\n");
	cgroup_memory(root, &l);
	assert_true(l.left == UINT64_MAX); /* nothing says what is used */
	cgroup_cpus(root, &l);
	assert_true(l.left == UINT64_MAX);
	cgroup_io(root, makedev(8, 0), &t);
	assert_string_equal(t.text, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(the_tightest_of_all_groups_above_holds),
	    TEST(threads_and_processors_of_version_2),
	    TEST(io_of_that_disk_and_no_other),
	    TEST(version_1_has_a_hierarchy_for_each),
	    TEST(a_container_is_held_to_what_it_sees),
	    TEST(what_cannot_be_read_limits_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
