#include "export/columns.h"

#include <string.h>

#include "export/column_access.h"

#define PLAN COLUMN_IN_PLAN
#define VISITS COLUMN_IN_VISITS
#define POINTS COLUMN_IN_POINTS
#define SHEET COLUMN_IN_SHEET
#define PAIRS COLUMN_IN_PAIRS
#define REQUIRED COLUMN_REQUIRED

/* Read back from its file, or derived from other columns. */
#define STORED(name) column_get_##name, column_set_##name
#define DERIVED(name) column_get_##name, NULL

#define REAL(name_, title_, unit_, help_, where_, format_)                     \
	{                                                                      \
		.name = #name_, .title = title_, .unit = unit_, .help = help_, \
		.type = COLUMN_REAL, .where = where_, .sheet_scale = 1,        \
		.sheet_format = format_, .get = column_get_##name_             \
	}

/* A value and the ends of its 95% interval. */
#define INTERVAL(name, title, unit, help, where, ends_where, format)           \
	REAL(name, title, unit, help, where, format),                          \
	    REAL(name##_low, title " low", unit,                               \
		 "Lower end of the 95% interval of " #name, ends_where,        \
		 format),                                                      \
	    REAL(name##_high, title " high", unit,                             \
		 "Upper end of the 95% interval of " #name, ends_where,        \
		 format)

/* What two sides have of a measure, and how many times better the other one
 * is. */
#define COMPARED(name, title, unit, words)                                     \
	REAL(base_##name, "Base " title, unit, "Of the base: " words, PAIRS,   \
	     "#,##0.0"),                                                       \
	    REAL(other_##name, "Other " title, unit,                           \
		 "Of the other side: " words, PAIRS, "#,##0.0")
#define RATIO(name, title, words)                                              \
	INTERVAL(name, title, "", words, PAIRS, PAIRS, "0.000")

/* In the order in which they are written. */
const struct column columns[] = {
    {"base_side", "Base", "", "Side that is compared with", COLUMN_TEXT, PAIRS,
     1, "General", DERIVED(base_side)},
    {"other_side", "Other", "", "Side that is compared", COLUMN_TEXT, PAIRS, 1,
     "General", DERIVED(other_side)},
    {"run", "Run", "", "Label of the run", COLUMN_TEXT, POINTS | SHEET, 1,
     "General", DERIVED(run)},
    {"visit", "Visit", "", "Number of the visit in its run, from 1",
     COLUMN_INTEGER, VISITS | REQUIRED, 1, "General", STORED(visit)},
    {"point_index", "Point", "", "Place of the point in the plan, from 0",
     COLUMN_INTEGER, PLAN | VISITS | POINTS | REQUIRED, 1, "General",
     STORED(point_index)},
    {"round", "Round", "", "Round of the plan, from 1", COLUMN_INTEGER,
     VISITS | REQUIRED, 1, "General", STORED(round)},
    {"state", "State", "", "done, failed or skipped", COLUMN_TEXT,
     VISITS | REQUIRED, 1, "General", STORED(state)},
    {"started_utc", "Started (UTC)", "",
     "When the ramp of the visit began, ISO 8601", COLUMN_TEXT, VISITS, 1,
     "General", STORED(started_utc)},
    {"target", "Target", "", "File or device, as it was given", COLUMN_TEXT,
     PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1, "General", STORED(target)},
    {"variant", "Variant", "", "Named state of the storage", COLUMN_TEXT,
     PLAN | POINTS | SHEET, 1, "General", STORED(variant)},
    {"tags", "Tags", "",
     "What the storage was, by --tag and [tags] of run.ini: raid=5, media=ssd",
     COLUMN_TEXT, POINTS | SHEET, 1, "General", DERIVED(tags)},
    {"section", "Section", "", "Name of the workload in the plan file",
     COLUMN_TEXT, PLAN | POINTS | PAIRS | SHEET, 1, "General", STORED(section)},
    {"workload", "Workload", "",
     "Pattern and read share in words, or the section", COLUMN_TEXT,
     POINTS | PAIRS | SHEET, 1, "General", DERIVED(workload)},
    {"pattern", "Pattern", "",
     "seq, rand, or mixed where random_pct is between 0 and 100", COLUMN_TEXT,
     PLAN | POINTS | PAIRS | SHEET, 1, "General", DERIVED(pattern)},
    {"read_pct", "Read (%)", "%", "Share of reads that was asked for",
     COLUMN_REAL, PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1, "General",
     STORED(read_pct)},
    {"random_pct", "Random (%)", "%",
     "Share of I/Os that jump to a random block; the others go on behind the "
     "last one",
     COLUMN_REAL, PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1, "General",
     STORED(random_pct)},
    {"distribution", "Distribution", "",
     "Where random I/Os go: uniform, zipf:THETA, or hot:A/B (B% of them to A% "
     "of the blocks); blank: none is random",
     COLUMN_TEXT, PLAN | POINTS | SHEET, 1, "General", STORED(distribution)},
    {"block_size_bytes", "Block size (KiB)", "bytes", "Size of one I/O",
     COLUMN_INTEGER, PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1.0 / 1024,
     "General", STORED(block_size_bytes)},
    {"outstanding", "Outstanding", "",
     "I/Os kept in flight in total: threads x queue depth", COLUMN_INTEGER,
     PLAN | POINTS | PAIRS | SHEET, 1, "General", DERIVED(outstanding)},
    {"threads", "Threads", "", "Threads that submit I/Os", COLUMN_INTEGER,
     PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1, "General", STORED(threads)},
    {"queue_depth", "Queue depth", "", "I/Os kept in flight by one thread",
     COLUMN_INTEGER, PLAN | POINTS | PAIRS | SHEET | REQUIRED, 1, "General",
     STORED(queue_depth)},
    {"working_set_bytes", "Working set (MiB)", "bytes",
     "Part of the target that is used; blank: all of it", COLUMN_INTEGER,
     PLAN | POINTS | PAIRS | SHEET, 1.0 / (1024 * 1024), "#,##0",
     STORED(working_set_bytes)},
    {"rate_iops", "Rate asked (IOPS)", "",
     "I/Os started a second, evenly spaced; blank: as fast as outstanding "
     "lets",
     COLUMN_INTEGER, PLAN | POINTS | SHEET, 1, "#,##0", STORED(rate_iops)},
    {"cache", "Cache mode", "", "direct, buffered, dsync or direct+dsync",
     COLUMN_TEXT, PLAN | POINTS | SHEET | REQUIRED, 1, "General",
     STORED(cache)},
    {"cache_state", "Caches", "",
     "State of the caches that was asked for before each visit: as-is, cold "
     "or warm; blank: none was, and the page cache was read into once",
     COLUMN_TEXT, PLAN | POINTS | SHEET, 1, "General", STORED(cache_state)},
    {"engine", "Engine asked", "", "Engine that was asked for", COLUMN_TEXT,
     PLAN | POINTS | SHEET | REQUIRED, 1, "General", STORED(engine)},
    {"engine_used", "Engine used", "", "Engine that did the I/O", COLUMN_TEXT,
     VISITS | POINTS | SHEET, 1, "General", STORED(engine_used)},
    {"seed", "Seed", "", "Seed of the random offsets", COLUMN_INTEGER, VISITS,
     1, "General", STORED(seed)},
    {"visits_done", "Visits done", "", "Visits that were measured",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(visits_done)},
    {"visits_failed", "Visits failed", "", "Visits that could not be measured",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(visits_failed)},
    {"visits_skipped", "Visits skipped", "", "Visits that were not tried",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(visits_skipped)},
    {"visits_aside", "Visits set aside", "",
     "Visits before the window of a steady state (--steady), measured but not "
     "in the numbers",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(visits_aside)},
    {"first_round", "First round", "", "First round that the numbers rest on",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(first_round)},
    {"last_round", "Last round", "", "Last round that the numbers rest on",
     COLUMN_INTEGER, POINTS | SHEET, 1, "#,##0", DERIVED(last_round)},
    {"ramp_ms", "Ramp (ms)", "ms", "Time before the window, discarded",
     COLUMN_REAL, VISITS, 1, "General", STORED(ramp_ms)},
    {"measured_ms", "Measured (ms)", "ms",
     "True length of the window, summed over the visits of a point",
     COLUMN_REAL, VISITS | POINTS | SHEET | REQUIRED, 1, "#,##0",
     STORED(measured_ms)},
    INTERVAL(iops, "IOPS", "", "Reads and writes a second",
	     VISITS | POINTS | SHEET, POINTS | SHEET, "#,##0"),
    INTERVAL(mibps, "MiB/s", "MiB/s",
	     "MiB (2^20 bytes) a second, read and written",
	     VISITS | POINTS | SHEET, POINTS | SHEET, "#,##0.0"),
    INTERVAL(
	lat_mean_us, "Average latency (us)", "us",
	"Mean latency, from just before the submit call to the completion seen",
	VISITS | POINTS | SHEET, POINTS | SHEET, "#,##0.0"),
    INTERVAL(lat_p50_us, "p50 latency (us)", "us",
	     "Median latency, from all visits together", POINTS | SHEET, POINTS,
	     "#,##0.0"),
    INTERVAL(
	lat_p90_us, "p90 latency (us)", "us",
	"Latency below which 90% of the I/Os are, from all visits together",
	POINTS | SHEET, POINTS, "#,##0.0"),
    INTERVAL(
	lat_p95_us, "p95 latency (us)", "us",
	"Latency below which 95% of the I/Os are, from all visits together",
	POINTS | SHEET, POINTS, "#,##0.0"),
    INTERVAL(
	lat_p99_us, "p99 latency (us)", "us",
	"Latency below which 99% of the I/Os are, from all visits together",
	POINTS | SHEET, POINTS | SHEET, "#,##0.0"),
    INTERVAL(
	lat_p999_us, "p99.9 latency (us)", "us",
	"Latency below which 99.9% of the I/Os are, from all visits together",
	POINTS | SHEET, POINTS, "#,##0.0"),
    INTERVAL(
	lat_p9999_us, "p99.99 latency (us)", "us",
	"Latency below which 99.99% of the I/Os are, from all visits together",
	POINTS | SHEET, POINTS, "#,##0.0"),
    {"service_mean_us", "Average service time (us)", "us",
     "At a rate: mean time from just before the submit call, where latency "
     "counts from the scheduled start",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "#,##0.0",
     DERIVED(service_mean_us)},
    {"service_p99_us", "p99 service time (us)", "us",
     "At a rate: service time below which 99% of the I/Os are, from all visits "
     "together",
     COLUMN_REAL, POINTS | SHEET, 1, "#,##0.0", DERIVED(service_p99_us)},
    {"mean_depth", "Mean depth", "", "At a rate: I/Os in flight on average",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "0.0", STORED(mean_depth)},
    {"lat_min_us", "Least latency (us)", "us", "Least latency of any I/O",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "#,##0.0", DERIVED(lat_min_us)},
    {"lat_max_us", "Most latency (us)", "us", "Greatest latency of any I/O",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "#,##0.0", DERIVED(lat_max_us)},
    {"lat_stddev_us", "Latency deviation (us)", "us",
     "Standard deviation of the latency of all I/Os", COLUMN_REAL,
     POINTS | SHEET, 1, "#,##0.0", DERIVED(lat_stddev_us)},
    {"best_share_pct", "Of best (%)", "%",
     "IOPS as share of the best of that block size, workload, variant and "
     "target",
     COLUMN_REAL, POINTS | SHEET, 1, "0.0", DERIVED(best_share_pct)},
    {"read_iops", "Read IOPS", "", "Reads a second", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1, "#,##0", DERIVED(read_iops)},
    {"write_iops", "Write IOPS", "", "Writes a second", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1, "#,##0", DERIVED(write_iops)},
    {"read_lat_mean_us", "Average read latency (us)", "us",
     "Mean latency of the reads", COLUMN_REAL, VISITS | POINTS | SHEET, 1,
     "#,##0.0", DERIVED(read_lat_mean_us)},
    {"write_lat_mean_us", "Average write latency (us)", "us",
     "Mean latency of the writes", COLUMN_REAL, VISITS | POINTS | SHEET, 1,
     "#,##0.0", DERIVED(write_lat_mean_us)},
    {"read_lat_p99_us", "p99 read latency (us)", "us",
     "Latency below which 99% of the reads are", COLUMN_REAL, POINTS | SHEET, 1,
     "#,##0.0", DERIVED(read_lat_p99_us)},
    {"write_lat_p99_us", "p99 write latency (us)", "us",
     "Latency below which 99% of the writes are", COLUMN_REAL, POINTS | SHEET,
     1, "#,##0.0", DERIVED(write_lat_p99_us)},
    {"device_depth", "Device depth", "",
     "I/Os in flight that the device saw (weighted time / elapsed of "
     "diskstats)",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "0.0", STORED(device_depth)},
    {"little", "Self-check", "",
     "IOPS x mean latency / outstanding, at a rate IOPS x service time / mean "
     "depth, less what crosses the edges of the window: 1 where the numbers "
     "agree",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "0.000", DERIVED(little)},
    {"read_ios", "Reads", "", "Reads that completed in the window",
     COLUMN_INTEGER, VISITS | POINTS | SHEET | REQUIRED, 1, "#,##0",
     STORED(read_ios)},
    {"write_ios", "Writes", "", "Writes that completed in the window",
     COLUMN_INTEGER, VISITS | POINTS | SHEET | REQUIRED, 1, "#,##0",
     STORED(write_ios)},
    {"read_bytes", "Read (MiB)", "bytes", "Bytes read in the window",
     COLUMN_INTEGER, VISITS | POINTS | SHEET | REQUIRED, 1.0 / (1024 * 1024),
     "#,##0", STORED(read_bytes)},
    {"write_bytes", "Written (MiB)", "bytes", "Bytes written in the window",
     COLUMN_INTEGER, VISITS | POINTS | SHEET | REQUIRED, 1.0 / (1024 * 1024),
     "#,##0", STORED(write_bytes)},
    {"achieved_read_pct", "Achieved read (%)", "%",
     "Share of reads among the I/Os that completed", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1, "0.0", DERIVED(achieved_read_pct)},
    {"read_lat_sum_ns", "Latency of all reads (ns)", "ns",
     "Sum of the latencies of the reads", COLUMN_INTEGER, VISITS | REQUIRED, 1,
     "General", STORED(read_lat_sum_ns)},
    {"read_lat_min_ns", "Least read latency (ns)", "ns",
     "Least latency of a read", COLUMN_INTEGER, VISITS, 1, "General",
     STORED(read_lat_min_ns)},
    {"read_lat_max_ns", "Most read latency (ns)", "ns",
     "Greatest latency of a read", COLUMN_INTEGER, VISITS, 1, "General",
     STORED(read_lat_max_ns)},
    {"write_lat_sum_ns", "Latency of all writes (ns)", "ns",
     "Sum of the latencies of the writes", COLUMN_INTEGER, VISITS | REQUIRED, 1,
     "General", STORED(write_lat_sum_ns)},
    {"write_lat_min_ns", "Least write latency (ns)", "ns",
     "Least latency of a write", COLUMN_INTEGER, VISITS, 1, "General",
     STORED(write_lat_min_ns)},
    {"write_lat_max_ns", "Most write latency (ns)", "ns",
     "Greatest latency of a write", COLUMN_INTEGER, VISITS, 1, "General",
     STORED(write_lat_max_ns)},
    {"edge_ns", "Age at the edges (ns)", "ns",
     "Time that the I/Os in flight at the window's end had taken by then, less "
     "the same at its begin",
     COLUMN_REAL, VISITS, 1, "General", STORED(edge_ns)},
    {"service_sum_ns", "Service time of all (ns)", "ns",
     "At a rate: sum of the service times of all I/Os", COLUMN_INTEGER, VISITS,
     1, "General", STORED(service_sum_ns)},
    {"cpu_pct", "CPU (%)", "%",
     "CPU time of the workers, user and system, of one core", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1, "0.0", DERIVED(cpu_pct)},
    {"cpu_peak_pct", "CPU, busiest worker (%)", "%",
     "CPU time that the busiest worker had or waited for, of one core",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "0.0", STORED(cpu_peak_pct)},
    {"cpu_us_per_io", "CPU an I/O (us)", "us",
     "CPU time of the workers for one I/O", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1, "0.00", DERIVED(cpu_us_per_io)},
    {"cpu_user_ms", "CPU user (ms)", "ms", "User CPU time of the workers",
     COLUMN_REAL, VISITS, 1, "General", STORED(cpu_user_ms)},
    {"cpu_system_ms", "CPU system (ms)", "ms", "System CPU time of the workers",
     COLUMN_REAL, VISITS, 1, "General", STORED(cpu_system_ms)},
    {"cpu_wait_ms", "CPU wait (ms)", "ms",
     "Time that the workers were ready to run but had no core", COLUMN_REAL,
     VISITS, 1, "General", STORED(cpu_wait_ms)},
    {"switches_voluntary", "Voluntary switches", "",
     "Voluntary context switches of the workers", COLUMN_REAL, VISITS, 1,
     "General", STORED(switches_voluntary)},
    {"switches_involuntary", "Involuntary switches", "",
     "Involuntary context switches of the workers", COLUMN_REAL, VISITS, 1,
     "General", STORED(switches_involuntary)},
    {"machine_cpu_pct", "Machine CPU (%)", "%",
     "Busy time of all cores of the machine", COLUMN_REAL, VISITS, 1, "General",
     STORED(machine_cpu_pct)},
    {"machine_steal_pct", "Machine steal (%)", "%",
     "Time that the hypervisor gave to others", COLUMN_REAL, VISITS, 1,
     "General", STORED(machine_steal_pct)},
    {"device_read_bytes", "Device read (bytes)", "bytes",
     "Bytes that the device itself read", COLUMN_REAL, VISITS, 1, "General",
     STORED(device_read_bytes)},
    {"device_write_bytes", "Device written (bytes)", "bytes",
     "Bytes that the device itself wrote", COLUMN_REAL, VISITS, 1, "General",
     STORED(device_write_bytes)},
    {"origin_read_bytes", "Read below (MiB)", "bytes",
     "Bytes that the lowest devices known under the target read, caches "
     "aside; blank where the way down is not known",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1.0 / (1024 * 1024), "#,##0",
     STORED(origin_read_bytes)},
    {"origin_write_bytes", "Written below (MiB)", "bytes",
     "Bytes that they wrote", COLUMN_REAL, VISITS | POINTS | SHEET,
     1.0 / (1024 * 1024), "#,##0", STORED(origin_write_bytes)},
    {"hit_pct", "Hit (%)", "%",
     "Share of the reads (of the writes where there are none) that a cache "
     "served; below 0 where the target's device read more than was asked",
     COLUMN_REAL, VISITS | POINTS | SHEET, 1, "0.0", STORED(hit_pct)},
    {"hit_source", "Hit ratio from", "",
     "device counters (asked against what reached the lowest devices), probe, "
     "dm-cache, bcache, zfs arc, or page cache (which held the whole region "
     "before and after, whatever others read)",
     COLUMN_TEXT, VISITS | POINTS | SHEET, 1, "General", STORED(hit_source)},
    {"resident_before_pct", "In page cache before (%)", "%",
     "Share of the region in the page cache before the visit", COLUMN_REAL,
     VISITS | POINTS, 1, "0.0", STORED(resident_before_pct)},
    {"resident_after_pct", "In page cache after (%)", "%",
     "Share of the region in the page cache after the visit", COLUMN_REAL,
     VISITS | POINTS, 1, "0.0", STORED(resident_after_pct)},
    {"touched_bytes", "Touched (MiB)", "bytes",
     "Distinct bytes that the I/Os of a visit went to", COLUMN_REAL,
     VISITS | POINTS | SHEET, 1.0 / (1024 * 1024), "#,##0.0",
     STORED(touched_bytes)},
    {"state_reached", "Caches as asked", "",
     "Whether the caches were cold or warm before the visit, as asked (of a "
     "point: before all of them): yes, no or unknown",
     COLUMN_TEXT, VISITS | POINTS | SHEET, 1, "General", STORED(state_reached)},
    {"cold_left_pct", "Left in page cache (%)", "%",
     "Caches cold: share of the region, or of a file below it, that the page "
     "cache still held; blank where that is not known",
     COLUMN_REAL, VISITS | POINTS, 1, "0.0", STORED(cold_left_pct)},
    {"warm_passes", "Warm-up passes", "",
     "Caches warm: how often the region was read before", COLUMN_REAL,
     VISITS | POINTS, 1, "0", STORED(warm_passes)},
    {"punted_threads", "Punted threads", "",
     "Kernel threads that had to help io_uring", COLUMN_REAL, VISITS, 1,
     "General", STORED(punted_threads)},
    {"verified_blocks", "Verified blocks", "",
     "Blocks that were read back after the window (--verify)", COLUMN_REAL,
     VISITS, 1, "General", STORED(verified_blocks)},
    {"corrupt_blocks", "Corrupt blocks", "",
     "Of these, blocks that were not as they had been written", COLUMN_REAL,
     VISITS, 1, "General", STORED(corrupt_blocks)},
    {"error_count", "Errors", "", "I/Os that failed or were short",
     COLUMN_INTEGER, VISITS | POINTS | SHEET | REQUIRED, 1, "#,##0",
     STORED(error_count)},
    {"errors", "Errors by kind", "",
     "Kind and count, the most frequent: EIO:3 short:1", COLUMN_TEXT,
     VISITS | POINTS | SHEET, 1, "General", STORED(errors)},
    {"interval_ms", "Interval (ms)", "ms",
     "Length of an interval in series.csv", COLUMN_REAL, VISITS, 1, "General",
     STORED(interval_ms)},
    {"samples", "Samples", "", "Intervals in series.csv", COLUMN_INTEGER,
     VISITS, 1, "General", DERIVED(samples)},
    {"latency_end_bytes", "End in latency.csv", "bytes",
     "Length of latency.csv with this visit", COLUMN_INTEGER, VISITS | REQUIRED,
     1, "General", STORED(latency_end_bytes)},
    {"series_end_bytes", "End in series.csv", "bytes",
     "Length of series.csv with this visit", COLUMN_INTEGER, VISITS | REQUIRED,
     1, "General", STORED(series_end_bytes)},
    {"devices_end_bytes", "End in devices.csv", "bytes",
     "Length of devices.csv with this visit", COLUMN_INTEGER, VISITS, 1,
     "General", STORED(devices_end_bytes)},
    {"verdicts", "Verdicts", "",
     "What there is to say against the numbers, by name", COLUMN_TEXT,
     POINTS | SHEET, 1, "General", DERIVED(verdicts)},
    COMPARED(iops, "IOPS", "", "reads and writes a second"),
    RATIO(iops_ratio, "IOPS ratio", "IOPS, other / base"),
    COMPARED(mibps, "MiB/s", "MiB/s", "MiB (2^20 bytes) a second"),
    RATIO(throughput_ratio, "MiB/s ratio", "MiB/s, other / base"),
    COMPARED(lat_mean_us, "average latency (us)", "us", "mean latency"),
    RATIO(lat_mean_ratio, "Latency ratio",
	  "Mean latency, base / other: above 1 the other is better"),
    COMPARED(lat_p99_us, "p99 latency (us)", "us",
	     "latency below which 99% of the I/Os are"),
    RATIO(lat_p99_ratio, "p99 latency ratio",
	  "p99 latency, base / other: above 1 the other is better"),
    {"comparison", "Comparison", "",
     "faster, slower, same (within noise) or unsure, by IOPS; at a rate by "
     "mean latency",
     COLUMN_TEXT, PAIRS, 1, "General", DERIVED(comparison)},
    {"comparison_note", "Comparison note", "",
     "by-latency: at a rate; within-rounds: both sides were visited in the "
     "same rounds; optimistic: "
     "one visit a side; cache-lets-pass: hardly any hits, unlike random reads; "
     "or why the point has no pair",
     COLUMN_TEXT, PAIRS, 1, "General", DERIVED(comparison_note)},
    {"reason", "Reason", "", "Why the visit failed or was skipped", COLUMN_TEXT,
     VISITS | POINTS | SHEET, 1, "General", STORED(reason)},
    {"note", "Note", "", "What the engine had to say", COLUMN_TEXT,
     VISITS | POINTS | SHEET, 1, "General", STORED(note)},
};

const size_t column_count = sizeof(columns) / sizeof(columns[0]);

const struct column *column_find(const char *name)
{
	size_t i;

	for (i = 0; i < column_count; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

const char *column_format(const struct column_value *value, char *buf)
{
	if (!value->known)
		return "";
	switch (value->type) {
	case COLUMN_TEXT:
		return value->text;
	case COLUMN_INTEGER:
		return cell_format_integer(buf, value->integer);
	case COLUMN_REAL:
		return cell_format_real(buf, value->real);
	}
	return "";
}
