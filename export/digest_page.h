/*
 * digest_page: the parts of the HTML page that are drawn from a grid: heat
 * maps and charts. Internal to export/.
 */
#ifndef EXPORT_DIGEST_PAGE_H
#define EXPORT_DIGEST_PAGE_H

#include "export/digest_text.h"

/* Four heat maps and three charts of one group. 0 or -ENOMEM. */
int digest_put_group(FILE *f, const struct book_group *g);

/* How many times the base's IOPS the partner has, as a heat map. */
void digest_put_ratio(FILE *f, const struct book_group *base,
		      const struct book_group *partner, const char *caption);

#endif
