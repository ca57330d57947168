/* SPDX-License-Identifier: LGPL-2.1 */
/* event_glob.h - whether a glob names a type of events, as in -e of ktraced */
#ifndef KTRACE_BASE_EVENT_GLOB_H
#define KTRACE_BASE_EVENT_GLOB_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A glob without a colon names a provider, one with a colon the full name "provider:name". */
static inline bool event_glob_matches(const char *glob, const char *full_name)
{
	char provider[256];

	if (strchr(glob, ':'))
		return !fnmatch(glob, full_name, 0);
	snprintf(provider, sizeof(provider), "%.*s", (int)strcspn(full_name, ":"), full_name);
	return !fnmatch(glob, provider, 0);
}

#endif
