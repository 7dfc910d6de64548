/* counters: the lines of /proc as kernels write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/counters.h"

static void disk_line_gives_bytes_and_weighted_time(void **state)
{
	/* With the discard and flush fields of newer kernels, and without. */
	static const char *const lines[] = {
	    " 259       3 nvme0n1p2 100 5 2048 70 200 6 4096 80 0 90 12345 1 2 "
	    "3 4 5 6",
	    "259 3 nvme0n1p2 100 5 2048 70 200 6 4096 80 0 90 12345",
	};
	struct counters_disk d;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		memset(&d, 0, sizeof(d));
		assert_int_equal(
		    counters_parse_disk(lines[i], makedev(259, 3), &d), 0);
		assert_int_equal(d.read_bytes, 2048 * 512);
		assert_int_equal(d.write_bytes, 4096 * 512);
		assert_int_equal(d.weighted_ms, 12345);
	}
}

static void disk_line_of_another_device_is_not_taken(void **state)
{
	struct counters_disk d = {.weighted_ms = 7};
	const char *line = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11";

	(void)state;
	assert_int_equal(counters_parse_disk(line, makedev(8, 1), &d), -ENODEV);
	assert_int_equal(counters_parse_disk("garbage", makedev(8, 0), &d),
			 -EINVAL);
	assert_int_equal(
	    counters_parse_disk("8 0 sda 1 2 3", makedev(8, 0), &d), -EINVAL);
	assert_int_equal(d.weighted_ms, 7);
}

static void machine_line_counts_guests_once(void **state)
{
	/* user nice system idle iowait irq softirq steal guest guest_nice:
	 * guest is inside user already. */
	const char *line = "cpu  10 20 30 400 50 6 7 8 9 1";
	struct counters_machine m;

	(void)state;
	assert_int_equal(counters_parse_machine(line, &m), 0);
	assert_int_equal(m.busy, 10 + 20 + 30 + 6 + 7);
	assert_int_equal(m.steal, 8);
	assert_int_equal(m.total, 10 + 20 + 30 + 400 + 50 + 6 + 7 + 8);
	assert_int_equal(counters_parse_machine("cpu0 1 2", &m), -EINVAL);
}

static void this_machine_can_be_read(void **state)
{
	struct counters_machine a, b;

	(void)state;
	assert_int_equal(counters_machine(&a), 0);
	assert_int_equal(counters_machine(&b), 0);
	assert_true(b.total >= a.total && b.busy >= a.busy);
	assert_true(counters_memory_available() > 1 << 20);
	assert_true(counters_memory_available() < UINT64_MAX);
}

/* Every line of the file is found, also those beyond one read of it. */
static void every_disk_of_this_machine_is_found(void **state)
{
	struct counters_disk d;
	unsigned major_no, minor_no;
	char line[512];
	FILE *f = fopen("/proc/diskstats", "re");

	(void)state;
	if (!f) {
		print_message("skip: no /proc/diskstats\n");
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%u %u", &major_no, &minor_no),
				 2);
		assert_int_equal(counters_disk(makedev(major_no, minor_no), &d),
				 0);
	}
	fclose(f);
	assert_int_equal(counters_disk(makedev(4000, 4000), &d), -ENODEV);
}

static void thread_cpu_grows_while_it_works(void **state)
{
	struct counters_thread a, b;
	uint64_t until;

	(void)state;
	counters_thread(&a);
	until = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + 50000000;
	while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	counters_thread(&b);
	assert_in_range(b.user_ns + b.system_ns - a.user_ns - a.system_ns,
			30000000, 10000000000);
	/* Unknown, or time that goes on. */
	assert_false(b.wait_ns < a.wait_ns);
}

static void only_workers_of_the_kernel_that_ran_are_punts(void **state)
{
	static struct counters_punt before, after;

	(void)state;
	before.count = 2;
	before.thread[0].tid = 10;
	before.thread[0].switches = 5;
	before.thread[1].tid = 11;
	before.thread[1].switches = 5;
	after = before;
	assert_int_equal(counters_punted(&before, &after), 0);
	after.thread[1].switches = 6;
	assert_int_equal(counters_punted(&before, &after), 1);
	after.count = 3;
	after.thread[2].tid = 12;
	after.thread[2].switches = 0;
	assert_int_equal(counters_punted(&before, &after), 2);
	/* Gone is not punted. */
	assert_int_equal(counters_punted(&after, &(struct counters_punt){0}),
			 0);
}

static void a_process_without_io_uring_has_no_punts(void **state)
{
	static struct counters_punt p;

	(void)state;
	p.count = 99;
	assert_int_equal(counters_punt(&p), 0);
	assert_int_equal(p.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(disk_line_gives_bytes_and_weighted_time),
	    cmocka_unit_test(disk_line_of_another_device_is_not_taken),
	    cmocka_unit_test(machine_line_counts_guests_once),
	    cmocka_unit_test(this_machine_can_be_read),
	    cmocka_unit_test(every_disk_of_this_machine_is_found),
	    cmocka_unit_test(thread_cpu_grows_while_it_works),
	    cmocka_unit_test(only_workers_of_the_kernel_that_ran_are_punts),
	    cmocka_unit_test(a_process_without_io_uring_has_no_punts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
