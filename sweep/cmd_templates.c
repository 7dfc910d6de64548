#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/templates.h"
#include "sweep/wrap.h"

#define NAME_WIDTH 18
#define LINE_WIDTH 80

static const struct cli_group no_groups[] = {{0}};

static const struct cli_command templates_command = {
    .name = "templates",
    .arguments = "[NAME]",
    .summary = "List the plans that come with iosweep, or print one.",
    .notes = "Example: iosweep templates iometer-vmware > my-plan.ini",
    .groups = no_groups,
};

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	const char **name = arg;

	(void)key;
	if (*name)
		return err_usage(err, "%s: one name at a time, not '%s' too",
				 where, value);
	*name = value;
	return 0;
}

static int list_templates(struct err *err)
{
	struct template_list list;
	size_t i;

	if (template_list_new(iosweep_datadir, &list))
		return err_failed(err, ENOMEM,
				  "out of memory for the templates");
	for (i = 0; i < list.count; i++) {
		printf("%-*s ", NAME_WIDTH, list.items[i].name);
		wrap_print(stdout, list.items[i].headline, NAME_WIDTH + 1,
			   NAME_WIDTH + 1, LINE_WIDTH);
	}
	template_list_free(&list);
	return 0;
}

static int print_template(const char *name, struct err *err)
{
	char *path;
	FILE *f;
	int c, rc = template_find(iosweep_datadir, name, &path, err);

	if (rc)
		return rc;
	f = fopen(path, "re");
	if (f) {
		while ((c = fgetc(f)) != EOF)
			putchar(c);
		fclose(f);
	} else {
		rc =
		    err_usage(err, "cannot read %s: %s", path, strerror(errno));
	}
	free(path);
	return rc;
}

int cmd_templates(int argc, char **argv, struct err *err)
{
	const char *name = NULL;
	int rc = cli_parse(&templates_command, argc, argv, take, &name, err);

	if (rc == CLI_HELP)
		cli_print_help(&templates_command, stdout);
	else if (!rc)
		name ? print_template(name, err) : list_templates(err);
	return err_exit_status(err);
}
