#include "export/warmup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/units.h"
#include "export/cell.h"
#include "export/csvfile.h"

static void put_real(FILE *f, double value)
{
	char text[CELL_TEXT_MAX] = "";

	if (isfinite(value))
		cell_format_real(text, value);
	csvfile_put(f, false, text);
}

static void put_row(FILE *f, const struct warm_sample *s)
{
	char text[CELL_TEXT_MAX];

	csvfile_put(f, true, s->point->variant);
	csvfile_put(f, false, s->point->target);
	csvfile_put(f, false, cell_format_integer(text, s->round));
	csvfile_put(f, false, cell_format_integer(text, s->pass));
	put_real(f, (double)s->elapsed_ns / NS_PER_SEC);
	put_real(f, s->iops);
	put_real(f, s->mibps);
	put_real(f, s->hit_pct);
	fputc('\n', f);
}

int warmup_append(const char *folder, const struct warm_sample *sample,
		  struct err *err)
{
	char path[4096];
	bool bad;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/" WARMUP_FILE, folder) >=
	    (int)sizeof(path))
		return err_failed(err, ENAMETOOLONG, "%s: the path is too long",
				  folder);
	f = fopen(path, "ae");
	if (!f)
		return err_failed(err, errno, "%s: cannot be written: %s", path,
				  strerror(errno));
	if (ftell(f) == 0)
		fputs(WARMUP_HEADER "\n", f);
	put_row(f, sample);
	bad = ferror(f);
	if (fclose(f) || bad)
		return err_failed(err, errno ? errno : EIO,
				  "%s: cannot be written: %s", path,
				  strerror(errno ? errno : EIO));
	return 0;
}
