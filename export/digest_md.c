#include <string.h>

#include "export/digest_configs.h"
#include "export/digest_text.h"
#include "export/svg.h"

/* Text in a cell or line of Markdown: what would be markup there is told to be
 * none. */
static void put_text(FILE *f, const char *text)
{
	char one[SVG_TAKE_MAX];

	while (*text) {
		const char *character = svg_take(&text, one);

		if (strchr("\\`*_{}[]<>#|~&!$", *character))
			fputc('\\', f);
		fputs(character, f);
	}
}

static void put_spots(FILE *f, const struct book_model *m)
{
	struct digest_row row;
	uint32_t i, column;

	fprintf(f, "\n## %s\n\n|", book_word(m, "Sweet spots"));
	for (column = 0; column < DIGEST_COLUMNS; column++)
		fprintf(f, " %s |", book_word(m, digest_heads[column]));
	fprintf(f, "\n|");
	for (column = 0; column < DIGEST_COLUMNS; column++)
		fprintf(f, column == DIGEST_WORKLOAD || column == DIGEST_DOUBTS
			       ? " --- |"
			       : " ---: |");
	fputc('\n', f);
	for (i = 0; i < m->group_count; i++) {
		digest_spot(m, &m->groups[i], &row);
		fputc('|', f);
		for (column = 0; column < DIGEST_COLUMNS; column++) {
			fputc(' ', f);
			put_text(f, row.cell[column]);
			fprintf(f, " |");
		}
		fputc('\n', f);
	}
}

static void put_configs(FILE *f, const struct book_model *m, uint32_t workload)
{
	struct digest_config_row row;
	const struct book_config *c;
	uint32_t i, column, count;

	c = book_configs_of(m, workload, &count);
	if (!count)
		return;
	fprintf(f, "\n### ");
	put_text(f, m->workloads[workload].name);
	fprintf(f, "\n\n|");
	for (column = 0; column < DIGEST_CONFIG_COLUMNS; column++)
		if (digest_config_head(m, column)) {
			fputc(' ', f);
			put_text(f, digest_config_head(m, column));
			fprintf(f, " |");
		}
	fprintf(f, "\n|");
	for (column = 0; column < DIGEST_CONFIG_COLUMNS; column++)
		if (digest_config_head(m, column))
			fprintf(f, digest_config_is_text(column) ? " --- |"
								 : " ---: |");
	fputc('\n', f);
	for (i = 0; i < count; i++) {
		digest_config(m, &c[i], &row);
		fputc('|', f);
		for (column = 0; column < DIGEST_CONFIG_COLUMNS; column++) {
			if (!digest_config_head(m, column))
				continue;
			fputc(' ', f);
			put_text(f, row.cell[column]);
			fprintf(f, " |");
		}
		fputc('\n', f);
	}
}

static void put_targets(FILE *f, const struct book_model *m)
{
	uint32_t i;

	if (m->configs.count)
		fprintf(f, "\n## %s\n", book_word(m, "Compare targets"));
	for (i = 0; i < m->workload_count; i++)
		put_configs(f, m, i);
}

static void put_grid(FILE *f, const struct book_model *m,
		     const struct book_group *g)
{
	char name[2 * LABEL_MAX], text[UNITS_TEXT_MAX];
	const struct grid *grid = g->grid;
	uint32_t row, column;

	fprintf(f, "\n### ");
	put_text(f, digest_group_name(m, g, name, sizeof(name)));
	fprintf(f, "\n\nIOPS by block size (down) and outstanding "
		   "(across)\n\n| |");
	for (column = 0; column < grid->column_count; column++)
		fprintf(f, " %u |", grid->outstandings[column]);
	fprintf(f, "\n| --- |");
	for (column = 0; column < grid->column_count; column++)
		fprintf(f, " ---: |");
	fputc('\n', f);
	for (row = 0; row < grid->row_count; row++) {
		fprintf(f, "| %s |",
			units_format_size(text, grid->block_sizes[row]));
		for (column = 0; column < grid->column_count; column++)
			fprintf(f, " %s |",
				digest_number(
				    text, book_value(grid_at(grid, row, column),
						     BOOK_IOPS)));
		fputc('\n', f);
	}
}

static void put_list(FILE *f, const char *heading, char *const *texts,
		     uint32_t count)
{
	uint32_t i;

	if (count)
		fprintf(f, "\n## %s\n\n", heading);
	for (i = 0; i < count; i++) {
		fprintf(f, "- ");
		put_text(f, texts[i]);
		fputc('\n', f);
	}
}

static int put_report(FILE *f, const struct book_model *m,
		      const struct book_notes *notes)
{
	char text[SWEETSPOT_TEXT_MAX + 2 * LABEL_MAX];
	uint32_t i;

	fprintf(f, "# ");
	put_text(f, book_title(m, text, sizeof(text)));
	fprintf(f, "\n\n");
	put_text(f, digest_about(m, text, sizeof(text)));
	fprintf(f, "\n\n");
	for (i = 0; i < m->group_count; i++) {
		if (!m->groups[i].spot)
			continue;
		fprintf(f, "- ");
		put_text(f,
			 digest_sentence(m, &m->groups[i], text, sizeof(text)));
		fputc('\n', f);
	}
	put_spots(f, m);
	put_targets(f, m);
	put_list(f, book_word(m, "Before trusting it"), notes->texts,
		 notes->count);
	fprintf(f, "\n## %s\n", book_word(m, "All points"));
	for (i = 0; i < m->group_count; i++)
		put_grid(f, m, &m->groups[i]);
	return 0;
}

int digest_write_md(const char *path, const struct run *const *runs,
		    uint32_t run_count, const struct book_opts *opts,
		    struct err *err)
{
	return digest_write(path, runs, run_count, opts, put_report, err);
}
