/*
 * compare_words: a comparison in plain words, for terminal and workbook. Each
 * text is one or two sentences without a newline, goes into buf, cut at
 * size - 1, and buf is returned; "" where there is nothing to say.
 */
#ifndef EXPORT_COMPARE_WORDS_H
#define EXPORT_COMPARE_WORDS_H

#include <stddef.h>

#include "export/compare.h"

#define COMPARE_TEXT_MAX 1024

/* "12.1x", "1.25x", "1.004x": as many digits as help. "-" unknown. */
char *compare_ratio_text(double ratio, char *buf, size_t size);

/* "Random read: 'cached' is 3.4x as fast as 'baseline' (95% interval 3.1x to
 * 3.7x, geometric mean of 64 points). Best 12.1x at 8K x 32, ..." */
char *compare_workload_text(const struct compare *c,
			    const struct compare_workload *l, char *buf,
			    size_t size);

/* "Its sweet spot moves from 64K x 8 (1,204 MiB/s) to 128K x 4 (2,110 MiB/s)."
 */
char *compare_spot_text(const struct compare_workload *l, char *buf,
			size_t size);

/* The smallest change that would have been told. */
char *compare_seen_text(const struct compare_workload *l, char *buf,
			size_t size);

/* What has to be known about how a side was measured against the base:
 * number n of them from 0; "" behind the last one. */
char *compare_caveat_text(const struct compare *c, uint32_t side, uint32_t n,
			  char *buf, size_t size);

/* Why points of a side have no pair: number n from 0, points of one reason
 * together; "" behind the last one. */
char *compare_lost_text(const struct compare *c, uint32_t side, uint32_t n,
			char *buf, size_t size);

/* "not in the plan of 'cached'", for a table; buf as above. */
char *compare_reason_text(const struct compare *c,
			  const struct compare_lost *lost, char *buf,
			  size_t size);

#endif
