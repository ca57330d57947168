// SPDX-License-Identifier: GPL-2.0
/*
 * event_rules.c - the entries of a list of -e, which may have expressions in braces
 *
 *   list  = entry { "," entry }
 *   entry = glob [ "{" expression "}" ]
 *
 * Commas in braces belong to the expression, and so do braces in quotes there.
 */
#include "event_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the "}" that ends an expression, or the end of the text; ignores braces in quotes. */
static const char *expr_end(const char *at)
{
	char quote = 0;

	for (; *at; at++) {
		if (quote && *at == '\\' && at[1])
			at++;
		else if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '}')
			break;
	}
	return at;
}

bool event_rules_next(const char **list, struct wanted_entry *e)
{
	const char *at = *list;

	if (!*at)
		return false;
	/* Skips blanks before a glob, unless the glob has nothing else. */
	if (at[strspn(at, " ")] && !strchr(",{", at[strspn(at, " ")]))
		at += strspn(at, " ");
	*e = (struct wanted_entry){ .glob = at, .glob_len = strcspn(at, ",{"), .is_closed = true };
	at += e->glob_len;
	if (*at == '{') {
		e->expr = at + 1;
		at = expr_end(e->expr);
		e->expr_len = (size_t)(at - e->expr);
		e->is_closed = *at == '}' && (at[1] == ',' || !at[1]);
		at += *at == '}';
	}
	/*
	 * Keeps one blank of a glob of blanks: it matches nothing, an empty glob would match all.
	 */
	while (e->glob_len > 1 && e->glob[e->glob_len - 1] == ' ')
		e->glob_len--;
	at += strcspn(at, ",");
	*list = at + (*at == ',');
	return true;
}

void event_rules_strip(const char *events, char *plain, size_t size)
{
	struct wanted_entry e;
	size_t len = 0;

	*plain = '\0';
	while (event_rules_next(&events, &e) && len < size)
		len += (size_t)snprintf(plain + len, size - len, "%s%.*s", len ? "," : "",
					(int)e.glob_len, e.glob);
}

char *event_rules_filters(const char *events)
{
	struct wanted_entry e;
	size_t len = 0;
	char *list = events && strchr(events, '{') ? calloc(1, strlen(events) + 1) : NULL;

	while (list && event_rules_next(&events, &e))
		if (e.expr)
			len += (size_t)sprintf(list + len, "%s%.*s{%.*s}", len ? "," : "",
					       (int)e.glob_len, e.glob, (int)e.expr_len, e.expr);
	return list;
}
