/*
 * runfile: what the writer (store) and the reader (run) of a run folder share:
 * the names of its files, how they are opened, and rows by the table of
 * columns.
 */
#ifndef EXPORT_RUNFILE_H
#define EXPORT_RUNFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/err.h"
#include "export/columns.h"
#include "export/csvfile.h"

#define RUNFILE_FACTS "run.ini"
#define RUNFILE_PLAN "plan.csv"
#define RUNFILE_VISITS "visits.csv"
#define RUNFILE_LATENCY "latency.csv"
#define RUNFILE_SERIES "series.csv"
#define RUNFILE_DEVICES "devices.csv"
#define RUNFILE_POINTS "points.csv"
#define RUNFILE_BOOK "report.xlsx"

/* What the writer adds to run.ini, so that a reader knows that it understands
 * the folder and has all of plan.csv: [folder] format, points. New columns and
 * files do not change the format: an older folder goes without them, which
 * reads as unknown. It goes up when a folder can no longer be read that way,
 * and then this reader has to know both; one with a higher number is refused.
 */
#define RUNFILE_FORMAT "1"
#define RUNFILE_SECTION "folder"
#define RUNFILE_FORMAT_NAME "format"
#define RUNFILE_POINTS_NAME "points"

/* A row a bucket that is not empty: upper bound exclusive. */
#define RUNFILE_LATENCY_HEADER                                                 \
	"visit,direction,bucket_lower_ns,bucket_upper_ns,count\n"
/* A row an interval; t_ms is its start since the start of the window. */
#define RUNFILE_SERIES_HEADER                                                  \
	"visit,sample,t_ms,read_ios,write_ios,read_bytes,write_bytes,"         \
	"lat_sum_ns,lat_max_ns\n"

/* A row a counter of a device under the target (role target, below, origin,
 * cache, watched), of a cache (counter) or of the user's command (probe), over
 * the window; the last two over the ramp too, and as they stood afterwards
 * (_after). */
#define RUNFILE_DEVICES_HEADER "visit,role,device,counter,value\n"

/* "read", "write", "service": whose latency a row of latency.csv tells. */
extern const char *const runfile_latency[LATENCY_COUNT];

/* An open run folder. */
struct runfile_folder {
	int dir_fd;
	const char *path; /* as given; the caller's */
};

/* 0 or -errno with a sentence. close(dir_fd) ends it. */
int runfile_open_folder(const char *path, struct runfile_folder *out,
			struct err *err);

/* What run.ini tells: folder, label and facts of a run without points. 0 or
 * -errno with a sentence, and then run is empty. run_fini frees. */
int runfile_read_head(const struct runfile_folder *folder, struct run *run,
		      struct err *err);

/* A file in it. */
struct runfile {
	int fd;
	uint64_t size_bytes;
	char path[PATH_MAX]; /* folder/name, for sentences */
};

/* Open a file of the folder, O_RDONLY or O_RDWR. Nothing but a regular file
 * is opened, and no symbolic link is followed: folders come from strangers. 0
 * or -errno with a sentence. close(fd) ends it. */
int runfile_open(const struct runfile_folder *folder, const char *name,
		 int flags, struct runfile *out, struct err *err);

/* Header and row of all columns that stand in `in`, one COLUMN_IN_*; texts
 * are put by put_text. Errors stay in the FILE. */
typedef void runfile_put_text(FILE *f, bool first, const char *text);
void runfile_put_header(FILE *f, uint32_t in);
void runfile_put_row(FILE *f, uint32_t in, const struct column_row *row,
		     runfile_put_text *put_text);

/* The columns of a file that is read, in its own order. */
struct runfile_map {
	const char *path;
	uint32_t in;
	const struct column *column[CSVFILE_FIELDS_MAX];
	size_t count; /* 0: no header yet */
};

/* Take the header. -EINVAL with a sentence for unknown, doubled or missing
 * columns. */
int runfile_map_header(struct runfile_map *map, size_t line,
		       const char **fields, size_t count, struct err *err);
/* Set all cells that are not blank. -EINVAL with a sentence for a wrong
 * number of cells, a value out of range, a required cell that is blank. */
int runfile_map_row(const struct runfile_map *map,
		    const struct column_target *target, size_t line,
		    const char **fields, size_t count, struct err *err);

/* Called for each visit that counts; v is the reader's and reused. 0 to go on
 * or -errno with err filled. */
typedef int runfile_visit(void *arg, size_t line, const struct visit *v,
			  struct err *err);

/* What visits.csv says as a whole. */
struct runfile_visits {
	uint32_t last_id; /* 0: none yet */
	struct commit commit;
	struct csvfile_end end;
	bool current; /* its header is the one that we write */
};

/*
 * Read visits.csv from its start. Ids ascend, lengths do not shrink; anything
 * else is an error with path:line. 0 or -errno with a sentence.
 */
int runfile_read_visits(const struct runfile *file, runfile_visit *visit,
			void *arg, struct runfile_visits *out, struct err *err);

/*
 * Read the committed bytes of a file beside visits.csv, from its start: it has
 * to begin with header (with its newline) and to end a row there, else
 * -EINVAL with a sentence. row sees all rows but the header. 0 or -errno.
 */
int runfile_read_committed(const struct runfile *file, uint64_t committed_bytes,
			   const char *header, csvfile_row *row, void *arg,
			   struct err *err);

/* The done visit with that id, or NULL. Ids ascend from call to call, and
 * *cursor, 0 at first, moves along. */
struct visit *runfile_find_done(struct run *run, uint32_t *cursor, uint32_t id);

#endif
