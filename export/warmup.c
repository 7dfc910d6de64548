#include "export/warmup.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/units.h"
#include "export/cell.h"
#include "export/csvfile.h"
#include "export/runfile.h"

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

	csvfile_put_clean(f, true, s->point->variant);
	csvfile_put_clean(f, false, s->point->target);
	csvfile_put(f, false, cell_format_integer(text, s->round));
	csvfile_put(f, false, cell_format_integer(text, s->pass));
	put_real(f, (double)s->elapsed_ns / NS_PER_SEC);
	put_real(f, s->iops);
	put_real(f, s->mibps);
	put_real(f, s->hit_pct);
	fputc('\n', f);
}

/* To append to, made where there is none. No link is followed, and nothing but
 * a file is written: a folder that is gone on with may be a stranger's. NULL
 * with errno set. */
static FILE *open_to_append(int dir_fd)
{
	int fd = openat(dir_fd, WARMUP_FILE,
			O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
			    O_NONBLOCK | O_CLOEXEC,
			0666);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		errno = EINVAL;
	else
		f = fdopen(fd, "a");
	if (!f)
		close(fd);
	return f;
}

int warmup_append(const char *folder, const struct warm_sample *sample,
		  struct err *err)
{
	struct runfile_folder opened;
	int ret = runfile_open_folder(folder, &opened, err);
	bool bad;
	FILE *f;

	if (ret)
		return ret;
	errno = 0;
	f = open_to_append(opened.dir_fd);
	bad = !f;
	close(opened.dir_fd);
	if (f) {
		if (fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0)
			fputs(WARMUP_HEADER "\n", f);
		put_row(f, sample);
		bad = ferror(f);
		bad |= fclose(f) != 0;
	}
	if (!bad)
		return 0;
	ret = errno ? errno : EIO;
	return err_failed(
	    err, ret, "%s/" WARMUP_FILE ": cannot be written: %s", folder,
	    ret == ELOOP ? "it is a symbolic link" : strerror(ret));
}

#define FIELDS 8

struct reader {
	const char *path;
	struct warmup *out;
	uint32_t room;
};

static int parse_blank_or_real(const char *text, double *out)
{
	*out = NAN;
	return *text ? cell_parse_real(text, out) : 0;
}

static int parse_row(const char **fields, struct warmup_row *row)
{
	uint64_t round, pass;

	if (cell_parse_integer(fields[2], UINT32_MAX, &round) ||
	    cell_parse_integer(fields[3], UINT32_MAX, &pass) ||
	    cell_parse_real(fields[4], &row->elapsed_s) ||
	    parse_blank_or_real(fields[5], &row->iops) ||
	    parse_blank_or_real(fields[6], &row->mibps) ||
	    parse_blank_or_real(fields[7], &row->hit_pct))
		return -EINVAL;
	row->round = (uint32_t)round;
	row->pass = (uint32_t)pass;
	row->variant = strdup(fields[0]);
	row->target = strdup(fields[1]);
	return row->variant && row->target ? 0 : -ENOMEM;
}

static int make_room(struct reader *r)
{
	uint32_t room = r->room ? r->room * 2 : 64;
	struct warmup_row *grown;

	if (r->out->count < r->room)
		return 0;
	grown = realloc(r->out->rows, room * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	r->out->rows = grown;
	r->room = room;
	return 0;
}

static int on_row(void *arg, size_t line, const char **fields, size_t count,
		  struct err *err)
{
	struct reader *r = arg;
	int ret = count == FIELDS ? 0 : -EINVAL;

	if (line == 1)
		return 0;
	if (r->out->count == WARMUP_ROWS_MAX)
		return err_usage(err, "%s:%zu: more than %d rows", r->path,
				 line, WARMUP_ROWS_MAX);
	if (!ret)
		ret = make_room(r);
	if (!ret) {
		struct warmup_row *row = &r->out->rows[r->out->count++];

		memset(row, 0, sizeof(*row));
		ret = parse_row(fields, row);
	}
	if (ret == -ENOMEM)
		return err_failed(err, ENOMEM, "%s: out of memory", r->path);
	return ret ? err_usage(err, "%s:%zu: not a stretch of a warm-up",
			       r->path, line)
		   : 0;
}

int warmup_read(const char *folder, struct warmup *out, struct err *err)
{
	struct runfile_folder opened;
	struct csvfile_source source = {.limit_bytes = UINT64_MAX};
	struct runfile file;
	struct reader r = {.path = file.path, .out = out};
	int ret;

	memset(out, 0, sizeof(*out));
	ret = runfile_open_folder(folder, &opened, err);
	if (ret)
		return ret;
	if (faccessat(opened.dir_fd, WARMUP_FILE, F_OK, AT_SYMLINK_NOFOLLOW)) {
		close(opened.dir_fd);
		return 0;
	}
	ret = runfile_open(&opened, WARMUP_FILE, O_RDONLY, &file, err);
	close(opened.dir_fd);
	if (ret)
		return ret;
	source.fd = file.fd;
	source.path = file.path;
	ret = csvfile_read_source(&source, on_row, &r, NULL, err);
	close(file.fd);
	return ret;
}

void warmup_fini(struct warmup *w)
{
	uint32_t i;

	for (i = 0; i < w->count; i++) {
		free(w->rows[i].variant);
		free(w->rows[i].target);
	}
	free(w->rows);
	memset(w, 0, sizeof(*w));
}

uint32_t warmup_end(const struct warmup *w, uint32_t i)
{
	const struct warmup_row *first = &w->rows[i];

	for (i++; i < w->count; i++) {
		const struct warmup_row *r = &w->rows[i];

		if (strcmp(r->variant, first->variant) ||
		    strcmp(r->target, first->target) ||
		    r->round != first->round ||
		    r->elapsed_s < w->rows[i - 1].elapsed_s)
			break;
	}
	return i;
}
