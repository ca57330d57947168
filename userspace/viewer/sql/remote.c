// SPDX-License-Identifier: GPL-2.0
/*
 * remote.c - statements for a store in ClickHouse, which has the tables of ktrace load
 *
 * The whole answer goes to a temporary file first: whether a statement succeeds is known at its
 * end.
 */
#include "ask.h"

#include "base/progress.h"
#include "base/temporary.h"
#include "clickhouse/clickhouse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longest time for a statement: three years */
#define LIMIT_MAX_S 100000000u
/* A server that hangs does not know how late it is: our own time ends so much later. */
#define GRACE_S 5u

/**
 * struct answer - an answer, as TabSeparatedWithNamesAndTypes
 * @source:	for show_rows()
 * @file:	the answer
 * @line:	a row
 * @room:	of @line
 * @names:	line with the names of the columns
 * @types:	line with their types
 * @cells:	of the row, and of @names and @types
 * @nr:		number of columns
 */
struct answer {
	struct row_source source;
	FILE *file;
	char *line, *names, *types;
	size_t room;
	struct ktrace_sql_value *cells;
	char **name, **type;
	int nr;
};

/* Replaces escapes in place. Returns the length. */
static size_t unescape(char *text)
{
	static const char from[] = "btnr0fv'\\", to[] = "\b\t\n\r\0\f\v'\\";
	char *out = text;

	for (const char *at = text; *at; at++) {
		const char *escape = *at == '\\' && at[1] ? strchr(from, at[1]) : NULL;

		if (*at == '\\' && at[1])
			at++;
		*out++ = escape ? to[escape - from] : *at;
	}
	*out = '\0';
	return (size_t)(out - text);
}

/* Splits a line at tabs, in place. Returns the number of words; @words has room for @max. */
static int split(char *line, char **words, int max)
{
	int nr = 0;
	char *word;

	while (nr < max && (word = strsep(&line, "\t")))
		words[nr++] = word;
	return line ? -1 : nr;
}

/* Reads a line without its end. Return: 1, 0 at the end, -errno. */
static int read_line(FILE *file, char **line, size_t *room)
{
	const ssize_t n = getline(line, room, file);

	if (n < 0)
		return ferror(file) ? -EIO : 0;
	if (n && (*line)[n - 1] == '\n')
		(*line)[n - 1] = '\0';
	return 1;
}

static int columns(const struct row_source *s)
{
	return ((const struct answer *)s)->nr;
}

static const char *column(const struct row_source *s, int i)
{
	return ((const struct answer *)s)->name[i];
}

static void value(const struct row_source *s, int i, struct ktrace_sql_value *out)
{
	*out = ((const struct answer *)s)->cells[i];
}

/* Makes a value; a number that is none of SQLite's stays text. */
static struct ktrace_sql_value value_of(char *text, const char *type)
{
	struct ktrace_sql_value v = { .type = KTRACE_SQL_TEXT, .bytes = text };
	char *end;

	if (!strcmp(text, "\\N"))
		return (struct ktrace_sql_value){ .type = KTRACE_SQL_NULL };
	if (!strncmp(type, "Nullable(", 9))
		type += 9;
	errno = 0;
	if (!strncmp(type, "Int", 3) || !strncmp(type, "UInt", 4)) {
		v.integer = strtoll(text, &end, 10);
		if (*text && !*end && !errno)
			v.type = KTRACE_SQL_INTEGER;
	} else if (!strncmp(type, "Float", 5)) {
		v.real = strtod(text, &end);
		if (*text && !*end)
			v.type = KTRACE_SQL_REAL;
	}
	v.len = unescape(text);
	return v;
}

static int step(struct row_source *s)
{
	struct answer *a = (struct answer *)s;
	int ret = read_line(a->file, &a->line, &a->room);
	char *rest = a->line, *word;

	for (int i = 0; ret > 0 && i < a->nr; i++) {
		word = strsep(&rest, "\t");
		if (!word)
			return -EBADMSG;
		a->cells[i] = value_of(word, a->type[i]);
	}
	return ret > 0 && rest ? -EBADMSG : ret;
}

/* Reads the names and types. Return: 0, -errno; -EBADMSG: the server sent something else. */
static int read_head(struct answer *a)
{
	size_t room = 0, room2 = 0;
	int ret = read_line(a->file, &a->names, &room);

	/* No answer at all: a statement without rows */
	if (ret <= 0)
		return ret;
	ret = read_line(a->file, &a->types, &room2);
	if (ret <= 0)
		return ret ? ret : -EBADMSG;
	a->nr = 1;
	for (const char *at = a->names; *at; at++)
		a->nr += *at == '\t';
	a->name = calloc((size_t)a->nr, sizeof(*a->name));
	a->type = calloc((size_t)a->nr, sizeof(*a->type));
	a->cells = calloc((size_t)a->nr, sizeof(*a->cells));
	if (!a->name || !a->type || !a->cells)
		return -ENOMEM;
	if (split(a->names, a->name, a->nr) != a->nr || split(a->types, a->type, a->nr) != a->nr)
		return -EBADMSG;
	for (int i = 0; i < a->nr; i++)
		unescape(a->name[i]);
	return 0;
}

static void free_answer(struct answer *a)
{
	if (a->file)
		fclose(a->file);
	free(a->line);
	free(a->names);
	free(a->types);
	free(a->name);
	free(a->type);
	free(a->cells);
}

static void show(struct ask *a, struct answer *answer)
{
	int ret = read_head(answer);

	if (!ret)
		ret = show_rows(a, &answer->source);
	if (!ret || a->out->error)
		return;
	complain_about(a->store.url, "%s", ret == -EBADMSG ? "this is no answer of ClickHouse" :
		       strerror(-ret));
	a->status = STATUS_DAMAGED;
}

/* Returns the statement with a format, and without its end; NULL: no memory. */
static char *with_format(const char *text)
{
	size_t size = strlen(text);
	char *all;

	while (size && strchr("; \t\r\n", text[size - 1]))
		size--;
	return asprintf(&all, "%.*s\nFORMAT TabSeparatedWithNamesAndTypes", (int)size, text) < 0 ?
	       NULL : all;
}

/* Returns the time for a statement in seconds, 0 = no limit. */
static unsigned int limit_s(const struct query_limits *limits)
{
	const __u64 s = (limits->time_ms + 999) / 1000;

	return s < LIMIT_MAX_S ? (unsigned int)s : LIMIT_MAX_S;
}

/*
 * Old servers would read all of a view: the first setting lets conditions go into it. The server
 * may only read. It knows no limit below a second, and 0 is none. Limits of the server's
 * own settings for a user apply as well.
 */
static void put_settings(char *text, size_t size, const struct query_limits *limits)
{
	char *end = text + snprintf(text, size, "&enable_optimize_predicate_expression=1"
				    "&readonly=2");

	if (limits->time_ms)
		end += sprintf(end, "&max_execution_time=%u", limit_s(limits));
	if (limits->memory)
		sprintf(end, "&max_memory_usage=%llu", limits->memory);
}

/* True if the error with this number is one of the statement. */
static bool is_statement(unsigned int code)
{
	return code && code != CLICKHOUSE_TIMEOUT && code != CLICKHOUSE_TOO_SLOW &&
	       code != CLICKHOUSE_MEMORY;
}

void remote_run(struct ask *a, const char *text)
{
	struct answer answer = { .source = { columns, column, step, value } };
	char settings[256], *statement = with_format(text);
	struct clickhouse c;

	put_settings(settings, sizeof(settings), &a->limits);
	answer.file = statement ? temporary_stream() : NULL;
	if (!answer.file || !clickhouse_init(&c, &a->store)) {
		a->status = STATUS_DAMAGED;
	} else {
		c.wait_s = a->limits.time_ms ? limit_s(&a->limits) + GRACE_S : 0;
		if (!clickhouse_ask(&c, statement, settings, answer.file)) {
			clickhouse_complain(&c, "");
			a->status = is_statement(c.code) ? STATUS_USAGE : STATUS_DAMAGED;
		} else {
			rewind(answer.file);
			show(a, &answer);
		}
		clickhouse_exit(&c);
	}
	free_answer(&answer);
	free(statement);
}
