/*
 * verdict: what there is to say against a number. A closed list; each verdict
 * has a name, the number it rests on, a sentence and the next thing to try.
 * Pure: from what was measured to bits, and from bits to words.
 */
#ifndef EXPORT_VERDICT_H
#define EXPORT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result;
struct visit;

/* A result has bit 1 << v set where verdict v was reached. In brackets: the
 * number kept with it. */
enum verdict {
	VERDICT_ONE_VISIT, /* a single visit [1] */
	/* steady.h, whether or not a steady state was asked for: */
	VERDICT_UNSTEADY,      /* range of the last five visits [% of mean] */
	VERDICT_TREND,	       /* slope over the last five visits [%, signed] */
	VERDICT_NOT_STEADY,    /* no steady state where one was asked for
				* [visits made] */
	VERDICT_FELL,	       /* dropped to a lower level for good [% lost] */
	VERDICT_TRANSIENT,     /* visits begin unlike they go on [% of them] */
	VERDICT_NOT_CONVERGED, /* short of the precision asked [+- %] */
	VERDICT_CORRECTED,     /* for the rounds it missed [% added] */
	VERDICT_SHALLOW,       /* the device saw less depth [depth seen] */
	VERDICT_MIX_OFF,       /* another mix than asked [read %] */
	VERDICT_RATE_MISSED,   /* fewer I/Os than the rate asked [% of it] */
	VERDICT_LITTLE,	       /* IOPS x latency is not outstanding [ratio] */
	VERDICT_CPU_BOUND,     /* a worker had no CPU left [% of a core, had or
				* waited for] */
	VERDICT_PUNTED,	       /* I/O went to kernel threads [threads] */
	VERDICT_CACHE_BELOW, /* bytes did not reach the devices [% that did] */
	VERDICT_READ_AHEAD,  /* more was read below than asked [% more] */
	VERDICT_FOREIGN_IO,  /* others used the device [% of own bytes] */
	VERDICT_NOT_COLD,    /* cold was asked [% still in the page cache; NAN
			      * not known] */
	VERDICT_NOT_WARM,    /* warm was asked, but still changed [passes] */
	VERDICT_CLOCK,	     /* the wall clock went back [s] */
	VERDICT_ERRORS,	     /* I/O errors and short I/Os [count] */
	VERDICT_COUNT
};

/* A level that is lost for good, as by throttling: the mean of the later
 * visits is lower by this, and their best is clear of the earlier ones' worst
 * by the gap. */
#define VERDICT_FELL_PCT 20.0
#define VERDICT_FELL_GAP_PCT 10.0
/* Corrections below this are not worth a word. */
#define VERDICT_CORRECTED_PCT 0.1
/* The device's depth: below this share of what was asked, and by one or more.
 * The way from us to the device and back takes its part of each latency. */
#define VERDICT_DEPTH_SHARE 0.8
#define VERDICT_MIX_POINTS 1.0
/* A rate is missed below this share of it. */
#define VERDICT_RATE_SHARE 0.98
/* ENGINE: in a closed loop the ratio is 1 but for the window's edges. */
#define VERDICT_LITTLE_OFF 0.02
#define VERDICT_CPU_PCT 95.0
/* Bytes at the device against our own. */
#define VERDICT_CACHE_PCT 90.0
#define VERDICT_FOREIGN_PCT 10.0
/* Time stamps are rounded and clocks are disciplined; this is neither. */
#define VERDICT_CLOCK_S 0.1

/* What is judged. */
struct verdict_input {
	const struct result *result; /* numbers and sums, verdicts aside */
	const struct visit *const *visits; /* its done visits, in time order */
	uint32_t visit_count;
	double correction;    /* factor that IOPS were corrected by; 1: none */
	double precision_pct; /* asked; NAN: none */
	bool steady_asked;
	double clock_back_s; /* largest step back before one of its visits */
};

/* The bits; value[v] is the number of each bit set and NAN elsewhere. A result
 * without a done visit has at most ERRORS. */
uint32_t verdict_judge(const struct verdict_input *in,
		       double value[VERDICT_COUNT]);

/* "one-visit", "unsteady", ...: for CSV and filters. NULL past the end. */
const char *verdict_name(enum verdict v);

/* What to try next: a clause in the imperative, "use more rounds". */
const char *verdict_advice(enum verdict v);

/*
 * The finding in words, without a full stop, into buf; returns buf: "the last
 * five visits span 34% of their mean (steady: within 20%)". "" when the
 * result has no such verdict.
 */
#define VERDICT_TEXT_MAX 192
char *verdict_sentence(enum verdict v, const struct result *r, char *buf,
		       size_t size);
/* In the words of a theme, which has THEME_NUMBER for the number. */
struct theme;
char *verdict_say(enum verdict v, const struct result *r,
		  const struct theme *theme, char *buf, size_t size);

/* The names of all bits set, separated by spaces: "unsteady cpu-bound"; ""
 * for none. VERDICT_NAMES_MAX holds all of them. */
#define VERDICT_NAMES_MAX 224
char *verdict_names(uint32_t bits, char *buf, size_t size);

#endif
