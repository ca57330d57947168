/* SPDX-License-Identifier: GPL-2.0 */
/* dynamic.h - events of the kernel's own that -e names: tracepoints and dynamic probes */
#ifndef KTRACED_EVENTS_DYNAMIC_H
#define KTRACED_EVENTS_DYNAMIC_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "kprobe.h"

/**
 * struct dynamic_event - one of them
 * @name:	what it is called in the trace: "SYSTEM:EVENT", "kprobe:FUNCTION"
 * @item:	the item of -e if it is a probe, else NULL
 * @path:	"SYSTEM/EVENT" below events/ in tracefs
 * @format:	the kernel's description; ktrace_event_type_parse_format() knows it
 * @id:		in records
 * @is_wanted:	by the latest choice
 * @is_on:	switched on
 * @is_told:	the file has its description
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
 * struct dynamic - those of one recording
 * @events:	all that have been met
 * @nr:		how many
 * @probes:	dynamic probes among them
 * @is_again:	what -e names has been looked up before: what is not there has been said
 * @skipped:	the kernel refused so many, of which the first
 * @refused:	the first one's name and why
 */
struct dynamic {
	struct dynamic_event *events;
	size_t nr;
	struct kprobes probes;
	bool is_again;
	unsigned int skipped;
	char refused[256];
};

/** dynamic_is - whether an item of -e means such events: "tp:SYSTEM:EVENT", "kprobe:..." */
bool dynamic_is(const char *item);

/** dynamic_wants - whether any item of a list does */
bool dynamic_wants(const char *events);

/**
 * dynamic_matches - does an item of -e mean this event?
 * @item:	the item, with blanks before it but not behind
 */
bool dynamic_matches(const char *item, const struct dynamic_event *e);

/** dynamic_lacks - has an entry of -e, without its expression, met no tracepoint by now? */
bool dynamic_lacks(const struct dynamic *d, const char *item);

/**
 * dynamic_choose - find out what a list of -e names, and have it ready
 * @d:		the events of the recording
 * @s:		its session, with a kernel channel
 * @events:	argument of -e, NULL = none of these events
 * @reason:	out, on failure: lines for people, KPROBE_REASON_MAX bytes
 *
 * A probe that cannot be made is an error, and so is an entry all of whose tracepoints cannot be
 * had, or that is a mistyped name of some; the other entries are ready all the same. Of a glob's
 * tracepoints those that cannot be had are noted, and left out. An entry of which nothing is known
 * may be for a module that is loaded later. Nothing is switched: what an event is to have is set
 * before.
 *
 * Return: 0 or -errno.
 */
int dynamic_choose(struct dynamic *d, struct ktrace_session *s, const char *events, char *reason);

/** dynamic_switch - switch on what has been chosen, and off what has not */
void dynamic_switch(struct dynamic *d, struct ktrace_session *s);

/** dynamic_meta - describe what has not been described yet */
void dynamic_meta(struct dynamic *d, struct ktrace_text *t);

/**
 * dynamic_missed - say of which tracepoints hits have no record
 * @d:		the events of the recording
 * @s:		its session, stopped
 * @t:		text of META: a line "missed" for each
 */
void dynamic_missed(const struct dynamic *d, struct ktrace_session *s, struct ktrace_text *t);

/** dynamic_end - say what was missed, and leave nothing behind; the session has ended */
void dynamic_end(struct dynamic *d);

#endif
