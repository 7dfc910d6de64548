#include "sweep/screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/units.h"

#define LINE_MAX_BYTES 512
#define REDRAW_NS (200 * NS_PER_MS)
#define LAYOUT_LOG_EVERY_NS (10 * NS_PER_SEC)

void screen_init(struct screen *s, FILE *f, bool quiet,
		 const struct label_axes *axes)
{
	memset(s, 0, sizeof(*s));
	s->f = f;
	s->axes = *axes;
	s->kind = quiet		      ? SCREEN_QUIET
		  : isatty(fileno(f)) ? SCREEN_TERMINAL
				      : SCREEN_LOG;
}

static unsigned terminal_width(FILE *f)
{
	struct winsize ws;

	if (ioctl(fileno(f), TIOCGWINSZ, &ws) || !ws.ws_col)
		return 80;
	return ws.ws_col;
}

void screen_clear(struct screen *s)
{
	if (!s->line_open)
		return;
	fputs("\r\033[K", s->f);
	fflush(s->f);
	s->line_open = false;
}

static void __attribute__((format(printf, 2, 0)))
say(struct screen *s, const char *fmt, va_list ap)
{
	screen_clear(s);
	vfprintf(s->f, fmt, ap);
	fputc('\n', s->f);
	fflush(s->f);
}

void screen_say(struct screen *s, const char *fmt, ...)
{
	va_list ap;

	if (s->kind == SCREEN_QUIET)
		return;
	va_start(ap, fmt);
	say(s, fmt, ap);
	va_end(ap);
}

void screen_warn(struct screen *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(s, fmt, ap);
	va_end(ap);
}

/* Cut at the width of the terminal: a line that wraps cannot be wiped. Our
 * own text is ASCII; a label in UTF-8 is cut a little early at worst. */
static void redraw(struct screen *s, const char *line)
{
	unsigned width = terminal_width(s->f) - 1;

	fprintf(s->f, "\r\033[K%.*s", (int)width, line);
	fflush(s->f);
	s->line_open = true;
	s->last_drawn_ns = clock_now_ns();
}

static void describe(const struct screen *s, const struct point *p, char *buf,
		     size_t size)
{
	char name[LABEL_MAX];
	char block[UNITS_TEXT_MAX];

	snprintf(buf, size, "%s x %u  %s",
		 units_format_size(block, p->workload.stream.block_size_bytes),
		 point_outstanding(p),
		 label_group(&s->axes, p, name, sizeof(name)));
}

struct rates {
	double iops, mibps, lat_us;
};

static void put_rates(char *buf, size_t size, const struct rates *r)
{
	char iops[UNITS_TEXT_MAX], mibps[UNITS_TEXT_MAX], lat[UNITS_TEXT_MAX];

	snprintf(buf, size, "%s IOPS  %s MiB/s  %s us",
		 units_format_number(iops, r->iops),
		 units_format_number(mibps, r->mibps),
		 units_format_number(lat, r->lat_us));
}

void screen_visit_begins(void *arg, const struct session_progress *at,
			 const struct point *p)
{
	struct screen *s = arg;

	s->at = *at;
	s->point = p;
	s->task[0] = '\0';
}

static void rates_of_visit(const struct visit *v, struct rates *r)
{
	r->iops = visit_iops(v);
	r->mibps = visit_mibps(v);
	r->lat_us = visit_lat_mean_us(v);
}

/* In whole seconds: less is noise in a guess. */
static char *say_left(char *buf, uint64_t left_ns)
{
	uint64_t s = (left_ns + NS_PER_SEC - 1) / NS_PER_SEC;

	if (s >= 60)
		return units_format_duration(buf, s * NS_PER_SEC);
	snprintf(buf, UNITS_TEXT_MAX, "%" PRIu64 " s", s);
	return buf;
}

static void log_visit(struct screen *s, const struct session_progress *at,
		      const char *what, const struct visit *v)
{
	char rates_text[128];
	char left[UNITS_TEXT_MAX];
	struct rates rates;

	rates_of_visit(v, &rates);
	put_rates(rates_text, sizeof(rates_text), &rates);
	fprintf(s->f, "%" PRIu64 "/%" PRIu64 " round %u  %s  %s  left %s\n",
		at->visit - 1, at->visit_count, at->round, what, rates_text,
		say_left(left, at->left_ns));
	fflush(s->f);
}

void screen_visit_ended(void *arg, const struct session_progress *at,
			const struct point *p, const struct visit *v)
{
	struct screen *s = arg;
	char what[LABEL_MAX + 64];

	s->at = *at;
	/* What does not fit the target will not in a later round either. */
	if (v->state == VISIT_SKIPPED && v->round > 1)
		return;
	describe(s, p, what, sizeof(what));
	if (v->state != VISIT_DONE)
		screen_warn(s, "%s: %s: %s", what,
			    v->state == VISIT_FAILED ? "failed" : "skipped",
			    v->reason);
	else if (s->kind == SCREEN_LOG)
		log_visit(s, at, what, v);
}

static void rates_of_tick(const struct measure_tick *tick, struct rates *r)
{
	double seconds = (double)tick->elapsed_ns / 1e9;

	r->iops = seconds > 0 ? (double)tick->ios / seconds : NAN;
	r->mibps =
	    seconds > 0 ? (double)tick->bytes / seconds / (double)MIB : NAN;
	r->lat_us = tick->ios
			? (double)tick->lat_sum_ns / (double)tick->ios / 1e3
			: NAN;
}

void screen_tick(void *arg, const struct measure_tick *tick)
{
	struct screen *s = arg;
	char line[LINE_MAX_BYTES];
	char what[LABEL_MAX + 64];
	char doing[128];
	char left[UNITS_TEXT_MAX];
	struct rates rates;

	if (s->kind != SCREEN_TERMINAL ||
	    clock_now_ns() - s->last_drawn_ns < REDRAW_NS)
		return;
	describe(s, s->point, what, sizeof(what));
	rates_of_tick(tick, &rates);
	if (tick->prefilling)
		snprintf(doing, sizeof(doing), "filling the cache");
	else if (tick->ramping)
		snprintf(doing, sizeof(doing), "ramp");
	else
		put_rates(doing, sizeof(doing), &rates);
	if (s->task[0])
		snprintf(line, sizeof(line), "%s  %s", doing, s->task);
	else
		snprintf(line, sizeof(line),
			 "%" PRIu64 "/%" PRIu64 "  left %s  %s  %s",
			 s->at.visit, s->at.visit_count,
			 say_left(left, s->at.left_ns), doing, what);
	redraw(s, line);
}

void screen_precondition(void *arg, const char *what, const struct point *p)
{
	struct screen *s = arg;

	snprintf(s->task, sizeof(s->task), "preconditioning: %s", what);
	s->point = p;
	screen_say(s, "%s", s->task);
}

void screen_layout(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	struct screen *s = arg;
	uint64_t every =
	    s->kind == SCREEN_TERMINAL ? REDRAW_NS : LAYOUT_LOG_EVERY_NS;
	char line[LINE_MAX_BYTES];
	char done[UNITS_TEXT_MAX], total[UNITS_TEXT_MAX];

	if (s->kind == SCREEN_QUIET ||
	    clock_now_ns() - s->last_drawn_ns < every)
		return;
	snprintf(line, sizeof(line), "%s: %s of %s (%u%%)",
		 s->task[0] ? s->task : "writing the test file",
		 units_format_bytes(done, done_bytes),
		 units_format_bytes(total, total_bytes),
		 total_bytes ? (unsigned)(100 * (double)done_bytes /
					  (double)total_bytes)
			     : 100);
	if (s->kind == SCREEN_TERMINAL) {
		redraw(s, line);
		return;
	}
	screen_say(s, "%s", line);
	s->last_drawn_ns = clock_now_ns();
}
