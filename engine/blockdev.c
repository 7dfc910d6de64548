#include "engine/blockdev.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/units.h"

/* Room for any path in sysfs that we ask for. */
#define SYS_PATH_MAX 320

static int read_attr(const char *path, char *buf, size_t size)
{
	ssize_t len;
	char *end;
	int ret = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		ret = -errno;
	close(fd);
	end = buf + (len < 0 ? 0 : len);
	while (end > buf && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	len = (ssize_t)strspn(buf, " \t");
	memmove(buf, buf + len, strlen(buf + len) + 1);
	return ret;
}

char *blockdev_path(dev_t dev, const char *below, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/dev/block/%u:%u/%s", major(dev), minor(dev),
		 below);
	return buf;
}

bool blockdev_exists(dev_t dev)
{
	char path[SYS_PATH_MAX];

	return !access(blockdev_path(dev, "dev", path, sizeof(path)), F_OK);
}

int blockdev_attr(dev_t dev, const char *attr, char *buf, size_t size)
{
	char path[SYS_PATH_MAX];

	return read_attr(blockdev_path(dev, attr, path, sizeof(path)), buf,
			 size);
}

int blockdev_attr_by_name(const char *name, const char *attr, char *buf,
			  size_t size)
{
	char path[SYS_PATH_MAX];

	snprintf(path, sizeof(path), "/sys/block/%s/%s", name, attr);
	return read_attr(path, buf, size);
}

static int parse_number(const char *text, dev_t *out)
{
	unsigned major_number, minor_number;

	if (sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return -EBADMSG;
	*out = makedev(major_number, minor_number);
	return 0;
}

int blockdev_number(dev_t dev, const char *attr, dev_t *out)
{
	char text[32];
	int ret = blockdev_attr(dev, attr, text, sizeof(text));

	return ret ? ret : parse_number(text, out);
}

int blockdev_number_by_name(const char *name, dev_t *out)
{
	char text[32];
	int ret = blockdev_attr_by_name(name, "dev", text, sizeof(text));

	return ret ? ret : parse_number(text, out);
}

char *blockdev_name(dev_t dev, char *buf)
{
	char path[SYS_PATH_MAX], link[SYS_PATH_MAX];
	ssize_t len;
	char *name;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev),
		 minor(dev));
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0) {
		snprintf(buf, BLOCKDEV_NAME_MAX, "%u:%u", major(dev),
			 minor(dev));
		return buf;
	}
	link[len] = '\0';
	name = strrchr(link, '/');
	snprintf(buf, BLOCKDEV_NAME_MAX, "%.60s", name ? name + 1 : link);
	/* sysfs writes the '/' of "cciss/c0d0" as '!'. */
	for (name = buf; *name; name++)
		if (*name == '!')
			*name = '/';
	return buf;
}

dev_t blockdev_disk(dev_t dev)
{
	char text[32];
	dev_t disk;

	if (blockdev_attr(dev, "partition", text, sizeof(text)))
		return blockdev_exists(dev) ? dev : 0;
	/* The folder of a partition lies in that of its disk. */
	return blockdev_number(dev, "../dev", &disk) ? 0 : disk;
}

/* "none [mq-deadline] kyber": the one in brackets, or the only one. */
static void pick_scheduler(const char *text, char *buf, size_t size)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	if (close)
		snprintf(buf, size, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(buf, size, "%.*s", (int)size - 1, text);
}

/* A number from sysfs, `unknown` where there is none. */
static uint32_t attr_number(dev_t dev, const char *attr, uint32_t unknown)
{
	uint64_t value;
	char text[32];

	if (blockdev_attr(dev, attr, text, sizeof(text)) ||
	    units_parse_u64(text, attr, &value, NULL) || value > UINT32_MAX)
		return unknown;
	return (uint32_t)value;
}

static void load_id(dev_t disk, char *buf, size_t size)
{
	static const char *const attrs[] = {
	    "wwid",    "device/wwid", "device/serial",	  "serial",
	    "dm/uuid", "md/uuid",     "loop/backing_file"};
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]) && !buf[0]; i++)
		blockdev_attr(disk, attrs[i], buf, size);
}

void blockdev_queue_load(dev_t dev, struct blockdev_queue *out)
{
	char text[128];
	dev_t disk = blockdev_disk(dev);

	memset(out, 0, sizeof(*out));
	out->rotational = -1;
	if (!disk)
		return;
	/* SCSI, NVMe and ATA have a model, MMC a name. */
	if (blockdev_attr(disk, "device/model", out->model, sizeof(out->model)))
		blockdev_attr(disk, "device/name", out->model,
			      sizeof(out->model));
	load_id(disk, out->id, sizeof(out->id));
	if (!blockdev_attr(disk, "queue/scheduler", text, sizeof(text)))
		pick_scheduler(text, out->scheduler, sizeof(out->scheduler));
	out->nr_requests = attr_number(disk, "queue/nr_requests", 0);
	out->logical_block = attr_number(disk, "queue/logical_block_size", 0);
	switch (attr_number(disk, "queue/rotational", UINT32_MAX)) {
	case 0:
		out->rotational = 0;
		break;
	case 1:
		out->rotational = 1;
		break;
	}
}
