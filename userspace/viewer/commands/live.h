/* SPDX-License-Identifier: GPL-2.0 */
/* live.h - what happens while it is recorded: tables of who records how much */
#ifndef VIEWER_COMMANDS_LIVE_H
#define VIEWER_COMMANDS_LIVE_H

#include "base/hash_table.h"
#include "events/time_range.h"

/* What a table has a row for each of */
enum live_by { LIVE_PROCESS, LIVE_THREAD, LIVE_TYPE, LIVE_CPU, LIVE_BY_NR };

/**
 * struct live_top - tables of what came since they were printed last
 * @scope:	which events, and how many were lost
 * @state:	of threads and CPUs
 * @watch:	for @state
 * @rows:	struct live_row, of all tables
 * @by:		which tables are wanted
 * @number:	so many rows of each at most
 * @is_json:	one object each time
 * @begin:	time from which on all is counted
 * @from:	time of the latest event when they were printed last
 * @to:		of the latest one by now
 * @events:	since then
 * @total:	of all
 * @error:	what went wrong
 */
struct live_top {
	struct time_range *scope;
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct hash_table rows;
	bool by[LIVE_BY_NR];
	__u64 number;
	bool is_json;
	__u64 begin;
	__u64 from;
	__u64 to;
	__u64 events;
	__u64 total;
	int error;
};

/* Takes the value of --by; returns what is wrong with it, or NULL. */
const char *live_take_by(struct live_top *top, const char *list);
/* From the time @from on. Return: 0, -errno. */
int live_top_begin(struct live_top *top, struct time_range *scope, __u64 from);
/* Every event, wanted or not, before it is counted: for the state. Return: 0, -errno. */
int live_top_learn(struct live_top *top, const struct ktrace_trace_event *e);
/* An event that is wanted. Return: 0, -errno. */
int live_top_add(struct live_top *top, const struct ktrace_trace_event *e);
/* Prints the tables, and begins new ones; @is_last: those of all events. */
void live_top_show(struct live_top *top, bool is_last);
void live_top_free(struct live_top *top);

#endif
