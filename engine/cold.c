#include "engine/cold.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/loopback.h"
#include "engine/pagecache.h"
#include "engine/stack.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

/* Dirty pages cannot be dropped, so they are written first. */
static void drop_pages(int fd)
{
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	/* Of a block device: also what a file system on it holds. */
	ioctl(fd, BLKFLSBUF, 0);
}

/* NAN is more than any number: not to know is the worst case. */
static double worse(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double drop_backing(const struct loopback *loop, bool drop)
{
	struct stat st;
	int fd = loopbacks_open(loop, &st);
	double left;

	if (fd < 0)
		return NAN;
	if (drop)
		drop_pages(fd);
	/* The pages of a device below count with its own size unknown. */
	left = S_ISREG(st.st_mode)
		   ? pagecache_resident_pct(fd, (uint64_t)st.st_size)
		   : 0;
	close(fd);
	return left;
}

/* Of all files under loop devices in the stack, but for those in memory, which
 * are disks and not caches; drop: or only look. */
static double drop_below(const struct stack *stack, bool drop)
{
	struct loopbacks loops;
	double left = 0;
	uint32_t i;

	if (loopbacks_load(&loops))
		return NAN;
	for (i = 0; i < stack->count; i++) {
		const struct loopback *loop =
		    loopbacks_find(&loops, stack->device[i].dev);

		if (loop && !stack->device[i].is_origin)
			left = worse(left, drop_backing(loop, drop));
	}
	loopbacks_fini(&loops);
	return left;
}

static void drop_everything(void)
{
	int fd = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = write(fd, "3", 1);
	(void)n; /* What is left tells whether it helped. */
	close(fd);
}

double cold_drop(const struct target *t, int fd, uint64_t region_bytes)
{
	bool hidden = !strcmp(t->fs, "zfs");
	struct stack stack;
	double left;

	stack_load("/sys", t->device, &stack);
	drop_pages(fd);
	left = worse(drop_below(&stack, true),
		     pagecache_resident_pct(fd, region_bytes));
	if (left < COLD_LEFT_PCT && !hidden)
		return left;
	drop_everything();
	return hidden ? NAN
		      : worse(drop_below(&stack, false),
			      pagecache_resident_pct(fd, region_bytes));
}
