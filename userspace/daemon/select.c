// SPDX-License-Identifier: GPL-2.0
/*
 * select.c - which events -e means
 *
 * The list is the whole choice: each glob is compared with "family:name" of kernel
 * events and with "provider:name" of user events. A glob without a colon means all
 * events of the families or providers that it matches. Without a list: all user
 * events, and of the kernel what gives them their background: who ran where (sched),
 * and what other modules log.
 */
#include "select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char default_kernel[] = "sched,log";

static bool matches_one(const char *glob, const struct ktrace_kernel_event *ev)
{
	char name[64];

	if (!strchr(glob, ':'))
		return !fnmatch(glob, ev->family, 0);
	snprintf(name, sizeof(name), "%s:%s", ev->family, ev->name);
	return !fnmatch(glob, name, 0);
}

static bool is_selected(const char *events, const struct ktrace_kernel_event *ev)
{
	char list[KTRACE_FILTER_SIZE], *rest = list, *glob;

	snprintf(list, sizeof(list), "%s", events ? events : default_kernel);
	while ((glob = strsep(&rest, ",")))
		if (*glob && matches_one(glob, ev))
			return true;
	return false;
}

int select_filter(const char *events, char filter[KTRACE_FILTER_SIZE])
{
	size_t len = 0;

	filter[0] = '\0';
	while (events && *events) {
		size_t n = strcspn(events, ",");
		bool whole = !memchr(events, ':', n);
		int wrote;

		if (n) {
			wrote = snprintf(filter + len, KTRACE_FILTER_SIZE - len, "%s%.*s%s",
					 len ? "," : "", (int)n, events, whole ? ":*" : "");
			if (wrote < 0 || (size_t)wrote >= KTRACE_FILTER_SIZE - len)
				return -ENAMETOOLONG;
			len += (size_t)wrote;
		}
		events += n + (events[n] == ',');
	}
	return 0;
}

bool select_wants_kernel(const char *events)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		if (is_selected(events, ev))
			return true;
	return false;
}

int select_enable(struct ktrace_session *s, const char *events, const char **missing)
{
	const struct ktrace_kernel_event *ev;
	int error;

	*missing = NULL;
	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++) {
		if (!is_selected(events, ev))
			continue;
		error = ktrace_session_enable(s, KTRACE_CHANNEL_KERNEL, ev->id, true);
		if (error == -EOPNOTSUPP)
			*missing = ev->family;
		else if (error)
			return error;
	}
	return 0;
}
