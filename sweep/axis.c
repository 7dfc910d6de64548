#include "sweep/axis.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/units.h"
#include "sweep/words.h"

/* No number, nor range of them, needs more. */
#define ITEM_MAX 128
#define WHERE_MAX 256

/* What a sentence offers as a valid form. */
static const char *const examples[] = {
    [AXIS_SIZE] = "8K,64K or 8K..1M or 8K..64K+8K",
    [AXIS_COUNT] = "1,8,32 or 1..128 or 4..64+4",
    [AXIS_PERCENT] = "100,70,0 or 0..100+25",
    [AXIS_RATE] = "5000 or 1000..16000 or unlimited,5000",
    [AXIS_PATTERN] = "seq,rand or 60 or 0..100+25",
};

/* The text being read and the values found so far. */
struct reader {
	const char *text;
	enum axis_unit unit;
	const char *where;
	uint32_t items;	 /* of the list */
	uint32_t number; /* of the item being read, from 1 */
	struct err *err;
	uint64_t *values;
	uint32_t count;
	uint32_t capacity;
};

/* Place of the item being read: the list's, and which of several it is. */
static const char *item_place(const struct reader *r, char buf[WHERE_MAX])
{
	if (r->items == 1)
		return r->where;
	snprintf(buf, WHERE_MAX, "%s, value %u of %u", r->where, r->number,
		 r->items);
	return buf;
}

static int add_value(struct reader *r, uint64_t value)
{
	if (r->count == AXIS_MAX)
		return err_usage(r->err,
				 "%s: '%.60s' makes more than %d values; write "
				 "fewer, such as %s",
				 r->where, r->text, AXIS_MAX,
				 examples[r->unit]);
	if (r->count == r->capacity) {
		uint32_t capacity = r->capacity ? r->capacity * 2 : 16;
		uint64_t *values =
		    realloc(r->values, capacity * sizeof(*values));

		if (!values)
			return err_failed(r->err, ENOMEM, "out of memory");
		r->values = values;
		r->capacity = capacity;
	}
	r->values[r->count++] = value;
	return 0;
}

static int parse_hundredths(const char *text, const char *place, uint64_t *out,
			    struct err *err)
{
	double percent, hundredths;
	int ret = units_parse_percent(text, place, &percent, err);

	if (ret)
		return ret;
	hundredths = round(percent * AXIS_PER_PERCENT);
	if (fabs(percent * AXIS_PER_PERCENT - hundredths) > 1e-6)
		return err_usage(err,
				 "%s: '%s' is finer than a hundredth of a "
				 "percent; write two decimals at most, such as "
				 "33.33",
				 place, text);
	*out = (uint64_t)hundredths;
	return 0;
}

static int parse_pattern(const char *text, const char *place, uint64_t *out,
			 struct err *err)
{
	if (!strcmp(text, "seq")) {
		*out = 0;
		return 0;
	}
	if (!strcmp(text, "rand")) {
		*out = 100 * AXIS_PER_PERCENT;
		return 0;
	}
	if (!parse_hundredths(text, place, out, NULL))
		return 0;
	return err_usage(err,
			 "%s: '%s' is not a pattern; write seq, rand or a "
			 "random %% such as 60",
			 place, text);
}

static int parse_rate(const char *text, const char *place, uint64_t *out,
		      struct err *err)
{
	uint32_t count;

	if (!strcmp(text, "unlimited")) {
		*out = 0;
		return 0;
	}
	if (strchr(text, '%'))
		return err_usage(err,
				 "%s: '%s' has no peak to be a share of; sweep "
				 "or find without a rate first, and write that "
				 "share of its IOPS, such as 5000",
				 place, text);
	if (units_parse_count(text, place, &count, NULL))
		return err_usage(err,
				 "%s: '%s' is not a rate; write I/Os a second "
				 "in total, such as 5000, or unlimited",
				 place, text);
	*out = count;
	return 0;
}

static int parse_value(struct reader *r, const char *text, uint64_t *out)
{
	char buf[WHERE_MAX];
	const char *place = item_place(r, buf);
	uint32_t count;
	int ret;

	switch (r->unit) {
	case AXIS_SIZE:
		return units_parse_size(text, place, out, r->err);
	case AXIS_COUNT:
		ret = units_parse_count(text, place, &count, r->err);
		if (!ret)
			*out = count;
		return ret;
	case AXIS_PERCENT:
		return parse_hundredths(text, place, out, r->err);
	case AXIS_PATTERN:
		return parse_pattern(text, place, out, r->err);
	case AXIS_RATE:
		return parse_rate(text, place, out, r->err);
	}
	return -EINVAL;
}

static int add_doubling(struct reader *r, uint64_t first, uint64_t last)
{
	uint64_t value;
	int ret = 0;

	for (value = first; !ret && value < last; value *= 2) {
		ret = add_value(r, value);
		if (value > last / 2)
			break;
	}
	return ret ? ret : add_value(r, last);
}

static int add_steps(struct reader *r, uint64_t first, uint64_t last,
		     uint64_t step)
{
	uint64_t value;
	int ret = 0;

	for (value = first; !ret && value < last; value += step) {
		ret = add_value(r, value);
		if (step > last - value)
			break;
	}
	return ret ? ret : add_value(r, last);
}

/* first..last or first..last+step; low is cut at its ".." already. */
static int parse_range(struct reader *r, const char *low, char *high)
{
	char buf[WHERE_MAX];
	char *plus = strchr(high, '+');
	uint64_t first, last, step = 0;
	int ret;

	if (plus)
		*plus++ = '\0';
	ret = parse_value(r, low, &first);
	if (!ret)
		ret = parse_value(r, high, &last);
	if (!ret && plus)
		ret = parse_value(r, plus, &step);
	if (ret)
		return ret;
	if (first > last)
		return err_usage(r->err,
				 "%s: '%s..%s' runs downwards; write %s..%s",
				 item_place(r, buf), low, high, high, low);
	if (plus && !step)
		return err_usage(r->err,
				 "%s: '%s..%s+%s' has a step of zero; write "
				 "such as %s",
				 item_place(r, buf), low, high, plus,
				 examples[r->unit]);
	if (!plus && !first && last)
		return err_usage(r->err,
				 "%s: '%s..%s' doubles and cannot start from "
				 "zero; write steps, such as 0..100+25",
				 item_place(r, buf), low, high);
	if (plus)
		return add_steps(r, first, last, step);
	return add_doubling(r, first, last);
}

static int parse_item(struct reader *r, char *item)
{
	char *dots = strstr(item, "..");
	uint64_t value;
	int ret;

	if (dots) {
		*dots = '\0';
		return parse_range(r, item, dots + 2);
	}
	ret = parse_value(r, item, &value);
	return ret ? ret : add_value(r, value);
}

static uint32_t count_items(const char *text)
{
	uint32_t items = 1;

	for (; *text; text++)
		items += *text == ',';
	return items;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next item of a list, blanks around it left out: its start and length.
 * Moves *rest behind the comma, or to NULL at the end. */
static const char *next_item(const char **rest, size_t *out_len)
{
	const char *start = *rest;
	const char *end = start + strcspn(start, ",");

	*rest = *end ? end + 1 : NULL;
	while (start < end && is_blank(*start))
		start++;
	while (end > start && is_blank(end[-1]))
		end--;
	*out_len = (size_t)(end - start);
	return start;
}

static int read_items(struct reader *r)
{
	const char *rest = r->text;
	char place[WHERE_MAX];
	char item[ITEM_MAX];
	int ret = 0;

	while (rest && !ret) {
		size_t len;
		const char *start = next_item(&rest, &len);

		r->number++;
		if (!len)
			return err_usage(r->err,
					 "%s: the value is empty; write such "
					 "as %s",
					 item_place(r, place),
					 examples[r->unit]);
		if (len >= sizeof(item))
			return err_usage(r->err,
					 "%s: '%.40s...' is too long for a "
					 "value; write such as %s",
					 item_place(r, place), start,
					 examples[r->unit]);
		memcpy(item, start, len);
		item[len] = '\0';
		ret = parse_item(r, item);
	}
	return ret;
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_and_drop_duplicates(struct reader *r)
{
	uint32_t i, kept = 0;

	qsort(r->values, r->count, sizeof(*r->values), compare_values);
	for (i = 0; i < r->count; i++)
		if (!kept || r->values[kept - 1] != r->values[i])
			r->values[kept++] = r->values[i];
	r->count = kept;
}

int axis_parse(const char *text, enum axis_unit unit, const char *where,
	       struct axis *out, struct err *err)
{
	struct reader r = {
	    .text = text, .unit = unit, .where = where, .err = err};
	char foreign[WORDS_CHAR_MAX];
	int ret;

	if (words_foreign_char(text, foreign))
		return err_usage(
		    err,
		    "%s: '%.60s' holds the character %s; write plain "
		    "ASCII, such as %s",
		    where, text, foreign, examples[unit]);
	r.items = count_items(text);
	ret = read_items(&r);
	if (ret) {
		free(r.values);
		return ret;
	}
	sort_and_drop_duplicates(&r);
	out->values = r.values;
	out->count = r.count;
	return 0;
}

void axis_free(struct axis *a)
{
	free(a->values);
	a->values = NULL;
	a->count = 0;
}

static bool has_name(const struct axis_names *names, const char *name,
		     size_t len)
{
	uint32_t i;

	for (i = 0; i < names->count; i++)
		if (!strncmp(names->names[i], name, len) &&
		    !names->names[i][len])
			return true;
	return false;
}

static int add_name(struct axis_names *names, const char *name, size_t len,
		    struct err *err)
{
	char *copy;

	if (has_name(names, name, len))
		return 0;
	copy = strndup(name, len);
	if (!copy)
		return err_failed(err, ENOMEM, "out of memory");
	names->names[names->count++] = copy;
	return 0;
}

static int read_names(const char *text, const char *where,
		      struct axis_names *names, struct err *err)
{
	const char *rest = text;
	int ret = 0;

	while (rest && !ret) {
		size_t len;
		const char *name = next_item(&rest, &len);

		if (!len)
			return err_usage(
			    err,
			    "%s: a name in '%.60s' is empty; write "
			    "names with commas between them",
			    where, text);
		ret = add_name(names, name, len, err);
	}
	return ret;
}

int axis_parse_names(const char *text, const char *where,
		     struct axis_names *out, struct err *err)
{
	struct axis_names names = {.count = 0};
	uint32_t items = count_items(text);
	int ret;

	if (!words_are_clean(text))
		return err_usage(
		    err,
		    "%s: '%.60s' holds a control character or bytes "
		    "that are not UTF-8; write plain names",
		    where, text);
	if (items > AXIS_NAMES_MAX)
		return err_usage(err,
				 "%s: %u names are more than %d; write "
				 "fewer",
				 where, items, AXIS_NAMES_MAX);
	names.names = calloc(items, sizeof(*names.names));
	if (!names.names)
		return err_failed(err, ENOMEM, "out of memory");
	ret = read_names(text, where, &names, err);
	if (ret) {
		axis_names_free(&names);
		return ret;
	}
	*out = names;
	return 0;
}

void axis_names_free(struct axis_names *names)
{
	uint32_t i;

	for (i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	names->names = NULL;
	names->count = 0;
}
