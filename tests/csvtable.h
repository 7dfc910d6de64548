/*
 * csvtable: a CSV file as a table of texts, read without any code of the
 * program, so that tests look at what is on disk. Quoted cells may hold
 * commas, quotes and newlines.
 */
#ifndef TESTS_CSVTABLE_H
#define TESTS_CSVTABLE_H

#include <stdbool.h>
#include <stddef.h>

struct csvtable {
	char ***rows; /* rows[0] is the header; NULL behind the last cell */
	size_t count; /* of rows, header included */
	bool whole;   /* ends in a newline, every row as wide as the header */
};

/* Read folder/name. Fails the test when it cannot. csvtable_free frees. */
void csvtable_read(struct csvtable *t, const char *folder, const char *name);
/* Read a file of folder/results/<the only run>, which must be whole. */
void csvtable_read_run(struct csvtable *t, const char *folder,
		       const char *name);
void csvtable_free(struct csvtable *t);

/* The cell of a row (from 1) under that header. Fails the test where there is
 * no such row or column. */
const char *csvtable_get(const struct csvtable *t, size_t row,
			 const char *column);
/* The same as a number; NAN where it is blank. Fails the test when it is
 * something else. */
double csvtable_number(const struct csvtable *t, size_t row,
		       const char *column);

#endif
