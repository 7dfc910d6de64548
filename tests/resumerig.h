/*
 * resumerig: run folders that went on after their writer was ended, compared
 * with what an uninterrupted run would have left.
 */
#ifndef TESTS_RESUMERIG_H
#define TESTS_RESUMERIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Go on with the run folder/name to its end, as a user would, visits that a
 * busy machine starved included; or, where it did not come to be one, begin
 * anew with these words. */
void resumerig_go_on(const char *folder, const char *name, const char *anew);

struct resumerig_words {
	const char *anew; /* NULL: go on */
	const char *more; /* said beside --resume */
};
void resumerig_go_on_with(const char *folder, const char *name,
			  const struct resumerig_words *words);

/* Fails the test unless folder/name holds each point of its plan once in each
 * of `rounds` rounds, done, in the order (of a plan without variants) and
 * with the seeds that its seed gives, in files that agree with each other, and
 * a book that opens. */
void resumerig_assert_whole(const char *folder, const char *name,
			    uint32_t rounds);

/* The ids, points and rounds of the rows in visits.csv that end in a newline:
 * "1:0:1\n2:5:1\n", on the heap; "" where there is no such file. */
char *resumerig_rows(const char *folder, const char *name);
/* Fails the test unless all those rows are (still) there. */
void resumerig_assert_kept(const char *folder, const char *name,
			   const char *rows);

/* The environment asks for the tests that take long (IOSWEEP_LONG=1). */
bool resumerig_long(void);

#endif
