#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/label.h"
#include "sweep/cmd.h"
#include "sweep/options.h"
#include "sweep/precondition.h"
#include "sweep/preflight.h"
#include "sweep/show.h"
#include "sweep/stage.h"
#include "sweep/themefile.h"
#include "sweep/variant.h"
#include "sweep/wrap.h"

/* Large reads of so much fill the queue of a disk. */
#define STARVING_BYTES (32 * MIB)

static void print_point(const struct plan *plan, const struct label_axes *axes,
			uint32_t i)
{
	const struct point *p = &plan->points[i];
	char size[UNITS_TEXT_MAX];
	char name[LABEL_MAX];

	printf(
	    "%5" PRIu32 "  %6s x %-5" PRIu32 "  %" PRIu32 " x %-5" PRIu32
	    "  %s\n",
	    i + 1, units_format_size(size, p->workload.stream.block_size_bytes),
	    point_outstanding(p), p->workload.threads, p->workload.queue_depth,
	    label_group(axes, p, name, sizeof(name)));
}

static void print_points(const struct plan *plan)
{
	struct label_axes axes;
	uint32_t i;

	label_axes_find(plan->points, plan->point_count, &axes);
	printf("point    size x out    threads x depth  workload\n");
	for (i = 0; i < plan->point_count; i++)
		print_point(plan, &axes, i);
	printf("\n");
}

/* Behind a heading of ten characters. */
static void print_wrapped(const char *heading, const char *text)
{
	fputs(heading, stdout);
	wrap_print(stdout, text, 10, 10, show_style_detect(stdout, true).width);
}

/* Each is one line for a program that reads it. */
static void print_notes(const struct preflight *p)
{
	uint32_t i;

	for (i = 0; i < p->note_count; i++)
		if (isatty(STDOUT_FILENO))
			print_wrapped("note:     ", p->notes[i]);
		else
			printf("note:     %s\n", p->notes[i]);
}

static void print_writes(const struct plan *plan, const struct stage *stage,
			 const struct plan_estimate *estimate, bool refill)
{
	char size[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < stage->count; i++)
		if (stage->items[i].missing)
			printf("written:  %s for %s, which is not there yet\n",
			       units_format_bytes(size, stage->size_bytes),
			       stage->items[i].path);
		else if (refill && stage_refills(stage, i))
			printf("written:  %s for %s, which is filled again\n",
			       units_format_bytes(size,
						  stage->targets[i].size_bytes),
			       stage->items[i].path);
	if (estimate->writing_points)
		printf("written:  by %" PRIu32 " of the points; how much "
		       "depends on the target's speed\n",
		       estimate->writing_points);
	else
		printf("written:  nothing by the points, all of them read\n");
	if (plan->dropped_indivisible)
		printf("left out: %" PRIu64 " combinations whose outstanding "
		       "I/Os do not divide by their threads\n",
		       (uint64_t)plan->dropped_indivisible);
}

static uint64_t ns_at(uint64_t bytes, double mibps)
{
	return (uint64_t)((double)bytes / (double)MIB / mibps * 1e9);
}

/* What a pass takes at two speeds: only writing would tell the true one. */
static void print_passes(const char *path, uint64_t region_bytes)
{
	uint64_t bytes = PRECONDITION_PASSES * region_bytes;
	char region[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	char slow[UNITS_TEXT_MAX], fast[UNITS_TEXT_MAX];

	units_format_duration(slow, ns_at(bytes, 100));
	units_format_duration(fast, ns_at(bytes, 1000));
	printf("written:  %s before, to precondition %s: %s twice, %s at 100 "
	       "MiB/s, %s at 1000\n",
	       units_format_bytes(all, bytes), path,
	       units_format_bytes(region, region_bytes), slow, fast);
}

static void print_precondition(const struct plan *plan,
			       const struct stage *stage)
{
	uint64_t time_ns = plan->settings.precondition_time_ns;
	char name[POINT_NAME_MAX + 64], time[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < stage->count; i++) {
		struct precondition_task task;

		precondition_plan(plan, stage->items[i].path,
				  stage->items[i].missing
				      ? stage->size_bytes
				      : stage->targets[i].size_bytes,
				  &task);
		print_passes(stage->items[i].path, task.region_bytes);
		if (task.has_workload)
			printf("written:  then by %s for %s\n",
			       precondition_name(&task, name, sizeof(name)),
			       time_ns ? units_format_duration(time, time_ns)
				       : "5 to 25 minutes, until steady");
	}
}

static void print_variant(const struct variant *v)
{
	const struct {
		const char *name, *text;
	} lines[] = {
	    {"target", v->target},
	    {"state", v->state ? cache_state_name(v->state) : NULL},
	    {"enter", v->enter},
	    {"leave", v->leave},
	    {"before-point", v->before_point},
	};
	size_t i;

	printf("variant:  %s\n", v->name[0] ? v->name : "(no name)");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].text)
			printf("            %-13s %s\n", lines[i].name,
			       lines[i].text);
}

static void print_variants(const struct plan *plan)
{
	const struct variants *v = plan->variants;
	uint32_t i;

	if (!v->declared && !v->items[0].state)
		return;
	for (i = 0; i < v->count; i++)
		if (v->items[i].used)
			print_variant(&v->items[i]);
	if (v->count > 1)
		printf("order:    variants %s\n",
		       plan_variant_order_name(plan->settings.variant_order));
	if (variants_warm(v))
		printf("warming:  %" PRIu32 " to %" PRIu32
		       " passes over the region whenever a warm variant is "
		       "entered, which takes time of its own\n",
		       plan->settings.warm_passes_min,
		       plan->settings.warm_passes_max);
}

/* What a point has in flight of sequential reads on that target. */
static uint64_t sequential_in_flight(const struct point *p, const char *path)
{
	const struct stream *s = &p->workload.stream;

	if (strcmp(p->target, path) != 0 || s->random_pct > 0 ||
	    !point_reads(p))
		return 0;
	return s->block_size_bytes * point_outstanding(p);
}

/* Disks serve such a queue as it stands, others' I/Os behind it. */
static void print_shared(const struct plan *plan, const struct stage *stage)
{
	char size[UNITS_TEXT_MAX], text[256];
	uint64_t most = 0;
	uint32_t i, t;

	for (t = 0; t < stage->count; t++) {
		if (!stage->items[t].missing &&
		    stage->targets[t].kind > TARGET_DEVICE)
			continue;
		for (i = 0; i < plan->point_count; i++) {
			uint64_t bytes = sequential_in_flight(
			    &plan->points[i], stage->items[t].path);

			if (bytes > most)
				most = bytes;
		}
	}
	if (most < STARVING_BYTES)
		return;
	snprintf(text, sizeof(text),
		 "up to %s of sequential reads in flight can keep others on "
		 "the same disk waiting for seconds; lower -o or -b where "
		 "that matters",
		 units_format_bytes(size, most));
	print_wrapped("shared:   ", text);
}

static void print_plan(const struct plan *plan, const struct stage *stage,
		       const struct run_options *opts)
{
	struct plan_estimate estimate;
	char text[PLAN_TEXT_MAX];

	plan_estimate(plan, &estimate);
	if (!opts->quiet)
		print_points(plan);
	printf("points:   %" PRIu32 ", in %s: ", plan->point_count,
	       plan_format_rounds(plan, text, sizeof(text)));
	if (estimate.least_visit_count < estimate.visit_count)
		printf("%" PRIu64 " to ", estimate.least_visit_count);
	printf("%" PRIu64 " visit%s\n", estimate.visit_count,
	       estimate.visit_count == 1 ? "" : "s");
	printf("time:     about %s\n",
	       plan_format_time(&estimate, text, sizeof(text)));
	printf("memory:   %s of buffers at most\n",
	       units_format_bytes(text, estimate.memory_bytes));
	print_writes(plan, stage, &estimate, opts->layout);
	print_shared(plan, stage);
	if (plan->settings.precondition)
		print_precondition(plan, stage);
	print_variants(plan);
	printf("seed:     %" PRIu64 "\n", plan->settings.seed);
}

/* The plan, unless something stands in its way. */
static int look_and_print(const struct plan *plan, const struct stage *stage,
			  const struct run_options *opts, struct err *err)
{
	struct preflight p = {0};
	struct err refill = {0};
	int rc = preflight_look(plan, stage, opts->out, &p, err);

	if (!rc && opts->layout && stage_check_refill(stage, &refill) &&
	    preflight_add(&p, refill.text))
		rc = err_failed(err, ENOMEM, "out of memory before the sweep");
	if (!rc)
		rc = preflight_refuse(&p, stderr, err);
	if (!rc) {
		print_plan(plan, stage, opts);
		print_notes(&p);
	}
	preflight_fini(&p);
	return rc;
}

static int plan_and_print(struct plan_request *req,
			  const struct run_options *opts, struct err *err)
{
	struct plan plan;
	struct stage stage;
	int rc = stage_resolve_folders(req, err);

	if (!rc)
		rc = plan_build(req, &plan, err);
	if (rc)
		return rc;
	rc = stage_look(&plan, opts->consent, &stage, err);
	if (!rc) {
		rc = look_and_print(&plan, &stage, opts, err);
		stage_fini(&stage);
	}
	plan_fini(&plan);
	return rc;
}

/* What run would refuse, plan does. */
static int check_theme(const char *name, struct err *err)
{
	struct theme theme = {0};
	int rc = themefile_read(iosweep_datadir, name, &theme, err);

	theme_fini(&theme);
	return rc;
}

int cmd_plan(int argc, char **argv, struct err *err)
{
	struct plan_request req = {0};
	struct run_options opts;
	int rc = options_parse(argc, argv, OPTIONS_PLAN, iosweep_datadir, &req,
			       &opts, err);

	if (rc == CLI_HELP)
		options_print_help(OPTIONS_PLAN, stdout);
	else if (!rc && opts.theme)
		rc = check_theme(opts.theme, err);
	if (!rc)
		plan_and_print(&req, &opts, err);
	plan_request_fini(&req);
	return err_exit_status(err);
}
