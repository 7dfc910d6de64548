#include "sweep/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/units.h"
#include "export/precision.h"
#include "export/steady.h"
#include "sweep/choice.h"

/* The defaults of the program are here and nowhere else. */
static const struct {
	const char *name;
	const char *fallback;
} keys[PLAN_KEY_COUNT] = {
    [PLAN_BLOCK_SIZE] = {"block-size", "8K..1M"},
    [PLAN_OUTSTANDING] = {"outstanding", "1..128"},
    [PLAN_QUEUE_DEPTH] = {"queue-depth", NULL},
    [PLAN_PATTERN] = {"pattern", "seq,rand"},
    [PLAN_DISTRIBUTION] = {"distribution", "uniform"},
    [PLAN_READ] = {"read", "100"},
    [PLAN_RATE] = {"rate", "unlimited"},
    [PLAN_THREADS] = {"threads", "1"},
    [PLAN_WORKING_SET] = {"working-set", NULL},
    [PLAN_CACHE] = {"cache", "direct"},
    [PLAN_ENGINE] = {"engine", "auto"},
    [PLAN_VARIANT] = {"variant", NULL},
    [PLAN_SIZE] = {"size", "10G"},
    [PLAN_TIME] = {"time", "1s"},
    [PLAN_RAMP] = {"ramp", "150ms"},
    [PLAN_ROUNDS] = {"rounds", "5"},
    [PLAN_PRECISION] = {"precision", NULL},
    [PLAN_STEADY] = {"steady", NULL},
    [PLAN_PRECONDITION] = {"precondition", NULL},
    [PLAN_PRECONDITION_TIME] = {"precondition-time", NULL},
    [PLAN_BUDGET] = {"budget", NULL},
    [PLAN_PAUSE] = {"pause", "0s"},
    [PLAN_MAX_TIME] = {"max-time", NULL},
    [PLAN_ORDER] = {"order", "shuffle"},
    [PLAN_SEED] = {"seed", NULL},
    [PLAN_STATE] = {"state", NULL},
    [PLAN_WARM_PASSES] = {"warm-passes", "2..10"},
    [PLAN_VARIANT_ORDER] = {"variant-order", NULL},
    [PLAN_COMMAND_TIMEOUT] = {"command-timeout", "60s"},
};

const char *plan_key_name(enum plan_key key)
{
	return (unsigned)key < PLAN_KEY_COUNT ? keys[key].name : NULL;
}

const char *plan_key_default(enum plan_key key)
{
	return (unsigned)key < PLAN_KEY_COUNT ? keys[key].fallback : NULL;
}

const char *plan_variant_key_name(enum plan_variant_key key)
{
	static const char *const names[PLAN_VARIANT_KEY_COUNT] = {
	    [PLAN_VARIANT_TARGET] = "target",
	    [PLAN_VARIANT_CACHE] = "cache",
	    [PLAN_VARIANT_STATE] = "state",
	    [PLAN_VARIANT_ENTER] = "enter",
	    [PLAN_VARIANT_LEAVE] = "leave",
	    [PLAN_VARIANT_BEFORE_POINT] = "before-point",
	};

	return (unsigned)key < PLAN_VARIANT_KEY_COUNT ? names[key] : NULL;
}

int plan_text_set(struct plan_text *t, const char *value, const char *where)
{
	char *value_copy = strdup(value);
	char *where_copy = strdup(where);

	if (!value_copy || !where_copy) {
		free(value_copy);
		free(where_copy);
		return -ENOMEM;
	}
	free(t->value);
	free(t->where);
	t->value = value_copy;
	t->where = where_copy;
	return 0;
}

const struct plan_text *plan_said(const struct plan_request *req,
				  const struct plan_section *section,
				  enum plan_key key, struct plan_text *fallback)
{
	if (req->option[key].value)
		return &req->option[key];
	if (section && key < PLAN_AXIS_COUNT && section->axis[key].value)
		return &section->axis[key];
	if (req->common[key].value)
		return &req->common[key];
	if (!plan_key_default(key))
		return NULL;
	fallback->value = (char *)plan_key_default(key);
	fallback->where = (char *)plan_key_name(key);
	return fallback;
}

static void free_texts(struct plan_text *texts, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		free(texts[i].value);
		free(texts[i].where);
	}
}

static void free_names(char **names, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

void plan_request_fini(struct plan_request *req)
{
	uint32_t i;

	free_texts(req->option, PLAN_KEY_COUNT);
	free_texts(req->common, PLAN_KEY_COUNT);
	for (i = 0; i < req->section_count; i++) {
		free(req->sections[i].name);
		free_texts(req->sections[i].axis, PLAN_AXIS_COUNT);
	}
	free(req->sections);
	for (i = 0; i < req->variant_count; i++) {
		free(req->variants[i].name);
		free_texts(req->variants[i].key, PLAN_VARIANT_KEY_COUNT);
	}
	free(req->variants);
	free_names(req->targets, req->target_count);
	for (i = 0; i < req->tag_count; i++) {
		free(req->tags[i].target);
		free(req->tags[i].key);
		free(req->tags[i].value);
		free(req->tags[i].where);
	}
	free(req->tags);
	memset(req, 0, sizeof(*req));
}

bool plan_request_has_commands(const struct plan_request *req)
{
	uint32_t i;
	int key;

	for (i = 0; i < req->variant_count; i++)
		for (key = PLAN_VARIANT_FIRST_COMMAND;
		     key < PLAN_VARIANT_KEY_COUNT; key++)
			if (req->variants[i].key[key].value)
				return true;
	return false;
}

/* A duration that may be none. */
static int parse_pause(const char *text, const char *where, uint64_t *out,
		       struct err *err)
{
	if (!strcmp(text, "0") || !strcmp(text, "0s") || !strcmp(text, "0ms")) {
		*out = 0;
		return 0;
	}
	return units_parse_duration(text, where, out, err);
}

static int parse_rounds(const char *text, const char *where, uint32_t *out,
			struct err *err)
{
	uint32_t rounds;
	int ret = units_parse_count(text, where, &rounds, err);

	if (ret)
		return ret;
	if (rounds > PLAN_ROUNDS_MAX)
		return err_usage(
		    err, "%s: %u rounds are more than %d; ask for fewer", where,
		    rounds, PLAN_ROUNDS_MAX);
	*out = rounds;
	return 0;
}

static int parse_precision(const char *text, const char *where, double *out,
			   struct err *err)
{
	double pct;

	if (units_parse_percent(text, where, &pct, NULL) || !(pct > 0) ||
	    pct > PLAN_PRECISION_MAX_PCT)
		return err_usage(err,
				 "%s: '%.60s' is not a precision; write the "
				 "half width of the interval, over 0 and up to "
				 "%d%%, such as 2%%",
				 where, text, PLAN_PRECISION_MAX_PCT);
	*out = pct;
	return 0;
}

/* In a plan file; on the command line there is nothing to parse. */
static int parse_yes(const char *text, const char *where, bool *out,
		     struct err *err)
{
	if (strcmp(text, "yes") && strcmp(text, "no"))
		return err_usage(err, "%s: '%.60s' is neither yes nor no",
				 where, text);
	*out = !strcmp(text, "yes");
	return 0;
}

static int parse_order(const char *text, const char *where,
		       enum plan_order *out, struct err *err)
{
	static const char *const names[] = {
	    [PLAN_SHUFFLE] = "shuffle",
	    [PLAN_AS_PLANNED] = "plan",
	};
	static const struct choice orders = {names, 2,
					     "an order (shuffle or plan)"};
	int i = choice_find(&orders, text, where, err);

	if (i < 0)
		return i;
	*out = (enum plan_order)i;
	return 0;
}

static const char *const variant_orders[] = {
    [PLAN_INTERLEAVED] = "interleaved",
    [PLAN_ABBA] = "abba",
    [PLAN_SEQUENTIAL] = "sequential",
};

const char *plan_variant_order_name(enum plan_variant_order order)
{
	return variant_orders[order];
}

static int parse_variant_order(const char *text, const char *where,
			       enum plan_variant_order *out, struct err *err)
{
	static const struct choice orders = {
	    variant_orders, 3,
	    "an order of variants (interleaved, abba or sequential)"};
	int i = choice_find(&orders, text, where, err);

	if (i < 0)
		return i;
	*out = (enum plan_variant_order)i;
	return 0;
}

/* "2..10", or "3" for exactly three. */
static int parse_passes(const char *text, const char *where,
			struct plan_settings *s, struct err *err)
{
	const char *dots = strstr(text, "..");
	char first[16] = "";
	int ret;

	/* What is cut is too long to be a count. */
	strncat(first, text,
		dots && (size_t)(dots - text) < sizeof(first)
		    ? (size_t)(dots - text)
		    : sizeof(first) - 1);
	ret = units_parse_count(first, where, &s->warm_passes_min, err);
	s->warm_passes_max = s->warm_passes_min;
	if (!ret && dots)
		ret = units_parse_count(dots + 2, where, &s->warm_passes_max,
					err);
	if (ret)
		return ret;
	if (s->warm_passes_max < s->warm_passes_min ||
	    s->warm_passes_max > PLAN_WARM_PASSES_MAX)
		return err_usage(err,
				 "%s: '%.60s' is not a number of passes; write "
				 "the least and the most, up to %d, such as "
				 "2..10",
				 where, text, PLAN_WARM_PASSES_MAX);
	return 0;
}

/* A seed that a spreadsheet shows whole: doubles hold 53 bits. */
static int draw_seed(uint64_t *out, struct err *err)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		return err_failed(err, errno,
				  "cannot draw a seed: %s; say one with --seed",
				  strerror(errno));
	*out = seed >> 11;
	return 0;
}

static int parse_setting(enum plan_key key, const struct plan_text *t,
			 struct plan_settings *s, struct err *err)
{
	switch (key) {
	case PLAN_SIZE:
		return units_parse_size(t->value, t->where, &s->size_bytes,
					err);
	case PLAN_TIME:
		return units_parse_duration(t->value, t->where, &s->time_ns,
					    err);
	case PLAN_RAMP:
		return parse_pause(t->value, t->where, &s->ramp_ns, err);
	case PLAN_ROUNDS:
		return parse_rounds(t->value, t->where, &s->rounds, err);
	case PLAN_PRECISION:
		return parse_precision(t->value, t->where, &s->precision_pct,
				       err);
	case PLAN_STEADY:
		return parse_yes(t->value, t->where, &s->steady, err);
	case PLAN_PRECONDITION:
		return parse_yes(t->value, t->where, &s->precondition, err);
	case PLAN_PRECONDITION_TIME:
		return units_parse_duration(t->value, t->where,
					    &s->precondition_time_ns, err);
	case PLAN_BUDGET:
		return units_parse_duration(t->value, t->where, &s->budget_ns,
					    err);
	case PLAN_PAUSE:
		return parse_pause(t->value, t->where, &s->pause_ns, err);
	case PLAN_MAX_TIME:
		return units_parse_duration(t->value, t->where, &s->max_time_ns,
					    err);
	case PLAN_ORDER:
		return parse_order(t->value, t->where, &s->order, err);
	case PLAN_SEED:
		return units_parse_u64(t->value, t->where, &s->seed, err);
	case PLAN_WARM_PASSES:
		return parse_passes(t->value, t->where, s, err);
	case PLAN_VARIANT_ORDER:
		return parse_variant_order(t->value, t->where,
					   &s->variant_order, err);
	case PLAN_COMMAND_TIMEOUT:
		return units_parse_duration(t->value, t->where,
					    &s->command_timeout_ns, err);
	default:
		return 0;
	}
}

/* What ends the rounds before their number does. */
struct ending {
	const char *name;     /* in a sentence */
	uint32_t least, most; /* rounds needed, and allowed unless said */
};

static int find_ending(const struct plan_settings *s, struct ending *out,
		       struct err *err)
{
	*out = (struct ending){NULL, 0, 0};
	if (s->precision_pct > 0 && s->steady)
		return err_usage(err, "--precision and --steady both decide "
				      "when a point is done; keep one");
	if (s->precision_pct > 0)
		*out = (struct ending){"a precision", PRECISION_MIN_VISITS,
				       PRECISION_MAX_VISITS};
	if (s->steady)
		*out = (struct ending){"a steady state", STEADY_ROUNDS,
				       STEADY_ROUNDS_MAX};
	return 0;
}

/* Then the rounds are a limit, and have a default of their own. */
static int limit_rounds(const struct plan_request *req, struct plan_settings *s,
			struct err *err)
{
	struct plan_text fallback = {NULL, NULL};
	const struct plan_text *said =
	    plan_said(req, NULL, PLAN_ROUNDS, &fallback);
	struct ending ending;
	int ret = find_ending(s, &ending, err);

	if (ret || !ending.name)
		return ret;
	if (said == &fallback)
		s->rounds = ending.most;
	if (s->rounds >= ending.least)
		return 0;
	return err_usage(err,
			 "%s: %s needs %u rounds at the least, and %s "
			 "limits them; write more, such as %u",
			 said->where, ending.name, ending.least, said->value,
			 ending.most);
}

int plan_settings_parse(const struct plan_request *req,
			struct plan_settings *out, struct err *err)
{
	struct plan_settings s;
	struct plan_text fallback;
	int key, ret = 0;

	memset(&s, 0, sizeof(s));
	for (key = PLAN_AXIS_COUNT; !ret && key < PLAN_KEY_COUNT; key++) {
		const struct plan_text *t =
		    plan_said(req, NULL, (enum plan_key)key, &fallback);

		if (t)
			ret = parse_setting((enum plan_key)key, t, &s, err);
		else if (key == PLAN_SEED)
			ret = draw_seed(&s.seed, err);
	}
	if (!ret && s.precondition_time_ns && !s.precondition)
		ret = err_usage(err, "--precondition-time is the time of "
				     "--precondition; say that too");
	if (!ret && s.budget_ns && (s.precision_pct > 0 || s.steady))
		ret = err_usage(err, "a search (budget) ends by its answer, "
				     "not by a precision or steadiness; leave "
				     "out one of the two");
	if (!ret)
		ret = limit_rounds(req, &s, err);
	if (!ret)
		memcpy(out, &s, sizeof(s));
	return ret;
}
