/* guard: who may be written, row by row of its decision table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/guard.h"
#include "engine/mark.h"
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

/* Both ways to ask must refuse, with the same sentence, which has to hold
 * these words; nothing stays open. */
static void assert_refused(const char *path, const char *consent,
			   const char *words)
{
	struct target t;
	struct err check = {0}, opened = {0};

	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = consent;
	assert_int_equal(guard_check_writable(&t, &check), -EPERM);
	assert_int_equal(check.kind, ERR_REFUSED);
	assert_says(&check, words);
	assert_says(&check, path);
	assert_int_equal(guard_open_writable(&t, 0, &opened), -EPERM);
	assert_string_equal(opened.text, check.text);
	assert_int_equal(t.claim_fd, -1);
	target_fini(&t);
}

static void assert_allowed(const char *path, const char *consent)
{
	struct target t;
	struct err err = {0};
	int fd;

	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = consent;
	if (guard_check_writable(&t, &err))
		fail_msg("refused: %s", err.text);
	fd = guard_open_writable(&t, 0, &err);
	if (fd < 0)
		fail_msg("refused: %s", err.text);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	close(fd);
	target_fini(&t);
}

static void a_file_of_others_needs_consent(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];

	(void)state;
	assert_non_null(scratch_file(path, "precious", 8192, 'x'));
	assert_non_null(scratch_file(other, "spare", 8192, 'x'));
	assert_refused(path, NULL, "was not laid out by iosweep");
	assert_refused(path, NULL, "--destroy-data-on");
	assert_refused(path, other, other);
	assert_refused(path, "/nonexistent", "/nonexistent");
	assert_allowed(path, path);
}

static void consent_may_name_a_file_by_another_path(void **state)
{
	char path[PATH_MAX], link[PATH_MAX];

	(void)state;
	assert_non_null(scratch_file(path, "one", 8192, 'x'));
	assert_int_equal(symlink(path, scratch_path(link, "link: to, one")), 0);
	assert_allowed(path, link);
	assert_allowed(link, path);
}

static void the_sentence_tells_of_other_names_of_a_file(void **state)
{
	char path[PATH_MAX], twin[PATH_MAX];

	(void)state;
	assert_non_null(scratch_file(path, "first", 8192, 'x'));
	assert_int_equal(link(path, scratch_path(twin, "second")), 0);
	assert_refused(path, NULL, "hard links");
	assert_allowed(path, path);
}

static bool mark(const char *path, uint64_t size_bytes)
{
	int fd = open(path, O_RDWR);
	int ret = mark_set(fd, size_bytes, 7);

	close(fd);
	return !ret;
}

static void a_file_of_ours_may_be_written(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_non_null(scratch_file(path, "ours", 8192, 'x'));
	if (!mark(path, 8192)) {
		print_message("skip: no xattrs here\n");
		skip();
	}
	assert_allowed(path, NULL);
	/* The mark of another size is none. */
	assert_true(mark(path, 4096));
	assert_refused(path, NULL, "was not laid out by iosweep");
}

static void a_file_of_ours_that_became_a_disk_image_needs_consent(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_non_null(scratch_file(path, "image", 4 * LOOPDEV_MIB, 'x'));
	if (!mark(path, 4 * LOOPDEV_MIB)) {
		print_message("skip: no xattrs here\n");
		skip();
	}
	assert_allowed(path, NULL);
	assert_int_equal(loopdev_write_table(path, 4 * LOOPDEV_MIB), 0);
	assert_refused(path, NULL, "now holds partition table dos");
	assert_allowed(path, path);
}

static int lock_file(void *path)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDONLY);

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

static void a_file_that_another_program_locked_is_refused(void **state)
{
	char path[PATH_MAX];
	pid_t child;

	(void)state;
	assert_non_null(scratch_file(path, "locked", 8192, 'x'));
	child = child_start(lock_file, path);
	assert_true(child > 0);
	assert_refused(path, path, "locked by another program");
	child_end(child);
	assert_allowed(path, path);
}

static void a_file_beyond_the_limit_on_sizes_is_refused(void **state)
{
	char path[PATH_MAX];
	struct rlimit before, limit;
	struct target t;
	struct err err = {0};

	(void)state;
	assert_non_null(scratch_file(path, "large", 8192, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = path;
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(guard_open_writable(&t, 0, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_says(&err, "ulimit -f");
	target_fini(&t);
}

static void a_file_swapped_for_another_is_refused(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct target t;
	struct err err = {0};

	(void)state;
	assert_non_null(scratch_file(path, "checked", 8192, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = path;
	assert_int_equal(guard_check_writable(&t, NULL), 0);
	assert_non_null(scratch_file(other, "victim", 8192, 'x'));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(guard_open_writable(&t, 0, &err), -EPERM);
	assert_says(&err, "replaced");
	target_fini(&t);
}

static void a_file_under_a_loop_device_is_refused(void **state)
{
	char path[PATH_MAX], moved[PATH_MAX];
	struct loopdev loop;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "backing", LOOPDEV_MIB, 0), 0);
	assert_refused(loop.file, loop.file, loop.node);
	mark(loop.file, LOOPDEV_MIB);
	assert_refused(loop.file, NULL, "losetup -d");
	/* By whatever name. */
	assert_int_equal(link(loop.file, scratch_path(path, "alias")), 0);
	assert_refused(path, path, loop.node);
	assert_int_equal(rename(loop.file, scratch_path(moved, "moved")), 0);
	assert_refused(moved, moved, loop.node);
	loopdev_detach(&loop);
	assert_allowed(moved, moved);
}

static void a_swap_file_is_refused(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct loopdev loop;

	(void)state;
	need_loops();
	/* On a file system of its own: swap on the machine's is not for a
	 * test to make. */
	assert_int_equal(loopdev_new(&loop, "fs", 64 * LOOPDEV_MIB, 0), 0);
	if (run_tool("mkfs.ext4", "-q", loop.node, NULL) ||
	    mount_scratch(loop.node, "with-swap", "ext4", NULL, point)) {
		print_message("skip: no ext4 here\n");
		skip();
	}
	assert_non_null(
	    scratch_file(path, "with-swap/my swap", 4 * LOOPDEV_MIB, 'x'));
	if (run_tool("mkswap", path, NULL) || swap_start(path)) {
		print_message("skip: no swap here\n");
		skip();
	}
	assert_refused(path, path, "is swap in use");
	assert_int_equal(swap_end(), 0);
	assert_refused(path, NULL, "holds data of type swap");
	assert_allowed(path, path);
	umount(point);
	loopdev_detach(&loop);
}

static void a_free_device_needs_consent_that_names_it(void **state)
{
	struct loopdev loop, other;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "free", LOOPDEV_MIB, 0), 0);
	assert_int_equal(loopdev_new(&other, "other", LOOPDEV_MIB, 0), 0);
	assert_refused(loop.node, NULL, "--destroy-data-on");
	assert_refused(loop.node, NULL, "nothing that libblkid knows");
	assert_refused(loop.node, other.node, other.node);
	assert_refused(loop.node, "/dev/null", "/dev/null");
	/* The file below is not the device. */
	assert_refused(loop.node, loop.file, loop.file);
	assert_refused(loop.node, "/dev/nonexistent", "No such file");
	assert_allowed(loop.node, loop.node);
	loopdev_detach(&loop);
	loopdev_detach(&other);
}

static void consent_may_name_a_device_by_its_link(void **state)
{
	char link[PATH_MAX], wrong[PATH_MAX];
	struct loopdev loop, other;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "x", LOOPDEV_MIB, 0), 0);
	assert_int_equal(loopdev_new(&other, "y", LOOPDEV_MIB, 0), 0);
	scratch_path(link, "usb-ACME_0:0, part 1");
	scratch_path(wrong, "usb-ACME_0:0, part 2");
	assert_int_equal(symlink(loop.node, link), 0);
	assert_int_equal(symlink(other.node, wrong), 0);
	assert_allowed(link, link);
	assert_allowed(link, loop.node);
	assert_allowed(loop.node, link);
	assert_refused(link, wrong, wrong);
	assert_refused(link, NULL, loop.node);
	loopdev_detach(&loop);
	loopdev_detach(&other);
}

static void a_device_is_held_while_it_is_open_for_writing(void **state)
{
	struct loopdev loop;
	struct target t;
	int direct, dsync, fd;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "held", LOOPDEV_MIB, 0), 0);
	assert_int_equal(target_probe(loop.node, &t, NULL), 0);
	t.consent = loop.node;
	direct = target_fd(&t, CACHE_DIRECT, true, NULL);
	/* Of ours there may be several. */
	dsync = target_fd(&t, CACHE_DIRECT_DSYNC, true, NULL);
	assert_true(direct >= 0 && dsync >= 0 && direct != dsync);
	fd = open(loop.node, O_RDONLY | O_EXCL);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, EBUSY);
	assert_refused(loop.node, loop.node, "held exclusively");
	target_close_fds(&t);
	fd = open(loop.node, O_RDONLY | O_EXCL);
	assert_true(fd >= 0);
	/* Held by somebody else, as RAID, LVM and a hidden mount do. */
	assert_refused(loop.node, loop.node, "held exclusively");
	close(fd);
	target_fini(&t);
	loopdev_detach(&loop);
}

static void asking_and_reading_never_open_for_writing(void **state)
{
	struct loopdev loop;
	struct target t;
	char buf[GUARD_DESCRIBE_MAX], path[PATH_MAX];
	int fd;

	(void)state;
	need_loops();
	/* A read-only loop device takes no writable open. */
	assert_non_null(scratch_file(path, "ro", LOOPDEV_MIB, 'x'));
	assert_int_equal(loopdev_attach(&loop, path, LOOPDEV_READ_ONLY, 0), 0);
	assert_int_equal(target_probe(loop.node, &t, NULL), 0);
	fd = target_fd(&t, CACHE_DIRECT, false, NULL);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(guard_describe(&t, buf, sizeof(buf)), 0);
	assert_int_equal(t.claim_fd, -1);
	target_fini(&t);
	assert_refused(loop.node, loop.node, "is read-only");
	loopdev_detach(&loop);
}

/* A loop device with ext4 on it, or skip. */
static void new_ext4(struct loopdev *loop, const char *name)
{
	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
	assert_int_equal(loopdev_new(loop, name, 16 * LOOPDEV_MIB, 0), 0);
	if (run_tool("mkfs.ext4", "-q", "-L", "my data", "-U",
		     "11111111-2222-3333-4444-555555555555", loop->node,
		     NULL)) {
		loopdev_detach(loop);
		print_message("skip: no mkfs.ext4 here\n");
		skip();
	}
}

static void what_would_be_lost_is_told(void **state)
{
	static const char lost[] = "file system ext4, label \"my data\", UUID "
				   "11111111-2222-3333-4444-555555555555";
	char buf[GUARD_DESCRIBE_MAX];
	struct loopdev loop;
	struct target t;

	(void)state;
	new_ext4(&loop, "lost");
	assert_refused(loop.node, NULL, lost);
	assert_int_equal(target_probe(loop.node, &t, NULL), 0);
	assert_int_equal(guard_describe(&t, buf, sizeof(buf)), 0);
	assert_non_null(strstr(buf, lost));
	assert_non_null(strstr(buf, "16 MiB"));
	target_fini(&t);
	assert_allowed(loop.node, loop.node);
	loopdev_detach(&loop);
}

static void a_label_cannot_steer_a_terminal(void **state)
{
	char buf[GUARD_DESCRIBE_MAX];
	struct loopdev loop;
	struct target t;

	(void)state;
	new_ext4(&loop, "hostile");
	/* ESC of ASCII, CSI of Latin-1 in UTF-8, and an umlaut that stays. */
	assert_int_equal(run_tool("e2label", loop.node,
				  "\x1b[1m\xc2\x9b"
				  "2J\xc3\xa4",
				  NULL),
			 0);
	assert_int_equal(target_probe(loop.node, &t, NULL), 0);
	assert_int_equal(guard_describe(&t, buf, sizeof(buf)), 0);
	assert_non_null(strstr(buf, "label \"?[1m??2J\xc3\xa4\""));
	target_fini(&t);
	loopdev_detach(&loop);
}

static void a_mounted_device_is_refused(void **state)
{
	char point[PATH_MAX], copy[PATH_MAX];
	struct loopdev loop;

	(void)state;
	new_ext4(&loop, "mounted");
	assert_int_equal(mount_scratch(loop.node, "a b", "ext4", NULL, point),
			 0);
	assert_refused(loop.node, loop.node, "is mounted at ");
	assert_refused(loop.node, loop.node, point);
	/* Nobody is told how to destroy what is mounted. */
	assert_refused(loop.node, NULL, "unmount it first");
	/* Its other mount goes on when the first one goes. */
	mkdir(scratch_path(copy, "bound"), 0700);
	assert_int_equal(mount(point, copy, "none", MS_BIND, NULL), 0);
	assert_int_equal(umount(point), 0);
	assert_refused(loop.node, loop.node, copy);
	assert_int_equal(umount(copy), 0);
	assert_allowed(loop.node, loop.node);
	loopdev_detach(&loop);
}

/* A file and a device by another name that is no link. */
static void a_bind_mount_is_what_it_shows(void **state)
{
	char file[PATH_MAX], other[PATH_MAX], shown[PATH_MAX];
	struct loopdev loop;

	(void)state;
	new_ext4(&loop, "shown-fs");
	assert_non_null(scratch_file(file, "data", 8192, 'x'));
	assert_non_null(scratch_file(other, "other", 8192, 'x'));
	assert_non_null(scratch_file(shown, "shown", 8192, 'x'));
	assert_int_equal(mount(file, shown, "none", MS_BIND, NULL), 0);
	assert_refused(shown, NULL, "--destroy-data-on");
	assert_refused(shown, other, "--destroy-data-on");
	assert_allowed(shown, file);
	assert_allowed(file, shown);
	assert_int_equal(umount(shown), 0);
	/* Consent for the file below is none for what lies over it. */
	assert_int_equal(mount(loop.node, shown, "none", MS_BIND, NULL), 0);
	assert_refused(shown, NULL, "file system ext4");
	assert_refused(shown, file, "which is not the same");
	assert_allowed(shown, loop.node);
	assert_int_equal(umount(shown), 0);
	loopdev_detach(&loop);
}

/* Busy still, with nothing left in any table of mounts. */
static void a_device_unmounted_lazily_is_refused(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct loopdev loop;
	int fd;

	(void)state;
	new_ext4(&loop, "lazy");
	assert_int_equal(
	    mount_scratch(loop.node, "lazily", "ext4", NULL, point), 0);
	scratch_file(path, "lazily/open", 4096, 'x');
	fd = open(path, O_RDONLY);
	assert_int_equal(umount2(point, MNT_DETACH), 0);
	assert_refused(loop.node, loop.node, "held exclusively");
	close(fd);
	loopdev_detach(&loop);
}

struct other_namespace {
	const char *node, *point;
};

static int mount_elsewhere(void *arg)
{
	const struct other_namespace *o = arg;

	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount(o->node, o->point, "ext4", 0, NULL))
		return -errno;
	return 0;
}

static void a_device_mounted_in_another_namespace_is_refused(void **state)
{
	char point[PATH_MAX], process[32];
	struct loopdev loop;
	struct other_namespace other = {loop.node, point};
	pid_t child;

	(void)state;
	new_ext4(&loop, "elsewhere");
	mkdir(scratch_path(point, "there"), 0700);
	child = child_start(mount_elsewhere, &other);
	assert_true(child > 0);
	assert_refused(loop.node, loop.node, point);
	snprintf(process, sizeof(process), "as process %d sees it", (int)child);
	assert_refused(loop.node, loop.node, process);
	child_end(child);
	loopdev_detach(&loop);
}

static void a_mounted_btrfs_is_refused_by_each_of_its_devices(void **state)
{
	char point[PATH_MAX];
	struct loopdev a, b;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&a, "a", 200 * LOOPDEV_MIB, 0), 0);
	assert_int_equal(loopdev_new(&b, "b", 200 * LOOPDEV_MIB, 0), 0);
	if (run_tool("mkfs.btrfs", "-q", a.node, b.node, NULL) ||
	    mount_scratch(a.node, "pair", "btrfs", NULL, point)) {
		print_message("skip: no btrfs on two devices here\n");
		skip();
	}
	assert_refused(a.node, a.node, "is mounted at ");
	/* No table of mounts names the second one. */
	assert_refused(b.node, b.node, "held exclusively");
	umount(point);
	loopdev_detach(&a);
	loopdev_detach(&b);
}

static void a_swap_device_is_refused(void **state)
{
	struct loopdev loop;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "swap", 4 * LOOPDEV_MIB, 0), 0);
	if (run_tool("mkswap", loop.node, NULL) || swap_start(loop.node)) {
		loopdev_detach(&loop);
		print_message("skip: no swap here\n");
		skip();
	}
	assert_refused(loop.node, loop.node, "is swap in use");
	assert_int_equal(swap_end(), 0);
	assert_refused(loop.node, NULL, "data of type swap");
	assert_allowed(loop.node, loop.node);
	loopdev_detach(&loop);
}

struct disk {
	struct loopdev loop;
	char part[48];
};

/* A loop device with a table and its one partition, known to the kernel. */
static void new_disk(struct disk *d, const char *name)
{
	char path[PATH_MAX];

	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
	scratch_file(path, name, 32 * LOOPDEV_MIB, 0);
	assert_int_equal(loopdev_write_table(path, 32 * LOOPDEV_MIB), 0);
	assert_int_equal(loopdev_attach(&d->loop, path, LOOPDEV_PARTITIONS, 0),
			 0);
	assert_int_equal(loopdev_add_partition(&d->loop, 1, LOOPDEV_MIB,
					       31 * LOOPDEV_MIB, d->part),
			 0);
}

static void consent_for_a_disk_is_none_for_its_partition(void **state)
{
	struct disk d;

	(void)state;
	new_disk(&d, "parts");
	assert_refused(d.loop.node, NULL,
		       "partition table dos with 1 partition");
	assert_refused(d.part, d.loop.node, d.loop.node);
	assert_refused(d.loop.node, d.part, d.part);
	assert_allowed(d.loop.node, d.loop.node);
	assert_allowed(d.part, d.part);
	loopdev_detach(&d.loop);
}

static void a_disk_with_a_mounted_partition_is_refused(void **state)
{
	char point[PATH_MAX], words[128];
	struct disk d;

	(void)state;
	new_disk(&d, "halves");
	if (run_tool("mkfs.ext4", "-q", d.part, NULL)) {
		loopdev_detach(&d.loop);
		print_message("skip: no mkfs.ext4 here\n");
		skip();
	}
	assert_int_equal(mount_scratch(d.part, "part", "ext4", NULL, point), 0);
	snprintf(words, sizeof(words), "its partition %s is mounted at ",
		 d.part);
	assert_refused(d.loop.node, d.loop.node, words);
	assert_refused(d.part, d.part, "is mounted at ");
	umount(point);
	assert_allowed(d.loop.node, d.loop.node);
	loopdev_detach(&d.loop);
}

static void a_partition_of_a_mounted_disk_is_refused(void **state)
{
	char point[PATH_MAX], words[128];
	struct disk d;

	(void)state;
	new_disk(&d, "whole");
	if (run_tool("mkfs.ext4", "-q", "-F", d.loop.node, NULL) ||
	    mount_scratch(d.loop.node, "whole disk", "ext4", NULL, point)) {
		loopdev_detach(&d.loop);
		print_message("skip: no ext4 here\n");
		skip();
	}
	snprintf(words, sizeof(words), "its disk %s is mounted at ",
		 d.loop.node);
	assert_refused(d.part, d.part, words);
	umount(point);
	loopdev_detach(&d.loop);
}

static void a_disk_with_a_held_partition_is_refused(void **state)
{
	struct disk d;
	int fd;

	(void)state;
	new_disk(&d, "lvm");
	fd = open(d.part, O_RDONLY | O_EXCL);
	assert_true(fd >= 0);
	assert_refused(d.loop.node, d.loop.node, "held exclusively");
	assert_refused(d.part, d.part, "held exclusively");
	close(fd);
	loopdev_detach(&d.loop);
}

static void partitions_that_the_kernel_does_not_know_are_refused(void **state)
{
	char path[PATH_MAX];
	struct loopdev loop;

	(void)state;
	need_loops();
	scratch_file(path, "unknown", 32 * LOOPDEV_MIB, 0);
	assert_int_equal(loopdev_write_table(path, 32 * LOOPDEV_MIB), 0);
	/* A loop device without the flag is not scanned by any kernel. */
	assert_int_equal(loopdev_attach(&loop, path, 0, 0), 0);
	assert_refused(loop.node, loop.node, "wipefs -a ");
	assert_refused(loop.node, loop.node, "partition table dos");
	loopdev_detach(&loop);
}

static void a_device_under_a_loop_device_is_refused(void **state)
{
	char point[PATH_MAX];
	struct loopdev below, above;

	(void)state;
	new_ext4(&below, "below");
	assert_int_equal(loopdev_attach(&above, below.node, 0, 0), 0);
	/* Nobody holds the lower one exclusively. */
	assert_refused(below.node, below.node, above.node);
	assert_refused(above.node, above.node, "nothing keeps others");
	assert_int_equal(
	    mount_scratch(above.node, "above", "ext4", NULL, point), 0);
	assert_refused(below.node, below.node, "is mounted at ");
	umount(point);
	assert_int_equal(
	    mount_scratch(below.node, "above", "ext4", NULL, point), 0);
	assert_refused(above.node, above.node, "is mounted at ");
	umount(point);
	loopdev_detach(&above);
	assert_allowed(below.node, below.node);
	loopdev_detach(&below);
}

static void two_loop_devices_on_one_file_are_refused(void **state)
{
	char point[PATH_MAX];
	struct loopdev one, two;

	(void)state;
	new_ext4(&one, "shared");
	assert_int_equal(loopdev_attach(&two, one.file, 0, 0), 0);
	assert_refused(two.node, two.node, "lies on the same file");
	assert_int_equal(
	    mount_scratch(one.node, "shared mount", "ext4", NULL, point), 0);
	assert_refused(two.node, two.node, point);
	umount(point);
	loopdev_detach(&one);
	assert_allowed(two.node, two.node);
	loopdev_detach(&two);
}

static void another_disk_under_the_same_number_is_refused(void **state)
{
	char link[PATH_MAX], file[PATH_MAX];
	struct loopdev first, second;
	struct target t;
	struct err err = {0};

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&first, "disk 1", LOOPDEV_MIB, 0), 0);
	assert_int_equal(target_probe(first.node, &t, NULL), 0);
	t.consent = first.node;
	scratch_path(link, "unused");
	loopdev_detach(&first);
	assert_non_null(scratch_file(file, "disk 2", LOOPDEV_MIB, 0));
	assert_int_equal(loopdev_attach(&second, file, 0, 0), 0);
	if (second.dev != first.dev || !t.diskseq) {
		loopdev_detach(&second);
		target_fini(&t);
		print_message("skip: the number was not given again\n");
		skip();
	}
	assert_int_equal(guard_check_writable(&t, &err), -EPERM);
	assert_says(&err, "another disk");
	assert_int_equal(guard_open_writable(&t, 0, NULL), -EPERM);
	target_fini(&t);
	loopdev_detach(&second);
}

static void a_link_turned_to_another_device_is_refused(void **state)
{
	char link[PATH_MAX];
	struct loopdev one, two;
	struct target t;
	struct err err = {0};

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&one, "1", LOOPDEV_MIB, 0), 0);
	assert_int_equal(loopdev_new(&two, "2", LOOPDEV_MIB, 0), 0);
	assert_int_equal(symlink(one.node, scratch_path(link, "disk")), 0);
	assert_int_equal(target_probe(link, &t, NULL), 0);
	t.consent = link;
	assert_int_equal(guard_check_writable(&t, NULL), 0);
	unlink(link);
	assert_int_equal(symlink(two.node, link), 0);
	assert_int_equal(guard_open_writable(&t, 0, &err), -EPERM);
	assert_says(&err, "leads elsewhere");
	target_fini(&t);
	loopdev_detach(&one);
	loopdev_detach(&two);
}

/* Only asked, and never opened for writing. */
static void the_disk_of_the_root_file_system_is_refused(void **state)
{
	char name[BLOCKDEV_NAME_MAX], node[BLOCKDEV_NAME_MAX + 8];
	struct stat st;
	struct target t;
	struct err err = {0};

	(void)state;
	assert_int_equal(stat("/", &st), 0);
	if (!blockdev_exists(st.st_dev)) {
		print_message("skip: / lies on no block device of its own\n");
		skip();
	}
	snprintf(node, sizeof(node), "/dev/%s", blockdev_name(st.st_dev, name));
	if (target_probe(node, &t, NULL)) {
		print_message("skip: %s cannot be read\n", node);
		skip();
	}
	assert_int_equal(guard_check_writable(&t, &err), -EPERM);
	assert_says(&err, "is mounted at ");
	target_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_file_of_others_needs_consent),
	    cmocka_unit_test(consent_may_name_a_file_by_another_path),
	    cmocka_unit_test(the_sentence_tells_of_other_names_of_a_file),
	    cmocka_unit_test(a_file_of_ours_may_be_written),
	    cmocka_unit_test(
		a_file_of_ours_that_became_a_disk_image_needs_consent),
	    cmocka_unit_test(a_file_that_another_program_locked_is_refused),
	    cmocka_unit_test(a_file_beyond_the_limit_on_sizes_is_refused),
	    cmocka_unit_test(a_file_swapped_for_another_is_refused),
	    cmocka_unit_test(a_file_under_a_loop_device_is_refused),
	    cmocka_unit_test(a_swap_file_is_refused),
	    cmocka_unit_test(a_free_device_needs_consent_that_names_it),
	    cmocka_unit_test(consent_may_name_a_device_by_its_link),
	    cmocka_unit_test(a_device_is_held_while_it_is_open_for_writing),
	    cmocka_unit_test(asking_and_reading_never_open_for_writing),
	    cmocka_unit_test(what_would_be_lost_is_told),
	    cmocka_unit_test(a_label_cannot_steer_a_terminal),
	    cmocka_unit_test(a_mounted_device_is_refused),
	    cmocka_unit_test(a_bind_mount_is_what_it_shows),
	    cmocka_unit_test(a_device_unmounted_lazily_is_refused),
	    cmocka_unit_test(a_device_mounted_in_another_namespace_is_refused),
	    cmocka_unit_test(a_mounted_btrfs_is_refused_by_each_of_its_devices),
	    cmocka_unit_test(a_swap_device_is_refused),
	    cmocka_unit_test(consent_for_a_disk_is_none_for_its_partition),
	    cmocka_unit_test(a_disk_with_a_mounted_partition_is_refused),
	    cmocka_unit_test(a_partition_of_a_mounted_disk_is_refused),
	    cmocka_unit_test(a_disk_with_a_held_partition_is_refused),
	    cmocka_unit_test(
		partitions_that_the_kernel_does_not_know_are_refused),
	    cmocka_unit_test(a_device_under_a_loop_device_is_refused),
	    cmocka_unit_test(two_loop_devices_on_one_file_are_refused),
	    cmocka_unit_test(another_disk_under_the_same_number_is_refused),
	    cmocka_unit_test(a_link_turned_to_another_device_is_refused),
	    cmocka_unit_test(the_disk_of_the_root_file_system_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
