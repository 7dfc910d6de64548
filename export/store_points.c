#include "export/columns.h"
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
