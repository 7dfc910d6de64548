#include "tests/readers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/result.h"
#include "export/runfile.h"
#include "export/warmup.h"

/* In their order in one input. */
static const char *const names[] = {
    RUNFILE_FACTS,  RUNFILE_PLAN,    RUNFILE_VISITS, RUNFILE_LATENCY,
    RUNFILE_SERIES, RUNFILE_DEVICES, WARMUP_FILE};
#define FILES (sizeof(names) / sizeof(names[0]))

/* One for all inputs: a fuzzer makes millions. */
static struct folder {
	char path[64];
	int fd[FILES];
} folder;

static void remove_folder(void)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder.path, names[i]);
		unlink(path);
		close(folder.fd[i]);
	}
	rmdir(folder.path);
}

/* In memory where that is to be had. */
static void make_folder(void)
{
	char path[PATH_MAX];
	size_t i;

	strcpy(folder.path, "/dev/shm/iosweep-run-XXXXXX");
	if (!mkdtemp(folder.path)) {
		strcpy(folder.path, "/tmp/iosweep-run-XXXXXX");
		reader_must(mkdtemp(folder.path) != NULL);
	}
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder.path, names[i]);
		folder.fd[i] =
		    open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		reader_must(folder.fd[i] >= 0);
	}
	reader_must(!atexit(remove_folder));
}

static void fill_folder(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	size_t i;

	for (i = 0; i < FILES; i++) {
		const uint8_t *mark =
		    memchr(data, READER_MARK, (size_t)(end - data));
		const uint8_t *stop = mark ? mark : end;
		size_t length = (size_t)(stop - data);

		reader_must(!ftruncate(folder.fd[i], 0) &&
			    pwrite(folder.fd[i], data, length, 0) ==
				(ssize_t)length);
		data = mark ? mark + 1 : end;
	}
}

static void load(void)
{
	struct err err = {0};
	struct run run;

	if (!run_load(folder.path, &run, &err))
		run_fini(&run);
	else
		reader_must_say(&err);
}

static void load_warmup(void)
{
	struct warmup warmup;
	struct err err = {0};

	if (warmup_read(folder.path, &warmup, &err))
		reader_must_say(&err);
	else
		reader_must(warmup.count <= WARMUP_ROWS_MAX);
	warmup_fini(&warmup);
}

void reader_feed_run(const uint8_t *data, size_t size)
{
	static const uint8_t none;

	if (!folder.path[0])
		make_folder();
	fill_folder(size ? data : &none, size);
	load();
	load_warmup();
}

void reader_must(bool holds)
{
	if (!holds)
		abort();
}

void reader_must_say(const struct err *err)
{
	reader_must(err->text[0] && !strchr(err->text, '\n') &&
		    !strchr(err->text, '\033'));
}
