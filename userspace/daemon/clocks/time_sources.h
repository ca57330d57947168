/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_sources.h - META lines of what chrony and ptp4l say about the clocks of this host
 *
 * They are asked at the start and then every 16 s, by their own programs; the recording never waits
 * for these. Output that is not understood, and no output, become lines, too.
 */
#ifndef KTRACED_CLOCKS_TIME_SOURCES_H
#define KTRACED_CLOCKS_TIME_SOURCES_H

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "query.h"

enum time_source_kind {
	TIME_SOURCE_CHRONY,
	TIME_SOURCE_PTP4L,
	TIME_SOURCES
};

/**
 * struct time_source_choice - --clock-sources
 * @is_given:	the option was given: complain about programs that are not there
 * @wants:	which to ask; all if not @is_given
 */
struct time_source_choice {
	bool is_given;
	bool wants[TIME_SOURCES];
};

/**
 * struct time_source - one of them
 * @all:	all of them
 * @kind:	which
 * @query:	asks it
 * @asked_raw:	stamp of the last question
 * @last:	what its last line says, NULL = none yet
 * @was_told:	a failure has been reported
 */
struct time_source {
	struct time_sources *all;
	enum time_source_kind kind;
	struct query query;
	__u64 asked_raw;
	char *last;
	bool was_told;
};

/**
 * struct time_sources - state
 * @choice:	--clock-sources
 * @session:	its clock stamps the lines
 * @meta:	gets the lines
 * @timers:	of the loop
 * @tick:	fires when they are to be asked again
 * @list:	each
 */
struct time_sources {
	const struct time_source_choice *choice;
	struct ktrace_session *session;
	struct ktrace_text *meta;
	struct timers *timers;
	struct timer tick;
	struct time_source list[TIME_SOURCES];
};

/* Parses the value of --clock-sources; returns false if it is invalid. */
bool time_sources_parse(const char *text, struct time_source_choice *choice);
/* Begins to ask; @choice, session and meta are filled in. */
void time_sources_begin(struct time_sources *s, struct loop *loop, struct timers *timers);
void time_sources_end(struct time_sources *s);
/* Returns the process that is being asked, 0 = none. */
pid_t time_sources_pid(const struct time_sources *s, enum time_source_kind kind);

#endif
