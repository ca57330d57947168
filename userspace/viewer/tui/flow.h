/* SPDX-License-Identifier: GPL-2.0 */
/* flow.h - what CPUs and threads did in a window of time, computed in small steps */
#ifndef VIEWER_TUI_FLOW_H
#define VIEWER_TUI_FLOW_H

#include "analysis/flow_class.h"
#include "analysis/message_marks.h"
#include "base/hash_table.h"
#include "base/text_timeline.h"
#include "base/thread_label.h"

#include <ktrace/position.h>

/* In addition to the classes of flow_class.h */
enum {
	FLOW_EVENTS = FLOW_NR,	/* there are events, but the thread's state is unknown */
	FLOW_LOST,		/* events were lost */
	FLOW_ALL_NR,
};

/**
 * struct flow_row - a CPU, a thread, where events were lost, or a host and its messages
 * @key:	thread: the state's serial number; CPU: bit 63, machine and number; host: bits 63
 *		and 62, machine; losses: ~0
 * @is_lost:	it shows losses
 * @is_host:	it is a host, of which there are several; its rows follow it
 * @is_cpu:	it is a CPU
 * @machine:	number of the first trace of its boot
 * @number:	of the CPU
 * @who:	the thread
 * @strip:	what it did
 * @run_ns:	time it ran
 * @events:	number of events it recorded
 */
struct flow_row {
	__u64 key;
	bool is_lost;
	bool is_host;
	bool is_cpu;
	__u32 machine;
	__u32 number;
	struct thread_label who;
	__u64 *strip;
	__u64 run_ns;
	__u64 events;
};

enum flow_phase { FLOW_BEGINS, FLOW_READS, FLOW_READY };

/**
 * struct flow - the picture, and its progress
 * @set:	the files
 * @state:	of threads and CPUs
 * @watch:	of @state
 * @strip:	window and width of the picture
 * @letters:	for @strip
 * @messages:	between hosts, whose both ends are in the window
 * @rows:	struct flow_row
 * @order:	the rows as they are shown
 * @order_nr:	how many of them
 * @by_run:	rows that ran longest first, instead of by process
 * @phase:	what is done next
 * @at:		position where reading goes on
 * @reached:	time up to which events were read
 * @known:	time up to which a seek of the state is fast
 * @lost:	events lost in the window, by reason
 * @error:	-errno
 */
struct flow {
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct timeline strip;
	char letters[FLOW_ALL_NR + 1];
	struct message_marks messages;
	struct hash_table rows;
	struct flow_row **order;
	size_t order_nr;
	bool by_run;
	enum flow_phase phase;
	struct ktrace_position *at;
	__u64 reached;
	__u64 known;
	__u64 lost[KTRACE_LOST_NR];
	int error;
};

/* Return: 0, -errno. */
int flow_begin(struct flow *f, struct ktrace_traceset *set);
void flow_end(struct flow *f);
/* Begins again with a new window or width. */
void flow_show(struct flow *f, __u64 from, __u64 to, int width);
/* Works on for @ms. Return: 1 = there is more to do, 0 = ready, -errno. */
int flow_work(struct flow *f, unsigned int ms);
/* Returns how much of the window was read, in percent. */
unsigned int flow_percent(const struct flow *f);
/* Puts rows in order. Return: 0, -ENOMEM. */
int flow_sort(struct flow *f);
/* Returns the row number of a thread, or of a CPU if @tid is 0; -1 = none. */
int flow_find(const struct flow *f, __u32 machine, __u32 tid, __s32 cpu);
/* Writes "cpu 1", "100/101 name", "events LOST" or the name of a host. */
void flow_name(const struct flow *f, const struct flow_row *row, char *text, size_t size);

#endif
