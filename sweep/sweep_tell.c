/* sweep_tell: what the screen says of a sweep beside its visits. */
#include <inttypes.h>

#include "engine/units.h"
#include "sweep/schedule_search.h"
#include "sweep/sweep.h"

void sweep_tell_plan(struct sweep *s)
{
	struct plan_estimate estimate;
	char rounds[PLAN_TEXT_MAX], text[PLAN_TEXT_MAX];

	plan_estimate(&s->plan, &estimate);
	screen_say(&s->screen, "%" PRIu32 " point%s, %s, about %s",
		   s->plan.point_count, s->plan.point_count == 1 ? "" : "s",
		   plan_format_rounds(&s->plan, rounds, sizeof(rounds)),
		   plan_format_time(&estimate, text, sizeof(text)));
	if (s->plan.dropped_indivisible)
		screen_say(&s->screen,
			   "%" PRIu64 " combinations left out: their "
			   "outstanding I/Os do not divide by their threads",
			   (uint64_t)s->plan.dropped_indivisible);
}

void sweep_tell_targets(struct sweep *s)
{
	char doubt[512], have[UNITS_TEXT_MAX], asked[UNITS_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < s->stage.count; i++) {
		const struct target *t = &s->stage.targets[i];

		if (stage_doubt(&s->stage, i, doubt, sizeof(doubt))[0])
			screen_warn(&s->screen, "warning: %s", doubt);
		if (s->req.option[PLAN_SIZE].value && t->kind == TARGET_FILE &&
		    t->size_bytes != s->plan.settings.size_bytes)
			screen_warn(&s->screen,
				    "warning: %s is there already and is used "
				    "as it is, %s; --size %s is for files that "
				    "have to be made",
				    t->path,
				    units_format_bytes(have, t->size_bytes),
				    units_format_size(
					asked, s->plan.settings.size_bytes));
	}
}

void sweep_tell_taken_up(struct sweep *s)
{
	screen_say(&s->screen, "%s goes on: %" PRIu32 " visit%s there already",
		   s->folder, s->known, s->known == 1 ? " is" : "s are");
}

void sweep_tell_outcome(struct sweep *s)
{
	const struct session_outcome *out = &s->outcome;
	uint32_t visits = out->done + out->failed + out->skipped;
	char text[UNITS_TEXT_MAX];

	screen_say(&s->screen,
		   "%" PRIu32 " visit%s in %s: %" PRIu32 " done, %" PRIu32
		   " failed, %" PRIu32 " skipped",
		   visits, visits == 1 ? "" : "s",
		   units_format_duration(text, out->elapsed_ns), out->done,
		   out->failed, out->skipped);
	if (s->opts.verbose && visits)
		screen_say(&s->screen,
			   "overhead a visit %.2f ms beside ramp and window; "
			   "run folder %.2f ms",
			   (double)out->overhead_ns / visits / 1e6,
			   (double)out->store_ns / visits / 1e6);
	if (out->verified_blocks > 0)
		screen_say(&s->screen,
			   "%s blocks were read back, all as they had been "
			   "written",
			   units_format_number(text, out->verified_blocks));
	if (out->stopped)
		screen_warn(&s->screen,
			    "stopped: what was measured is kept; iosweep run "
			    "--resume %s goes on",
			    s->folder);
	if (out->timed_out)
		screen_warn(&s->screen,
			    "the time limit --max-time ended the sweep: what "
			    "was measured is kept; iosweep run --resume %s "
			    "goes on",
			    s->folder);
}

void sweep_tell_search(struct sweep *s)
{
	struct schedule_search_summary sum =
	    schedule_search_summarize(s->schedule);
	char used[UNITS_TEXT_MAX], grid[UNITS_TEXT_MAX];
	struct plan_estimate estimate;

	plan_estimate(&s->plan, &estimate);
	screen_say(&s->screen,
		   "search: %" PRIu32 " of %" PRIu32
		   " points in %s, where the whole grid takes %s; settled for "
		   "%" PRIu32 " of %" PRIu32 " workload%s",
		   sum.points, s->plan.point_count,
		   units_format_duration(used, s->outcome.elapsed_ns),
		   units_format_duration(grid, estimate.grid_time_ns),
		   sum.settled, sum.workloads, sum.workloads == 1 ? "" : "s");
}

void sweep_tell_stuck(struct sweep *s)
{
	uint32_t stuck = measure_stuck_threads();

	if (stuck)
		screen_warn(&s->screen,
			    "%" PRIu32 " thread%s caught in I/Os that never "
			    "returned: the results are whole, but the kernel "
			    "may keep this process until it gives them up",
			    stuck, stuck == 1 ? " is" : "s are");
}
