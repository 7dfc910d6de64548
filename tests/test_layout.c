/* layout: files made whole or not at all, and what was never written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "engine/layout.h"
#include "engine/mark.h"
#include "engine/units.h"
#include "tests/loopdev.h"

static void assert_says(const struct err *err, const char *words)
{
	if (!strstr(err->text, words))
		fail_msg("\"%s\" does not say \"%s\"", err->text, words);
}

static void need_loops(void)
{
	if (loopdev_unavailable()) {
		print_message("skip: %s\n", loopdev_unavailable());
		skip();
	}
}

/* A mounted file system of that type on a loop device of its own, or skip. */
static void new_mount(struct loopdev *loop, const char *type,
		      uint64_t size_bytes, char *point)
{
	char mkfs[32], name[64];

	need_loops();
	snprintf(mkfs, sizeof(mkfs), "mkfs.%s", type);
	snprintf(name, sizeof(name), "%s image", type);
	assert_int_equal(loopdev_new(loop, name, size_bytes, 0), 0);
	snprintf(name, sizeof(name), "%s mount", type);
	if (run_tool(mkfs, "-q", loop->node, NULL) ||
	    mount_scratch(loop->node, name, type, NULL, point)) {
		loopdev_detach(loop);
		print_message("skip: no %s here\n", type);
		skip();
	}
}

static void end_mount(struct loopdev *loop, const char *point)
{
	assert_int_equal(umount(point), 0);
	loopdev_detach(loop);
}

static unsigned entries_in(const char *path)
{
	unsigned count = 0;
	struct dirent *entry;
	DIR *dir = opendir(path);

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    strcmp(entry->d_name, "lost+found"))
			count++;
	closedir(dir);
	return count;
}

static unsigned char *read_file(const char *path, size_t size)
{
	unsigned char *data = malloc(size);
	int fd = open(path, O_RDONLY);

	assert_non_null(data);
	assert_int_equal(read(fd, data, size), size);
	close(fd);
	return data;
}

struct told {
	unsigned calls;
	uint64_t last, total;
	bool backwards;
	volatile sig_atomic_t *stop; /* set at the first call */
};

static void note_progress(void *arg, uint64_t done, uint64_t total)
{
	struct told *told = arg;

	told->calls++;
	told->backwards |= done < told->last;
	told->last = done;
	told->total = total;
	if (told->stop)
		*told->stop = 1;
}

static void a_new_file_is_whole_and_marked(void **state)
{
	char path[PATH_MAX];
	struct told told = {0};
	struct layout_request req = {
	    .path = scratch_path(path, "new"),
	    .size_bytes = 20 * MIB + 4096 + 5,
	    .seed = 42,
	    .progress = note_progress,
	    .progress_arg = &told,
	};
	struct target t;
	struct stat st;
	uint64_t unwritten = 1;

	(void)state;
	assert_int_equal(layout_create(&req, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size == req.size_bytes);
	assert_true((uint64_t)st.st_blocks * 512 >= req.size_bytes);
	assert_int_equal(st.st_nlink, 1);
	assert_true(told.calls >= 1 && !told.backwards);
	assert_true(told.last == req.size_bytes &&
		    told.total == req.size_bytes);

	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_true(t.laid_out);
	if (!layout_unwritten_bytes(&t, &unwritten))
		assert_true(unwritten == 0);
	assert_int_equal(layout_all_zero(&t, 64), 0);
	target_fini(&t);
	unlink(path);
}

/* No byte value is much more frequent than others, no block comes twice, and
 * the same seed gives the same file. */
static void the_data_is_random_and_named_by_the_seed(void **state)
{
	char path[PATH_MAX];
	struct layout_request req = {.path = scratch_path(path, "random"),
				     .size_bytes = 3 * MIB,
				     .seed = 1};
	unsigned char *first, *again, *other;
	uint64_t seen[256] = {0};
	size_t i;

	(void)state;
	assert_int_equal(layout_create(&req, NULL), 0);
	first = read_file(path, 3 * MIB);
	unlink(path);
	assert_int_equal(layout_create(&req, NULL), 0);
	again = read_file(path, 3 * MIB);
	unlink(path);
	req.seed = 2;
	assert_int_equal(layout_create(&req, NULL), 0);
	other = read_file(path, 3 * MIB);
	unlink(path);

	assert_memory_equal(first, again, 3 * MIB);
	assert_memory_not_equal(first, other, 4096);
	assert_memory_not_equal(first, first + MIB, 4096);
	for (i = 0; i < 3 * MIB; i++)
		seen[first[i]]++;
	/* 12288 expected, standard deviation 111. */
	for (i = 0; i < 256; i++)
		assert_in_range(seen[i], 12288 - 800, 12288 + 800);
	free(first);
	free(again);
	free(other);
}

static void what_is_there_is_not_touched(void **state)
{
	char path[PATH_MAX], link[PATH_MAX];
	struct layout_request req = {.path = path, .size_bytes = MIB};
	struct err err = {0};
	struct stat st;

	(void)state;
	assert_non_null(scratch_file(path, "there", 100, 'x'));
	assert_int_equal(layout_create(&req, &err), -EEXIST);
	assert_says(&err, "is there already");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 100);

	/* A link that leads nowhere is not followed. */
	assert_int_equal(symlink("/nonexistent/x", scratch_path(link, "gone")),
			 0);
	req.path = link;
	assert_int_equal(layout_create(&req, NULL), -EEXIST);
}

static void a_file_in_no_folder_is_refused(void **state)
{
	char path[PATH_MAX];
	struct layout_request req = {
	    .path = scratch_path(path, "no folder/file"), .size_bytes = MIB};
	struct err err = {0};

	(void)state;
	assert_int_equal(layout_create(&req, &err), -ENOENT);
	assert_says(&err, path);
	err_clear(&err);
	req.path = "\xe2\x80\x93"
		   "b8K";
	assert_int_equal(layout_create(&req, &err), -EINVAL);
	assert_says(&err, "en dash");
	req.path = scratch_path(path, "named as a folder/");
	assert_true(layout_create(&req, NULL) < 0);
}

static void a_stopped_layout_leaves_nothing(void **state)
{
	char dir[PATH_MAX], path[PATH_MAX];
	volatile sig_atomic_t stop = 0;
	struct told told = {.stop = &stop};
	struct layout_request req = {
	    .path = path,
	    .size_bytes = 8 * MIB,
	    .progress = note_progress,
	    .progress_arg = &told,
	    .stop = &stop,
	};
	struct err err = {0};

	(void)state;
	assert_int_equal(mkdir(scratch_path(dir, "stop"), 0700), 0);
	scratch_path(path, "stop/file");
	assert_int_equal(layout_create(&req, &err), -EINTR);
	assert_int_equal(told.calls, 1);
	assert_says(&err, "stopped");
	assert_int_equal(entries_in(dir), 0);
}

static void a_full_file_system_is_refused_before_writing(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];
	struct loopdev loop;
	struct layout_request req = {.path = path, .size_bytes = 60 * MIB};
	struct err err = {0};

	(void)state;
	new_mount(&loop, "ext4", 32 * MIB, point);
	scratch_path(path, "ext4 mount/file");
	assert_int_equal(layout_create(&req, &err), -ENOSPC);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_says(&err, "needs 60 MiB");
	assert_says(&err, "--size");
	assert_int_equal(entries_in(point), 0);
	assert_int_equal(layout_check_room(path, 60 * MIB, NULL), -ENOSPC);
	assert_int_equal(layout_check_room(path, MIB, NULL), 0);

	req.size_bytes = 8 * MIB;
	assert_int_equal(layout_create(&req, NULL), 0);
	assert_int_equal(entries_in(point), 1);
	end_mount(&loop, point);
}

/* The image below is larger than its own file system: the writes are taken
 * and fail when they are written back. */
static void a_file_that_cannot_be_written_back_is_not_made(void **state)
{
	char outer[PATH_MAX], inner[PATH_MAX], path[PATH_MAX];
	struct loopdev loop;
	struct layout_request req = {.path = path, .size_bytes = 32 * MIB};
	struct err err = {0};
	int ret;

	(void)state;
	need_loops();
	assert_int_equal(
	    mount_scratch("none", "small", "tmpfs", "size=8m", outer), 0);
	assert_int_equal(loopdev_new(&loop, "small/image", 64 * MIB, 0), 0);
	if (run_tool("mkfs.ext4", "-q", "-E", "nodiscard", loop.node, NULL) ||
	    mount_scratch(loop.node, "inner", "ext4", NULL, inner)) {
		print_message("skip: no ext4 here\n");
		skip();
	}
	scratch_path(path, "inner/file");
	ret = layout_create(&req, &err);
	assert_true(ret == -EIO || ret == -ENOSPC);
	assert_int_equal(err.kind, ERR_FAILED);
	assert_says(&err, path);
	assert_int_equal(access(path, F_OK), -1);
	umount2(inner, MNT_DETACH);
	loopdev_detach(&loop);
	umount2(outer, MNT_DETACH);
}

static void the_limit_on_file_sizes_is_told_not_died_of(void **state)
{
	char path[PATH_MAX];
	struct rlimit before, limit;
	struct layout_request req = {.path = scratch_path(path, "limited"),
				     .size_bytes = 2 * MIB};
	struct err err = {0};

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = MIB;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(layout_create(&req, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_says(&err, "ulimit -f");
	assert_int_equal(access(path, F_OK), -1);
}

/* From now on this process finds no unnamed files and no xattrs, as on vfat
 * or NFS. */
static int deny_unnamed_files_and_xattrs(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fsetxattr, 4, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 2),
	    /* The low half of the flags on a little-endian machine. */
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, args[2])),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 1,
		     0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return -errno;
	return 0;
}

/* In a child: 0 when all is as it should be, else the line. */
static int lay_out_without_much(void *folder)
{
	char path[PATH_MAX];
	volatile sig_atomic_t stop = 1;
	struct layout_request req = {
	    .path = path, .size_bytes = 4 * MIB, .stop = &stop};
	struct target t;

	snprintf(path, sizeof(path), "%.1000s/file", (const char *)folder);
	if (deny_unnamed_files_and_xattrs())
		return -ENOSYS;
	if (layout_create(&req, NULL) != -EINTR || !access(path, F_OK))
		return -__LINE__;
	stop = 0;
	if (layout_create(&req, NULL))
		return -__LINE__;
	if (layout_create(&req, NULL) != -EEXIST || access(path, F_OK))
		return -__LINE__;
	if (target_probe(path, &t, NULL) || t.laid_out ||
	    t.size_bytes != 4 * MIB || layout_all_zero(&t, 16))
		return -__LINE__;
	return 0;
}

static void a_file_system_that_lacks_much_gets_a_file_all_the_same(void **state)
{
	char dir[PATH_MAX];
	pid_t child;

	(void)state;
	assert_int_equal(mkdir(scratch_path(dir, "poor"), 0700), 0);
	child = child_start(lay_out_without_much, dir);
	if (child == -ENOSYS) {
		print_message("skip: no seccomp filter here\n");
		skip();
	}
	if (child < 0)
		fail_msg("line %d", -(int)child);
	child_end(child);
	assert_int_equal(entries_in(dir), 1);
}

static void write_block(int fd, uint64_t offset)
{
	unsigned char data[4096];

	memset(data, 'x', sizeof(data));
	assert_int_equal(pwrite(fd, data, sizeof(data), (off_t)offset),
			 sizeof(data));
}

/* 1 MiB written, 1 MiB hole, 1 MiB allocated and never written, 1 MiB
 * written; more pieces than one answer of the kernel holds with `pieces`. */
static void check_unwritten(const char *path, unsigned pieces, bool prealloc)
{
	uint64_t unwritten = 0, expected = 2 * MIB;
	struct target t;
	unsigned i;
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	off_t piece = MIB;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4 * MIB + pieces * 131072), 0);
	for (i = 0; i < MIB / 4096; i++) {
		write_block(fd, i * 4096);
		write_block(fd, 3 * MIB + i * 4096);
	}
	if (prealloc)
		assert_int_equal(fallocate(fd, 0, 2 * piece, piece), 0);
	/* A block, then a hole, again and again. */
	for (i = 0; i < pieces; i++)
		write_block(fd, 4 * MIB + i * 131072);
	expected += (uint64_t)pieces * (131072 - 4096);

	/* Nothing is synced: that is what FIEMAP_FLAG_SYNC is for. */
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_int_equal(layout_unwritten_bytes(&t, &unwritten), 0);
	assert_true(unwritten == expected);
	target_fini(&t);
	close(fd);
}

static void holes_and_unwritten_extents_are_found_on(const char *type)
{
	char point[PATH_MAX], name[64], path[PATH_MAX];
	struct loopdev loop;

	new_mount(&loop, type, 400 * MIB, point);
	snprintf(name, sizeof(name), "%s mount/file", type);
	scratch_path(path, name);
	check_unwritten(path, 0, true);
	check_unwritten(path, 600, true);
	end_mount(&loop, point);
}

static void holes_and_unwritten_extents_are_found_on_ext4(void **state)
{
	(void)state;
	holes_and_unwritten_extents_are_found_on("ext4");
}

static void holes_and_unwritten_extents_are_found_on_xfs(void **state)
{
	(void)state;
	holes_and_unwritten_extents_are_found_on("xfs");
}

static void holes_and_unwritten_extents_are_found_on_btrfs(void **state)
{
	(void)state;
	holes_and_unwritten_extents_are_found_on("btrfs");
}

/* It knows no FIEMAP. */
static void holes_are_found_by_seeking_on_tmpfs(void **state)
{
	char point[PATH_MAX], path[PATH_MAX];

	(void)state;
	need_loops();
	assert_int_equal(mount_scratch("none", "memory", "tmpfs", NULL, point),
			 0);
	check_unwritten(scratch_path(path, "memory/file"), 40, false);
	umount(point);
}

static void a_hole_all_through_is_found(void **state)
{
	char path[PATH_MAX];
	uint64_t unwritten = 0;
	struct target t;
	int ret;

	(void)state;
	assert_non_null(scratch_file(path, "sparse", 8 * MIB, 0));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	ret = layout_unwritten_bytes(&t, &unwritten);
	if (ret != -EOPNOTSUPP) {
		assert_int_equal(ret, 0);
		assert_true(unwritten == 8 * MIB);
	}
	assert_int_equal(layout_all_zero(&t, 16), 1);
	target_fini(&t);
}

static void devices_do_not_tell_what_was_written(void **state)
{
	struct target t;
	uint64_t unwritten = 77;

	(void)state;
	assert_int_equal(target_probe("/dev/zero", &t, NULL), 0);
	assert_int_equal(layout_unwritten_bytes(&t, &unwritten), -EOPNOTSUPP);
	assert_true(unwritten == 77);
	assert_int_equal(layout_all_zero(&t, 1), -EOPNOTSUPP);
	target_fini(&t);
}

static void one_byte_that_is_not_zero_is_enough(void **state)
{
	char path[PATH_MAX];
	struct target t;
	int fd;

	(void)state;
	/* Less than a block, and a block and a part. */
	assert_non_null(scratch_file(path, "short", 1000, 0));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_int_equal(layout_all_zero(&t, 0), -EINVAL);
	assert_int_equal(layout_all_zero(&t, 100), 1);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "x", 1, 999), 1);
	assert_int_equal(layout_all_zero(&t, 100), 0);
	target_fini(&t);
	close(fd);
}

static void a_refill_writes_all_and_keeps_the_size(void **state)
{
	char path[PATH_MAX];
	uint64_t unwritten = 1;
	struct layout_request req = {.seed = 3};
	struct target t;
	struct stat st;
	struct err err = {0};

	(void)state;
	assert_non_null(scratch_file(path, "refill", 3 * MIB + 77, 0));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	/* Not ours, and nobody consented. */
	assert_int_equal(layout_refill(&t, &req, &err), -EPERM);
	assert_says(&err, "--destroy-data-on");
	assert_int_equal(layout_all_zero(&t, 16), 1);

	t.consent = path;
	assert_int_equal(layout_refill(&t, &req, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size == 3 * MIB + 77);
	if (!layout_unwritten_bytes(&t, &unwritten))
		assert_true(unwritten == 0);
	assert_int_equal(layout_all_zero(&t, 16), 0);
	/* Ours now, where the file system keeps a mark. */
	t.consent = NULL;
	if (t.laid_out)
		assert_int_equal(layout_refill(&t, &req, NULL), 0);
	target_fini(&t);
}

static void a_refill_of_a_file_that_changed_its_size_is_refused(void **state)
{
	char path[PATH_MAX];
	struct layout_request req = {.seed = 3};
	struct target t;
	struct stat st;

	(void)state;
	assert_non_null(scratch_file(path, "shrunk", 2 * MIB, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = path;
	assert_int_equal(truncate(path, MIB), 0);
	assert_int_equal(layout_refill(&t, &req, NULL), -ESTALE);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, MIB);
	target_fini(&t);
}

static void a_refill_stopped_half_way_marks_nothing(void **state)
{
	char path[PATH_MAX];
	volatile sig_atomic_t stop = 1;
	struct layout_request req = {.stop = &stop};
	struct target t;

	(void)state;
	assert_non_null(scratch_file(path, "half", MIB, 'x'));
	assert_int_equal(target_probe(path, &t, NULL), 0);
	t.consent = path;
	assert_int_equal(layout_refill(&t, &req, NULL), -EINTR);
	target_fini(&t);
	assert_int_equal(target_probe(path, &t, NULL), 0);
	assert_false(t.laid_out);
	target_fini(&t);
}

static void a_device_with_consent_can_be_filled(void **state)
{
	struct loopdev loop;
	struct layout_request req = {.seed = 5};
	struct target t;

	(void)state;
	need_loops();
	assert_int_equal(loopdev_new(&loop, "fill", 4 * MIB, 0), 0);
	assert_int_equal(target_probe(loop.node, &t, NULL), 0);
	assert_int_equal(layout_refill(&t, &req, NULL), -EPERM);
	assert_int_equal(layout_all_zero(&t, 64), 1);
	t.consent = loop.node;
	assert_int_equal(layout_refill(&t, &req, NULL), 0);
	assert_int_equal(layout_all_zero(&t, 64), 0);
	target_fini(&t);
	loopdev_detach(&loop);
}

static void a_mark_that_does_not_read_well_is_none(void **state)
{
	static const char *const bad[] = {
	    "",
	    "size=8192",
	    "size=8192 seed=",
	    "size=-8192 seed=1",
	    "size=+8192 seed=1",
	    "size= 8192 seed=1",
	    "size=08192 seed=1",
	    "size=8192 seed=1 ",
	    "size=8192 seed=1x",
	    "size=8192 seed=99999999999999999999999",
	    "size=8193 seed=1",
	    "SIZE=8192 seed=1",
	};
	char path[PATH_MAX];
	size_t i;
	int fd;

	(void)state;
	assert_non_null(scratch_file(path, "mark", 8192, 'x'));
	fd = open(path, O_RDWR);
	assert_false(mark_matches(fd, 8192));
	if (mark_set(fd, 8192, UINT64_MAX)) {
		close(fd);
		print_message("skip: no xattrs here\n");
		skip();
	}
	assert_true(mark_matches(fd, 8192));
	assert_false(mark_matches(fd, 8191));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
		    fsetxattr(fd, "user.iosweep", bad[i], strlen(bad[i]), 0),
		    0);
		if (mark_matches(fd, 8192))
			fail_msg("\"%s\" counts as a mark", bad[i]);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_new_file_is_whole_and_marked),
	    cmocka_unit_test(the_data_is_random_and_named_by_the_seed),
	    cmocka_unit_test(what_is_there_is_not_touched),
	    cmocka_unit_test(a_file_in_no_folder_is_refused),
	    cmocka_unit_test(a_stopped_layout_leaves_nothing),
	    cmocka_unit_test(a_full_file_system_is_refused_before_writing),
	    cmocka_unit_test(a_file_that_cannot_be_written_back_is_not_made),
	    cmocka_unit_test(the_limit_on_file_sizes_is_told_not_died_of),
	    cmocka_unit_test(
		a_file_system_that_lacks_much_gets_a_file_all_the_same),
	    cmocka_unit_test(holes_and_unwritten_extents_are_found_on_ext4),
	    cmocka_unit_test(holes_and_unwritten_extents_are_found_on_xfs),
	    cmocka_unit_test(holes_and_unwritten_extents_are_found_on_btrfs),
	    cmocka_unit_test(holes_are_found_by_seeking_on_tmpfs),
	    cmocka_unit_test(a_hole_all_through_is_found),
	    cmocka_unit_test(devices_do_not_tell_what_was_written),
	    cmocka_unit_test(one_byte_that_is_not_zero_is_enough),
	    cmocka_unit_test(a_refill_writes_all_and_keeps_the_size),
	    cmocka_unit_test(
		a_refill_of_a_file_that_changed_its_size_is_refused),
	    cmocka_unit_test(a_refill_stopped_half_way_marks_nothing),
	    cmocka_unit_test(a_device_with_consent_can_be_filled),
	    cmocka_unit_test(a_mark_that_does_not_read_well_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
