#include "export/series.h"

#include <errno.h>
#include <stdlib.h>

#define FIELDS 9

struct reader {
	const char *path;
	struct run *run;
	uint32_t cursor;  /* of runfile_find_done */
	uint32_t before;  /* the visit of the last row */
	uint32_t samples; /* of all visits */
};

struct row {
	uint32_t visit, sample;
	struct sample values;
};

static int parse_row(const char **fields, size_t count, struct row *out)
{
	uint64_t number[FIELDS];
	double start_ms;
	size_t i;

	if (count != FIELDS || cell_parse_real(fields[2], &start_ms))
		return -EINVAL;
	for (i = 0; i < FIELDS; i++)
		if (i != 2 &&
		    cell_parse_integer(
			fields[i], i < 2 ? UINT32_MAX : UINT64_MAX, &number[i]))
			return -EINVAL;
	out->visit = (uint32_t)number[0];
	out->sample = (uint32_t)number[1];
	out->values = (struct sample){.ios = {number[3], number[4]},
				      .bytes = {number[5], number[6]},
				      .lat_sum_ns = number[7],
				      .lat_max_ns = number[8]};
	return 0;
}

static int add_sample(struct visit *v, const struct sample *values)
{
	if (v->sample_count == v->sample_capacity) {
		uint32_t room = v->sample_count ? v->sample_count * 2 : 16;
		struct sample *grown =
		    realloc(v->samples, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		v->samples = grown;
		v->sample_capacity = room;
	}
	v->samples[v->sample_count++] = *values;
	return 0;
}

static int on_row(void *arg, size_t line, const char **fields, size_t count,
		  struct err *err)
{
	struct reader *r = arg;
	struct visit *v;
	struct row row;

	if (parse_row(fields, count, &row))
		return err_usage(err,
				 "%s:%zu: not a visit, a sample and its "
				 "numbers",
				 r->path, line);
	if (row.visit < r->before)
		return err_usage(err, "%s:%zu: visit %u follows visit %u",
				 r->path, line, row.visit, r->before);
	r->before = row.visit;
	v = runfile_find_done(r->run, &r->cursor, row.visit);
	if (!v)
		return 0;
	if (row.sample != v->sample_count)
		return err_usage(err,
				 "%s:%zu: sample %u of visit %u where %u is "
				 "expected",
				 r->path, line, row.sample, row.visit,
				 v->sample_count);
	if (r->samples++ == RUN_SAMPLES_MAX)
		return err_usage(err, "%s:%zu: more than %d samples", r->path,
				 line, RUN_SAMPLES_MAX);
	if (add_sample(v, &row.values))
		return err_failed(err, ENOMEM, "%s:%zu: out of memory", r->path,
				  line);
	return 0;
}

int series_read(const struct runfile *file, uint64_t committed_bytes,
		struct run *run, struct err *err)
{
	struct reader r = {.path = file->path, .run = run};

	return runfile_read_committed(file, committed_bytes,
				      RUNFILE_SERIES_HEADER, on_row, &r, err);
}
