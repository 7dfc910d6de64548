/* The columns of a comparison: see column_access.h. */
#include "export/column_access.h"

#include <math.h>
#include <stdio.h>

#include "export/compare.h"
#include "export/compare_words.h"

static void put_text(struct column_value *out, const char *text)
{
	out->type = COLUMN_TEXT;
	out->known = text && text[0];
	out->text = out->known ? text : "";
}

static void put_real(struct column_value *out, double value)
{
	out->type = COLUMN_REAL;
	out->known = isfinite(value);
	out->real = value;
}

void column_get_base_side(const struct column_row *row,
			  struct column_value *out)
{
	put_text(out, row->compare ? row->compare->sides.sides[0].label : NULL);
}

void column_get_other_side(const struct column_row *row,
			   struct column_value *out)
{
	const struct compare *c = row->compare;
	uint32_t side = row->pair   ? row->pair->side
			: row->lost ? row->lost->side
				    : 0;

	put_text(out, c && side ? c->sides.sides[side].label : NULL);
}

#define RATIO(name, metric, part)                                              \
	void column_get_##name(const struct column_row *row,                   \
			       struct column_value *out)                       \
	{                                                                      \
		put_real(out,                                                  \
			 row->pair ? row->pair->ratio[metric].part : NAN);     \
	}
#define COMPARED(measure, ratio, metric)                                       \
	void column_get_base_##measure(const struct column_row *row,           \
				       struct column_value *out)               \
	{                                                                      \
		put_real(out, row->pair                                        \
				  ? compare_value(row->pair->base, metric)     \
				  : NAN);                                      \
	}                                                                      \
	void column_get_other_##measure(const struct column_row *row,          \
					struct column_value *out)              \
	{                                                                      \
		put_real(out, row->pair                                        \
				  ? compare_value(row->pair->other, metric)    \
				  : NAN);                                      \
	}                                                                      \
	RATIO(ratio, metric, value)                                            \
	RATIO(ratio##_low, metric, low)                                        \
	RATIO(ratio##_high, metric, high)

COMPARED(iops, iops_ratio, COMPARE_IOPS)
COMPARED(mibps, throughput_ratio, COMPARE_MIBPS)
COMPARED(lat_mean_us, lat_mean_ratio, COMPARE_LATENCY)
COMPARED(lat_p99_us, lat_p99_ratio, COMPARE_P99)

void column_get_comparison(const struct column_row *row,
			   struct column_value *out)
{
	put_text(out,
		 row->pair ? compare_verdict_name(row->pair->verdict) : NULL);
}

void column_get_comparison_note(const struct column_row *row,
				struct column_value *out)
{
	const struct compare_pair *p = row->pair;

	out->buf[0] = '\0';
	if (p)
		snprintf(out->buf, sizeof(out->buf), "%s%s%s%s",
			 p->by == COMPARE_LATENCY ? " by-latency" : "",
			 p->within_rounds ? " within-rounds" : "",
			 p->optimistic ? " optimistic" : "",
			 p->passed ? " cache-lets-pass" : "");
	else if (row->compare && row->lost)
		compare_reason_text(row->compare, row->lost, out->buf,
				    sizeof(out->buf));
	put_text(out, out->buf + (out->buf[0] == ' '));
}
