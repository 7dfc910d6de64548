/* The part of layout that looks: which of a file was ever written, and
 * whether there is anything in it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/layout.h"
#include "engine/rng.h"
#include "engine/units.h"

#define EXTENTS 256 /* asked for at once */
#define SAMPLE_BYTES 4096

static uint64_t clip(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Bytes of [map->fm_start, size) that the extents of one answer hold as
 * written; moves fm_start behind them, to size after the last. */
static uint64_t count_extents(struct fiemap *map, uint64_t size)
{
	uint64_t written = 0, at = map->fm_start;
	uint32_t i;

	for (i = 0; i < map->fm_mapped_extents; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];
		uint64_t start = clip(e->fe_logical, at, size);
		uint64_t end = clip(e->fe_logical + e->fe_length, start, size);

		if (!(e->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
			written += end - start;
		at = end;
		if (e->fe_flags & FIEMAP_EXTENT_LAST)
			at = size;
	}
	map->fm_start = map->fm_mapped_extents ? at : size;
	return written;
}

static int written_by_fiemap(int fd, uint64_t size, uint64_t *out)
{
	uint64_t written = 0, before;
	struct fiemap *map =
	    calloc(1, sizeof(*map) + EXTENTS * sizeof(struct fiemap_extent));
	int ret = 0;

	if (!map)
		return -ENOMEM;
	while (!ret && map->fm_start < size) {
		before = map->fm_start;
		map->fm_length = size - before;
		/* Without it data that is not on disk yet reads as
		 * unwritten. */
		map->fm_flags = FIEMAP_FLAG_SYNC;
		map->fm_extent_count = EXTENTS;
		map->fm_mapped_extents = 0;
		if (ioctl(fd, FS_IOC_FIEMAP, map))
			ret = -errno;
		else
			written += count_extents(map, size);
		/* Extents that bring us no further would do so for ever. */
		if (!ret && map->fm_start <= before)
			ret = -EIO;
	}
	free(map);
	if (!ret)
		*out = written;
	return ret;
}

static int written_by_seek(int fd, uint64_t size, uint64_t *out)
{
	uint64_t written = 0;
	off_t data, hole = 0;
	struct stat st;

	while ((uint64_t)hole < size) {
		data = lseek(fd, hole, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break; /* a hole up to the end */
		if (data < 0)
			return errno == EINVAL ? -EOPNOTSUPP : -errno;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		written += clip((uint64_t)hole, 0, size) -
			   clip((uint64_t)data, 0, size);
	}
	/* A file system that knows no holes calls all of it data; fewer
	 * blocks than bytes say that it may not be. */
	if (written == size && !fstat(fd, &st) &&
	    (uint64_t)st.st_blocks * 512 < size)
		return -EOPNOTSUPP;
	*out = written;
	return 0;
}

int layout_unwritten_bytes(const struct target *t, uint64_t *out_bytes)
{
	uint64_t written = 0;
	int ret, fd;

	if (t->kind != TARGET_FILE)
		return -EOPNOTSUPP;
	fd = target_open_readable(t, 0, NULL);
	if (fd < 0)
		return fd;
	ret = written_by_fiemap(fd, t->size_bytes, &written);
	if (ret == -EOPNOTSUPP || ret == -ENOTTY || ret == -EBADR ||
	    ret == -EINVAL || ret == -ENOSYS)
		ret = written_by_seek(fd, t->size_bytes, &written);
	close(fd);
	if (!ret)
		*out_bytes = t->size_bytes - written;
	return ret;
}

static bool is_zero(const unsigned char *buf, size_t len)
{
	return !len || (!buf[0] && !memcmp(buf, buf + 1, len - 1));
}

/* 1 when the sample at offset is all zeros, 0 when not, -errno. */
static int sample_is_zero(int fd, unsigned char *buf, uint64_t offset)
{
	ssize_t n = pread(fd, buf, SAMPLE_BYTES, (off_t)offset);

	if (n < 0)
		return -errno;
	return n ? is_zero(buf, (size_t)n) : -EIO;
}

static int sample_all(int fd, uint64_t blocks, unsigned samples)
{
	unsigned char *buf = NULL;
	struct rng rng;
	uint64_t part;
	unsigned i;
	int ret = 1;

	if (samples > blocks)
		samples = (unsigned)blocks;
	part = blocks / samples;
	rng_seed(&rng, 0, 0);
	if (posix_memalign((void **)&buf, SAMPLE_BYTES, SAMPLE_BYTES))
		return -ENOMEM;
	for (i = 0; ret == 1 && i < samples; i++)
		ret = sample_is_zero(
		    fd, buf, (i * part + rng_below(&rng, part)) * SAMPLE_BYTES);
	free(buf);
	return ret;
}

int layout_all_zero(const struct target *t, unsigned samples)
{
	/* A part of a block at the end counts as one. */
	uint64_t blocks = (t->size_bytes + SAMPLE_BYTES - 1) / SAMPLE_BYTES;
	bool direct = t->direct_offset_align &&
		      SAMPLE_BYTES % t->direct_offset_align == 0 &&
		      t->size_bytes % SAMPLE_BYTES == 0;
	int ret, fd;

	if (t->kind != TARGET_FILE && t->kind != TARGET_DEVICE)
		return -EOPNOTSUPP;
	if (!samples)
		return -EINVAL;
	fd = target_open_readable(t, direct ? O_DIRECT : 0, NULL);
	if (fd < 0)
		return fd;
	ret = sample_all(fd, blocks, samples);
	close(fd);
	return ret;
}
