#include "engine/guard_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/contents.h"
#include "engine/guard.h"
#include "engine/loopback.h"
#include "engine/mark.h"
#include "engine/mounts.h"

static int cannot_tell(const struct guard_matter *m, const char *what, int ret,
		       struct err *err)
{
	return err_refused(err,
			   "%s is not written: it cannot be told %s (%s); name "
			   "another target",
			   m->name, what, strerror(-ret));
}

/* "/dev/sdb", or "/dev/sdb: its partition /dev/sdb1". */
static const char *concern(const struct guard_matter *m, const struct kin *k,
			   char *buf, size_t size)
{
	static const char *const words[][2] = {
	    [KIN_PARTITION] = {"its partition", ""},
	    [KIN_DISK] = {"its disk", ""},
	    [KIN_HOLDER] = {"what is made of it,", ","},
	    [KIN_BELOW] = {"what it is made of,", ","},
	    [KIN_BACKING] = {"what it lies on,", ","},
	    [KIN_BESIDE] = {"what lies on the same file,", ","},
	};

	if (k->relation == KIN_SELF)
		snprintf(buf, size, "%s", m->name);
	else
		snprintf(buf, size, "%s: %s /dev/%s%s", m->name,
			 words[k->relation][0], k->name, words[k->relation][1]);
	return buf;
}

static int find_kin(struct guard_matter *m, struct err *err)
{
	int ret = kins_load(m->t->device, &m->kins);

	return ret ? cannot_tell(m, "what uses it", ret, err) : 0;
}

struct mount_search {
	struct guard_matter *m;
	struct err *err;
};

static int refuse_mount(void *arg, const struct mount *mount)
{
	struct mount_search *search = arg;
	char who[TARGET_NAME_MAX + 128], where[64] = "";
	dev_t dev = mounts_device(mount);
	const struct kin *k = dev ? kins_find(&search->m->kins, dev) : NULL;

	if (!k)
		return 0;
	if (mount->pid)
		snprintf(where, sizeof(where), " as process %d sees it",
			 (int)mount->pid);
	err_refused(search->err,
		    "%s is mounted at %s%s: iosweep does not write to a "
		    "mounted device; unmount it first, or name another target",
		    concern(search->m, k, who, sizeof(who)), mount->point,
		    where);
	return 1;
}

static int not_mounted(struct guard_matter *m, struct err *err)
{
	struct mount_search search = {m, err};
	int ret = mounts_all(refuse_mount, &search);

	if (ret < 0)
		return cannot_tell(m, "whether it is mounted", ret, err);
	return ret ? -EPERM : 0;
}

static int refuse_swap(const struct guard_matter *m, const char *path,
		       struct err *err)
{
	char who[TARGET_NAME_MAX + 128];
	const struct kin *k = NULL;
	struct stat st;
	bool same;

	/* One that is not found here, in a container say, is still held by
	 * the kernel: O_EXCL fails for a device, ETXTBSY for a file. */
	if (stat(path, &st))
		return 0;
	if (S_ISBLK(st.st_mode))
		k = kins_find(&m->kins, st.st_rdev);
	same = S_ISREG(st.st_mode) && st.st_dev == m->st.st_dev &&
	       st.st_ino == m->st.st_ino;
	if (!k && !same)
		return 0;
	return err_refused(err,
			   "%s is swap in use: iosweep does not write to it; "
			   "swapoff it first, or name another target",
			   k ? concern(m, k, who, sizeof(who)) : m->name);
}

static int not_swap(struct guard_matter *m, struct err *err)
{
	char *line = NULL;
	size_t capacity = 0;
	int ret = 0;
	FILE *f = fopen("/proc/swaps", "re");

	/* A kernel without swap has no such file. */
	if (!f && errno == ENOENT && !access("/proc/self", F_OK))
		return 0;
	if (!f)
		return cannot_tell(m, "whether it is swap", -errno, err);
	while (!ret && getline(&line, &capacity, f) >= 0) {
		line[strcspn(line, " \t\n")] = '\0';
		mounts_unescape(line);
		ret = refuse_swap(m, line, err);
	}
	if (!ret && ferror(f))
		ret = cannot_tell(m, "whether it is swap", -EIO, err);
	free(line);
	fclose(f);
	return ret;
}

static int not_part_of_another(struct guard_matter *m, struct err *err)
{
	const struct kin *k = kins_first(&m->kins, KIN_HOLDER);

	if (k)
		return err_refused(
		    err,
		    "%s is in use by /dev/%s, which is made of it: take it out "
		    "of there first, or name another target",
		    m->name, k->name);
	k = kins_first(&m->kins, KIN_BACKING);
	if (k)
		return err_refused(
		    err,
		    "%s is a loop device on /dev/%s, and nothing keeps others "
		    "from using that: name /dev/%s itself",
		    m->name, k->name, k->name);
	k = kins_first(&m->kins, KIN_BESIDE);
	if (k)
		return err_refused(
		    err,
		    "%s lies on the same file as /dev/%s: detach that first "
		    "(losetup -d /dev/%s), or name another target",
		    m->name, k->name, k->name);
	return 0;
}

static int not_held(struct guard_matter *m, struct err *err)
{
	if (m->read_error != EBUSY)
		return 0;
	return err_refused(
	    err,
	    "%s is held exclusively by another program (a mount in another "
	    "container, RAID, LVM, a virtual machine, another iosweep): stop "
	    "that first, or name another target",
	    m->name);
}

static int readable(struct guard_matter *m, struct err *err)
{
	if (!m->read_error)
		return 0;
	return err_failed(err, m->read_error,
			  "cannot look at %s before writing: %s", m->name,
			  strerror(m->read_error));
}

int guard_same_disk(const struct guard_matter *m, int fd, struct err *err)
{
	if (target_diskseq(fd) == m->t->diskseq)
		return 0;
	return err_refused(err,
			   "%s is another disk than the one that iosweep first "
			   "looked at: start again",
			   m->name);
}

static int still_the_same_disk(struct guard_matter *m, struct err *err)
{
	return guard_same_disk(m, m->read_fd, err);
}

static int not_read_only(struct guard_matter *m, struct err *err)
{
	int read_only = 0;

	if (ioctl(m->read_fd, BLKROGET, &read_only))
		return cannot_tell(m, "whether it is read-only", -errno, err);
	if (!read_only)
		return 0;
	return err_refused(err,
			   "%s is read-only: measure reads only, or name "
			   "another target",
			   m->name);
}

/* Virtual machines lock the images and disks that they use. Where locks are
 * not supported nobody can hold one, so a failure to ask is no lock. */
static int not_locked(struct guard_matter *m, struct err *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(m->read_fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return err_refused(err,
			   "%s is locked by another program (a virtual machine "
			   "or a database): stop that first, or name another "
			   "target",
			   m->name);
}

/* Every row is passed but this one: does the consent name it? `loss` says
 * what writing would destroy. */
static int consented(const struct guard_matter *m, const char *loss,
		     struct err *err)
{
	const char *consent = m->t->consent;
	struct stat st;

	if (!consent)
		return err_refused(err,
				   "%s %s: if that may be destroyed, add "
				   "--destroy-data-on %s",
				   m->name, loss, m->t->path);
	if (stat(consent, &st))
		return err_refused(err,
				   "%s is not written: --destroy-data-on names "
				   "%s (%s); it must name %s",
				   m->name, consent, strerror(errno),
				   m->t->path);
	if (target_is(m->t, &st))
		return 0;
	return err_refused(err,
			   "%s is not written: --destroy-data-on names %s, "
			   "which is not the same; it must name %s",
			   m->name, consent, m->t->path);
}

static int consented_device(struct guard_matter *m, struct err *err)
{
	char text[CONTENTS_TEXT_MAX], loss[CONTENTS_TEXT_MAX + 64];
	struct contents c;
	int ret = contents_probe(m->read_fd, &c);

	if (ret)
		return cannot_tell(m, "what is on it", ret, err);
	contents_format(&c, text, sizeof(text));
	if (c.partitions && !kins_first(&m->kins, KIN_PARTITION))
		return err_refused(
		    err,
		    "%s is not written: it holds a %s, of which the kernel "
		    "shows none, so that it cannot be told whether they are in "
		    "use; if it may go, first wipefs -a %s",
		    m->name, text, m->t->path);
	snprintf(loss, sizeof(loss), "is a block device and holds %s", text);
	return consented(m, loss, err);
}

static int within_limit(struct guard_matter *m, struct err *err)
{
	return guard_check_limit(m->name, (uint64_t)m->st.st_size, err);
}

static int not_under_loop(struct guard_matter *m, struct err *err)
{
	struct loopbacks loops;
	const struct loopback *loop;
	int ret = loopbacks_load(&loops);

	/* No sysfs here, no loop device to be seen: cannot tell. */
	if (ret)
		return cannot_tell(
		    m, "whether a loop device lies on it, /sys/block", ret,
		    err);
	loop = loopbacks_on_file(&loops, &m->st, m->t->resolved);
	if (loop)
		ret = err_refused(
		    err,
		    "%s is in use by the loop device /dev/%s: detach that "
		    "first (losetup -d /dev/%s), or name another target",
		    m->name, loop->name, loop->name);
	loopbacks_fini(&loops);
	return ret;
}

static int ours_or_consented(struct guard_matter *m, struct err *err)
{
	char text[CONTENTS_TEXT_MAX], loss[CONTENTS_TEXT_MAX + 96];
	struct contents c;
	int ret = contents_probe(m->read_fd, &c);

	if (ret)
		return cannot_tell(m, "what is in it", ret, err);
	contents_format(&c, text, sizeof(text));
	if (!mark_matches(m->read_fd, (uint64_t)m->st.st_size))
		snprintf(
		    loss, sizeof(loss), "was not laid out by iosweep%s%s%s",
		    m->st.st_nlink > 1 ? ", has other names (hard links)" : "",
		    contents_any(&c) ? ", holds " : "",
		    contents_any(&c) ? text : "");
	else if (contents_any(&c))
		/* Random data when we left it: somebody made a disk image of
		 * it since. */
		snprintf(loss, sizeof(loss),
			 "was laid out by iosweep but now holds %s", text);
	else
		return 0;
	return consented(m, loss, err);
}

/* The decision tables. What is in use comes first: nobody is told to consent
 * to the loss of a mounted disk. */
static guard_rule *const device_rules[] = {
    find_kin,
    not_mounted,
    not_swap,
    not_part_of_another,
    not_held,
    readable,
    still_the_same_disk,
    not_read_only,
    not_locked,
    consented_device,
    NULL,
};

static guard_rule *const file_rules[] = {
    not_swap,	  not_under_loop,    readable, not_locked,
    within_limit, ours_or_consented, NULL,
};

/* /dev/zero and /dev/null: what is written to them is gone already. */
static guard_rule *const no_rules[] = {NULL};

guard_rule *const *guard_rules_for(enum target_kind kind)
{
	switch (kind) {
	case TARGET_FILE:
		return file_rules;
	case TARGET_ZERO:
	case TARGET_NULL:
		return no_rules;
	case TARGET_DEVICE:
	case TARGET_KIND_COUNT:
		break;
	}
	return device_rules;
}
