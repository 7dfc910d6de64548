/*
 * digest_configs: a configuration (book_configs.h) as a row of texts, for HTML
 * page and Markdown. Internal to export/.
 */
#ifndef EXPORT_DIGEST_CONFIGS_H
#define EXPORT_DIGEST_CONFIGS_H

#include "export/book_configs.h"
#include "export/digest_text.h"

/* Tags first, then these. */
enum digest_config_column {
	DIGEST_CONFIG_OF = TAGS_KEYS_MAX,
	DIGEST_CONFIG_SIZE,
	DIGEST_CONFIG_OUTSTANDING,
	DIGEST_CONFIG_IOPS,
	DIGEST_CONFIG_MIBPS,
	DIGEST_CONFIG_LATENCY,
	DIGEST_CONFIG_P99,
	DIGEST_CONFIG_CPU,
	DIGEST_CONFIG_NOTE,
	DIGEST_CONFIG_COLUMNS
};

struct digest_config_row {
	char cell[DIGEST_CONFIG_COLUMNS][BOOK_CONFIG_NOTE_MAX];
};

/* Texts of the header, NULL where the book has no such column. */
const char *digest_config_head(const struct book_model *m, uint32_t column);
bool digest_config_is_text(uint32_t column);
void digest_config(const struct book_model *m, const struct book_config *c,
		   struct digest_config_row *row);

#endif
