/*
 * collect: what the workers measured becomes one visit, and where it could
 * not be measured, one sentence says why and what to do.
 */
#ifndef ENGINE_COLLECT_H
#define ENGINE_COLLECT_H

#include "engine/watch.h"

/* After watch_visit: fills w->visit, whose histograms and samples have been
 * reserved, from the workers; state and reason too. */
void collect_visit(const struct watch *w);

#endif
