#include "engine/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/aside.h"
#include "engine/clock.h"
#include "engine/guard.h"
#include "engine/mark.h"
#include "engine/rng.h"
#include "engine/units.h"

#define BLOCK_BYTES MIB
/* Written back and dropped from the page cache in windows of this size, so
 * that the sync at the end is short and the cache keeps what it had. */
#define WINDOW_BYTES (16 * MIB)
#define PROGRESS_NS (100 * NS_PER_MS)
#define FILE_MODE 0644

/* A file being written. */
struct writer {
	const struct layout_request *req;
	const char *path; /* for sentences */
	int fd;
	uint64_t size_bytes;
	uint64_t done_bytes;
	uint64_t told_ns; /* when progress was last told, 0 not yet */
	unsigned char *block;
};

static int failed(const struct writer *w, const char *what, int errnum,
		  struct err *err)
{
	return err_failed(err, errnum, "cannot %s %s: %s", what, w->path,
			  strerror(errnum));
}

/* The data is a function of seed and place alone. */
static void fill_block(unsigned char *block, size_t len, uint64_t seed,
		       uint64_t index)
{
	struct rng rng;
	size_t i;

	rng_seed(&rng, seed, index);
	for (i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t word = rng_next(&rng);

		memcpy(block + i, &word, sizeof(word));
	}
}

static int write_whole(int fd, const unsigned char *buf, size_t len,
		       uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(fd, buf, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Start writing back the window that ended at `end`, and wait for the one
 * before it. */
static int write_back(int fd, uint64_t end)
{
	off_t last = (off_t)(end - WINDOW_BYTES);
	off_t before = last - (off_t)WINDOW_BYTES;

	if (sync_file_range(fd, last, WINDOW_BYTES, SYNC_FILE_RANGE_WRITE))
		return errno == ENOSYS ? 0 : -errno;
	if (before < 0)
		return 0;
	if (sync_file_range(fd, before, WINDOW_BYTES,
			    SYNC_FILE_RANGE_WAIT_BEFORE |
				SYNC_FILE_RANGE_WRITE |
				SYNC_FILE_RANGE_WAIT_AFTER))
		return -errno;
	posix_fadvise(fd, before, WINDOW_BYTES, POSIX_FADV_DONTNEED);
	return 0;
}

static void tell_progress(struct writer *w)
{
	uint64_t now = clock_now_ns();

	if (!w->req->progress ||
	    (now - w->told_ns < PROGRESS_NS && w->done_bytes < w->size_bytes))
		return;
	w->told_ns = now;
	w->req->progress(w->req->progress_arg, w->done_bytes, w->size_bytes);
}

static int write_data(struct writer *w, struct err *err)
{
	int ret = 0;

	while (!ret && w->done_bytes < w->size_bytes) {
		uint64_t left = w->size_bytes - w->done_bytes;
		size_t len = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;

		if (aside_ends(w->req->stop, 1))
			return err_failed(err, EINTR,
					  "stopped while %s was written",
					  w->path);
		fill_block(w->block, BLOCK_BYTES, w->req->seed,
			   w->done_bytes / BLOCK_BYTES);
		ret = write_whole(w->fd, w->block, len, w->done_bytes);
		if (ret)
			return failed(w, "write", -ret, err);
		w->done_bytes += len;
		if (w->done_bytes % WINDOW_BYTES == 0)
			ret = write_back(w->fd, w->done_bytes);
		if (ret)
			return failed(w, "write", -ret, err);
		tell_progress(w);
	}
	return 0;
}

/* Data, then, durable, the mark: a marked file is whole even after a crash. */
static int write_and_mark(struct writer *w, bool mark, struct err *err)
{
	int ret;

	w->block = malloc(BLOCK_BYTES);
	if (!w->block)
		return failed(w, "write", ENOMEM, err);
	ret = write_data(w, err);
	free(w->block);
	if (ret)
		return ret;
	if (fsync(w->fd))
		return failed(w, "sync", errno, err);
	posix_fadvise(w->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (!mark)
		return 0;
	ret = mark_set(w->fd, w->size_bytes, w->req->seed);
	if (ret && ret != -EOPNOTSUPP)
		return failed(w, "mark", -ret, err);
	return fsync(w->fd) ? failed(w, "sync", errno, err) : 0;
}

/* Blocks for all of it, or fail now and not after 40 minutes. */
static int preallocate(const struct writer *w, int mode, struct err *err)
{
	int ret;

	do
		ret = fallocate(w->fd, mode, 0, (off_t)w->size_bytes);
	while (ret && errno == EINTR && !aside_ends(w->req->stop, 1));
	if (!ret || errno == EOPNOTSUPP || errno == ENOSYS)
		return 0;
	return failed(w, "allocate", errno, err);
}

static uint64_t reserve_bytes(const struct statvfs *fs)
{
	uint64_t share = (uint64_t)fs->f_blocks * fs->f_frsize / 100;

	return share < GIB ? share : GIB;
}

static int check_space(const char *path, int fd, uint64_t need_bytes,
		       struct err *err)
{
	char need[UNITS_TEXT_MAX], keep[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	struct statvfs fs;
	uint64_t free_bytes, reserve;

	/* Some network file systems do not tell. */
	if (fstatvfs(fd, &fs) || !fs.f_blocks)
		return 0;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	reserve = reserve_bytes(&fs);
	if (need_bytes <= free_bytes && free_bytes - need_bytes >= reserve)
		return 0;
	err_refused(err,
		    "%s needs %s and %s to be left free, and its file system "
		    "has %s: give a smaller --size, or free some space",
		    path, units_format_bytes(need, need_bytes),
		    units_format_bytes(keep, reserve),
		    units_format_bytes(have, free_bytes));
	return -ENOSPC;
}

/* Where a file is to be made: its folder, open, and its name in it. */
struct place {
	const char *path;
	char *copy;
	const char *name;
	int folder_fd;
};

static void place_close(struct place *p)
{
	if (p->folder_fd >= 0)
		close(p->folder_fd);
	free(p->copy);
}

static int place_open(struct place *p, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder;
	int errnum = 0;

	p->path = path;
	p->name = slash ? slash + 1 : path;
	p->folder_fd = -1;
	p->copy = strdup(path);
	if (!p->copy)
		return err_failed(err, ENOMEM, "out of memory for a path");
	folder = dirname(p->copy);
	p->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!p->name[0])
		errnum = EISDIR;
	else if (p->folder_fd < 0 ||
		 faccessat(p->folder_fd, ".", W_OK | X_OK, AT_EACCESS))
		errnum = errno;
	if (!errnum)
		return 0;
	err_failed(err, errnum,
		   "cannot make %s in the folder %s: %s; name a file in a "
		   "folder that you may write to",
		   path, folder, strerror(errnum));
	place_close(p);
	return -errnum;
}

/* A misspelt device: a file there would fill memory. */
static bool among_devices(const struct place *p)
{
	struct stat devices, root, folder;

	return !stat("/dev", &devices) && !stat("/", &root) &&
	       !fstat(p->folder_fd, &folder) && devices.st_dev != root.st_dev &&
	       folder.st_dev == devices.st_dev;
}

static int check_place(const struct place *p, uint64_t size_bytes,
		       struct err *err)
{
	struct stat st;
	int ret;

	if (!fstatat(p->folder_fd, p->name, &st, AT_SYMLINK_NOFOLLOW)) {
		err_refused(err,
			    "%s is there already: iosweep makes new files "
			    "only; name another",
			    p->path);
		return -EEXIST;
	}
	if (errno != ENOENT)
		return err_failed(err, errno, "cannot make %s: %s", p->path,
				  strerror(errno));
	if (among_devices(p)) {
		err_refused(err,
			    "there is no device %s, and iosweep makes no files "
			    "among the devices: check the name (lsblk lists "
			    "them)",
			    p->path);
		return -ENODEV;
	}
	ret = guard_check_limit(p->path, size_bytes, err);
	return ret ? ret : check_space(p->path, p->folder_fd, size_bytes, err);
}

int layout_check_room(const char *path, uint64_t size_bytes, struct err *err)
{
	struct place p;
	int ret = target_check_path(path, err);

	if (!ret)
		ret = place_open(&p, path, err);
	if (ret)
		return ret;
	ret = check_place(&p, size_bytes, err);
	place_close(&p);
	return ret;
}

/* An unnamed file that /proc can give a name to later, or -1. */
static int open_unnamed(const struct place *p)
{
	char path[32];
	int fd = openat(p->folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
			FILE_MODE);

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!access(path, F_OK))
		return fd;
	close(fd);
	return -1;
}

static int give_name(const struct place *p, int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, p->folder_fd, p->name, AT_SYMLINK_FOLLOW);
}

/* Remove the name again, if it still is that of our file. */
static void remove_name(const struct place *p, int fd)
{
	struct stat ours, there;

	if (!fstat(fd, &ours) &&
	    !fstatat(p->folder_fd, p->name, &there, AT_SYMLINK_NOFOLLOW) &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
		unlinkat(p->folder_fd, p->name, 0);
}

static int fill_new(struct writer *w, struct err *err)
{
	int ret = preallocate(w, 0, err);

	return ret ? ret : write_and_mark(w, true, err);
}

static int create_at(const struct place *p, const struct layout_request *req,
		     struct err *err)
{
	struct writer w = {
	    .req = req, .path = req->path, .size_bytes = req->size_bytes};
	bool unnamed, named;
	int ret;

	w.fd = open_unnamed(p);
	unnamed = w.fd >= 0;
	if (!unnamed)
		w.fd = openat(p->folder_fd, p->name,
			      O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, FILE_MODE);
	if (w.fd < 0)
		return failed(&w, "make", errno, err);
	named = !unnamed;
	ret = fill_new(&w, err);
	if (!ret && unnamed) {
		named = !give_name(p, w.fd);
		if (!named)
			ret = failed(&w, "make", errno, err);
	}
	if (!ret && fsync(p->folder_fd))
		ret = failed(&w, "sync the folder of", errno, err);
	if (ret && named)
		remove_name(p, w.fd);
	if (close(w.fd) && !ret) {
		ret = failed(&w, "close", errno, err);
		unlinkat(p->folder_fd, p->name, 0);
	}
	return ret;
}

int layout_create(const struct layout_request *req, struct err *err)
{
	struct place p;
	int ret = target_check_path(req->path, err);

	if (ret)
		return ret;
	if (!req->size_bytes)
		return err_usage(err,
				 "%s: a file of no bytes cannot be made; "
				 "give a --size",
				 req->path);
	ret = place_open(&p, req->path, err);
	if (ret)
		return ret;
	ret = check_place(&p, req->size_bytes, err);
	if (!ret)
		ret = create_at(&p, req, err);
	place_close(&p);
	return ret;
}

/* Room for the holes of a file, which take space when they are written. */
static int check_holes(const struct target *t, int fd, struct err *err)
{
	uint64_t holes;
	struct stat st;

	if (t->kind != TARGET_FILE)
		return 0;
	if (fstat(fd, &st) || (uint64_t)st.st_size != t->size_bytes)
		return err_failed(err, ESTALE,
				  "%s has another size than before: start "
				  "again",
				  t->path);
	if (layout_unwritten_bytes(t, &holes) || !holes)
		return 0;
	return check_space(t->path, fd, holes, err);
}

/* What is asked for a target that is there. */
struct rewrite {
	struct target *target;
	uint64_t size_bytes;
	bool mark;
};

static int rewrite(const struct rewrite *r, const struct layout_request *req,
		   struct err *err)
{
	struct target *t = r->target;
	struct writer w = {
	    .req = req, .path = t->path, .size_bytes = r->size_bytes};
	bool file = t->kind == TARGET_FILE;
	int ret;

	if (!file && t->kind != TARGET_DEVICE)
		return err_usage(err, "%s cannot be laid out: it keeps nothing",
				 t->path);
	w.fd = guard_open_writable(t, 0, err);
	if (w.fd < 0)
		return w.fd;
	ret = check_holes(t, w.fd, err);
	if (!ret && file)
		ret = preallocate(&w, FALLOC_FL_KEEP_SIZE, err);
	if (!ret)
		ret = write_and_mark(&w, file && r->mark, err);
	if (!ret && file)
		t->laid_out = !mark_seed(w.fd, t->size_bytes, &t->layout_seed);
	if (close(w.fd) && !ret)
		ret = failed(&w, "close", errno, err);
	return ret;
}

int layout_refill(struct target *t, const struct layout_request *req,
		  struct err *err)
{
	const struct rewrite whole = {t, t->size_bytes, true};

	return rewrite(&whole, req, err);
}

int layout_overwrite(struct target *t, const struct layout_request *req,
		     struct err *err)
{
	uint64_t size =
	    req->size_bytes < t->size_bytes ? req->size_bytes : t->size_bytes;
	const struct rewrite part = {t, size, false};

	return rewrite(&part, req, err);
}
