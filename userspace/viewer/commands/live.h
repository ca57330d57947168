/* SPDX-License-Identifier: GPL-2.0 */
/* live.h - tables of how much each process, thread, type and CPU records, while it does so */
#ifndef VIEWER_COMMANDS_LIVE_H
#define VIEWER_COMMANDS_LIVE_H

#include "base/hash_table.h"
#include "events/time_range.h"

/* The tables: a row for each process, thread, type of event or CPU */
enum live_by { LIVE_PROCESS, LIVE_THREAD, LIVE_TYPE, LIVE_CPU, LIVE_BY_NR };

/**
 * struct live_top - tables of the events since they were last printed
 * @scope:	which events, and how many were lost
 * @state:	of threads and CPUs
 * @watch:	of @state
 * @rows:	struct live_row, of all tables
 * @by:		which tables are wanted
 * @number:	maximum number of rows of each
 * @is_json:	one object each time
 * @begin:	time from which everything is counted
 * @from:	time of the latest event when the tables were last printed
 * @to:		time of the latest event so far
 * @events:	since @from
 * @total:	all events
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

/* Parses the value of --by; returns what is wrong with it, or NULL. */
const char *live_take_by(struct live_top *top, const char *list);
/* Begins tables at time @from. Return: 0, -errno. */
int live_top_begin(struct live_top *top, struct time_range *scope, __u64 from);
/* Updates the state with every event, wanted or not, before it is counted. Return: 0, -errno. */
int live_top_learn(struct live_top *top, const struct ktrace_trace_event *e);
/* Counts an event that is wanted. Return: 0, -errno. */
int live_top_add(struct live_top *top, const struct ktrace_trace_event *e);
/* Prints the tables, and begins new ones; @is_last: prints those of all events. */
void live_top_show(struct live_top *top, bool is_last);
void live_top_free(struct live_top *top);

#endif
