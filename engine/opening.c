#include "engine/opening.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/aside.h"

struct opening {
	struct aside aside;
	struct target *target;
	enum cache_mode mode;
	bool writes;
};

static int call(struct aside *a, struct err *err)
{
	struct opening *o = (struct opening *)a;

	return target_fd(o->target, o->mode, o->writes, err);
}

static int open_aside(struct opening *o, const struct measure_opts *opts,
		      struct err *err)
{
	char what[TARGET_NAME_MAX + 16], name[TARGET_NAME_MAX];
	const struct aside_asked asked = {
	    .call = call,
	    .what = what,
	    .limit_ns = measure_io_timeout_ns(opts),
	    .stop = opts->stop,
	    .stop_at = 2,
	};
	uint32_t before = aside_given_up_count();
	int fd;

	snprintf(what, sizeof(what), "opening %s",
		 target_name(o->target, name, sizeof(name)));
	fd = aside_run(&o->aside, &asked, err);
	o->target->left_alone = aside_given_up_count() != before;
	return fd;
}

int opening_fd(struct target *t, enum cache_mode mode, bool writes,
	       const struct measure_opts *opts, struct err *err)
{
	struct opening *o;
	int fd;

	if (t->left_alone)
		return err_failed(err, ETIMEDOUT,
				  "%s has hung since it was opened for an "
				  "earlier visit",
				  t->path);
	if (t->fd[mode][writes] >= 0)
		return t->fd[mode][writes];
	o = calloc(1, sizeof(*o));
	if (!o)
		return err_failed(err, ENOMEM, "out of memory to open %s",
				  t->path);
	o->target = t;
	o->mode = mode;
	o->writes = writes;
	fd = open_aside(o, opts, err);
	if (!t->left_alone)
		free(o);
	return fd;
}
