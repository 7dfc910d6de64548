/*
 * verify: blocks that tell where they belong and when they were written, so
 * that what is read back can be judged: --verify.
 *
 * Every sector of a written block carries a header (the run's mark, its own
 * offset, the stamp of the write that it belongs to) and a checksum over all
 * of it (XXH64, libxxhash). A log keeps for each block written which stamps
 * may be found there afterwards: that of the write that began last, and those
 * of writes that were under way at the same time, since the storage may put
 * them in any order. One log a thread; it holds a bounded number of blocks,
 * whatever the size of the target.
 */
#ifndef ENGINE_VERIFY_H
#define ENGINE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#define VERIFY_SECTOR_BYTES 512

/* Fill in the headers and checksums of a block of size_bytes, a multiple of
 * VERIFY_SECTOR_BYTES, that goes to offset_bytes. The rest of it stays. */
void verify_stamp(char *block, uint32_t size_bytes, uint64_t mark,
		  uint64_t offset_bytes, uint64_t stamp);

/* Blocks that a log keeps. Later ones go unrecorded. */
#define VERIFY_BLOCKS_MAX (1u << 20)

struct verify_entry {
	uint64_t offset_bytes;
	uint64_t newest;   /* stamp of the write that began last; 0: free */
	uint64_t oldest;   /* first stamp of the chain of overlapping writes
			    * that `newest` belongs to */
	uint64_t ended_ns; /* when the last of the writes came back */
	uint32_t under_way;
	bool failed; /* a write of the chain failed: anything may be there */
};

struct verify_log {
	struct verify_entry *entries; /* owned; a hash table by offset */
	uint32_t capacity;	      /* a power of two */
	uint32_t count;
	uint64_t unrecorded; /* writes to blocks that found no place */
};

/* Room for `blocks`, at most VERIFY_BLOCKS_MAX. 0 or -ENOMEM. */
int verify_log_init(struct verify_log *log, uint64_t blocks);
void verify_log_fini(struct verify_log *log);
void verify_log_clear(struct verify_log *log);

/* A write begins; its stamp is not smaller than those before. */
void verify_log_begin(struct verify_log *log, uint64_t offset_bytes,
		      uint64_t stamp);
/* It came back at now_ns, whole or not. */
void verify_log_end(struct verify_log *log, uint64_t offset_bytes,
		    uint64_t now_ns, bool whole);

/* Stamps that may be found in a block; a stamp is the time in ns at which its
 * write began. */
struct verify_expected {
	uint64_t oldest, newest;
	bool anything; /* a write failed: nothing can be said */
};

/* What the logs of all threads say of a block; false when none knows it. */
bool verify_expect(const struct verify_log *logs, uint32_t log_count,
		   uint64_t offset_bytes, struct verify_expected *out);

enum verify_finding {
	VERIFY_GOOD,
	VERIFY_FLIPPED,	  /* bits are not those that were written */
	VERIFY_STALE,	  /* older than the last write: that one was lost */
	VERIFY_MISPLACED, /* belongs to another offset */
	VERIFY_TORN,	  /* parts of it are new, others old */
	VERIFY_FINDING_COUNT
};

/* "good", "flipped", "stale", "misplaced", "torn"; NULL past the end. */
const char *verify_finding_name(enum verify_finding finding);

/* Judge a block that was read back. */
enum verify_finding verify_judge(const char *block, uint32_t size_bytes,
				 uint64_t mark, uint64_t offset_bytes,
				 const struct verify_expected *expected);

#endif
