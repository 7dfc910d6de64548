#include "sweep/templates.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/words.h"

#define SUFFIX ".ini"

static bool ends_in_suffix(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) &&
	       !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

/* The first comment line of a file, without its '#'. NULL: no memory. */
static char *read_headline(const char *path)
{
	char line[256] = "";
	const char *start = line;
	FILE *f = fopen(path, "re");

	if (f) {
		if (!fgets(line, sizeof(line), f) || line[0] != '#')
			line[0] = '\0';
		fclose(f);
	}
	line[strcspn(line, "\r\n")] = '\0';
	start += strspn(start, "# ");
	return strdup(words_are_clean(start) ? start : "");
}

static const struct template_info *find_name(const struct template_list *list,
					     const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

static void free_item(struct template_info *item)
{
	free(item->name);
	free(item->path);
	free(item->headline);
}

static int add_file(struct template_list *list, const char *folder,
		    const char *file)
{
	struct template_info item = {.name = NULL};
	struct template_info *items;

	item.name = strndup(file, strlen(file) - strlen(SUFFIX));
	if (item.name && find_name(list, item.name)) {
		free_item(&item);
		return 0;
	}
	if (asprintf(&item.path, "%s/%s", folder, file) < 0)
		item.path = NULL;
	item.headline = item.path ? read_headline(item.path) : NULL;
	items = realloc(list->items, (list->count + 1) * sizeof(*items));
	if (items)
		list->items = items;
	if (!items || !item.name || !item.path || !item.headline) {
		free_item(&item);
		return -ENOMEM;
	}
	items[list->count++] = item;
	return 0;
}

/* All templates of a folder that may not exist. */
static int add_folder(struct template_list *list, const char *path)
{
	char *folder = realpath(path, NULL);
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int ret = 0;

	if (!dir) {
		free(folder);
		return 0;
	}
	while (!ret && (entry = readdir(dir)))
		if (ends_in_suffix(entry->d_name) &&
		    words_are_clean(entry->d_name))
			ret = add_file(list, folder, entry->d_name);
	closedir(dir);
	free(folder);
	return ret;
}

/* Folder of the running program, "" when /proc does not tell. */
static void find_program_folder(char *buf, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	buf[len > 0 ? len : 0] = '\0';
	slash = strrchr(buf, '/');
	if (slash)
		*slash = '\0';
}

static int compare_items(const void *a, const void *b)
{
	const struct template_info *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* kind is the folder below templates: "sweeps", "reports". */
static int list_new(const char *datadir, const char *kind,
		    struct template_list *out)
{
	struct template_list list = {.count = 0};
	char program[PATH_MAX], folder[PATH_MAX + 32];
	int ret = 0;

	find_program_folder(program, sizeof(program));
	if (program[0]) {
		snprintf(folder, sizeof(folder), "%s/../../templates/%s",
			 program, kind);
		ret = add_folder(&list, folder);
		snprintf(folder, sizeof(folder), "%s/templates/%s", program,
			 kind);
		ret = ret ? ret : add_folder(&list, folder);
	}
	snprintf(folder, sizeof(folder), "%s/templates/%s", datadir, kind);
	ret = ret ? ret : add_folder(&list, folder);
	if (ret) {
		template_list_free(&list);
		return ret;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items),
		      compare_items);
	*out = list;
	return 0;
}

int template_list_new(const char *datadir, struct template_list *out)
{
	return list_new(datadir, "sweeps", out);
}

void template_list_free(struct template_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free_item(&list->items[i]);
	free(list->items);
	list->items = NULL;
	list->count = 0;
}

static int say_not_found(const struct template_list *list, const char *what,
			 const char *name, struct err *err)
{
	struct words_nearest near = {.word = name};
	char hint[WORDS_HINT_MAX];
	char names[ERR_TEXT_MAX / 2] = "";
	size_t i, len = 0;

	for (i = 0; i < list->count && len < sizeof(names); i++) {
		words_offer(&near, list->items[i].name);
		len +=
		    (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
				     i ? ", " : "", list->items[i].name);
	}
	if (list->count)
		err_usage(err, "there is no %s '%.60s' among %s%s", what, name,
			  names, words_hint(&near, hint));
	else
		err_usage(err,
			  "there is no %s '%.60s', nor any other beside "
			  "the program or where make install puts them",
			  what, name);
	return -ENOENT;
}

static int find_path(const char *datadir, const char *kind, const char *what,
		     const char *name, char **out_path, struct err *err)
{
	struct template_list list = {.count = 0};
	const struct template_info *found;
	char *path = NULL;
	int ret = 0;

	if (strchr(name, '/') || ends_in_suffix(name)) {
		path = strdup(name);
	} else {
		ret = list_new(datadir, kind, &list);
		found = find_name(&list, name);
		if (found)
			path = strdup(found->path);
		else if (!ret)
			ret = say_not_found(&list, what, name, err);
		template_list_free(&list);
	}
	if (!ret && !path)
		ret = -ENOMEM;
	if (ret == -ENOMEM)
		err_failed(err, ENOMEM, "out of memory");
	if (!ret)
		*out_path = path;
	return ret;
}

int template_find(const char *datadir, const char *name, char **out_path,
		  struct err *err)
{
	return find_path(datadir, "sweeps", "template", name, out_path, err);
}

int theme_find(const char *datadir, const char *name, char **out_path,
	       struct err *err)
{
	return find_path(datadir, "reports", "theme", name, out_path, err);
}
