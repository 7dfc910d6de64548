#include "export/book.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "export/book_chosen.h"
#include "export/book_notes.h"
#include "export/book_pivot.h"
#include "export/book_sheet.h"
#include "export/tempfile.h"

static const char *const side_names[2][BOOK_PATTERN_COUNT] = {
    {"Compare - sequential", "Compare - random", "Compare - mixed"},
    {"Cache effect - sequential", "Cache effect - random",
     "Cache effect - mixed"},
};

static bool has_pairs(const struct book_model *m, enum book_pattern pattern)
{
	uint32_t i, side;

	for (i = 0; i < m->group_count; i++) {
		const struct book_group *g = &m->groups[i];

		if (g->side != 0 || !book_is_drawn(m, g))
			continue;
		for (side = 1; side < m->side_count; side++)
			if (book_pattern_of(&g->point) == pattern &&
			    book_partner(m, g, side))
				return true;
	}
	return false;
}

static bool has_any(const struct book_model *m, book_has *has)
{
	struct book_choice choice;

	book_choose(m, has, &choice);
	return choice.count;
}

static bool is_wanted(const struct book_model *m, enum theme_sheet sheet)
{
	return !m->opts || !m->opts->theme || !m->opts->theme->without[sheet];
}

/* In the order in which they stand. */
static int add_sheets(struct xlsx *x, const struct book_model *m,
		      const struct book_pivot *pivot,
		      struct book_sheets *sheets)
{
	char tab[SHORTNAME_SIZE];
	uint32_t i;

	memset(sheets, 0, sizeof(*sheets));
	sheets->workloads =
	    calloc(m->workload_count + (size_t)1, sizeof(*sheets->workloads));
	sheets->group_rows =
	    calloc(m->group_count + (size_t)1, sizeof(*sheets->group_rows));
	if (!sheets->workloads || !sheets->group_rows)
		return -ENOMEM;
	sheets->summary = xlsx_add_sheet(x, "Summary");
	if (is_wanted(m, THEME_DASHBOARD) && book_has_dashboard(m))
		sheets->dashboard = xlsx_add_sheet(x, "Dashboard");
	for (i = 0; i < m->workload_count; i++)
		if (book_has_sheet(m, i))
			sheets->workloads[i] = xlsx_add_sheet(
			    x, shortname_cut(m->workloads[i].name,
					     XLSX_NAME_MAX, tab));
	for (i = 0; i < BOOK_PATTERN_COUNT; i++)
		if (is_wanted(m, THEME_CACHE_EFFECT) &&
		    has_pairs(m, (enum book_pattern)i))
			sheets->sides[i] =
			    xlsx_add_sheet(x, side_names[m->cache_effect][i]);
	if ((m->target_count > 1 || m->configs.count) &&
	    is_wanted(m, THEME_COMPARE_TARGETS))
		sheets->targets = xlsx_add_sheet(x, "Compare targets");
	if (book_has_working_sets(m))
		sheets->working_sets = xlsx_add_sheet(x, "Working set");
	if (has_any(m, book_has_histogram)) {
		if (is_wanted(m, THEME_LATENCY))
			sheets->latency = xlsx_add_sheet(x, "Latency");
		if (is_wanted(m, THEME_HISTOGRAM))
			sheets->histogram = xlsx_add_sheet(x, "Histogram");
	}
	if (is_wanted(m, THEME_TIME_SERIES) && has_any(m, book_has_series))
		sheets->series = xlsx_add_sheet(x, "Time series");
	if (book_has_warmup(m))
		sheets->warmup = xlsx_add_sheet(x, "Warm-up");
	book_add_pivots(x, pivot, sheets);
	sheets->results = xlsx_add_sheet(x, "Results");
	sheets->environment = xlsx_add_sheet(x, "Environment");
	if (sheets->dashboard)
		sheets->lists = xlsx_add_sheet(x, "Lists");
	book_add_pivot_data(x, pivot, sheets);
	sheets->data = xlsx_add_sheet(x, "Chart data");
	return 0;
}

static int fill_sheets(const struct book_model *m, struct book_pivot *pivot,
		       struct book_sheets *sheets)
{
	uint32_t i;
	int rc;

	book_put_data_title(m, sheets);
	if (sheets->dashboard && book_write_dashboard(m, sheets))
		return -ENOMEM;
	for (i = 0; i < m->workload_count; i++)
		if (sheets->workloads[i])
			book_write_workload(m, i, sheets);
	for (i = 0; i < BOOK_PATTERN_COUNT; i++)
		if (sheets->sides[i])
			book_write_sides(m, (enum book_pattern)i, sheets);
	if (sheets->targets)
		book_write_targets(m, sheets);
	if (sheets->working_sets)
		book_write_working_sets(m, sheets);
	if (sheets->warmup)
		book_write_warmup(m, sheets);
	book_write_pivots(m, pivot, sheets);
	book_write_environment(m, sheets);
	rc = book_write_results(m, sheets);
	/* It leads to places on the others. */
	if (!rc)
		rc = book_write_summary(m, sheets);
	if (!rc && sheets->latency)
		rc = book_write_latency(m, sheets);
	if (!rc && sheets->histogram)
		rc = book_write_histogram(m, sheets);
	return rc || !sheets->series ? rc : book_write_series(m, sheets);
}

/* Write the book to path, a temporary file. */
static int write_to(const char *path, const struct book_model *m,
		    struct book_pivot *pivot, struct err *err)
{
	struct book_sheets sheets;
	char title[256];
	struct xlsx *x;
	int rc;

	book_title(m, title, sizeof(title));
	rc = xlsx_open(
	    path, book_started(m->runs, m->run_count) / (int64_t)NS_PER_SEC,
	    title, m->opts ? m->opts->theme : NULL, &x, err);
	if (rc)
		return rc;
	rc = add_sheets(x, m, pivot, &sheets);
	if (!rc)
		rc = fill_sheets(m, pivot, &sheets);
	free(sheets.workloads);
	free(sheets.group_rows);
	if (!rc)
		return xlsx_close(x, err);
	xlsx_drop(x);
	return err_failed(err, -rc, "out of memory for the workbook");
}

/* Take the place of the plain book, in *book, with one that has PivotTables;
 * where that fails it stays. */
static void add_pivots(const char *path, const struct book_model *m,
		       const struct book_pivot *pivot, struct tempfile *book)
{
	struct tempfile with;
	struct err why = {0};
	int rc = tempfile_open(path, &with, &why);

	if (!rc) {
		rc = book_attach_pivots(book->temp, m, pivot, with.file, &why);
		if (!rc && fflush(with.file))
			rc = err_failed(&why, errno, "%s", strerror(errno));
		if (!rc)
			rc = xlsx_verify(with.temp, &why);
		tempfile_abort(rc ? &with : book);
	}
	if (!rc)
		*book = with;
	else if (m->opts->warning)
		err_failed(m->opts->warning, -rc,
			   "%s: written without PivotTables, with their values "
			   "as plain cells: %s",
			   path, why.text);
}

/* Results is one table, with a row of headers. */
static int check_points(const char *path, const struct run *const *runs,
			uint32_t run_count, struct err *err)
{
	uint64_t points = 0;
	uint32_t i;

	for (i = 0; i < run_count; i++)
		points += runs[i]->point_count;
	if (points < XLSX_ROWS_MAX)
		return 0;
	return err_usage(err,
			 "%s: %" PRIu64 " points where a sheet has %d rows; "
			 "export fewer runs at a time, or take --raw",
			 path, points, XLSX_ROWS_MAX);
}

int book_write(const char *path, const struct run *const *runs,
	       uint32_t run_count, const struct book_opts *opts,
	       struct err *err)
{
	struct book_model model;
	struct book_pivot pivot = {0};
	struct tempfile temp;
	struct err why = {0}; /* without the name that people know */
	int rc = check_points(path, runs, run_count, err);

	if (!rc)
		rc = tempfile_open(path, &temp, err);
	if (rc)
		return rc;
	rc = book_model_init(&model, runs, run_count, opts);
	if (!rc && opts && opts->pivot)
		rc = book_pivot_init(&pivot, &model);
	if (rc)
		err_failed(&why, -rc, "out of memory for the workbook");
	else
		rc = write_to(temp.temp, &model, &pivot, &why);
	if (!rc && pivot.view_count)
		add_pivots(path, &model, &pivot, &temp);
	book_pivot_fini(&pivot);
	book_model_fini(&model);
	if (!rc)
		return tempfile_commit(&temp, err);
	tempfile_abort(&temp);
	return err_failed(err, -rc, "%s: %s", path, why.text);
}
