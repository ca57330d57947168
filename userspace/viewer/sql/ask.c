// SPDX-License-Identifier: GPL-2.0
/* ask.c - statements: parameters, rows, errors, and what reading met */
#include "ask.h"

#include "base/lost_events.h"
#include "base/progress.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ask_set_parameter(struct ask *a, const char *text)
{
	const char *is = strchr(text, '=');
	struct parameter *more;

	if (!is || is == text)
		return "--param: not NAME=VALUE";
	text += strchr(":@$", *text) != NULL;
	more = realloc(a->parameters, (a->parameter_nr + 1) * sizeof(*more));
	if (!more)
		return "--param: out of memory";
	a->parameters = more;
	more[a->parameter_nr] = (struct parameter){
		.name = strndup(text, (size_t)(is - text)), .value = strdup(is + 1),
	};
	if (!more[a->parameter_nr].name || !more[a->parameter_nr].value)
		return "--param: out of memory";
	a->parameter_nr++;
	return NULL;
}

/* Digits are a number, all else is text. */
static struct ktrace_sql_value value_of(const char *text)
{
	struct ktrace_sql_value v = {
		.type = KTRACE_SQL_TEXT, .bytes = text, .len = strlen(text),
	};
	char *end;

	if (!*text || isspace((unsigned char)*text))
		return v;
	errno = 0;
	v.integer = strtoll(text, &end, 10);
	if (!*end && !errno) {
		v.type = KTRACE_SQL_INTEGER;
		return v;
	}
	v.real = strtod(text, &end);
	if (!*end && strcspn(text, "xXnN") == strlen(text))
		v.type = KTRACE_SQL_REAL;
	return v;
}

/* Binds a parameter of a query; the latest value counts. Return: false = it has none. */
static bool bind(struct ask *a, struct ktrace_sql_query *query, const char *name)
{
	struct ktrace_sql_value v;
	size_t i = a->parameter_nr;

	while (i && strcmp(a->parameters[i - 1].name, name + 1))
		i--;
	if (!i) {
		complain_safely("ktrace sql: no value for %s: give it with --param %s=VALUE", name,
				name + 1);
		return false;
	}
	v = value_of(a->parameters[i - 1].value);
	a->parameters[i - 1].is_used = true;
	return !ktrace_sql_bind(query, name, &v);
}

static bool bind_all(struct ask *a, struct ktrace_sql_query *query)
{
	const char *name;
	int i, nr = ktrace_sql_parameters(query);

	for (i = 0; i < nr; i++) {
		name = ktrace_sql_parameter(query, i);
		if (!name || *name == '?') {
			complain_safely("ktrace sql: a parameter needs a name, such as :tid");
			return false;
		}
		if (!bind(a, query, name))
			return false;
	}
	return true;
}

/* Prints the line of the text with the error, and a caret below it. */
static void show_place(const char *text, size_t offset)
{
	const char *at = text + offset, *from = at, *end;
	char blanks[256];
	size_t n;

	while (from > text && from[-1] != '\n' && at - from < 60)
		from--;
	end = from + strcspn(from, "\n");
	if (end - from > 100)
		end = from + 100;
	for (n = 0; n < (size_t)(at - from) && n < sizeof(blanks) - 1; n++)
		blanks[n] = from[n] == '\t' ? '\t' : ' ';
	blanks[n] = '\0';
	complain_safely("  %.*s", (int)(end - from), from);
	fprintf(stderr, "  %s^\n", blanks);
}

static unsigned int line_of(const char *text, const char *at)
{
	unsigned int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* struct place - a statement in a text; @name: of the file, NULL = none */
struct place {
	const char *text;
	const char *statement;
	const char *name;
};

static void complain_error(struct ask *a, const struct place *p, int error)
{
	int offset;
	const char *message = ktrace_sql_error(a->sql, &offset);
	const size_t at = offset < 0 ? strspn(p->statement, " \t\n") : (size_t)offset;

	progress_end();
	if (p->name)
		complain_safely("ktrace sql: %s:%u: %s", p->name,
				line_of(p->text, p->statement + at), message);
	else
		complain_safely("ktrace sql: %s", message);
	if (offset >= 0 && (size_t)offset <= strlen(p->statement))
		show_place(p->statement, (size_t)offset);
	a->status = error == -EINVAL || error == -EPERM ? STATUS_USAGE : STATUS_DAMAGED;
}

static void complain_stats(struct ask *a)
{
	struct ktrace_sql_stats stats;

	progress_end();
	ktrace_sql_stats(a->sql, &stats);
	lost_events_warn(stats.lost);
	deep_slices_warn(stats.deep_slices);
	if (stats.backwards)
		fprintf(stderr, "ktrace: %llu events have a time below their predecessor's: a "
			"range of time takes them where they are in the file\n", stats.backwards);
	if (stats.damaged)
		a->status = a->status ? a->status : STATUS_DAMAGED;
}

/* struct local_rows - the rows of a query of files */
struct local_rows {
	struct row_source source;
	struct ktrace_sql_query *query;
};

static struct ktrace_sql_query *query_of(const struct row_source *s)
{
	return ((const struct local_rows *)s)->query;
}

static int columns(const struct row_source *s)
{
	return ktrace_sql_columns(query_of(s));
}

static const char *column(const struct row_source *s, int i)
{
	return ktrace_sql_column(query_of(s), i);
}

static int step(struct row_source *s)
{
	return ktrace_sql_step(query_of(s));
}

static void value(const struct row_source *s, int i, struct ktrace_sql_value *out)
{
	ktrace_sql_value(query_of(s), i, out);
}

/* Runs one statement. Return: 0; > 0 = it failed, as reported; -errno of the output. */
static int run_one(struct ask *a, const struct place *p, struct ktrace_sql_query *query)
{
	struct local_rows rows = { { columns, column, step, value }, query };
	int ret = 0;

	if (!bind_all(a, query)) {
		a->status = STATUS_USAGE;
		ret = 1;
	} else {
		ret = show_rows(a, &rows.source);
	}
	if (ret < 0 && !a->out->error) {
		complain_error(a, p, ret);
		ret = 1;
	}
	ktrace_sql_finish(query);
	complain_stats(a);
	return ret;
}

bool ask_run(struct ask *a, const char *text, const char *name)
{
	struct place p = { .text = text, .statement = text, .name = name };
	struct ktrace_sql_query *query;
	const char *rest;
	int ret = 0;

	for (; *p.statement && !ret; p.statement = rest) {
		ret = ktrace_sql_prepare(a->sql, p.statement, &query, &rest);
		if (ret)
			complain_error(a, &p, ret);
		else if (query)
			ret = run_one(a, &p, query);
	}
	return !ret;
}

void ask_complain(struct ask *a)
{
	size_t i;

	for (i = 0; i < a->parameter_nr; i++) {
		if (a->parameters[i].is_used)
			continue;
		complain_safely("ktrace sql: --param %s: the query has no such parameter",
				a->parameters[i].name);
		command_wrong();
	}
}

void ask_free(struct ask *a)
{
	while (a->parameter_nr) {
		free(a->parameters[--a->parameter_nr].name);
		free(a->parameters[a->parameter_nr].value);
	}
	free(a->parameters);
	ktrace_sql_close(a->sql);
	ktrace_traceset_close(a->set);
}
