#include "tests/faultyfs.h"

#include "tests/loopdev.h"

#if __has_include(<fuse3/fuse.h>)

#define FUSE_USE_VERSION 31
#include <fuse3/fuse.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "file"

static struct faultyfs_control *control(void)
{
	return fuse_get_context()->private_data;
}

static int get_attr(const char *path, struct stat *st,
		    struct fuse_file_info *info)
{
	(void)info;
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	if (!strcmp(path, "/")) {
		st->st_mode = S_IFDIR | 0755;
		return 0;
	}
	if (strcmp(path, "/" FILE_NAME) != 0)
		return -ENOENT;
	st->st_mode = S_IFREG | 0644;
	st->st_size = (off_t)control()->size_bytes;
	st->st_blocks = st->st_size / 512;
	return 0;
}

static void hang_while(struct faultyfs_control *c, const atomic_bool *hang)
{
	if (!*hang)
		return;
	c->hanging++;
	while (*hang)
		usleep(1000);
	c->hanging--;
}

static int open_file(const char *path, struct fuse_file_info *info)
{
	if (strcmp(path, "/" FILE_NAME) != 0)
		return -ENOENT;
	hang_while(control(), &control()->hang_open);
	/* Every read and write comes to us. */
	info->direct_io = 1;
	return 0;
}

/* What the command says of an I/O: 0 or -errno, sooner or later. */
static int suffer(struct faultyfs_control *c, int errnum)
{
	if (c->delay_us)
		usleep(c->delay_us);
	hang_while(c, &c->hang);
	return -errnum;
}

static int read_file(const char *path, char *buf, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	struct faultyfs_control *c = control();
	int ret = suffer(c, c->read_errno);
	uint64_t end = c->size_bytes;

	(void)path;
	(void)info;
	hang_while(c, &c->hang_reads);
	if (ret)
		return ret;
	if ((uint64_t)offset >= end)
		return 0;
	if (size > end - (uint64_t)offset)
		size = (size_t)(end - (uint64_t)offset);
	memset(buf, 0x5a, size);
	return (int)size;
}

static int write_file(const char *path, const char *buf, size_t size,
		      off_t offset, struct fuse_file_info *info)
{
	struct faultyfs_control *c = control();
	int ret = suffer(c, c->write_errno);

	c->written++;
	(void)path;
	(void)buf;
	(void)offset;
	(void)info;
	return ret ? ret : (int)size;
}

static void *begin(struct fuse_conn_info *connection,
		   struct fuse_config *config)
{
	(void)connection;
	config->attr_timeout = 0;
	return fuse_get_context()->private_data;
}

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = get_attr,
    .open = open_file,
    .read = read_file,
    .write = write_file,
};

static _Noreturn void serve(const struct faultyfs *f, int ready)
{
	static char name[] = "faultyfs", options[] = "-ofsname=faultyfs";
	char *argv[] = {name, options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse *fuse =
	    fuse_new(&args, &operations, sizeof(operations), f->control);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!fuse || fuse_mount(fuse, f->mount))
		_exit(1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	fuse_loop_mt(fuse, 0);
	_exit(0);
}

static const char *start_server(struct faultyfs *f)
{
	int ready[2];
	char byte;
	ssize_t n;

	if (pipe(ready))
		return "no pipe";
	f->pid = fork();
	if (!f->pid)
		serve(f, ready[1]);
	close(ready[1]);
	n = read(ready[0], &byte, 1);
	close(ready[0]);
	if (n == 1)
		return NULL;
	waitpid(f->pid, NULL, 0);
	return "no FUSE mount";
}

const char *faultyfs_start(struct faultyfs *f, const char *name,
			   uint64_t size_bytes)
{
	const char *why = loopdev_unavailable(); /* its mount namespace */

	if (!why && access("/dev/fuse", R_OK | W_OK))
		why = "no /dev/fuse";
	if (why)
		return why;
	scratch_path(f->mount, name);
	snprintf(f->file, sizeof(f->file), "%s/" FILE_NAME, f->mount);
	f->control = mmap(NULL, sizeof(*f->control), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f->control == MAP_FAILED || mkdir(f->mount, 0755))
		return "no place for a mount";
	f->control->size_bytes = size_bytes;
	return start_server(f);
}

void faultyfs_end(struct faultyfs *f)
{
	f->control->hang = f->control->hang_reads = false;
	f->control->hang_open = false;
	umount2(f->mount, MNT_DETACH);
	kill(f->pid, SIGTERM);
	waitpid(f->pid, NULL, 0);
	rmdir(f->mount);
	munmap(f->control, sizeof(*f->control));
}

#else

const char *faultyfs_start(struct faultyfs *f, const char *name,
			   uint64_t size_bytes)
{
	(void)f;
	(void)name;
	(void)size_bytes;
	return "built without libfuse3";
}

void faultyfs_end(struct faultyfs *f)
{
	(void)f;
}

#endif
