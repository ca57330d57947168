// SPDX-License-Identifier: GPL-2.0
/* calls.c - entries of -e that name system calls: "syscall:openat", "syscall:open*" */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <ktrace/filter.h>
#include <ktrace/tracefile.h>

#include "event_rules.h"

static bool match(const char *glob, struct ktrace_nearest *near)
{
	static bool is_known, has_x32;
	struct utsname host;

	if (!is_known)
		has_x32 = ktrace_host_has_x32();
	is_known = true;
	uname(&host);
	return ktrace_calls_exist(glob, host.machine, has_x32, near);
}

enum calls_kind calls_kind(const char *glob)
{
	struct ktrace_nearest near;

	if (!ktrace_calls_is(glob))
		return CALLS_NONE;
	if (match(glob, &near))
		return CALLS;
	return ktrace_calls_are_events(glob) ? CALLS_NONE : CALLS_UNKNOWN;
}

void calls_nearest(const char *glob, struct ktrace_nearest *near)
{
	match(glob, near);
}

bool calls_are_in(const char *events)
{
	struct wanted_entry e;
	bool are = false;
	char *glob;

	while (events && !are && event_rules_next(&events, &e)) {
		glob = strndup(e.glob, e.glob_len);
		are = glob && calls_kind(glob) != CALLS_NONE;
		free(glob);
	}
	return are;
}

/* Ends the expression with a newline, since a comment in it would hide the closing parenthesis. */
char *calls_expression(const char *glob, const char *expr, size_t len, size_t *before)
{
	char *calls = ktrace_calls_expression(glob), *all = NULL;

	if (calls && expr && asprintf(&all, "%s && (%.*s\n)", calls, (int)len, expr) < 0)
		all = NULL;
	*before = calls ? strlen(calls) + strlen(" && (") : 0;
	if (!expr)
		return calls;
	free(calls);
	return all;
}
