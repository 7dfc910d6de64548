#include "export/xlsx.h"

#include <errno.h>
#include <string.h>
#include <zip.h>

#define EDGE 512

/* First and last bytes of a part. */
struct edges {
	char head[EDGE + 1];
	char tail[EDGE + 1];
	size_t head_len, tail_len;
};

static void keep(struct edges *e, const char *bytes, size_t count)
{
	size_t n = EDGE - e->head_len < count ? EDGE - e->head_len : count;

	memcpy(e->head + e->head_len, bytes, n);
	e->head_len += n;
	if (count > EDGE) {
		bytes += count - EDGE;
		count = EDGE;
	}
	n = EDGE - count < e->tail_len ? EDGE - count : e->tail_len;
	memmove(e->tail, e->tail + e->tail_len - n, n);
	memcpy(e->tail + n, bytes, count);
	e->tail_len = n + count;
}

/* "<worksheet xmlns..." at the beginning asks for "</worksheet>" or, where
 * nothing is inside, "/>" at the end. */
static bool ends_as_begun(struct edges *e)
{
	const char *root;
	size_t len;

	e->head[e->head_len] = '\0';
	while (e->tail_len && strchr("\r\n ", e->tail[e->tail_len - 1]))
		e->tail_len--;
	root = strstr(e->head, "?>");
	root = root ? strchr(root, '<') : NULL;
	if (!root)
		return false;
	len = strcspn(++root, " >/");
	if (e->tail_len < len + 3)
		return false;
	e->tail[e->tail_len] = '\0';
	if (strncmp(e->tail + e->tail_len - len - 1, root, len) == 0)
		return e->tail[e->tail_len - 1] == '>';
	return strncmp(e->tail + e->tail_len - 2, "/>", 2) == 0 &&
	       !strstr(e->tail, "</");
}

/* All but a logo, which was looked at when it was read. */
static bool is_xml(zip_t *package, zip_uint64_t index)
{
	const char *name = zip_get_name(package, index, 0);
	const char *dot = name ? strrchr(name, '.') : NULL;

	return !dot || strcmp(dot, ".png") != 0;
}

/* Read a part to its end, which checks its checksum. */
static bool is_whole(zip_t *package, zip_uint64_t index)
{
	zip_file_t *part = zip_fopen_index(package, index, 0);
	struct edges edges = {.head_len = 0};
	char buf[16384];
	zip_int64_t n = -1;

	if (!part)
		return false;
	while ((n = zip_fread(part, buf, sizeof(buf))) > 0)
		keep(&edges, buf, (size_t)n);
	zip_fclose(part);
	return n == 0 && (!is_xml(package, index) || ends_as_begun(&edges));
}

int xlsx_verify(const char *path, struct err *err)
{
	zip_t *package = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	zip_int64_t count = package ? zip_get_num_entries(package, 0) : 0;
	zip_int64_t i;

	for (i = 0; i < count; i++)
		if (!is_whole(package, (zip_uint64_t)i))
			break;
	if (package)
		zip_discard(package);
	if (count && i == count)
		return 0;
	return err_failed(err, EIO,
			  "the workbook did not come out whole; is there room "
			  "in its folder?");
}
