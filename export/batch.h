/*
 * batch: how sure one visit is of its own mean, from the samples of its window
 * in batches (batch means; Law and Kelton, Simulation Modeling and Analysis,
 * section 9.5.3). Noise that outlasts the window is not in them, so this is
 * optimistic and the last resort: VERDICT_ONE_VISIT says so.
 */
#ifndef EXPORT_BATCH_H
#define EXPORT_BATCH_H

#include "engine/visit.h"
#include "export/stats.h"

/* Variance of the visit's mean IOPS, relative to its square (so that it is
 * the variance of its logarithm), and the degrees of freedom. NAN and 0
 * without ten samples or more, or without I/O. */
struct stats_variance batch_variance(const struct visit *v);

/* Half width of the 95% interval, relative; NAN where unknown. */
double batch_half_width(const struct visit *v);

#endif
