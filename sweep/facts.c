#include "sweep/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"
#include "sweep/variant.h"

static char *copy(struct facts *facts, const char *text)
{
	char *text_copy = strdup(text);

	if (!text_copy)
		facts->failed = true;
	return text_copy;
}

void facts_add(struct facts *facts, const char *section, const char *name,
	       const char *value)
{
	struct run_fact *grown;

	if (!value || !value[0] || facts->failed)
		return;
	grown = realloc(facts->items, (facts->count + 1) * sizeof(*grown));
	if (!grown) {
		facts->failed = true;
		return;
	}
	facts->items = grown;
	grown[facts->count].section = copy(facts, section);
	grown[facts->count].name = copy(facts, name);
	grown[facts->count].value = copy(facts, value);
	facts->count++;
}

void facts_addf(struct facts *facts, const char *section, const char *name,
		const char *fmt, ...)
{
	char *value;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (rc < 0) {
		facts->failed = true;
		return;
	}
	facts_add(facts, section, name, value);
	free(value);
}

static void free_fact(struct run_fact *f)
{
	free(f->section);
	free(f->name);
	free(f->value);
}

void facts_remove(struct facts *facts, const char *section, const char *begin)
{
	uint32_t i, kept = 0;

	for (i = 0; i < facts->count; i++)
		if (strcmp(facts->items[i].section, section) ||
		    strncmp(facts->items[i].name, begin, strlen(begin)))
			facts->items[kept++] = facts->items[i];
		else
			free_fact(&facts->items[i]);
	facts->count = kept;
}

void facts_fini(struct facts *facts)
{
	uint32_t i;

	for (i = 0; i < facts->count; i++)
		free_fact(&facts->items[i]);
	free(facts->items);
	memset(facts, 0, sizeof(*facts));
}

void facts_add_time(struct facts *facts, const char *section, const char *name)
{
	time_t now = (time_t)(clock_utc_ns() / (int64_t)NS_PER_SEC);
	struct tm tm;
	char text[32];

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	facts_add(facts, section, name, text);
}

/* A word as a shell would take it back, so that the run can be repeated. */
static void quote_word(FILE *f, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=+./,:@%";

	if (word[0] && strspn(word, plain) == strlen(word)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++)
		*word == '\'' ? fputs("'\\''", f) : fputc(*word, f);
	fputc('\'', f);
}

static void add_command_line(struct facts *facts, const char *section, int argc,
			     char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	if (!f) {
		facts->failed = true;
		return;
	}
	fputs("iosweep", f);
	for (i = 0; i < argc; i++) {
		fputc(' ', f);
		quote_word(f, argv[i]);
	}
	if (fclose(f))
		facts->failed = true;
	else
		facts_add(facts, section, "command_line", text);
	free(text);
}

void facts_add_start(struct facts *facts, const char *section, int argc,
		     char **argv)
{
	facts_add_time(facts, section, "started_utc");
	add_command_line(facts, section, argc, argv);
}

void facts_add_run(struct facts *facts, const char *label, const char *version,
		   int argc, char **argv)
{
	facts_add(facts, "run", "label", label);
	facts_add(facts, "run", "iosweep_version", version);
	facts_add_start(facts, "run", argc, argv);
}

static void add_duration(struct facts *facts, const char *name, uint64_t ns)
{
	char text[UNITS_TEXT_MAX];

	if (ns)
		facts_add(facts, "plan", name, units_format_duration(text, ns));
}

static void add_variant(struct facts *facts, uint32_t number,
			const struct variant *v)
{
	char section[32];

	snprintf(section, sizeof(section), "variant %" PRIu32, number);
	facts_add(facts, section, "name", v->name);
	facts_add(facts, section, "target", v->target);
	facts_add(facts, section, "state", cache_state_name(v->state));
	facts_add(facts, section, "enter", v->enter);
	facts_add(facts, section, "leave", v->leave);
	facts_add(facts, section, "before_point", v->before_point);
}

static void add_variants(struct facts *facts, const struct plan *plan)
{
	const struct variants *v = plan->variants;
	uint32_t i, number = 0;

	if (v->count > 1)
		facts_add(
		    facts, "plan", "variant_order",
		    plan_variant_order_name(plan->settings.variant_order));
	if (variants_warm(v))
		facts_addf(facts, "plan", "warm_passes",
			   "%" PRIu32 "..%" PRIu32,
			   plan->settings.warm_passes_min,
			   plan->settings.warm_passes_max);
	for (i = 0; i < v->count; i++)
		if (v->items[i].used)
			add_variant(facts, ++number, &v->items[i]);
}

void facts_add_plan(struct facts *facts, const struct plan *plan)
{
	const struct plan_settings *s = &plan->settings;

	facts_addf(facts, "plan", "points", "%" PRIu32, plan->point_count);
	if (!s->budget_ns)
		facts_addf(facts, "plan", "rounds", "%" PRIu32, s->rounds);
	add_duration(facts, RUN_SEARCH_FACT, s->budget_ns);
	if (s->precision_pct > 0)
		facts_addf(facts, "plan", "precision", "%g%%",
			   s->precision_pct);
	if (s->steady)
		facts_add(facts, "plan", "steady", "yes");
	if (s->precondition)
		facts_add(facts, "plan", "precondition", "yes");
	add_duration(facts, "precondition_time", s->precondition_time_ns);
	add_duration(facts, "time", s->time_ns);
	add_duration(facts, "ramp", s->ramp_ns);
	add_duration(facts, "pause", s->pause_ns);
	add_duration(facts, "max_time", s->max_time_ns);
	facts_add(facts, "plan", "order",
		  s->order == PLAN_SHUFFLE ? "shuffle" : "plan");
	facts_addf(facts, "plan", "seed", "%" PRIu64, s->seed);
	add_variants(facts, plan);
}

/* The value behind `key` in a file of "key<space or =>value" lines, without
 * quotes; "" where there is none. */
static void value_in_file(const char *path, const char *key, char *buf,
			  size_t size)
{
	char line[512];
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (!f)
		return;
	while (!buf[0] && fgets(line, sizeof(line), f)) {
		size_t len = strlen(key);
		char *value;

		if (strncmp(line, key, len) || !strchr("=: \t", line[len]))
			continue;
		value = line + len + strspn(line + len, "=: \t\"");
		value[strcspn(value, "\"\n")] = '\0';
		snprintf(buf, size, "%s", value);
	}
	fclose(f);
}

void facts_add_machine(struct facts *facts)
{
	char text[256];
	struct utsname uts;
	struct sysinfo info;

	if (!uname(&uts)) {
		facts_add(facts, "machine", "host", uts.nodename);
		facts_addf(facts, "machine", "kernel", "%s %s %s", uts.sysname,
			   uts.release, uts.machine);
	}
	value_in_file("/etc/os-release", "PRETTY_NAME", text, sizeof(text));
	facts_add(facts, "machine", "system", text);
	value_in_file("/proc/cpuinfo", "model name", text, sizeof(text));
	facts_add(facts, "machine", "cpu", text);
	facts_addf(facts, "machine", "cores", "%ld",
		   sysconf(_SC_NPROCESSORS_ONLN));
	if (!sysinfo(&info))
		facts_add(facts, "machine", "memory",
			  units_format_bytes(text, (uint64_t)info.totalram *
						       info.mem_unit));
}

static const char *kind_name(enum target_kind kind)
{
	switch (kind) {
	case TARGET_FILE:
		return "file";
	case TARGET_DEVICE:
		return "block device";
	case TARGET_ZERO:
	case TARGET_NULL:
		return "memory device: measures iosweep itself, not a disk";
	case TARGET_KIND_COUNT:
		break;
	}
	return "";
}

void facts_add_target(struct facts *facts, uint32_t number,
		      const struct target *t)
{
	char section[32];

	snprintf(section, sizeof(section), "target %" PRIu32, number);
	facts_add(facts, section, "path", t->path);
	facts_add(facts, section, "resolved", t->resolved);
	facts_add(facts, section, "kind", kind_name(t->kind));
	facts_addf(facts, section, "size_bytes", "%" PRIu64, t->size_bytes);
	facts_add(facts, section, "file_system", t->fs);
	facts_add(facts, section, "device_model", t->model);
	facts_add(facts, section, "device_id", t->id);
	facts_add(facts, section, "scheduler", t->scheduler);
	if (t->nr_requests)
		facts_addf(facts, section, "nr_requests", "%" PRIu32,
			   t->nr_requests);
	if (t->rotational >= 0)
		facts_add(facts, section, "rotational",
			  t->rotational ? "yes" : "no");
	facts_addf(facts, section, "logical_block_bytes", "%" PRIu32,
		   t->logical_block);
	if (t->kind == TARGET_FILE)
		facts_add(facts, section, "laid_out_by_iosweep",
			  t->laid_out ? "yes" : "no");
	if (t->laid_out)
		facts_addf(facts, section, "layout_seed", "%" PRIu64,
			   t->layout_seed);
	else if (t->kind == TARGET_FILE)
		facts_addf(facts, section, "inode", "%" PRIu64,
			   (uint64_t)t->inode);
}
