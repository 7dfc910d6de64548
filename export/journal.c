#include "export/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int journal_init(struct journal *j, const char *name)
{
	memset(j, 0, sizeof(*j));
	j->name = name;
	j->fd = -1;
	j->rows = open_memstream(&j->text, &j->length);
	return j->rows ? 0 : -ENOMEM;
}

void journal_begin(struct journal *j)
{
	rewind(j->rows);
}

int journal_end(struct journal *j)
{
	return fflush(j->rows) || ferror(j->rows) ? -ENOMEM : 0;
}

/* All of it: one write(2) unless the system takes less. */
static int write_at(int fd, const char *data, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t n = pwrite(fd, data, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		length -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int journal_write(struct journal *j)
{
	int rc;

	if (!j->length)
		return 0;
	rc = write_at(j->fd, j->text, j->length, j->committed);
	if (!rc && fdatasync(j->fd))
		rc = -errno;
	return rc;
}

bool journal_is_removed(const struct journal *j)
{
	struct stat st;

	return !fstat(j->fd, &st) && !st.st_nlink;
}

void journal_commit(struct journal *j)
{
	j->committed += j->length;
	j->length = 0;
}

int journal_cut(struct journal *j)
{
	if (ftruncate(j->fd, (off_t)j->committed) || fdatasync(j->fd))
		return -errno;
	return 0;
}

int journal_create(struct journal *j, int dir_fd)
{
	int rc;

	j->fd = openat(dir_fd, j->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		       0666);
	if (j->fd < 0)
		return -errno;
	rc = journal_end(j);
	if (!rc)
		rc = journal_write(j);
	if (!rc)
		journal_commit(j);
	return rc;
}

int journal_fini(struct journal *j)
{
	int rc = 0;

	if (j->fd >= 0 && close(j->fd))
		rc = -errno;
	if (j->rows)
		fclose(j->rows);
	free(j->text);
	j->fd = -1;
	j->rows = NULL;
	j->text = NULL;
	return rc;
}
