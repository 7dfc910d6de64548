#include "engine/cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

static int refuse(const char *text, struct err *err)
{
	return err_usage(err,
			 "--cpus %s: not a list of processors; say for example "
			 "0-3,6",
			 text);
}

/* Digits only; moves *at behind them. */
static bool parse_number(const char **at, int *out)
{
	const char *c = *at;
	int n = 0;

	for (; *c >= '0' && *c <= '9'; c++) {
		if (n > (CPU_SETSIZE - 1) / 10)
			return false;
		n = n * 10 + (*c - '0');
	}
	if (c == *at || n >= CPU_SETSIZE)
		return false;
	*at = c;
	*out = n;
	return true;
}

static int add(struct cpus *c, int first, int last)
{
	int *grown = realloc(c->cpu, (c->count + (size_t)(last - first) + 1) *
					 sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->cpu = grown;
	while (first <= last)
		c->cpu[c->count++] = first++;
	return 0;
}

/* "3" or "0-3". */
static int parse_part(const char **at, struct cpus *c)
{
	int first, last;

	if (!parse_number(at, &first))
		return -EINVAL;
	last = first;
	if (**at == '-') {
		++*at;
		if (!parse_number(at, &last) || last < first)
			return -EINVAL;
	}
	return add(c, first, last);
}

static int parse_list(const char *text, struct cpus *c)
{
	int ret;

	for (;;) {
		ret = parse_part(&text, c);
		if (ret < 0)
			return ret;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

static int check_allowed(const struct cpus *c, const char *text,
			 struct err *err)
{
	cpu_set_t allowed;
	uint32_t i;

	/* More processors than the set has room for: let pinning tell. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 0;
	for (i = 0; i < c->count; i++)
		if (!CPU_ISSET(c->cpu[i], &allowed))
			return err_usage(err,
					 "--cpus %s: processor %d is not there "
					 "or not allowed to this process (see "
					 "nproc and taskset -p)",
					 text, c->cpu[i]);
	return 0;
}

int cpus_parse(const char *text, struct cpus *out, struct err *err)
{
	struct cpus c = {0};
	int ret = 0;

	if (text && *text) {
		ret = parse_list(text, &c);
		if (ret == -EINVAL)
			refuse(text, err);
		else if (ret < 0)
			err_failed(err, -ret, "no memory for --cpus");
		else
			ret = check_allowed(&c, text, err);
	}
	if (ret < 0)
		cpus_free(&c);
	else
		*out = c;
	return ret;
}

void cpus_free(struct cpus *c)
{
	free(c->cpu);
	c->cpu = NULL;
	c->count = 0;
}

int cpus_pin(const struct cpus *c, uint32_t turn, pthread_attr_t *attr)
{
	cpu_set_t set;

	if (!c->count)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(c->cpu[turn % c->count], &set);
	return -pthread_attr_setaffinity_np(attr, sizeof(set), &set);
}
