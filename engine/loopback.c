#include "engine/loopback.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The kernel's 32 bit form of a device number, which loop.h's 64 bit fields
 * carry, is not glibc's. */
static dev_t from_kernel(uint64_t number)
{
	return makedev((number >> 8) & 0xfff,
		       (number & 0xff) | ((number >> 12) & 0xfff00));
}

/* Ask the device: right whatever became of the path. */
static bool ask_device(struct loopback *loop)
{
	struct loop_info64 info = {0};
	char node[BLOCKDEV_NAME_MAX + 8];
	struct stat st;
	bool told;
	int fd;

	snprintf(node, sizeof(node), "/dev/%s", loop->name);
	fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	told = !fstat(fd, &st) && S_ISBLK(st.st_mode) &&
	       st.st_rdev == loop->dev && !ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (!told)
		return false;
	loop->backing_dev = from_kernel(info.lo_device);
	loop->backing_ino = info.lo_inode;
	loop->backing_rdev = from_kernel(info.lo_rdevice);
	return true;
}

/* Without permission to open the device: look where the path leads to. */
static bool ask_path(struct loopback *loop)
{
	struct stat st;

	if (stat(loop->path, &st))
		return false;
	loop->backing_dev = st.st_dev;
	loop->backing_ino = st.st_ino;
	loop->backing_rdev = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	return true;
}

/* The path of the backing file into loop->path: 1 when bound, 0 when not (also
 * one unbound since the listing), -errno. */
static int read_path(const char *name, struct loopback *loop)
{
	int ret = blockdev_attr_by_name(name, "loop/backing_file", loop->path,
					sizeof(loop->path));

	if (ret == -ENOENT || ret == -ENXIO || ret == -ENODEV)
		return 0;
	return ret ? ret : 1;
}

/* 1 when that block device is a bound loop device, 0 when not, -errno. */
static int load_one(const char *name, struct loopback *loop)
{
	int ret;

	memset(loop, 0, sizeof(*loop));
	ret = read_path(name, loop);
	if (ret <= 0)
		return ret;
	snprintf(loop->name, sizeof(loop->name), "%.*s", BLOCKDEV_NAME_MAX - 1,
		 name);
	ret = blockdev_number_by_name(name, &loop->dev);
	if (ret)
		return ret;
	loop->known = ask_device(loop) || ask_path(loop);
	/* One that answers nothing may have been unbound meanwhile. */
	return loop->known ? 1 : read_path(name, loop);
}

int loopbacks_load(struct loopbacks *out)
{
	struct loopbacks loops = {0};
	struct loopback *grown, loop;
	struct dirent *entry;
	DIR *dir = opendir("/sys/block");
	int ret = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, "loop", 4))
			continue;
		ret = load_one(entry->d_name, &loop);
		if (ret < 0)
			break;
		if (!ret)
			continue;
		ret = -ENOMEM;
		grown = realloc(loops.loop, (loops.count + 1) * sizeof(loop));
		if (!grown)
			break;
		loops.loop = grown;
		loops.loop[loops.count++] = loop;
		ret = 0;
	}
	closedir(dir);
	if (ret < 0)
		loopbacks_fini(&loops);
	else
		*out = loops;
	return ret;
}

void loopbacks_fini(struct loopbacks *loops)
{
	free(loops->loop);
	loops->loop = NULL;
	loops->count = 0;
}

const struct loopback *loopbacks_find(const struct loopbacks *loops, dev_t dev)
{
	size_t i;

	for (i = 0; i < loops->count; i++)
		if (loops->loop[i].dev == dev)
			return &loops->loop[i];
	return NULL;
}

static bool same_last_component(const char *a, const char *b)
{
	const char *last_a = strrchr(a, '/'), *last_b = strrchr(b, '/');

	return !strcmp(last_a ? last_a + 1 : a, last_b ? last_b + 1 : b);
}

const struct loopback *loopbacks_on_file(const struct loopbacks *loops,
					 const struct stat *st,
					 const char *path)
{
	size_t i;

	for (i = 0; i < loops->count; i++) {
		const struct loopback *loop = &loops->loop[i];

		if (loop->known ? loop->backing_dev == st->st_dev &&
				      loop->backing_ino == st->st_ino
				: same_last_component(loop->path, path))
			return loop;
	}
	return NULL;
}

const struct loopback *loopbacks_on_device(const struct loopbacks *loops,
					   dev_t dev, const char *name)
{
	size_t i;

	for (i = 0; i < loops->count; i++) {
		const struct loopback *loop = &loops->loop[i];

		if (loop->known ? loop->backing_rdev == dev
				: same_last_component(loop->path, name))
			return loop;
	}
	return NULL;
}

static bool same_backing(const struct loopback *a, const struct loopback *b)
{
	if (!a->known || !b->known)
		return !strcmp(a->path, b->path);
	if (a->backing_rdev || b->backing_rdev)
		return a->backing_rdev == b->backing_rdev;
	return a->backing_dev == b->backing_dev &&
	       a->backing_ino == b->backing_ino;
}

const struct loopback *loopbacks_beside(const struct loopbacks *loops,
					const struct loopback *loop)
{
	size_t i;

	for (i = 0; i < loops->count; i++)
		if (loops->loop[i].dev != loop->dev &&
		    same_backing(&loops->loop[i], loop))
			return &loops->loop[i];
	return NULL;
}

static bool is_backing(const struct loopback *loop, const struct stat *st)
{
	if (S_ISBLK(st->st_mode))
		return st->st_rdev == loop->backing_rdev;
	return st->st_dev == loop->backing_dev &&
	       st->st_ino == loop->backing_ino;
}

int loopbacks_open(const struct loopback *loop, struct stat *st)
{
	int fd = open(loop->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && loop->known && !fstat(fd, st) && is_backing(loop, st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
