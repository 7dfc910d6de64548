/*
 * column_access: how each column is read from and written to the model; the
 * functions behind the table of columns.h, for columns.c alone.
 */
#ifndef EXPORT_COLUMN_ACCESS_H
#define EXPORT_COLUMN_ACCESS_H

#include "export/columns.h"

#define COLUMN_DERIVED(name)                                                   \
	void column_get_##name(const struct column_row *row,                   \
			       struct column_value *out)
#define COLUMN_STORED(name)                                                    \
	COLUMN_DERIVED(name);                                                  \
	int column_set_##name(const char *text, const struct column_target *to)

COLUMN_DERIVED(base_side);
COLUMN_DERIVED(other_side);
COLUMN_DERIVED(run);
COLUMN_STORED(visit);
COLUMN_STORED(point_index);
COLUMN_STORED(round);
COLUMN_STORED(state);
COLUMN_STORED(started_utc);
COLUMN_STORED(target);
COLUMN_STORED(variant);
COLUMN_DERIVED(tags);
COLUMN_STORED(section);
COLUMN_DERIVED(workload);
COLUMN_DERIVED(pattern);
COLUMN_STORED(read_pct);
COLUMN_STORED(random_pct);
COLUMN_STORED(distribution);
COLUMN_STORED(block_size_bytes);
COLUMN_DERIVED(outstanding);
COLUMN_STORED(threads);
COLUMN_STORED(queue_depth);
COLUMN_STORED(working_set_bytes);
COLUMN_STORED(rate_iops);
COLUMN_STORED(edge_ns);
COLUMN_STORED(service_sum_ns);
COLUMN_STORED(mean_depth);
COLUMN_STORED(cache);
COLUMN_STORED(cache_state);
COLUMN_STORED(engine);
COLUMN_STORED(engine_used);
COLUMN_STORED(seed);
COLUMN_DERIVED(visits_done);
COLUMN_DERIVED(visits_failed);
COLUMN_DERIVED(visits_skipped);
COLUMN_DERIVED(visits_aside);
COLUMN_DERIVED(first_round);
COLUMN_DERIVED(last_round);
COLUMN_STORED(ramp_ms);
COLUMN_STORED(measured_ms);
COLUMN_DERIVED(iops);
COLUMN_DERIVED(iops_low);
COLUMN_DERIVED(iops_high);
COLUMN_DERIVED(mibps);
COLUMN_DERIVED(mibps_low);
COLUMN_DERIVED(mibps_high);
COLUMN_DERIVED(lat_mean_us);
COLUMN_DERIVED(lat_mean_us_low);
COLUMN_DERIVED(lat_mean_us_high);
COLUMN_DERIVED(lat_p50_us);
COLUMN_DERIVED(lat_p50_us_low);
COLUMN_DERIVED(lat_p50_us_high);
COLUMN_DERIVED(lat_p90_us);
COLUMN_DERIVED(lat_p90_us_low);
COLUMN_DERIVED(lat_p90_us_high);
COLUMN_DERIVED(lat_p95_us);
COLUMN_DERIVED(lat_p95_us_low);
COLUMN_DERIVED(lat_p95_us_high);
COLUMN_DERIVED(lat_p99_us);
COLUMN_DERIVED(lat_p99_us_low);
COLUMN_DERIVED(lat_p99_us_high);
COLUMN_DERIVED(lat_p999_us);
COLUMN_DERIVED(lat_p999_us_low);
COLUMN_DERIVED(lat_p999_us_high);
COLUMN_DERIVED(lat_p9999_us);
COLUMN_DERIVED(lat_p9999_us_low);
COLUMN_DERIVED(lat_p9999_us_high);
COLUMN_DERIVED(lat_min_us);
COLUMN_DERIVED(lat_max_us);
COLUMN_DERIVED(lat_stddev_us);
COLUMN_DERIVED(service_mean_us);
COLUMN_DERIVED(service_p99_us);
COLUMN_DERIVED(best_share_pct);
COLUMN_DERIVED(read_iops);
COLUMN_DERIVED(write_iops);
COLUMN_DERIVED(read_lat_mean_us);
COLUMN_DERIVED(write_lat_mean_us);
COLUMN_DERIVED(read_lat_p99_us);
COLUMN_DERIVED(write_lat_p99_us);
COLUMN_STORED(device_depth);
COLUMN_DERIVED(little);
COLUMN_STORED(read_ios);
COLUMN_STORED(write_ios);
COLUMN_STORED(read_bytes);
COLUMN_STORED(write_bytes);
COLUMN_DERIVED(achieved_read_pct);
COLUMN_STORED(read_lat_sum_ns);
COLUMN_STORED(read_lat_min_ns);
COLUMN_STORED(read_lat_max_ns);
COLUMN_STORED(write_lat_sum_ns);
COLUMN_STORED(write_lat_min_ns);
COLUMN_STORED(write_lat_max_ns);
COLUMN_DERIVED(cpu_pct);
COLUMN_STORED(cpu_peak_pct);
COLUMN_DERIVED(cpu_us_per_io);
COLUMN_STORED(cpu_user_ms);
COLUMN_STORED(cpu_system_ms);
COLUMN_STORED(cpu_wait_ms);
COLUMN_STORED(switches_voluntary);
COLUMN_STORED(switches_involuntary);
COLUMN_STORED(machine_cpu_pct);
COLUMN_STORED(machine_steal_pct);
COLUMN_STORED(device_read_bytes);
COLUMN_STORED(device_write_bytes);
COLUMN_STORED(origin_read_bytes);
COLUMN_STORED(origin_write_bytes);
COLUMN_STORED(hit_pct);
COLUMN_STORED(hit_source);
COLUMN_STORED(resident_before_pct);
COLUMN_STORED(resident_after_pct);
COLUMN_STORED(touched_bytes);
COLUMN_STORED(state_reached);
COLUMN_STORED(cold_left_pct);
COLUMN_STORED(warm_passes);
COLUMN_STORED(punted_threads);
COLUMN_STORED(verified_blocks);
COLUMN_STORED(corrupt_blocks);
COLUMN_STORED(error_count);
COLUMN_STORED(errors);
COLUMN_STORED(interval_ms);
COLUMN_DERIVED(samples);
COLUMN_STORED(latency_end_bytes);
COLUMN_STORED(series_end_bytes);
COLUMN_STORED(devices_end_bytes);
COLUMN_DERIVED(verdicts);
COLUMN_DERIVED(base_iops);
COLUMN_DERIVED(other_iops);
COLUMN_DERIVED(iops_ratio);
COLUMN_DERIVED(iops_ratio_low);
COLUMN_DERIVED(iops_ratio_high);
COLUMN_DERIVED(base_mibps);
COLUMN_DERIVED(other_mibps);
COLUMN_DERIVED(throughput_ratio);
COLUMN_DERIVED(throughput_ratio_low);
COLUMN_DERIVED(throughput_ratio_high);
COLUMN_DERIVED(base_lat_mean_us);
COLUMN_DERIVED(other_lat_mean_us);
COLUMN_DERIVED(lat_mean_ratio);
COLUMN_DERIVED(lat_mean_ratio_low);
COLUMN_DERIVED(lat_mean_ratio_high);
COLUMN_DERIVED(base_lat_p99_us);
COLUMN_DERIVED(other_lat_p99_us);
COLUMN_DERIVED(lat_p99_ratio);
COLUMN_DERIVED(lat_p99_ratio_low);
COLUMN_DERIVED(lat_p99_ratio_high);
COLUMN_DERIVED(comparison);
COLUMN_DERIVED(comparison_note);
COLUMN_STORED(reason);
COLUMN_STORED(note);

#undef COLUMN_DERIVED
#undef COLUMN_STORED

#endif
