#include "export/runfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const runfile_latency[LATENCY_COUNT] = {
    [DIR_READ] = "read",
    [DIR_WRITE] = "write",
    [LATENCY_SERVICE] = "service",
};

int runfile_open_folder(const char *path, struct runfile_folder *out,
			struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_usage(err,
				 "%s: there is no such run folder; name one "
				 "that holds " RUNFILE_VISITS,
				 path);
	if (fd < 0)
		return err_failed(err, errno, "%s: cannot open: %s", path,
				  strerror(errno));
	out->dir_fd = fd;
	out->path = path;
	return 0;
}

int runfile_open(const struct runfile_folder *folder, const char *name,
		 int flags, struct runfile *out, struct err *err)
{
	struct stat st;
	int rc;

	if (snprintf(out->path, sizeof(out->path), "%s/%s", folder->path,
		     name) >= (int)sizeof(out->path))
		return err_usage(err, "%s: the path is too long", folder->path);
	/* O_NONBLOCK: opening a pipe must not wait for its writer. */
	out->fd = openat(folder->dir_fd, name,
			 flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (out->fd < 0 && errno == ENOENT)
		return err_usage(err,
				 "%s: missing: not a run folder, or its "
				 "creation was cut short",
				 out->path);
	if (out->fd < 0)
		return err_failed(err, errno, "%s: cannot open: %s", out->path,
				  errno == ELOOP ? "it is a symbolic link"
						 : strerror(errno));
	if (!fstat(out->fd, &st) && S_ISREG(st.st_mode)) {
		out->size_bytes = (uint64_t)st.st_size;
		return 0;
	}
	rc = err_usage(err, "%s: not a regular file", out->path);
	close(out->fd);
	return rc;
}

void runfile_put_header(FILE *f, uint32_t in)
{
	bool first = true;
	size_t i;

	for (i = 0; i < column_count; i++) {
		if (!(columns[i].where & in))
			continue;
		csvfile_put(f, first, columns[i].name);
		first = false;
	}
	putc('\n', f);
}

void runfile_put_row(FILE *f, uint32_t in, const struct column_row *row,
		     runfile_put_text *put_text)
{
	struct column_value value;
	char buf[COLUMN_TEXT_MAX];
	bool first = true;
	size_t i;

	for (i = 0; i < column_count; i++) {
		const struct column *c = &columns[i];

		if (!(c->where & in))
			continue;
		c->get(row, &value);
		if (value.type == COLUMN_TEXT)
			put_text(f, first, column_format(&value, buf));
		else
			csvfile_put(f, first, column_format(&value, buf));
		first = false;
	}
	putc('\n', f);
}

static bool map_has(const struct runfile_map *map, const struct column *c)
{
	size_t i;

	for (i = 0; i < map->count; i++)
		if (map->column[i] == c)
			return true;
	return false;
}

int runfile_map_header(struct runfile_map *map, size_t line,
		       const char **fields, size_t count, struct err *err)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct column *c = column_find(fields[i]);

		if (!c || !(c->where & map->in))
			return err_usage(err,
					 "%s:%zu: unknown column '%s'; was it "
					 "written by a newer iosweep?",
					 map->path, line, fields[i]);
		if (map_has(map, c))
			return err_usage(err,
					 "%s:%zu: column %s is there twice",
					 map->path, line, c->name);
		map->column[map->count++] = c;
	}
	for (i = 0; i < column_count; i++) {
		if ((columns[i].where & map->in) &&
		    (columns[i].where & COLUMN_REQUIRED) &&
		    !map_has(map, &columns[i]))
			return err_usage(err, "%s:%zu: column %s is missing",
					 map->path, line, columns[i].name);
	}
	return 0;
}

int runfile_map_row(const struct runfile_map *map,
		    const struct column_target *target, size_t line,
		    const char **fields, size_t count, struct err *err)
{
	size_t i;

	if (count != map->count)
		return err_usage(err,
				 "%s:%zu: %zu cells where %zu are expected",
				 map->path, line, count, map->count);
	for (i = 0; i < count; i++) {
		const struct column *c = map->column[i];
		int rc = -EINVAL;

		if (!c->set || (!*fields[i] && !(c->where & COLUMN_REQUIRED)))
			continue;
		if (*fields[i])
			rc = c->set(fields[i], target);
		if (rc == -ENOMEM)
			return err_failed(err, ENOMEM, "%s:%zu: out of memory",
					  map->path, line);
		if (rc)
			return err_usage(
			    err,
			    "%s:%zu: '%.64s' is no value of column "
			    "%s",
			    map->path, line, fields[i], c->name);
	}
	return 0;
}

struct visits_reader {
	struct runfile_map map;
	runfile_visit *visit;
	void *arg;
	struct runfile_visits *out;
};

/* True when the columns are those that we write, in our order. */
static bool map_is_current(const struct runfile_map *map)
{
	size_t known = 0;
	size_t i;

	for (i = 0; i < column_count; i++) {
		if (!(columns[i].where & map->in))
			continue;
		if (known >= map->count || map->column[known] != &columns[i])
			return false;
		known++;
	}
	return known == map->count;
}

static int on_visit_row(void *arg, size_t line, const char **fields,
			size_t count, struct err *err)
{
	struct visits_reader *r = arg;
	struct runfile_visits *so_far = r->out;
	struct visit v;
	/* A file of which nothing is said has not grown. */
	struct commit commit = so_far->commit;
	struct column_target target = {.visit = &v, .commit = &commit};
	int rc;

	if (!r->map.count) {
		rc = runfile_map_header(&r->map, line, fields, count, err);
		so_far->current = !rc && map_is_current(&r->map);
		return rc;
	}
	visit_init(&v);
	rc = runfile_map_row(&r->map, &target, line, fields, count, err);
	if (rc)
		return rc;
	if (v.id <= so_far->last_id)
		return err_usage(err, "%s:%zu: visit %u follows visit %u",
				 r->map.path, line, v.id, so_far->last_id);
	if (commit.latency_bytes < so_far->commit.latency_bytes ||
	    commit.series_bytes < so_far->commit.series_bytes ||
	    commit.devices_bytes < so_far->commit.devices_bytes)
		return err_usage(err,
				 "%s:%zu: the lengths of " RUNFILE_LATENCY
				 ", " RUNFILE_SERIES " and " RUNFILE_DEVICES
				 " do not shrink",
				 r->map.path, line);
	so_far->last_id = v.id;
	so_far->commit = commit;
	return r->visit(r->arg, line, &v, err);
}

int runfile_read_visits(const struct runfile *file, runfile_visit *visit,
			void *arg, struct runfile_visits *out, struct err *err)
{
	struct runfile_visits read = {
	    .commit = {.latency_bytes = sizeof(RUNFILE_LATENCY_HEADER) - 1,
		       .series_bytes = sizeof(RUNFILE_SERIES_HEADER) - 1,
		       .devices_bytes = sizeof(RUNFILE_DEVICES_HEADER) - 1}};
	struct visits_reader r = {
	    .map = {.path = file->path, .in = COLUMN_IN_VISITS},
	    .visit = visit,
	    .arg = arg,
	    .out = &read};
	struct csvfile_source source = {
	    .fd = file->fd, .path = file->path, .limit_bytes = UINT64_MAX};
	int rc = csvfile_read_source(&source, on_visit_row, &r, &read.end, err);

	if (rc)
		return rc;
	if (!r.map.count)
		return err_usage(err, "%s: no header: the file is damaged",
				 file->path);
	*out = read;
	return 0;
}

struct committed_reader {
	const char *path;
	const char *header; /* NULL when it was seen */
	csvfile_row *row;
	void *arg;
};

/* True when the fields, joined by commas, are the header's line. */
static bool is_header(const char *header, const char **fields, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		size_t length = strlen(fields[i]);

		if (strncmp(header, fields[i], length) ||
		    header[length] != (i + 1 < count ? ',' : '\n'))
			return false;
		header += length + 1;
	}
	return !*header;
}

static int on_committed_row(void *arg, size_t line, const char **fields,
			    size_t count, struct err *err)
{
	struct committed_reader *r = arg;

	if (!r->header)
		return r->row(r->arg, line, fields, count, err);
	if (!is_header(r->header, fields, count))
		return err_usage(err, "%s:%zu: the header is not '%.*s'",
				 r->path, line, (int)strlen(r->header) - 1,
				 r->header);
	r->header = NULL;
	return 0;
}

int runfile_read_committed(const struct runfile *file, uint64_t committed_bytes,
			   const char *header, csvfile_row *row, void *arg,
			   struct err *err)
{
	struct csvfile_source source = {
	    .fd = file->fd, .path = file->path, .limit_bytes = committed_bytes};
	struct committed_reader r = {
	    .path = file->path, .header = header, .row = row, .arg = arg};
	struct csvfile_end end;
	int rc;

	if (file->size_bytes < committed_bytes)
		return err_usage(err,
				 "%s: is shorter than " RUNFILE_VISITS
				 " says: damaged, or from another run",
				 file->path);
	rc = csvfile_read_source(&source, on_committed_row, &r, &end, err);
	if (!rc && (r.header || end.torn))
		return err_usage(err,
				 "%s: no row ends where " RUNFILE_VISITS
				 " says: damaged, or edited",
				 file->path);
	return rc;
}

struct visit *runfile_find_done(struct run *run, uint32_t *cursor, uint32_t id)
{
	struct visit *v;

	while (*cursor < run->visit_count && run->visits[*cursor].id < id)
		(*cursor)++;
	if (*cursor == run->visit_count)
		return NULL;
	v = &run->visits[*cursor];
	return v->id == id && v->state == VISIT_DONE ? v : NULL;
}
