#include "export/rawbook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/runfile.h"
#include "export/tempfile.h"
#include "export/xlsx.h"

/* As wide as a name at the head and its button. */
#define CHARACTER_PX 7
#define BUTTON_PX 28
#define COLUMN_PX_MIN 90
/* Doubles are exact up to here; a longer number stays a text. */
#define EXACT_MAX 9007199254740992.0

_Static_assert(RAWBOOK_ROWS_MAX == XLSX_ROWS_MAX, "rows of a sheet");

/* A table of the run folders, in the order of its sheets. */
enum table { VISITS, INTERVALS, LATENCY, DEVICES, POINTS, TABLES };

static const struct {
	const char *sheet, *file;
	const char *header; /* NULL: by the table of columns */
} tables[TABLES] = {
    [VISITS] = {"Visits", RUNFILE_VISITS, NULL},
    [INTERVALS] = {"Intervals", RUNFILE_SERIES, RUNFILE_SERIES_HEADER},
    [LATENCY] = {"Latency", RUNFILE_LATENCY, RUNFILE_LATENCY_HEADER},
    [DEVICES] = {"Devices", RUNFILE_DEVICES, RUNFILE_DEVICES_HEADER},
    [POINTS] = {"Points", RUNFILE_PLAN, NULL},
};

/* A run folder. */
struct source {
	struct runfile_folder folder;
	struct run head; /* no more than run.ini tells */
	uint64_t committed[TABLES];
};

/* A table on its way to its sheets. */
struct writer {
	struct xlsx *book;
	struct xlsx_sheet *sheet; /* NULL: to be begun */
	enum table table;
	const char *path;  /* of the file that is read */
	bool has_header;   /* its first row is behind us */
	uint32_t row;	   /* the next */
	uint32_t rows_max; /* of a sheet */
	const char *label; /* NULL: no column of runs */
	/* The header, owned. */
	char *names[CSVFILE_FIELDS_MAX];
	bool is_text[CSVFILE_FIELDS_MAX];
	size_t columns;
};

static bool names_texts(const char *name)
{
	static const char *const texts[] = {"direction", "role", "device",
					    "counter"};
	const struct column *c = column_find(name);
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(name, texts[i]))
			return true;
	return c && c->type == COLUMN_TEXT;
}

static void put_head(struct writer *w, uint32_t column, const char *name)
{
	uint32_t px = (uint32_t)strlen(name) * CHARACTER_PX + BUTTON_PX;

	xlsx_text(w->sheet, 0, column, XLSX_HEAD, name);
	xlsx_width(w->sheet, column, column,
		   px < COLUMN_PX_MIN ? COLUMN_PX_MIN : px);
}

/* The sheet was filled, or another header comes: rows begin a new one. */
static void end_sheet(struct writer *w)
{
	uint32_t count = (uint32_t)w->columns + (w->label ? 1 : 0);
	const struct xlsx_range filled = {w->sheet, 0, 0, w->row - 1,
					  count - 1};

	if (w->sheet)
		xlsx_filter(&filled);
	w->sheet = NULL;
}

static void begin_sheet(struct writer *w)
{
	uint32_t first = w->label ? 1 : 0;
	size_t i;

	w->sheet = xlsx_add_sheet(w->book, tables[w->table].sheet);
	if (w->label)
		put_head(w, 0, "run");
	for (i = 0; i < w->columns; i++)
		put_head(w, first + (uint32_t)i, w->names[i]);
	xlsx_freeze(w->sheet, 1, 0);
	xlsx_repeat(w->sheet, 0, 0);
	w->row = 1;
}

static void forget_header(struct writer *w)
{
	while (w->columns)
		free(w->names[--w->columns]);
}

static bool same_header(const struct writer *w, const char **fields,
			size_t count)
{
	size_t i;

	for (i = 0; i < count && i < w->columns; i++)
		if (strcmp(w->names[i], fields[i]) != 0)
			return false;
	return count == w->columns;
}

/* Of the first run, or of one by another version. */
static int take_header(struct writer *w, const char **fields, size_t count)
{
	if (same_header(w, fields, count))
		return 0;
	end_sheet(w);
	forget_header(w);
	for (; w->columns < count; w->columns++) {
		const char *name = fields[w->columns];

		w->names[w->columns] = strdup(name);
		if (!w->names[w->columns])
			return -ENOMEM;
		w->is_text[w->columns] = names_texts(name);
	}
	return 0;
}

static void put_field(struct writer *w, uint32_t column, const char *field,
		      bool is_text)
{
	double value;

	if (!*field)
		return;
	if (is_text || cell_parse_real(field, &value) || value > EXACT_MAX ||
	    value < -EXACT_MAX)
		xlsx_text(w->sheet, w->row, column, XLSX_TEXT, field);
	else
		xlsx_number(w->sheet, w->row, column, XLSX_GENERAL, value);
}

static int put_row(void *arg, size_t line, const char **fields, size_t count,
		   struct err *err)
{
	struct writer *w = arg;
	uint32_t first = w->label ? 1 : 0;
	size_t i;

	if (count != w->columns)
		return err_usage(err,
				 "%s:%zu: %zu cells where the header has %zu",
				 w->path, line, count, w->columns);
	if (w->sheet && w->row == w->rows_max)
		end_sheet(w);
	if (!w->sheet)
		begin_sheet(w);
	if (w->label)
		xlsx_text(w->sheet, w->row, 0, XLSX_TEXT, w->label);
	for (i = 0; i < count; i++)
		put_field(w, first + (uint32_t)i, fields[i], w->is_text[i]);
	w->row++;
	return 0;
}

static int no_memory(struct err *err)
{
	return err_failed(err, ENOMEM, "out of memory for the workbook");
}

/* Rows of a file whose first is the header. */
static int put_any_row(void *arg, size_t line, const char **fields,
		       size_t count, struct err *err)
{
	struct writer *w = arg;

	if (w->has_header)
		return put_row(arg, line, fields, count, err);
	w->has_header = true;
	return take_header(w, fields, count) ? no_memory(err) : 0;
}

/* The names in a line with commas. */
static int take_header_line(struct writer *w, const char *line)
{
	const char *fields[CSVFILE_FIELDS_MAX];
	char *copy = strdup(line), *rest = copy;
	size_t count = 0;
	int rc;

	if (!copy)
		return -ENOMEM;
	copy[strcspn(copy, "\n")] = '\0';
	while (rest)
		fields[count++] = strsep(&rest, ",");
	rc = take_header(w, fields, count);
	free(copy);
	return rc;
}

static int copy_rows(struct writer *w, const struct source *from,
		     const struct runfile *file, struct err *err)
{
	const char *header = tables[w->table].header;
	const struct csvfile_source whole = {
	    .fd = file->fd, .path = file->path, .limit_bytes = UINT64_MAX};

	if (!header)
		return csvfile_read_source(&whole, put_any_row, w, NULL, err);
	if (take_header_line(w, header))
		return no_memory(err);
	return runfile_read_committed(file, from->committed[w->table], header,
				      put_row, w, err);
}

/* Counters of devices came later than run folders. */
static bool is_missing(const struct source *from, enum table table)
{
	return table == DEVICES &&
	       faccessat(from->folder.dir_fd, tables[table].file, F_OK,
			 AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT;
}

static int copy_file(struct writer *w, const struct source *from,
		     struct err *err)
{
	struct runfile file;
	int rc;

	if (is_missing(from, w->table))
		return 0;
	rc = runfile_open(&from->folder, tables[w->table].file, O_RDONLY, &file,
			  err);
	if (rc)
		return rc;
	w->path = file.path;
	w->has_header = false;
	rc = copy_rows(w, from, &file, err);
	close(file.fd);
	return rc;
}

/* One table of all runs. */
static int copy_table(struct xlsx *book, enum table table,
		      const struct source *sources, uint32_t count,
		      uint32_t rows_max, struct err *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	uint32_t i;
	int rc = 0;

	if (!w)
		return no_memory(err);
	w->book = book;
	w->table = table;
	w->rows_max = rows_max;
	for (i = 0; i < count && !rc; i++) {
		w->label = count > 1 ? sources[i].head.label : NULL;
		rc = copy_file(w, &sources[i], err);
	}
	end_sheet(w);
	forget_header(w);
	free(w);
	return rc;
}

/* The start of the first visit; the rows themselves come later. */
static int on_visit(void *arg, size_t line, const struct visit *v,
		    struct err *err)
{
	int64_t *first_ns = arg;

	(void)line;
	(void)err;
	if (*first_ns == 0 || v->started_utc_ns < *first_ns)
		*first_ns = v->started_utc_ns;
	return 0;
}

/* What of the files beside visits.csv counts. */
static int read_commits(struct source *s, int64_t *first_ns, struct err *err)
{
	struct runfile_visits visits;
	struct runfile file;
	int rc = runfile_open(&s->folder, RUNFILE_VISITS, O_RDONLY, &file, err);

	if (rc)
		return rc;
	rc = runfile_read_visits(&file, on_visit, first_ns, &visits, err);
	close(file.fd);
	if (rc)
		return rc;
	s->committed[INTERVALS] = visits.commit.series_bytes;
	s->committed[LATENCY] = visits.commit.latency_bytes;
	s->committed[DEVICES] = visits.commit.devices_bytes;
	return 0;
}

static int open_source(struct source *s, const char *folder, int64_t *first_ns,
		       struct err *err)
{
	int rc = runfile_open_folder(folder, &s->folder, err);

	if (rc)
		return rc;
	rc = runfile_read_head(&s->folder, &s->head, err);
	return rc ? rc : read_commits(s, first_ns, err);
}

static void close_sources(struct source *sources, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		run_fini(&sources[i].head);
		if (sources[i].folder.dir_fd >= 0)
			close(sources[i].folder.dir_fd);
	}
	free(sources);
}

/* NULL with a sentence when one cannot be read. */
static struct source *open_sources(const char *const *folders, uint32_t count,
				   int64_t *first_ns, struct err *err)
{
	struct source *sources = calloc(count, sizeof(*sources));
	uint32_t i;
	int rc = sources ? 0 : no_memory(err);

	for (i = 0; i < count && !rc; i++) {
		sources[i].folder.dir_fd = -1;
		rc = open_source(&sources[i], folders[i], first_ns, err);
	}
	if (!rc)
		return sources;
	close_sources(sources, i);
	return NULL;
}

static int write_to(const char *path, const struct source *sources,
		    uint32_t count, int64_t started_s, uint32_t rows_max,
		    struct err *err)
{
	struct xlsx *book;
	int table;
	int rc = xlsx_open_in_order(path, started_s, "Storage sweep: raw data",
				    &book, err);

	if (rc)
		return rc;
	for (table = 0; table < TABLES && !rc; table++)
		rc = copy_table(book, (enum table)table, sources, count,
				rows_max, err);
	if (!rc)
		return xlsx_close(book, err);
	xlsx_drop(book);
	return rc;
}

int rawbook_write(const char *path, const char *const *folders, uint32_t count,
		  uint32_t rows_max, struct err *err)
{
	struct tempfile temp;
	struct err why = {0}; /* without the name that people know */
	int64_t first_ns = 0;
	struct source *sources = open_sources(folders, count, &first_ns, err);
	int rc;

	if (!sources)
		return -EIO;
	rc = tempfile_open(path, &temp, err);
	if (rc) {
		close_sources(sources, count);
		return rc;
	}
	rc = write_to(temp.temp, sources, count, first_ns / (int64_t)NS_PER_SEC,
		      rows_max, &why);
	close_sources(sources, count);
	if (!rc)
		return tempfile_commit(&temp, err);
	tempfile_abort(&temp);
	return err_failed(err, -rc, "%s: %s", path, why.text);
}
