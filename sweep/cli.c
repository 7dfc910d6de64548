#include "sweep/cli.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/words.h"

#define NAME_MAX_BYTES 64

/* An error of ours on its way through argp, which takes a positive errno. */
struct parse {
	const struct cli_command *command;
	cli_handler *handler;
	void *arg;
	struct err *err;
	bool help;
	int ret;
};

static const struct cli_option *find_key(const struct cli_command *command,
					 int key)
{
	const struct cli_group *g;
	const struct cli_option *o;

	for (g = command->groups; g->header; g++)
		for (o = g->options; o->name; o++)
			if (o->key == key)
				return o;
	return NULL;
}

static const struct cli_option *find_name(const struct cli_command *command,
					  const char *name)
{
	const struct cli_group *g;
	const struct cli_option *o;

	for (g = command->groups; g->header; g++)
		for (o = g->options; o->name; o++)
			if (!strcmp(o->name, name))
				return o;
	return NULL;
}

/* "--name" out of "--name=value"; cut when it is longer than any of ours. */
static const char *typed_name(const char *word, char buf[NAME_MAX_BYTES])
{
	size_t len = strcspn(word, "=");

	if (len >= NAME_MAX_BYTES)
		len = NAME_MAX_BYTES - 1;
	memcpy(buf, word, len);
	buf[len] = '\0';
	return buf;
}

static int refuse_missing_value(const struct parse *p,
				const struct cli_option *o)
{
	return err_usage(p->err,
			 "--%s needs a value (%s); see iosweep %s --help",
			 o->name, o->value, p->command->name);
}

static int refuse_unknown(const struct parse *p, const char *name)
{
	struct words_nearest near = {.word = name + strspn(name, "-")};
	char hint[WORDS_HINT_MAX] = "";
	const struct cli_group *g;
	const struct cli_option *o;

	for (g = p->command->groups; g->header; g++)
		for (o = g->options; o->name; o++)
			words_offer(&near, o->name);
	if (near.best)
		snprintf(hint, sizeof(hint), "; did you mean '--%s'?",
			 near.best);
	return err_usage(p->err,
			 "'%s' is not an option of iosweep %s%s (iosweep %s "
			 "--help lists them)",
			 name, p->command->name, hint, p->command->name);
}

/* Whether argp cannot have stopped at a word that others follow. */
static bool is_no_fault(const struct cli_command *command, const char *word)
{
	char name[NAME_MAX_BYTES];
	const struct cli_option *o;

	if (word[0] != '-')
		return true;
	if (word[1] == '-') {
		o = find_name(command, typed_name(word, name) + 2);
		return o && !o->value == !strchr(word, '=');
	}
	for (word++; *word; word++) {
		o = find_key(command, *word);
		if (!o || o->value)
			return o != NULL;
	}
	return true;
}

/*
 * argp has stopped at an option without telling which: it is the word before
 * the next one, or the next itself when it is a group of letters, -xyz.
 */
static int explain(const struct parse *p, const struct argp_state *state)
{
	const char *word = state->argv[state->next - 1];
	const struct cli_option *o;
	char name[NAME_MAX_BYTES];

	if (state->next < state->argc && is_no_fault(p->command, word))
		word = state->argv[state->next];
	typed_name(word, name);
	if (strncmp(name, "--", 2)) {
		o = name[0] == '-' ? find_key(p->command, name[1]) : NULL;
		if (o && o->value && !word[2])
			return refuse_missing_value(p, o);
		return refuse_unknown(p, name);
	}
	o = find_name(p->command, name + 2);
	if (!o)
		return refuse_unknown(p, name);
	if (o->value)
		return refuse_missing_value(p, o);
	return err_usage(p->err, "--%s takes no value; write it alone",
			 o->name);
}

/* argp takes --rou for --rounds: not here, see the header. */
static int check_spelled_out(const struct parse *p,
			     const struct argp_state *state,
			     const struct cli_option *o, const char *value)
{
	const char *word = state->argv[state->next - 1];
	char name[NAME_MAX_BYTES];

	if (value && value == word)
		word = state->argv[state->next - 2];
	typed_name(word, name);
	/* In the middle of a group of letters it is the word before. */
	if (strncmp(name, "--", 2) || !name[2] ||
	    find_name(p->command, name + 2) ||
	    strncmp(o->name, name + 2, strlen(name + 2)))
		return 0;
	return err_usage(p->err, "'%s' is short for --%s; write it out", name,
			 o->name);
}

static int take_option(struct parse *p, const struct argp_state *state,
		       const struct cli_option *o, const char *value)
{
	char where[NAME_MAX_BYTES + 2];
	int ret = check_spelled_out(p, state, o, value);

	if (ret)
		return ret;
	snprintf(where, sizeof(where), "--%s", o->name);
	return p->handler(p->arg, o->key, where, value, p->err);
}

static int take_argument(struct parse *p, const struct argp_state *state,
			 const char *text)
{
	char foreign[WORDS_CHAR_MAX];

	if (!*text)
		return err_usage(p->err, "an argument of iosweep %s is empty",
				 p->command->name);
	if (!state->quoted && text[0] == '-')
		return err_usage(p->err,
				 "'%s' looks like an option; write ./%s for a "
				 "file of that name",
				 text, text);
	if (!state->quoted && words_start_with_foreign_dash(text))
		return err_usage(p->err,
				 "'%s' begins with %s, which is not the '-' of "
				 "an option; type it anew, or write ./%s for a "
				 "file of that name",
				 text, words_foreign_char(text, foreign), text);
	if (!words_are_clean(text))
		return err_usage(p->err,
				 "'%s' holds a control character or bytes that "
				 "are not UTF-8, which results cannot name; "
				 "give it another name, such as that of a link",
				 text);
	return p->handler(p->arg, CLI_ARGUMENT, p->command->name, text, p->err);
}

static error_t take(int key, char *value, struct argp_state *state)
{
	struct parse *p = state->input;
	const struct cli_option *o;

	if (key == ARGP_KEY_ERROR) {
		if (!p->ret && !p->help)
			p->ret = explain(p, state);
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		p->ret = take_argument(p, state, value);
		return -p->ret;
	}
	if (key == 'h') {
		p->help = true;
		return ECANCELED; /* the rest is not read */
	}
	o = find_key(p->command, key);
	if (!o)
		return ARGP_ERR_UNKNOWN;
	p->ret = take_option(p, state, o, value);
	return -p->ret;
}

/* The options in the form of argp, with the defaults behind their help. */
struct table {
	struct argp_option *options;
	char **texts; /* owned by it */
	size_t count;
};

static void free_table(struct table *t)
{
	size_t i;

	for (i = 0; t->texts && i < t->count; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->options);
}

static size_t count_options(const struct cli_command *command)
{
	const struct cli_group *g;
	const struct cli_option *o;
	size_t count = 0;

	for (g = command->groups; g->header; g++) {
		count++;
		for (o = g->options; o->name; o++)
			count++;
	}
	return count;
}

static int add_option(struct table *t, const struct cli_command *command,
		      const struct cli_option *o, int group)
{
	const char *fallback =
	    command->default_of ? command->default_of(o->key) : NULL;
	char *help;

	if (asprintf(&help, fallback ? "%s (default %s)" : "%s", o->help,
		     fallback) < 0)
		return -ENOMEM;
	t->texts[t->count] = help;
	t->options[t->count++] = (struct argp_option){
	    .name = o->name,
	    .key = o->key,
	    .arg = o->value,
	    .doc = help,
	    .group = group,
	};
	return 0;
}

static int make_table(const struct cli_command *command, struct table *t)
{
	const struct cli_group *g;
	const struct cli_option *o;
	size_t room = count_options(command) + 2; /* --help, the end */
	int group = 0, ret = 0;

	memset(t, 0, sizeof(*t));
	t->options = calloc(room, sizeof(*t->options));
	t->texts = calloc(room, sizeof(*t->texts));
	if (!t->options || !t->texts)
		ret = -ENOMEM;
	for (g = command->groups; !ret && g->header; g++) {
		t->options[t->count++] =
		    (struct argp_option){.doc = g->header, .group = ++group};
		for (o = g->options; !ret && o->name; o++)
			ret = add_option(t, command, o, group);
	}
	if (ret) {
		free_table(t);
		return ret;
	}
	t->options[t->count++] = (struct argp_option){
	    .name = "help", .key = 'h', .doc = "this list", .group = -1};
	return 0;
}

int cli_parse(const struct cli_command *command, int argc, char **argv,
	      cli_handler *handler, void *arg, struct err *err)
{
	struct parse p = {
	    .command = command, .handler = handler, .arg = arg, .err = err};
	struct argp argp = {.parser = take};
	struct table table;
	int ret = make_table(command, &table);

	if (ret)
		return err_failed(err, ENOMEM, "out of memory");
	argp.options = table.options;
	ret = -argp_parse(&argp, argc, argv,
			  ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP |
			      ARGP_IN_ORDER,
			  NULL, &p);
	free_table(&table);
	if (p.help)
		return CLI_HELP;
	if (p.ret)
		return p.ret;
	return ret ? err_failed(err, -ret, "cannot read the options: %s",
				strerror(-ret))
		   : 0;
}

void cli_print_help(const struct cli_command *command, FILE *f)
{
	struct argp argp = {.args_doc = command->arguments};
	char name[NAME_MAX_BYTES];
	char *doc = NULL;
	struct table table;

	if (make_table(command, &table))
		return;
	snprintf(name, sizeof(name), "iosweep %s", command->name);
	if (asprintf(&doc, command->notes ? "%s\v%s" : "%s", command->summary,
		     command->notes) >= 0) {
		argp.options = table.options;
		argp.doc = doc;
		argp_help(&argp, f,
			  ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC |
			      ARGP_HELP_LONG,
			  name);
		free(doc);
	}
	free_table(&table);
}
