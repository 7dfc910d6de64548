/*
 * book_model: the runs of a book, sorted out for its sheets: which groups
 * make one workload, which sides can be compared, how each is called. Pure;
 * knows no cell and no chart. Internal to export/.
 */
#ifndef EXPORT_BOOK_MODEL_H
#define EXPORT_BOOK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "export/book.h"
#include "export/compare.h"
#include "export/grid.h"
#include "export/label.h"
#include "export/result.h"
#include "export/shortname.h"
#include "export/sweetspot.h"

/* One workload on one target in one state of the storage: a grid. */
struct book_group {
	const struct run *run;
	/* The first of its points. The variant is the run's label where its
	 * points have none, and says which run where two would be alike. */
	struct point point;
	const struct grid *grid;
	const struct sweetspot *spot;
	uint32_t place;			 /* by run and plan */
	uint32_t workload, side, target; /* indices */
	/* What tells it from the other groups of the book, "" when nothing
	 * does: "buffered", "cached, sdb". */
	char label[LABEL_MAX];
};

/* What people call by one name: pattern and read %, or a named section. */
struct book_workload {
	const struct point *point; /* the first of it */
	char name[LABEL_MAX];	   /* "Random read"; a long section's short */
	char lower[LABEL_MAX];	   /* "random read", for the middle of a title;
				    * a section's name as it is */
	uint32_t group_count;
};

/* A state of the storage that can be compared with another: variant and cache
 * mode. */
struct book_side {
	struct point point;    /* one of it */
	char label[LABEL_MAX]; /* "cached", "buffered" */
	/* The same with its part: "not cached: direct", "cached: buffered"; as
	 * label when there are more than two sides. */
	char title[LABEL_MAX + 16];
};

struct book_target {
	const char *path;      /* as the user gave it */
	char label[LABEL_MAX]; /* the file's name where that is enough */
};

/* By what groups are rows of configurations, and these, by workload and tags
 * (book_configs.h). */
struct book_configs {
	struct tags_keys keys;
	struct book_config *rows; /* owned */
	uint32_t count;
};

struct book_model {
	const struct run *const *runs;
	const char **run_names; /* their labels, short */
	uint32_t run_count;
	const struct book_opts *opts;

	struct grid_list *grids;      /* one list a run */
	struct sweetspot_list *spots; /* one list a run */
	struct book_group *groups;    /* by workload, target, side, place */
	uint32_t group_count;
	struct book_workload *workloads; /* in order of first appearance */
	uint32_t workload_count;
	struct book_side *sides; /* the base (not cached) first */
	uint32_t side_count;
	/* The sides differ by a cache, as their names or modes tell; else they
	 * are only different. */
	bool cache_effect;
	struct book_target *targets; /* in order of first appearance */
	uint32_t target_count;
	struct shortnames shortnames;
	struct book_configs configs;
	struct compare compare; /* of the sides, in the same order */
};

/* Append text to a list in words, ", " between; nothing for "". */
void book_append(char *buf, size_t size, const char *text);

/* p with its names as short as titles and legends need them. */
struct point book_shown(struct book_model *m, const struct point *p);

/* A text of ours, or a format, in the words of the theme. */
const char *book_word(const struct book_model *m, const char *text);
__attribute__((format_arg(2))) const char *
book_words(const struct book_model *m, const char *format);

/* Of one of the book's points: "Random read". */
const char *book_workload_name(const struct book_model *m,
			       const struct point *p);

/* 0 or -ENOMEM; book_model_fini in both cases. */
int book_model_init(struct book_model *m, const struct run *const *runs,
		    uint32_t run_count, const struct book_opts *opts);
void book_model_fini(struct book_model *m);

/* Part of book_model_init: name the sides. 0 or -ENOMEM. */
int book_name_sides(struct book_model *m);

/* The group whose points have pairs on that side with those of g, which is of
 * the base. NULL when there is none; g itself on its own side. */
const struct book_group *book_partner(const struct book_model *m,
				      const struct book_group *g,
				      uint32_t side);

/* What is held against a result of the base on that side: itself on the base's
 * own; NULL without a pair. */
const struct result *book_paired(const struct book_model *m,
				 const struct result *r, uint32_t side);

/* Over all measured pairs of the base and that side, the median of how many
 * times the base's IOPS it has, and the number of pairs. NAN without any. */
double book_median_speedup(const struct book_model *m, uint32_t side,
			   uint32_t *out_pairs);

/* True when some group of the base side has a partner on another side. */
bool book_has_pairs(const struct book_model *m);

/* What is drawn and coloured. */
enum book_metric {
	BOOK_IOPS,
	BOOK_MIBPS,
	BOOK_LATENCY, /* ms, mean */
	BOOK_P99,     /* ms */
	BOOK_METRIC_COUNT
};

/* NAN where it is not known; r may be NULL. */
double book_value(const struct result *r, enum book_metric metric);
/* The same; NAN without a done visit. */
double book_ms(double us);

/* The sweet result of one block size of the group, or NULL. */
const struct result *book_sweet_of_size(const struct book_group *g,
					uint64_t block_size_bytes);

#endif
