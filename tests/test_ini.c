/* ini: our strict reader of INI files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/ini.h"
#include "tests/textfile.h"

static char scratch[TEXTFILE_PATH_MAX];

static int make_scratch(void **state)
{
	(void)state;
	textfile_new(scratch, "", 0);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	return unlink(scratch);
}

/* What the handler was told, one call a line. */
struct log {
	char text[8192];
	const char *stop_at; /* the key at which the handler gives up */
};

static int note(void *arg, const char *where, const char *section,
		const char *key, const char *value, struct err *err)
{
	struct log *log = arg;
	size_t len = strlen(log->text);

	snprintf(log->text + len, sizeof(log->text) - len, "%s [%s] %s=%s\n",
		 strrchr(where, ':') + 1, section, key ? key : "-",
		 value ? value : "-");
	if (key && log->stop_at && !strcmp(key, log->stop_at))
		return err_usage(err, "%s: stopped", where);
	return 0;
}

static int read_bytes(const void *data, size_t size, struct log *log,
		      struct err *err)
{
	textfile_refill(scratch, data, size);
	return ini_read(scratch, note, log, err);
}

static void expect_log(const char *text, const char *expected)
{
	struct log log = {.stop_at = NULL};
	struct err err = {.kind = ERR_NONE};

	if (read_bytes(text, strlen(text), &log, &err))
		fail_msg("%s", err.text);
	assert_string_equal(log.text, expected);
}

static void sections_and_keys_come_in_file_order(void **state)
{
	(void)state;
	expect_log("# comment\n"
		   "\n"
		   "[sweep]\n"
		   "time = 30s\n"
		   "  rounds=1  \n"
		   "; comment\n"
		   "[workload A ] b]\n"
		   "key\t=\tvalue = more ; and # more\n"
		   "empty =\n"
		   "[ empty ]\n"
		   "[sweep]\n",
		   "3 [sweep] -=-\n"
		   "4 [sweep] time=30s\n"
		   "5 [sweep] rounds=1\n"
		   "7 [workload A ] b] -=-\n"
		   "8 [workload A ] b] key=value = more ; and # more\n"
		   "9 [workload A ] b] empty=\n"
		   "10 [empty] -=-\n"
		   "11 [sweep] -=-\n");
}

static void files_of_windows_editors_are_read(void **state)
{
	(void)state;
	expect_log("\xef\xbb\xbf[s]\r\nk = v\r\n", "1 [s] -=-\n2 [s] k=v\n");
}

static void last_line_may_lack_its_newline(void **state)
{
	(void)state;
	expect_log("[s]\nk = v", "1 [s] -=-\n2 [s] k=v\n");
	expect_log("[s]", "1 [s] -=-\n");
	expect_log("", "");
	expect_log("# only a comment", "");
}

static void same_key_in_two_sections_is_fine(void **state)
{
	(void)state;
	expect_log("[a]\nk=1\n[b]\nk=2\n",
		   "1 [a] -=-\n2 [a] k=1\n3 [b] -=-\n4 [b] k=2\n");
}

static void faults_say_where_and_what(void **state)
{
	static const struct {
		const char *text;
		size_t size; /* 0: strlen */
		const char *says;
	} cases[] = {
	    {"k = v\n", 0, ":1: 'k' stands before the first [section]"},
	    {"[s]\nwhat is this\n", 0, ":2: 'what is this' is neither"},
	    {"[s]\n= v\n", 0, ":2: '' cannot be a key"},
	    {"[s]\nk=1\nj=2\nk=3\n", 0, ":4: 'k' is said twice in [s]"},
	    {"[s\n", 0, ":1: '[s' is not a section"},
	    {"[s] x\n", 0, ":1: '[s] x' is not a section"},
	    {"[s] # x\n", 0, ":1: '[s] # x' is not a section"},
	    {"[]\n", 0, ":1: the section has no name"},
	    {"[ ]\n", 0, ":1: the section has no name"},
	    {"[", 0, ":1: '[' is not a section"},
	    {"[s]\nk = a\0b\n", 11, ":2 holds a NUL"},
	    {"\0", 1, ":1 holds a NUL"},
	    {"\xff\xfe[\0s\0]\0", 8, ":1 holds a NUL"},
	    {"[s]\nk = \xfc\n", 0, ":2 holds a control character or bytes"},
	    {"[s]\rk = v\r", 0, ":1 holds a control character"},
	    {"[s]\nk = \x1b[2J\n", 0, ":2 holds a control character"},
	    {"[s]\n\xef\xbb\xbfk = v\n[s", 0, ":3: '[s' is not"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct log log = {.stop_at = NULL};
		struct err err = {.kind = ERR_NONE};
		size_t size =
		    cases[i].size ? cases[i].size : strlen(cases[i].text);

		assert_int_equal(read_bytes(cases[i].text, size, &log, &err),
				 -EINVAL);
		assert_int_equal(err.kind, ERR_USAGE);
		if (strncmp(err.text, scratch, strlen(scratch)) ||
		    !strstr(err.text, cases[i].says))
			fail_msg("case %zu: %s", i, err.text);
	}
}

static void a_line_may_have_4096_bytes_and_no_more(void **state)
{
	static char text[4 + 4096 + 2] = "[s]\n";
	struct log log = {.stop_at = NULL};
	struct err err = {.kind = ERR_NONE};

	(void)state;
	memset(text + 4, 'v', 4097);
	memcpy(text + 4, "k=", 2);
	text[4 + 4096] = '\n';
	assert_int_equal(read_bytes(text, 4 + 4096 + 1, &log, &err), 0);
	text[4 + 4096] = 'v';
	text[4 + 4097] = '\n';
	assert_int_equal(read_bytes(text, 4 + 4096 + 2, &log, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":2 is longer than 4096 bytes"));
}

static void keys_of_a_section_and_lines_are_limited(void **state)
{
	size_t size = 400000, len = 4;
	char *text = malloc(size);
	struct log log = {.stop_at = NULL};
	struct err err = {.kind = ERR_NONE};
	int i;

	(void)state;
	assert_non_null(text);
	memcpy(text, "[s]\n", 4);
	for (i = 0; i < 300; i++)
		len += (size_t)snprintf(text + len, size - len, "k%d=\n", i);
	assert_int_equal(read_bytes(text, len, &log, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":258: [s] has more than 256 keys"));
	memset(text, '\n', size);
	err_clear(&err);
	assert_int_equal(read_bytes(text, size, &log, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 100000 lines"));
	free(text);
}

static void the_handler_can_stop(void **state)
{
	static const char text[] = "[s]\na=1\nb=2\nc=3\n";
	struct log log = {.stop_at = "b"};
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &log, &err), -EINVAL);
	assert_string_equal(log.text, "1 [s] -=-\n2 [s] a=1\n3 [s] b=2\n");
	assert_non_null(strstr(err.text, ":3: stopped"));
}

static void what_cannot_be_read_is_said(void **state)
{
	struct log log = {.stop_at = NULL};
	struct err err = {.kind = ERR_NONE};

	(void)state;
	assert_int_equal(ini_read("/nonexistent/x.ini", note, &log, &err),
			 -ENOENT);
	assert_string_equal(
	    err.text,
	    "cannot read /nonexistent/x.ini: No such file or directory");
	assert_int_equal(err.kind, ERR_USAGE);
	err_clear(&err);
	assert_true(ini_read("/tmp", note, &log, &err) < 0);
	assert_string_equal(err.text, "cannot read /tmp: Is a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sections_and_keys_come_in_file_order),
	    cmocka_unit_test(files_of_windows_editors_are_read),
	    cmocka_unit_test(last_line_may_lack_its_newline),
	    cmocka_unit_test(same_key_in_two_sections_is_fine),
	    cmocka_unit_test(faults_say_where_and_what),
	    cmocka_unit_test(a_line_may_have_4096_bytes_and_no_more),
	    cmocka_unit_test(keys_of_a_section_and_lines_are_limited),
	    cmocka_unit_test(the_handler_can_stop),
	    cmocka_unit_test(what_cannot_be_read_is_said),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
