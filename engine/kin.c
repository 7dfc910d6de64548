#include "engine/kin.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/loopback.h"

static int add(struct kins *kins, dev_t dev, enum kin_relation relation)
{
	struct kin *grown;

	if (kins_find(kins, dev))
		return 0;
	grown = realloc(kins->kin, (kins->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	kins->kin = grown;
	grown += kins->count++;
	grown->dev = dev;
	grown->relation = relation;
	blockdev_name(dev, grown->name);
	return 0;
}

/* Of the folder `below` of a device in sysfs, add every entry that has the
 * attribute `having`. */
static int add_listed(struct kins *kins, dev_t dev, const char *below,
		      const char *having, enum kin_relation relation)
{
	char path[128], attr[320], text[32];
	struct dirent *entry;
	dev_t listed;
	int ret = 0;
	DIR *dir = opendir(blockdev_path(dev, below, path, sizeof(path)));

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(attr, sizeof(attr), "%s/%s/%s", below, entry->d_name,
			 having);
		ret = blockdev_attr(dev, attr, text, sizeof(text));
		if (ret == -ENOENT || ret == -ENOTDIR) {
			ret = 0;
			continue;
		}
		snprintf(attr, sizeof(attr), "%s/%s/dev", below, entry->d_name);
		if (!ret)
			ret = blockdev_number(dev, attr, &listed);
		if (!ret)
			ret = add(kins, listed, relation);
	}
	closedir(dir);
	return ret;
}

static int add_partitions(struct kins *kins, dev_t dev,
			  enum kin_relation relation)
{
	return add_listed(kins, dev, ".", "partition", relation);
}

/* What is made of kin number i. */
static int add_above(struct kins *kins, size_t i, const struct loopbacks *loops)
{
	const struct kin k = kins->kin[i];
	const struct loopback *loop;
	int ret = add_listed(kins, k.dev, "holders", "dev", KIN_HOLDER);

	if (!ret && k.relation == KIN_HOLDER)
		ret = add_partitions(kins, k.dev, KIN_HOLDER);
	loop = loopbacks_on_device(loops, k.dev, k.name);
	if (!ret && loop)
		ret = add(kins, loop->dev, KIN_HOLDER);
	return ret;
}

static int add_loop(struct kins *kins, const struct loopback *loop,
		    const struct loopbacks *loops)
{
	const struct loopback *beside = loopbacks_beside(loops, loop);
	int ret = 0;

	if (!loop->known)
		return -ENODATA;
	if (loop->backing_rdev)
		ret = add(kins, loop->backing_rdev, KIN_BACKING);
	if (!ret && beside)
		ret = add(kins, beside->dev, KIN_BESIDE);
	return ret;
}

/* What kin number i is made of. */
static int add_below(struct kins *kins, size_t i, const struct loopbacks *loops)
{
	const struct kin k = kins->kin[i];
	const struct loopback *loop = loopbacks_find(loops, k.dev);
	dev_t disk = blockdev_disk(k.dev);
	int ret;

	if (!disk)
		return -ENODEV;
	if (loop)
		return add_loop(kins, loop, loops);
	if (disk != k.dev)
		return add(kins, disk,
			   k.relation == KIN_SELF ? KIN_DISK : KIN_BELOW);
	ret = add_listed(kins, k.dev, "slaves", "dev", KIN_BELOW);
	return ret == -ENOENT ? 0 : ret;
}

static int add_all(struct kins *kins, const struct loopbacks *loops)
{
	size_t i;
	int ret = add_partitions(kins, kins->kin[0].dev, KIN_PARTITION);

	/* The list grows while it is walked. */
	for (i = 0; !ret && i < kins->count; i++) {
		enum kin_relation r = kins->kin[i].relation;

		if (r == KIN_SELF || r == KIN_DISK || r == KIN_BELOW)
			ret = add_below(kins, i, loops);
		if (!ret && (r == KIN_SELF || r == KIN_PARTITION ||
			     r == KIN_DISK || r == KIN_HOLDER))
			ret = add_above(kins, i, loops);
	}
	return ret;
}

int kins_load(dev_t dev, struct kins *out)
{
	struct kins kins = {0};
	struct loopbacks loops;
	int ret = loopbacks_load(&loops);

	if (ret)
		return ret;
	ret = add(&kins, dev, KIN_SELF);
	if (!ret)
		ret = add_all(&kins, &loops);
	loopbacks_fini(&loops);
	if (ret)
		kins_fini(&kins);
	else
		*out = kins;
	return ret;
}

void kins_fini(struct kins *kins)
{
	free(kins->kin);
	kins->kin = NULL;
	kins->count = 0;
}

const struct kin *kins_find(const struct kins *kins, dev_t dev)
{
	size_t i;

	for (i = 0; i < kins->count; i++)
		if (kins->kin[i].dev == dev)
			return &kins->kin[i];
	return NULL;
}

const struct kin *kins_first(const struct kins *kins,
			     enum kin_relation relation)
{
	size_t i;

	for (i = 0; i < kins->count; i++)
		if (kins->kin[i].relation == relation)
			return &kins->kin[i];
	return NULL;
}
