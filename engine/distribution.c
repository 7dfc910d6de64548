#include "engine/distribution.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALWAYS ((uint64_t)1 << 32)

/* ---- text ---- */

/* Decimal digits with at most one '.', ended by `end`; moves *text behind it.
 * strtod would take signs, exponents and names too, and the locale's point. */
static bool take_number(const char **text, char end, double *out)
{
	const char *c = *text;
	double value = 0, unit = 1;
	bool fraction = false, digits = false;

	for (; *c && *c != end; c++) {
		if (*c == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (*c < '0' || *c > '9')
			return false;
		value = value * 10 + (*c - '0');
		unit *= fraction ? 10 : 1;
		digits = true;
	}
	if (*c != end || !digits)
		return false;
	*text = end ? c + 1 : c;
	*out = value / unit;
	return true;
}

static bool parse_zipf(const char *text, struct distribution *d)
{
	d->kind = DISTRIBUTION_ZIPF;
	return take_number(&text, '\0', &d->theta) && d->theta > 0 &&
	       d->theta <= DISTRIBUTION_THETA_MAX;
}

static bool parse_hot(const char *text, struct distribution *d)
{
	d->kind = DISTRIBUTION_HOT;
	return take_number(&text, '/', &d->hot_blocks_pct) &&
	       take_number(&text, '\0', &d->hot_ios_pct) &&
	       d->hot_blocks_pct > 0 && d->hot_blocks_pct < 100 &&
	       d->hot_ios_pct > 0 && d->hot_ios_pct <= 100;
}

int distribution_parse(const char *text, struct distribution *out)
{
	struct distribution d = {.kind = DISTRIBUTION_UNIFORM};
	bool good;

	if (!strncmp(text, "zipf:", 5))
		good = parse_zipf(text + 5, &d);
	else if (!strncmp(text, "hot:", 4))
		good = parse_hot(text + 4, &d);
	else
		good = !strcmp(text, "uniform");
	if (!good)
		return -EINVAL;
	*out = d;
	return 0;
}

char *distribution_name(const struct distribution *d,
			char buf[DISTRIBUTION_NAME_MAX])
{
	switch (d->kind) {
	case DISTRIBUTION_UNIFORM:
		strcpy(buf, "uniform");
		break;
	case DISTRIBUTION_ZIPF:
		snprintf(buf, DISTRIBUTION_NAME_MAX, "zipf:%.10g", d->theta);
		break;
	case DISTRIBUTION_HOT:
		snprintf(buf, DISTRIBUTION_NAME_MAX, "hot:%.10g/%.10g",
			 d->hot_blocks_pct, d->hot_ios_pct);
		break;
	}
	return buf;
}

#define THREE_WAY(a, b) (((a) > (b)) - ((a) < (b)))

int distribution_compare(const struct distribution *a,
			 const struct distribution *b)
{
	int d = THREE_WAY(a->kind, b->kind);

	if (!d)
		d = THREE_WAY(a->theta, b->theta);
	if (!d)
		d = THREE_WAY(a->hot_blocks_pct, b->hot_blocks_pct);
	return d ? d : THREE_WAY(a->hot_ios_pct, b->hot_ios_pct);
}

/* ---- permutation ---- */

/* Finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void permutation_init(struct permutation *p, uint64_t blocks, uint64_t key)
{
	unsigned bits = 0;
	int i;

	assert(blocks > 0 && blocks <= (uint64_t)1 << 62);
	while (bits < 62 && (uint64_t)1 << bits < blocks)
		bits++;
	p->blocks = blocks;
	p->half_bits = (bits + 1) / 2;
	p->mask = ((uint64_t)1 << p->half_bits) - 1;
	/* Regions of other sizes have other hot blocks. */
	key ^= mix64(blocks);
	for (i = 0; i < PERMUTATION_ROUNDS; i++)
		p->key[i] = rng_splitmix(&key);
}

static uint64_t feistel(const struct permutation *p, uint64_t i)
{
	uint64_t left = i >> p->half_bits, right = i & p->mask;
	int round;

	for (round = 0; round < PERMUTATION_ROUNDS; round++) {
		uint64_t mixed = mix64(right ^ p->key[round]) & p->mask;

		mixed ^= left;
		left = right;
		right = mixed;
	}
	return left << p->half_bits | right;
}

uint64_t permutation_at(const struct permutation *p, uint64_t i)
{
	do
		i = feistel(p, i);
	while (i >= p->blocks);
	return i;
}

/* ---- Zipf ---- */

/*
 * Rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to
 * generate variates from monotone discrete distributions", ACM TOMACS 6(3),
 * 1996. The hat is the integral H of x^-theta, inverted; 1.1 draws at most are
 * needed on average. H is (x^(1 - theta) - 1) / (1 - theta), log x for 1, in a
 * form that stays exact as theta nears 1.
 */

/* (e^x - 1) / x and log(1 + x) / x, 1 at 0. */
static double expm1_over(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double hat(double theta, double x)
{
	double log_x = log(x);

	return log_x * expm1_over((1 - theta) * log_x);
}

static double hat_inverse(double theta, double h)
{
	double t = h * (1 - theta);

	/* Rounding may step over the pole of theta > 1. */
	return exp(h * log1p_over(t < -1 ? -1 : t));
}

static double weight(double theta, double x)
{
	return exp(-theta * log(x));
}

static void zipf_init(struct drawing *d, double theta)
{
	d->theta = theta;
	d->h_low = hat(theta, 1.5) - 1;
	d->h_high = hat(theta, (double)d->blocks + 0.5);
	d->accept = 2 - hat_inverse(theta, hat(theta, 2.5) - weight(theta, 2));
}

/* Uniform in (0, 1]. */
static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 1) * 0x1p-53;
}

/* From 1. */
static uint64_t zipf_next(const struct drawing *d, struct rng *rng)
{
	double most = (double)d->blocks;

	for (;;) {
		double h = d->h_high + uniform(rng) * (d->h_low - d->h_high);
		double x = hat_inverse(d->theta, h);
		double k = floor(x + 0.5);

		k = k < 1 ? 1 : k > most ? most : k;
		if (k - x <= d->accept ||
		    h >= hat(d->theta, k + 0.5) - weight(d->theta, k))
			return (uint64_t)k;
	}
}

/* ---- drawing ---- */

static void hot_init(struct drawing *d, const struct distribution *what)
{
	double blocks = (double)d->blocks * what->hot_blocks_pct / 100;

	d->hot_blocks = (uint64_t)(blocks + 0.5);
	if (!d->hot_blocks)
		d->hot_blocks = 1;
	d->hot_below =
	    (uint64_t)(what->hot_ios_pct / 100 * (double)ALWAYS + 0.5);
	/* Nothing is left for the others to go to. */
	if (d->hot_blocks >= d->blocks) {
		d->hot_blocks = d->blocks;
		d->hot_below = ALWAYS;
	}
}

void drawing_init(struct drawing *d, const struct distribution *what,
		  uint64_t blocks, uint64_t key)
{
	memset(d, 0, sizeof(*d));
	d->kind = what->kind;
	d->blocks = blocks;
	permutation_init(&d->order, blocks, key);
	if (d->kind == DISTRIBUTION_ZIPF)
		zipf_init(d, what->theta);
	else if (d->kind == DISTRIBUTION_HOT)
		hot_init(d, what);
}

static uint64_t hot_rank(const struct drawing *d, struct rng *rng)
{
	if (rng_next(rng) >> 32 < d->hot_below)
		return rng_below(rng, d->hot_blocks);
	return d->hot_blocks + rng_below(rng, d->blocks - d->hot_blocks);
}

uint64_t drawing_rank(const struct drawing *d, struct rng *rng)
{
	switch (d->kind) {
	case DISTRIBUTION_ZIPF:
		return zipf_next(d, rng) - 1;
	case DISTRIBUTION_HOT:
		return hot_rank(d, rng);
	case DISTRIBUTION_UNIFORM:
		break;
	}
	return rng_below(rng, d->blocks);
}

uint64_t drawing_next(const struct drawing *d, struct rng *rng)
{
	return permutation_at(&d->order, drawing_rank(d, rng));
}

/* ---- share ---- */

/* Sum of k^-theta for k from 1 to n, fractions of the last counted: the first
 * terms as they are, the rest by the midpoint rule. */
static double zipf_sum(double theta, double n)
{
	double sum = 0;
	int k;

	for (k = 1; k <= 64; k++) {
		if (k > n)
			return sum + (n - (k - 1)) * weight(theta, k);
		sum += weight(theta, k);
	}
	return sum + hat(theta, n + 0.5) - hat(theta, 64.5);
}

double distribution_share(const struct distribution *d, double hottest,
			  double blocks)
{
	double hot = d->hot_blocks_pct / 100 * blocks;
	double ios = d->hot_ios_pct / 100;

	if (hottest >= blocks)
		return 1;
	if (hottest <= 0)
		return 0;
	switch (d->kind) {
	case DISTRIBUTION_ZIPF:
		return zipf_sum(d->theta, hottest) / zipf_sum(d->theta, blocks);
	case DISTRIBUTION_HOT:
		if (hottest <= hot)
			return ios * hottest / hot;
		return ios + (1 - ios) * (hottest - hot) / (blocks - hot);
	case DISTRIBUTION_UNIFORM:
		break;
	}
	return hottest / blocks;
}
