#include "sweep/switcher.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"
#include "sweep/command.h"

/* More words than any sentence shows of a command. */
#define TELL_MAX 512

static void tell(const struct switcher *s, const char *what,
		 const struct variant *v, const char *command)
{
	char text[TELL_MAX];

	if (!s->tell)
		return;
	snprintf(text, sizeof(text), "variant %s: %s: %s", v->name, what,
		 command);
	s->tell(s->arg, text);
}

static int run(struct switcher *s, struct command *c, const char *what,
	       struct err *err)
{
	char name[POINT_NAME_MAX + 64];
	uint64_t begin = clock_now_ns();
	int ret;

	snprintf(name, sizeof(name), "%s of variant '%s'", what,
		 s->active->name);
	c->name = name;
	c->variant = s->active->name;
	c->target = s->target;
	c->timeout_ns = s->plan->settings.command_timeout_ns;
	ret = command_run(c, err);
	s->spent_ns += clock_now_ns() - begin;
	return ret;
}

/* A command that the user may end. */
static int run_stoppable(struct switcher *s, const char *text, const char *what,
			 const char *point, struct err *err)
{
	struct command c = {
	    .text = text, .point = point, .stop = s->stop, .stop_at = 2};
	struct err why = {.kind = ERR_NONE};
	int ret = run(s, &c, what, &why);

	if (ret && ret != -EINTR && err)
		*err = why;
	return ret;
}

static int enter(struct switcher *s, const struct variant *v, struct err *err)
{
	int ret;

	s->active = v;
	if (!v->enter)
		return 0;
	if (s->release)
		s->release(s->arg);
	tell(s, "enter", v, v->enter);
	ret = run_stoppable(s, v->enter, "enter", NULL, err);
	if (!ret && s->entered)
		ret = s->entered(s->arg, v, err);
	return ret;
}

/* One sentence, also of two failures. */
static void add_leave_failure(struct err *err, const struct err *why,
			      const struct variant *v)
{
	size_t used;

	if (!err)
		return;
	if (!err->kind) {
		*err = *why;
	} else {
		used = strlen(err->text);
		snprintf(err->text + used, sizeof(err->text) - used, "; and %s",
			 why->text);
	}
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used,
		 "; the storage may still be in the state of '%s'", v->name);
}

int switcher_leave(struct switcher *s, struct err *err)
{
	const struct variant *v = s->active;
	struct command c = {.text = v ? v->leave : NULL};
	struct err why = {.kind = ERR_NONE};
	int ret = 0;

	if (c.text) {
		if (s->release)
			s->release(s->arg);
		tell(s, "leave", v, v->leave);
		ret = run(s, &c, "leave", &why);
	}
	s->active = NULL;
	if (ret)
		add_leave_failure(err, &why, v);
	return ret;
}

static const char *describe(const struct point *p, char buf[POINT_KEY_MAX])
{
	point_pair_key(p, buf, POINT_KEY_MAX);
	return buf;
}

int switcher_prepare(struct switcher *s, const struct point *p, struct err *err)
{
	const struct variant *v = variants_find(s->plan->variants, p->variant);
	char key[POINT_KEY_MAX];
	int ret = 0;

	if (v != s->active) {
		ret = switcher_leave(s, err);
		s->target = p->target;
		if (!ret)
			ret = enter(s, v, err);
	}
	s->target = p->target;
	if (!ret && v->before_point)
		ret = run_stoppable(s, v->before_point, "before-point",
				    describe(p, key), err);
	/* A command ends in peace at the first signal; a visit behind it would
	 * only be waited for. */
	if (!ret && s->stop && *s->stop)
		ret = -EINTR;
	return ret;
}
