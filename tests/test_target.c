/* target: what a path is, how it wants to be addressed, its descriptors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/mark.h"
#include "engine/target.h"
#include "tests/loopdev.h"

#define need_loops()                                                           \
	do {                                                                   \
		if (loopdev_unavailable()) {                                   \
			print_message("skip: %s\n", loopdev_unavailable());    \
			skip();                                                \
		}                                                              \
	} while (0)

static void assert_says(const struct err *err, const char *words)
{
	if (!strstr(err->text, words))
		fail_msg("\"%s\" does not say \"%s\"", err->text, words);
}

static void option_like_paths_are_refused_naming_the_character(void **state)
{
	static const struct {
		const char *path;
		const char *name;
	} bad[] = {
	    {"-b8K", "hyphen"},
	    {"-", "hyphen"},
	    {"\xe2\x80\x93"
	     "b8K",
	     "en dash (U+2013)"},
	    {"\xe2\x80\x94"
	     "block-size",
	     "em dash (U+2014)"},
	    {"\xe2\x88\x92"
	     "b",
	     "minus sign (U+2212)"},
	    {"", "empty"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct target t;
		struct err err = {0};

		assert_int_equal(target_probe(bad[i].path, &t, &err), -EINVAL);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_says(&err, bad[i].name);
	}
	assert_int_equal(target_check_path("./-b8K", NULL), 0);
	assert_int_equal(target_check_path("/data/a-b", NULL), 0);
}

static void what_cannot_be_measured_is_refused(void **state)
{
	char path[PATH_MAX];
	struct target t;
	struct err err = {0};

	(void)state;
	assert_int_equal(target_probe(scratch_path(path, "nothing"), &t, &err),
			 -ENOENT);
	assert_int_equal(err.kind, ERR_FAILED);
	assert_says(&err, path);

	err_clear(&err);
	assert_int_equal(target_probe(scratch_folder(), &t, &err), -EISDIR);
	assert_says(&err, "is a folder");

	err_clear(&err);
	assert_int_equal(target_probe("/dev/full", &t, &err), -EINVAL);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_says(&err, "character device");

	/* Nobody writes to that pipe: opening it would wait for ever. */
	assert_int_equal(mkfifo(scratch_path(path, "pipe"), 0600), 0);
	err_clear(&err);
	assert_int_equal(target_probe(path, &t, &err), -EINVAL);
	assert_says(&err, "is a pipe");

	assert_non_null(scratch_file(path, "empty", 0, 0));
	err_clear(&err);
	assert_int_equal(target_probe(path, &t, &err), -ENODATA);
	assert_says(&err, "is empty");
}

static void zero_and_null_are_known_by_number(void **state)
{
	char path[PATH_MAX];
	struct target t;
	int fd;

	(void)state;
	assert_int_equal(symlink("/dev/zero", scratch_path(path, "my zero")),
			 0);
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_int_equal(t.kind, TARGET_ZERO);
	assert_true(t.size_bytes == TARGET_NOMINAL_BYTES);
	assert_string_equal(t.resolved, "/dev/zero");
	/* They have no cache to go past; the default mode must work. */
	fd = target_fd(&t, CACHE_DIRECT, false, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	target_fini(&t);

	assert_int_equal(target_probe("/dev/null", &t, NULL), 0);
	assert_int_equal(t.kind, TARGET_NULL);
	fd = target_fd(&t, CACHE_DIRECT, true, NULL);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	target_fini(&t);
}

static void a_file_is_ours_while_its_size_is_that_of_the_mark(void **state)
{
	char path[PATH_MAX];
	struct target t;
	int fd;

	(void)state;
	assert_non_null(scratch_file(path, "marked", 8192, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_int_equal(t.kind, TARGET_FILE);
	assert_true(t.size_bytes == 8192);
	assert_false(t.laid_out);
	target_fini(&t);

	fd = open(path, O_RDWR);
	if (mark_set(fd, 8192, 1) == -EOPNOTSUPP) {
		close(fd);
		print_message("skip: no xattrs here\n");
		skip();
	}
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_true(t.laid_out);
	target_fini(&t);

	assert_int_equal(ftruncate(fd, 12288), 0);
	close(fd);
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_false(t.laid_out);
	target_fini(&t);
}

static void descriptors_are_kept_and_carry_the_mode(void **state)
{
	char path[PATH_MAX];
	struct target t;
	int direct, buffered, flags;

	(void)state;
	assert_non_null(scratch_file(path, "modes", 65536, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	if (!t.direct_offset_align) {
		target_fini(&t);
		print_message("skip: no O_DIRECT here\n");
		skip();
	}
	direct = target_fd(&t, CACHE_DIRECT, false, NULL);
	buffered = target_fd(&t, CACHE_BUFFERED, false, NULL);
	assert_true(direct >= 0 && buffered >= 0 && direct != buffered);
	assert_int_equal(target_fd(&t, CACHE_DIRECT, false, NULL), direct);
	flags = fcntl(direct, F_GETFL);
	assert_int_equal(flags & O_ACCMODE, O_RDONLY);
	assert_int_not_equal(flags & O_DIRECT, 0);
	/* io_uring fails what would block on a descriptor with O_NONBLOCK. */
	assert_int_equal(flags & O_NONBLOCK, 0);
	assert_int_equal(fcntl(buffered, F_GETFL) & O_DIRECT, 0);

	t.consent = path;
	flags = fcntl(target_fd(&t, CACHE_DIRECT_DSYNC, true, NULL), F_GETFL);
	assert_int_equal(flags & O_ACCMODE, O_RDWR);
	assert_int_equal(flags & (O_DIRECT | O_DSYNC), O_DIRECT | O_DSYNC);

	target_close_fds(&t);
	assert_int_equal(fcntl(direct, F_GETFD), -1);
	target_fini(&t);
}

static void a_replaced_file_is_not_opened(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct target t;
	struct err err = {0};

	(void)state;
	assert_non_null(scratch_file(path, "before", 4096, 'a'));
	assert_non_null(scratch_file(other, "after", 4096, 'b'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(target_fd(&t, CACHE_BUFFERED, false, &err), -ESTALE);
	assert_says(&err, "start again");
	target_fini(&t);
}

static void a_file_in_memory_has_no_direct_mode(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct target t;
	struct err err = {0};

	(void)state;
	need_loops();
	assert_int_equal(mount_scratch("none", "tmpfs", "tmpfs", NULL, point),
			 0);
	assert_non_null(scratch_file(path, "tmpfs/file", 65536, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_string_equal(t.fs, "tmpfs");
	assert_true(t.device == 0);
	assert_int_equal(t.rotational, -1);
	assert_int_equal(target_fd(&t, CACHE_DIRECT, false, &err), -EINVAL);
	assert_says(&err, "--cache buffered");
	assert_says(&err, "tmpfs");
	assert_true(target_fd(&t, CACHE_BUFFERED, false, NULL) >= 0);
	assert_int_equal(target_alignment(&t, CACHE_BUFFERED), 1);
	target_fini(&t);
	umount(point);
}

static void a_device_tells_size_and_alignment(void **state)
{
	static const uint32_t blocks[] = {512, 4096};
	size_t i;

	(void)state;
	need_loops();
	for (i = 0; i < 2; i++) {
		char path[PATH_MAX];
		struct loopdev loop;
		struct target t;

		scratch_file(path, "blocks", 8 * LOOPDEV_MIB, 0);
		assert_int_equal(
		    loopdev_attach(&loop, path, LOOPDEV_DIRECT, blocks[i]), 0);
		assert_int_equal(target_probe(loop.node, &t, NULL), 0);
		assert_int_equal(t.kind, TARGET_DEVICE);
		assert_true(t.size_bytes == 8 * LOOPDEV_MIB);
		assert_true(t.device == loop.dev);
		assert_int_equal(t.logical_block, blocks[i]);
		assert_true(target_alignment(&t, CACHE_DIRECT) >= blocks[i]);
		assert_int_equal(target_alignment(&t, CACHE_BUFFERED), 1);
		assert_string_equal(t.fs, "");
		assert_string_not_equal(t.scheduler, "");
		assert_null(strpbrk(t.scheduler, "[] "));
		assert_int_not_equal(t.nr_requests, 0);
		assert_int_not_equal(t.rotational, -1);
		assert_true(target_fd(&t, CACHE_DIRECT, false, NULL) >= 0);
		target_fini(&t);
		loopdev_detach(&loop);
	}
}

static void the_path_of_a_device_is_never_split(void **state)
{
	char path[PATH_MAX], name[TARGET_NAME_MAX], expected[TARGET_NAME_MAX];
	struct loopdev loop;
	struct target t;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "split", LOOPDEV_MIB, 0), 0);
	scratch_path(path, "pci-0000:00:1f.2,a b:c-\xc3\xa4");
	assert_int_equal(symlink(loop.node, path), 0);
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_true(t.device == loop.dev);
	assert_string_equal(t.path, path);
	assert_string_equal(t.resolved, loop.node);
	snprintf(expected, sizeof(expected), "%.400s (%s)", path, loop.node);
	assert_string_equal(target_name(&t, name, sizeof(name)), expected);
	target_fini(&t);
	loopdev_detach(&loop);
}

static void a_partition_tells_of_the_queue_of_its_disk(void **state)
{
	char node[48];
	struct loopdev loop;
	struct target disk, part;

	(void)state;
	need_loops();
	assert_int_equal(
	    loopdev_new(&loop, "disk", 8 * LOOPDEV_MIB, LOOPDEV_PARTITIONS), 0);
	assert_int_equal(
	    loopdev_add_partition(&loop, 1, LOOPDEV_MIB, 4 * LOOPDEV_MIB, node),
	    0);
	assert_int_equal(target_probe(loop.node, &disk, NULL), 0);
	assert_int_equal(target_probe(node, &part, NULL), 0);
	assert_true(part.size_bytes == 4 * LOOPDEV_MIB);
	assert_true(part.device != disk.device);
	assert_string_equal(part.scheduler, disk.scheduler);
	assert_int_equal(part.nr_requests, disk.nr_requests);
	target_fini(&disk);
	target_fini(&part);
	loopdev_detach(&loop);
}

/* A file on a fresh file system of that type on a loop device; false (with
 * the reason printed) when there is no such file system here. */
static bool probe_on(const char *type, struct loopdev *loop, char *point,
		     struct target *t)
{
	char mkfs[32], name[32], path[PATH_MAX];

	snprintf(mkfs, sizeof(mkfs), "mkfs.%s", type);
	snprintf(name, sizeof(name), "on-%s", type);
	assert_int_equal(loopdev_new(loop, type, 400 * LOOPDEV_MIB, 0), 0);
	if (run_tool(mkfs, "-q", loop->node, NULL) ||
	    mount_scratch(loop->node, name, type, NULL, point)) {
		print_message("skip: no %s here\n", type);
		loopdev_detach(loop);
		return false;
	}
	snprintf(name, sizeof(name), "on-%s/file", type);
	assert_non_null(scratch_file(path, name, LOOPDEV_MIB, 'x'));
	assert_int_equal(target_probe(path, t, NULL), 0);
	return true;
}

static void check_file_on(const char *type)
{
	char point[PATH_MAX];
	struct loopdev loop;
	struct target t;

	need_loops();
	if (!probe_on(type, &loop, point, &t))
		skip();
	assert_string_equal(t.fs, type);
	assert_true(t.device == loop.dev);
	assert_int_not_equal(t.direct_offset_align, 0);
	assert_true(t.logical_block >= 512);
	assert_true(target_fd(&t, CACHE_DIRECT, false, NULL) >= 0);
	target_fini(&t);
	umount(point);
	loopdev_detach(&loop);
}

static void a_file_on_ext4_names_its_device(void **state)
{
	(void)state;
	check_file_on("ext4");
}

static void a_file_on_xfs_names_its_device(void **state)
{
	(void)state;
	check_file_on("xfs");
}

/* Its files have a device number that belongs to no device. */
static void a_file_on_btrfs_names_its_device(void **state)
{
	(void)state;
	check_file_on("btrfs");
}

static void a_file_on_several_devices_names_none(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct loopdev a, b;
	struct target t;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&a, "a", 200 * LOOPDEV_MIB, 0), 0);
	assert_int_equal(loopdev_new(&b, "b", 200 * LOOPDEV_MIB, 0), 0);
	if (run_tool("mkfs.btrfs", "-q", a.node, b.node, NULL) ||
	    mount_scratch(a.node, "pair", "btrfs", NULL, point)) {
		print_message("skip: no btrfs on two devices here\n");
		skip();
	}
	assert_non_null(scratch_file(path, "pair/file", LOOPDEV_MIB, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_true(t.device == 0);
	target_fini(&t);
	umount(point);
	loopdev_detach(&a);
	loopdev_detach(&b);
}

static void a_file_on_overlay_names_no_device(void **state)
{
	char point[PATH_MAX], dir[PATH_MAX], path[PATH_MAX];
	char options[1024];
	struct target t;

	(void)state;
	need_loops();
	/* In memory, for overlay does not lie on overlay. */
	assert_int_equal(mount_scratch("none", "layers", "tmpfs", NULL, point),
			 0);
	mkdir(scratch_path(dir, "layers/up"), 0700);
	mkdir(scratch_path(dir, "layers/work"), 0700);
	mkdir(scratch_path(dir, "layers/low"), 0700);
	mkdir(scratch_path(dir, "layers/all"), 0700);
	snprintf(options, sizeof(options),
		 "lowerdir=%.256s/low,upperdir=%.256s/up,workdir=%.256s/work",
		 point, point, point);
	if (mount("overlay", dir, "overlay", 0, options)) {
		print_message("skip: no overlay here\n");
		skip();
	}
	scratch_file(path, "layers/all/file", 65536, 'x');
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_string_equal(t.fs, "overlay");
	assert_true(t.device == 0);
	target_fini(&t);
	umount(dir);
	umount(point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		option_like_paths_are_refused_naming_the_character),
	    cmocka_unit_test(what_cannot_be_measured_is_refused),
	    cmocka_unit_test(zero_and_null_are_known_by_number),
	    cmocka_unit_test(a_file_is_ours_while_its_size_is_that_of_the_mark),
	    cmocka_unit_test(descriptors_are_kept_and_carry_the_mode),
	    cmocka_unit_test(a_replaced_file_is_not_opened),
	    cmocka_unit_test(a_file_in_memory_has_no_direct_mode),
	    cmocka_unit_test(a_device_tells_size_and_alignment),
	    cmocka_unit_test(the_path_of_a_device_is_never_split),
	    cmocka_unit_test(a_partition_tells_of_the_queue_of_its_disk),
	    cmocka_unit_test(a_file_on_ext4_names_its_device),
	    cmocka_unit_test(a_file_on_xfs_names_its_device),
	    cmocka_unit_test(a_file_on_btrfs_names_its_device),
	    cmocka_unit_test(a_file_on_several_devices_names_none),
	    cmocka_unit_test(a_file_on_overlay_names_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
