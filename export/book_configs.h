/*
 * book_configs: the groups of a book as rows of configurations: what the tags
 * say of the storage, then the workload's numbers at its sweet spot. For the
 * workbook, the page and the ticket alike. Pure. Internal to export/.
 */
#ifndef EXPORT_BOOK_CONFIGS_H
#define EXPORT_BOOK_CONFIGS_H

#include "export/book_model.h"

/* A row: one group. */
struct book_config {
	const struct book_group *group;
	const char *tag[TAGS_KEYS_MAX]; /* short; BOOK_NO_TAG without one */
	const struct result *result;	/* NULL: nothing measured */
	/* All its tags, "5, ssd", and what else tells it from a row with the
	 * same: for a chart. */
	char name[2 * LABEL_MAX];
	/* Which target, side or run it is. */
	char of[LABEL_MAX];
};

#define BOOK_NO_TAG "(none)"

/* Part of book_model_init, when all else is there: 0 or -ENOMEM. */
int book_find_configs(struct book_model *m);

/* By what: "raid, media", into buf, which is returned. */
#define BOOK_KEYS_TEXT_MAX (TAGS_KEYS_MAX * (SHORTNAME_SIZE + 2))
char *book_configs_by(const struct book_model *m, char *buf, size_t size);

/* Of one key: its short name. */
const char *book_configs_key(const struct book_model *m, uint32_t key);

/* The rows of one workload, which lie behind each other: the first of them,
 * and how many. */
const struct book_config *book_configs_of(const struct book_model *m,
					  uint32_t workload,
					  uint32_t *out_count);

/* Why a row has no numbers, or what speaks against those that it has: "failed:
 * no space left on device", "noisy"; "" for nothing. Returns buf. */
#define BOOK_CONFIG_NOTE_MAX 512
char *book_config_note(const struct book_config *c, char *buf, size_t size);

#endif
