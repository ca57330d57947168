// SPDX-License-Identifier: GPL-2.0
/* complete.c - words that a word of a statement may become */
#include "complete.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

/* True for a name that statements cannot have without quotes. */
static bool needs_quotes(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!is_word(name[i]) || name[i] == ':')
			return true;
	return !i || isdigit((unsigned char)*name);
}

/* struct word - what is being typed: @at has @len bytes without the quote that @is_quoted tells */
struct word {
	const char *at;
	size_t len;
	bool is_quoted;
};

static struct word find_word(const char *text, const char *line)
{
	struct word w = { .at = text + strlen(text) };

	for (; w.at > line && is_word(w.at[-1]); w.at--)
		w.len++;
	w.is_quoted = w.at > line && w.at[-1] == '"';
	return w;
}

/* Adds a name if it begins like the word. */
static void offer(struct completion *c, const struct word *w, const char *name)
{
	if (strncasecmp(name, w->at, w->len) || !LIST_GROW(c->names, c->nr, c->cap))
		return;
	c->names[c->nr] = strdup(name);
	c->nr += c->names[c->nr] != NULL;
}

/* Keywords are in the case of the word's first letter. */
static void offer_keywords(struct completion *c, const struct word *w)
{
	const bool is_small = w->len && islower((unsigned char)*w->at);
	char name[64];
	const char *keyword;
	int i, k, len;

	for (i = 0; i < sqlite3_keyword_count(); i++) {
		if (sqlite3_keyword_name(i, &keyword, &len) != SQLITE_OK ||
		    len >= (int)sizeof(name))
			continue;
		for (k = 0; k < len; k++)
			name[k] = is_small ? (char)tolower((unsigned char)keyword[k]) : keyword[k];
		name[len] = '\0';
		offer(c, w, name);
	}
}

static void offer_tables(struct ask *a, struct completion *c, const struct word *w)
{
	struct ktrace_sql_table table;
	size_t i;

	for (i = 0; ktrace_sql_table(a->sql, i, &table); i++)
		offer(c, w, table.name);
}

/* Columns of a view are those of its statement. */
static void offer_columns_of_view(struct ask *a, struct completion *c, const struct word *w,
				  const char *view)
{
	struct ktrace_sql_query *query;
	int i;

	if (ktrace_sql_prepare(a->sql, view, &query, NULL) || !query)
		return;
	for (i = 0; i < ktrace_sql_columns(query); i++)
		offer(c, w, ktrace_sql_column(query, i));
	ktrace_sql_finish(query);
}

/* True if the text has a name as a whole word. */
static bool has_name(const char *text, const char *name)
{
	const size_t n = strlen(name);
	const char *at;

	for (at = text; *at; at++)
		if (!strncasecmp(at, name, n) && !is_word(at[n]) &&
		    (at == text || !is_word(at[-1])))
			return true;
	return false;
}

/* Columns of the tables that a text names; of all that every file has if it names none. */
static void offer_columns(struct ask *a, struct completion *c, const struct word *w,
			  const char *text)
{
	struct ktrace_sql_column_info column;
	struct ktrace_sql_table table;
	bool has_any = false;
	size_t i, k;

	for (i = 0; ktrace_sql_table(a->sql, i, &table); i++)
		has_any |= has_name(text, table.name);
	for (i = 0; ktrace_sql_table(a->sql, i, &table); i++) {
		if (has_any ? !has_name(text, table.name) : table.is_event)
			continue;
		if (table.view)
			offer_columns_of_view(a, c, w, table.view);
		for (k = 0; ktrace_sql_table_column(a->sql, i, k, &column); k++)
			offer(c, w, column.name);
	}
}

/* True if the word before @at is one of those that a table follows. */
static bool wants_table(const char *text, const char *at)
{
	static const char *const before[] = { "FROM", "JOIN" };
	const char *end = at;
	size_t i;

	for (; end > text && isspace((unsigned char)end[-1]); end--)
		;
	for (at = end; at > text && is_word(at[-1]); at--)
		;
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if ((size_t)(end - at) == strlen(before[i]) &&
		    !strncasecmp(at, before[i], strlen(before[i])))
			return true;
	return false;
}

static void offer_for_dot(struct ask *a, struct completion *c, const struct word *w,
			  const char *line)
{
	const char *const *mode, *name;
	size_t i;

	if (w->at == line + 1) {
		for (i = 0; (name = shell_command(i)); i++)
			offer(c, w, name + 1);
	} else if (!strncmp(line, ".schema ", 8)) {
		offer_tables(a, c, w);
	} else if (!strncmp(line, ".mode ", 6)) {
		for (mode = show_names; *mode; mode++)
			offer(c, w, *mode);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the names, and leaves one of equal ones. */
static void sort(struct completion *c)
{
	size_t i, kept = 0;

	if (c->nr)
		qsort(c->names, c->nr, sizeof(*c->names), by_name);
	for (i = 0; i < c->nr; i++) {
		if (kept && !strcasecmp(c->names[kept - 1], c->names[i]))
			free(c->names[i]);
		else
			c->names[kept++] = c->names[i];
	}
	c->nr = kept;
}

/* Returns how many bytes at the beginning all names have in common; never half a character. */
static size_t common(const struct completion *c)
{
	const char *first = c->names[0], *last = c->names[c->nr - 1];
	size_t n = 0;

	while (first[n] && tolower((unsigned char)first[n]) == tolower((unsigned char)last[n]))
		n++;
	while (n && ((unsigned char)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Makes the text that takes the place of the word. */
static void make_text(struct completion *c, const struct word *w, bool is_dot)
{
	const bool is_one = c->nr == 1;
	size_t n = c->nr ? common(c) : 0;
	const char *from = c->nr && n >= w->len ? c->names[0] : w->at;
	bool has_quote = w->is_quoted;

	n = from == w->at ? w->len : n;
	if (c->nr && !is_dot)
		has_quote |= needs_quotes(c->names[0]) && needs_quotes(c->names[c->nr - 1]);
	if (asprintf(&c->text, "%s%.*s%s%s", has_quote ? "\"" : "", (int)n, from,
		     has_quote && is_one ? "\"" : "", is_one ? " " : "") < 0)
		c->text = NULL;
	c->len = w->len + w->is_quoted;
}

void complete(struct ask *a, const char *text, size_t line, struct completion *c)
{
	const bool is_dot = text[line] == '.' && strspn(text, " \t\r\n;") >= line;
	const struct word w = find_word(text, text + line);

	*c = (struct completion){ 0 };
	if (is_dot) {
		offer_for_dot(a, c, &w, text + line);
	} else {
		offer_tables(a, c, &w);
		if (!wants_table(text, w.at - w.is_quoted)) {
			offer_columns(a, c, &w, text);
			if (!w.is_quoted)
				offer_keywords(c, &w);
		}
	}
	sort(c);
	make_text(c, &w, is_dot);
}

void completion_free(struct completion *c)
{
	while (c->nr)
		free(c->names[--c->nr]);
	free(c->names);
	free(c->text);
}
