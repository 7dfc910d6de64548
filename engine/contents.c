#include "engine/contents.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Copy without what could steer a terminal: the control characters of ASCII,
 * and those of Latin-1 in UTF-8 (C2 80 to C2 9F). */
static void copy_printable(char *to, size_t size, const char *from)
{
	unsigned char *c;

	snprintf(to, size, "%s", from);
	for (c = (unsigned char *)to; *c; c++) {
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
			c[0] = c[1] = '?';
	}
}

static void look_up(blkid_probe probe, const char *name, char *buf, size_t size)
{
	const char *value;

	buf[0] = '\0';
	if (!blkid_probe_lookup_value(probe, name, &value, NULL))
		copy_printable(buf, size, value);
}

static void look_up_all(blkid_probe probe, struct contents *out)
{
	blkid_partlist list;

	look_up(probe, "TYPE", out->type, sizeof(out->type));
	look_up(probe, "USAGE", out->usage, sizeof(out->usage));
	look_up(probe, "LABEL", out->label, sizeof(out->label));
	look_up(probe, "UUID", out->uuid, sizeof(out->uuid));
	look_up(probe, "PTTYPE", out->table, sizeof(out->table));
	if (!out->table[0])
		return;
	list = blkid_probe_get_partitions(probe);
	if (list && blkid_partlist_numof_partitions(list) > 0)
		out->partitions =
		    (unsigned)blkid_partlist_numof_partitions(list);
}

int contents_probe(int fd, struct contents *out)
{
	struct contents c = {0};
	blkid_probe probe = blkid_new_probe();
	int ret;

	if (!probe)
		return -ENOMEM;
	errno = 0;
	ret = blkid_probe_set_device(probe, fd, 0, 0);
	if (!ret) {
		blkid_probe_enable_superblocks(probe, 1);
		/* A file system with a wrong checksum is one still. */
		blkid_probe_set_superblocks_flags(
		    probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
			       BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
			       BLKID_SUBLKS_BADCSUM);
		blkid_probe_enable_partitions(probe, 1);
		ret = blkid_do_fullprobe(probe);
	}
	/* 1: nothing was found. */
	if (ret < 0) {
		ret = errno ? -errno : -EIO;
	} else {
		if (!ret)
			look_up_all(probe, &c);
		*out = c;
		ret = 0;
	}
	blkid_free_probe(probe);
	return ret;
}

static const char *usage_text(const char *usage)
{
	if (!strcmp(usage, "filesystem"))
		return "file system";
	if (!strcmp(usage, "raid"))
		return "volume member";
	if (!strcmp(usage, "crypto"))
		return "encrypted volume";
	return "data of type";
}

bool contents_any(const struct contents *c)
{
	return c->type[0] || c->table[0];
}

char *contents_format(const struct contents *c, char *buf, size_t size)
{
	char label[sizeof(c->label) + 16] = "", uuid[sizeof(c->uuid) + 16] = "";
	char table[64] = "";

	if (c->label[0])
		snprintf(label, sizeof(label), ", label \"%s\"", c->label);
	if (c->uuid[0])
		snprintf(uuid, sizeof(uuid), ", UUID %s", c->uuid);
	if (c->table[0])
		snprintf(table, sizeof(table),
			 "partition table %s with %u partition%s", c->table,
			 c->partitions, c->partitions == 1 ? "" : "s");
	if (c->type[0])
		snprintf(buf, size, "%s %s%s%s%s%s", usage_text(c->usage),
			 c->type, label, uuid, table[0] ? "; " : "", table);
	else if (table[0])
		snprintf(buf, size, "%s", table);
	else
		snprintf(buf, size, "nothing that libblkid knows");
	return buf;
}
