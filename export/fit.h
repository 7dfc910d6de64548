/*
 * fit: rounds as randomized blocks. Every round visits every point once in a
 * fresh random order, so that
 *
 *	y(point, round) = level(point) + effect(round) + residual
 *
 * with y the logarithm of IOPS or latency (G. E. P. Box, J. S. Hunter, W. G.
 * Hunter, Statistics for Experimenters, 2005, chapter 4). What hit the whole
 * device in a round is in its effect and cancels when points are compared.
 * Cells may be missing: visits that failed, points that stopped early.
 *
 * Two kinds of doubt come from it and must not be mixed up:
 * - fit_level: how far a point's level may be from its mean over the time of
 *   the sweep. Round effects count: the spread of the point's own visits.
 * - fit_difference: how far the difference of two points may be off. Round
 *   effects cancel: the residuals in the rounds that both saw.
 *
 * Variances from few visits are moderated towards those of the other points
 * (stats_moderate) with at most 4 degrees of freedom. So that one wild point
 * does not widen the intervals of all, the largest 1/16 of the variances
 * count in that pool as the next smaller one (winsorized; J. W. Tukey, 1962).
 */
#ifndef EXPORT_FIT_H
#define EXPORT_FIT_H

#include <stdint.h>

#include "export/stats.h"

/* One observation; y is finite. */
struct fit_cell {
	uint32_t point; /* below fit.points */
	uint32_t round; /* below fit.rounds */
	double y;
};

struct fit_point {
	uint32_t n;  /* cells; 0: nothing is known of this point */
	double mean; /* of its y */
	/*
	 * What to add to the mean because the point missed rounds and those
	 * that it saw were not the average of the sweep; 0 where it missed
	 * none. Effects are shrunken by how well they are known (best linear
	 * prediction; G. K. Robinson, Statistical Science 6, 1991), and each
	 * round weighs as many visits as it had: they took the time.
	 */
	double shift;
	struct stats_variance spread;	/* of a visit, round effects included,
					 * moderated */
	struct stats_variance residual; /* of a visit within its round,
					 * moderated */
};

struct fit {
	uint32_t points, rounds;
	struct fit_point *point;
	double *effect;			/* of each round, shrunken; mean 0 */
	struct stats_variance residual; /* of all; df 0: no two-way fit */
	double effect_variance;		/* of the rounds; 0: none seen */
	struct fit_cell *cells;		/* by point, then round */
	uint32_t cell_count;
};

/*
 * Fit by least squares. cells are copied. 0 or -ENOMEM; fit_free after
 * success. With fewer than two points or rounds the effects are 0.
 */
int fit_new(const struct fit_cell *cells, uint32_t cell_count, uint32_t points,
	    uint32_t rounds, struct fit *out);
void fit_free(struct fit *f);

/* Level of a point over the time of the sweep: mean + shift; se NAN where
 * neither the point nor its neighbours tell a spread; value NAN for n = 0. */
struct stats_estimate fit_level(const struct fit *f, uint32_t point);

/* Level of a minus level of b, from the rounds that both saw; without any,
 * from their levels (Welch). se NAN where unknown. */
struct stats_estimate fit_difference(const struct fit *f, uint32_t a,
				     uint32_t b);

#endif
