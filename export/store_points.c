#include "export/columns.h"
#include "export/compare.h"
#include "export/runfile.h"
#include "export/store.h"
#include "export/tempfile.h"

int store_write_points(const char *path, const struct run *const *runs,
		       uint32_t run_count, struct err *err)
{
	struct tempfile t;
	uint32_t r, i;
	int rc = tempfile_open(path, &t, err);

	if (rc)
		return rc;
	runfile_put_header(t.file, COLUMN_IN_POINTS);
	for (r = 0; r < run_count; r++) {
		for (i = 0; i < runs[r]->point_count; i++) {
			struct column_row row = {.point = &runs[r]->points[i],
						 .result = &runs[r]->results[i],
						 .run = runs[r]};

			runfile_put_row(t.file, COLUMN_IN_POINTS, &row,
					csvfile_put_safe);
		}
	}
	return tempfile_commit(&t, err);
}

int store_write_pairs(const char *path, const struct compare *c,
		      struct err *err)
{
	struct column_row row = {.compare = c};
	struct tempfile t;
	uint32_t i;
	int rc = tempfile_open(path, &t, err);

	if (rc)
		return rc;
	runfile_put_header(t.file, COLUMN_IN_PAIRS);
	for (i = 0; i < c->pair_count; i++) {
		row.pair = &c->pairs[i];
		row.point = row.pair->base->point;
		runfile_put_row(t.file, COLUMN_IN_PAIRS, &row,
				csvfile_put_safe);
	}
	row.pair = NULL;
	for (i = 0; i < c->lost_count; i++) {
		row.lost = &c->lost[i];
		row.point = row.lost->result->point;
		runfile_put_row(t.file, COLUMN_IN_PAIRS, &row,
				csvfile_put_safe);
	}
	return tempfile_commit(&t, err);
}
