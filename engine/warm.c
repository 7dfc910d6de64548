#include "engine/warm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

#define CHUNK MIB
#define TICK_NS (200 * NS_PER_MS)

struct progress {
	const struct measure_opts *opts;
	uint64_t start_ns;
	uint64_t next_ns; /* of the next tick */
};

/* -EINTR when the user wants no more of it. */
static int report(struct progress *p, uint64_t done)
{
	const struct measure_opts *o = p->opts;
	uint64_t now = clock_now_ns();
	struct measure_tick tick = {.prefilling = true, .bytes = done};

	if (o->stop && *o->stop >= 2)
		return -EINTR;
	if (!o->tick || now < p->next_ns)
		return 0;
	tick.elapsed_ns = now - p->start_ns;
	tick.ios = done / CHUNK;
	o->tick(o->tick_arg, &tick);
	p->next_ns = now + TICK_NS;
	return 0;
}

static int read_all(int fd, char *buffer, uint64_t bytes, struct progress *p,
		    struct err *err)
{
	uint64_t at = 0;
	ssize_t n;
	int ret;

	while (at < bytes) {
		ret = report(p, at);
		if (ret < 0)
			return ret;
		n = pread(fd, buffer, bytes - at < CHUNK ? bytes - at : CHUNK,
			  (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_failed(err, errno,
					  "reading into the page cache before "
					  "the point failed at byte %llu: %s",
					  (unsigned long long)at,
					  strerror(errno));
		if (n == 0)
			return err_failed(err, EIO,
					  "the target ended at byte %llu while "
					  "it was read into the page cache: it "
					  "is smaller than when the run began",
					  (unsigned long long)at);
		at += (uint64_t)n;
	}
	return 0;
}

int warm_read(int fd, uint64_t bytes, const struct measure_opts *opts,
	      struct err *err)
{
	uint64_t now = clock_now_ns();
	struct progress p = {.opts = opts, .start_ns = now, .next_ns = now};
	char *buffer = malloc(CHUNK);
	int ret;

	if (!buffer)
		return err_failed(err, ENOMEM, "no memory to read with");
	ret = read_all(fd, buffer, bytes, &p, err);
	free(buffer);
	return ret;
}
