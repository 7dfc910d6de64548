#include "engine/guard.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/contents.h"
#include "engine/guard_rules.h"
#include "engine/units.h"

/* Open again what fd stands for, whatever its path leads to by now. */
static int reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

static void matter_close(struct guard_matter *m)
{
	kins_fini(&m->kins);
	if (m->read_fd >= 0)
		close(m->read_fd);
	if (m->path_fd >= 0)
		close(m->path_fd);
}

static void open_for_reading(struct guard_matter *m)
{
	const struct target *t = m->t;

	if (t->kind != TARGET_DEVICE)
		m->read_fd = reopen(m->path_fd, O_RDONLY);
	else if (t->claim_fd >= 0)
		m->read_fd = fcntl(t->claim_fd, F_DUPFD_CLOEXEC, 0);
	else
		m->read_fd = reopen(m->path_fd, O_RDONLY | O_EXCL);
	m->read_error = m->read_fd < 0 ? errno : 0;
}

/* Fill m and ask every rule. The caller calls matter_close in any case. */
static int judge(struct guard_matter *m, const struct target *t,
		 struct err *err)
{
	guard_rule *const *rule;
	int ret = 0;

	memset(m, 0, sizeof(*m));
	m->t = t;
	m->read_fd = -1;
	target_name(t, m->name, sizeof(m->name));
	m->path_fd = open(t->path, O_PATH | O_CLOEXEC);
	if (m->path_fd < 0)
		return err_failed(err, errno, "cannot open %s: %s", m->name,
				  strerror(errno));
	if (fstat(m->path_fd, &m->st) || !target_is(t, &m->st))
		return err_refused(err,
				   "%s is not written: it is not what iosweep "
				   "first looked at, it was replaced or leads "
				   "elsewhere; start again",
				   m->name);
	open_for_reading(m);
	for (rule = guard_rules_for(t->kind); !ret && *rule; rule++)
		ret = (*rule)(m, err);
	return ret;
}

int guard_check_writable(const struct target *t, struct err *err)
{
	struct guard_matter m;
	int ret = judge(&m, t, err);

	matter_close(&m);
	return ret;
}

static int open_writable(struct guard_matter *m, int flags, struct err *err)
{
	int fd = reopen(m->path_fd, O_RDWR | flags);

	if (fd < 0)
		return err_failed(err, errno, "cannot open %s for writing: %s",
				  m->name, strerror(errno));
	if (m->t->kind == TARGET_DEVICE && guard_same_disk(m, fd, err)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int guard_open_writable(struct target *t, int flags, struct err *err)
{
	struct guard_matter m;
	int fd;

	assert(!(flags & ~(O_DIRECT | O_DSYNC | O_SYNC)));
	fd = judge(&m, t, err);
	if (!fd)
		fd = open_writable(&m, flags, err);
	if (fd >= 0 && t->kind == TARGET_DEVICE && t->claim_fd < 0) {
		t->claim_fd = m.read_fd;
		m.read_fd = -1;
	}
	matter_close(&m);
	return fd;
}

static int look_inside(const struct target *t, struct contents *out)
{
	int fd = target_open_readable(t, 0, NULL);
	int ret = fd < 0 ? fd : contents_probe(fd, out);

	if (fd >= 0)
		close(fd);
	return ret;
}

int guard_describe(const struct target *t, char *buf, size_t size)
{
	char text[CONTENTS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	struct contents c;
	int ret;

	if (t->kind != TARGET_FILE && t->kind != TARGET_DEVICE) {
		snprintf(buf, size, "nothing");
		return 0;
	}
	ret = look_inside(t, &c);
	if (ret)
		snprintf(text, sizeof(text), "what cannot be told (%s)",
			 strerror(-ret));
	else
		contents_format(&c, text, sizeof(text));
	units_format_bytes(bytes, t->size_bytes);
	if (t->kind == TARGET_FILE)
		snprintf(buf, size, "a file of %s that iosweep %s, with %s",
			 bytes, t->laid_out ? "laid out" : "did not make",
			 text);
	else
		snprintf(buf, size, "%s (%s%s%s)", text, bytes,
			 t->model[0] ? ", " : "", t->model);
	return ret;
}

int guard_check_limit(const char *path, uint64_t size_bytes, struct err *err)
{
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY || size_bytes <= limit.rlim_cur)
		return 0;
	err_refused(err,
		    "%s: writing %s is beyond the limit on file sizes here, %s "
		    "(ulimit -f): raise that limit, or take a smaller file",
		    path, units_format_bytes(need, size_bytes),
		    units_format_bytes(have, limit.rlim_cur));
	return -EFBIG;
}
