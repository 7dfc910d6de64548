/*
 * digest_page: the parts of the HTML page that are drawn from a grid: heat
 * maps and charts. Internal to export/.
 */
#ifndef EXPORT_DIGEST_PAGE_H
#define EXPORT_DIGEST_PAGE_H

#include "export/digest_text.h"

/* Four heat maps and three charts of one group. 0 or -ENOMEM. */
int digest_put_group(FILE *f, const struct book_group *g);

/* How many times the IOPS of base, a group of the base side, the other side
 * has, as a heat map. */
void digest_put_ratio(FILE *f, const struct book_model *m,
		      const struct book_group *base, uint32_t side,
		      const char *caption);

#endif
