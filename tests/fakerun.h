/*
 * fakerun: points, visits, results and run folders with made-up but plausible
 * numbers, for the tests of store, run and columns.
 */
#ifndef TESTS_FAKERUN_H
#define TESTS_FAKERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/point.h"
#include "engine/visit.h"

/* Fill count points: sizes, depths, mixes and texts vary. */
void fakerun_points(struct point *points, uint32_t count);

/* A done visit of p, every member drawn by seed; v was initialised and may
 * hold memory. Histograms and `samples` intervals are filled. */
void fakerun_visit(struct visit *v, const struct point *p, uint32_t round,
		   uint32_t samples, uint64_t seed);

/* Make a run folder of that label with so many visits, going round and round
 * over fakerun_points' first `count`. Visit n is drawn by seed n. */
struct fakerun_folder {
	const char *label;
	uint32_t points, visits, samples;
};
void fakerun_store(const char *path, const struct fakerun_folder *f);

/* Equal in all that visits.csv keeps; doubles bit by bit, NAN to NAN. */
bool fakerun_same_visit(const struct visit *a, const struct visit *b);
bool fakerun_same_samples(const struct visit *a, const struct visit *b);
bool fakerun_same_point(const struct point *a, const struct point *b);

#endif
