#include "export/column_access.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/flow.h"
#include "engine/text.h"
#include "export/tags.h"

static const char *const state_names[VISIT_STATE_COUNT] = {
    [VISIT_DONE] = "done",
    [VISIT_FAILED] = "failed",
    [VISIT_SKIPPED] = "skipped",
    [VISIT_STOPPED] = "stopped",
};

static const char *const reached_names[REACHED_COUNT] = {
    [REACHED_NOT_ASKED] = "",
    [REACHED_YES] = "yes",
    [REACHED_UNKNOWN] = "unknown",
    [REACHED_NO] = "no",
};

static void put_text(struct column_value *out, bool known, const char *text)
{
	out->type = COLUMN_TEXT;
	out->known = known && text[0];
	out->text = out->known ? text : "";
}

static void put_integer(struct column_value *out, bool known, uint64_t value)
{
	out->type = COLUMN_INTEGER;
	out->known = known;
	out->integer = value;
}

/* 0 says that there is none. */
static void put_nonzero(struct column_value *out, bool known, uint64_t value)
{
	put_integer(out, known && value, value);
}

/* UINT64_MAX says that there is none. */
static void put_least(struct column_value *out, bool known, uint64_t value)
{
	put_integer(out, known && value != UINT64_MAX, value);
}

static void put_real(struct column_value *out, bool known, double value)
{
	out->type = COLUMN_REAL;
	out->known = known && isfinite(value);
	out->real = value;
}

/* Where counts are: in the visit, or in the sum over a point's done ones. */
static const struct visit *counts_of(const struct column_row *row)
{
	if (row->result)
		return row->result->done ? &row->result->total : NULL;
	return row->visit;
}

static uint64_t sum(const uint64_t count[DIR_COUNT])
{
	return count[DIR_READ] + count[DIR_WRITE];
}

/* NAN for something out of nothing. */
static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* NAN for none at all: it was not measured. */
static double cpu_ns(const struct visit *v)
{
	double ns = (double)v->cpu_user_ns + (double)v->cpu_system_ns;

	return ns > 0 ? ns : NAN;
}

static double mean_us(const struct visit *v, enum direction d)
{
	return ratio((double)v->lat_sum_ns[d], (double)v->ios[d]) / 1e3;
}

static double iops_of(const struct visit *v, enum direction d)
{
	return ratio((double)v->ios[d] * 1e9, (double)v->measured_ns);
}

static double least_us(const struct visit *v)
{
	uint64_t read = v->lat_min_ns[DIR_READ];
	uint64_t write = v->lat_min_ns[DIR_WRITE];
	uint64_t least = read < write ? read : write;

	return least == UINT64_MAX ? NAN : (double)least / 1e3;
}

static double most_us(const struct visit *v)
{
	uint64_t read = v->lat_max_ns[DIR_READ];
	uint64_t write = v->lat_max_ns[DIR_WRITE];
	uint64_t most = read > write ? read : write;

	return most ? (double)most / 1e3 : NAN;
}

static const char *pattern_name(const struct point *p)
{
	if (p->workload.stream.random_pct <= 0)
		return "seq";
	return p->workload.stream.random_pct >= 100 ? "rand" : "mixed";
}

static const char *distribution_of(const struct stream *s, char *buf)
{
	return s->random_pct > 0 ? distribution_name(&s->distribution, buf)
				 : "";
}

static const char *engine_used_name(const struct visit *v)
{
	return v->engine_used == ENGINE_AUTO ? ""
					     : engine_kind_name(v->engine_used);
}

/* The result where it rests on some visit, else NULL. */
static const struct result *measured(const struct column_row *row)
{
	return row->result && row->result->done ? row->result : NULL;
}

/*
 * A getter from an expression over x, which is `source`, unknown where that
 * is NULL. kind is the put_ function.
 */
#define GET(kind, name, type, x, source, expr)                                 \
	void column_get_##name(const struct column_row *row,                   \
			       struct column_value *out)                       \
	{                                                                      \
		const struct type *x = source;                                 \
                                                                               \
		put_##kind(out, x != NULL, x ? (expr) : 0);                    \
	}
#define GET_POINT(kind, name, expr) GET(kind, name, point, p, row->point, expr)
#define GET_VISIT(kind, name, expr) GET(kind, name, visit, v, row->visit, expr)
#define GET_COUNT(kind, name, expr)                                            \
	GET(kind, name, visit, v, counts_of(row), expr)
#define GET_RESULT(kind, name, expr)                                           \
	GET(kind, name, result, r, row->result, expr)
#define GET_COMMIT(kind, name, expr)                                           \
	GET(kind, name, commit, c, row->commit, expr)

/* One name, two meanings: of the result r, else of the visit v. */
#define GET_EITHER(name, of_r, of_v)                                           \
	void column_get_##name(const struct column_row *row,                   \
			       struct column_value *out)                       \
	{                                                                      \
		const struct result *r = row->result;                          \
		const struct visit *v = row->visit;                            \
                                                                               \
		put_real(out, r || v, r ? (of_r) : v ? (of_v) : NAN);          \
	}
#define GET_INTERVAL(name, field, of_v)                                        \
	GET_EITHER(name, r->field.value, of_v)                                 \
	GET_RESULT(real, name##_low, r->field.low)                             \
	GET_RESULT(real, name##_high, r->field.high)

GET(text, run, run, run, row->run, run->label)
GET_VISIT(integer, visit, v->id)
GET_POINT(integer, point_index, p->index)
GET_VISIT(integer, round, v->round)
GET_VISIT(text, state, state_names[v->state])
GET_POINT(text, target, p->target)
GET_POINT(text, variant, p->variant)
GET(text, tags, run, run, row->run,
    tags_text(run, row->point->target, out->buf, sizeof(out->buf)))
GET_POINT(text, section, p->section)
GET_POINT(text, workload, point_workload_name(p, out->buf, sizeof(out->buf)))
GET_POINT(text, pattern, pattern_name(p))
GET_POINT(real, random_pct, p->workload.stream.random_pct)
GET_POINT(text, distribution, distribution_of(&p->workload.stream, out->buf))
GET_POINT(real, read_pct, p->workload.stream.read_pct)
GET_POINT(integer, block_size_bytes, p->workload.stream.block_size_bytes)
GET_POINT(integer, outstanding, point_outstanding(p))
GET_POINT(integer, threads, p->workload.threads)
GET_POINT(integer, queue_depth, p->workload.queue_depth)
GET_POINT(nonzero, working_set_bytes, p->workload.working_set_bytes)
GET_POINT(nonzero, rate_iops, p->workload.rate_iops)
GET_POINT(text, cache, cache_mode_name(p->cache))
GET_POINT(text, cache_state, cache_state_name(p->state))
GET_POINT(text, engine, engine_kind_name(p->engine))
GET_COUNT(text, engine_used, engine_used_name(v))
GET_VISIT(integer, seed, v->seed)
GET_RESULT(integer, visits_done, r->done)
GET_RESULT(integer, visits_failed, r->failed)
GET_RESULT(integer, visits_skipped, r->skipped)
GET_RESULT(integer, visits_aside, r->aside)
GET(integer, first_round, result, r, measured(row), r->first_round)
GET(integer, last_round, result, r, measured(row), r->last_round)

void column_get_started_utc(const struct column_row *row,
			    struct column_value *out)
{
	bool known = row->visit && row->visit->started_utc_ns > 0;

	if (known)
		cell_format_time(out->buf, row->visit->started_utc_ns);
	put_text(out, known, out->buf);
}

GET_VISIT(real, ramp_ms, (double)v->ramp_ns / 1e6)
GET_COUNT(real, measured_ms, (double)v->measured_ns / 1e6)
GET_INTERVAL(iops, iops, visit_iops(v))
GET_INTERVAL(mibps, mibps, visit_mibps(v))
GET_INTERVAL(lat_mean_us, lat_mean_us, visit_lat_mean_us(v))
GET_INTERVAL(lat_p50_us, lat_us[PCT_50], NAN)
GET_INTERVAL(lat_p90_us, lat_us[PCT_90], NAN)
GET_INTERVAL(lat_p95_us, lat_us[PCT_95], NAN)
GET_INTERVAL(lat_p99_us, lat_us[PCT_99], NAN)
GET_INTERVAL(lat_p999_us, lat_us[PCT_999], NAN)
GET_INTERVAL(lat_p9999_us, lat_us[PCT_9999], NAN)
GET_EITHER(service_mean_us, visit_service_mean_us(&r->total),
	   visit_service_mean_us(v))
GET_RESULT(real, service_p99_us, r->service_p99_us)
GET_EITHER(mean_depth, r->total.mean_depth, v->mean_depth)
GET_EITHER(lat_min_us, r->lat_min_us, least_us(v))
GET_EITHER(lat_max_us, r->lat_max_us, most_us(v))
GET_RESULT(real, lat_stddev_us, r->lat_stddev_us)
GET_RESULT(real, best_share_pct, r->best_share_pct)
GET_EITHER(read_iops, r->read_iops, iops_of(v, DIR_READ))
GET_EITHER(write_iops, r->write_iops, iops_of(v, DIR_WRITE))
GET_EITHER(read_lat_mean_us, r->read_lat_mean_us, mean_us(v, DIR_READ))
GET_EITHER(write_lat_mean_us, r->write_lat_mean_us, mean_us(v, DIR_WRITE))
GET_RESULT(real, read_lat_p99_us, r->read_p99_us)
GET_RESULT(real, write_lat_p99_us, r->write_p99_us)
GET_EITHER(device_depth, r->device_depth, v->device_depth)
GET_EITHER(little, r->little, visit_little(v, row->point))

GET_COUNT(integer, read_ios, v->ios[DIR_READ])
GET_COUNT(integer, write_ios, v->ios[DIR_WRITE])
GET_COUNT(integer, read_bytes, v->bytes[DIR_READ])
GET_COUNT(integer, write_bytes, v->bytes[DIR_WRITE])
GET_COUNT(real, achieved_read_pct,
	  ratio(100 * (double)v->ios[DIR_READ], (double)sum(v->ios)))
GET_VISIT(integer, read_lat_sum_ns, v->lat_sum_ns[DIR_READ])
GET_VISIT(integer, write_lat_sum_ns, v->lat_sum_ns[DIR_WRITE])
GET_VISIT(real, edge_ns, v->edge_ns)
GET_VISIT(nonzero, service_sum_ns, v->service_sum_ns)
GET_VISIT(least, read_lat_min_ns, v->lat_min_ns[DIR_READ])
GET_VISIT(least, write_lat_min_ns, v->lat_min_ns[DIR_WRITE])
GET_VISIT(nonzero, read_lat_max_ns, v->lat_max_ns[DIR_READ])
GET_VISIT(nonzero, write_lat_max_ns, v->lat_max_ns[DIR_WRITE])

GET_EITHER(cpu_pct, r->cpu_pct, ratio(100 * cpu_ns(v), (double)v->measured_ns))
GET_EITHER(cpu_peak_pct, r->cpu_peak_pct, v->cpu_peak_pct)
GET_COUNT(real, cpu_us_per_io, ratio(cpu_ns(v) / 1e3, (double)sum(v->ios)))
GET_VISIT(real, cpu_user_ms, (double)v->cpu_user_ns / 1e6)
GET_VISIT(real, cpu_system_ms, (double)v->cpu_system_ns / 1e6)
GET_VISIT(real, cpu_wait_ms, v->cpu_wait_ns / 1e6)
GET_VISIT(real, switches_voluntary, v->switches_voluntary)
GET_VISIT(real, switches_involuntary, v->switches_involuntary)
GET_VISIT(real, machine_cpu_pct, v->machine_cpu_pct)
GET_VISIT(real, machine_steal_pct, v->machine_steal_pct)
GET_VISIT(real, device_read_bytes, v->device_read_bytes)
GET_VISIT(real, device_write_bytes, v->device_write_bytes)
GET_COUNT(real, origin_read_bytes, v->origin_read_bytes)
GET_COUNT(real, origin_write_bytes, v->origin_write_bytes)
GET_COUNT(real, hit_pct, v->hit_pct)
GET_COUNT(text, hit_source, hit_source_name(v->hit_source))
GET_COUNT(real, resident_before_pct, v->resident_before_pct)
GET_COUNT(real, resident_after_pct, v->resident_after_pct)
GET_COUNT(real, touched_bytes, v->touched_bytes)
GET_COUNT(text, state_reached, reached_names[v->state_reached])
GET_COUNT(real, cold_left_pct, v->cold_left_pct)
GET_COUNT(real, warm_passes, v->warm_passes)
GET_VISIT(real, punted_threads, v->punted_threads)
GET_VISIT(real, verified_blocks, v->verified_blocks)
GET_VISIT(real, corrupt_blocks, v->corrupt_blocks)
GET_COUNT(integer, error_count, v->error_count)
GET_COUNT(text, errors, cell_format_errors(out->buf, v->errors))
GET_VISIT(real, interval_ms, (double)v->interval_ns / 1e6)
GET_VISIT(integer, samples, v->sample_count)
GET_COMMIT(integer, latency_end_bytes, c->latency_bytes)
GET_COMMIT(integer, series_end_bytes, c->series_bytes)
GET_COMMIT(integer, devices_end_bytes, c->devices_bytes)
GET_RESULT(text, verdicts,
	   verdict_names(r->verdicts, out->buf, sizeof(out->buf)))
GET_COUNT(text, note, v->note)

void column_get_reason(const struct column_row *row, struct column_value *out)
{
	const char *reason = row->result  ? row->result->reason
			     : row->visit ? row->visit->reason
					  : NULL;

	put_text(out, reason != NULL, reason);
}

static int parse_between(const char *text, uint64_t min, uint64_t max,
			 uint64_t *out)
{
	uint64_t value;

	if (cell_parse_integer(text, max, &value) || value < min)
		return -EINVAL;
	*out = value;
	return 0;
}

/* Milliseconds with a fraction to whole nanoseconds; up to 104 days, where
 * the way through a double is exact. */
static int parse_ms(const char *text, uint64_t *out_ns)
{
	double ms;

	if (cell_parse_real(text, &ms) || !(ms >= 0 && ms <= 9e9))
		return -EINVAL;
	*out_ns = (uint64_t)llround(ms * 1e6);
	return 0;
}

/* A text that fits, as one line of clean UTF-8. */
static int parse_text(const char *text, size_t size, char *out)
{
	if (strlen(text) >= size)
		return -EINVAL;
	strcpy(out, text);
	text_clean(out);
	return 0;
}

static int keep_text(struct strings *strings, const char *text,
		     const char **out)
{
	char *clean = strdup(text);
	const char *kept = NULL;

	if (clean) {
		text_clean(clean);
		kept = strings_keep(strings, clean);
	}
	free(clean);
	if (!kept)
		return -ENOMEM;
	*out = kept;
	return 0;
}

/* Setters of one member of the target. */
#define SET(name, ...)                                                         \
	int column_set_##name(const char *text,                                \
			      const struct column_target *to)                  \
	{                                                                      \
		return __VA_ARGS__;                                            \
	}
#define SET_INTEGER(name, member, min, max)                                    \
	int column_set_##name(const char *text,                                \
			      const struct column_target *to)                  \
	{                                                                      \
		uint64_t value;                                                \
                                                                               \
		if (parse_between(text, min, max, &value))                     \
			return -EINVAL;                                        \
		to->member = (__typeof__(to->member))value;                    \
		return 0;                                                      \
	}
#define SET_U32(name, member, min) SET_INTEGER(name, member, min, UINT32_MAX)
#define SET_U64(name, member) SET_INTEGER(name, member, 0, UINT64_MAX)
#define SET_REAL(name, member, max)                                            \
	int column_set_##name(const char *text,                                \
			      const struct column_target *to)                  \
	{                                                                      \
		double value;                                                  \
                                                                               \
		if (cell_parse_real(text, &value) ||                           \
		    !(value >= 0 && value <= (max)))                           \
			return -EINVAL;                                        \
		to->member = value;                                            \
		return 0;                                                      \
	}

int column_set_point_index(const char *text, const struct column_target *to)
{
	uint64_t index;

	if (cell_parse_integer(text, UINT32_MAX, &index))
		return -EINVAL;
	if (to->point)
		to->point->index = (uint32_t)index;
	if (to->visit)
		to->visit->point = (uint32_t)index;
	return 0;
}

/* Below 0 where more was read than asked. */
int column_set_hit_pct(const char *text, const struct column_target *to)
{
	double value;

	if (cell_parse_real(text, &value) || !(value <= 100))
		return -EINVAL;
	to->visit->hit_pct = value;
	return 0;
}

int column_set_state(const char *text, const struct column_target *to)
{
	int state;

	/* A stopped visit is never stored. */
	for (state = 0; state < VISIT_STOPPED; state++) {
		if (strcmp(state_names[state], text))
			continue;
		to->visit->state = (enum visit_state)state;
		return 0;
	}
	return -EINVAL;
}

int column_set_state_reached(const char *text, const struct column_target *to)
{
	int reached;

	for (reached = REACHED_YES; reached < REACHED_COUNT; reached++) {
		if (strcmp(reached_names[reached], text))
			continue;
		to->visit->state_reached = (enum state_reached)reached;
		return 0;
	}
	return -EINVAL;
}

int column_set_cpu_wait_ms(const char *text, const struct column_target *to)
{
	uint64_t ns;

	if (parse_ms(text, &ns))
		return -EINVAL;
	to->visit->cpu_wait_ns = (double)ns;
	return 0;
}

SET_U32(visit, visit->id, 1)
SET_U32(round, visit->round, 1)
SET(started_utc, cell_parse_time(text, &to->visit->started_utc_ns))
SET(target, keep_text(to->strings, text, &to->point->target))
SET(variant, keep_text(to->strings, text, &to->point->variant))
SET(section, keep_text(to->strings, text, &to->point->section))
SET_REAL(random_pct, point->workload.stream.random_pct, 100)
SET(distribution,
    distribution_parse(text, &to->point->workload.stream.distribution))
SET_REAL(read_pct, point->workload.stream.read_pct, 100)
SET_INTEGER(block_size_bytes, point->workload.stream.block_size_bytes, 1,
	    INT64_MAX)
SET_U32(threads, point->workload.threads, 1)
SET_U32(queue_depth, point->workload.queue_depth, 1)
SET_INTEGER(working_set_bytes, point->workload.working_set_bytes, 1, INT64_MAX)
SET_U32(rate_iops, point->workload.rate_iops, 1)
SET(cache, cache_mode_from_name(text, &to->point->cache))
SET(cache_state, cache_state_from_name(text, &to->point->state))
SET(engine, engine_kind_from_name(text, &to->point->engine))
SET(engine_used, engine_kind_from_name(text, &to->visit->engine_used))
SET_U64(seed, visit->seed)
SET(ramp_ms, parse_ms(text, &to->visit->ramp_ns))
SET(measured_ms, parse_ms(text, &to->visit->measured_ns))
SET_REAL(device_depth, visit->device_depth, DBL_MAX)
SET_U64(read_ios, visit->ios[DIR_READ])
SET_U64(write_ios, visit->ios[DIR_WRITE])
SET_U64(read_bytes, visit->bytes[DIR_READ])
SET_U64(write_bytes, visit->bytes[DIR_WRITE])
SET_U64(read_lat_sum_ns, visit->lat_sum_ns[DIR_READ])
SET_U64(write_lat_sum_ns, visit->lat_sum_ns[DIR_WRITE])
SET_U64(read_lat_min_ns, visit->lat_min_ns[DIR_READ])
SET_U64(write_lat_min_ns, visit->lat_min_ns[DIR_WRITE])
SET_U64(read_lat_max_ns, visit->lat_max_ns[DIR_READ])
SET_U64(write_lat_max_ns, visit->lat_max_ns[DIR_WRITE])
SET(edge_ns, cell_parse_real(text, &to->visit->edge_ns))
SET_U64(service_sum_ns, visit->service_sum_ns)
SET_REAL(mean_depth, visit->mean_depth, DBL_MAX)
SET_REAL(cpu_peak_pct, visit->cpu_peak_pct, DBL_MAX)
SET(cpu_user_ms, parse_ms(text, &to->visit->cpu_user_ns))
SET(cpu_system_ms, parse_ms(text, &to->visit->cpu_system_ns))
SET_REAL(switches_voluntary, visit->switches_voluntary, DBL_MAX)
SET_REAL(switches_involuntary, visit->switches_involuntary, DBL_MAX)
SET_REAL(machine_cpu_pct, visit->machine_cpu_pct, DBL_MAX)
SET_REAL(machine_steal_pct, visit->machine_steal_pct, DBL_MAX)
SET_REAL(device_read_bytes, visit->device_read_bytes, DBL_MAX)
SET_REAL(device_write_bytes, visit->device_write_bytes, DBL_MAX)
SET_REAL(origin_read_bytes, visit->origin_read_bytes, DBL_MAX)
SET_REAL(origin_write_bytes, visit->origin_write_bytes, DBL_MAX)
SET_REAL(resident_before_pct, visit->resident_before_pct, 100)
SET_REAL(resident_after_pct, visit->resident_after_pct, 100)
SET_REAL(touched_bytes, visit->touched_bytes, DBL_MAX)
SET(hit_source, hit_source_from_name(text, &to->visit->hit_source))
SET_REAL(cold_left_pct, visit->cold_left_pct, 100)
SET_REAL(warm_passes, visit->warm_passes, UINT32_MAX)
SET_REAL(punted_threads, visit->punted_threads, DBL_MAX)
SET_REAL(verified_blocks, visit->verified_blocks, DBL_MAX)
SET_REAL(corrupt_blocks, visit->corrupt_blocks, DBL_MAX)
SET_U64(error_count, visit->error_count)
SET(errors, cell_parse_errors(text, to->visit->errors))
SET(interval_ms, parse_ms(text, &to->visit->interval_ns))
SET_U64(latency_end_bytes, commit->latency_bytes)
SET_U64(series_end_bytes, commit->series_bytes)
SET_U64(devices_end_bytes, commit->devices_bytes)
SET(reason, parse_text(text, sizeof(to->visit->reason), to->visit->reason))
SET(note, parse_text(text, sizeof(to->visit->note), to->visit->note))
