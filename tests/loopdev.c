#include "tests/loopdev.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256];
static pid_t folder_owner;
/* Where mount_scratch mounted: in the way of removing the folder. */
static char mounted[64][PATH_MAX];
static unsigned mounted_count;

static int remove_entry(const char *path, const struct stat *st, int flag,
			struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	remove(path);
	return 0;
}

static void remove_folder(void)
{
	/* Children that exit by exit(3) leave it to their parent. */
	if (getpid() != folder_owner)
		return;
	while (mounted_count)
		umount2(mounted[--mounted_count], MNT_DETACH);
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

const char *scratch_folder(void)
{
	const char *base = getenv("TMPDIR");

	if (folder[0])
		return folder;
	snprintf(folder, sizeof(folder), "%.200s/iosweep-test-XXXXXX",
		 base && base[0] ? base : "/tmp");
	if (!mkdtemp(folder)) {
		folder[0] = '\0';
		return NULL;
	}
	folder_owner = getpid();
	atexit(remove_folder);
	return folder;
}

char *scratch_path(char *buf, const char *name)
{
	const char *base = scratch_folder();

	snprintf(buf, PATH_MAX, "%s/%s", base ? base : "/nonexistent", name);
	return buf;
}

char *scratch_file(char *buf, const char *name, uint64_t size_bytes, int fill)
{
	char block[65536];
	uint64_t done;
	int fd, bad;

	fd = open(scratch_path(buf, name), O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (fd < 0)
		return NULL;
	memset(block, fill, sizeof(block));
	bad = ftruncate(fd, (off_t)size_bytes);
	for (done = 0; fill && !bad && done < size_bytes;) {
		uint64_t left = size_bytes - done;
		ssize_t n = write(fd, block,
				  left < sizeof(block) ? left : sizeof(block));

		bad = n <= 0;
		done += bad ? 0 : (uint64_t)n;
	}
	if (close(fd) || bad)
		return NULL;
	return buf;
}

const char *loopdev_unavailable(void)
{
	static bool asked;
	static const char *why;
	int control;

	if (asked)
		return why;
	asked = true;
	if (geteuid()) {
		why = "needs root";
		return why;
	}
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		why = "no loop devices here";
	else if (unshare(CLONE_NEWNS) ||
		 mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL))
		why = "no mount namespace of our own";
	if (control >= 0)
		close(control);
	return why;
}

static int bind_free_loop(struct loopdev *loop, int control,
			  const struct loop_config *config)
{
	struct stat st;
	int number = ioctl(control, LOOP_CTL_GET_FREE);

	if (number < 0)
		return -errno;
	snprintf(loop->name, sizeof(loop->name), "loop%d", number);
	snprintf(loop->node, sizeof(loop->node), "/dev/loop%d", number);
	loop->fd = open(loop->node, O_RDWR | O_CLOEXEC);
	if (loop->fd < 0)
		return -errno;
	if (!ioctl(loop->fd, LOOP_CONFIGURE, config) && !fstat(loop->fd, &st)) {
		loop->dev = st.st_rdev;
		return 0;
	}
	number = -errno;
	close(loop->fd);
	loop->fd = -1;
	return number;
}

int loopdev_attach(struct loopdev *loop, const char *file, int flags,
		   uint32_t block_bytes)
{
	struct loop_config config = {.block_size = block_bytes};
	int control, backing, tries, ret = -EBUSY;

	memset(loop, 0, sizeof(*loop));
	loop->fd = -1;
	snprintf(loop->file, sizeof(loop->file), "%s", file);
	config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	if (flags & LOOPDEV_DIRECT)
		config.info.lo_flags |= LO_FLAGS_DIRECT_IO;
	if (flags & LOOPDEV_PARTITIONS)
		config.info.lo_flags |= LO_FLAGS_PARTSCAN;
	if (flags & LOOPDEV_READ_ONLY)
		config.info.lo_flags |= LO_FLAGS_READ_ONLY;
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	backing = open(file, O_RDWR | O_CLOEXEC);
	config.fd = (uint32_t)backing;
	/* Others may take the free one before us. */
	for (tries = 0;
	     control >= 0 && backing >= 0 && tries < 20 && ret == -EBUSY;
	     tries++)
		ret = bind_free_loop(loop, control, &config);
	if (control < 0 || backing < 0)
		ret = -errno;
	if (control >= 0)
		close(control);
	if (backing >= 0)
		close(backing);
	return ret;
}

int loopdev_new(struct loopdev *loop, const char *name, uint64_t size_bytes,
		int flags)
{
	char path[PATH_MAX];

	if (!scratch_file(path, name, size_bytes, 0))
		return -errno;
	return loopdev_attach(loop, path, flags, 0);
}

void loopdev_detach(struct loopdev *loop)
{
	char path[64];
	int i;

	if (loop->fd < 0)
		return;
	ioctl(loop->fd, LOOP_CLR_FD);
	close(loop->fd);
	loop->fd = -1;
	/* Somebody who looks at new devices (udev) may have it open yet. */
	snprintf(path, sizeof(path), "/sys/block/%.31s/loop", loop->name);
	for (i = 0; i < 200 && !access(path, F_OK); i++)
		usleep(10000);
}

int loopdev_add_partition(struct loopdev *loop, int number,
			  uint64_t start_bytes, uint64_t size_bytes, char *node)
{
	struct blkpg_partition part = {
	    .start = (long long)start_bytes,
	    .length = (long long)size_bytes,
	    .pno = number,
	};
	struct blkpg_ioctl_arg arg = {
	    .op = BLKPG_ADD_PARTITION,
	    .datalen = sizeof(part),
	    .data = &part,
	};

	snprintf(node, 48, "%.30sp%d", loop->node, number);
	/* Busy: a kernel that reads tables has found it. */
	if (ioctl(loop->fd, BLKPG, &arg) && errno != EBUSY)
		return -errno;
	return access(node, F_OK) ? -errno : 0;
}

static void put_le32(unsigned char *to, uint32_t value)
{
	int i;

	for (i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

int loopdev_write_table(const char *path, uint64_t size_bytes)
{
	unsigned char sector[512] = {0};
	uint32_t first = 2048;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	put_le32(sector + 440, 0x1234abcd); /* its identifier */
	sector[446 + 4] = 0x83;		    /* Linux */
	put_le32(sector + 446 + 8, first);
	put_le32(sector + 446 + 12, (uint32_t)(size_bytes / 512) - first);
	sector[510] = 0x55;
	sector[511] = 0xaa;
	n = pwrite(fd, sector, sizeof(sector), 0);
	if (close(fd) || n != (ssize_t)sizeof(sector))
		return -EIO;
	return 0;
}

int run_tool(const char *tool, ...)
{
	char *argv[16] = {(char *)(uintptr_t)tool};
	int i = 0, status;
	va_list ap;
	pid_t pid;

	va_start(ap, tool);
	while (argv[i] && i < 14)
		argv[++i] = va_arg(ap, char *);
	va_end(ap);
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
		dup2(null, 0), dup2(null, 1), dup2(null, 2);
		execvp(tool, argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

int mount_scratch(const char *node, const char *name, const char *type,
		  const char *options, char *point)
{
	if (mounted_count == sizeof(mounted) / sizeof(mounted[0]))
		return -ENOSPC;
	if (mkdir(scratch_path(point, name), 0700) && errno != EEXIST)
		return -errno;
	if (mount(node, point, type, 0, options))
		return -errno;
	strcpy(mounted[mounted_count++], point);
	return 0;
}

int loopdev_own_disk(struct loopdev *disk, const char *name, uint64_t bytes)
{
	char memory[64], file[96], path[PATH_MAX];
	int ret;

	disk->fd = -1;
	snprintf(memory, sizeof(memory), "memory-%.40s", name);
	snprintf(file, sizeof(file), "%s/disk", memory);
	ret = mount_scratch("none", memory, "tmpfs", NULL, path);
	if (!ret)
		ret = loopdev_new(disk, file,
				  bytes + bytes / 4 + 16 * LOOPDEV_MIB, 0);
	if (!ret && run_tool("mkfs.ext4", "-q", "-F", "-E",
			     "lazy_itable_init=0,lazy_journal_init=0",
			     disk->node, NULL))
		ret = -ENOTSUP;
	if (!ret)
		ret = mount_scratch(disk->node, name, "ext4", NULL, path);
	if (ret)
		loopdev_detach(disk);
	return ret;
}

static char swapped[PATH_MAX];

static void end_swap_at_exit(void)
{
	if (getpid() == folder_owner)
		swap_end();
}

int swap_start(const char *path)
{
	static bool registered;

	if (swapped[0])
		return -EBUSY;
	if (!registered)
		atexit(end_swap_at_exit);
	registered = true;
	if (swapon(path, 0))
		return -errno;
	snprintf(swapped, sizeof(swapped), "%s", path);
	return 0;
}

int swap_end(void)
{
	int ret = swapped[0] && swapoff(swapped) ? -errno : 0;

	swapped[0] = '\0';
	return ret;
}

pid_t child_start(int (*body)(void *arg), void *arg)
{
	int ready[2], ret = 0;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ret = body(arg);
		if (write(ready[1], &ret, sizeof(ret)) != sizeof(ret) || ret)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (pid < 0)
		ret = -errno;
	else if (read(ready[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = -ECHILD;
	close(ready[0]);
	if (!ret)
		return pid;
	if (pid > 0)
		child_end(pid);
	return ret;
}

void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
