/*
 * sim: a measurer without hardware: simulated devices and noise on a virtual
 * clock, so that thousands of sweeps take seconds. For the tests of
 * statistics, search, resume and book; it never sleeps.
 *
 * Model of a device: IOPS(bs, n) = min(ceiling(bs), n / service(bs)) smoothed
 * at the knee, ceiling(bs) = min(max_iops, max_bytes_per_s / bs), times a
 * fall-off beyond `fall_from` outstanding, times noise.
 */
#ifndef ENGINE_SIM_H
#define ENGINE_SIM_H

#include <stdint.h>

#include "engine/measure.h"

struct sim_device {
	double service_ns;	/* latency of one small I/O alone */
	double bytes_per_ns;	/* transfer time of a single I/O: bs / this */
	double max_iops;	/* ceiling for small blocks */
	double max_bytes_per_s; /* ceiling for large blocks */
	double knee;		/* 1 hard .. 8 very soft; 0: 2 */
	double fall_from;	/* outstanding beyond which IOPS fall; 0 none */
	double fall_to;		/* share left at 4x that, e.g. 0.7 */
	double seq_factor;	/* sequential reads are this much faster, 1 */
	double write_factor;	/* writes are this much slower, 1 none */
	double buffered_factor; /* of points with CACHE_BUFFERED; 0: 1 */
	const char *fast_variant; /* points of this variant are faster by */
	double variant_factor;	  /* this; NULL: none */
	uint32_t fail_every;	  /* every n-th visit fails; 0 never */
};

/* Noise multiplies IOPS by exp(x); x is a sum of the parts, each with its own
 * standard deviation, 0 off. */
struct sim_noise {
	double independent;	  /* fresh for every visit */
	double correlated;	  /* AR(1) along the visits of one point */
	double correlation;	  /* of that AR(1), 0 to 1 */
	double drift;		  /* whole device: random walk a minute */
	double pink;		  /* whole device: 1/f over time */
	double burst_probability; /* a visit hit by a burst */
	double burst_depth;	  /* that lowers log IOPS by this */
};

/*
 * device and noise are copied. opts: time, ramp and run_seed count; stop is
 * honoured. Time passes on a virtual clock that starts at
 * 2026-01-01T00:00:00Z. Histograms are filled with a lognormal of the right
 * mean (thousands of samples scaled to the count). 0 or -ENOMEM.
 */
int sim_new(const struct measure_opts *opts, const struct sim_device *device,
	    const struct sim_noise *noise, struct measurer **out);

/* The noiseless IOPS of a point: the truth that tests compare with. */
double sim_true_iops(const struct sim_device *device, const struct point *p);

#endif
