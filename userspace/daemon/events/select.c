// SPDX-License-Identifier: GPL-2.0
/*
 * select.c - finds the events that -e selects
 *
 * The list is the whole choice: each glob is compared with "family:name" of kernel
 * events and with "provider:name" of user events. A glob without a colon selects all
 * events of the families or providers that it matches. Without a list: all user
 * events, and the kernel events that show their background: which thread ran where
 * (sched), and messages of other modules (log).
 *
 * Levels are a separate choice among the events pthread:*, <ktrace/level.h>.
 */
#include "select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/level.h>

#include "calls.h"
#include "dynamic.h"
#include "event_rules.h"

#define NAME_SIZE 64

static const char default_kernel[] = "sched,log";
/* All user events except those of the provider pthread, which no single glob can express */
static const char others[] =
	"[!p]*,p[!t]*,pt[!h]*,pth[!r]*,pthr[!e]*,pthre[!a]*,pthrea[!d]*,pthread[!:]*";

static bool matches_one(const char *glob, const char *family, const char *name)
{
	return !fnmatch(glob, strchr(glob, ':') ? name : family, 0);
}

static void full_name(const struct ktrace_kernel_event *ev, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%s:%s", ev->family, ev->name);
}

/* True if a glob such as "syscall:open*" selects both events; kernel_filter.c picks the calls. */
static bool is_call_of(const char *glob, const struct ktrace_kernel_event *ev)
{
	return !strcmp(ev->family, "syscall") && calls_kind(glob) == CALLS;
}

bool select_matches(const char *glob, const struct ktrace_kernel_event *ev)
{
	char name[NAME_SIZE];

	full_name(ev, name);
	return matches_one(glob, ev->family, name) || is_call_of(glob, ev);
}

bool select_is_on(const char *events, const struct ktrace_kernel_event *ev)
{
	char list[KTRACE_FILTER_SIZE], *rest = list, *glob;

	event_rules_strip(events ? events : default_kernel, list, sizeof(list));
	while ((glob = strsep(&rest, ",")))
		if (*glob && select_matches(glob, ev))
			return true;
	return false;
}

static int append(char filter[KTRACE_FILTER_SIZE], size_t *len, const char *glob, size_t n,
		  const char *rest)
{
	int wrote = snprintf(filter + *len, KTRACE_FILTER_SIZE - *len, "%s%.*s%s",
			     *len ? "," : "", (int)n, glob, rest);

	if (wrote < 0 || (size_t)wrote >= KTRACE_FILTER_SIZE - *len)
		return -ENAMETOOLONG;
	*len += (size_t)wrote;
	return 0;
}

static int append_events(char filter[KTRACE_FILTER_SIZE], size_t *len, const char *list)
{
	char plain[KTRACE_FILTER_SIZE];
	const char *events = plain;
	int error = 0;

	event_rules_strip(list, plain, sizeof(plain));
	if (strlen(plain) == sizeof(plain) - 1)
		return -ENAMETOOLONG;

	while (*events && !error) {
		size_t n = strcspn(events, ",");

		if (n)
			error = append(filter, len, events, n,
				       memchr(events, ':', n) ? "" : ":*");
		events += n + (events[n] == ',');
	}
	return error;
}

static int append_choice(char filter[KTRACE_FILTER_SIZE], size_t *len, const struct choice *choice)
{
	char globs[KTRACE_FILTER_SIZE];
	int error;

	if (!choice->has_levels)
		return choice->events ? append_events(filter, len, choice->events) : 0;
	error = choice->events ? append_events(filter, len, choice->events)
		: append(filter, len, others, strlen(others), "");
	if (!error)
		error = ktrace_level_globs(choice->levels, globs, sizeof(globs));
	if (!error && *globs)
		error = append(filter, len, globs, strlen(globs), "");
	return error;
}

int select_filter(const struct choice *choice, char filter[KTRACE_FILTER_SIZE])
{
	size_t len = 0;
	int error;

	filter[0] = '\0';
	error = append_choice(filter, &len, choice);
	/* Without room for it, who marks is told that marks are off. */
	if (!error && len)
		append(filter, &len, SELECT_MARK, strlen(SELECT_MARK), "");
	return error;
}

bool select_wants_kernel(const char *events)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		if (select_is_on(events, ev))
			return true;
	return dynamic_wants(events);
}

/* True if the kernel lacks the event's source, or the module is older than these programs. */
static bool cannot_produce(int error)
{
	return error == -EOPNOTSUPP || error == -EINVAL;
}

static void add_missing(char missing[SELECT_MISSING_SIZE], const struct ktrace_kernel_event *ev)
{
	static const char more[] = ", ...";
	const size_t len = strlen(missing), room = SELECT_MISSING_SIZE - sizeof(more) - len;
	char name[NAME_SIZE];

	if (len && !strcmp(missing + len - 3, "..."))
		return;
	full_name(ev, name);
	if (strlen(name) + 2 >= room)
		snprintf(missing + len, sizeof(more), "%s", more);
	else
		snprintf(missing + len, room, "%s%s", len ? ", " : "", name);
}

int select_enable(struct ktrace_session *s, const char *events, struct select_missing *missing)
{
	const struct ktrace_kernel_event *ev;
	int error;

	*missing = (struct select_missing){ .names = "" };
	for (__u32 i = 0; i < SELECT_ROWS_MAX && (ev = ktrace_kernel_event(i)); i++) {
		if (!select_is_on(events, ev))
			continue;
		error = ktrace_session_enable(s, KTRACE_CHANNEL_KERNEL, ev->id, true);
		if (error && !cannot_produce(error))
			return error;
		if (error)
			add_missing(missing->names, ev);
		missing->error[i] = error;
	}
	return 0;
}

int select_change(struct ktrace_session *s, const char *before, const char *events)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++) {
		const bool on = select_is_on(events, ev);
		int error;

		if (on == select_is_on(before, ev))
			continue;
		error = ktrace_session_enable(s, KTRACE_CHANNEL_KERNEL, ev->id, on);
		if (error && !cannot_produce(error))
			return error;
	}
	return 0;
}

void select_cross_off(char *list, const char *name)
{
	char family[KTRACE_ENTRY_TEXT_MAX], full[KTRACE_ENTRY_TEXT_MAX], *to = list;

	snprintf(full, sizeof(full), "%.*s", (int)strcspn(name, "{"), name);
	snprintf(family, sizeof(family), "%.*s", (int)strcspn(full, ":"), full);
	for (char *rest = list, *glob; (glob = strsep(&rest, ","));) {
		size_t n = strlen(glob);

		if (!n || matches_one(glob, family, full) ||
		    calls_kind(glob) == CALLS || dynamic_is(glob + strspn(glob, " ")))
			continue;
		if (to != list)
			*to++ = ',';
		memmove(to, glob, n);
		to += n;
	}
	*to = '\0';
}

void select_try_kernel(struct ktrace_nearest *near)
{
	const struct ktrace_kernel_event *ev;
	char name[NAME_SIZE];

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++) {
		full_name(ev, name);
		ktrace_nearest_try(near, name);
		ktrace_nearest_try(near, ev->family);
	}
}

void select_cross_off_kernel(char *list)
{
	const struct ktrace_kernel_event *ev;
	char name[NAME_SIZE];

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++) {
		full_name(ev, name);
		select_cross_off(list, name);
	}
}
