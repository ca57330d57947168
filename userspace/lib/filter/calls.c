// SPDX-License-Identifier: LGPL-2.1
/*
 * calls.c - patterns that select syscall events by their call: "syscall:open*"
 *
 * "syscall:enter" and "syscall:exit" are names of events, not of the call exit. "syscall:ex*" means
 * the event exit, plus the events enter of calls whose names match.
 */
#include "filter_names.h"

#include <stdlib.h>
#include <string.h>

#include "match/glob.h"

static const char head[] = "syscall:";

static bool is_like(const char *name, const char *pattern)
{
	pattern += strlen(head);
	return kt_glob_matches(name, (__u32)strlen(name), pattern, (__u32)strlen(pattern));
}

bool ktrace_calls_is(const char *pattern)
{
	return !strncmp(pattern, head, strlen(head)) && strcmp(pattern, "syscall:enter") &&
	       strcmp(pattern, "syscall:exit") &&
	       !(is_like("enter", pattern) && is_like("exit", pattern));
}

bool ktrace_calls_are_events(const char *pattern)
{
	return ktrace_calls_is(pattern) && (is_like("enter", pattern) || is_like("exit", pattern));
}

static char *quote(char *to, const char *text)
{
	*to++ = '"';
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			*to++ = '\\';
		*to++ = *text;
	}
	*to++ = '"';
	return to;
}

char *ktrace_calls_expression(const char *pattern)
{
	static const char event[] = "(event.subname ~ ", nr[] = "field.nr ~ ";
	const bool are_events = ktrace_calls_are_events(pattern);
	char *text, *to;

	if (!ktrace_calls_is(pattern))
		return NULL;
	text = malloc(sizeof(event) + sizeof(nr) + 4 * strlen(pattern));
	if (!text)
		return NULL;
	to = text;
	if (are_events)
		to = stpcpy(quote(stpcpy(to, event), pattern + strlen(head)), " || ");
	to = quote(stpcpy(to, nr), pattern + strlen(head));
	strcpy(to, are_events ? ")" : "");
	return text;
}

bool ktrace_calls_exist(const char *pattern, const char *machine, bool has_x32,
			struct ktrace_nearest *near)
{
	const char *wanted = pattern + strlen(head);
	struct ktrace_event_type *type;
	struct value_check check = { 0 };
	struct name_list l;
	struct test t = { .op = OP_GLOB };

	if (!ktrace_calls_is(pattern) ||
	    ktrace_event_type_parse("syscall:enter{s32 nr;u32 abi;}", &type))
		return false;
	t.literal.text = (char *)wanted;
	t.literal.len = strlen(wanted);
	ktrace_syscall_bind(type, machine, has_x32);
	l = ktrace_names_of(type->fields, true);
	ktrace_value_check(&check, &t, &l);
	ktrace_event_type_free(type);
	*near = check.near;
	return check.is_known;
}
