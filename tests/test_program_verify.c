/* iosweep as a whole: --verify, on storage that keeps what it is given and on
 * storage that does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/readback.h"
#include "tests/csvtable.h"
#include "tests/program.h"

#define SHORT " --time 120ms --ramp 10ms --rounds 1 --cache buffered "
#define FILE_BYTES (4 << 20)

static char *folder;

static int prepare(void **state)
{
	(void)state;
	folder = program_folder();
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	program_folder_remove(folder);
	return 0;
}

/* A file of which a few blocks were written, and its log. */
#define BLOCK 4096
#define BLOCKS 8
#define MARK 77

struct written {
	int fd;
	struct verify_log log;
	char buffer[BLOCK];
	struct visit visit;
};

static void put_block(struct written *w, uint64_t at, uint64_t offset,
		      uint64_t stamp)
{
	memset(w->buffer, 0x33, sizeof(w->buffer));
	verify_stamp(w->buffer, BLOCK, MARK, offset, stamp);
	assert_int_equal(pwrite(w->fd, w->buffer, BLOCK, (off_t)at), BLOCK);
}

static void write_blocks(struct written *w)
{
	char *path = program_path(folder, "blocks");
	uint64_t i;

	*w = (struct written){
	    .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
	free(path);
	assert_true(w->fd >= 0);
	assert_int_equal(verify_log_init(&w->log, BLOCKS), 0);
	visit_init(&w->visit);
	w->visit.state = VISIT_DONE;
	for (i = 0; i < BLOCKS; i++) {
		verify_log_begin(&w->log, i * BLOCK, 100 + i);
		put_block(w, i * BLOCK, i * BLOCK, 100 + i);
		verify_log_end(&w->log, i * BLOCK, 100 + i, true);
	}
}

static void read_back(struct written *w)
{
	const struct readback r = {.fd = w->fd,
				   .block_size_bytes = BLOCK,
				   .mark = MARK,
				   .logs = &w->log,
				   .log_count = 1,
				   .buffer = w->buffer,
				   .limit_ns = 10000000000u};
	struct err err = {0};

	if (readback_visit(&r, &w->visit, &err))
		fail_msg("%s", err.text);
	close(w->fd);
	verify_log_fini(&w->log);
}

static void good_blocks_are_counted(void **state)
{
	struct written w;

	(void)state;
	write_blocks(&w);
	read_back(&w);
	assert_int_equal(w.visit.state, VISIT_DONE);
	assert_true(w.visit.verified_blocks == BLOCKS);
	assert_true(w.visit.corrupt_blocks == 0);
}

static void each_kind_of_corruption_is_named_with_its_place(void **state)
{
	struct written w;

	(void)state;
	write_blocks(&w);
	/* One byte; one block elsewhere; one older than the last write; one
	 * half old. */
	assert_int_equal(pwrite(w.fd, "x", 1, BLOCK + 999), 1);
	put_block(&w, 2 * BLOCK, 3 * BLOCK, 103);
	put_block(&w, 4 * BLOCK, 4 * BLOCK, 50);
	put_block(&w, 5 * BLOCK, 5 * BLOCK, 50);
	put_block(&w, 7 * BLOCK, 5 * BLOCK, 105);
	assert_int_equal(pwrite(w.fd, w.buffer, 512, 5 * BLOCK), 512);
	put_block(&w, 7 * BLOCK, 7 * BLOCK, 107);
	read_back(&w);
	assert_int_equal(w.visit.state, VISIT_FAILED);
	assert_true(w.visit.verified_blocks == BLOCKS);
	assert_true(w.visit.corrupt_blocks == 4);
	program_assert_contains(w.visit.reason, "the block of 4K at byte ");
	program_assert_contains(
	    w.visit.reason,
	    "of 8 blocks read back 1 flipped 1 stale 1 misplaced 1 torn");
}

static void storage_that_keeps_its_data_passes(void **state)
{
	static const char *const engines[] = {"io_uring", "libaio", "sync"};
	struct csvtable table;
	struct program_result r;
	char *out;
	size_t i;

	(void)state;
	/* So small that writes to one block overlap all the time. */
	for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		r = program_run(folder,
				"rm -rf out; iosweep run f --size 256K -b 4K "
				"-o 32 -t 2 -p rand -r 0,50 --verify --engine "
				"%s --out out" SHORT,
				engines[i]);
		if (r.status && strstr(r.err, "engine")) {
			print_message("skip: %s: %s", engines[i], r.err);
			program_free(&r);
			continue;
		}
		program_assert_status(&r, 0);
		program_assert_contains(r.err, "all as they had been written");
		program_free(&r);
		out = program_path(folder, "out");
		csvtable_read(&table, out, "visits.csv");
		free(out);
		assert_true(csvtable_number(&table, 1, "verified_blocks") > 0);
		assert_true(csvtable_number(&table, 1, "corrupt_blocks") == 0);
		csvtable_free(&table);
	}
}

/* Flips bytes of the file while it is measured. */
struct vandal {
	int fd;
	atomic_bool end;
};

static void *vandalise(void *arg)
{
	struct vandal *v = arg;
	unsigned at = 1;

	while (!atomic_load(&v->end)) {
		at = at * 1664525u + 1013904223u;
		if (pwrite(v->fd, "!", 1, at % FILE_BYTES) != 1)
			break;
	}
	return NULL;
}

static void storage_that_flips_bytes_ends_the_sweep(void **state)
{
	char *path = program_path(folder, "f");
	struct vandal v = {.fd = -1};
	struct program_result r;
	pthread_t thread;

	(void)state;
	r = program_run(folder, "iosweep run f --size 4M -b 4K -o 1 -p seq "
				"--quiet" SHORT);
	program_assert_status(&r, 0);
	program_free(&r);
	v.fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(v.fd >= 0);
	assert_int_equal(pthread_create(&thread, NULL, vandalise, &v), 0);
	r = program_run(folder,
			"iosweep run f -b 64K -o 1,2,4 -p seq -r 0 --verify "
			"--out out" SHORT);
	atomic_store(&v.end, true);
	pthread_join(thread, NULL);
	close(v.fd);
	free(path);
	program_assert_status(&r, 1);
	program_assert_contains(r.err, "was read back flipped");
	program_assert_contains(r.err, "do not trust this storage with data");
	program_free(&r);
	/* What was measured until then is kept: the first visit only. */
	assert_int_equal(program_count_lines(folder, "out/visits.csv"), 2);
}

/* What was written is remembered in a bounded table, whatever the size. */
static void sixteen_tib_take_no_more_memory(void **state)
{
	const char *named = getenv("IOSWEEP");
	char *path = realpath(named ? named : "build/release/iosweep", NULL);
	struct program_result r;
	long kib;

	(void)state;
	assert_non_null(path);
	r = program_run(
	    folder,
	    "truncate -s 15T f || exit 77; python3 -c 'import resource, "
	    "subprocess, sys; s = subprocess.call(sys.argv[1:], "
	    "stdout=sys.stderr); print(resource.getrusage(resource."
	    "RUSAGE_CHILDREN).ru_maxrss); sys.exit(s)' '%s' run f -b 4K -o 4 "
	    "-p rand -r 0 --verify --destroy-data-on f --out out" SHORT,
	    path);
	free(path);
	if (r.status == 77) {
		program_free(&r);
		print_message("skip: no sparse file of 15 TiB here\n");
		skip();
	}
	program_assert_status(&r, 0);
	program_assert_contains(r.err, "all as they had been written");
	kib = strtol(r.out, NULL, 10);
	print_message("%ld KiB\n", kib);
	assert_in_range(kib, 1, 512 * 1024);
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(good_blocks_are_counted, prepare,
					    clean_up),
	    cmocka_unit_test_setup_teardown(
		each_kind_of_corruption_is_named_with_its_place, prepare,
		clean_up),
	    cmocka_unit_test_setup_teardown(storage_that_keeps_its_data_passes,
					    prepare, clean_up),
	    cmocka_unit_test_setup_teardown(sixteen_tib_take_no_more_memory,
					    prepare, clean_up),
	    cmocka_unit_test_setup_teardown(
		storage_that_flips_bytes_ends_the_sweep, prepare, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
