/* SPDX-License-Identifier: GPL-2.0 */
/* select.h - which events -e means */
#ifndef KTRACED_EVENTS_SELECT_H
#define KTRACED_EVENTS_SELECT_H

#include <ktrace/nearest.h>
#include <ktrace/session.h>

/**
 * struct choice - which events are to be recorded
 * @events:	as -e has them, NULL = the default choice
 * @where:	--where, NULL = none
 * @has_levels:	--level was given: @levels are in @events' place for the events pthread:*,
 *		and beside those of them that @events names
 * @levels:	ktrace_level_parse()
 */
struct choice {
	const char *events;
	const char *where;
	bool has_levels;
	__u32 levels;
};

#define SELECT_MISSING_SIZE 160
#define SELECT_ROWS_MAX 128

/**
 * struct select_missing - kernel events that are meant, and that this kernel cannot produce
 * @error:	why not, by number of the event in the table of all; 0 = it can
 * @names:	their names; the last word is "..." if there are too many
 */
struct select_missing {
	int error[SELECT_ROWS_MAX];
	char names[SELECT_MISSING_SIZE];
};

/**
 * select_filter - globs for the user channel
 * @choice:	what was asked for
 * @filter:	out; a glob of -e without a colon has become "glob:*"
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int select_filter(const struct choice *choice, char filter[KTRACE_FILTER_SIZE]);

/** select_is_on - is a kernel event meant by a list of -e, which may be NULL? */
bool select_is_on(const char *events, const struct ktrace_kernel_event *ev);

/** select_matches - is it meant by one entry of such a list? */
bool select_matches(const char *glob, const struct ktrace_kernel_event *ev);

/** select_wants_kernel - whether any kernel event is meant */
bool select_wants_kernel(const char *events);

/**
 * select_enable - switch on the kernel events that are meant
 * @s:		the session
 * @events:	argument of -e, or NULL
 * @missing:	out: those that this kernel, or its module, cannot produce; they are left out
 *
 * Return: 0 or -errno.
 */
int select_enable(struct ktrace_session *s, const char *events, struct select_missing *missing);

/**
 * select_change - switch kernel events from one choice to another
 * @s:		the session
 * @before:	-e as it was
 * @events:	-e as it is to be
 *
 * Those that this kernel cannot produce are left out.
 *
 * Return: 0 or -errno.
 */
int select_change(struct ktrace_session *s, const char *before, const char *events);

/**
 * select_cross_off - take those globs that an event matches out of a list
 * @list:	globs, separated by commas; what is left stays in it
 * @name:	"provider:name" of an event, and what may follow behind a brace
 */
void select_cross_off(char *list, const char *name);

/** select_cross_off_kernel - the same for the events that the kernel has */
void select_cross_off_kernel(char *list);

/** select_try_kernel - look for a mistyped name among the kernel's events and families */
void select_try_kernel(struct ktrace_nearest *near);

#endif
