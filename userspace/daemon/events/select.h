/* SPDX-License-Identifier: GPL-2.0 */
/* select.h - finds the events that -e selects */
#ifndef KTRACED_EVENTS_SELECT_H
#define KTRACED_EVENTS_SELECT_H

#include <ktrace/nearest.h>
#include <ktrace/session.h>

/**
 * struct choice - the events to record
 * @events:	as in -e, NULL = the default choice
 * @where:	--filter, NULL = none
 * @has_levels:	--level was given: of the events pthread:*, @levels selects instead of the default,
 *		and in addition to those that @events names
 * @levels:	ktrace_level_parse()
 */
struct choice {
	const char *events;
	const char *where;
	bool has_levels;
	__u32 levels;
};

/* The event of ktrace control mark, which each choice has */
#define SELECT_MARK "ktrace:mark"

#define SELECT_MISSING_SIZE 160
#define SELECT_ROWS_MAX 128

/**
 * struct select_missing - selected kernel events that this kernel cannot produce
 * @error:	reason, by index in the table of all kernel events; 0 = can be produced
 * @names:	their names; the last word is "..." if there are too many
 */
struct select_missing {
	int error[SELECT_ROWS_MAX];
	char names[SELECT_MISSING_SIZE];
};

/**
 * select_filter - globs for the user channel
 * @choice:	the events to record
 * @filter:	out; a glob of -e without a colon becomes "glob:*"
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int select_filter(const struct choice *choice, char filter[KTRACE_FILTER_SIZE]);

/** select_is_on - true if a list of -e, which may be NULL, selects a kernel event */
bool select_is_on(const char *events, const struct ktrace_kernel_event *ev);

/** select_matches - true if one entry of such a list selects a kernel event */
bool select_matches(const char *glob, const struct ktrace_kernel_event *ev);

/** select_wants_kernel - true if any kernel event is selected */
bool select_wants_kernel(const char *events);

/**
 * select_enable - switch on the selected kernel events
 * @s:		the session
 * @events:	argument of -e, or NULL
 * @missing:	out: events that this kernel, or its module, cannot produce; skipped
 *
 * Return: 0 or -errno.
 */
int select_enable(struct ktrace_session *s, const char *events, struct select_missing *missing);

/**
 * select_change - switch kernel events from one choice to another
 * @s:		the session
 * @before:	the old value of -e
 * @events:	the new value of -e
 *
 * Skips events that this kernel cannot produce.
 *
 * Return: 0 or -errno.
 */
int select_change(struct ktrace_session *s, const char *before, const char *events);

/**
 * select_cross_off - remove the globs that an event matches from a list
 * @list:	globs, separated by commas; the others stay in it
 * @name:	"provider:name" of an event, possibly followed by a brace and more text
 */
void select_cross_off(char *list, const char *name);

/** select_cross_off_kernel - same for all kernel events of the table */
void select_cross_off_kernel(char *list);

/** select_try_kernel - try the kernel's events and families as meanings of a mistyped name */
void select_try_kernel(struct ktrace_nearest *near);

#endif
