#include "engine/cgroup.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/mounts.h"

#define LINE_BYTES (2 * PATH_MAX + 512)

/* One group of this process. */
struct group {
	const char *folder;
	bool unified; /* version 2 */
};

typedef void visit_group(void *arg, const struct group *g);

/* Whether a name stands in a list with commas. */
static bool lists(const char *list, const char *name)
{
	size_t length = strlen(name);

	while (list) {
		if (!strncmp(list, name, length) &&
		    (list[length] == ',' || !list[length]))
			return true;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return false;
}

/* The path of this process in the hierarchy that has the controller, that of
 * version 1 where there is one. */
static bool find_path(const char *root, const char *controller,
		      char path[PATH_MAX], bool *unified)
{
	char name[PATH_MAX], line[LINE_BYTES];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/cgroup", root);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':');
		char *at = list ? strchr(list + 1, ':') : NULL;

		if (!at)
			continue;
		*at++ = '\0';
		list++;
		if (*list ? !lists(list, controller) : found)
			continue;
		at[strcspn(at, "\n")] = '\0';
		snprintf(path, PATH_MAX, "%s", at);
		found = true;
		*unified = !*list;
		if (*list)
			break;
	}
	if (f)
		fclose(f);
	return found;
}

struct hierarchy {
	char point[PATH_MAX]; /* where it is mounted */
	char top[PATH_MAX];   /* the group that is seen there */
};

static bool is_hierarchy(const char *line, const char *controller, bool unified)
{
	char type[32], options[512];
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s %*s %511s", type, options) != 2)
		return false;
	if (unified)
		return !strcmp(type, "cgroup2");
	return !strcmp(type, "cgroup") && lists(options, controller);
}

static bool find_hierarchy(const char *root, const char *controller,
			   bool unified, struct hierarchy *out)
{
	char name[PATH_MAX], line[LINE_BYTES];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/self/mountinfo", root);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = is_hierarchy(line, controller, unified) &&
			sscanf(line, "%*s %*s %*s %4095s %4095s", out->top,
			       out->point) == 2;
	if (f)
		fclose(f);
	if (found) {
		mounts_unescape(out->top);
		mounts_unescape(out->point);
	}
	return found;
}

/* The part of a path below the group that is mounted; "" where it lies
 * elsewhere, as in a container. */
static const char *below(const char *path, const char *top)
{
	size_t length = strcmp(top, "/") ? strlen(top) : 0;

	if (strncmp(path, top, length) ||
	    (path[length] && path[length] != '/') || strstr(path, "/.."))
		return "";
	return strcmp(path + length, "/") ? path + length : "";
}

/* The group of this process, then each above it. */
static void walk(const char *root, const char *controller, visit_group *visit,
		 void *arg)
{
	char path[PATH_MAX], folder[3 * PATH_MAX];
	struct hierarchy h;
	struct group g = {.folder = folder};
	size_t top;

	if (!find_path(root, controller, path, &g.unified) ||
	    !find_hierarchy(root, controller, g.unified, &h))
		return;
	top = strlen(root) + strlen(h.point);
	snprintf(folder, sizeof(folder), "%s%s%s", root, h.point,
		 below(path, h.top));
	visit(arg, &g);
	while (strlen(folder) > top) {
		*strrchr(folder, '/') = '\0';
		visit(arg, &g);
	}
}

static FILE *open_in(const struct group *g, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", g->folder, name) >=
	    (int)sizeof(path))
		return NULL;
	return fopen(path, "re");
}

/* The first number in a file; UINT64_MAX: none ("max", "-1"). */
static uint64_t number_in(const struct group *g, const char *name)
{
	uint64_t value = UINT64_MAX;
	FILE *f = open_in(g, name);

	if (!f)
		return value;
	if (fscanf(f, "%" SCNu64, &value) != 1)
		value = UINT64_MAX;
	fclose(f);
	return value;
}

/* Keep it where it leaves less than what was found before. */
static void tighten(struct cgroup_limit *l, const struct group *g,
		    const char *name, uint64_t used)
{
	uint64_t most = number_in(g, name);
	uint64_t left = used < most ? most - used : 0;

	if (most == UINT64_MAX || left >= l->left)
		return;
	l->most = most;
	l->left = left;
	snprintf(l->file, sizeof(l->file), "%.4000s/%s", g->folder, name);
}

static void no_limit(struct cgroup_limit *l)
{
	l->most = l->left = UINT64_MAX;
	l->file[0] = '\0';
}

/* ---- memory ---- */

/* Bytes that the page cache holds and gives back. */
static uint64_t cached_bytes(const struct group *g)
{
	const char *prefix = g->unified ? "" : "total_";
	char line[128], inactive[32], active[32];
	uint64_t sum = 0;
	FILE *f = open_in(g, "memory.stat");

	snprintf(inactive, sizeof(inactive), "%sinactive_file ", prefix);
	snprintf(active, sizeof(active), "%sactive_file ", prefix);
	while (f && fgets(line, sizeof(line), f)) {
		uint64_t value;

		if ((!strncmp(line, inactive, strlen(inactive)) ||
		     !strncmp(line, active, strlen(active))) &&
		    sscanf(line, "%*s %" SCNu64, &value) == 1)
			sum += value;
	}
	if (f)
		fclose(f);
	return sum;
}

static void look_at_memory(void *arg, const struct group *g)
{
	uint64_t used = number_in(g, g->unified ? "memory.current"
						: "memory.usage_in_bytes");
	uint64_t cached = cached_bytes(g);

	if (used == UINT64_MAX)
		return;
	tighten(arg, g, g->unified ? "memory.max" : "memory.limit_in_bytes",
		used > cached ? used - cached : 0);
}

void cgroup_memory(const char *root, struct cgroup_limit *out)
{
	no_limit(out);
	walk(root, "memory", look_at_memory, out);
}

/* ---- threads, processors ---- */

static void look_at_threads(void *arg, const struct group *g)
{
	uint64_t used = number_in(g, "pids.current");

	if (used != UINT64_MAX)
		tighten(arg, g, "pids.max", used);
}

void cgroup_threads(const char *root, struct cgroup_limit *out)
{
	no_limit(out);
	walk(root, "pids", look_at_threads, out);
}

/* Microseconds of each period; false: as many as there are. */
static bool read_quota(const struct group *g, uint64_t *quota, uint64_t *period)
{
	FILE *f;
	bool ok;

	if (!g->unified) {
		*quota = number_in(g, "cpu.cfs_quota_us");
		*period = number_in(g, "cpu.cfs_period_us");
		/* -1 reads as a number near the largest. */
		return *quota <= INT64_MAX && *period <= INT64_MAX && *period;
	}
	f = open_in(g, "cpu.max");
	ok = f && fscanf(f, "%" SCNu64 " %" SCNu64, quota, period) == 2 &&
	     *period;
	if (f)
		fclose(f);
	return ok;
}

static void look_at_cpus(void *arg, const struct group *g)
{
	struct cgroup_limit *l = arg;
	uint64_t quota, period, thousandths;

	if (!read_quota(g, &quota, &period))
		return;
	thousandths = (uint64_t)((double)quota * 1000 / (double)period);
	if (thousandths >= l->left)
		return;
	l->most = l->left = thousandths;
	snprintf(l->file, sizeof(l->file), "%.4000s/%s", g->folder,
		 g->unified ? "cpu.max" : "cpu.cfs_quota_us");
}

void cgroup_cpus(const char *root, struct cgroup_limit *out)
{
	no_limit(out);
	walk(root, "cpu", look_at_cpus, out);
}

/* ---- I/O ---- */

struct throttle_search {
	char disk[32]; /* "8:0 " */
	struct cgroup_throttle *out;
};

static void add_throttle(struct throttle_search *s, const struct group *g,
			 const char *name, const char *words)
{
	struct cgroup_throttle *t = s->out;
	size_t used = strlen(t->text);

	if (!*words)
		return;
	snprintf(t->text + used, sizeof(t->text) - used, "%s%s",
		 used ? " " : "", words);
	snprintf(t->file, sizeof(t->file), "%.4000s/%s", g->folder, name);
}

/* What follows the disk's number in a file; "" where it is not there. */
static void line_of_disk(const struct throttle_search *s, const struct group *g,
			 const char *name, char *out, size_t size)
{
	char line[256];
	FILE *f = open_in(g, name);

	out[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, s->disk, strlen(s->disk)))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%s", line + strlen(s->disk));
	}
	if (f)
		fclose(f);
}

static void look_at_io_max(struct throttle_search *s, const struct group *g)
{
	char words[200], limits[200] = "";
	char *word, *rest = words;

	line_of_disk(s, g, "io.max", words, sizeof(words));
	while ((word = strsep(&rest, " "))) {
		size_t used = strlen(limits);

		if (!*word || strstr(word, "=max"))
			continue;
		snprintf(limits + used, sizeof(limits) - used, "%s%s",
			 used ? " " : "", word);
	}
	add_throttle(s, g, "io.max", limits);
}

static void look_at_blkio(struct throttle_search *s, const struct group *g)
{
	static const struct {
		const char *file, *key;
	} files[] = {
	    {"blkio.throttle.read_bps_device", "rbps"},
	    {"blkio.throttle.write_bps_device", "wbps"},
	    {"blkio.throttle.read_iops_device", "riops"},
	    {"blkio.throttle.write_iops_device", "wiops"},
	};
	char value[64], words[80];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		line_of_disk(s, g, files[i].file, value, sizeof(value));
		snprintf(words, sizeof(words), "%s=%s", files[i].key, value);
		add_throttle(s, g, files[i].file, *value ? words : "");
	}
}

static void look_at_io(void *arg, const struct group *g)
{
	if (g->unified)
		look_at_io_max(arg, g);
	else
		look_at_blkio(arg, g);
}

void cgroup_io(const char *root, dev_t disk, struct cgroup_throttle *out)
{
	struct throttle_search s = {.out = out};

	*out = (struct cgroup_throttle){.text = ""};
	snprintf(s.disk, sizeof(s.disk), "%u:%u ", major(disk), minor(disk));
	walk(root, "io", look_at_io, &s);
	if (!out->text[0])
		walk(root, "blkio", look_at_io, &s);
}
