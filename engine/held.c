#include "engine/held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/loopback.h"
#include "engine/pagecache.h"
#include "engine/sysfile.h"

/* Where in its file a loop device begins, or -1: it is none, or goes past the
 * page cache. */
static int64_t offset_through_cache(dev_t dev)
{
	char text[32];

	if (sysfile_read(text, sizeof(text), "/sys/dev/block/%u:%u/loop/dio",
			 major(dev), minor(dev)) ||
	    strcmp(text, "0") != 0 ||
	    sysfile_read(text, sizeof(text), "/sys/dev/block/%u:%u/loop/offset",
			 major(dev), minor(dev)))
		return -1;
	return strtoll(text, NULL, 10);
}

/* From the begin of the file, so that what lies before the device counts too:
 * whole only where all of it is. */
static double below_loop(dev_t dev, uint64_t region_bytes)
{
	int64_t offset = offset_through_cache(dev);
	const struct loopback *loop;
	struct loopbacks loops;
	double pct = NAN;
	struct stat st;
	int fd = -1;

	if (offset < 0 || loopbacks_load(&loops))
		return NAN;
	loop = loopbacks_find(&loops, dev);
	if (loop)
		fd = loopbacks_open(loop, &st);
	loopbacks_fini(&loops);
	if (fd < 0)
		return NAN;
	if (S_ISREG(st.st_mode))
		pct =
		    pagecache_resident_pct(fd, (uint64_t)offset + region_bytes);
	close(fd);
	return pct;
}

double held_pct(const struct target *t, enum cache_mode cache, int fd,
		uint64_t region_bytes)
{
	if (t->kind != TARGET_FILE && t->kind != TARGET_DEVICE)
		return NAN;
	if (cache == CACHE_BUFFERED || cache == CACHE_DSYNC)
		return pagecache_resident_pct(fd, region_bytes);
	return t->kind == TARGET_DEVICE ? below_loop(t->device, region_bytes)
					: NAN;
}
