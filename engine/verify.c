#include "engine/verify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

struct header {
	uint64_t mark;
	uint64_t offset_bytes; /* of the sector */
	uint64_t stamp;
	uint64_t checksum; /* of the sector without this */
};

static uint64_t checksum_of(const struct header *h, const char *sector)
{
	uint64_t head = XXH64(h, offsetof(struct header, checksum), 0);

	return XXH64(sector + sizeof(*h), VERIFY_SECTOR_BYTES - sizeof(*h),
		     head);
}

void verify_stamp(char *block, uint32_t size_bytes, uint64_t mark,
		  uint64_t offset_bytes, uint64_t stamp)
{
	uint32_t at;

	for (at = 0; at < size_bytes; at += VERIFY_SECTOR_BYTES) {
		struct header h = {.mark = mark,
				   .offset_bytes = offset_bytes + at,
				   .stamp = stamp};

		h.checksum = checksum_of(&h, block + at);
		memcpy(block + at, &h, sizeof(h));
	}
}

/* ---- the log ---- */

int verify_log_init(struct verify_log *log, uint64_t blocks)
{
	uint32_t capacity = 16;

	if (blocks > VERIFY_BLOCKS_MAX)
		blocks = VERIFY_BLOCKS_MAX;
	/* Half of it stays free, so that a search is short. */
	while (capacity < 2 * blocks)
		capacity *= 2;
	*log = (struct verify_log){.capacity = capacity};
	log->entries = malloc(capacity * sizeof(*log->entries));
	if (!log->entries)
		return -ENOMEM;
	/* Memory that was never touched costs time when it is: now, not in
	 * the window. */
	memset(log->entries, 0, capacity * sizeof(*log->entries));
	return 0;
}

void verify_log_fini(struct verify_log *log)
{
	free(log->entries);
	*log = (struct verify_log){0};
}

void verify_log_clear(struct verify_log *log)
{
	if (log->count)
		memset(log->entries, 0, log->capacity * sizeof(*log->entries));
	log->count = 0;
	log->unrecorded = 0;
}

/* The entry of the offset, or the free one where it belongs. */
static struct verify_entry *find(const struct verify_log *log,
				 uint64_t offset_bytes)
{
	uint32_t at = (uint32_t)XXH64(&offset_bytes, sizeof(offset_bytes), 0);

	for (;; at++) {
		struct verify_entry *e =
		    &log->entries[at & (log->capacity - 1)];

		if (!e->newest || e->offset_bytes == offset_bytes)
			return e;
	}
}

void verify_log_begin(struct verify_log *log, uint64_t offset_bytes,
		      uint64_t stamp)
{
	struct verify_entry *e = find(log, offset_bytes);

	if (!e->newest) {
		if (log->count >= log->capacity / 2) {
			log->unrecorded++;
			return;
		}
		log->count++;
		e->offset_bytes = offset_bytes;
	}
	if (!e->under_way) {
		e->oldest = stamp;
		e->failed = false;
	}
	e->newest = stamp;
	e->under_way++;
}

void verify_log_end(struct verify_log *log, uint64_t offset_bytes,
		    uint64_t now_ns, bool whole)
{
	struct verify_entry *e = find(log, offset_bytes);

	if (!e->newest || !e->under_way)
		return;
	e->under_way--;
	e->ended_ns = now_ns;
	e->failed |= !whole;
}

static uint64_t newest_of(const struct verify_log *logs, uint32_t log_count,
			  uint64_t offset_bytes)
{
	uint64_t newest = 0;
	uint32_t i;

	for (i = 0; i < log_count; i++) {
		const struct verify_entry *e = find(&logs[i], offset_bytes);

		if (e->newest > newest)
			newest = e->newest;
	}
	return newest;
}

bool verify_expect(const struct verify_log *logs, uint32_t log_count,
		   uint64_t offset_bytes, struct verify_expected *out)
{
	uint64_t newest = newest_of(logs, log_count, offset_bytes);
	uint32_t i;

	if (!newest)
		return false;
	*out = (struct verify_expected){.oldest = newest, .newest = newest};
	for (i = 0; i < log_count; i++) {
		const struct verify_entry *e = find(&logs[i], offset_bytes);

		if (!e->newest) {
			/* It may have been written without a record. */
			out->anything |= logs[i].unrecorded > 0;
			continue;
		}
		/* Over before the newest began: overwritten. */
		if (!e->under_way && e->ended_ns < newest)
			continue;
		if (e->oldest < out->oldest)
			out->oldest = e->oldest;
		out->anything |= e->failed || e->under_way;
	}
	return true;
}

/* ---- judging ---- */

static const char *const finding_names[VERIFY_FINDING_COUNT] = {
    [VERIFY_GOOD] = "good",   [VERIFY_FLIPPED] = "flipped",
    [VERIFY_STALE] = "stale", [VERIFY_MISPLACED] = "misplaced",
    [VERIFY_TORN] = "torn",
};

const char *verify_finding_name(enum verify_finding finding)
{
	return (unsigned)finding < VERIFY_FINDING_COUNT ? finding_names[finding]
							: NULL;
}

static enum verify_finding judge_sector(const char *sector, uint64_t mark,
					uint64_t offset_bytes,
					const struct verify_expected *expected)
{
	struct header h;
	bool ours, here, now;

	memcpy(&h, sector, sizeof(h));
	ours = h.mark == mark;
	here = h.offset_bytes == offset_bytes;
	now = h.stamp >= expected->oldest && h.stamp <= expected->newest;
	if (h.checksum != checksum_of(&h, sector))
		/* A header that is right but for a bit is ours; one that is
		 * right nowhere was there before. */
		return ours + here + now >= 2 ? VERIFY_FLIPPED : VERIFY_STALE;
	if (!ours)
		return VERIFY_STALE;
	if (!here)
		return VERIFY_MISPLACED;
	return now ? VERIFY_GOOD : VERIFY_STALE;
}

enum verify_finding verify_judge(const char *block, uint32_t size_bytes,
				 uint64_t mark, uint64_t offset_bytes,
				 const struct verify_expected *expected)
{
	uint32_t count[VERIFY_FINDING_COUNT] = {0};
	uint32_t at;

	for (at = 0; at < size_bytes; at += VERIFY_SECTOR_BYTES)
		count[judge_sector(block + at, mark, offset_bytes + at,
				   expected)]++;
	if (count[VERIFY_FLIPPED])
		return VERIFY_FLIPPED;
	if (count[VERIFY_MISPLACED])
		return VERIFY_MISPLACED;
	if (count[VERIFY_STALE])
		return count[VERIFY_GOOD] ? VERIFY_TORN : VERIFY_STALE;
	return VERIFY_GOOD;
}
