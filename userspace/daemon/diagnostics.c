// SPDX-License-Identifier: GPL-2.0
/* diagnostics.c - explains why a trace may contain less than expected */
#include "diagnostics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <ktrace/nearest.h>

#include "base/log.h"
#include "events/event_rules.h"
#include "events/select.h"
#include "named.h"

static void why_no_kernel(const struct ktrace_session_info *info, char *buf, size_t size)
{
	if (info->kernel_error == -EOPNOTSUPP)
		snprintf(buf, size, "%s%s", *info->reason ? info->reason
			 : "the shared memory backend cannot record them",
			 *info->reason ? "; 'ktrace doctor' says what to do" : "");
	else
		snprintf(buf, size, "%s; they need CAP_PERFMON, or the module's parameter "
			 "group_kernel", strerror(-info->kernel_error));
}

/*
 * Notes that the module is missing only if kernel events were requested; fails for --all.
 * named_without_kernel() reports events that were requested by name.
 */
int diagnostics_no_kernel(const struct options *o, const struct ktrace_session_info *info)
{
	char why[KTRACE_REASON_SIZE + 80];
	bool is_said;
	int status;

	why_no_kernel(info, why, sizeof(why));
	if (o->is_all && !(o->is_optional && info->kernel_error)) {
		log_error("--all needs kernel events, which %s%s",
			  info->kernel_error ? "cannot be recorded: " : "-e leaves out",
			  info->kernel_error ? why : "");
		return EXIT_OWN;
	}
	status = named_without_kernel(o, why, &is_said);
	if (is_said)
		return status;
	if (info->kernel_error &&
	    (info->kernel_error != -EOPNOTSUPP || o->choice.events || o->choice.where ||
	     o->is_all))
		log_note("no kernel events: %s", why);
	return -1;
}

int diagnostics_begin(struct capture *c, const char *events)
{
	if (!events)
		return 0;
	c->unmet = strdup(events);
	if (!c->unmet)
		return -ENOMEM;
	event_rules_strip(events, c->unmet, strlen(events) + 1);
	select_cross_off_kernel(c->unmet);
	return 0;
}

/* Tries names of events, one on each line, and of their providers. */
static void try_programs(struct ktrace_nearest *near, char *names)
{
	for (char *name; (name = strsep(&names, "\n"));) {
		ktrace_nearest_try(near, name);
		name[strcspn(name, ":")] = '\0';
		ktrace_nearest_try(near, name);
	}
}

/* Reports a list of names that matched nothing, with the event nearest to the first of them. */
static void complain_unmet(char *list, char *names, bool is_wrong)
{
	void (*say)(const char *format, ...) = is_wrong ? log_error : log_note;
	const size_t all = strlen(list), first = strcspn(list, ",");
	struct ktrace_nearest near;

	list[first] = '\0';
	ktrace_nearest_init(&near, list);
	select_try_kernel(&near);
	try_programs(&near, names);
	if (first < all)
		list[first] = ',';
	say("-e: no event matches %s%s; 'ktrace events --kernel' lists the kernel's events, "
	    "'ktrace events PROGRAM' those of a program", list, ktrace_nearest_hint(&near));
}

/* Explains that no program attached: few have the library, and new users have none. */
static void complain_unattached(bool is_pthread)
{
	log_note("no program attached: is it linked with libktrace? If it is, run it with "
		 "KTRACE_DEBUG=1 to see why not");
	if (!is_pthread)
		log_note("for programs without libktrace, --pthread records threads and locks, and "
			 "-e sched,syscall what they do in the kernel; 'ktrace doctor' says what "
			 "that needs");
}

/* True if an entry of the list looks like a mistyped kernel event. */
static bool is_mistyped(const char *list)
{
	for (; list && *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ','))
		if (named_is_near(list))
			return true;
	return false;
}

void diagnostics_lost(const struct ktrace_lost *lost, const struct ktrace_session_info *info,
		      const struct options *o)
{
	if (lost->count[KTRACE_LOST_NORING] > info->lost_noring)
		log_note("threads found no free buffer (noring): if more than %u record at the "
			 "same time, use a larger --thread-rings", o->thread_nr);
}

bool diagnostics_end(const struct capture *c, const struct ktrace_session_info *info,
		     const struct options *o)
{
	const bool is_wrong = !o->is_optional && is_mistyped(c->unmet);

	if (!c->is_attached && !info->has_kernel)
		complain_unattached(o->is_pthread);
	if (c->unmet && *c->unmet)
		complain_unmet(c->unmet, c->names.buf, is_wrong);
	return is_wrong;
}
