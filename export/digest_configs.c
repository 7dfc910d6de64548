#include "export/digest_configs.h"

#include <string.h>

static const char *const heads[DIGEST_CONFIG_COLUMNS] = {
    [DIGEST_CONFIG_OF] = "Measured as",
    [DIGEST_CONFIG_SIZE] = "Block size",
    [DIGEST_CONFIG_OUTSTANDING] = "Outstanding",
    [DIGEST_CONFIG_IOPS] = "IOPS",
    [DIGEST_CONFIG_MIBPS] = "MiB/s",
    [DIGEST_CONFIG_LATENCY] = "Average latency, ms",
    [DIGEST_CONFIG_P99] = "p99 latency, ms",
    [DIGEST_CONFIG_CPU] = "CPU, % of a core",
    [DIGEST_CONFIG_NOTE] = "Verdicts",
};

const char *digest_config_head(const struct book_model *m, uint32_t column)
{
	if (column >= TAGS_KEYS_MAX)
		return heads[column];
	return column < m->configs.keys.count ? book_configs_key(m, column)
					      : NULL;
}

bool digest_config_is_text(uint32_t column)
{
	return column <= DIGEST_CONFIG_OF || column == DIGEST_CONFIG_NOTE;
}

static void put(struct digest_config_row *row, uint32_t column,
		const char *text)
{
	snprintf(row->cell[column], sizeof(row->cell[column]), "%s", text);
}

static void put_number(struct digest_config_row *row, uint32_t column,
		       double value)
{
	char text[UNITS_TEXT_MAX];

	put(row, column, digest_number(text, value));
}

void digest_config(const struct book_model *m, const struct book_config *c,
		   struct digest_config_row *row)
{
	const struct result *r = c->result;
	char text[UNITS_TEXT_MAX];
	uint32_t k;

	memset(row, 0, sizeof(*row));
	for (k = 0; k < m->configs.keys.count; k++)
		put(row, k, c->tag[k]);
	put(row, DIGEST_CONFIG_OF, c->of);
	book_config_note(c, row->cell[DIGEST_CONFIG_NOTE],
			 sizeof(row->cell[DIGEST_CONFIG_NOTE]));
	if (!r)
		return;
	put(row, DIGEST_CONFIG_SIZE,
	    units_format_size(text,
			      r->point->workload.stream.block_size_bytes));
	snprintf(text, sizeof(text), "%u", point_outstanding(r->point));
	put(row, DIGEST_CONFIG_OUTSTANDING, text);
	put_number(row, DIGEST_CONFIG_IOPS, r->iops.value);
	put_number(row, DIGEST_CONFIG_MIBPS, r->mibps.value);
	put_number(row, DIGEST_CONFIG_LATENCY, book_value(r, BOOK_LATENCY));
	put_number(row, DIGEST_CONFIG_P99, book_value(r, BOOK_P99));
	put_number(row, DIGEST_CONFIG_CPU, r->cpu_pct);
}
