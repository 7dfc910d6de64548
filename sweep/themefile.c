#include "sweep/themefile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/ini.h"
#include "sweep/templates.h"
#include "sweep/words.h"

struct reader {
	struct theme *theme;
	const char *path;
};

typedef int set_key(struct reader *r, const char *where, const char *key,
		    const char *value, struct err *err);

static int take_text(char *out, size_t size, const char *where, const char *key,
		     const char *value, struct err *err)
{
	if (strlen(value) >= size)
		return err_usage(err, "%s: %s is longer than %zu bytes", where,
				 key, size - 1);
	strcpy(out, value);
	return 0;
}

/* A file below the theme's folder: opened link by link without following
 * one, so that a theme of a stranger shows nothing from elsewhere. */
static int open_below(const char *theme_path, const char *name)
{
	const char *slash = strrchr(theme_path, '/');
	char *folder =
	    slash ? strndup(theme_path, (size_t)(slash - theme_path) + 1)
		  : strdup(".");
	char *rest = strdup(name), *save = NULL, *part;
	int fd = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	part = rest && name[0] != '/' ? strtok_r(rest, "/", &save) : NULL;
	if (!part && fd >= 0) {
		close(fd);
		fd = -1;
	}
	while (part && fd >= 0) {
		char *next = strtok_r(NULL, "/", &save);
		int flags =
		    O_NOFOLLOW | O_CLOEXEC |
		    (next ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK);
		int below = strcmp(part, "..") ? openat(fd, part, flags) : -1;

		close(fd);
		fd = below;
		part = next;
	}
	free(folder);
	free(rest);
	return fd;
}

static int read_logo(int fd, struct theme *t)
{
	struct stat st;
	size_t done = 0;
	ssize_t n = 1;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > THEME_LOGO_BYTES_MAX)
		return -EINVAL;
	t->logo_size = (size_t)st.st_size;
	t->logo = malloc(t->logo_size);
	while (t->logo && n > 0 && done < t->logo_size) {
		n = read(fd, t->logo + done, t->logo_size - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (!t->logo || done < t->logo_size)
		return -EINVAL;
	return theme_measure_logo(t->logo, t->logo_size, &t->logo_width,
				  &t->logo_height);
}

static int set_logo(struct reader *r, const char *where, const char *value,
		    struct err *err)
{
	int fd = open_below(r->path, value);
	int rc;

	if (fd < 0)
		return err_usage(err,
				 "%s: logo '%.100s' is no file in the theme's "
				 "folder or below (links are not followed)",
				 where, value);
	rc = read_logo(fd, r->theme);
	close(fd);
	if (rc)
		return err_usage(err,
				 "%s: logo '%.100s' is not a whole PNG of at "
				 "most 1 MiB and 4,096 pixels a side",
				 where, value);
	return 0;
}

static int set_theme(struct reader *r, const char *where, const char *key,
		     const char *value, struct err *err)
{
	struct theme *t = r->theme;
	const struct {
		const char *key;
		char *text;
		size_t size;
	} texts[] = {{"title", t->title, sizeof(t->title)},
		     {"subtitle", t->subtitle, sizeof(t->subtitle)},
		     {"author", t->author, sizeof(t->author)},
		     {"font", t->font, sizeof(t->font)}};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(key, texts[i].key))
			return take_text(texts[i].text, texts[i].size, where,
					 key, value, err);
	if (!strcmp(key, "logo"))
		return set_logo(r, where, value, err);
	if (!strcmp(key, "latency-limit")) {
		t->has_limit = true;
		return latency_limit_parse(value, where, &t->limit, err);
	}
	return err_usage(err,
			 "%s: [theme] has no '%.60s'; it has title, subtitle, "
			 "author, logo, font and latency-limit",
			 where, key);
}

/* RRGGBB at *text, which moves behind it. */
static bool take_color(const char **text, uint32_t *out)
{
	uint32_t color = 0;
	int i;

	for (i = 0; i < 6; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = **text ? strchr(digits, **text | 0x20) : NULL;

		if (!d || **text < '0')
			return false;
		color = color << 4 | (uint32_t)(d - digits);
		(*text)++;
	}
	*out = color ? color : 0x010101; /* 0 means "not said" */
	return true;
}

static int set_colors(struct reader *r, const char *where, const char *key,
		      const char *value, struct err *err)
{
	struct theme *t = r->theme;
	const char *c = value;
	bool series = !strcmp(key, "series");
	uint32_t *one = !strcmp(key, "title")  ? &t->title_color
			: !strcmp(key, "head") ? &t->head_color
					       : NULL;

	if (!series && !one)
		return err_usage(err,
				 "%s: [colors] has no '%.60s'; it has title, "
				 "head and series",
				 where, key);
	if (one && take_color(&c, one) && !*c)
		return 0;
	while (series && t->series_count < THEME_SERIES_MAX &&
	       take_color(&c, &t->series[t->series_count])) {
		t->series_count++;
		if (!*c)
			return 0;
		if (*c++ != ',')
			break;
		c += strspn(c, " ");
	}
	return err_usage(
	    err, "%s: '%.60s' is not %s; write RRGGBB, such as 0B3C5D", where,
	    value, series ? "up to 8 colours with commas between" : "a colour");
}

static int set_sheets(struct reader *r, const char *where, const char *key,
		      const char *value, struct err *err)
{
	static const char *const names[THEME_SHEETS] = {
	    [THEME_DASHBOARD] = "dashboard",
	    [THEME_CACHE_EFFECT] = "cache-effect",
	    [THEME_COMPARE_TARGETS] = "compare-targets",
	    [THEME_LATENCY] = "latency",
	    [THEME_HISTOGRAM] = "histogram",
	    [THEME_TIME_SERIES] = "time-series",
	};
	int i;

	if (strcmp(value, "yes") && strcmp(value, "no"))
		return err_usage(err, "%s: '%.60s' is neither yes nor no",
				 where, value);
	for (i = 0; i < THEME_SHEETS; i++)
		if (!strcmp(key, names[i])) {
			r->theme->without[i] = !strcmp(value, "no");
			return 0;
		}
	return err_usage(err,
			 "%s: [sheets] has no '%.60s'; it has dashboard, "
			 "cache-effect, compare-targets, latency, histogram "
			 "and time-series",
			 where, key);
}

static int add_word(struct theme_words *words, const char *where,
		    const char *key, const char *value, struct err *err)
{
	struct theme_word *w = &words->items[words->count];

	if (words->count == THEME_WORDS_MAX)
		return err_usage(err, "%s: more than %d texts", where,
				 THEME_WORDS_MAX);
	if (!*value || *value == '=' || strlen(value) > THEME_SENTENCE_MAX)
		return err_usage(err,
				 "%s: '%.60s' cannot be a heading: 1 to %d "
				 "bytes, not begun with '='",
				 where, value, THEME_SENTENCE_MAX);
	w->english = strdup(key);
	w->word = strdup(value);
	words->count++;
	if (w->english && w->word)
		return 0;
	return err_failed(err, ENOMEM, "%s: out of memory", where);
}

static int set_word(struct reader *r, const char *where, const char *key,
		    const char *value, struct err *err)
{
	return add_word(&r->theme->words, where, key, value, err);
}

static int set_sentence(struct reader *r, const char *where, const char *key,
			const char *value, struct err *err)
{
	if (!theme_formats_match(key, value))
		return err_usage(err,
				 "%s: '%.60s' must take what '%.60s' takes, "
				 "such as %%s and %%u, in the same order",
				 where, value, key);
	return add_word(&r->theme->sentences, where, key, value, err);
}

static const struct {
	const char *section;
	set_key *set;
} sections[] = {{"theme", set_theme},
		{"colors", set_colors},
		{"sheets", set_sheets},
		{"words", set_word},
		{"sentences", set_sentence}};

static int on_key(void *arg, const char *where, const char *section,
		  const char *key, const char *value, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strcmp(section, sections[i].section))
			return key ? sections[i].set(arg, where, key, value,
						     err)
				   : 0;
	return err_usage(err,
			 "%s: [%.60s] is no section of a theme; there are "
			 "[theme], [colors], [sheets], [words] and [sentences]",
			 where, section);
}

int themefile_read(const char *datadir, const char *name, struct theme *out,
		   struct err *err)
{
	struct reader r = {.theme = out};
	char *path;
	int rc = theme_find(datadir, name, &path, err);

	if (rc)
		return rc;
	r.path = path;
	rc = ini_read(path, on_key, &r, err);
	free(path);
	return rc;
}

struct book_opts themefile_opts(const struct theme *theme,
				const struct latency_limit *asked)
{
	struct book_opts opts = {.limit = asked, .theme = theme};

	if (!theme)
		return opts;
	if (theme->title[0])
		opts.title = theme->title;
	if (!isfinite(asked->limit_us) && theme->has_limit)
		opts.limit = &theme->limit;
	return opts;
}
