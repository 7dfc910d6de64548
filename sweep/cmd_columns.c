#include <stdio.h>

#include "export/columns.h"
#include "sweep/cli.h"
#include "sweep/cmd.h"
#include "sweep/wrap.h"

#define INDENT 4
#define LINE_WIDTH 80

static const struct cli_group no_groups[] = {{0}};

static const struct cli_command columns_command = {
    .name = "columns",
    .arguments = "",
    .summary = "Every column of the files and sheets: unit, meaning, place.",
    .groups = no_groups,
};

static int take(void *arg, int key, const char *where, const char *value,
		struct err *err)
{
	(void)arg;
	(void)key;
	return err_usage(err, "%s: takes no argument, so '%s' is too much",
			 where, value);
}

static void print_column(const struct column *c)
{
	static const struct {
		uint32_t bit;
		const char *place;
	} places[] = {
	    {COLUMN_IN_PLAN, "plan.csv"},
	    {COLUMN_IN_VISITS, "visits.csv"},
	    {COLUMN_IN_POINTS, "points.csv"},
	    {COLUMN_IN_SHEET, "sheet Results"},
	    {COLUMN_IN_PAIRS, "the CSV of iosweep compare"},
	};
	const char *comma = "";
	size_t i;

	printf("%s%s%s%s\n%*s", c->name, c->unit[0] ? " (" : "", c->unit,
	       c->unit[0] ? ")" : "", INDENT, "");
	wrap_print(stdout, c->help, INDENT, INDENT, LINE_WIDTH);
	printf("%*sin ", INDENT, "");
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!(c->where & places[i].bit))
			continue;
		printf("%s%s", comma, places[i].place);
		comma = ", ";
	}
	printf("\n");
}

int cmd_columns(int argc, char **argv, struct err *err)
{
	int rc = cli_parse(&columns_command, argc, argv, take, NULL, err);
	size_t i;

	if (rc == CLI_HELP)
		cli_print_help(&columns_command, stdout);
	for (i = 0; !rc && i < column_count; i++)
		print_column(&columns[i]);
	return err_exit_status(err);
}
