/* I/Os that really do not return: writes to a frozen file system. The visit
 * fails with a reason, and the next one, after the thaw, is whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/backend.h"
#include "engine/units.h"
#include "tests/loopdev.h"
#include "tests/measure_rig.h"

struct frozen {
	const char *why_not; /* NULL: usable */
	struct loopdev loop;
	char mount[PATH_MAX];
	char file[PATH_MAX + 8];
	int fd; /* of the mount point */
};

static struct frozen the_fs = {.fd = -1};

static const char *make_file_system(struct frozen *f)
{
	const char *why = loopdev_unavailable();

	if (why)
		return why;
	if (loopdev_new(&f->loop, "hang.img", 64 * LOOPDEV_MIB, 0) < 0)
		return "no loop device";
	if (run_tool("mkfs.ext4", "-q", f->loop.node, NULL) != 0)
		return "no mkfs.ext4";
	if (mount_scratch(f->loop.node, "hang", "ext4", NULL, f->mount) < 0)
		return "no mount";
	return NULL;
}

static void make_target(struct frozen *f)
{
	static char block[MIB];
	int i, fd;

	snprintf(f->file, sizeof(f->file), "%s/file", f->mount);
	fd = open(f->file, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	memset(block, 1, sizeof(block));
	for (i = 0; i < 8; i++)
		assert_int_equal(write(fd, block, sizeof(block)),
				 sizeof(block));
	assert_int_equal(fsync(fd), 0);
	close(fd);
	f->fd = open(f->mount, O_RDONLY | O_DIRECTORY);
	assert_true(f->fd >= 0);
}

static int set_up(void **state)
{
	the_fs.why_not = make_file_system(&the_fs);
	if (!the_fs.why_not)
		make_target(&the_fs);
	*state = &the_fs;
	return 0;
}

static int tear_down(void **state)
{
	struct frozen *f = *state;

	if (f->fd >= 0)
		close(f->fd);
	return 0;
}

static void check_hang(struct frozen *f, enum engine_kind kind)
{
	struct measure_rig r;
	struct visit *v = &r.visit;
	int ret;

	assert_true(measure_rig_init(&r, f->file, TARGET_FILE));
	r.target.size_bytes = 8 * MIB;
	r.opts.time_ns = 100 * NS_PER_MS;
	r.opts.ramp_ns = 10 * NS_PER_MS;
	r.opts.io_timeout_ns = 200 * NS_PER_MS;
	r.point.engine = kind;
	r.point.cache = CACHE_BUFFERED;
	r.point.workload.queue_depth = 2;
	measure_rig_visit(&r, 1); /* the way is clear */
	assert_int_equal(v->state, VISIT_DONE);
	r.point.workload.stream.read_pct = 0;
	assert_int_equal(ioctl(f->fd, FIFREEZE, 0), 0);
	measure_rig_visit(&r, 1);
	ret = ioctl(f->fd, FITHAW, 0);
	assert_int_equal(ret, 0);
	if (v->state != VISIT_FAILED || !strstr(v->reason, "hangs"))
		print_error("%s: %s\n", engine_kind_name(kind), v->reason);
	assert_int_equal(v->state, VISIT_FAILED);
	assert_non_null(strstr(v->reason, "200 ms"));
	assert_non_null(strstr(v->reason, "hangs, see dmesg"));
	measure_rig_visit(&r, 2);
	assert_int_equal(v->state, VISIT_DONE);
	assert_int_equal(v->error_count, 0);
	measure_rig_fini(&r);
}

static void check_engine(void **state, enum engine_kind kind, int probe)
{
	struct frozen *f = *state;

	if (f->why_not || probe < 0) {
		print_message("skip: %s\n",
			      f->why_not ? f->why_not : strerror(-probe));
		skip();
	}
	check_hang(f, kind);
}

static void a_write_that_hangs_fails_under_io_uring(void **state)
{
	check_engine(state, ENGINE_IO_URING, backend_uring_probe());
}

static void a_write_that_hangs_fails_under_libaio(void **state)
{
	check_engine(state, ENGINE_LIBAIO, backend_aio_probe());
}

static void a_write_that_hangs_fails_under_sync(void **state)
{
	check_engine(state, ENGINE_SYNC, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_write_that_hangs_fails_under_io_uring),
	    cmocka_unit_test(a_write_that_hangs_fails_under_libaio),
	    cmocka_unit_test(a_write_that_hangs_fails_under_sync),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
