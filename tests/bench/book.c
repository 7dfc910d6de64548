/*
 * The program of scripts/bench-book: writes one book and says what it took.
 * usage: bench_book ours|plain SIZES DEPTHS TARGETS FILE.xlsx
 *        bench_book folder ROWS FOLDER
 *        bench_book raw FOLDER FILE.xlsx
 *   ours    the whole book of a sweep of so many block sizes, outstanding I/Os
 *           and targets by eight workloads
 *   plain   the cells of its sheet Results alone, by nothing but libxlsxwriter:
 *           a table of the same texts and numbers
 *   folder  a run folder with so many intervals, for
 *   raw     the raw workbook of it
 * output: "CPU_SECONDS PEAK_KIB", both of the book alone
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <xlsxwriter.h>

#include "engine/units.h"
#include "export/book.h"
#include "export/columns.h"
#include "export/rawbook.h"
#include "export/store.h"
#include "tests/bookrun.h"
#include "tests/prng.h"

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* VmRSS or VmHWM. */
static long status_kib(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kib = strtol(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static uint32_t number(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	if (n < 1 || n > BOOKRUN_AXIS_MAX) {
		fprintf(stderr, "bench_book: '%s' is not in 1..%d\n", text,
			BOOKRUN_AXIS_MAX);
		exit(2);
	}
	return (uint32_t)n;
}

static void make_run(char **argv, struct run *run)
{
	static struct bookrun_axes axes = {
	    .label = "bench",
	    .randoms = {0, 100, -1},
	    .reads = {100, 70, 30, 0, -1},
	};
	static char names[BOOKRUN_AXIS_MAX][32];
	uint32_t sizes = number(argv[2]), depths = number(argv[3]);
	uint32_t targets = number(argv[4]);
	uint32_t i;

	for (i = 0; i < sizes; i++)
		axes.block_sizes[i] = (i + 1) * 4 * KIB;
	for (i = 0; i < depths; i++)
		axes.outstandings[i] = i + 1;
	for (i = 0; i < targets; i++) {
		snprintf(names[i], sizeof(names[i]), "/dev/disk%u", i + 1);
		axes.targets[i] = names[i];
	}
	bookrun_init(&axes, run);
}

static void must(int rc, const struct err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "bench_book: %s\n", err->text);
	exit(1);
}

static void write_ours(const struct run *run, const char *path)
{
	struct err err = {0};

	must(book_write(path, &run, 1, NULL, &err), &err);
}

/* The columns of the sheet as the first row has them. */
struct plain {
	struct column_value *values;
	lxw_format **formats;
	lxw_table_column *heads, **list;
	lxw_format *text;
	size_t count;
};

static lxw_format *format_of(lxw_workbook *book, const struct plain *p,
			     const char *text)
{
	lxw_format *format;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (!strcmp(p->formats[i]->num_format, text ? text : ""))
			return p->formats[i];
	format = workbook_add_format(book);
	if (text)
		format_set_num_format(format, text);
	return format;
}

static void plan_plain(const struct run *run, lxw_workbook *book,
		       struct plain *p)
{
	const struct column_row row = {
	    .point = &run->points[0], .result = &run->results[0], .run = run};
	size_t i;

	p->values = calloc(column_count, sizeof(*p->values));
	p->formats = calloc(column_count, sizeof(*p->formats));
	p->heads = calloc(column_count, sizeof(*p->heads));
	p->list = calloc(column_count + 1, sizeof(lxw_table_column *));
	p->text = workbook_add_format(book);
	format_set_font_color(p->text, 0x1F2933);
	for (i = 0; i < column_count; i++) {
		if (!(columns[i].where & COLUMN_IN_SHEET))
			continue;
		p->heads[p->count].header = (char *)columns[i].title;
		p->list[p->count] = &p->heads[p->count];
		columns[i].get(&row, &p->values[p->count]);
		p->formats[p->count] =
		    format_of(book, p, columns[i].sheet_format);
		p->count++;
	}
}

static void write_plain(const struct run *run, const char *path)
{
	static char here[] = ".";
	lxw_workbook_options options = {.tmpdir = here};
	lxw_workbook *book = workbook_new_opt(path, &options);
	lxw_worksheet *sheet = workbook_add_worksheet(book, "Results");
	struct plain p = {0};
	lxw_table_options table = {0};
	uint32_t row;
	size_t k;

	plan_plain(run, book, &p);
	table.columns = p.list;
	worksheet_add_table(sheet, 0, 0, run->point_count,
			    (lxw_col_t)(p.count - 1), &table);
	for (row = 1; row <= run->point_count; row++)
		for (k = 0; k < p.count; k++) {
			const struct column_value *v = &p.values[k];

			if (!v->known)
				continue;
			if (v->type == COLUMN_TEXT)
				worksheet_write_string(sheet, row, (lxw_col_t)k,
						       v->text, p.text);
			else
				worksheet_write_number(
				    sheet, row, (lxw_col_t)k,
				    v->type == COLUMN_REAL
					? v->real * (1 + row * 1e-6)
					: (double)(v->integer + row),
				    p.formats[k]);
		}
	if (workbook_close(book) != LXW_NO_ERROR)
		exit(1);
}

/* Of one disk: some thousand I/Os in 100 ms, and their latency. */
static void fill(struct visit *v, uint32_t samples, uint64_t *seed)
{
	uint32_t i;

	visit_reset(v);
	if (visit_reserve(v, samples))
		abort();
	v->state = VISIT_DONE;
	v->measured_ns = samples * NS_PER_SEC / 10;
	v->interval_ns = NS_PER_SEC / 10;
	v->sample_count = samples;
	for (i = 0; i < samples; i++) {
		struct sample *x = &v->samples[i];

		x->ios[DIR_READ] = 5000 + prng_below(seed, 2000);
		x->bytes[DIR_READ] = x->ios[DIR_READ] * 4096;
		x->lat_sum_ns =
		    x->ios[DIR_READ] * (100000 + prng_below(seed, 50000));
		x->lat_max_ns = 200000 + prng_below(seed, 5000000);
		v->ios[DIR_READ] += x->ios[DIR_READ];
		v->bytes[DIR_READ] += x->bytes[DIR_READ];
	}
}

#define SAMPLES 10000

static void make_folder(const char *path, uint32_t rows)
{
	struct point p = {.target = "/dev/disk", .variant = "", .section = ""};
	uint64_t seed = 1;
	struct err err = {0};
	struct store *store;
	struct visit v;

	p.workload.stream.block_size_bytes = 4096;
	p.workload.stream.read_pct = 100;
	p.workload.threads = p.workload.queue_depth = 1;
	visit_init(&v);
	must(store_create(path, NULL, 0, &p, 1, &store, &err), &err);
	for (; rows; rows -= v.sample_count) {
		fill(&v, rows < SAMPLES ? rows : SAMPLES, &seed);
		v.round++;
		must(store_append(store, &p, &v, &err), &err);
	}
	must(store_close(store, &err), &err);
	visit_fini(&v);
}

static void write_raw(const char *folder, const char *path)
{
	struct err err = {0};

	must(rawbook_write(path, &folder, 1, RAWBOOK_ROWS_MAX, &err), &err);
}

static int usage(void)
{
	fprintf(stderr, "usage: bench_book ours|plain SIZES DEPTHS TARGETS "
			"FILE.xlsx, folder ROWS FOLDER, or raw FOLDER "
			"FILE.xlsx\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	bool ours = !strcmp(kind, "ours");
	bool raw = !strcmp(kind, "raw");
	struct run run = {0};
	double start;
	long before;

	if (argc == 4 && !strcmp(kind, "folder")) {
		make_folder(argv[3], (uint32_t)strtoul(argv[2], NULL, 10));
		return 0;
	}
	if (raw ? argc != 4 : argc != 6 || (!ours && strcmp(kind, "plain")))
		return usage();
	if (!raw)
		make_run(argv, &run);
	before = status_kib("VmRSS:");
	start = cpu_seconds();
	if (raw)
		write_raw(argv[2], argv[3]);
	else if (ours)
		write_ours(&run, argv[5]);
	else
		write_plain(&run, argv[5]);
	printf("%.3f %ld\n", cpu_seconds() - start,
	       status_kib("VmHWM:") - (raw ? 0 : before));
	bookrun_fini(&run);
	return 0;
}
