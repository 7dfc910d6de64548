/*
 * book_configtable: on the sheet of targets, for each workload a table with a
 * row a configuration, and a chart. Internal to export/.
 */
#ifndef EXPORT_BOOK_CONFIGTABLE_H
#define EXPORT_BOOK_CONFIGTABLE_H

#include "export/book_sheet.h"

/* From that row on; returns the next. Nothing without configurations. */
uint32_t book_put_configs(const struct book_model *m,
			  struct book_sheets *sheets,
			  const struct book_slots *slots, uint32_t row);

#endif
