/* SPDX-License-Identifier: GPL-2.0 */
/* dynamic.h - tracepoints and dynamic probes of the kernel that -e names */
#ifndef KTRACED_EVENTS_DYNAMIC_H
#define KTRACED_EVENTS_DYNAMIC_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "kprobe.h"

/**
 * struct dynamic_event - one tracepoint or probe
 * @name:	its name in the trace: "SYSTEM:EVENT", "kprobe:FUNCTION"
 * @item:	the item of -e if it is a probe, else NULL
 * @path:	"SYSTEM/EVENT" below events/ in tracefs
 * @format:	the kernel's description, for ktrace_event_type_parse_format()
 * @id:		its event id in records
 * @is_wanted:	the latest choice names it
 * @is_on:	switched on
 * @is_told:	its description is in the file
 */
struct dynamic_event {
	char *name;
	char *item;
	char *path;
	char *format;
	__u16 id;
	bool is_wanted;
	bool is_on;
	bool is_told;
};

/**
 * struct dynamic - tracepoints and probes of one recording
 * @events:	all that any choice has named
 * @nr:		number of @events
 * @probes:	dynamic probes among them
 * @is_again:	-e has been looked up before, and missing events were reported
 * @skipped:	number of events that the kernel refused
 * @refused:	name of the first of these, and why
 */
struct dynamic {
	struct dynamic_event *events;
	size_t nr;
	struct kprobes probes;
	bool is_again;
	unsigned int skipped;
	char refused[256];
};

/** dynamic_is - true if an item of -e means such events: "tp:SYSTEM:EVENT", "kprobe:..." */
bool dynamic_is(const char *item);

/** dynamic_wants - true if any item of a list does */
bool dynamic_wants(const char *events);

/**
 * dynamic_matches - true if an item of -e means this event
 * @item:	the item, possibly with blanks before it but not after it
 */
bool dynamic_matches(const char *item, const struct dynamic_event *e);

/** dynamic_lacks - true if an entry of -e, without its expression, has matched no tracepoint yet */
bool dynamic_lacks(const struct dynamic *d, const char *item);

/**
 * dynamic_choose - look up the events that a list of -e names, and prepare them
 * @d:		the events of the recording
 * @s:		its session, with a kernel channel
 * @events:	argument of -e, NULL = none of these events
 * @reason:	out, on failure: lines for the user, KPROBE_REASON_MAX bytes
 *
 * Fails if a probe cannot be created, if the kernel refuses all tracepoints of an entry, or if an
 * entry looks like a mistyped tracepoint; the other entries are prepared all the same. Of a glob's
 * tracepoints, those that the kernel refuses are noted and skipped. An unknown entry may belong to
 * a module that is loaded later. Switches nothing on or off: filters and context are set before.
 *
 * Return: 0 or -errno.
 */
int dynamic_choose(struct dynamic *d, struct ktrace_session *s, const char *events, char *reason);

/** dynamic_switch - switch on the chosen events, and all others off */
void dynamic_switch(struct dynamic *d, struct ktrace_session *s);

/** dynamic_meta - write the descriptions that have not been written yet */
void dynamic_meta(struct dynamic *d, struct ktrace_text *t);

/**
 * dynamic_missed - report tracepoints with hits that have no record
 * @d:		the events of the recording
 * @s:		its session, stopped
 * @t:		text of META: a line "missed" for each
 */
void dynamic_missed(const struct dynamic *d, struct ktrace_session *s, struct ktrace_text *t);

/** dynamic_end - report missed hits of probes, and remove all of them; the session has ended */
void dynamic_end(struct dynamic *d);

#endif
