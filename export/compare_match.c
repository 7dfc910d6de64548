#include "export/compare_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A point of one side. */
struct entry {
	char key[POINT_KEY_MAX];
	uint32_t run, point;
	const struct result *result;
	bool taken;
};

struct list {
	struct entry *entries;
	uint32_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int d = strcmp(x->key, y->key);

	if (d)
		return d;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->point > y->point) - (x->point < y->point);
}

static int list_side(const struct compare *c, uint32_t side, struct list *out)
{
	const struct sides *s = &c->sides;
	size_t room = 1;
	uint32_t i, k;

	for (i = 0; i < s->run_count; i++)
		room += s->runs[i]->point_count;
	out->count = 0;
	out->entries = malloc(room * sizeof(*out->entries));
	if (!out->entries)
		return -ENOMEM;
	for (i = 0; i < s->run_count; i++)
		for (k = 0; k < s->runs[i]->point_count; k++) {
			struct entry *e = &out->entries[out->count];

			if (sides_of(s, i, k) != side)
				continue;
			point_pair_key(&s->runs[i]->points[k], e->key,
				       sizeof(e->key));
			e->run = i;
			e->point = k;
			e->result = &s->runs[i]->results[k];
			e->taken = false;
			out->count++;
		}
	qsort(out->entries, out->count, sizeof(*out->entries), by_key);
	return 0;
}

static bool same_target(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->result->point->target, b->result->point->target);
}

static bool targets_may_meet(const struct compare *c, uint32_t side,
			     const struct entry *a, const struct entry *b)
{
	const struct side *base = &c->sides.sides[0];
	const struct side *other = &c->sides.sides[side];

	return same_target(a, b) || c->sides.by_target ||
	       sides_contrast(base, other) ||
	       (c->sides.ordered && base->single_target &&
		other->single_target);
}

/* What run.ini says about a target; "" unknown. */
static const char *target_fact(const struct run *run, const char *path,
			       const char *name)
{
	uint32_t i;

	for (i = 0; i < run->fact_count; i++)
		if (!strncmp(run->facts[i].section, "target ", 7) &&
		    !strcmp(run->facts[i].name, "path") &&
		    !strcmp(run->facts[i].value, path))
			return run_fact(run, run->facts[i].section, name);
	return "";
}

/* Points that use all of their targets do the same only where these are of
 * one size. Whole devices are compared all the same, which is told. */
static bool regions_may_meet(struct compare *c, uint32_t side,
			     const struct entry *a, const struct entry *b)
{
	const struct run *x = c->sides.runs[a->run];
	const struct run *y = c->sides.runs[b->run];
	const struct point *p = a->result->point, *q = b->result->point;
	const char *size = target_fact(x, p->target, "size_bytes");
	const char *other = target_fact(y, q->target, "size_bytes");

	if (p->workload.working_set_bytes || !size[0] || !other[0] ||
	    !strcmp(size, other))
		return true;
	if (!strcmp(target_fact(x, p->target, "kind"), "file") ||
	    !strcmp(target_fact(y, q->target, "kind"), "file"))
		return false;
	c->about[side].other_sizes = true;
	return true;
}

static int likeness(const struct entry *a, const struct entry *b)
{
	const struct point *p = a->result->point, *q = b->result->point;

	return 4 * same_target(a, b) + 2 * !strcmp(p->section, q->section) +
	       (a->run == b->run);
}

/* The best partner for e among those with its key; why not in reason. */
static struct entry *choose(struct compare *c, uint32_t side,
			    const struct entry *e, struct entry *from,
			    struct entry *end, enum compare_reason *reason)
{
	struct entry *best = NULL;

	*reason = COMPARE_NOT_PLANNED;
	for (; from < end; from++) {
		if (from->taken)
			continue;
		if (!targets_may_meet(c, side, e, from)) {
			*reason = COMPARE_OTHER_TARGET;
			continue;
		}
		if (!regions_may_meet(c, side, e, from)) {
			*reason = COMPARE_OTHER_SIZE;
			continue;
		}
		if (!best || likeness(e, from) > likeness(e, best))
			best = from;
	}
	return best;
}

static void lose(struct compare *c, uint32_t side, uint32_t lacking,
		 const struct result *result, enum compare_reason reason)
{
	c->lost[c->lost_count++] = (struct compare_lost){.side = side,
							 .lacking = lacking,
							 .result = result,
							 .reason = reason,
							 .detail = ""};
}

/* One side has the point but no number of it. */
static void lose_unmeasured(struct compare *c, uint32_t side, uint32_t lacking,
			    const struct result *missing,
			    const struct result *there)
{
	enum compare_reason reason = COMPARE_NOT_MEASURED;

	if (missing->failed)
		reason = COMPARE_FAILED;
	else if (missing->skipped)
		reason = COMPARE_SKIPPED;
	lose(c, side, lacking, there, reason);
	if (missing->reason)
		c->lost[c->lost_count - 1].detail = missing->reason;
}

static void pair_up(struct compare *c, uint32_t side, const struct entry *a,
		    const struct entry *b)
{
	if (!a->result->done) {
		lose_unmeasured(c, side, 0, a->result, b->result);
		return;
	}
	if (!b->result->done) {
		lose_unmeasured(c, side, side, b->result, a->result);
		return;
	}
	c->pairs[c->pair_count++] = (struct compare_pair){.side = side,
							  .base_run = a->run,
							  .other_run = b->run,
							  .base = a->result,
							  .other = b->result};
}

/* Entries of one key on both sides. */
static void match_key(struct compare *c, uint32_t side, struct entry *a,
		      struct entry *a_end, struct entry *b, struct entry *b_end)
{
	bool refused = false;

	for (; a < a_end; a++) {
		enum compare_reason reason;
		struct entry *partner = choose(c, side, a, b, b_end, &reason);

		if (partner) {
			partner->taken = true;
			pair_up(c, side, a, partner);
			continue;
		}
		lose(c, side, side, a->result, reason);
		refused |= reason != COMPARE_NOT_PLANNED;
	}
	/* Those that were refused for target or size are told once. */
	for (; b < b_end && !refused; b++)
		if (!b->taken)
			lose(c, side, 0, b->result, COMPARE_NOT_PLANNED);
}

static struct entry *end_of_key(struct entry *e, struct entry *end)
{
	const char *key = e->key;

	while (e < end && !strcmp(e->key, key))
		e++;
	return e;
}

static void match_side(struct compare *c, uint32_t side, const struct list *x,
		       const struct list *y)
{
	struct entry *a = x->entries, *a_end = a + x->count;
	struct entry *b = y->entries, *b_end = b + y->count;

	while (a < a_end || b < b_end) {
		int d = a == a_end   ? 1
			: b == b_end ? -1
				     : strcmp(a->key, b->key);

		if (d < 0) {
			lose(c, side, side, a++->result, COMPARE_NOT_PLANNED);
		} else if (d > 0) {
			lose(c, side, 0, b++->result, COMPARE_NOT_PLANNED);
		} else {
			struct entry *p = end_of_key(a, a_end);
			struct entry *q = end_of_key(b, b_end);

			match_key(c, side, a, p, b, q);
			a = p;
			b = q;
		}
	}
}

static int make_room(struct compare *c, const struct list *x,
		     const struct list *y)
{
	size_t most = (size_t)x->count + y->count + 1;
	struct compare_pair *pairs =
	    realloc(c->pairs, (c->pair_count + most) * sizeof(*pairs));
	struct compare_lost *lost;

	if (!pairs)
		return -ENOMEM;
	c->pairs = pairs;
	lost = realloc(c->lost, (c->lost_count + most) * sizeof(*lost));
	if (!lost)
		return -ENOMEM;
	c->lost = lost;
	return 0;
}

int compare_match(struct compare *c)
{
	struct list base = {0}, other = {0};
	uint32_t side;
	int rc = list_side(c, 0, &base);

	for (side = 1; !rc && side < c->sides.count; side++) {
		rc = list_side(c, side, &other);
		if (!rc)
			rc = make_room(c, &base, &other);
		if (!rc)
			match_side(c, side, &base, &other);
		free(other.entries);
		other.entries = NULL;
	}
	free(base.entries);
	return rc;
}
