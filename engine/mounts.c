#include "engine/mounts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

void mounts_unescape(char *text)
{
	char *to = text;
	const char *from = text;

	while (*from) {
		unsigned a = (unsigned char)from[0];

		if (a == '\\' && from[1] >= '0' && from[1] <= '3' &&
		    from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
		    from[3] <= '7') {
			a = (unsigned)(from[1] - '0') * 64 +
			    (unsigned)(from[2] - '0') * 8 +
			    (unsigned)(from[3] - '0');
			from += 3;
		}
		*to++ = (char)a;
		from++;
	}
	*to = '\0';
}

/* "36 35 98:0 /root /point options tags... - type source options" */
static bool parse_line(char *line, struct mount *m)
{
	char *field[6], *tag, *type, *source;
	unsigned major_number, minor_number;
	size_t i;

	for (i = 0; i < 6; i++) {
		field[i] = strsep(&line, " ");
		if (!field[i])
			return false;
	}
	do
		tag = strsep(&line, " ");
	while (tag && strcmp(tag, "-"));
	type = strsep(&line, " ");
	source = strsep(&line, " ");
	if (!source || sscanf(field[0], "%d", &m->id) != 1 ||
	    sscanf(field[2], "%u:%u", &major_number, &minor_number) != 2)
		return false;
	mounts_unescape(field[4]);
	mounts_unescape(source);
	m->device = makedev(major_number, minor_number);
	m->point = field[4];
	m->type = type;
	m->source = source;
	return true;
}

static int walk_table(const char *path, pid_t pid, mounts_visit *visit,
		      void *arg)
{
	struct mount m = {.pid = pid};
	char *line = NULL;
	size_t capacity = 0;
	int ret = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	errno = 0;
	while (!ret && getline(&line, &capacity, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		ret = parse_line(line, &m) ? visit(arg, &m) : -EBADMSG;
		errno = 0;
	}
	if (!ret && ferror(f))
		ret = errno ? -errno : -EIO;
	free(line);
	fclose(f);
	return ret;
}

int mounts_own(mounts_visit *visit, void *arg)
{
	return walk_table("/proc/self/mountinfo", 0, visit, arg);
}

/* A view of mounts: two processes of one namespace see different tables when
 * one of them lives in a chroot. */
struct view {
	dev_t namespace_dev, root_dev;
	ino_t namespace_ino, root_ino;
};

struct views {
	struct view *seen;
	size_t count;
};

static bool view_of(const char *process, struct view *out)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.16s/ns/mnt", process);
	if (stat(path, &st))
		return false;
	out->namespace_dev = st.st_dev;
	out->namespace_ino = st.st_ino;
	snprintf(path, sizeof(path), "/proc/%.16s/root", process);
	if (stat(path, &st))
		return false;
	out->root_dev = st.st_dev;
	out->root_ino = st.st_ino;
	return true;
}

/* True when that process's view was there before; one that cannot be told is
 * always new. */
static bool seen_before(struct views *views, const char *process)
{
	struct view v, *grown;
	size_t i;

	if (!view_of(process, &v))
		return false;
	for (i = 0; i < views->count; i++) {
		const struct view *s = &views->seen[i];

		if (s->namespace_dev == v.namespace_dev &&
		    s->namespace_ino == v.namespace_ino &&
		    s->root_dev == v.root_dev && s->root_ino == v.root_ino)
			return true;
	}
	grown = realloc(views->seen, (views->count + 1) * sizeof(v));
	if (grown) {
		views->seen = grown;
		views->seen[views->count++] = v;
	}
	return false;
}

int mounts_all(mounts_visit *visit, void *arg)
{
	struct views views = {0};
	struct dirent *entry;
	char path[64];
	DIR *proc;
	int ret = mounts_own(visit, arg);

	if (ret)
		return ret;
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	seen_before(&views, "self");
	while (ret <= 0 && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    seen_before(&views, entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/mountinfo",
			 entry->d_name);
		/* A process that ended or hides its table is passed over. */
		ret = walk_table(path, (pid_t)atoi(entry->d_name), visit, arg);
	}
	closedir(proc);
	free(views.seen);
	return ret > 0 ? ret : 0;
}

dev_t mounts_device(const struct mount *m)
{
	struct stat st;

	if (major(m->device))
		return m->device;
	/* Only /dev: the source may be any text, and looking at a path that
	 * an automounter or a dead server owns could hang. */
	if (!strncmp(m->source, "/dev/", 5) && !stat(m->source, &st) &&
	    S_ISBLK(st.st_mode))
		return st.st_rdev;
	return 0;
}

static int mount_id_of(int fd)
{
	char path[64], line[128];
	int id = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (id < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "mnt_id: %d", &id);
	fclose(f);
	return id;
}

struct holding {
	int id;
	char *type;
	size_t type_size;
	dev_t source;
};

static int match_id(void *arg, const struct mount *m)
{
	struct holding *h = arg;

	if (m->id != h->id)
		return 0;
	snprintf(h->type, h->type_size, "%s", m->type);
	h->source = mounts_device(m);
	return 1;
}

void mounts_holding(int fd, char *type, size_t type_size, dev_t *source)
{
	struct holding h = {mount_id_of(fd), type, type_size, 0};

	type[0] = '\0';
	if (h.id >= 0)
		mounts_own(match_id, &h);
	*source = h.source;
}
