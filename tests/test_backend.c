/* The contract of backend.h, on a real file, for every backend and every rung
 * of io_uring's ladder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/backend.h"

#define BLOCK 4096u
#define FILE_BLOCKS 256u
#define DEPTH_MAX 64u

/* A backend with its options; io_uring from each rung downwards. */
static const struct kind {
	const char *name;
	const struct backend_ops *ops;
	struct backend_opts opts;
	bool one_deep;
} kinds[] = {
    {"io_uring", &backend_uring, {0}, false},
    {"io_uring, second rung", &backend_uring, {.first_rung = 1}, false},
    {"io_uring, last rung", &backend_uring, {.first_rung = 2}, false},
    {"io_uring, busy wait", &backend_uring, {.busy_wait = true}, false},
    {"io_uring, busy wait, second rung",
     &backend_uring,
     {.busy_wait = true, .first_rung = 1},
     false},
    {"io_uring, busy wait, last rung",
     &backend_uring,
     {.busy_wait = true, .first_rung = 2},
     false},
    {"libaio", &backend_aio, {0}, false},
    {"libaio, busy wait", &backend_aio, {.busy_wait = true}, false},
    {"sync", &backend_sync, {0}, true},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct rig {
	int fd;
	char path[64];
	char *memory[DIR_COUNT];
	struct io_slot slots[DEPTH_MAX];
	struct io_done done[DEPTH_MAX];
	struct backend *backend;
	struct backend_job job;
};

static bool is_there(const struct kind *k)
{
	return (k->ops != &backend_uring || backend_uring_probe() >= 0) &&
	       (k->ops != &backend_aio || backend_aio_probe() >= 0);
}

/* Block i of the file holds i in every word. */
static void fill_file(int fd)
{
	uint64_t words[BLOCK / sizeof(uint64_t)];
	uint32_t i, w;

	for (i = 0; i < FILE_BLOCKS; i++) {
		for (w = 0; w < BLOCK / sizeof(uint64_t); w++)
			words[w] = i;
		assert_int_equal(pwrite(fd, words, BLOCK, (off_t)i * BLOCK),
				 BLOCK);
	}
}

static int set_up(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	int d;

	assert_non_null(r);
	snprintf(r->path, sizeof(r->path), "/tmp/test_backend.XXXXXX");
	r->fd = mkstemp(r->path);
	assert_true(r->fd >= 0);
	fill_file(r->fd);
	for (d = 0; d < DIR_COUNT; d++) {
		r->memory[d] = aligned_alloc(BLOCK, (size_t)DEPTH_MAX * BLOCK);
		assert_non_null(r->memory[d]);
		memset(r->memory[d], 0xee, (size_t)DEPTH_MAX * BLOCK);
	}
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *r = *state;

	close(r->fd);
	unlink(r->path);
	free(r->memory[DIR_READ]);
	free(r->memory[DIR_WRITE]);
	free(r);
	return 0;
}

static void make(struct rig *r, const struct kind *k)
{
	assert_int_equal(k->ops->create(&k->opts, &r->backend, NULL), 0);
}

static int prepare(struct rig *r, uint32_t depth, struct err *err)
{
	r->job = (struct backend_job){
	    .fd = r->fd,
	    .block_size_bytes = BLOCK,
	    .depth = depth,
	    .slots = r->slots,
	    .buffer = {r->memory[DIR_READ], r->memory[DIR_WRITE]},
	    .stride_bytes = BLOCK,
	};
	return r->backend->ops->prepare(r->backend, &r->job, err);
}

static void open_at(struct rig *r, const struct kind *k, uint32_t depth)
{
	make(r, k);
	assert_int_equal(prepare(r, depth, NULL), 0);
}

static void close_it(struct rig *r)
{
	r->backend->ops->finish(r->backend);
	r->backend->ops->destroy(r->backend);
	r->backend = NULL;
}

/* Submit slots 0 to n - 1, which have been aimed. */
static int submit(struct rig *r, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		r->done[i].slot = i;
	return r->backend->ops->submit(r->backend, r->done, n, true);
}

/* Reap n completions, at most max at once; results by slot. */
static void reap_all(struct rig *r, uint32_t n, uint32_t max, int32_t *res)
{
	const struct backend_ops *ops = r->backend->ops;
	uint32_t got = 0, i;

	for (i = 0; i < n; i++)
		res[i] = INT32_MIN;
	while (got < n) {
		int k = ops->reap(r->backend, r->done, max);

		assert_in_range(k, 0, max);
		for (i = 0; i < (uint32_t)k; i++) {
			assert_true(r->done[i].slot < n);
			assert_int_equal(res[r->done[i].slot], INT32_MIN);
			res[r->done[i].slot] = r->done[i].res;
		}
		got += (uint32_t)k;
		if (got < n)
			assert_int_equal(ops->submit(r->backend, NULL, 0, true),
					 0);
	}
}

static void aim(struct rig *r, uint32_t slot, uint32_t dir, uint64_t block)
{
	r->slots[slot].dir = dir;
	r->slots[slot].offset = block * BLOCK;
}

static uint64_t word(const struct rig *r, int dir, uint32_t slot, uint32_t at)
{
	uint64_t w;

	memcpy(&w, r->memory[dir] + slot * BLOCK + at, sizeof(w));
	return w;
}

static uint64_t word_of_file(const struct rig *r, uint64_t block)
{
	uint64_t w = 0;

	assert_int_equal(
	    pread(r->fd, &w, sizeof(w), (off_t)(block * BLOCK + 8)), sizeof(w));
	return w;
}

typedef void kind_check(struct rig *r, const struct kind *k);

static void for_each_kind(struct rig *r, kind_check *check)
{
	size_t i;

	for (i = 0; i < KINDS; i++) {
		if (!is_there(&kinds[i])) {
			print_message("skip: no %s here\n", kinds[i].name);
			continue;
		}
		check(r, &kinds[i]);
	}
}

static void check_reads(struct rig *r, const struct kind *k)
{
	uint32_t depth = k->one_deep ? 1 : 16, i, round;
	int32_t res[DEPTH_MAX];

	open_at(r, k, depth);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < depth; i++)
			aim(r, i, DIR_READ,
			    (round * 37 + i * 11) % FILE_BLOCKS);
		assert_int_equal(submit(r, depth), 0);
		reap_all(r, depth, depth, res);
		for (i = 0; i < depth; i++) {
			uint64_t block = (round * 37 + i * 11) % FILE_BLOCKS;

			assert_int_equal(res[i], BLOCK);
			assert_int_equal(word(r, DIR_READ, i, 0), block);
			assert_int_equal(word(r, DIR_READ, i, BLOCK - 8),
					 block);
		}
	}
	close_it(r);
}

static void reads_bring_the_blocks_asked_for(void **state)
{
	for_each_kind(*state, check_reads);
}

static void check_mix(struct rig *r, const struct kind *k)
{
	uint32_t depth = k->one_deep ? 1 : 8, i, round;
	int32_t res[DEPTH_MAX];

	fill_file(r->fd);
	open_at(r, k, depth);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < depth; i++) {
			uint64_t mark = 1000 + round * 10 + i;

			memcpy(r->memory[DIR_WRITE] + i * BLOCK + 8, &mark, 8);
			/* Each slot reads and writes in turn. */
			aim(r, i, (i + round) % 2, 100 + i);
		}
		assert_int_equal(submit(r, depth), 0);
		reap_all(r, depth, depth, res);
		for (i = 0; i < depth; i++) {
			assert_int_equal(res[i], BLOCK);
			assert_int_equal(word_of_file(r, 100 + i),
					 (i + round) % 2 == DIR_WRITE
					     ? 1000 + round * 10 + i
					     : word(r, DIR_READ, i, 8));
		}
	}
	close_it(r);
}

static void a_slot_reads_and_writes_in_turn(void **state)
{
	for_each_kind(*state, check_mix);
}

static void check_max(struct rig *r, const struct kind *k)
{
	int32_t res[DEPTH_MAX];
	uint32_t i;

	if (k->one_deep)
		return;
	open_at(r, k, 32);
	for (i = 0; i < 32; i++)
		aim(r, i, DIR_READ, i);
	assert_int_equal(submit(r, 32), 0);
	reap_all(r, 32, 3, res);
	for (i = 0; i < 32; i++)
		assert_int_equal(res[i], BLOCK);
	close_it(r);
}

static void reap_gives_no_more_than_it_is_asked_for(void **state)
{
	for_each_kind(*state, check_max);
}

static void check_short(struct rig *r, const struct kind *k)
{
	int32_t res[1];

	open_at(r, k, 1);
	aim(r, 0, DIR_READ, FILE_BLOCKS);
	assert_int_equal(submit(r, 1), 0);
	reap_all(r, 1, 1, res);
	assert_int_equal(res[0], 0);
	close_it(r);
}

static void a_read_behind_the_end_comes_back_short(void **state)
{
	for_each_kind(*state, check_short);
}

/* A descriptor that does not take writes: an error of the I/O, or of the
 * submit call (libaio), but no silence. */
static void check_refused(struct rig *r, const struct kind *k)
{
	int32_t res[1] = {0};
	int ret, keep = r->fd;

	r->fd = open(r->path, O_RDONLY);
	assert_true(r->fd >= 0);
	open_at(r, k, 1);
	aim(r, 0, DIR_WRITE, 0);
	ret = submit(r, 1);
	if (ret == 0)
		reap_all(r, 1, 1, res);
	else
		res[0] = ret;
	assert_int_equal(res[0], -EBADF);
	/* And the next one is fine. */
	aim(r, 0, DIR_READ, 5);
	assert_int_equal(submit(r, 1), 0);
	reap_all(r, 1, 1, res);
	assert_int_equal(res[0], BLOCK);
	close_it(r);
	close(r->fd);
	r->fd = keep;
}

static void a_refused_io_tells_its_errno(void **state)
{
	for_each_kind(*state, check_refused);
}

static void check_regrow(struct rig *r, const struct kind *k)
{
	static const uint32_t depths[] = {1, 8, 2, 64, 64, 3, 33};
	int32_t res[DEPTH_MAX];
	uint32_t i;
	size_t n;

	make(r, k);
	for (n = 0; n < sizeof(depths) / sizeof(depths[0]); n++) {
		uint32_t depth = k->one_deep ? 1 : depths[n];

		assert_int_equal(prepare(r, depth, NULL), 0);
		for (i = 0; i < depth; i++)
			aim(r, i, DIR_READ, 200 - i);
		assert_int_equal(submit(r, depth), 0);
		reap_all(r, depth, depth, res);
		for (i = 0; i < depth; i++)
			assert_int_equal(word(r, DIR_READ, i, 0), 200 - i);
		r->backend->ops->finish(r->backend);
	}
	close_it(r);
}

static void a_backend_serves_visits_of_any_depth_in_turn(void **state)
{
	for_each_kind(*state, check_regrow);
}

/* After finish the descriptor's number may mean another file. */
static void check_other_file(struct rig *r, const struct kind *k)
{
	char path[] = "/tmp/test_backend.XXXXXX";
	uint64_t mark = 4711;
	int32_t res[1];
	int keep = dup(r->fd), other, number;

	open_at(r, k, 1);
	r->backend->ops->finish(r->backend);
	other = mkstemp(path);
	assert_int_equal(ftruncate(other, BLOCK), 0);
	assert_int_equal(pwrite(other, &mark, 8, 0), 8);
	number = dup2(other, r->fd);
	assert_int_equal(number, r->fd);
	assert_int_equal(prepare(r, 1, NULL), 0);
	aim(r, 0, DIR_READ, 0);
	assert_int_equal(submit(r, 1), 0);
	reap_all(r, 1, 1, res);
	assert_int_equal(word(r, DIR_READ, 0, 0), 4711);
	close_it(r);
	dup2(keep, r->fd);
	close(keep);
	close(other);
	unlink(path);
}

static void a_reused_descriptor_number_reaches_the_new_file(void **state)
{
	for_each_kind(*state, check_other_file);
}

/* A read of an empty pipe: waits end without a completion, until there is
 * something to read. */
static void io_uring_wakes_up_although_nothing_completes(void **state)
{
	struct rig *r = *state;
	int ends[2], keep = r->fd, n = 0, i;
	int32_t res[1];

	if (!is_there(&kinds[0])) {
		print_message("skip: no io_uring here\n");
		skip();
	}
	assert_int_equal(pipe(ends), 0);
	r->fd = ends[0];
	open_at(r, &kinds[0], 1);
	aim(r, 0, DIR_READ, 0);
	assert_int_equal(submit(r, 1), 0);
	for (i = 0; i < 3; i++) {
		n += r->backend->ops->reap(r->backend, r->done, 1);
		assert_int_equal(
		    r->backend->ops->submit(r->backend, NULL, 0, true), 0);
	}
	assert_int_equal(n, 0);
	assert_int_equal(write(ends[1], r->memory[DIR_WRITE], BLOCK), BLOCK);
	reap_all(r, 1, 1, res);
	assert_int_equal(res[0], BLOCK);
	close_it(r);
	r->fd = keep;
	close(ends[0]);
	close(ends[1]);
}

static void describe(struct rig *r, char *text, size_t size)
{
	r->backend->ops->describe(r->backend, text, size);
}

static void io_uring_says_what_is_active(void **state)
{
	struct rig *r = *state;
	char text[BACKEND_NOTE_MAX];

	if (!is_there(&kinds[0])) {
		print_message("skip: no io_uring here\n");
		skip();
	}
	open_at(r, &kinds[2], 4);
	describe(r, text, sizeof(text));
	assert_non_null(strstr(text, "no ring flags"));
	assert_null(strstr(text, "ulimit"));
	close_it(r);
}

static void io_uring_refuses_more_than_its_ring_holds(void **state)
{
	struct rig *r = *state;
	struct err err = {0};

	make(r, &kinds[0]);
	assert_true(prepare(r, 20000, &err) < 0);
	assert_non_null(strstr(err.text, "16383"));
	assert_non_null(strstr(err.text, "more threads"));
	r->backend->ops->destroy(r->backend);
}

static void libaio_names_the_limit_that_it_meets(void **state)
{
	struct rig *r = *state;
	struct err err = {0};
	unsigned limit = 0;
	FILE *f = fopen("/proc/sys/fs/aio-max-nr", "re");

	if (!is_there(&kinds[6]) || !f || fscanf(f, "%u", &limit) != 1 ||
	    limit > 10000000) {
		print_message("skip: no libaio here, or no limit\n");
		skip();
	}
	fclose(f);
	make(r, &kinds[6]);
	assert_int_equal(prepare(r, limit + 1, &err), -EAGAIN);
	assert_non_null(strstr(err.text, "fs.aio-max-nr"));
	/* A smaller visit is served all the same. */
	assert_int_equal(prepare(r, 4, NULL), 0);
	close_it(r);
}

static void polled_completions_need_io_uring(void **state)
{
	struct backend_opts opts = {.poll = true};
	struct backend *b = NULL;
	struct err err = {0};

	(void)state;
	assert_true(backend_aio.create(&opts, &b, &err) < 0);
	assert_non_null(strstr(err.text, "--engine io_uring"));
	err_clear(&err);
	assert_true(backend_sync.create(&opts, &b, &err) < 0);
	assert_non_null(strstr(err.text, "--engine io_uring"));
	assert_null(b);
}

/* Exit status of a child that is nobody and may lock only 64 KiB. */
static int run_without_memlock(struct rig *r)
{
	struct rlimit limit = {65536, 65536};
	char text[BACKEND_NOTE_MAX];
	int32_t res[DEPTH_MAX];
	uint32_t i;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
	    setresgid(65534, 65534, 65534) < 0 ||
	    setresuid(65534, 65534, 65534) < 0)
		return 2;
	if (backend_uring.create(&kinds[0].opts, &r->backend, NULL) < 0 ||
	    prepare(r, DEPTH_MAX, NULL) < 0)
		return 3;
	describe(r, text, sizeof(text));
	if (!strstr(text, "ulimit -l"))
		return 4;
	for (i = 0; i < DEPTH_MAX; i++)
		aim(r, i, DIR_READ, i);
	if (submit(r, DEPTH_MAX) < 0)
		return 5;
	reap_all(r, DEPTH_MAX, DEPTH_MAX, res);
	for (i = 0; i < DEPTH_MAX; i++)
		if (res[i] != BLOCK || word(r, DIR_READ, i, 0) != i)
			return 6;
	close_it(r);
	return 0;
}

static void io_uring_works_without_locked_memory_and_says_so(void **state)
{
	int status;
	pid_t pid;

	if (!is_there(&kinds[0]) || geteuid() != 0) {
		print_message("skip: needs io_uring and root\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(run_without_memlock(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void kinds_have_their_tables(void **state)
{
	(void)state;
	assert_ptr_equal(backend_by_kind(ENGINE_IO_URING), &backend_uring);
	assert_ptr_equal(backend_by_kind(ENGINE_LIBAIO), &backend_aio);
	assert_ptr_equal(backend_by_kind(ENGINE_SYNC), &backend_sync);
	assert_ptr_equal(backend_by_kind(ENGINE_NULL), &backend_null);
	assert_null(backend_by_kind(ENGINE_AUTO));
	assert_null(backend_by_kind(ENGINE_SIM));
}

static void default_batches_are_capped_for_io_uring_only(void **state)
{
	static const struct {
		uint32_t depth, uring;
	} cases[] = {{1, 1}, {3, 1}, {4, 1}, {8, 2}, {32, 8}, {1024, 8}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(backend_uring.default_batch(cases[i].depth),
				 cases[i].uring);
		assert_int_equal(backend_aio.default_batch(cases[i].depth),
				 cases[i].depth);
		assert_int_equal(backend_sync.default_batch(cases[i].depth), 1);
	}
}

#define WITH_RIG(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(reads_bring_the_blocks_asked_for),
	    WITH_RIG(a_slot_reads_and_writes_in_turn),
	    WITH_RIG(reap_gives_no_more_than_it_is_asked_for),
	    WITH_RIG(a_read_behind_the_end_comes_back_short),
	    WITH_RIG(a_refused_io_tells_its_errno),
	    WITH_RIG(a_backend_serves_visits_of_any_depth_in_turn),
	    WITH_RIG(a_reused_descriptor_number_reaches_the_new_file),
	    WITH_RIG(io_uring_wakes_up_although_nothing_completes),
	    WITH_RIG(io_uring_says_what_is_active),
	    WITH_RIG(io_uring_refuses_more_than_its_ring_holds),
	    WITH_RIG(io_uring_works_without_locked_memory_and_says_so),
	    WITH_RIG(libaio_names_the_limit_that_it_meets),
	    cmocka_unit_test(polled_completions_need_io_uring),
	    cmocka_unit_test(kinds_have_their_tables),
	    cmocka_unit_test(default_batches_are_capped_for_io_uring_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
