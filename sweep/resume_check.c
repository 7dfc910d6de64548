/* resume_check: whether it is the same machine, version and targets. */
#include "sweep/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int resume_differ(struct resume *r, const char *fmt, ...)
{
	char *one, *all;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&one, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -ENOMEM;
	rc = asprintf(&all, "%s%s%s", r->differences ? r->differences : "",
		      r->differences ? "; " : "", one);
	free(one);
	if (rc < 0)
		return -ENOMEM;
	free(r->differences);
	r->differences = all;
	return 0;
}

/* Facts whose change would tell a different story in the middle of it. */
static const char *const machine_facts[] = {"host", "kernel", "cpu", "cores",
					    NULL};
static const char *const run_facts[] = {"iosweep_version", NULL};
static const char *const target_facts[] = {
    "kind",	   "size_bytes",   "layout_seed",	  "inode",
    "file_system", "device_model", "device_id",		  "scheduler",
    "nr_requests", "rotational",   "logical_block_bytes", NULL};

static const char *find_fact(const struct facts *facts, const char *section,
			     const char *name)
{
	uint32_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].section, section) &&
		    !strcmp(facts->items[i].name, name))
			return facts->items[i].value;
	return "";
}

static int compare_facts(struct resume *r, const struct facts *now,
			 const char *section, const char *const *names)
{
	bool target = !strncmp(section, "target ", 7);
	int rc = 0;

	for (; !rc && *names; names++) {
		const char *was = run_fact(&r->run, section, *names);
		const char *is = find_fact(now, section, *names);

		if (strcmp(was, is))
			rc = resume_differ(
			    r, "%s%s%s is %s (was %s)", target ? section : "",
			    target ? ": " : "", *names, is[0] ? is : "unknown",
			    was[0] ? was : "unknown");
	}
	return rc;
}

static int compare_target(struct resume *r, const struct facts *now,
			  const struct stage *stage, uint32_t i)
{
	char section[32];

	snprintf(section, sizeof(section), "target %" PRIu32, i + 1);
	if (!stage->items[i].missing)
		return compare_facts(r, now, section, target_facts);
	return resume_differ(r, "%s, %s, is not there any more (it was %s)",
			     section, stage->items[i].path,
			     run_fact(&r->run, section, "resolved"));
}

int resume_compare(struct resume *r, const struct facts *now,
		   const struct stage *stage, struct err *err)
{
	int rc = compare_facts(r, now, "run", run_facts);
	uint32_t i;

	if (!rc)
		rc = compare_facts(r, now, "machine", machine_facts);
	for (i = 0; !rc && i < stage->count; i++)
		rc = compare_target(r, now, stage, i);
	return rc ? err_failed(err, ENOMEM, RESUME_NO_MEMORY) : 0;
}

int resume_check(const struct resume *r, bool forced, struct err *err)
{
	if (!r->differences || forced)
		return 0;
	return err_refused(err,
			   "%s was begun otherwise: %s; --force-resume goes on "
			   "all the same",
			   r->run.folder, r->differences);
}
