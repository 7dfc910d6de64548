#include "engine/stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/capture.h"
#include "engine/loopback.h"
#include "engine/mounts.h"
#include "engine/sysfile.h"

/* Deeper than any stack that people build; ends a circle in a broken tree. */
#define DEPTH_MAX 16

struct walk {
	const char *sys;
	struct stack *s;
};

static const char *const role_names[STACK_ROLE_COUNT] = {
    [STACK_TARGET] = "target",	 [STACK_BELOW] = "below",
    [STACK_ORIGIN] = "origin",	 [STACK_CACHE] = "cache",
    [STACK_WATCHED] = "watched",
};

const char *stack_role_name(enum stack_role role)
{
	return (unsigned)role < STACK_ROLE_COUNT ? role_names[role] : NULL;
}

static struct stack_device *find(struct stack *s, dev_t dev)
{
	uint32_t i;

	for (i = 0; i < s->count; i++)
		if (s->device[i].dev == dev)
			return &s->device[i];
	return NULL;
}

/* NULL when it is there already, or when there is no room. */
static struct stack_device *add(struct stack *s, dev_t dev,
				enum stack_role role)
{
	struct stack_device *d = &s->device[s->count];

	if (find(s, dev))
		return NULL;
	if (s->count == STACK_DEVICES_MAX) {
		s->is_complete = false;
		return NULL;
	}
	s->count++;
	*d = (struct stack_device){.dev = dev, .role = role};
	return d;
}

/* An attribute of a device as text; "" where there is none. */
static char *attr(const struct walk *w, dev_t dev, const char *name, char *buf,
		  size_t size)
{
	sysfile_read(buf, size, "%s/dev/block/%u:%u/%s", w->sys, major(dev),
		     minor(dev), name);
	return buf;
}

static bool has(const struct walk *w, dev_t dev, const char *name)
{
	char path[SYSFILE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/%s", w->sys,
		 major(dev), minor(dev), name);
	return !access(path, F_OK);
}

static dev_t number(const char *text)
{
	unsigned a, b;

	return sscanf(text, "%u:%u", &a, &b) == 2 ? makedev(a, b) : 0;
}

/* Of the disk of a partition, which has the slaves. */
static dev_t disk_of(const struct walk *w, dev_t dev)
{
	char text[32];
	dev_t disk;

	if (!has(w, dev, "partition"))
		return dev;
	disk = number(attr(w, dev, "../dev", text, sizeof(text)));
	return disk ? disk : dev;
}

static void name_device(const struct walk *w, struct stack_device *d)
{
	char text[512], *line = NULL, *save = NULL;

	snprintf(d->name, sizeof(d->name), "%u:%u", major(d->dev),
		 minor(d->dev));
	attr(w, d->dev, "uevent", text, sizeof(text));
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, "DEVNAME=", 8))
			snprintf(d->name, sizeof(d->name), "%.60s", line + 8);
}

/* ---- caches ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* The fast device of a bcache, or a part of an LVM cache, by its name. */
static bool is_cache_part(const struct walk *w, dev_t dev)
{
	static const char *const ends[] = {"_cdata", "_cmeta", "-cdata",
					   "-cmeta", "_cvol",  "_cpool"};
	char name[256];
	size_t i;

	if (has(w, dev, "bcache/cache_replacement_policy"))
		return true;
	attr(w, dev, "dm/name", name, sizeof(name));
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

int stack_parse_dm_cache(const char *table, dev_t out[3])
{
	unsigned n[6];
	int i;

	if (sscanf(table, "cache %u:%u %u:%u %u:%u ", &n[0], &n[1], &n[2],
		   &n[3], &n[4], &n[5]) != 6)
		return -EINVAL;
	for (i = 0; i < 3; i++)
		out[i] = makedev(n[2 * i], n[2 * i + 1]);
	return 0;
}

/* Metadata and cache of a dm-cache that has no LVM names. False where that
 * cannot be told. */
static bool ask_dm_cache(const struct walk *w, dev_t dev, dev_t out[3])
{
	char text[1024], name[256];
	const char *const argv[] = {"dmsetup", "table", "--target",
				    "cache",   name,	NULL};
	const char *type;

	if (!attr(w, dev, "dm/name", name, sizeof(name))[0] ||
	    capture_run(argv, CAPTURE_LIMIT_NS, text, sizeof(text)) < 0)
		return false;
	type = strstr(text, "cache ");
	return type && !stack_parse_dm_cache(type, out);
}

/* ---- the walk ---- */

static void walk(const struct walk *w, dev_t dev, enum stack_role role,
		 int depth);

/* The device of the file system that holds the file below a loop; 0 where
 * there is none or several. in_memory: there is nothing below. */
static dev_t holding(const struct loopback *loop, bool *in_memory)
{
	char type[32] = "";
	dev_t source = 0;
	int fd;

	if (major(loop->backing_dev))
		return loop->backing_dev;
	fd = open(loop->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	mounts_holding(fd, type, sizeof(type), &source);
	close(fd);
	*in_memory = !strcmp(type, "tmpfs") || !strcmp(type, "ramfs");
	/* A btrfs may lie on more devices than the one that it names. */
	return strcmp(type, "btrfs") ? source : 0;
}

/* True when it is the lowest itself: a disk in memory. */
static bool walk_loop(const struct walk *w, dev_t dev, enum stack_role role,
		      int depth)
{
	const struct loopback *loop = NULL;
	struct loopbacks loops;
	bool in_memory = false;
	dev_t below = 0;

	if (!loopbacks_load(&loops)) {
		loop = loopbacks_find(&loops, dev);
		if (loop && loop->known)
			below = loop->backing_rdev ? loop->backing_rdev
						   : holding(loop, &in_memory);
		loopbacks_fini(&loops);
	}
	if (below)
		walk(w, below, role, depth + 1);
	else if (!in_memory)
		w->s->is_complete = false;
	return in_memory;
}

/* Walks all slaves; returns how many there are. */
static int walk_slaves(const struct walk *w, dev_t disk, enum stack_role role,
		       int depth)
{
	char path[SYSFILE_PATH_MAX], text[32];
	dev_t parts[3] = {0, 0, 0}, slave;
	bool asked = has(w, disk, "dm/name") && ask_dm_cache(w, disk, parts);
	const struct dirent *e;
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/slaves", w->sys,
		 major(disk), minor(disk));
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		bool is_cache;

		if (e->d_name[0] == '.')
			continue;
		sysfile_read(text, sizeof(text), "%s/%s/dev", path, e->d_name);
		slave = number(text);
		if (!slave) {
			w->s->is_complete = false;
			continue;
		}
		is_cache = is_cache_part(w, slave) ||
			   (asked && (slave == parts[0] || slave == parts[1]));
		walk(w, slave, is_cache ? STACK_CACHE : role, depth + 1);
		count++;
	}
	if (dir)
		closedir(dir);
	return count;
}

static void walk(const struct walk *w, dev_t dev, enum stack_role role,
		 int depth)
{
	enum stack_role below = role == STACK_CACHE ? role : STACK_BELOW;
	struct stack_device *d = add(w->s, dev, role);
	bool lowest;
	dev_t disk;

	if (!d)
		return;
	name_device(w, d);
	if (depth == DEPTH_MAX || !has(w, dev, "dev")) {
		w->s->is_complete = false;
		return;
	}
	disk = disk_of(w, dev);
	if (has(w, disk, "loop/backing_file"))
		lowest = walk_loop(w, disk, below, depth);
	else
		lowest = walk_slaves(w, disk, below, depth) == 0;
	d->is_origin = lowest && role != STACK_CACHE;
	if (d->is_origin && role == STACK_BELOW)
		d->role = STACK_ORIGIN;
}

void stack_load(const char *sys, dev_t target, struct stack *out)
{
	struct walk w = {.sys = sys, .s = out};

	memset(out, 0, sizeof(*out));
	if (!target)
		return;
	out->is_complete = true;
	walk(&w, target, STACK_TARGET, 0);
}

/* ---- devices that the user names ---- */

/* The next path of a list into buf; false at the end. */
static bool next_path(const char **list, char *buf, size_t size)
{
	size_t length = strcspn(*list, ",");

	if (!**list)
		return false;
	snprintf(buf, size, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

int stack_check_watch(const char *list, const char *where, struct err *err)
{
	char path[PATH_MAX];
	struct stat st;
	uint32_t count = 0;

	if (!*list)
		return err_usage(err,
				 "%s names no device; write such as "
				 "/dev/sdb,/dev/nvme0n1",
				 where);
	while (next_path(&list, path, sizeof(path))) {
		if (stat(path, &st) || !S_ISBLK(st.st_mode))
			return err_usage(err,
					 "%s: '%.200s' is no block device; "
					 "write such as /dev/sdb,/dev/nvme0n1",
					 where, path);
		if (++count > STACK_DEVICES_MAX / 2)
			return err_usage(err,
					 "%s: more than %d devices; name "
					 "fewer",
					 where, STACK_DEVICES_MAX / 2);
	}
	return 0;
}

void stack_watch(struct stack *s, const char *list)
{
	bool nothing_known = s->count == 0;
	const struct walk w = {.sys = "/sys", .s = s};
	char path[PATH_MAX];
	struct stat st;

	if (nothing_known)
		s->is_complete = true;
	while (next_path(&list, path, sizeof(path))) {
		struct stack_device *d;

		if (stat(path, &st) || !S_ISBLK(st.st_mode)) {
			s->is_complete = false;
			continue;
		}
		d = add(s, st.st_rdev, STACK_WATCHED);
		if (!d)
			continue;
		name_device(&w, d);
		d->is_origin = nothing_known;
	}
}
