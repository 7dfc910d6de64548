/*
 * sim: a measurer without hardware: simulated devices and noise on a virtual
 * clock, so that thousands of sweeps take seconds. For the tests of
 * statistics, search, resume and book; it never sleeps.
 *
 * Model of a device: one I/O alone takes service(bs) = service_ns + bs /
 * bytes_per_ns; IOPS(bs, n) is the smooth minimum of n / service(bs) and
 * ceiling(bs) = min(max_iops, max_bytes_per_s / bs), times a fall-off beyond
 * `fall_from` outstanding and what a dip leaves, times what kind of I/O it is,
 * times noise. A rate takes as few I/Os in flight as bring it.
 */
#ifndef ENGINE_SIM_H
#define ENGINE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/measure.h"

/* A 0 switches a part off where nothing else is said; factors of 0 are 1. */
struct sim_device {
	double service_ns;	  /* latency of one small I/O alone; over 0 */
	double bytes_per_ns;	  /* transfer of a single I/O */
	double max_iops;	  /* ceiling for small blocks */
	double max_bytes_per_s;	  /* ceiling for large blocks */
	double knee;		  /* 1 hard .. 8 very soft; 0: 2 */
	double fall_from;	  /* outstanding beyond which IOPS fall */
	double fall_to;		  /* share left at 4x that, 0.7, as a power */
	double dip_outstanding;	  /* IOPS dip around so many in flight, */
	double dip_size_bytes;	  /* or around that block size, */
	double dip_to;		  /* to that share, by a doubling about */
	double seq_factor;	  /* sequential reads are this much faster */
	double write_factor;	  /* writes take this much longer */
	double buffered_factor;	  /* points with CACHE_BUFFERED are faster */
	const char *fast_variant; /* points of this variant are faster by */
	double variant_factor;	  /* this; NULL: none */
	double fresh_factor;	  /* at first this much faster, which is lost */
	double settle_s;	  /* with this time constant; 0: never was */
	uint32_t fail_every;	  /* every n-th visit fails */
	bool counts_only; /* no histograms and no samples: ten times as fast */
};

/*
 * Noise multiplies IOPS by exp(x); x is a sum of the parts, each with its own
 * standard deviation, 0 off. Drift, pink and correlated pass in virtual time
 * whether anybody measures or not.
 */
struct sim_noise {
	double independent;   /* fresh for every visit */
	double within;	      /* fresh for every interval of a visit's series,
			       * the visit's mean aside */
	double correlated;    /* a point's own: Ornstein-Uhlenbeck, */
	double correlation_s; /* correlated exp(-t / this) after t seconds */
	double uneven;	      /* points differ: their independent and correlated
			       * noise is scaled by exp(this x a normal) */
	double drift;	      /* whole device: random walk, per root minute */
	double pink; /* whole device: 1/f, time constants 0.5 s to 34 min */
	double burst_probability; /* a visit is hit by a burst */
	double burst_depth;	  /* that lowers log IOPS by this */
};

/*
 * device and noise are copied. opts: time_ns, ramp_ns, interval_ns and
 * run_seed count; stop is honoured. Time passes on a virtual clock that
 * starts at 2026-01-01T00:00:00Z. Latencies are lognormal with the mean that
 * Little's law asks for. The same seed and the same calls give the same
 * visits. 0 or -ENOMEM.
 */
int sim_new(const struct measure_opts *opts, const struct sim_device *device,
	    const struct sim_noise *noise, struct measurer **out);

/* The noiseless IOPS of a point, once the device has settled. */
double sim_true_iops(const struct sim_device *device, const struct point *p);

/* Virtual time since the start, ramps and failed visits included. */
uint64_t sim_elapsed_ns(const struct measurer *m);

/*
 * The truth that intervals are held against: expected IOPS of a point, as the
 * mean over that part of the virtual time, drift, pink and correlated noise
 * as they were then, the device settled. NAN when out of memory or to <= from.
 */
double sim_mean_iops(struct measurer *m, const struct point *p,
		     uint64_t from_ns, uint64_t to_ns);

#endif
