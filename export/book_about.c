#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/book_notes.h"
#include "export/book_sheet.h"

/* One line a fact: its name, and what it says over the rest of the row. */
static uint32_t put_fact(struct xlsx_sheet *s, uint32_t row, const char *name,
			 const char *text)
{
	uint32_t px = BOOK_SUMMARY_PX - BOOK_SUMMARY_NAME_PX;

	if (!text[0])
		return row;
	xlsx_height(s, row, BOOK_ROW_PX * book_count_lines(text, px));
	xlsx_text(s, row, 0, XLSX_TOP, name);
	xlsx_wide_text(s, row, 1, BOOK_SUMMARY_COLUMNS - 1, XLSX_WRAP, text);
	return row + 1;
}

/* What is known of these, in a list that ends with NULL. */
static const char *const targets_facts[] = {"file_system", "device_model",
					    "scheduler", NULL};
static const char *const machine_facts[] = {"host", "system", "kernel",
					    "cpu",  "memory", NULL};

static void append_facts(const struct run *run, const char *section,
			 const char *const *names, char *buf, size_t size)
{
	for (; *names; names++)
		book_append(buf, size, run_fact(run, section, *names));
}

static uint32_t put_target(const struct run *run, struct xlsx_sheet *s,
			   uint32_t row, unsigned number)
{
	char section[32], text[1024], size[UNITS_TEXT_MAX];
	const char *bytes;

	snprintf(section, sizeof(section), "target %u", number);
	snprintf(text, sizeof(text), "%s", run_fact(run, section, "path"));
	bytes = run_fact(run, section, "size_bytes");
	if (bytes[0])
		book_append(
		    text, sizeof(text),
		    units_format_bytes(size, strtoull(bytes, NULL, 10)));
	append_facts(run, section, targets_facts, text, sizeof(text));
	return put_fact(s, row, "Target", text);
}

static uint32_t put_targets(const struct run *run, struct xlsx_sheet *s,
			    uint32_t row)
{
	char section[32];
	unsigned n;

	for (n = 1;; n++) {
		snprintf(section, sizeof(section), "target %u", n);
		if (!run_fact(run, section, "path")[0])
			return row;
		row = put_target(run, s, row, n);
	}
}

static const char *say_rounds(const struct book_model *m, const struct run *run,
			      char *buf, size_t size)
{
	const char *precision = run_fact(run, "plan", "precision");

	if (run_is_search(run))
		snprintf(buf, size,
			 book_words(m, "a search of up to %s a workload, in "
				       "visits"),
			 run_fact(run, "plan", RUN_SEARCH_FACT));
	else if (precision[0])
		snprintf(buf, size,
			 book_words(m, "up to %s rounds, until within +-%s, in "
				       "visits"),
			 run_fact(run, "plan", "rounds"), precision);
	else if (run_wants_steady(run))
		snprintf(buf, size,
			 book_words(m, "up to %s rounds, until steady, in "
				       "visits"),
			 run_fact(run, "plan", "rounds"));
	else
		snprintf(buf, size, book_words(m, "%s rounds"),
			 run_fact(run, "plan", "rounds"));
	return buf;
}

static uint32_t put_run(const struct book_model *m, const struct run *run,
			struct xlsx_sheet *s, uint32_t row)
{
	char text[1024], time[BOOK_TIME_SIZE], rounds[THEME_SENTENCE_MAX + 64];

	row = put_fact(s, row, "Run", run->label);
	row = put_fact(s, row, "Started",
		       book_format_time(time, book_started(&run, 1)));
	snprintf(text, sizeof(text),
		 book_words(m, "%u points, %s of %s, ramp %s"),
		 run->point_count, say_rounds(m, run, rounds, sizeof(rounds)),
		 run_fact(run, "plan", "time"), run_fact(run, "plan", "ramp"));
	if (run_fact(run, "plan", "time")[0])
		row = put_fact(s, row, "Plan", text);
	row = put_targets(run, s, row);
	text[0] = '\0';
	append_facts(run, "machine", machine_facts, text, sizeof(text));
	row = put_fact(s, row, "Machine", text);
	row = put_fact(s, row, "Engine",
		       book_engine_words(run, text, sizeof(text)));
	row = put_fact(s, row, "Version of iosweep",
		       run_fact(run, "run", "iosweep_version"));
	return put_fact(s, row, "Command line",
			run_fact(run, "run", "command_line")) +
	       1;
}

/* Environment has the facts of all runs beside each other. */
#define RUNS_MAX 8

static uint32_t put_runs(const struct book_model *m, struct xlsx_sheet *s,
			 uint32_t row)
{
	uint32_t i;

	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, "What was run");
	for (i = 0; i < m->run_count && i < RUNS_MAX; i++)
		row = put_run(m, m->runs[i], s, row);
	return row;
}

static uint32_t put_reading(const struct book_model *m, struct xlsx_sheet *s,
			    uint32_t row)
{
	static const char *const facts[][2] = {
	    {"Sweet spot",
	     "For each block size the smallest outstanding with at least "
	     "95% of that size's best IOPS; over the sizes the smallest "
	     "that has, there, at least 95% of the best MiB/s. Where an "
	     "interval straddles the mark both are named, undecided: of "
	     "two sizes the smaller one first."},
	    {"Outstanding",
	     "I/Os kept in flight in total: threads x queue depth."},
	    {"Latency",
	     "From just before the submit call to the completion seen."},
	    {"MB/s, MiB/s",
	     "2^20 bytes a second, what SQLIO and DiskSpd call MB/s. "
	     "Block sizes too are binary: 8K is 8,192 bytes."},
	    {"95% from, to",
	     "The interval that holds the mean with 95% confidence, from "
	     "the spread between the rounds."},
	    {"Empty cells", "Not measured, or not known. Never zero."},
	};
	size_t i;

	xlsx_height(s, row, 26);
	xlsx_text(s, row++, 0, XLSX_HEADING, "How to read it");
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		row = put_fact(s, row, facts[i][0], book_word(m, facts[i][1]));
	return row;
}

void book_write_about(const struct book_model *m, struct xlsx_sheet *s,
		      uint32_t row)
{
	row = put_runs(m, s, row);
	put_reading(m, s, row);
}
