// SPDX-License-Identifier: GPL-2.0
/*
 * named.c - kernel events that -e names, and why they cannot be recorded
 *
 * An entry of -e names kernel events if it begins with tp:, kprobe: or kretprobe:, or if the part
 * before its colon is the name of one of the kernel's families. Named events must be recorded:
 * otherwise the command is not started, unless --optional is given. An entry with a glob for the
 * family selects those events that exist.
 *
 * Any other name belongs to a program, and is known only when the program runs. A name that
 * differs little from a family's is taken for a mistyped family, unless the command's file contains
 * it: otherwise no events at all would be recorded.
 */
#include "named.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "base/log.h"
#include "base/program.h"
#include "events/calls.h"
#include "events/event_rules.h"
#include "events/tracefs.h"

#define GLOB_SIZE 128
#define WILD "*?[\\"

static const char mend[] = "; --optional records the rest";

/* struct named - an entry of -e; a longer one is truncated, and then names no event */
struct named {
	char glob[GLOB_SIZE];
	char family[GLOB_SIZE];
};

static bool next_entry(const char **rest, struct named *n)
{
	struct wanted_entry e;

	if (!event_rules_next(rest, &e))
		return false;
	snprintf(n->glob, sizeof(n->glob), "%.*s", (int)e.glob_len, e.glob);
	snprintf(n->family, sizeof(n->family), "%.*s", (int)strcspn(n->glob, ":"), n->glob);
	return true;
}

static bool is_family(const char *family)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		if (!strcmp(ev->family, family))
			return true;
	return false;
}

static bool names_kernel(const struct named *n)
{
	return dynamic_is(n->glob) || is_family(n->family);
}

/*
 * True if the kernel has an event that the entry selects. Accepts all tracepoints and system calls:
 * tracefs and kernel_filter.c check these later.
 */
static bool is_known(const struct named *n)
{
	const struct ktrace_kernel_event *ev;

	if (dynamic_is(n->glob) || calls_kind(n->glob) != CALLS_NONE)
		return true;
	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		if (select_matches(n->glob, ev))
			return true;
	return false;
}

static void try_families(struct ktrace_nearest *near)
{
	const struct ktrace_kernel_event *ev;

	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++)
		ktrace_nearest_try(near, ev->family);
}

/* True if the name differs little from that of a family. */
static bool is_near(const struct named *n)
{
	struct ktrace_nearest near;

	if (strpbrk(n->family, WILD))
		return false;
	ktrace_nearest_init(&near, n->family);
	try_families(&near);
	return *near.name;
}

bool named_is_near(const char *glob)
{
	struct named n;

	return next_entry(&glob, &n) && !is_known(&n) && is_near(&n);
}

/* True if tracepoints have such a system, and, if not NULL, an event of this name in it. */
static bool has_tracepoint(const struct named *n, const char *event)
{
	const char *dir = tracefs_dir();
	char path[2 * GLOB_SIZE + 64];

	if (!dir || !*n->family || strpbrk(n->family, WILD "/."))
		return false;
	snprintf(path, sizeof(path), "%s/events/%s/%s", dir, n->family, event ? event : "");
	return !access(path, F_OK);
}

/* The "tp:" is missing. */
static bool is_tracepoint(const struct named *n)
{
	const char *event = strchr(n->glob, ':');

	return has_tracepoint(n, event && !strpbrk(event, WILD "/.") ? event + 1 : NULL);
}

/* Writes " (did you mean 'NAME'?)", or nothing. */
static void put_hint(const struct named *n, char *hint, size_t size)
{
	const bool is_ours = is_family(n->family);
	struct ktrace_nearest near;

	if (!is_ours && is_tracepoint(n)) {
		snprintf(hint, size, " (did you mean 'tp:%s%s'?)", n->glob,
			 strchr(n->glob, ':') ? "" : ":*");
		return;
	}
	ktrace_nearest_init(&near, n->glob);
	select_try_kernel(&near);
	if (!*near.name && !is_ours) {
		ktrace_nearest_init(&near, n->family);
		try_families(&near);
	}
	if (!*near.name && !is_ours && has_tracepoint(n, NULL))
		snprintf(hint, size, " (did you mean one of 'tp:%s:*'?)", n->family);
	else
		snprintf(hint, size, "%s", ktrace_nearest_hint(&near));
}

bool named_is_wrong(const char *events, char *reason, size_t size)
{
	const char *rest = events ? events : "";
	char hint[GLOB_SIZE + 64];
	struct named n;

	while (next_entry(&rest, &n)) {
		if (is_known(&n) || !is_family(n.family))
			continue;
		put_hint(&n, hint, sizeof(hint));
		snprintf(reason, size, "%s: the kernel has no such event%s", n.glob, hint);
		return true;
	}
	return false;
}

/* Return: same as named_check(). */
static int complain(const struct options *o, const char *entries, const char *reason)
{
	if (o->is_optional)
		log_note("-e %s: %s; left out", entries, reason);
	else
		log_error("-e %s: %s%s", entries, reason, mend);
	return o->is_optional ? -1 : EXIT_OWN;
}

/* True if nothing but kernel events can be recorded. */
static bool has_only_kernel(const struct options *o)
{
	for (unsigned int i = 0; i < o->pid_nr; i++)
		if (attach_has_library(o->pids[i]))
			return false;
	return o->is_all || o->pid_nr;
}

/* True if the file of a program that is recorded contains @text. */
static bool is_mentioned(const struct options *o, const char *text)
{
	char path[48];

	if (o->argv && program_mentions(o->argv[0], text))
		return true;
	for (unsigned int i = 0; i < o->pid_nr; i++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", o->pids[i]);
		if (program_mentions(path, text))
			return true;
	}
	return false;
}

/*
 * True if an entry that matches no kernel event was meant to. A similar name must have the right
 * first letter: that is seldom mistyped.
 */
static bool is_mistyped(const struct options *o, const struct named *n)
{
	struct ktrace_nearest near;
	char text[GLOB_SIZE + 1];

	if (is_family(n->family))
		return true;
	if (has_only_kernel(o))
		return is_near(n) || has_tracepoint(n, NULL) ||
		       !select_wants_kernel(o->choice.events);
	ktrace_nearest_init(&near, n->family);
	try_families(&near);
	snprintf(text, sizeof(text), "%s:", n->family);
	return is_near(n) && *near.name == *n->family && !is_mentioned(o, text);
}

int named_check(const struct options *o)
{
	const char *rest = o->choice.events ? o->choice.events : "";
	char hint[GLOB_SIZE + 64], reason[sizeof(hint) + 96];
	const char *about = "";
	int status = -1, ret;
	struct named n;

	if (has_only_kernel(o) && !select_wants_kernel(o->choice.events))
		about = o->is_all ? ", but --all needs kernel events" :
				    ", but -p needs kernel events for a process without libktrace";
	while (next_entry(&rest, &n)) {
		if (!*n.glob || is_known(&n))
			continue;
		put_hint(&n, hint, sizeof(hint));
		snprintf(reason, sizeof(reason), "the kernel has no such event%s%s", hint, about);
		if (is_mistyped(o, &n)) {
			ret = complain(o, n.glob, reason);
			status = ret < 0 ? status : ret;
		} else if (is_near(&n) || has_tracepoint(&n, NULL)) {
			log_note("-e %s: %s; assuming that it is a program's event",
				 n.glob, reason);
		}
	}
	return status;
}

/* Lists the entries that name kernel events. */
static size_t list_named(const struct options *o, char *list, size_t size)
{
	const char *rest = o->choice.events ? o->choice.events : "";
	size_t len = 0;
	struct named n;

	*list = '\0';
	while (next_entry(&rest, &n) && len < size)
		if (names_kernel(&n) && is_known(&n))
			len += (size_t)snprintf(list + len, size - len, "%s%s", len ? "," : "",
						n.glob);
	return len;
}

int named_without_kernel(const struct options *o, const char *why, bool *is_said)
{
	char list[256], reason[512];

	*is_said = list_named(o, list, sizeof(list));
	if (!*is_said)
		return -1;
	snprintf(reason, sizeof(reason), "no kernel events: %s", why);
	return complain(o, list, reason);
}

/* Returns why none of an entry's events can be produced; NULL: one can, or it selects none here. */
static const char *why_none(const struct named *n, const struct select_missing *missing)
{
	const struct ktrace_kernel_event *ev;
	int error = 0;

	for (__u32 i = 0; i < SELECT_ROWS_MAX && (ev = ktrace_kernel_event(i)); i++) {
		if (!select_matches(n->glob, ev))
			continue;
		if (!missing->error[i])
			return NULL;
		error = missing->error[i];
	}
	if (!error)
		return NULL;
	return error == -EINVAL ? "the loaded module does not support it" :
	       "this kernel has no tracepoint for it";
}

int named_rows(const struct options *o, const struct select_missing *missing)
{
	const char *rest = o->choice.events ? o->choice.events : "", *why;
	int status = -1, ret;
	struct named n;

	while (next_entry(&rest, &n)) {
		why = is_family(n.family) && !dynamic_is(n.glob) ? why_none(&n, missing) : NULL;
		ret = why ? complain(o, n.glob, why) : -1;
		status = ret < 0 ? status : ret;
	}
	if (status < 0 && *missing->names)
		log_note("this kernel cannot produce %s; the rest is recorded", missing->names);
	return status;
}

int named_end(const struct options *o, const struct dynamic *d)
{
	const char *rest = o->choice.events ? o->choice.events : "";
	int status = -1;
	struct named n;

	while (!o->is_optional && next_entry(&rest, &n)) {
		if (!dynamic_lacks(d, n.glob))
			continue;
		log_error("-e %s: the kernel had no such tracepoint during the recording", n.glob);
		status = EXIT_OWN;
	}
	return status;
}

int named_say(const struct options *o, char *reason)
{
	char *line;

	while ((line = strsep(&reason, "\n"))) {
		const char *head = *line == ' ' ? "" : "-e: ";

		if (o->is_optional)
			log_note("%s%s", head, line);
		else
			log_error("%s%s", head, line);
	}
	if (o->is_optional)
		log_note("recording continues without it");
	else
		log_error("--optional records the rest");
	return o->is_optional ? -1 : EXIT_OWN;
}
