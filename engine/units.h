/*
 * units: what people type and read (8K, 500ms, 70%) to what we count in
 * (bytes, nanoseconds) and back. Conversion happens here and nowhere else.
 *
 * Sizes are binary: 8k = 8K = 8KB = 8KiB = 8192. A number is decimal digits
 * with at most one '.', a fraction is allowed where it gives a whole number
 * of bytes (1.5M). No sign, no exponent, no white space inside, nothing
 * behind the suffix. Overflow is an error, never a clamp.
 */
#ifndef ENGINE_UNITS_H
#define ENGINE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"

#define KIB ((uint64_t)1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

#define NS_PER_US ((uint64_t)1000)
#define NS_PER_MS ((uint64_t)1000000)
#define NS_PER_SEC ((uint64_t)1000000000)

/* Room that any formatted quantity needs, its NUL included. */
#define UNITS_TEXT_MAX 32

/*
 * Parsers: 0, or -EINVAL with a sentence that names the text, `where` (an
 * option or path:line, e.g. "--size") and a valid form. out is untouched on
 * failure. Zero is refused by size, duration and count.
 */
int units_parse_size(const char *text, const char *where, uint64_t *out_bytes,
		     struct err *err);
/* ns, us, ms, s, m, h; a bare number is seconds. */
int units_parse_duration(const char *text, const char *where, uint64_t *out_ns,
			 struct err *err);
/* 1 to UINT32_MAX, digits only. */
int units_parse_count(const char *text, const char *where, uint32_t *out,
		      struct err *err);
/* 0 to UINT64_MAX, digits only (seeds). */
int units_parse_u64(const char *text, const char *where, uint64_t *out,
		    struct err *err);
/* 0 to 100, a fraction and a trailing % allowed. */
int units_parse_percent(const char *text, const char *where, double *out,
			struct err *err);

/*
 * Writers: into buf of UNITS_TEXT_MAX bytes, returns buf.
 * size: the largest binary unit that divides it (8K, 1M, 1536): parses back
 * to the same number.
 * bytes: rounded for reading, "1.5 GiB".
 * duration: rounded for reading: "150 ms", "1.2 s", "12m 48s", "2h 05m".
 */
char *units_format_size(char *buf, uint64_t bytes);
char *units_format_bytes(char *buf, uint64_t bytes);
char *units_format_duration(char *buf, uint64_t ns);
/* Three digits and more with thousands separators: "1,234", "0.52". Unknown
 * (NAN) gives "-". */
char *units_format_number(char *buf, double value);

#endif
