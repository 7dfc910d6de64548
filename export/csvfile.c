#include "export/csvfile.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/text.h"

#define CHUNK_BYTES ((size_t)64 * 1024)

/* libcsv grows its buffer by this; its own 128 bytes mean many copies. */
#define FIELD_BLOCK_BYTES 4096

static const char byte_order_mark[] = "\xef\xbb\xbf";

struct reader {
	const struct csvfile_source *source;
	csvfile_row *row;
	void *arg;
	struct err *err;
	struct csv_parser parser;
	int rc;
	size_t line;	 /* of the byte under way, from 1 */
	size_t row_line; /* where the row under way begins */
	bool row_ended;	 /* by the LF that was parsed last */
	bool carriage;	 /* a CR ended the row and its LF has to follow */
	bool torn;
	bool has_nul;	 /* in the row under way */
	size_t nul_line; /* a whole row with NUL; 0 none */
	/* Fields of the row under way: texts one behind the other. */
	char *text;
	size_t text_used, text_room;
	size_t start[CSVFILE_FIELDS_MAX];
	size_t count;
	char chunk[CHUNK_BYTES]; /* of the file */
};

static void not_csv(struct reader *r, size_t line, const char *what)
{
	if (r->rc)
		return;
	r->rc = err_usage(r->err, "%s:%zu: %s: not a CSV file, or damaged",
			  r->source->path, line, what);
}

static bool has_room(struct reader *r, size_t more)
{
	size_t room = r->text_room ? r->text_room : 1024;
	char *grown;

	while (room - r->text_used < more)
		room *= 2;
	if (room == r->text_room)
		return true;
	grown = realloc(r->text, room);
	if (!grown) {
		r->rc = err_failed(r->err, ENOMEM, "%s:%zu: out of memory",
				   r->source->path, r->row_line);
		return false;
	}
	r->text = grown;
	r->text_room = room;
	return true;
}

static void count_lines(struct reader *r, const char *s, size_t length)
{
	const char *end = s + length;

	while ((s = memchr(s, '\n', (size_t)(end - s)))) {
		r->line++;
		s++;
	}
}

/* libcsv calls it at the end of each field. */
static void on_field(void *s, size_t length, void *arg)
{
	struct reader *r = arg;

	if (r->rc)
		return;
	if (r->carriage)
		not_csv(r, r->row_line, "a CR without its LF");
	else if (r->count == CSVFILE_FIELDS_MAX)
		not_csv(r, r->row_line, "more than 1024 fields");
	else if (length > CSVFILE_FIELD_BYTES_MAX)
		not_csv(r, r->row_line, "a field of more than 64 KiB");
	if (r->rc || !has_room(r, length + 1))
		return;
	count_lines(r, s, length);
	r->has_nul |= memchr(s, '\0', length) != NULL;
	r->start[r->count++] = r->text_used;
	memcpy(r->text + r->text_used, s, length);
	r->text[r->text_used + length] = '\0';
	r->text_used += length + 1;
}

static void deliver(struct reader *r)
{
	const char *fields[CSVFILE_FIELDS_MAX];
	size_t i;

	if (r->has_nul) {
		r->nul_line = r->row_line;
		return;
	}
	for (i = 0; i < r->count; i++)
		fields[i] = r->text + r->start[i];
	if (r->count)
		r->rc = r->row(r->arg, r->row_line, fields, r->count, r->err);
}

/* libcsv calls it with the character that ended the row, -1 at the end of
 * the file. */
static void on_row(int c, void *arg)
{
	struct reader *r = arg;

	if (r->rc)
		return;
	if (c == '\r') {
		if (r->carriage)
			not_csv(r, r->row_line, "a CR without its LF");
		r->carriage = true;
		return;
	}
	if (c != '\n') {
		r->torn = true;
		return;
	}
	deliver(r);
	r->row_ended = true;
	r->row_line = ++r->line;
	r->carriage = false;
	r->has_nul = false;
	r->count = 0;
	r->text_used = 0;
}

/* White space belongs to a field: libcsv would trim it. */
static int never_space(unsigned char c)
{
	(void)c;
	return 0;
}

/* At most one line, so that its end is known when a row ends in it. */
static int parse_piece(struct reader *r, const char *piece, size_t length)
{
	if (r->nul_line)
		not_csv(r, r->nul_line, "a NUL byte");
	if (r->rc)
		return r->rc;
	r->row_ended = false;
	if (csv_parse(&r->parser, piece, length, on_field, on_row, r) !=
	    length) {
		if (csv_error(&r->parser) == CSV_EPARSE)
			not_csv(r, r->row_line, "a quote in the wrong place");
		else if (!r->rc)
			r->rc =
			    err_failed(r->err, ENOMEM, "%s:%zu: out of memory",
				       r->source->path, r->row_line);
	}
	if (csv_get_buffer_size(&r->parser) >
	    CSVFILE_FIELD_BYTES_MAX + CHUNK_BYTES + FIELD_BLOCK_BYTES)
		not_csv(r, r->row_line, "a field of more than 64 KiB");
	return r->rc;
}

static int parse_chunk(struct reader *r, const char *chunk, size_t length,
		       uint64_t offset, struct csvfile_end *end)
{
	size_t at = 0;

	if (!offset && length >= 3 && !memcmp(chunk, byte_order_mark, 3))
		at = 3;
	while (at < length) {
		const char *lf = memchr(chunk + at, '\n', length - at);
		size_t piece =
		    lf ? (size_t)(lf + 1 - (chunk + at)) : length - at;
		int rc = parse_piece(r, chunk + at, piece);

		if (rc)
			return rc;
		at += piece;
		if (r->row_ended && !r->nul_line)
			end->whole_bytes = offset + at;
	}
	return 0;
}

/* As many bytes as there are up to size; short only at the end of the file. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, buf + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int read_chunks(struct reader *r, struct csvfile_end *end)
{
	const struct csvfile_source *source = r->source;
	char *chunk = r->chunk;
	uint64_t offset = 0;

	while (offset < source->limit_bytes) {
		uint64_t left = source->limit_bytes - offset;
		ssize_t n =
		    read_full(source->fd, chunk,
			      left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES);
		int rc;

		if (n < 0)
			return err_failed(r->err, (int)-n,
					  "%s: cannot read: %s", source->path,
					  strerror((int)-n));
		if (!n)
			break;
		rc = parse_chunk(r, chunk, (size_t)n, offset, end);
		if (rc)
			return rc;
		offset += (uint64_t)n;
	}
	csv_fini(&r->parser, NULL, on_row, r);
	if (r->carriage || r->nul_line)
		r->torn = true;
	end->torn = r->torn;
	return 0;
}

int csvfile_read_source(const struct csvfile_source *source, csvfile_row *row,
			void *arg, struct csvfile_end *end, struct err *err)
{
	struct csvfile_end own = {0};
	struct reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r || csv_init(&r->parser, CSV_STRICT | CSV_REPALL_NL)) {
		free(r);
		return err_failed(err, ENOMEM, "%s: out of memory",
				  source->path);
	}
	csv_set_space_func(&r->parser, never_space);
	csv_set_blk_size(&r->parser, FIELD_BLOCK_BYTES);
	r->source = source;
	r->row = row;
	r->arg = arg;
	r->err = err;
	r->line = r->row_line = 1;
	rc = read_chunks(r, &own);
	csv_free(&r->parser);
	free(r->text);
	free(r);
	if (!rc && end)
		*end = own;
	return rc;
}

int csvfile_read(const char *path, csvfile_row *row, void *arg, bool *torn,
		 struct err *err)
{
	struct csvfile_source source = {.path = path,
					.limit_bytes = UINT64_MAX};
	struct csvfile_end end;
	int rc;

	source.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (source.fd < 0)
		return err_failed(err, errno, "%s: cannot open: %s", path,
				  strerror(errno));
	rc = csvfile_read_source(&source, row, arg, &end, err);
	close(source.fd);
	if (!rc && torn)
		*torn = end.torn;
	return rc;
}

/* White space at the ends is quoted too: many readers trim it otherwise. */
static bool needs_quotes(const char *text)
{
	size_t length = strlen(text);

	if (!length)
		return false;
	return strpbrk(text, ",\"\r\n") || strchr(" \t", text[0]) ||
	       strchr(" \t", text[length - 1]);
}

void csvfile_put(FILE *f, bool first, const char *text)
{
	if (!first)
		putc(',', f);
	if (!needs_quotes(text)) {
		fputs(text, f);
		return;
	}
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	putc('"', f);
}

static void put_printable(FILE *f, const char *text)
{
	while (*text) {
		size_t length = text_sequence(text);

		if (*text == '"')
			putc('"', f);
		if (length)
			fwrite(text, 1, length, f);
		else
			putc('?', f);
		text += length ? length : 1;
	}
}

static void put_clean(FILE *f, bool first, const char *prefix, const char *text)
{
	const char *quote = needs_quotes(text) ? "\"" : "";

	fprintf(f, "%s%s%s", first ? "" : ",", quote, prefix);
	put_printable(f, text);
	fputs(quote, f);
}

void csvfile_put_clean(FILE *f, bool first, const char *text)
{
	put_clean(f, first, "", text);
}

void csvfile_put_safe(FILE *f, bool first, const char *text)
{
	bool formula = text[0] && strchr("=+-@\t\r", text[0]);

	put_clean(f, first, formula ? "'" : "", text);
}
