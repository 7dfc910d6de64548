#include "engine/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "engine/guard.h"
#include "engine/mark.h"
#include "engine/mounts.h"

#define FALLBACK_ALIGN 4096
#define NOMINAL_BLOCK 512 /* of /dev/zero and /dev/null */

/* What word processors and mail programs make of the "-" of an option. */
static const struct {
	const char *bytes;
	const char *name;
} dashes[] = {
    {"-", "a hyphen"},
    {"\xe2\x80\x90", "a hyphen (U+2010)"},
    {"\xe2\x80\x91", "a non-breaking hyphen (U+2011)"},
    {"\xe2\x80\x92", "a figure dash (U+2012)"},
    {"\xe2\x80\x93", "an en dash (U+2013)"},
    {"\xe2\x80\x94", "an em dash (U+2014)"},
    {"\xe2\x80\x95", "a horizontal bar (U+2015)"},
    {"\xe2\x88\x92", "a minus sign (U+2212)"},
    {"\xef\xb9\xa3", "a small hyphen (U+FE63)"},
    {"\xef\xbc\x8d", "a fullwidth hyphen (U+FF0D)"},
};

int target_check_path(const char *path, struct err *err)
{
	size_t i;

	if (!path[0])
		return err_usage(err, "the target is empty: name a file, a "
				      "folder or a block device");
	for (i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++)
		if (!strncmp(path, dashes[i].bytes, strlen(dashes[i].bytes)))
			return err_usage(
			    err,
			    "target \"%s\" starts with %s as an option does: "
			    "write options with a plain \"-\", or name a file "
			    "of that name as \"./%s\"",
			    path, dashes[i].name, path);
	return 0;
}

bool target_is(const struct target *t, const struct stat *st)
{
	switch (t->kind) {
	case TARGET_FILE:
		return S_ISREG(st->st_mode) && st->st_dev == t->inode_dev &&
		       st->st_ino == t->inode;
	case TARGET_DEVICE:
		return S_ISBLK(st->st_mode) && st->st_rdev == t->device;
	case TARGET_ZERO:
		return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 5);
	case TARGET_NULL:
		return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
	case TARGET_KIND_COUNT:
		break;
	}
	return false;
}

char *target_name(const struct target *t, char *buf, size_t size)
{
	if (t->kind == TARGET_DEVICE && strcmp(t->path, t->resolved))
		snprintf(buf, size, "%s (%s)", t->path, t->resolved);
	else
		snprintf(buf, size, "%s", t->path);
	return buf;
}

static int stale(const struct target *t, struct err *err)
{
	return err_failed(err, ESTALE,
			  "%s is not what it was when iosweep first looked at "
			  "it: it was replaced or leads elsewhere; start again",
			  t->path);
}

/* The kind, or -errno with a sentence. */
static int classify(const char *path, const struct stat *st, struct err *err)
{
	const char *what = "a socket";

	if (S_ISREG(st->st_mode))
		return TARGET_FILE;
	if (S_ISBLK(st->st_mode))
		return TARGET_DEVICE;
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 5))
		return TARGET_ZERO;
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))
		return TARGET_NULL;
	if (S_ISDIR(st->st_mode)) {
		err_refused(err, "%s is a folder: name a file in it", path);
		return -EISDIR;
	}
	if (S_ISCHR(st->st_mode))
		what = "a character device";
	else if (S_ISFIFO(st->st_mode))
		what = "a pipe";
	err_refused(err,
		    "%s is %s: a target is a file, a folder, a block device, "
		    "/dev/zero or /dev/null",
		    path, what);
	return -EINVAL;
}

static int missing(const char *path, int errnum, struct err *err)
{
	if (errnum != ENOENT)
		return err_failed(err, errnum, "%s: %s", path,
				  strerror(errnum));
	return err_failed(err, ENOENT,
			  "%s does not exist: check the name, or give --size "
			  "to have a file made there",
			  path);
}

/* Alignment as statx tells it. False where the kernel or the file system does
 * not tell; 0 in *offset means that it knows O_DIRECT to be impossible. */
static bool ask_alignment(int fd, uint32_t *offset, uint32_t *memory)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	memset(&stx, 0, sizeof(stx));
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) ||
	    !(stx.stx_mask & STATX_DIOALIGN))
		return false;
	*offset = stx.stx_dio_offset_align;
	*memory = stx.stx_dio_mem_align;
	return true;
#else
	(void)fd, (void)offset, (void)memory;
	return false;
#endif
}

uint64_t target_diskseq(int fd)
{
	uint64_t seq = 0;

#ifdef BLKGETDISKSEQ
	if (ioctl(fd, BLKGETDISKSEQ, &seq))
		return 0;
#else
	(void)fd;
#endif
	return seq;
}

static void set_alignment(struct target *t, int fd, uint32_t otherwise)
{
	if (!otherwise)
		otherwise = FALLBACK_ALIGN;
	t->direct_offset_align = t->direct_memory_align = otherwise;
	ask_alignment(fd, &t->direct_offset_align, &t->direct_memory_align);
	if (!t->logical_block)
		t->logical_block = t->direct_offset_align
				       ? t->direct_offset_align
				       : NOMINAL_BLOCK;
}

static void probe_queue(struct target *t)
{
	struct blockdev_queue queue;

	if (!t->device)
		return;
	blockdev_queue_load(t->device, &queue);
	memcpy(t->model, queue.model, sizeof(t->model));
	memcpy(t->id, queue.id, sizeof(t->id));
	memcpy(t->scheduler, queue.scheduler, sizeof(t->scheduler));
	t->nr_requests = queue.nr_requests;
	t->rotational = queue.rotational;
	t->logical_block = queue.logical_block;
}

static int probe_device(struct target *t, int fd, struct err *err)
{
	int block = 0;

	t->diskseq = target_diskseq(fd);
	probe_queue(t);
	if (ioctl(fd, BLKGETSIZE64, &t->size_bytes))
		return err_failed(err, errno, "cannot tell the size of %s: %s",
				  t->path, strerror(errno));
	if (!ioctl(fd, BLKSSZGET, &block) && block > 0)
		t->logical_block = (uint32_t)block;
	set_alignment(t, fd, t->logical_block);
	if (t->size_bytes)
		return 0;
	err_refused(err,
		    "%s has no size: no medium is in it, or it is not set up",
		    t->path);
	return -ENODATA;
}

/* Devices of a btrfs; the counters of one tell about it only when it is the
 * only one. */
static bool on_several_devices(int fd)
{
	struct btrfs_ioctl_fs_info_args info;

	memset(&info, 0, sizeof(info));
	return !ioctl(fd, BTRFS_IOC_FS_INFO, &info) && info.num_devices > 1;
}

/* The file system of the file and the block device under it. */
static void probe_file_system(struct target *t, int fd, const struct statfs *fs)
{
	dev_t source;

	mounts_holding(fd, t->fs, sizeof(t->fs), &source);
	if (blockdev_exists(t->inode_dev))
		t->device = t->inode_dev;
	else if (source && blockdev_exists(source))
		t->device = source;
	if (fs->f_type == BTRFS_SUPER_MAGIC && on_several_devices(fd))
		t->device = 0;
}

/* File systems in memory take O_DIRECT since Linux 6.6 and ignore it: a point
 * called direct would measure the page cache. */
static bool ignores_direct(const struct statfs *fs)
{
	return fs->f_type == TMPFS_MAGIC || fs->f_type == RAMFS_MAGIC ||
	       fs->f_type == HUGETLBFS_MAGIC;
}

bool target_folder_lacks_direct(const char *folder)
{
	struct statfs fs;
	int fd;

	if (statfs(folder, &fs))
		return false;
	if (ignores_direct(&fs))
		return true;
	fd = open(folder, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EINVAL;
	close(fd);
	return false;
}

int target_open_readable(const struct target *t, int flags, struct err *err)
{
	struct stat st;
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0)
		return err_failed(err, errno, "cannot open %s for reading: %s",
				  t->path, strerror(errno));
	if (!fstat(fd, &st) && target_is(t, &st))
		return fd;
	close(fd);
	return stale(t, err);
}

static int probe_file(struct target *t, int fd, const struct stat *st,
		      struct err *err)
{
	struct statfs fs;
	int direct;

	if (fstatfs(fd, &fs))
		return err_failed(err, errno, "%s: %s", t->path,
				  strerror(errno));
	if (!st->st_size) {
		err_refused(err,
			    "%s is empty: there is nothing to measure; remove "
			    "it to have one made of --size, or name another",
			    t->path);
		return -ENODATA;
	}
	t->size_bytes = (uint64_t)st->st_size;
	t->laid_out = !mark_seed(fd, t->size_bytes, &t->layout_seed);
	probe_file_system(t, fd, &fs);
	probe_queue(t);
	/* btrfs: its sector, below which it falls back to the page cache. */
	set_alignment(t, fd,
		      fs.f_type == BTRFS_SUPER_MAGIC ? (uint32_t)fs.f_bsize
						     : t->logical_block);
	direct =
	    ignores_direct(&fs) ? -1 : target_open_readable(t, O_DIRECT, NULL);
	if (direct < 0)
		t->direct_offset_align = t->direct_memory_align = 0;
	else
		close(direct);
	return 0;
}

static void probe_nominal(struct target *t)
{
	t->size_bytes = TARGET_NOMINAL_BYTES;
	t->logical_block = NOMINAL_BLOCK;
	t->direct_offset_align = t->direct_memory_align = NOMINAL_BLOCK;
}

static int probe_opened(struct target *t, const struct stat *st,
			struct err *err)
{
	int ret, fd = target_open_readable(t, 0, err);

	if (fd < 0)
		return fd;
	ret = t->kind == TARGET_FILE ? probe_file(t, fd, st, err)
				     : probe_device(t, fd, err);
	close(fd);
	return ret;
}

static void init(struct target *t)
{
	int mode;

	memset(t, 0, sizeof(*t));
	t->rotational = -1;
	t->claim_fd = -1;
	for (mode = 0; mode < CACHE_COUNT; mode++)
		t->fd[mode][0] = t->fd[mode][1] = -1;
}

int target_probe(const char *path, struct target *t, struct err *err)
{
	struct stat st;
	int ret = target_check_path(path, err);

	if (ret)
		return ret;
	/* Looked at before it is opened: opening a pipe would wait, and a
	 * tape would wind. */
	if (stat(path, &st))
		return missing(path, errno, err);
	ret = classify(path, &st, err);
	if (ret < 0)
		return ret;
	init(t);
	t->kind = (enum target_kind)ret;
	t->inode_dev = st.st_dev;
	t->inode = st.st_ino;
	t->device = t->kind == TARGET_DEVICE ? st.st_rdev : 0;
	t->path = strdup(path);
	t->resolved = realpath(path, NULL);
	if (!t->path || !t->resolved)
		ret = err_failed(err, errno, "%s: %s", path, strerror(errno));
	else if (t->kind == TARGET_FILE || t->kind == TARGET_DEVICE)
		ret = probe_opened(t, &st, err);
	else
		probe_nominal(t), ret = 0;
	if (ret)
		target_fini(t);
	return ret;
}

void target_close_fds(struct target *t)
{
	int mode, writes;

	if (t->left_alone)
		return;
	for (mode = 0; mode < CACHE_COUNT; mode++) {
		for (writes = 0; writes < 2; writes++) {
			if (t->fd[mode][writes] >= 0)
				close(t->fd[mode][writes]);
			t->fd[mode][writes] = -1;
		}
	}
	if (t->claim_fd >= 0)
		close(t->claim_fd);
	t->claim_fd = -1;
}

void target_fini(struct target *t)
{
	target_close_fds(t);
	free(t->path);
	free(t->resolved);
	t->path = t->resolved = NULL;
}

static bool is_direct(enum cache_mode mode)
{
	return mode == CACHE_DIRECT || mode == CACHE_DIRECT_DSYNC;
}

static int open_flags(const struct target *t, enum cache_mode mode)
{
	bool nominal = t->kind == TARGET_ZERO || t->kind == TARGET_NULL;
	int flags = 0;

	if (is_direct(mode) && !nominal)
		flags |= O_DIRECT;
	if (mode == CACHE_DSYNC || mode == CACHE_DIRECT_DSYNC)
		flags |= O_DSYNC;
	return flags;
}

int target_fd(struct target *t, enum cache_mode mode, bool writes,
	      struct err *err)
{
	int fd, flags = open_flags(t, mode);

	if (t->fd[mode][writes] >= 0)
		return t->fd[mode][writes];
	if ((flags & O_DIRECT) && !t->direct_offset_align) {
		err_refused(err,
			    "%s lies on a file system without O_DIRECT%s%s%s: "
			    "measure it with --cache buffered, or name a file "
			    "elsewhere",
			    t->path, t->fs[0] ? " (" : "", t->fs,
			    t->fs[0] ? ")" : "");
		return -EINVAL;
	}
	fd = writes ? guard_open_writable(t, flags, err)
		    : target_open_readable(t, flags, err);
	if (fd >= 0)
		t->fd[mode][writes] = fd;
	return fd;
}

uint32_t target_alignment(const struct target *t, enum cache_mode mode)
{
	if (!is_direct(mode))
		return 1;
	return t->logical_block > t->direct_offset_align
		   ? t->logical_block
		   : t->direct_offset_align;
}
