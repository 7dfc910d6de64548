#include "export/digest_text.h"

#include <errno.h>
#include <math.h>

#include "export/book_sheet.h"
#include "export/tempfile.h"

const char *const digest_heads[DIGEST_COLUMNS] = {
    [DIGEST_WORKLOAD] = "Workload",
    [DIGEST_SIZE] = "Block size",
    [DIGEST_OUTSTANDING] = "Outstanding",
    [DIGEST_IOPS] = "IOPS",
    [DIGEST_RANGE] = "95% interval",
    [DIGEST_MIBPS] = "MiB/s",
    [DIGEST_LATENCY] = "Average latency, ms",
    [DIGEST_P99] = "p99 latency, ms",
    [DIGEST_DOUBTS] = "Verdicts",
};

char *digest_number(char buf[UNITS_TEXT_MAX], double value)
{
	if (!isfinite(value))
		buf[0] = '\0';
	else if (fabs(value) >= 100)
		units_format_number(buf, round(value));
	else
		snprintf(buf, UNITS_TEXT_MAX, "%.*f",
			 fabs(value) >= 10	? 1
			 : fabs(value) >= 1	? 2
			 : fabs(value) >= 0.001 ? 3
						: 4,
			 value);
	return buf;
}

char *digest_group_name(const struct book_model *m, const struct book_group *g,
			char *buf, size_t size)
{
	snprintf(buf, size, "%s", m->workloads[g->workload].name);
	book_append(buf, size, g->label);
	return buf;
}

char *digest_sentence(const struct book_model *m, const struct book_group *g,
		      char *buf, size_t size)
{
	char name[2 * LABEL_MAX];

	digest_group_name(m, g, name, sizeof(name));
	return book_say_spot(m, g, name, buf, size);
}

char *digest_about(const struct book_model *m, char *buf, size_t size)
{
	return book_say_amount(m, buf, size);
}

static void put_number(struct digest_row *row, enum digest_column column,
		       double value)
{
	char text[UNITS_TEXT_MAX];

	snprintf(row->cell[column], DIGEST_CELL_MAX, "%s",
		 digest_number(text, value));
}

void digest_spot(const struct book_model *m, const struct book_group *g,
		 struct digest_row *row)
{
	const struct result *r = g->spot ? g->spot->sweet : NULL;
	char low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX];

	*row = (struct digest_row){0};
	digest_group_name(m, g, row->cell[DIGEST_WORKLOAD], DIGEST_CELL_MAX);
	if (!r) {
		snprintf(row->cell[DIGEST_SIZE], DIGEST_CELL_MAX, "%s",
			 book_word(m, "none"));
		return;
	}
	units_format_size(row->cell[DIGEST_SIZE],
			  r->point->workload.stream.block_size_bytes);
	snprintf(row->cell[DIGEST_OUTSTANDING], DIGEST_CELL_MAX, "%u",
		 point_outstanding(r->point));
	put_number(row, DIGEST_IOPS, r->iops.value);
	if (isfinite(r->iops.low) && isfinite(r->iops.high))
		snprintf(row->cell[DIGEST_RANGE], DIGEST_CELL_MAX,
			 book_words(m, "%s to %s"),
			 digest_number(low, r->iops.low),
			 digest_number(high, r->iops.high));
	put_number(row, DIGEST_MIBPS, r->mibps.value);
	put_number(row, DIGEST_LATENCY, book_value(r, BOOK_LATENCY));
	put_number(row, DIGEST_P99, book_value(r, BOOK_P99));
	verdict_names(r->verdicts, row->cell[DIGEST_DOUBTS], DIGEST_CELL_MAX);
}

static int fill(FILE *f, const struct book_model *m, digest_body *body)
{
	struct book_notes notes;
	int rc;

	book_notes_init(&notes);
	book_find_warnings(m, &notes);
	rc = notes.failed ? -ENOMEM : body(f, m, &notes);
	book_notes_fini(&notes);
	return rc;
}

int digest_write(const char *path, const struct run *const *runs,
		 uint32_t run_count, const struct book_opts *opts,
		 digest_body *body, struct err *err)
{
	struct book_model model;
	struct tempfile temp;
	int rc = tempfile_open(path, &temp, err);

	if (rc)
		return rc;
	rc = book_model_init(&model, runs, run_count, opts);
	if (!rc)
		rc = fill(temp.file, &model, body);
	book_model_fini(&model);
	if (!rc)
		return tempfile_commit(&temp, err);
	tempfile_abort(&temp);
	return err_failed(err, -rc, "%s: out of memory for the report", path);
}
