#include "export/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The histogram of one visit and kind, while its rows come. */
struct scratch {
	struct hist_span *into; /* NULL: no row yet, or not wanted */
	uint32_t first, last;	/* non-empty buckets */
	uint64_t bucket[HIST_BUCKETS];
};

struct row {
	uint32_t visit;
	int kind;	/* enum direction, or LATENCY_SERVICE */
	uint32_t index; /* of the bucket */
	uint64_t count;
};

struct reader {
	const char *path;
	struct run *run;
	struct row before; /* visit 0: none */
	uint32_t cursor;   /* of runfile_find_done */
	uint64_t bytes;	   /* of all spans */
	struct scratch scratch;
	struct visit *visit; /* under way; NULL: none, or not wanted */
	struct hist both;    /* its directions together */
};

/* The span with at least the buckets first to last. */
static int widen(struct reader *r, struct hist_span *span, uint32_t first,
		 uint32_t last)
{
	uint32_t old_last = span->first + span->count - 1;
	struct hist_span wide;

	if (span->count && span->first <= first && old_last >= last)
		return 0;
	if (span->count && span->first < first)
		first = span->first;
	if (span->count && old_last > last)
		last = old_last;
	wide.first = first;
	wide.count = last - first + 1;
	r->bytes += (wide.count - span->count) * sizeof(*wide.bucket);
	if (r->bytes > RUN_HISTOGRAM_BYTES_MAX)
		return -EFBIG;
	wide.bucket = calloc(wide.count, sizeof(*wide.bucket));
	if (!wide.bucket)
		return -ENOMEM;
	if (span->count)
		memcpy(wide.bucket + (span->first - first), span->bucket,
		       span->count * sizeof(*span->bucket));
	free(span->bucket);
	*span = wide;
	return 0;
}

/* Merge what the scratch holds and empty it. */
static int flush(struct reader *r)
{
	struct scratch *s = &r->scratch;
	struct hist_span *span = s->into;
	uint32_t i;
	int rc;

	if (!span)
		return 0;
	rc = widen(r, span, s->first, s->last);
	if (rc)
		return rc;
	for (i = s->first; i <= s->last; i++) {
		uint64_t *to = &span->bucket[i - span->first];

		if (__builtin_add_overflow(*to, s->bucket[i], to))
			return -EOVERFLOW;
		s->bucket[i] = 0;
	}
	s->into = NULL;
	return 0;
}

static int explain(const struct reader *r, size_t line, int rc, struct err *err)
{
	switch (rc) {
	case 0:
		return 0;
	case -ENOMEM:
		return err_failed(err, ENOMEM, "%s:%zu: out of memory", r->path,
				  line);
	case -EFBIG:
		return err_usage(err,
				 "%s:%zu: the histograms need more than 2 GiB "
				 "of memory",
				 r->path, line);
	default:
		return err_usage(err, "%s:%zu: the counts are too large",
				 r->path, line);
	}
}

static int parse_kind(const char *text, int *out)
{
	int k;

	for (k = 0; k < LATENCY_COUNT; k++) {
		if (strcmp(runfile_latency[k], text))
			continue;
		*out = k;
		return 0;
	}
	return -EINVAL;
}

/* Only the bounds of our own buckets are taken. */
static int parse_bucket(const char *lower_text, const char *upper_text,
			uint32_t *out)
{
	uint64_t lower, upper;
	uint32_t index;

	if (cell_parse_integer(lower_text, UINT64_MAX, &lower) ||
	    cell_parse_integer(upper_text, UINT64_MAX, &upper))
		return -EINVAL;
	index = hist_index(lower);
	if (hist_bucket_lower(index) != lower ||
	    hist_bucket_upper(index) != upper)
		return -EINVAL;
	*out = index;
	return 0;
}

static int parse_row(const char **fields, struct row *out)
{
	uint64_t visit;

	if (cell_parse_integer(fields[0], UINT32_MAX, &visit) ||
	    parse_kind(fields[1], &out->kind) ||
	    parse_bucket(fields[2], fields[3], &out->index) ||
	    cell_parse_integer(fields[4], UINT64_MAX, &out->count) || !visit ||
	    !out->count)
		return -EINVAL;
	out->visit = (uint32_t)visit;
	return 0;
}

static bool same_histogram(const struct row *a, const struct row *b)
{
	return a->visit == b->visit && a->kind == b->kind;
}

static bool ascends(const struct row *a, const struct row *b)
{
	if (a->visit != b->visit)
		return a->visit < b->visit;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->index < b->index;
}

/* Where rows of the visit under way go; NULL: nowhere. */
static struct hist_span *span_of(const struct reader *r, int kind)
{
	return r->visit ? &r->run->results[r->visit->point].latency[kind]
			: NULL;
}

/* The visit whose rows came is complete; NULL: none, or not wanted. */
static void end_visit(struct reader *r)
{
	struct visit *v = r->visit;
	struct hist *h = &r->both;
	int d;

	r->visit = NULL;
	if (!v)
		return;
	for (d = 0; d < DIR_COUNT; d++) {
		if (v->lat_min_ns[d] < h->min_ns)
			h->min_ns = v->lat_min_ns[d];
		if (v->lat_max_ns[d] > h->max_ns)
			h->max_ns = v->lat_max_ns[d];
	}
	v->lat_p99_ns = hist_percentile_ns(h, 0.99);
	hist_reset(h);
}

static int take_row(struct reader *r, const struct row *row)
{
	struct scratch *s = &r->scratch;

	if (!same_histogram(&r->before, row)) {
		int rc = flush(r);

		if (rc)
			return rc;
		if (r->before.visit != row->visit) {
			end_visit(r);
			r->visit =
			    runfile_find_done(r->run, &r->cursor, row->visit);
			if (r->visit && r->visit->aside)
				r->visit = NULL;
		}
		s->into = span_of(r, row->kind);
		s->first = row->index;
	}
	r->before = *row;
	if (s->into) {
		s->bucket[row->index] = row->count;
		s->last = row->index;
	}
	if (s->into && row->kind != LATENCY_SERVICE) {
		r->both.bucket[row->index] += row->count;
		r->both.count += row->count;
	}
	return 0;
}

static int on_row(void *arg, size_t line, const char **fields, size_t count,
		  struct err *err)
{
	struct reader *r = arg;
	struct row row;

	if (count != 5 || parse_row(fields, &row))
		return err_usage(
		    err,
		    "%s:%zu: not a visit, read, write or service, the "
		    "bounds of a bucket and a count",
		    r->path, line);
	if (!ascends(&r->before, &row))
		return err_usage(err,
				 "%s:%zu: visit %u, %s, bucket %s is out of "
				 "order or doubled",
				 r->path, line, row.visit, fields[1],
				 fields[2]);
	return explain(r, line, take_row(r, &row), err);
}

int latency_read(const struct runfile *file, uint64_t committed_bytes,
		 struct run *run, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_failed(err, ENOMEM, "%s: out of memory", file->path);
	r->path = file->path;
	r->run = run;
	hist_reset(&r->both);
	rc = runfile_read_committed(file, committed_bytes,
				    RUNFILE_LATENCY_HEADER, on_row, r, err);
	if (!rc)
		rc = explain(r, 0, flush(r), err);
	if (!rc)
		end_visit(r);
	free(r);
	return rc;
}
